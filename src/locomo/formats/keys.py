"""Where an answer key comes from: the dataset, the public audit of LoCoMo, or a corrected copy.

The audit is github.com/dial481/locomo-audit, which names the faults of the dataset's key by question.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from locomo.core.download import Pinned, fetch
from locomo.core.errors import LocomoError
from locomo.core.files import digest
from locomo.core.json_input import Fault, each, expect, field, parse, text_of
from locomo.formats import dataset
from locomo.formats.answer_key import AnswerKey, Change
from locomo.formats.dataset import Conversation, Question, turns_by_id

PUBLISHED = "published"
AUDITED = "audited"
FOLDER = "audit"
"""The folder of a cache in which the audit is."""


def make(name: str, path: Path, audit: Pinned) -> AnswerKey:
    """The key of the dataset at `path`: `published`, `audited`, or the path of a corrected copy.

    Raises LocomoError as `audited`, `of_file` and `fetch` do.
    """
    if name == PUBLISHED:
        return AnswerKey(PUBLISHED, digest(path))
    return audited(fetch(audit), path) if name == AUDITED else of_file(Path(name), path)


def audited(audit: Path, path: Path) -> AnswerKey:
    """The key of the dataset at `path`, corrected by the audit.

    Wrong citations get the evidence that the audit gives. Questions with a wrong answer are left out. Other
    evidence is repaired if it names no turn only because of how it is written ("D8:6; D9:17", "D30:05").
    Raises LocomoError if the audit is of another dataset.
    """
    whole = list(dataset.read(path))
    try:
        records = expect(parse(audit), list)
        faults = list(each(records, lambda record: _fault(record, whole), "fault", "question_id"))
    except Fault as fault:
        raise LocomoError(f"{audit}: {fault}; the key {AUDITED} is for LoCoMo itself") from None
    changes: dict[str, dict[int, Change]] = {}
    for sample, index, change in faults:
        changes.setdefault(sample, {})[index] = change
    repaired = 0
    for conversation in whole:
        known = changes.setdefault(conversation.sample_id, {})
        turns = frozenset(turn.id for turn in conversation.turns)
        for question in conversation.questions:
            evidence = _repaired(question, turns)
            if question.index not in known and evidence != question.evidence_ids:
                known[question.index] = {"evidence": evidence}
                repaired += 1
    corrected = sum(change is not None for _, _, change in faults)
    notes = {
        "questions with a wrong answer left out": len(faults) - corrected,
        "with corrected evidence": corrected,
        "with repaired evidence": repaired,
    }
    name = f"{AUDITED}@{digest(audit)[:12]}"
    return AnswerKey.of(name, digest(path), whole, changes, notes)


def of_file(corrected: Path, path: Path) -> AnswerKey:
    """A key in a corrected copy of the dataset at `path`: a file in its format.

    Its questions are matched by conversation and text. Those that it doesn't have are left out. Raises
    LocomoError if it cannot be read, or if it has no question of the dataset.
    """
    if not corrected.is_file():
        raise LocomoError(f"{corrected}: is no file; a key is {PUBLISHED}, {AUDITED} or a file")
    of_sample = {one.sample_id: list(one.questions) for one in dataset.read(corrected)}
    whole = list(dataset.read(path))
    changes: dict[str, dict[int, Change]] = {}
    matched, copies = 0, 0
    for conversation in whole:
        corrections = of_sample.get(conversation.sample_id, [])
        found = _match(conversation.questions, corrections)
        matched += sum(one is not None for one in found)
        texts = {dataset.folded(question.question) for question in conversation.questions}
        copies += sum(dataset.folded(one.question) in texts for one in corrections)
        changes[conversation.sample_id] = {
            question.index: None if one is None else _difference(question, one)
            for question, one in zip(conversation.questions, found, strict=True)
            if one is None or _difference(question, one)
        }
    if not matched:
        raise LocomoError(f"{corrected}: has no question of {path}, so that it is no key to it")
    every = [change for of_one in changes.values() for change in of_one.values()]
    notes = {
        "questions that it does not have left out": every.count(None),
        "questions only in it": sum(map(len, of_sample.values())) - copies,
        "more copies of a question in it left out": copies - matched,
        **{
            f"with {what}": sum(change is not None and name in change for change in every)
            for name, what in _CHANGED.items()
        },
    }
    notes["with evidence that names no turn"] = sum(
        not turns_by_id(talk).keys() >= set(question.evidence_ids)
        for talk in map(AnswerKey("", "", changes).applied, whole)
        for question in talk.questions
    )
    sha256 = digest(corrected)
    return AnswerKey.of(f"file@{sha256[:12]}", digest(path), whole, changes, notes)


_ID = re.compile(r"locomo_([0-9]+)_qa([0-9]+)")
"""The places, from 0, of a conversation and of a question in it."""
_WRONG_CITATION = "WRONG_CITATION"
"""The kind of a fault in the evidence; all other kinds are wrong answers."""
_TURN = re.compile(r"D:?([0-9]+):0*([0-9]+)")
_CHANGED = {"answer": "another answer", "category": "another category", "evidence": "other evidence"}
"""What a corrected copy may change of a question."""


def _fault(record: dict[str, Any], whole: Sequence[Conversation]) -> tuple[str, int, Change]:
    """The sample id and the place of a question, and what the audit changes of it."""
    id = _ID.fullmatch(text_of(record, "question_id"))
    place, index = map(int, id.groups()) if id else (-1, -1)
    conversation = whole[place] if 0 <= place < len(whole) else None
    asked = conversation.questions if conversation else ()
    if not conversation or index >= len(asked) or asked[index].question != record.get("question"):
        raise Fault("is of no question of this dataset")
    if record.get("error_type") != _WRONG_CITATION:
        return conversation.sample_id, index, None
    evidence = tuple(expect(one, str) for one in field(record, "correct_evidence", list))
    return conversation.sample_id, index, {"evidence": evidence}


def _repaired(question: Question, turns: frozenset[str]) -> tuple[str, ...]:
    """The evidence, with the turns that a malformed id is about in its place; other ids stay."""
    found: list[str] = []
    for id in question.evidence_ids:
        ids = [f"D{session}:{turn}" for session, turn in _TURN.findall(id)]
        found += ids if id not in turns and ids and turns.issuperset(ids) else [id]
    return tuple(found)


def _difference(question: Question, corrected: Question) -> dict[str, Any]:
    return {
        name: getattr(corrected, name)
        for name in _CHANGED
        if getattr(corrected, name) != getattr(question, name)
    }


def _match(asked: Iterable[Question], corrected: Iterable[Question]) -> list[Question | None]:
    """The corrected question of each one asked: of its text, first with its category and answer."""
    by_text: dict[str, list[Question]] = {}
    for one in corrected:
        by_text.setdefault(dataset.folded(one.question), []).append(one)
    asked = list(asked)
    found: list[Question | None] = [None] * len(asked)
    for same in (("category", "answer"), ("category",), ()):
        for place, question in enumerate(asked):
            some = by_text.get(dataset.folded(question.question), [])
            known = [getattr(question, name) for name in same]
            fitting = [one for one in some if [getattr(one, name) for name in same] == known]
            if found[place] is None and fitting:
                found[place] = fitting[0]
                some.remove(fitting[0])
    return found
