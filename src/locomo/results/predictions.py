"""Reading and writing the predictions file, in the official shape (SPEC 11)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from locomo.core.errors import LocomoError, made_by
from locomo.core.files import replacing
from locomo.core.json_input import stream
from locomo.formats.dataset import Conversation, Question
from locomo.results.provenance import Provenance

_REPLY = "_prediction"
_CONTEXT = "_prediction_context"
_TEXTS = "_prediction_texts"
_CONFIDENCE = "_prediction_confidence"
_ERROR = "_prediction_error"
_MEMORIES = "memories"
_RUN = "run"

T = TypeVar("T")


class Texts(list[str]):
    """What is cited, in place of a list of ids, if texts of the memory's own are among it."""


class Answer(NamedTuple):
    """A reply, the ids of the cited turns or sessions (or `Texts`), best first, and the confidence in it."""

    reply: str
    context: list[str]
    confidence: float

    @property
    def sourced(self) -> bool:
        """Whether all that is cited was said in the conversation, so that there is a recall."""
        return not isinstance(self.context, Texts)

    @property
    def by_session(self) -> bool:
        """Whether sessions ("S3") are cited, and no turns."""
        return self.sourced and any(id.startswith("S") for id in self.context)


class Failure(NamedTuple):
    """The error that a memory raised. It is not a wrong answer, and counts in no mean."""

    error: str


class Origin(NamedTuple):
    """The external memory of an arm: its file or package, its hash, and what it declares."""

    where: str
    version: str
    """Of the package; empty for a file."""
    sha256: str
    partial: bool
    """Whether it cites only what it finds, so that it may give fewer than k cites."""


def as_sample(
    conversation: Conversation,
    answers: Mapping[str, Sequence[Answer | Failure]],
    provenance: Provenance,
    origins: Mapping[str, Origin] | None = None,
) -> str:
    """A conversation's answers (one list per arm, in the order of its questions) as JSON, on one line.

    The official scorer reads only `qa`. `origins` are those of external memories, by name.
    """
    questions = [
        _fields(question) | _answer_fields(row)
        for question, row in zip(conversation.questions, by_question(answers), strict=True)
    ]
    sample: dict[str, Any] = {"sample_id": conversation.sample_id, _RUN: provenance.as_json()}
    sample["qa"] = questions
    if origins:
        sample[_MEMORIES] = {name: origin._asdict() for name, origin in origins.items()}
    return json.dumps(sample, ensure_ascii=False, separators=(",", ":"))


def write(path: Path, samples: Iterable[str]) -> None:
    """Write samples from `as_sample`, one at a time."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        before = "[\n"
        for sample in samples:
            file.write(before + sample)
            before = ",\n"
        file.write("\n]\n")


def by_question(answers: Mapping[str, Sequence[T]]) -> list[dict[str, T]]:
    """The transpose of lists of answers by arm: for each question, the answer of every arm."""
    return [dict(zip(answers, row, strict=True)) for row in zip(*answers.values(), strict=True)]


def read(path: Path) -> Iterator[tuple[str, list[dict[str, Answer | Failure]]]]:
    """Each sample's id and its answers by arm, question by question.

    Raises LocomoError if the file is missing or damaged, or if its samples are of different runs.
    """
    with made_by("answer", path):
        first = None
        for sample in stream(path):
            provenance = Provenance.of_json(sample.get(_RUN), path)
            if provenance != (first := first or provenance):
                raise LocomoError(f"{path}: holds predictions of different runs")
            arms = _arms(sample["qa"][0]) if sample["qa"] else []
            yield sample["sample_id"], [_answers(question, arms) for question in sample["qa"]]


def read_provenance(path: Path) -> Provenance:
    """What the predictions in a file of ours were made with; `read` checks that all samples say the same.

    Raises LocomoError if the file is missing or damaged, or does not say it.
    """
    with made_by("answer", path):
        first: dict[str, Any] = next(stream(path), {})
        return Provenance.of_json(first.get(_RUN), path)


def read_origins(path: Path) -> dict[str, Origin]:
    """The external memories in a predictions file of ours, by name; all samples have the same."""
    with made_by("answer", path):
        first: dict[str, Any] = next(stream(path), {})
        return {name: Origin(**origin) for name, origin in first.get(_MEMORIES, {}).items()}


def _fields(question: Question) -> dict[str, Any]:
    return {
        "question": question.question,
        "answer": question.answer,
        "category": int(question.category),
        "evidence": list(question.evidence),
    }


def _answer_fields(answers: Mapping[str, Answer | Failure]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for arm, answer in answers.items():
        if isinstance(answer, Failure):
            row |= {arm + _REPLY: None, arm + _CONTEXT: None, arm + _CONFIDENCE: None}
            row[arm + _ERROR] = answer.error
            continue
        row[arm + _REPLY] = answer.reply
        # The official scorer takes what it finds under `_context` for ids, and computes the recall from it.
        row[arm + (_CONTEXT if answer.sourced else _TEXTS)] = answer.context
        row[arm + _CONFIDENCE] = answer.confidence
    return row


def _arms(record: dict[str, Any]) -> list[str]:
    return [key.removesuffix(_REPLY) for key in record if key.endswith(_REPLY)]


def _answers(question: dict[str, Any], arms: Sequence[str]) -> dict[str, Answer | Failure]:
    return {arm: _answer(question, arm) for arm in arms}


def _answer(question: dict[str, Any], arm: str) -> Answer | Failure:
    reply = question[arm + _REPLY]
    if reply is None:
        return Failure(question[arm + _ERROR])
    texts = question.get(arm + _TEXTS)
    context = question[arm + _CONTEXT] if texts is None else Texts(texts)
    return Answer(reply, context, question[arm + _CONFIDENCE])
