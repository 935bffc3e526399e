"""How a system's answers fit the questions: what a reader of its figures needs to know."""

import difflib
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Sized
from pathlib import Path

from locomo.core.errors import LocomoError
from locomo.core.messages import NAMED, quoted, some
from locomo.formats.dataset import ANSWERABLE, REPORT_ORDER, Category, folded
from locomo.score.measures.abstained import abstains
from locomo.submissions.abstention import likely_abstains
from locomo.submissions.matching import Key, Matched
from locomo.submissions.reading import Given, category_table

_CONSISTENT = 0.95
"""The share of records that a mapping of categories must explain to be reported."""
_ENOUGH = 10
"""The number of records that each part of such a mapping must have."""


def remarks(matched: Matched) -> list[str]:
    """What a reader of this system's figures needs to know."""
    return [remark for part in _PARTS for remark in part(matched)]


def check_scored(systems: Sequence[Matched], file: Path) -> None:
    """Raise LocomoError that says why, if no answer of the file can be scored."""
    if not any(system.scored for system in systems):
        reasons = "".join(f"\n  {remark}" for system in systems for remark in remarks(system))
        raise LocomoError(f"{file}: no answer can be scored:{reasons}")


def _names(matched: Matched) -> Iterator[str]:
    if matched.called not in ("", matched.arm):
        yield f"the file calls it {quoted(matched.called)}; shown under this name to tell rows apart"
    if named := [f"{quoted(name)} is {id}" for name, id in matched.samples.items() if name != id]:
        yield f"conversations under other names: {some(named)}; --samples NAME=ID,... corrects one"


def _unmatched(matched: Matched) -> Iterator[str]:
    if matched.elsewhere:
        samples = Counter(one.sample for one in matched.elsewhere)
        named = some([f"{quoted(sample)} ({n:,})" for sample, n in samples.items()])
        yield (
            f"{_count(matched.elsewhere, 'record')} of a conversation that the dataset doesn't have: {named};"
            f" it has {', '.join(matched.ids)}; --samples NAME=ID,... says which is which"
        )
    if matched.unknown:
        # The search for close questions is slow, so it is done only for the records that are named.
        named = some([_unknown(matched, one) for one in matched.unknown[:NAMED]], len(matched.unknown))
        yield f"{_count(matched.unknown, 'record')} of a question that the conversation doesn't have: {named}"
    if matched.left_out:
        yield f"{_count(matched.left_out, 'record')} of questions that the answer key leaves out, not scored"


def _unknown(matched: Matched, one: Given) -> str:
    sample = matched.samples[one.sample]
    texts = {folded(asked.question): key for key, asked in matched.questions.items() if key[0] == sample}
    close = difflib.get_close_matches(folded(one.question), texts, n=1, cutoff=0.75)
    return f"{_located(one)}{f' close to {_id(texts[close[0]])}' if close else ''}"


def _unscored(matched: Matched) -> Iterator[str]:
    for category in REPORT_ORDER:
        keys = [key for key, asked in matched.questions.items() if asked.category is category]
        if keys and matched.scored.keys().isdisjoint(keys):
            yield f"no {category.label} question is scored, of {len(keys):,}: {_LACKS[category]}"
    if matched.missing:
        yield (
            f"{len(matched.missing):,} of {len(matched.questions):,} questions missing, not scored as wrong:"
            f" {some(_missing(matched))}"
        )
    if matched.failed:
        reasons = Counter(one.failure for one in matched.failed.values())
        named = some([f"{reason} ({n:,})" for reason, n in reasons.most_common()])
        yield f"{_count(matched.failed, 'call')} failed, not scored as wrong: {named}"
    if empty := [one.place for _, one in matched.all_scored if not one.reply.strip()]:
        yield (
            f"{_count(empty, 'empty reply', 'empty replies')}, scored as answers: {some(empty)};"
            " where a call failed, the prediction is null or error says why"
        )


def _runs(matched: Matched) -> Iterator[str]:
    several = [len(answers) for answers in matched.scored.values() if len(answers) > 1]
    if matched.runs:
        yield f"{len(matched.runs)} runs: a question's score is the mean over them"
    elif several:
        yield (
            f"{_count(several, 'question')} with several answers, up to {max(several)}: the score is"
            " their mean; not every run has every question, so that the spread of runs is not available"
        )
    again = [one for key in matched.scored for one in matched.answers[key] if one.failure]
    if again:
        yield f"{_count(again, 'failed call')} of a question that another answer is scored for, left out"


def _abstentions(matched: Matched) -> Iterator[str]:
    adversarial: list[Given] = []
    answerable: list[Given] = []
    for key, one in matched.all_scored:
        half = adversarial if matched.questions[key].category is Category.ADVERSARIAL else answerable
        half.append(one)
    if adversarial and not any(abstains(one.reply) for one in adversarial):
        yield (
            "no reply to an adversarial question abstains in words that the metric knows (it looks for"
            " 'no information available' and 'not mentioned'): none of them can be right"
        )
    likely, elsewhere = (
        [one for one in half if likely_abstains(one.reply)] for half in (adversarial, answerable)
    )
    if likely or elsewhere:
        words = Counter(quoted(one.reply.strip()) for one in likely or elsewhere)
        named = some([f"{reply} ({n:,})" for reply, n in words.most_common(3)], len(words))
        yield (
            f"{_count(likely, 'reply', 'replies')} to adversarial questions likely abstaining in other words,"
            f" which score 0 all the same, and {len(elsewhere):,} to answerable ones, such as {named}"
        )
    if (likely or elsewhere) and any(one.judged for one in adversarial + elsewhere):
        yield (
            f"its judge accepted {_accepted(adversarial)} replies to adversarial questions,"
            f" and {_accepted(elsewhere)} likely abstentions on answerable ones"
        )


def _accepted(answers: Sequence[Given]) -> str:
    accepted = [one for one in answers if one.judged and math.fsum(one.judged) > len(one.judged) / 2]
    return f"{len(accepted):,} of {sum(1 for one in answers if one.judged):,}"


def _missing(matched: Matched) -> list[str]:
    """The missing questions by name or, if there are many, by conversation."""
    if len(matched.missing) <= NAMED:
        return [_id(key) for key in matched.missing]
    asked, missing = (Counter(sample for sample, _ in keys) for keys in (matched.questions, matched.missing))
    return [f"{sample} ({n:,} of {asked[sample]:,})" for sample, n in missing.items()]


_LACKS = dict.fromkeys(ANSWERABLE, "answerable and overall are means of the other categories") | {
    Category.ADVERSARIAL: "overall is no mean over the whole benchmark; compare the answerable column"
}


def _categories(matched: Matched) -> Iterator[str]:
    answers = [(key, one) for key, several in matched.answers.items() for one in several]
    if unnamed := [one for _, one in answers if one.category is None]:
        yield (
            f"{len(unnamed):,} of {_count(answers, 'record')} without a category,"
            " matched by conversation, question and order"
        )
    if untold := [(one.position or 0) - key[1] for key, one in answers if not one.question]:
        yield f"{_count(untold, 'record')} without a question's text, matched by its place from {untold[0]}"
    pairs = [
        (one, one.category, matched.questions[key].category)
        for key, one in answers
        if one.category is not None
    ]
    wrong = [
        f"{one.place} has {given.numbered} for {right.numbered}"
        for one, given, right in pairs
        if given is not right
    ]
    if wrong:
        yield (
            f"{_count(wrong, 'record')} of another category than the {matched.judge}'s, scored by the"
            f" {matched.judge}'s: {some(wrong[:3], len(wrong))}; the dataset has {category_table()}"
        )
    used = {given: Counter(right for _, one, right in pairs if one is given) for given in REPORT_ORDER}
    mapping = {given: rights.most_common(1)[0] for given, rights in used.items() if rights}
    named = [
        f"{given.numbered} for {right.numbered}"
        for given, (right, n) in mapping.items()
        if given is not right and n >= _ENOUGH
    ]
    explained = sum(n for _, n in mapping.values())
    if named and explained >= _CONSISTENT * len(pairs):
        yield (
            f"the file's categories are mapped wrongly: it has {', '.join(named)};"
            f" that explains {explained:,} of {_count(pairs, 'record')}"
        )


def _references(matched: Matched) -> Iterator[str]:
    """Other reference answers: that of an adversarial question matters to no score."""
    other = [
        one.place
        for key, several in matched.answers.items()
        for one in several
        if one.reference is not None
        and matched.questions[key].category is not Category.ADVERSARIAL
        and _bare(one.reference) != _bare(matched.questions[key].answer)
    ]
    if other:
        yield (
            f"{_count(other, 'record')} with another reference answer than the {matched.judge}'s, scored by"
            f" the {matched.judge}'s: {some(other[:3], len(other))}"
        )


def _bare(answer: str) -> str:
    return re.sub(r"\W", "", answer).lower()


def _cites(matched: Matched) -> Iterator[str]:
    answers = [(one, matched.cited(one), matched.ids[key[0]]) for key, one in matched.all_scored]
    cited = [(one, cites, known) for one, cites, known in answers if cites is not None]
    if respelled := [cites.respelled for _, cites, _ in cited if cites.respelled]:
        first = next(iter(respelled[0].items()))
        yield (
            f"{_count(respelled, 'answer')} with ids in another spelling than the dataset's, such as"
            f" {quoted(first[0])}, read as {first[1]}"
        )
    unread = [f"{quoted(id)} at {one.place}" for one, cites, _ in cited for id in cites.unread[:1]]
    if unread:
        yield (
            f"{_count(unread, 'answer')} with ids that cannot be read, without recall:"
            f" {some(unread[:3], len(unread))}"
        )
    lost = [
        f"{quoted(id)} at {one.place}" for one, cites, known in cited for id in cites.ids if id not in known
    ]
    if lost:
        ids = f"{len(lost):,} of {sum(len(cites.ids) for _, cites, _ in cited):,} cited ids"
        yield f"{ids} name no turn of their conversation: {some(lost[:3], len(lost))}"
    if answers and not matched.cites:
        says = "has an id that can be read as a turn's" if cited else "says which turns it cites"
        yield f"no answer {says}: recall is not available (-), which is not 0"
    elif uncited := [one for one, cites, _ in answers if cites is None]:
        yield f"{_count(uncited, 'answer')} without a context: recall is over the others"
    if matched.by_session and matched.cites:
        mixed = any(not id.startswith("S") for _, cites, _ in cited for id in cites.ids)
        turns = "turns and sessions are cited" if mixed else "sessions are cited"
        yield f"{turns}: recall is of sessions, for our arms too; it is easier than recall of turns"
    if matched.cites:
        most = max(len(set(cites.ids)) for _, cites, _ in cited)
        yield (
            f"recall grows with what is cited: here up to {most} {'id' if most == 1 else 'ids'} an answer,"
            " by our arms up to their k"
        )


def _confidences(matched: Matched) -> Iterator[str]:
    scored = [one for _, one in matched.all_scored]
    odd = [one for one in scored if one.confidence is not None and one.usable_confidence is None]
    if odd:
        named = some([f"{one.confidence} at {one.place}" for one in odd])
        yield f"{_count(odd, 'confidence')} not from 0 to 1, taken as not given: {named}"
    without = [one for one in scored if one.usable_confidence is None]
    if without and (odd or len(without) < len(scored)):
        yield (
            f"{len(without):,} of {_count(scored, 'answer')} without a confidence:"
            " its area under the ROC curve is not available"
        )


def _located(one: Given) -> str:
    return f"{one.place} ({quoted(one.sample)}, {quoted(one.question)})"


def _id(key: Key) -> str:
    return f"{key[0]}/{key[1]}"


def _count(items: Sized, one: str, many: str = "") -> str:
    return f"{len(items):,} {one if len(items) == 1 else many or one + 's'}"


_PARTS = (_names, _unmatched, _unscored, _runs, _abstentions, _categories, _references, _cites, _confidences)
