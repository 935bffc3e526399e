"""Stage `fetch`: the dataset to `data/locomo10.json`, checked, and the answer key to `data/key.json`."""

import shutil

from locomo.core import paths
from locomo.core.download import MissingFileError
from locomo.core.errors import LocomoError, run
from locomo.core.files import digest, replacing
from locomo.core.settings import load
from locomo.formats import keys


def main() -> None:
    """Write `data/locomo10.json` and `data/key.json`."""
    chosen = load()
    try:
        source = chosen.dataset.located()
        key = keys.make(chosen.answer_key, source, chosen.audit.pinned(keys.FOLDER))
    except MissingFileError as error:
        raise LocomoError(
            f"{error}\nNo network? `make demo` runs everything on invented data. `make restore`"
            " brings back what an earlier run made."
        ) from error
    with replacing(paths.DATASET) as temporary:
        shutil.copyfile(source, temporary)
    key.save(paths.KEY)
    size, sha256 = paths.DATASET.stat().st_size, digest(paths.DATASET)
    print(f"{paths.DATASET}: {size:,} bytes, SHA-256 {sha256[:12]}, from {source}")
    print(f"{paths.KEY}: {key.described()}")


if __name__ == "__main__":
    run(main)
