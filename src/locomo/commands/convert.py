"""`locomo convert`: questions of LongMemEval in LoCoMo's format."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.formats.longmemeval import convert


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of `locomo convert`."""
    parser.add_argument(
        "source", type=Path, metavar="LONGMEMEVAL.json", help="a file in LongMemEval's public format"
    )
    parser.add_argument(
        "target", type=Path, metavar="TALKS.json", help="the file to write, in LoCoMo's format"
    )


def run(arguments: Namespace) -> None:
    """Write the file, and say what became of the questions. Raises LocomoError if it is there already."""
    target: Path = arguments.target
    if target.exists():
        raise LocomoError(f"{target}: is there already; choose another name")
    first, *more = convert(arguments.source, target).told()
    print(f"{target}: {first}", *more, sep="\n")
    print(f"Set `file` of `dataset` in {paths.PARAMS} to {target}, and run `dvc repro`.")
