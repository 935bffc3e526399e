"""Write what the package ships of the default run in this folder: `src/locomo/published`.

`locomo score` compares with it where there is no run. It holds no text of the dataset. `make published` runs
this; `submissions/ours.py` reads the files and says what is in them.
"""

import csv
import gzip
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo import __version__
from locomo.answer.arms import ARMS
from locomo.core import paths, settings
from locomo.core.errors import LocomoError, run
from locomo.core.files import replacing, write_json
from locomo.results.provenance import SETTINGS, Provenance, read_signed
from locomo.results.scores import Score
from locomo.score.signature import signature
from locomo.submissions import ours
from locomo.submissions.ours import Ours

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src" / "locomo" / "published"


def columns(run: Ours) -> Iterator[list[object]]:
    """The columns of the table: of the questions, then of each measure. Arms with equal columns share one."""
    keys = list(next(iter(run.scores.values())))
    yield ["sample", *(sample for sample, _ in keys)]
    yield ["question", *(index for _, index in keys)]
    shared: dict[tuple[str, ...], list[str]] = {}
    for arm, scores in run.scores.items():
        rows = [values(scores[key]) for key in keys]
        for measure in rows[0]:
            shared.setdefault((measure, *(repr(row[measure]) for row in rows)), []).append(arm)
    for (measure, *cells), arms in shared.items():
        yield [" ".join([measure, *arms]), *cells]


def values(score: Score) -> dict[str, float]:
    return {**score.values, "confidence": score.confidence}


def table(run: Ours) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(zip(*columns(run), strict=True))
    return text.getvalue()


def main() -> None:
    os.chdir(ROOT)
    chosen, signed = settings.load(), read_signed()
    default = Provenance(
        __version__, chosen.dataset.sha256, {name: getattr(chosen, name) for name in SETTINGS}
    )
    if signed.signatures != {arm: signature(default, arm) for arm in ARMS}:
        raise LocomoError(
            f"{paths.SIGNATURES}: is not of a run of all our arms with the settings of {paths.PARAMS};"
            " bring those back (`make restore`) and run `make repro`"
        )
    about = {"signature": signed.signature, "arms": list(ARMS), "dataset": chosen.dataset.model_dump()}
    write_json(FOLDER / "run.json", about)
    path, text = FOLDER / "scores.csv.gz", table(ours.with_session_recall(ours.load())).encode()
    # The same text may be packed in other bytes by another zlib: then the file stays as it is.
    if not path.exists() or gzip.decompress(path.read_bytes()) != text:
        with replacing(path) as temporary:
            temporary.write_bytes(gzip.compress(text, mtime=0))
    print(f"{path.relative_to(ROOT)}: {len(ARMS)} arms, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    run(main)
