"""Answers of other systems, short to write: in memory, as files, and what `locomo score` says of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.talks import talk
from locomo.cli import main
from locomo.formats.dataset import Category, Conversation, Question
from locomo.submissions.diagnosis import remarks
from locomo.submissions.matching import Matched, match
from locomo.submissions.reading import Given

Record = dict[str, Any]

SINGLE, MULTI, TEMPORAL, ADVERSARIAL = (
    Category.SINGLE_HOP,
    Category.MULTI_HOP,
    Category.TEMPORAL,
    Category.ADVERSARIAL,
)


# ---- in memory


def asked(*questions: tuple[str, Category], answer: str = "x") -> Conversation:
    """The conversation `talk` with turns D1:1 and D1:2, and these questions about the first of them."""
    return talk(
        "Ada: Tea.",
        "Bob: Yes.",
        questions=[Question(text, answer, kind, ("D1:1",)) for text, kind in questions],
    )


def given(
    question: str, category: Category | None = None, reply: str = "No information available", **others: Any
) -> Given:
    """An answer of the system `mine` about `talk` that cites D1:1."""
    fields = {
        "place": "here",
        "arm": "mine",
        "sample": "talk",
        "position": None,
        "failure": "",
        "context": ["D1:1"],
    }
    return Given(question=question, category=category, reply=reply, **(fields | others))


def matched(conversation: Conversation, *answers: Given) -> Matched:
    """The answers of the one system there is."""
    (one,) = match(answers, [conversation])
    return one


def about(one: Matched, words: str) -> str:
    """The one remark that has these words."""
    (remark,) = (remark for remark in remarks(one) if words in remark)
    return remark


# ---- as files


def as_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def as_lines(path: Path, records: list[Record]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


# ---- `locomo score`


def printed(capsys: pytest.CaptureFixture[str], *options: object) -> str:
    main(["score", *map(str, options)])
    return capsys.readouterr().out


def found(capsys: pytest.CaptureFixture[str], *options: object) -> Any:
    """The one comparison of a file."""
    (comparison,) = json.loads(printed(capsys, "--json", *options))["comparisons"]
    return comparison


def refused(capsys: pytest.CaptureFixture[str], *options: object) -> str:
    with pytest.raises(SystemExit) as stop:
        main(["score", *map(str, options)])
    assert capsys.readouterr().out == ""
    return str(stop.value)
