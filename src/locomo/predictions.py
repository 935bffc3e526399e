"""The predictions file, in the official shape, both ways (SPEC 11)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from locomo.dataset import Conversation, Question
from locomo.errors import LocomoError
from locomo.files import replacing

_REPLY = "_prediction"
_CONTEXT = "_prediction_context"
_CONFIDENCE = "_prediction_confidence"


class Answer(NamedTuple):
    """A reply, the ids of the cited turns, best first, and the confidence that they hold the answer."""

    reply: str
    context: list[str]
    confidence: float


def write(path: Path, samples: Iterable[tuple[Conversation, Mapping[str, Sequence[Answer]]]]) -> None:
    """Write each conversation's answers (one list an arm, in the order of its questions) as it comes."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        before = "[\n"
        for conversation, answers in samples:
            rows = zip(*answers.values(), strict=True)
            questions = [
                _fields(question) | _answer_fields(dict(zip(answers, row, strict=True)))
                for question, row in zip(conversation.questions, rows, strict=True)
            ]
            sample = {"sample_id": conversation.sample_id, "qa": questions}
            file.write(before + json.dumps(sample, ensure_ascii=False, separators=(",", ":")))
            before = ",\n"
        file.write("\n]\n")


def read(path: Path) -> Iterator[tuple[str, list[dict[str, Answer]]]]:
    """Each sample's id and its answers by arm, question by question.

    Raises LocomoError if the file is not there or is none.
    """
    try:
        samples = json.loads(path.read_bytes())
        for sample in samples:
            yield sample["sample_id"], [_answers(question) for question in sample["qa"]]
    except FileNotFoundError as error:
        raise LocomoError(f"{path}: is not there; `dvc repro answer` makes it") from error
    except (ValueError, KeyError, TypeError) as error:
        raise LocomoError(
            f"{path}: is no predictions file ({error!r}); `dvc repro answer` makes one"
        ) from error


def _fields(question: Question) -> dict[str, Any]:
    return {
        "question": question.question,
        "answer": question.answer,
        "category": int(question.category),
        "evidence": list(question.evidence),
    }


def _answer_fields(answers: Mapping[str, Answer]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for arm, answer in answers.items():
        row[arm + _REPLY] = answer.reply
        row[arm + _CONTEXT] = answer.context
        row[arm + _CONFIDENCE] = answer.confidence
    return row


def _answers(question: dict[str, Any]) -> dict[str, Answer]:
    arms = [key.removesuffix(_REPLY) for key in question if key.endswith(_REPLY)]
    return {
        arm: Answer(question[arm + _REPLY], question[arm + _CONTEXT], question[arm + _CONFIDENCE])
        for arm in arms
    }
