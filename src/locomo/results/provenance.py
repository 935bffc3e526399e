"""Which bytes and settings the results of a run were made from, so that files of different runs do not mix.

A setting in `params.yaml` and a file in `data/` can change after a result was made from them. So the result
carries what was in force: each sample of the predictions under `run`, the scores in `metrics/signature.json`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from locomo import __version__
from locomo.core import paths
from locomo.core.errors import LocomoError, made_by, needs
from locomo.core.files import digest, write_json
from locomo.formats.built import RUN, Built

SETTINGS: Mapping[str, type] = {
    "k": int,
    "floor": float,
    "span": int,
    "band": float,
    "parts": int,
    "blind": bool,
    "infer": bool,
}
"""The settings that an answer depends on, in the order of a signature."""

NOTE = "run.json"
"""The file that says of the other files in its folder what they were made from."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What answers were made with."""

    version: str
    """Of locomo-bench."""
    dataset: str
    """The SHA-256 of the dataset's bytes, 64 hex digits."""
    key: str
    """The name of the answer key."""
    settings: Mapping[str, Any]
    """The values of `SETTINGS` when the answers were made."""

    @classmethod
    def of(cls, built: Built, key: str, **settings: int | float | bool) -> "Provenance":
        """That of answers from these memories by this version; `settings` are all but `infer`."""
        known = settings | {"infer": built.infer}
        return cls(__version__, built.dataset, key, {name: known[name] for name in SETTINGS})

    @classmethod
    def of_json(cls, value: Any, path: Path) -> "Provenance":
        """Read `as_json`, with further keys or not. Raises LocomoError that names `path` if it is none."""
        if not _is_provenance(value):
            raise LocomoError(f"{path}: does not say which dataset and settings it was made from")
        settings = {name: value["settings"][name] for name in SETTINGS}
        return cls(value["version"], value["dataset"], value["key"], settings)

    def as_json(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return asdict(self)

    @property
    def fields(self) -> dict[str, str]:
        """What a signature says of it, by the name of the field."""
        said = {"locomo-bench": self.version, "data": self.dataset[:12], "key": self.key, **self.settings}
        return {
            name: ("no", "yes")[value] if isinstance(value, bool) else str(value)
            for name, value in said.items()
        }


@dataclass(frozen=True, slots=True)
class SignedRun:
    """What stage `score` notes of a run in `metrics/signature.json`."""

    provenance: Provenance
    key: str
    """The SHA-256 of `data/key.json`."""
    predictions: str
    """The SHA-256 of `data/predictions.json`."""
    scores: str
    """The SHA-256 of `data/scores.csv`."""
    signatures: Mapping[str, str]
    """By arm."""

    @property
    def signature(self) -> str:
        """That of every arm, with `<arm>` in place of its name: the parts before it are the same for all."""
        return next(iter(self.signatures.values())).partition("|arm:")[0] + "|arm:<arm>"

    @property
    def external(self) -> list[str]:
        """The arms of external memories, whose signatures name a memory."""
        return [arm for arm, signature in self.signatures.items() if "|memory:" in signature]

    def check(self, *files: Path) -> None:
        """Raise LocomoError unless these files are, byte for byte, those of this run.

        Each is one of `paths.DATASET`, with which the answer key is checked, `paths.PREDICTIONS` and
        `paths.SCORES`.
        """
        expected = {
            paths.DATASET: ("fetch", self.provenance.dataset),
            paths.KEY: ("fetch", self.key),
            paths.PREDICTIONS: ("answer", self.predictions),
            paths.SCORES: ("score", self.scores),
        }
        for path in (*files, *([paths.KEY] if paths.DATASET in files else ())):
            stage, sha256 = expected[path]
            with needs(stage, path):
                found = digest(path)
            if found != sha256:
                raise _of_another_run(path)

    def check_note(self, path: Path, note: Any) -> None:
        """Raise LocomoError unless what the file at `path` says of its making holds of this run.

        `note` is an object that may have the hashes of `dataset`, `predictions` and `scores`, the `key`, and
        settings.
        """
        made_from = {"dataset": self.provenance.dataset, "key": self.provenance.key}
        files = {"predictions": self.predictions, "scores": self.scores}
        known = made_from | files | dict(self.provenance.settings)
        if not isinstance(note, dict) or not note.items() <= known.items():
            raise _of_another_run(path)

    def write(self, path: Path) -> None:
        """Write it as `metrics/signature.json`: the signature of each arm, and the rest under `(run)`."""
        files = {"key_file": self.key, "predictions": self.predictions, "scores": self.scores}
        run = self.provenance.as_json() | files
        write_json(path, {**self.signatures, RUN: run})


def read_signed() -> SignedRun:
    """Read `metrics/signature.json`. Raises LocomoError if it is missing or damaged."""
    with made_by("score", paths.SIGNATURES):
        found: dict[str, Any] = json.loads(paths.SIGNATURES.read_bytes())
        run = found.pop(RUN, None)
        if not found or not all(isinstance(one, str) for one in found.values()):
            raise ValueError("no signatures")
        provenance = Provenance.of_json(run, paths.SIGNATURES)
        if not all(_is_signed(one, provenance) for one in found.values()):
            raise ValueError("signatures of another run")
        return SignedRun(provenance, run["key_file"], run["predictions"], run["scores"], found)


def _is_signed(signature: str, run: Provenance) -> bool:
    """Whether a signature says what the run was made from."""
    said = dict(part.partition(":")[::2] for part in signature.split("|"))
    return said.items() >= run.fields.items()


def _of_another_run(path: Path) -> LocomoError:
    return LocomoError(f"{path}: is of another run than {paths.SIGNATURES}; run `dvc repro` to make them fit")


def _is_provenance(value: Any) -> bool:
    match value:
        case {"version": str(), "dataset": str(dataset), "key": str(), "settings": dict(settings)}:
            typed = all(type(settings.get(name)) is kind for name, kind in SETTINGS.items())
            return typed and re.fullmatch("[0-9a-f]{64}", dataset) is not None
    return False
