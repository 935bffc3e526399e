"""The settings of a run: ``params.yaml``, checked before any work is done."""

import locomo.core.pipeline  # noqa: F401

# isort: split
import difflib
import re
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from locomo.core import paths
from locomo.core.download import Pinned, fetch
from locomo.core.errors import LocomoError
from locomo.core.files import digest


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ValueError(f"has {name!r} more than once")
    return names


def _ascending(values: tuple[float, ...]) -> tuple[float, ...]:
    if any(one >= other for one, other in pairwise(values)):
        raise ValueError(f"is {list(values)}, not in ascending order")
    return values


class _Checked(BaseModel):
    # Strict: true is no number, "5" is no 5.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


# The descriptions below say what is allowed; error messages quote them.
_Count = Annotated[int, Field(ge=1, description="a whole number, 1 or more")]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, description="a number from 0 to 1")]
_Switch = Annotated[bool, Field(description="true or false")]
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="64 hex digits in lower case")]


class Source(_Checked):
    """Where a file comes from: ``<url>/<commit>/<path>``; and how its bytes are recognised."""

    url: str = Field(pattern=r"^https?://\S*[^\s/]$", description="a web address without a slash at its end")
    commit: str = Field(pattern=r"^[0-9a-f]{40}$", description="a full commit hash, 40 hex digits")
    path: str = Field(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$",
        description="a path inside the repository, such as data/locomo10.json",
    )
    bytes: _Count
    sha256: _Sha256

    def pinned(self, folder: str = "") -> Pinned:
        """The file to be fetched; in a cache it stands in this folder."""
        return Pinned(**self.model_dump(), folder=folder)


NO_FILE = "data/none"
"""A file that stands for none where a setting is the path of a file: DVC has to watch some file."""


class PinnedDataset(Source):
    """A dataset to be downloaded."""

    file: str = Field(NO_FILE, exclude=True)

    def located(self) -> Path:
        """A verified copy. Raises LocomoError as `fetch` does."""
        return fetch(self.pinned())


class LocalDataset(_Checked):
    """A dataset in a file of the user's."""

    file: str = Field(min_length=1, description=f"the path of a local file, or {NO_FILE} for none")
    sha256: _Sha256 | None = Field(None, description="64 hex digits in lower case, or nothing")

    @model_validator(mode="before")
    @classmethod
    def _without_pin(cls, values: Any) -> Any:
        # `dvc exp run -S dataset.file=...` leaves what is said of the download. Its hash is not this file's.
        return {"file": values["file"]} if "url" in values else values

    def located(self) -> Path:
        """The file. Raises LocomoError if it is not there or has another hash."""
        path = Path(self.file)
        if not path.is_file():
            raise LocomoError(f"dataset.file: {path}: is no file")
        if self.sha256 not in (None, found := digest(path)):
            raise LocomoError(f"dataset.file: {path} has SHA-256 {found}, expected {self.sha256}")
        return path


_DATASETS: dict[str, type[BaseModel]] = {"pinned": PinnedDataset, "local": LocalDataset}


def _kind(dataset: Any) -> str:
    """Of which kind what stands in the file is, or a dataset that was made of it."""
    values = dataset if isinstance(dataset, dict) else {"file": getattr(dataset, "file", NO_FILE)}
    return "pinned" if values.get("file", NO_FILE) == NO_FILE else "local"


class Base(_Checked):
    """The settings a sweep varies one of."""

    floor: _Share
    k: _Count
    span: _Count
    band: _Share
    parts: _Count


_Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple), AfterValidator(_distinct)]
_Values = Field(min_length=1), BeforeValidator(_as_tuple), AfterValidator(_ascending)
_Counts = Annotated[tuple[_Count, ...], *_Values]
_Shares = Annotated[tuple[_Share, ...], *_Values]


class Sweep(_Checked):
    """The values of each setting, in ascending order, and `base`, the values of the others meanwhile."""

    base: Base = Field(description="floor, k, span, band and parts")
    floor: _Shares = Field(description="a list of numbers from 0 to 1, ascending")
    k: _Counts = Field(description="a list of whole numbers, 1 or more, ascending")
    span: _Counts = Field(description="a list of whole numbers, 1 or more, ascending")
    band: _Shares = Field(description="a list of numbers from 0 to 1, ascending")
    parts: _Counts = Field(description="a list of whole numbers, 1 or more, ascending")
    external_k: _Switch

    @model_validator(mode="after")
    def _base_is_swept(self) -> Self:
        for name, values in self.values.items():
            if getattr(self.base, name) not in values:
                raise ValueError(
                    f"base.{name} is {getattr(self.base, name)}, which is none of the values of {name}"
                )
        return self

    @property
    def values(self) -> dict[str, tuple[float, ...]]:
        """The values of each setting."""
        return {name: getattr(self, name) for name in Base.model_fields}

    @property
    def external_ks(self) -> tuple[int, ...]:
        """The k that external memories are asked for."""
        return (self.base.k, *(self.k if self.external_k else ()))


class Settings(_Checked):
    """Everything that can be varied; ``params.yaml`` says what each one does.

    Stage `arms` checks the names of the arms, so that other stages do not depend on the table of arms.
    """

    dataset: Annotated[
        Annotated[PinnedDataset, Tag("pinned")] | Annotated[LocalDataset, Tag("local")],
        Discriminator(_kind),
        Field(description="url, commit, path, bytes and sha256, or file"),
    ]
    answer_key: Literal["published", "audited"] = Field(description="published or audited")
    audit: Source = Field(description="url, commit, path, bytes and sha256")
    scorer: Source = Field(description="url, commit, path, bytes and sha256")
    k: _Count
    floor: _Share
    span: _Count
    band: _Share
    parts: _Count
    blind: _Switch
    infer: _Switch
    sweep: Sweep = Field(description="base, floor, k, span, band, parts and external_k")
    arms: Annotated[_Names, Field(min_length=1, description="a list of one name or more, each at most once")]
    may_fail: Annotated[_Names, Field(description="a list of memories, each at most once, or []")]
    failures_in_a_row: _Count


def load(path: Path = paths.PARAMS) -> Settings:
    """Read and check the settings.

    Raises ``LocomoError`` that names the file and, for each setting that is wrong, its key, the
    value found and what is allowed.
    """
    values = _parse(path)
    if not isinstance(values, dict):
        raise LocomoError(f"{path}: expected settings, one 'name: value' a line")
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        faults = "".join(f"\n  {_explain(fault)}" for fault in error.errors(include_url=False))
        raise LocomoError(f"{path}: settings to correct:{faults}") from None


class _Loader(yaml.SafeLoader):
    """A safe loader that reads ``1e-05`` as a number (YAML 1.2), as DVC writes it."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def _parse(path: Path) -> Any:
    try:
        return yaml.load(path.read_bytes(), Loader=_Loader)
    except OSError as error:
        advice = "run in the project's own folder"
        raise LocomoError(f"{path}: cannot be read ({error.strerror}); {advice}") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a day that is in no calendar
        raise LocomoError(f"{path}: is not YAML: {error}") from error


def _explain(fault: ErrorDetails) -> str:
    """One wrong setting in plain words."""
    name, fields, allowed = "", Settings.model_fields, None
    for key in fault["loc"]:
        if key in _DATASETS:
            fields = _DATASETS[str(key)].model_fields
            continue
        name = f"{name}[{key}]" if name and isinstance(key, int) else f"{name}.{key}" if name else f"{key}"
        if fault["type"] in ("extra_forbidden", "invalid_key") and key not in fields:
            close = difflib.get_close_matches(str(key), fields, n=1)
            return (
                f"{name}: no such setting; {f'is it {close[0]}?' if close else 'known: ' + ', '.join(fields)}"
            )
        if key in fields:
            field = fields[str(key)]
            allowed, fields = field.description, getattr(field.annotation, "model_fields", {})
    if fault["type"] == "missing":
        found = "is missing"
    elif fault["type"] == "value_error":
        found = str(fault["ctx"]["error"])
    else:
        found = "is empty" if fault["input"] is None else f"is {fault['input']!r}"
    return f"{name}: {found}; allowed: {allowed}"
