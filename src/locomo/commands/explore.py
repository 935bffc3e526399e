"""`locomo explore`: all answered questions as one page to filter, search and read offline."""

import locomo.core.pipeline  # noqa: F401

# isort: split
import base64
import hashlib
import json
import webbrowser
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from itertools import groupby
from math import isnan
from typing import Any

from jinja2 import Environment, StrictUndefined

from locomo.core import paths
from locomo.core.files import write_text
from locomo.formats.dataset import MONTHS, REPORT_ORDER, Category, Conversation, turns_by_id
from locomo.results.run import AnsweredQuestion, Run, load
from locomo.score.averages import rounded

Cite = int | tuple[str, int, int] | str
"""The place of a turn; a session with the places of its first and last turn; a text of a memory's own."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `locomo explore`."""
    parser.add_argument("--open", action="store_true", help="open the page in the browser")


def run(arguments: Namespace) -> None:
    """Write the page from the run in the current folder, and say where it is."""
    answered = load()
    write_text(paths.EXPLORER, render(answered))
    address = paths.EXPLORER.resolve().as_uri()
    size = paths.EXPLORER.stat().st_size / 1e6
    print(
        f"{paths.EXPLORER}: {len(answered.questions):,} questions, {len(answered.arms)} arms, {size:.1f} MB"
    )
    print("It quotes the dataset: keep it out of git.")
    print(f"Open {address}")
    if arguments.open and not webbrowser.open(address):
        print("No browser could be started; open this address yourself.")


def render(run: Run) -> str:
    """The whole page: it loads no other file, and nothing in the data can act as HTML or script."""
    parts = files("locomo.commands") / "explorer"
    template, style, script = (
        (parts / name).read_text(encoding="utf-8") for name in ("page.html.j2", "page.css", "page.js")
    )
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    return environment.from_string(template).render(
        style=style,
        signature=run.signature,
        script=script,
        # The page's own script is the only one that the browser may run.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=_embedded(payload(run)),
    )


def payload(run: Run) -> dict[str, Any]:
    """What the page knows, as JSON.

    A question's `evidence` has each id with its `Cite`, or null if it names no turn and no session. Its
    `answers` are in the order of `arms`: the place of the reply in `replies`, F1, recall, confidence, 1 if it
    abstained, and the place of the cites in the question's `cited`. Each of these lists has a `Cite` for each
    id or text. Arms often reply and cite alike, so each reply and each list is written
    once. A recall that is not available is null. An arm that failed has the error of its memory, as text, in
    place of an answer.
    """
    replies: dict[str, int] = {}
    asked = {
        sample: list(rows) for sample, rows in groupby(run.questions, lambda row: row.conversation.sample_id)
    }
    conversations = []
    for conversation in run.conversations:
        cites = _cites(conversation)
        rows = asked.get(conversation.sample_id, [])
        questions = [_question(row, run.arms, replies, cites) for row in rows]
        conversations.append(_conversation(conversation) | {"questions": questions})
    return {
        "categories": [[int(category), category.label.replace("_", " ")] for category in REPORT_ORDER],
        "adversarial": int(Category.ADVERSARIAL),
        "arms": run.arms,
        "replies": list(replies),
        "conversations": conversations,
    }


def _conversation(conversation: Conversation) -> dict[str, Any]:
    """Its speakers, session dates, and turns: id, place of the speaker, place of the session, text."""
    speakers = list(dict.fromkeys(turn.speaker for turn in conversation.turns))
    sessions = list(dict.fromkeys(turn.date for turn in conversation.turns))
    return {
        "id": conversation.sample_id,
        "speakers": speakers,
        "sessions": [_date(date) for date in sessions],
        "turns": [
            [turn.id, speakers.index(turn.speaker), sessions.index(turn.date), turn.text]
            for turn in conversation.turns
        ],
    }


def _cites(conversation: Conversation) -> dict[str, Cite]:
    """What the page has in place of each id that may be cited."""
    places = {turn.id: place for place, turn in enumerate(conversation.turns)}
    return {
        id: places.get(id, (id, places[turns[0].id], places[turns[-1].id]))
        for id, turns in turns_by_id(conversation).items()
    }


def _question(
    row: AnsweredQuestion, arms: Sequence[str], replies: dict[str, int], cites: Mapping[str, Cite]
) -> dict[str, Any]:
    """The question and its answers; adds new replies to `replies`."""
    question = row.question
    cited: dict[tuple[Cite, ...], int] = {}
    answers: list[list[Any] | str] = []
    for arm in arms:
        if arm in row.failures:
            answers.append(row.failures[arm])
            continue
        score, answer = row.scores[arm], row.answers[arm]
        context = tuple(cites.get(id, id) for id in answer.context)
        answers.append(
            [
                replies.setdefault(answer.reply, len(replies)),
                # Rounded, so that the last bit of a float does not count as a difference.
                rounded(score.values["f1"]),
                None if isnan(recall := score.values["recall"]) else rounded(recall),
                rounded(score.confidence),
                int(score.values["abstained"]),
                cited.setdefault(context, len(cited)),
            ]
        )
    return {
        "index": row.question.index,
        "question": question.question,
        "answer": question.answer,
        "category": int(question.category),
        "evidence": [[id, cites.get(id)] for id in question.evidence_ids],
        "cited": list(cited),
        "answers": answers,
    }


def _date(date: datetime) -> str:
    half = "am" if date.hour < 12 else "pm"
    time = f"{date.hour % 12 or 12}:{date.minute:02} {half}"
    return f"{date.day} {MONTHS[date.month - 1]}, {date.year}, {time}"


def _embedded(value: object) -> str:
    """JSON for a script element: without `<`, no text can end the element or open a comment."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
