"""`locomo new`: a memory to start from."""

from argparse import ArgumentParser, Namespace
from importlib.resources import files

from locomo.answer.arms import check_name
from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.core.files import write_text
from locomo.memory.plugins import file_of

TEMPLATE = files(__package__) / "memory_template.txt"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the argument of `locomo new`."""
    parser.add_argument("name", help="what your memory is called, such as mine")


def run(arguments: Namespace) -> None:
    """Write the file. Raises LocomoError if it is there, or if no memory of one's own can have this name."""
    path = file_of(arguments.name)
    check_name(arguments.name, path.as_posix())
    if not paths.PARAMS.exists():
        raise LocomoError(f"{paths.PARAMS}: is not here; run in the project's own folder")
    if path.exists():
        raise LocomoError(f"{path}: is there already; choose another name")
    write_text(path, TEMPLATE.read_text(encoding="utf-8"))
    print(f"{path}: a memory that runs as it is. Edit it, and try it in seconds, or on all questions:")
    print(f"  locomo run {path} --questions 20")
    print(f"  dvc exp run -S 'arms=[vector,{arguments.name}]'")
