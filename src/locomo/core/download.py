"""Pinned files, from a cache or the network; size and SHA-256 are checked before use."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm.utils import CallbackIOWrapper

from locomo.core import progress
from locomo.core.errors import LocomoError

OFFLINE = "LOCOMO_OFFLINE"
"""In the environment: if set, nothing is downloaded."""
TIMEOUT = 30
"""A download fails after so many seconds without a byte."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """One file of a repository at one commit, with its size and SHA-256."""

    url: str
    commit: str
    path: str
    bytes: int
    sha256: str
    folder: str = ""
    """The folder of a cache in which it is, at its path in the repository; empty for the cache itself."""

    @property
    def place(self) -> str:
        """Its path in a cache."""
        return f"{self.folder}/{self.path}" if self.folder else self.path

    @property
    def address(self) -> str:
        """The URL of the file itself."""
        return f"{self.url}/{self.commit}/{self.path}"


class MissingFileError(LocomoError):
    """A pinned file is in no cache and could not be downloaded."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy
        """How to get it, without a full stop."""


def fetch(file: Pinned) -> Path:
    """Return the path of a verified copy: from a cache folder if one has it, else downloaded.

    Searches the folders of ``LOCOMO_CACHE`` (separated as in PATH; never written to), then the user's
    cache, ``pooch.os_cache("locomo-bench")``, both laid out by upstream path. A file with the wrong
    bytes is skipped. Raises ``MissingFileError`` that says why each
    place and the download failed, and where the file may be put by hand.
    """
    faults = []
    for folder in filter(None, os.environ.get("LOCOMO_CACHE", "").split(os.pathsep)):
        place = Path(folder, file.place)
        if (fault := _fault(place, file)) is None:
            return place
        faults.append(f"{place}: {fault}")

    import pooch  # here, because a file found above does not need it

    cache = Path(pooch.os_cache("locomo-bench"))
    place = cache / file.place
    if (fault := _fault(place, file)) is None:
        return place
    faults.append(f"{place}: {fault}")
    if os.environ.get(OFFLINE):
        faults.append(f"{file.address}: not downloaded, because {OFFLINE} is set")
    elif (fault := _download(file, cache / file.folder)) is None:
        return place
    else:
        faults.append(f"{file.address}: {fault}")
    raise MissingFileError(
        f"{file.place} could not be downloaded:\n  "
        + "\n  ".join(faults)
        + f"\nDownload {file.address} ({file.bytes} bytes, SHA-256 {file.sha256}) to {place},"
        f" or set LOCOMO_CACHE to a folder that holds it as {file.place}.",
        f"Download {file.address} to {place}",
    )


def _fault(place: Path, file: Pinned) -> str | None:
    """Why the file at ``place`` cannot be used; None if it can."""
    try:
        size = place.stat().st_size
        if size != file.bytes:
            return f"has {size} bytes, expected {file.bytes}"
        with place.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return None if digest == file.sha256 else f"has SHA-256 {digest}, expected {file.sha256}"


def _download(file: Pinned, cache: Path) -> str | None:
    """Download the file into ``cache``; returns what went wrong, or None."""
    import pooch

    pooch.get_logger().setLevel("ERROR")  # else it reports each step and each retry
    over_http = pooch.HTTPDownloader(timeout=TIMEOUT)

    def checked(url: str, output: str, store: Any) -> None:
        # Checked while the bytes are in pooch's temporary file: pooch does not check sizes, and would
        # download a wrong file again.
        with Path(output).open("wb") as place, progress.bar("download", file.bytes, unit="B") as bar:
            # Not pooch's bar: its total is the size of what is sent, which may be compressed.
            over_http(url, CallbackIOWrapper(bar.update, place, "write"), store)
        if fault := _fault(Path(output), file):
            raise LocomoError(f"what came {fault}")

    store = pooch.create(
        path=cache,
        base_url=f"{file.url}/{file.commit}/",
        registry={file.path: f"sha256:{file.sha256}"},
        retry_if_failed=1,
    )
    try:
        store.fetch(file.path, downloader=checked)
    except (LocomoError, OSError, ValueError) as error:
        return str(error)
    return None
