"""Given answers joined to the questions of the dataset, and all that is to be said about how they fit.

The key is the conversation and the question, whatever its white space and quote characters, then the
category, then the order of occurrence: some questions stand twice in a conversation.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property

from locomo.formats.dataset import ANSWERABLE, REPORT_ORDER, Category, Conversation, Question
from locomo.score.metric import is_quiet
from locomo.submissions.reading import Given, category_table, label, quoted

_QUOTES = re.compile("[\"'`´‘’‚‛“”„‟′″«»]")
_NAMED = 10
"""How many of the same kind a message names."""
_CONSISTENT = 0.95
"""The share of records that a mapping of categories has to explain to be named."""

Key = tuple[str, int]
"""A question: its conversation, and its place there from 0."""


@dataclass(frozen=True)
class Joined:
    """One system's answers by the question that each belongs to, and those that belong to none."""

    arm: str
    questions: Mapping[Key, Question]
    """All questions of the dataset, in order."""
    turns: Mapping[str, frozenset[str]]
    """The ids of each conversation's turns and sessions."""
    answers: Mapping[Key, Given]
    elsewhere: Sequence[Given]
    """Answers about a conversation that the dataset doesn't have."""
    unknown: Sequence[Given]
    """Answers to a question that the conversation doesn't have."""
    twice: Sequence[Given]
    """Answers to a question that has one already."""

    @cached_property
    def scored(self) -> dict[Key, Given]:
        """The answers that did not fail, in the order of the dataset."""
        given = {key: self.answers[key] for key in self.questions if key in self.answers}
        return {key: one for key, one in given.items() if not one.failed}

    @cached_property
    def failed(self) -> dict[Key, Given]:
        """What there is in place of an answer where the system failed: that is no wrong answer."""
        return {key: one for key, one in self.answers.items() if one.failed}

    @cached_property
    def missing(self) -> list[Key]:
        """The questions that the file doesn't answer."""
        return [key for key in self.questions if key not in self.answers]

    @cached_property
    def cites(self) -> bool:
        """Whether any cited id names a turn; where none does, ids of turns were not kept."""
        return any(self.cited(one) for one in self.scored.values())

    def cited(self, one: Given) -> list[str]:
        """The cited ids that the metric can find: those of turns, or of sessions if the first is one."""
        ids = one.context or [""]
        of_sessions = ids[0].startswith("S")
        return [id for id in ids if id in self.turns[one.sample] and id.startswith("S") == of_sessions]


def join(given: Iterable[Given], conversations: Sequence[Conversation]) -> list[Joined]:
    """Join each system's answers, in the order in which the file names the systems."""
    questions = {
        (c.sample_id, index): asked for c in conversations for index, asked in enumerate(c.questions)
    }
    turns = {c.sample_id: _ids(c) for c in conversations}
    places: dict[tuple[str, str], list[Key]] = {}
    for key, question in questions.items():
        places.setdefault((key[0], _folded(question.question)), []).append(key)
    by_arm: dict[str, dict[tuple[str, str], list[Given]]] = {}
    for one in given:
        by_arm.setdefault(one.arm, {}).setdefault((one.sample, _folded(one.question)), []).append(one)
    joined = []
    for arm, asked in by_arm.items():
        answers, twice = _place(asked, places, questions)
        strangers = [one for key, some in asked.items() if key not in places for one in some]
        elsewhere = [one for one in strangers if one.sample not in turns]
        unknown = [one for one in strangers if one.sample in turns]
        joined.append(Joined(arm, questions, turns, answers, elsewhere, unknown, twice))
    return joined


def _place(
    asked: Mapping[tuple[str, str], Sequence[Given]],
    places: Mapping[tuple[str, str], Sequence[Key]],
    questions: Mapping[Key, Question],
) -> tuple[dict[Key, Given], list[Given]]:
    """Give each answer its question, in order where the same one stands twice; and what is left over."""
    answers: dict[Key, Given] = {}
    twice = []
    for key, some in asked.items():
        free = list(places.get(key, []))
        if len(some) > len(free):
            some = sorted(some, key=lambda one: one.failed)  # a call that was tried again
        # A category that such a question has chooses the place. Others don't: they are wrong, or not given.
        known = {questions[place].category for place in free}
        for one in sorted(some, key=lambda one: one.category not in known):
            fits = [p for p in free if one.category not in known or one.category is questions[p].category]
            if fits:
                answers[fits[0]] = one
                free.remove(fits[0])
            elif key in places:
                twice.append(one)
    return answers, twice


def _folded(text: str) -> str:
    return " ".join(_QUOTES.sub("", text).split())


def _ids(conversation: Conversation) -> frozenset[str]:
    turns = [turn.id for turn in conversation.turns]
    return frozenset(turns) | {f"S{id.partition(':')[0][1:]}" for id in turns}


# ---- what is to be said


def remarks(joined: Joined) -> list[str]:
    """All that whoever quotes a figure of this system has to know."""
    parts = (_unjoined, _unscored, _categories, _cites, _confidences)
    return [remark for part in parts for remark in part(joined)]


def _unjoined(joined: Joined) -> Iterator[str]:
    if joined.elsewhere:
        samples = Counter(one.sample for one in joined.elsewhere)
        named = _some([f"{quoted(sample)} ({n:,})" for sample, n in samples.items()])
        yield (
            f"{_count(joined.elsewhere, 'record')} of a conversation that the dataset doesn't have: {named};"
            f" it has {', '.join(joined.turns)}"
        )
    if joined.unknown:
        # Looking for what is close takes long: only for those that are named.
        named = _some([_unknown(joined, one) for one in joined.unknown[:_NAMED]], len(joined.unknown))
        yield f"{_count(joined.unknown, 'record')} of a question that the conversation doesn't have: {named}"
    if joined.twice:
        named = _some([_located(one) for one in joined.twice])
        yield (
            f"{_count(joined.twice, 'record')} of a question that has its answer already, passed over"
            f" (the first answer that didn't fail counts): {named}"
        )


def _unknown(joined: Joined, one: Given) -> str:
    texts = {_folded(asked.question): key for key, asked in joined.questions.items() if key[0] == one.sample}
    close = difflib.get_close_matches(_folded(one.question), texts, n=1, cutoff=0.75)
    return f"{_located(one)}{f' close to {_id(texts[close[0]])}' if close else ''}"


def _unscored(joined: Joined) -> Iterator[str]:
    for category in REPORT_ORDER:
        keys = [key for key, asked in joined.questions.items() if asked.category is category]
        if keys and joined.scored.keys().isdisjoint(keys):
            yield f"no {category.label} question is scored, of {len(keys):,}: {_LACKS[category]}"
    if joined.missing:
        yield (
            f"{len(joined.missing):,} of {len(joined.questions):,} questions missing, not marked as wrong:"
            f" {_some(_missing(joined))}"
        )
    if joined.failed:
        reasons = Counter(_reason(one) for one in joined.failed.values())
        named = _some([f"{reason} ({n:,})" for reason, n in reasons.most_common()])
        yield f"{_count(joined.failed, 'call')} failed, not marked as wrong: {named}"
    if empty := [one.place for one in joined.scored.values() if not (one.reply or "").strip()]:
        yield (
            f"{_count(empty, 'empty reply', 'empty replies')}, marked as answers: {_some(empty)};"
            " where a call failed, the prediction is null or error says why"
        )
    if joined.scored and not any(is_quiet(one.reply or "") for one in joined.scored.values()):
        yield (
            "no reply declines in words that the metric knows (it looks for 'no information available' and"
            " 'not mentioned'): no adversarial question can be right"
        )


def _missing(joined: Joined) -> list[str]:
    """The missing questions by name or, if there are many, by conversation."""
    if len(joined.missing) <= _NAMED:
        return [_id(key) for key in joined.missing]
    asked, missing = (Counter(sample for sample, _ in keys) for keys in (joined.questions, joined.missing))
    return [f"{sample} ({n:,} of {asked[sample]:,})" for sample, n in missing.items()]


_LACKS = dict.fromkeys(ANSWERABLE, "answerable and overall are means of the other categories") | {
    Category.ADVERSARIAL: "overall is no overall mean of the benchmark; set answerable beside other systems"
}


def _reason(one: Given) -> str:
    return quoted(one.error) if one.error else "no prediction"


def _categories(joined: Joined) -> Iterator[str]:
    if unnamed := [one for one in joined.answers.values() if one.category is None]:
        yield (
            f"{len(unnamed):,} of {_count(joined.answers, 'record')} without a category,"
            " joined by conversation, question and order"
        )
    pairs = [
        (one, one.category, joined.questions[key].category)
        for key, one in joined.answers.items()
        if one.category is not None
    ]
    wrong = [
        f"{one.place} has {label(given)} for {label(right)}"
        for one, given, right in pairs
        if given is not right
    ]
    if wrong:
        yield (
            f"{_count(wrong, 'record')} of another category than the dataset's, marked by the dataset's:"
            f" {_some(wrong[:3], len(wrong))}; the dataset has {category_table()}"
        )
    used = {given: Counter(right for _, one, right in pairs if one is given) for given in REPORT_ORDER}
    mapping = {given: rights.most_common(1)[0] for given, rights in used.items() if rights}
    named = [
        f"{label(given)} for {label(right)}" for given, (right, _) in mapping.items() if given is not right
    ]
    explained = sum(n for _, n in mapping.values())
    if named and explained >= _CONSISTENT * len(pairs):
        yield (
            f"the file's categories are mapped wrongly: it has {', '.join(named)};"
            f" that explains {explained:,} of {_count(pairs, 'record')}"
        )


def _cites(joined: Joined) -> Iterator[str]:
    scored = list(joined.scored.values())
    lost = [
        f"{quoted(id)} at {one.place}"
        for one in scored
        for id in one.context or []
        if id not in joined.cited(one)
    ]
    if lost:
        ids = sum(len(one.context or []) for one in scored)
        named = _some(lost[:3], len(lost))
        yield f"{len(lost):,} of {ids:,} cited ids name no turn of their conversation: {named}"
    if scored and not joined.cites:
        yield "no answer says which turns it cites: recall is not available (-), which is not 0"
    elif silent := [one for one in scored if one.context is None]:
        others = len(scored) - len(silent)
        yield f"{_count(silent, 'answer')} without a context: recall is over the other {others:,}"
    if joined.cites:
        most = _count(range(max(len(set(joined.cited(one))) for one in scored)), "id")
        yield f"recall grows with what is cited: here up to {most} an answer, by our arms up to their k"


def _confidences(joined: Joined) -> Iterator[str]:
    scored = list(joined.scored.values())
    odd = [one for one in scored if one.confidence is not None and confidence(one) is None]
    if odd:
        named = _some([f"{one.confidence} at {one.place}" for one in odd])
        yield f"{_count(odd, 'confidence')} not from 0 to 1, taken as not given: {named}"
    without = [one for one in scored if confidence(one) is None]
    if without and (odd or len(without) < len(scored)):
        yield (
            f"{len(without):,} of {_count(scored, 'answer')} without a confidence:"
            " its area under the ROC curve is not available"
        )


def confidence(one: Given) -> float | None:
    """An answer's confidence, if it is a number from 0 to 1."""
    return one.confidence if one.confidence is not None and 0 <= one.confidence <= 1 else None


def _located(one: Given) -> str:
    return f"{one.place} ({quoted(one.sample)}, {quoted(one.question)})"


def _id(key: Key) -> str:
    return f"{key[0]}/{key[1]}"


def _count(items: Sized, one: str, many: str = "") -> str:
    return f"{len(items):,} {one if len(items) == 1 else many or one + 's'}"


def _some(items: Sequence[str], of: int | None = None) -> str:
    """The first of them, and how many more there are, of so many in all."""
    more = (of or len(items)) - min(len(items), _NAMED)
    return ", ".join([*items[:_NAMED], *([f"and {more:,} more"] if more > 0 else [])])
