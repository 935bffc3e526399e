"""Stage `fetch`: the dataset at its pinned commit, checked, to `data/locomo10.json`."""

import shutil

from locomo.core import paths
from locomo.core.download import MissingFileError, Pinned, fetch
from locomo.core.errors import LocomoError, run
from locomo.core.files import replacing
from locomo.core.settings import load


def main() -> None:
    """Write `data/locomo10.json`."""
    pinned = Pinned(**load().dataset.model_dump())
    try:
        source = fetch(pinned)
    except MissingFileError as error:
        raise LocomoError(
            f"{error}\nNo network? `make demo` runs everything on invented data. `make restore`"
            " brings back what an earlier run made."
        ) from error
    with replacing(paths.DATASET) as temporary:
        shutil.copyfile(source, temporary)
    print(f"{paths.DATASET}: {pinned.bytes:,} bytes, SHA-256 {pinned.sha256[:12]}, from {source}")


if __name__ == "__main__":
    run(main)
