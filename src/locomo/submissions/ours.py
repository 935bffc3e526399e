"""The scores of our own arms: of the run in the current folder, or those that come with this package.

The package has them in the folder `published`, written by `scripts/published.py`. `run.json` has the
signature, the names of the arms, and where the dataset comes from. `scores.csv.gz` has a row for each
question, and a column for each measure and the arms that share it, such as `recall graph graph+set`.
"""

import csv
import gzip
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from locomo import __version__
from locomo.core import paths
from locomo.core.download import Pinned, fetch
from locomo.core.errors import LocomoError
from locomo.core.files import digest
from locomo.formats import dataset
from locomo.formats.dataset import Conversation
from locomo.results import predictions
from locomo.results.predictions import Answer
from locomo.results.provenance import read_signed
from locomo.results.scores import Score, read_scores
from locomo.submissions.matching import Key
from locomo.submissions.sessions import SESSION_RECALL, session_recall

Scores = dict[str, dict[Key, Score]]
"""By arm, then by question, in the order of the dataset."""


@dataclass(frozen=True)
class Ours:
    """Our arms' scores, the questions they are over, and the signature of their figures."""

    conversations: Sequence[Conversation]
    scores: Mapping[str, Mapping[Key, Score]]
    """By arm, then by question. A question that an arm failed on has no score."""
    signature: str
    """With `<arm>` in place of an arm's name."""
    where: str
    """What a message calls the place they are from."""


def load() -> Ours:
    """The run in the current folder if it has `data/scores.csv`, else the arms that come with this package.

    Raises LocomoError if files of the run are missing, damaged, or of different runs, or if the dataset could
    not be downloaded.
    """
    return _of_run() if paths.SCORES.exists() else _published()


def with_session_recall(known: Ours) -> Ours:
    """The same with `session_recall` in `Score.values`, beside the measures; the published arms have it.

    An arm that cites sessions has no other recall then, as `submissions.comparison.scores_of` has it. Raises
    LocomoError if the predictions of the run are missing, damaged, or of another run.
    """
    if known.where != str(paths.SCORES):
        return known
    read_signed().check(paths.PREDICTIONS)
    answers = dict(predictions.read(paths.PREDICTIONS))
    questions = {talk.sample_id: talk.questions for talk in known.conversations}
    by_session = {
        arm
        for rows in answers.values()
        for row in rows
        for arm, answer in row.items()
        if isinstance(answer, Answer) and answer.by_session
    }

    def recalled(score: Score) -> Score:
        answer = answers[score.sample][score.question][score.arm]
        assert isinstance(answer, Answer), "a failure has no score"
        question = questions[score.sample][score.question]
        recall = session_recall(question, answer.context) if answer.sourced else math.nan
        recalls = {SESSION_RECALL: recall} | ({"recall": math.nan} if score.arm in by_session else {})
        return score._replace(values={**score.values, **recalls})

    scores = {arm: {key: recalled(one) for key, one in own.items()} for arm, own in known.scores.items()}
    return replace(known, scores=scores)


def _of_run() -> Ours:
    signed = read_signed()
    signed.check(paths.DATASET, paths.SCORES)
    scores: Scores = {}
    for score in read_scores(paths.SCORES):
        scores.setdefault(score.arm, {})[score.sample, score.question] = score
    known = Ours(list(dataset.read(paths.DATASET)), scores, signed.signature, str(paths.SCORES))
    # Only of an external memory may `recall` be that of sessions, which is never set beside that of turns.
    return with_session_recall(known) if signed.external else known


_PUBLISHED = files("locomo") / "published"


def _published() -> Ours:
    run = json.loads(_PUBLISHED.joinpath("run.json").read_bytes())
    pinned = Pinned(**run["dataset"])
    if paths.DATASET.exists() and digest(paths.DATASET) != pinned.sha256:
        raise LocomoError(f"{paths.DATASET}: is another dataset than LoCoMo, without scores; run `dvc repro`")
    conversations = list(dataset.read(fetch(pinned)))
    questions = {c.sample_id: c.questions for c in conversations}
    scores: Scores = {arm: {} for arm in run["arms"]}
    text = gzip.decompress(_PUBLISHED.joinpath("scores.csv.gz").read_bytes()).decode()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    columns = [name.split() for name in header[2:]]
    for sample, index, *cells in rows:
        key = sample, int(index)
        category = questions[sample][key[1]].category
        values: dict[str, dict[str, float]] = {arm: {} for arm in scores}
        for (measure, *arms), cell in zip(columns, cells, strict=True):
            value = float(cell)
            for arm in arms:
                values[arm][measure] = value
        for arm, of_arm in values.items():
            confidence = of_arm.pop("confidence")
            scores[arm][key] = Score(*key, category, arm, of_arm, confidence)
    return Ours(conversations, scores, run["signature"], f"the published arms (locomo-bench {__version__})")
