"""Answers of other systems matched to the questions of the dataset.

The key is the conversation and the question, without quote characters and differences in case and white
space. The place that a file gives, the category, then the order in the file tell duplicate questions apart.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from locomo.core.errors import LocomoError
from locomo.core.messages import some
from locomo.formats.answer_key import AnswerKey
from locomo.formats.dataset import Conversation, Question, folded
from locomo.submissions.cites import Cites, KnownIds
from locomo.submissions.reading import Given

Key = tuple[str, int]
"""A question: its conversation, and its place there from 0."""


@dataclass(frozen=True)
class Matched:
    """One system's answers by question, and those that match no question."""

    arm: str
    questions: Mapping[Key, Question]
    """All questions that count, in the order of the dataset."""
    ids: Mapping[str, KnownIds]
    """The ids of each conversation's turns and sessions."""
    answers: Mapping[Key, Sequence[Given]]
    """Each question's answers, in the order of the file: several, if the file has several runs."""
    elsewhere: Sequence[Given] = ()
    """Answers about a conversation that the dataset doesn't have."""
    unknown: Sequence[Given] = ()
    """Answers to a question that the conversation doesn't have."""
    samples: Mapping[str, str] = field(default_factory=dict)
    """The sample id of each name that the file has for a conversation."""
    called: str = ""
    """The name that the file has for the system, if it is shown under another."""
    left_out: Sequence[Given] = ()
    """Answers to a question that the answer key leaves out."""
    judge: str = "dataset"
    """What says how the questions are scored: the dataset, or an answer key in its place."""

    @cached_property
    def scored(self) -> dict[Key, list[Given]]:
        """The answers that did not fail, in the order of the dataset."""
        given = {key: [one for one in self.answers.get(key, ()) if not one.failure] for key in self.questions}
        return {key: answers for key, answers in given.items() if answers}

    @cached_property
    def failed(self) -> dict[Key, Given]:
        """The questions of which every answer failed, and the first failure; they are not wrong answers."""
        return {key: answers[0] for key, answers in self.answers.items() if key not in self.scored}

    def failed_runs(self, key: Key) -> int:
        """How many runs have only failed answers to a question; unnamed runs are calls made again."""
        scored = {one.run for one in self.scored[key]}
        return len({one.run for one in self.answers[key] if one.failure and one.run not in scored})

    @cached_property
    def missing(self) -> list[Key]:
        """The questions that the file doesn't answer."""
        return [key for key in self.questions if key not in self.answers]

    @cached_property
    def all_scored(self) -> list[tuple[Key, Given]]:
        """Every answer that did not fail, with its question."""
        return [(key, one) for key, answers in self.scored.items() for one in answers]

    def cited(self, one: Given) -> Cites | None:
        """What one of the answers cites; None if the file doesn't say."""
        return self._read.get(id(one))

    @cached_property
    def _read(self) -> dict[int, Cites]:
        """What each answer cites, by its identity: an answer holds lists, so it can be no key."""
        return {
            id(one): self.ids[key[0]].read(one.context)
            for key, answers in self.answers.items()
            for one in answers
            if one.context is not None
        }

    @cached_property
    def _cites(self) -> list[tuple[Key, Cites]]:
        cited = ((key, self.cited(one)) for key, one in self.all_scored)
        return [(key, cites) for key, cites in cited if cites is not None]

    @cached_property
    def cites(self) -> bool:
        """Whether any cited id names a turn or a session; if none does, the system kept no such ids.

        A run of ours keeps them, and says `[]` where nothing is cited.
        """
        known = any(id in self.ids[key[0]] for key, cites in self._cites for id in cites.ids)
        return known or any(one.own for _, one in self.all_scored)

    @cached_property
    def by_session(self) -> bool:
        """Whether sessions are cited anywhere; recall is then of sessions, everywhere."""
        return any(
            not cites.unread and any(id in self.ids[key[0]] for id in cites.sessions)
            for key, cites in self._cites
        )

    def recalled(self, one: Given) -> list[str] | None:
        """The ids that recall of an answer is computed from; None if the file has none that can be read."""
        cites = self.cited(one) if self.cites else None
        if cites is None or cites.unread or (cites.sessions and not self.by_session):
            return None
        return cites.ids

    @cached_property
    def runs(self) -> list[dict[Key, Given]]:
        """The answers of each run, if there are several and each has all questions that are scored."""
        runs: dict[str, dict[Key, Given]] = {}
        for key in self.scored:
            for index, one in enumerate(self.answers[key]):
                if not one.failure:
                    runs.setdefault(one.run or f"#{index}", {})[key] = one
        complete = len(runs) > 1 and all(len(run) == len(self.scored) for run in runs.values())
        return list(runs.values()) if complete else []


def match(
    given: Iterable[Given],
    conversations: Sequence[Conversation],
    samples: Mapping[str, str] | None = None,
    key: AnswerKey | None = None,
) -> list[Matched]:
    """Match each system's answers, in the order in which the file names the systems.

    `samples` are sample ids by the name that the file has for a conversation; other names are found out. With
    a `key`, all questions of the conversations are matched, and those that it leaves out are then left out.
    Raises LocomoError if `samples` has a sample id that the dataset doesn't have.
    """
    questions = _questions(conversations)
    texts = {key: folded(question.question) for key, question in questions.items()}
    places: dict[tuple[str, str], list[Key]] = {}
    for place, text in texts.items():
        places.setdefault((place[0], text), []).append(place)
    given = list(given)
    by_arm: dict[str, list[Given]] = {}
    for one in given:
        by_arm.setdefault(one.arm, []).append(one)
    names = _names(given, conversations, places, samples or {})
    first = _first_place(given, names, questions)
    known = names | {c.sample_id: c.sample_id for c in conversations}
    ids = {c.sample_id: KnownIds.of(c, known) for c in conversations}
    matched = [_match(arm, own, questions, places, ids, names, first) for arm, own in by_arm.items()]
    if key is None or not key.changes:
        return matched
    counted = _questions(map(key.applied, conversations))
    return [_counted(system, counted) for system in matched]


def _questions(conversations: Iterable[Conversation]) -> dict[Key, Question]:
    return {(c.sample_id, asked.index): asked for c in conversations for asked in c.questions}


def _counted(system: Matched, questions: Mapping[Key, Question]) -> Matched:
    """The same with only these questions, which may have other answers, categories and evidence."""
    answers = {key: some for key, some in system.answers.items() if key in questions}
    left_out = [one for key, some in system.answers.items() if key not in questions for one in some]
    return replace(system, questions=questions, answers=answers, left_out=left_out, judge="answer key")


def _match(
    arm: str,
    given: Sequence[Given],
    questions: Mapping[Key, Question],
    places: Mapping[tuple[str, str], Sequence[Key]],
    ids: Mapping[str, KnownIds],
    names: Mapping[str, str],
    first: int,
) -> Matched:
    elsewhere = [one for one in given if one.sample not in names]
    unknown = []
    asked: dict[tuple[Key, ...], list[Given]] = {}
    for one in given:
        if one.sample in names:
            here = _places(names[one.sample], one, questions, places, first)
            if here:
                asked.setdefault(here, []).append(one)
            else:
                unknown.append(one)
    answers: dict[Key, list[Given]] = {}
    for here, theirs in asked.items():
        _place(theirs, here, questions, answers)
    return Matched(arm, questions, ids, answers, elsewhere, unknown, names)


def _places(
    sample: str,
    one: Given,
    questions: Mapping[Key, Question],
    places: Mapping[tuple[str, str], Sequence[Key]],
    first: int,
) -> tuple[Key, ...]:
    """The questions that an answer may be to: those of its text or, without a text, that at its place."""
    if one.question or one.position is None:
        return tuple(places.get((sample, folded(one.question)), ()))
    key = sample, one.position - first
    return (key,) if key in questions else ()


def _first_place(given: Iterable[Given], names: Mapping[str, str], questions: Mapping[Key, Question]) -> int:
    """Whether places of questions without a text count from 0 or from 1: what fits the dataset better.

    Raises LocomoError if both fit and no question has place 0: a guess may shift every answer by one.
    """
    placed = [
        (names[one.sample], one.position, one.category)
        for one in given
        if not one.question and one.position is not None and one.sample in names
    ]
    if not placed or any(position == 0 for _, position, _ in placed):
        return 0

    def fitting(first: int) -> int:
        asked = [(questions.get((sample, place - first)), category) for sample, place, category in placed]
        return sum(q is not None and category in (None, q.category) for q, category in asked)

    if fitting(0) == fitting(1):
        raise LocomoError(
            "question_id: no question has place 0, so that it is not clear whether places count from 0 or"
            " from 1; add the texts of the questions"
        )
    return int(fitting(1) > fitting(0))


def _place(
    given: Iterable[Given],
    places: Sequence[Key],
    questions: Mapping[Key, Question],
    answers: dict[Key, list[Given]],
) -> None:
    """Assign answers to the questions of one text: by place, else by category, else in file order."""
    known = {questions[place].category for place in places}
    positions = {position for _, position in places}
    # A category of one of these questions selects it. Any other is wrong or missing, and selects nothing.
    for one in sorted(given, key=lambda one: one.category not in known and one.position not in positions):
        at_place = [place for place in places if place[1] == one.position]
        of_category = [place for place in places if questions[place].category is one.category]
        runs = {place: [other.run for other in answers.get(place, ())] for place in places}
        place = min(at_place or of_category or places, key=lambda place: runs[place].count(one.run))
        answers.setdefault(place, []).append(one)


def _names(
    given: Sequence[Given],
    conversations: Sequence[Conversation],
    places: Mapping[tuple[str, str], Sequence[Key]],
    samples: Mapping[str, str],
) -> dict[str, str]:
    """The sample id of each name of a conversation, by the way to name that finds the most questions."""
    known = [conversation.sample_id for conversation in conversations]
    if wrong := [sample for sample in samples.values() if sample not in known]:
        raise LocomoError(f"--samples: {some(wrong)}: not in the dataset; it has {', '.join(known)}")
    asked = Counter((one.sample, folded(one.question)) for one in given)
    names = dict.fromkeys(name for name, _ in asked)
    if wrong := [name for name in samples if name not in names]:
        raise LocomoError(f"--samples: {some(wrong)}: no answer is of it; the file has {some(list(names))}")

    def fitting(found: Mapping[str, str]) -> tuple[int, int]:
        return sum(n for (name, text), n in asked.items() if (found.get(name), text) in places), len(found)

    # The surest first: sample ids, the numbers that these end in, their places from 0, from 1.
    numbered = {_number(sample): sample for sample in known if _number(sample) is not None}
    by_number: list[Mapping[int | None, str]] = [numbered, dict(enumerate(known)), dict(enumerate(known, 1))]
    ways = [{name: name for name in names if name in known}]
    ways += [{name: by[_number(name)] for name in names if _number(name) in by} for by in by_number]
    return max(({**found, **samples} for found in ways), key=fitting)


def _number(name: str) -> int | None:
    """The number that a name ends in; None if it ends in none."""
    digits = re.search(r"([0-9]+)(?:\.0+)?$", name)  # pandas writes 1.0 if the column has a gap
    return int(digits[1]) if digits else None
