"""Write what the package ships of the default run in this folder: `src/locomo/published`.

`locomo score` compares with it where there is no run. The report shows from it what the faults of the answer
key are worth. It holds no text of the dataset. `make published` runs this; `results/published.py` reads it
and says what is in it.
"""

import csv
import gzip
import io
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo import __version__
from locomo.answer.arms import ARMS
from locomo.answer.asking import answer
from locomo.core import paths, settings
from locomo.core.errors import LocomoError, run
from locomo.core.files import replacing, write_json
from locomo.formats import keys
from locomo.formats.answer_key import AnswerKey
from locomo.formats.store import read_built
from locomo.reader.base import ReaderSettings
from locomo.results.predictions import Answer
from locomo.results.provenance import SETTINGS, Provenance, read_signed
from locomo.results.published import RUN, TABLE
from locomo.score.scoring import QuestionScores
from locomo.score.signature import signature
from locomo.submissions.matching import Key
from locomo.submissions.sessions import SESSION_RECALL, session_recall

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src" / "locomo" / "published"

Values = Mapping[str, float]
"""Of an answer: every measure, recall by session, and the confidence."""


def scored(key: AnswerKey, reading: ReaderSettings) -> Iterator[tuple[Key, dict[str, Values]]]:
    """Each question of a key, and the values of every arm's answer to it."""
    for talk, store in read_built():
        judged = key.applied(talk)
        answers = answer(judged, store, ARMS, reading)
        for place, question in enumerate(judged.questions):
            scores = QuestionScores(question)
            given = {arm: of_arm[place] for arm, of_arm in answers.items()}
            yield (
                (judged.sample_id, question.index),
                {
                    arm: {
                        **scores.of(one),
                        SESSION_RECALL: session_recall(question, one.context),
                        "confidence": one.confidence,
                    }
                    for arm, one in given.items()
                    if isinstance(one, Answer)
                },
            )


def columns(rows: Mapping[Key, Mapping[str, Values]]) -> Iterator[list[object]]:
    """The columns of the table: of the questions, then of each measure. Arms with equal columns share one."""
    yield ["sample", *(sample for sample, _ in rows)]
    yield ["question", *(index for _, index in rows)]
    shared: dict[tuple[str, ...], list[str]] = {}
    for arm in ARMS:
        of_arm = [values[arm] for values in rows.values()]
        for measure in of_arm[0]:
            shared.setdefault((measure, *(repr(values[measure]) for values in of_arm)), []).append(arm)
    for (measure, *cells), arms in shared.items():
        yield [" ".join([measure, *arms]), *cells]


def write(path: Path, rows: Mapping[Key, Mapping[str, Values]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(zip(*columns(rows), strict=True))
    content = text.getvalue().encode()
    # The same text may be packed in other bytes by another zlib: then the file stays as it is.
    if not path.exists() or gzip.decompress(path.read_bytes()) != content:
        with replacing(path) as temporary:
            temporary.write_bytes(gzip.compress(content, mtime=0))
    print(
        f"{path.relative_to(ROOT)}: {len(ARMS)} arms, {len(rows):,} questions, {path.stat().st_size:,} bytes"
    )


def main() -> None:
    os.chdir(ROOT)
    chosen, signed = settings.load(), read_signed()
    if not isinstance(chosen.dataset, settings.PinnedDataset):
        raise LocomoError(
            f"{paths.PARAMS}: dataset.file is set; the package ships the scores of LoCoMo itself"
        )
    values = {name: getattr(chosen, name) for name in SETTINGS}
    default = Provenance(__version__, chosen.dataset.sha256, keys.PUBLISHED, values)
    if signed.signatures != {arm: signature(default, arm) for arm in ARMS}:
        raise LocomoError(
            f"{paths.SIGNATURES}: is not of a run of all our arms with the settings of {paths.PARAMS};"
            " bring those back (`make restore`) and run `make repro`"
        )
    signed.check(paths.DATASET, paths.PREDICTIONS, paths.SCORES)
    audit = chosen.audit.pinned(keys.FOLDER)
    made = {name: keys.make(name, paths.DATASET, audit) for name in (keys.PUBLISHED, keys.AUDITED)}
    about = {
        "arms": list(ARMS),
        "dataset": chosen.dataset.model_dump(),
        "audit": chosen.audit.model_dump() | {"folder": keys.FOLDER},
        "notes": {name: key.notes for name, key in made.items()},
        "signatures": {
            name: signature(replace(default, key=key.name), "<arm>") for name, key in made.items()
        },
    }
    write_json(FOLDER / RUN, about)
    for name, key in made.items():
        write(FOLDER / TABLE.format(name), dict(scored(key, ReaderSettings.of(chosen))))


if __name__ == "__main__":
    run(main)
