"""Which dataset the memories in `data/memories/` were built from: a note beside them, `(built).json`."""

import json
from pathlib import Path
from typing import NamedTuple

from locomo.core import paths
from locomo.core.errors import LocomoError, made_by, needs
from locomo.core.files import digest, write_json

RUN = "(run)"
"""The key in files of `metrics/` under which stands what they were made from. No arm can have this name."""
_NOTE = "(built).json"
"""The file of `Built`. No sample id has parentheses, so it is no conversation's."""


class Built(NamedTuple):
    """What the memories in a folder were built from."""

    dataset: str
    """The SHA-256 of the dataset's bytes."""
    infer: bool
    """Whether the naming rule added claims."""

    def save(self, folder: Path) -> None:
        """Write it beside the conversations in `folder`."""
        write_json(folder / _NOTE, self._asdict())


def built() -> Built:
    """What the memories of the run were built from.

    Raises LocomoError if that is not, byte for byte, the dataset that is there, or if a file is missing.
    """
    path = paths.MEMORIES / _NOTE
    with made_by("build", path):
        match json.loads(path.read_bytes()):
            case {"dataset": str(dataset), "infer": bool(infer)}:
                found = Built(dataset, infer)
            case _:
                raise ValueError("no such note")
    check_dataset(found.dataset, of=paths.MEMORIES)
    return found


def check_dataset(sha256: str, of: Path) -> None:
    """Raise LocomoError unless the dataset is, byte for byte, the one that `of` was made from."""
    with needs("fetch", paths.DATASET):
        found = digest(paths.DATASET)
    if found != sha256:
        raise LocomoError(
            f"{paths.DATASET}: is not the dataset that {of} was made from; run `dvc repro` to make them fit"
        )
