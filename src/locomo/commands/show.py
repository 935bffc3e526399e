"""`locomo show`: answered questions side by side, on a terminal, in a pipe or as JSON."""

import json
import os
import re
import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isnan
from typing import Any

import wcwidth

from locomo.core.errors import LocomoError
from locomo.core.messages import chosen, quoted
from locomo.formats.dataset import REPORT_ORDER, Category, Question, Turn, turns_by_id
from locomo.results.predictions import Answer
from locomo.results.run import AnsweredQuestion, Run, load
from locomo.score.averages import rounded
from locomo.score.measures.recall import found

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_BESIDE = 40
"""How many characters replies and cited turns need beside the figures; with fewer they go below."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `locomo show`."""
    add = parser.add_argument
    add("--category", action="append", help="only this category, by name or number; repeatable")
    add("--sample", action="append", help="only this conversation, such as conv-43; repeatable")
    add("--arm", action="append", help="show this arm; repeatable (default: all)")
    add("--question", default="", metavar="TEXT", help="only questions that hold this text, in any case")
    add(
        "--disagree",
        nargs="*",
        metavar="ARM",
        help="only where two arms differ in score: the two named here, or any two shown",
    )
    add("--n", type=_count, default=3, help="how many questions of each category (default: 3; 0: all)")
    add("--turns", action="store_true", help="also print the cited turns and texts in full")
    add("--json", action="store_true", help="print JSON, for tools")


def run(arguments: Namespace) -> None:
    """Print the questions that the options select. Raises LocomoError if there is none."""
    wanted = Wanted.of(load(), arguments)
    found = wanted.questions()
    shown = {category: rows[: arguments.n or None] for category, rows in found.items()}
    if arguments.json:
        print(json.dumps(_as_json(wanted, found, shown), indent=2))
        return
    # A terminal that cannot write some character shows a question mark in its place.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    page = Page(width(), painter(), arguments.turns)
    for row in (row for rows in shown.values() for row in rows):
        print(*page.question(row, wanted.arms), sep="\n", end="\n\n")
    counts = ", ".join(f"{len(shown[c])} of {len(rows)} {c.numbered}" for c, rows in found.items())
    more = "; --n 0 shows all" if any(len(shown[c]) < len(rows) for c, rows in found.items()) else ""
    print(f"shown: {counts}{more}; a * marks evidence")
    print(f"signature: {wanted.run.signature}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which questions and arms of a run to show."""

    run: Run
    arms: Sequence[str]
    categories: Collection[Category]
    samples: Collection[str]
    text: str
    disagree: Sequence[str]
    """Arms, of which two must differ in score; empty without `--disagree`."""

    @classmethod
    def of(cls, run: Run, arguments: Namespace) -> "Wanted":
        """Check the options. Raises LocomoError that says what is allowed."""
        samples = [conversation.sample_id for conversation in run.conversations]
        pair: list[str] = arguments.disagree or []
        if len(pair) not in (0, 2) or len(set(pair)) < len(pair):
            raise LocomoError("--disagree: takes two different arms, or none to compare all that are shown")
        disagreeing = chosen("--disagree", pair, run.arms)
        arms = chosen("--arm", arguments.arm, run.arms) if arguments.arm else disagreeing
        compared: Sequence[str] = () if arguments.disagree is None else pair or arms
        if len(compared) == 1:
            raise LocomoError(f"--disagree: has only {arms[0]} to compare; show a second arm")
        return cls(
            run,
            arms,
            [_category(name) for name in arguments.category or []] or REPORT_ORDER,
            chosen("--sample", arguments.sample, samples),
            arguments.question.casefold(),
            compared,
        )

    def questions(self) -> dict[Category, list[AnsweredQuestion]]:
        """The questions by category, in the order of the report; only categories that have some."""
        chosen = [row for row in self.run.questions if self._has(row)]
        if not chosen:
            raise LocomoError("no answered question fits these options; leave one out to see more")
        found = {
            category: [row for row in chosen if row.question.category is category]
            for category in REPORT_ORDER
        }
        return {category: rows for category, rows in found.items() if rows}

    def _has(self, row: AnsweredQuestion) -> bool:
        # Rounded, so that the last bit of a float does not count as a difference.
        scores = {rounded(row.scores[arm].values["f1"]) for arm in self.disagree if arm in row.scores}
        return (
            row.question.category in self.categories
            and row.conversation.sample_id in self.samples
            and self.text in row.question.question.casefold()
            and (not self.disagree or len(scores) > 1)
        )


Paint = Callable[[str, str], str]
"""Text and a style of `_STYLES` in, the text in that style out."""


@dataclass(frozen=True, slots=True)
class Page:
    """How a question looks in `width` columns; None is without limit, one line per arm."""

    width: int | None
    paint: Paint
    turns: bool

    def question(self, row: AnsweredQuestion, arms: Sequence[str]) -> Iterator[str]:
        """The lines of one question."""
        question = row.question
        yield self.paint(f"{row.id}  {question.category.numbered}", "dim")
        yield from (self.paint(line, "bold") for line in self._wrap(question.question))
        # The dataset's answer to an adversarial question is the trap.
        yield from self._field(
            "trap" if question.category is Category.ADVERSARIAL else "answer", question.answer or "none"
        )
        turns = turns_by_id(row.conversation)
        for id in question.evidence_ids:
            says = _says(id, turns[id]) if id in turns else "names no turn"
            yield from self._field("evidence", f"{id} {says}")
        if not question.evidence:
            yield from self._field("evidence", "none")
        yield ""
        if lines := [Line.of(row, arm) for arm in arms if arm in row.answers]:
            yield from self._answers(lines)
        for arm in (arm for arm in arms if arm in row.failures):
            said = f"{arm} failed, and is not scored: {row.failures[arm]}"
            yield from (self.paint(f"  {text}", "red") for text in self._wrap(said, 2))
        if self.turns and (cited := list(self._cited(row, arms))):
            yield from ("", *cited)

    def _answers(self, lines: Sequence["Line"]) -> Iterator[str]:
        arm = max(len(line.arm) for line in lines)
        head = f"  {'arm':{arm}}  {'f1':5}  {'conf':4}  "
        reply = max(wcwidth.width(line.reply) for line in lines)
        cited = max(wcwidth.width(line.cited) for line in lines)
        if self.width is not None:
            room = self.width - len(head) - 2
            if room < min(_BESIDE, reply + cited):
                yield from (text for line in lines for text in self._block(line, arm))
                return
            cited = min(cited, max(room // 2, room - reply))
            reply = min(reply, room - cited)
        yield self.paint(f"{head}{'reply':{reply}}  cited", "dim")
        for line in lines:
            figures = f"  {line.arm:{arm}}  {self._score(line)}  {line.confidence:.2f}  "
            cells = zip_longest(_wrap(line.reply, reply), _wrap(line.cited, cited), fillvalue="")
            for index, (said, from_where) in enumerate(cells):
                start = " " * len(head) if index else figures
                yield f"{start}{self._said(line, said, reply)}  {self._coloured(from_where)}".rstrip()

    def _block(self, line: "Line", arm: int) -> Iterator[str]:
        """An answer in lines of its own, if there is no room for a table."""
        yield f"  {line.arm:{arm}}  f1 {self._score(line)}  conf {line.confidence:.2f}"
        yield from (f"    {self._said(line, text)}" for text in self._wrap(line.reply, 4))
        yield from (f"    {self._coloured(text)}" for text in self._wrap(line.cited, 4))

    def _cited(self, row: AnsweredQuestion, arms: Sequence[str]) -> Iterator[str]:
        """What is cited, and by which arms: turns and sessions in order, then texts of a memory's own."""
        cited_by: dict[str, list[str]] = {}
        for arm in (arm for arm in arms if arm in row.answers):
            for cite in dict.fromkeys(row.answers[arm].context):
                cited_by.setdefault(cite, []).append(arm)
        for id, turns in turns_by_id(row.conversation).items():
            if by := cited_by.pop(id, None):
                yield from self._cite(_starred(id, row.question), _says(id, turns), by, arms)
        for text, by in cited_by.items():
            yield from self._cite("text", text, by, arms)

    def _cite(self, id: str, says: str, by: Sequence[str], arms: Sequence[str]) -> Iterator[str]:
        first, *rest = self._wrap(f"{id} {says}", 4)
        yield f"  {self._coloured(id)}{first.removeprefix(id)}"
        yield from (f"    {text}" for text in rest)
        names = ", ".join(by) if len(by) < len(arms) else "all shown"
        yield from (self.paint(f"    {text}", "dim") for text in self._wrap(f"by {names}", 4))

    def _field(self, name: str, text: str) -> Iterator[str]:
        first, *rest = self._wrap(text, 12)
        yield f"{self.paint(f'  {name:8}', 'dim')}  {first}"
        yield from (" " * 12 + line for line in rest)

    def _wrap(self, text: str, indent: int = 0) -> list[str]:
        return _wrap(_plain(text), None if self.width is None else self.width - indent)

    def _score(self, line: "Line") -> str:
        return self.paint(f"{line.f1:.3f}", {0.0: "red", 1.0: "green"}.get(line.f1, "yellow"))

    def _said(self, line: "Line", text: str, width: int = 0) -> str:
        padded = wcwidth.ljust(text, width)
        return self.paint(padded, "dim") if line.abstained else padded

    def _coloured(self, cited: str) -> str:
        return re.sub(r"\S+\*(?!\S)", lambda found: self.paint(found[0], "green"), cited)


@dataclass(frozen=True, slots=True)
class Line:
    """One arm's answer, ready to print."""

    arm: str
    f1: float
    confidence: float
    abstained: bool
    reply: str
    cited: str
    """Ids, best first; those of the evidence have a star. Of texts of a memory's own, the start of each."""

    @classmethod
    def of(cls, row: AnsweredQuestion, arm: str) -> "Line":
        """The answer of an arm to a question."""
        score, answer = row.scores[arm], row.answers[arm]
        texts = _texts(row, answer)
        cited = " ".join(quoted(id) if id in texts else _starred(id, row.question) for id in answer.context)
        reply = _plain(answer.reply)
        f1, abstained = rounded(score.values["f1"]), bool(score.values["abstained"])
        return cls(arm, f1, score.confidence, abstained, reply, cited or "nothing")


def _texts(row: AnsweredQuestion, answer: Answer) -> set[str]:
    """The cites that are texts of a memory's own."""
    return set() if answer.sourced else set(answer.context) - turns_by_id(row.conversation).keys()


def _says(id: str, turns: Sequence[Turn]) -> str:
    """The line of a turn, or the first and the last turn of a session."""
    return turns[0].line if turns[0].id == id else f"{turns[0].id} to {turns[-1].id}"


def _starred(id: str, question: Question) -> str:
    return f"{id}*" if _is_evidence(id, question) else id


def _is_evidence(id: str, question: Question) -> bool:
    """Whether a turn or a session ("S3") is evidence, is in it, or holds it."""
    return any(found([id], question.evidence_ids))


def _wrap(text: str, width: int | None) -> list[str]:
    return wcwidth.wrap(text, max(width, 16), break_on_hyphens=False) if width and text else [text]


def _plain(text: str) -> str:
    """The text on one line, without control characters, which a terminal would obey."""
    return " ".join(_CONTROL.sub(" ", text).split())


def _as_json(
    wanted: Wanted,
    found: dict[Category, list[AnsweredQuestion]],
    shown: dict[Category, list[AnsweredQuestion]],
) -> dict[str, Any]:
    return {
        "signature": wanted.run.signature,
        "found": {category.label: len(rows) for category, rows in found.items()},
        "questions": [question_as_json(row, wanted.arms) for rows in shown.values() for row in rows],
    }


def question_as_json(row: AnsweredQuestion, arms: Sequence[str]) -> dict[str, Any]:
    """A question with the arms' answers.

    The fields of an id that names no turn are null, such as of a session. A text of a memory's own has no id.
    """
    question = row.question
    turns = {turn.id: turn for turn in row.conversation.turns}
    texts = {arm: _texts(row, answer) for arm, answer in row.answers.items()}
    return {
        "id": row.id,
        "sample": row.conversation.sample_id,
        "index": row.question.index,
        "question": question.question,
        "category": question.category.label,
        "category_number": int(question.category),
        "answer": question.answer,
        "evidence": [_turn(id, turns) for id in question.evidence_ids],
        "arms": {
            arm: {"error": row.failures[arm]}
            if arm in row.failures
            else {
                "reply": row.answers[arm].reply,
                "f1": row.scores[arm].values["f1"],
                "recall": None if isnan(recall := row.scores[arm].values["recall"]) else recall,
                "abstained": bool(row.scores[arm].values["abstained"]),
                "confidence": row.scores[arm].confidence,
                "cited": [
                    _turn(id, turns)
                    | ({"id": None, "text": id} if id in texts[arm] else {})
                    | {"evidence": _is_evidence(id, question)}
                    for id in row.answers[arm].context
                ],
            }
            for arm in arms
        },
    }


def _turn(id: str, turns: Mapping[str, Turn]) -> dict[str, Any]:
    """A turn as JSON; its fields are null if the id names no turn."""
    turn = turns.get(id)
    return {
        "id": id,
        "speaker": turn and turn.speaker,
        "date": turn and turn.date.isoformat(timespec="minutes"),
        "text": turn and turn.text,
    }


def _category(name: str) -> Category:
    if category := Category.named(name):
        return category
    allowed = ", ".join(f"{category.label} or {int(category)}" for category in REPORT_ORDER)
    raise LocomoError(f"--category: {name}: no such category; allowed: {allowed}")


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"is {text!r}, expected a whole number, 0 or more")
    return int(text)


def width() -> int | None:
    """The columns of the terminal, or COLUMNS; None in a pipe, where each answer is one line for grep."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return shutil.get_terminal_size().columns
    return None


def painter() -> Paint:
    """Colour on a terminal, unless NO_COLOR is set (no-color.org) or the terminal has none."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return lambda text, style: text
    return lambda text, style: f"\x1b[{_STYLES[style]}m{text}\x1b[0m"
