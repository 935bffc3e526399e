"""The scores of our own arms: of the run in the current folder, or those that come with this package."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from locomo import __version__
from locomo.core import paths
from locomo.core.download import fetch
from locomo.core.errors import LocomoError
from locomo.core.files import digest
from locomo.formats import answer_key, dataset, keys
from locomo.formats.answer_key import AnswerKey
from locomo.formats.dataset import Conversation
from locomo.results import predictions, published
from locomo.results.predictions import Answer, Failure
from locomo.results.provenance import SignedRun, read_signed
from locomo.results.scores import Score, read_scores
from locomo.score.scoring import QuestionScores
from locomo.score.signature import signature
from locomo.submissions.matching import Key
from locomo.submissions.sessions import SESSION_RECALL, session_recall

Scores = dict[str, dict[Key, Score]]
"""By arm, then by question, in the order of the dataset."""

ORACLE = "oracle"
"""Our memory that cites the evidence of a run's own key."""


@dataclass(frozen=True)
class Ours:
    """Our arms' scores, the questions they are over, and the signature of their figures."""

    conversations: Sequence[Conversation]
    """With all questions of the dataset."""
    key: AnswerKey
    """It says which of them count, and how they are scored."""
    scores: Mapping[str, Mapping[Key, Score]]
    """By arm, then by question. A question that an arm failed on has no score."""
    signature: str
    """With `<arm>` in place of an arm's name."""
    where: str
    """What a message calls the place they are from."""


def load(key: str | None = None) -> Ours:
    """The run in the current folder if it has `data/scores.csv`, else the arms that come with this package.

    `key` is `published`, `audited` or the path of a corrected copy of the dataset, by default the key of the
    run. Raises LocomoError if files of the run are missing, damaged, or of different runs, if a file could
    not be downloaded, or if the run cannot be scored by that key.
    """
    return _of_run(key) if paths.SCORES.exists() else _published(keys.PUBLISHED if key is None else key)


def with_session_recall(known: Ours) -> Ours:
    """The same with `session_recall` in `Score.values`, beside the measures; the published arms have it.

    An arm that cites sessions has no other recall then, as `submissions.comparison.scores_of` has it. Raises
    LocomoError if the predictions of the run are missing, damaged, or of another run.
    """
    if not paths.SCORES.exists():
        return known
    answers = _answers()
    questions = {
        (talk.sample_id, question.index): question
        for talk in map(known.key.applied, known.conversations)
        for question in talk.questions
    }
    by_session = {
        arm
        for row in answers.values()
        for arm, answer in row.items()
        if isinstance(answer, Answer) and answer.by_session
    }

    def recalled(score: Score) -> Score:
        place = score.sample, score.question
        answer = answers[place][score.arm]
        assert isinstance(answer, Answer), "a failure has no score"
        recall = session_recall(questions[place], answer.context) if answer.sourced else math.nan
        recalls = {SESSION_RECALL: recall} | ({"recall": math.nan} if score.arm in by_session else {})
        return score._replace(values={**score.values, **recalls})

    scores = {arm: {key: recalled(one) for key, one in own.items()} for arm, own in known.scores.items()}
    return replace(known, scores=scores)


def _of_run(name: str | None) -> Ours:
    signed = read_signed()
    signed.check(paths.DATASET, paths.SCORES)
    conversations = list(dataset.read(paths.DATASET))
    key = answer_key.load()
    if name is not None:
        key = keys.make(name, paths.DATASET, published.run().audit)
    if key.name != signed.provenance.key:
        return _rescored(signed, conversations, key)
    scores: Scores = {}
    for score in read_scores(paths.SCORES):
        scores.setdefault(score.arm, {})[score.sample, score.question] = score
    known = Ours(conversations, key, scores, signed.signature, str(paths.SCORES))
    # Only of an external memory may `recall` be that of sessions, which is never set beside that of turns.
    return with_session_recall(known) if signed.external else known


def _rescored(signed: SignedRun, conversations: Sequence[Conversation], key: AnswerKey) -> Ours:
    """The answers of the run, scored by another key; without arms that were given the run's own key."""
    if signed.provenance.key != keys.PUBLISHED:
        raise LocomoError(
            f"--key: the run in {paths.DATA} has answers only to the questions of the key"
            f" {signed.provenance.key}; run `dvc repro` with answer_key: published first"
        )
    answers = _answers()
    scores: Scores = {arm: {} for arm in signed.signatures if arm.partition("+")[0] != ORACLE}
    for talk in map(key.applied, conversations):
        for question in talk.questions:
            place = talk.sample_id, question.index
            of_question = QuestionScores(question)
            for arm, of_arm in scores.items():
                answer = answers[place][arm]
                if isinstance(answer, Answer):
                    values = of_question.of(answer)
                    of_arm[place] = Score(*place, question.category, arm, values, answer.confidence)
    without = [arm for arm in signed.signatures if arm not in scores]
    where = f"{paths.PREDICTIONS}, scored by this key"
    if without:
        where += f" (without {', '.join(without)}: they cite the evidence of the key {keys.PUBLISHED})"
    template = signature(replace(signed.provenance, key=key.name), "<arm>")
    known = Ours(conversations, key, scores, template, where)
    return with_session_recall(known) if signed.external else known


def _answers() -> dict[Key, Mapping[str, Answer | Failure]]:
    """What the arms of the run answered to each question of its key."""
    read_signed().check(paths.PREDICTIONS)
    answered = dict(predictions.read(paths.PREDICTIONS))
    return {
        (talk.sample_id, question.index): row
        for talk in answer_key.conversations()
        for question, row in zip(talk.questions, answered[talk.sample_id], strict=True)
    }


def _published(name: str) -> Ours:
    run = published.run()
    if paths.DATASET.exists() and digest(paths.DATASET) != run.dataset.sha256:
        raise LocomoError(f"{paths.DATASET}: is another dataset than LoCoMo, without scores; run `dvc repro`")
    path = fetch(run.dataset)
    conversations = list(dataset.read(path))
    key = keys.make(name, path, run.audit)
    if name not in run.signatures:
        where = "no arm of ours: to have them scored by this key, run `make repro` in a clone and score there"
        version, data, *_ = run.signatures[keys.PUBLISHED].split("|")
        return Ours(conversations, key, {}, f"{version}|{data}|key:{key.name}", where)
    scores = published.scores(name, run.arms, conversations)
    where = f"the published arms (locomo-bench {__version__})"
    return Ours(conversations, key, scores, run.signatures[name], where)
