"""How a system's answers fit the questions: what a reader of its figures needs to know."""

import difflib
from collections import Counter
from collections.abc import Iterator, Sized

from locomo.core.messages import NAMED, quoted, some
from locomo.formats.dataset import ANSWERABLE, REPORT_ORDER, Category
from locomo.score.measures.abstained import abstains
from locomo.submissions.matching import Key, Matched, folded
from locomo.submissions.reading import Given, category_table

_CONSISTENT = 0.95
"""The share of records that a mapping of categories must explain to be reported."""


def remarks(matched: Matched) -> list[str]:
    """What a reader of this system's figures needs to know."""
    parts = (_unmatched, _unscored, _categories, _cites, _confidences)
    return [remark for part in parts for remark in part(matched)]


def _unmatched(matched: Matched) -> Iterator[str]:
    if matched.elsewhere:
        samples = Counter(one.sample for one in matched.elsewhere)
        named = some([f"{quoted(sample)} ({n:,})" for sample, n in samples.items()])
        yield (
            f"{_count(matched.elsewhere, 'record')} of a conversation that the dataset doesn't have: {named};"
            f" it has {', '.join(matched.turns)}"
        )
    if matched.unknown:
        # The search for close questions is slow, so it is done only for the records that are named.
        named = some([_unknown(matched, one) for one in matched.unknown[:NAMED]], len(matched.unknown))
        yield f"{_count(matched.unknown, 'record')} of a question that the conversation doesn't have: {named}"
    if matched.twice:
        named = some([_located(one) for one in matched.twice])
        yield (
            f"{_count(matched.twice, 'record')} of a question that has an answer already, left out"
            f" (the first answer that didn't fail counts): {named}"
        )


def _unknown(matched: Matched, one: Given) -> str:
    texts = {folded(asked.question): key for key, asked in matched.questions.items() if key[0] == one.sample}
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
        reasons = Counter(_reason(one) for one in matched.failed.values())
        named = some([f"{reason} ({n:,})" for reason, n in reasons.most_common()])
        yield f"{_count(matched.failed, 'call')} failed, not scored as wrong: {named}"
    if empty := [one.place for one in matched.scored.values() if not (one.reply or "").strip()]:
        yield (
            f"{_count(empty, 'empty reply', 'empty replies')}, scored as answers: {some(empty)};"
            " where a call failed, the prediction is null or error says why"
        )
    if matched.scored and not any(abstains(one.reply or "") for one in matched.scored.values()):
        yield (
            "no reply abstains in words that the metric knows (it looks for 'no information available' and"
            " 'not mentioned'): no adversarial question can be right"
        )


def _missing(matched: Matched) -> list[str]:
    """The missing questions by name or, if there are many, by conversation."""
    if len(matched.missing) <= NAMED:
        return [_id(key) for key in matched.missing]
    asked, missing = (Counter(sample for sample, _ in keys) for keys in (matched.questions, matched.missing))
    return [f"{sample} ({n:,} of {asked[sample]:,})" for sample, n in missing.items()]


_LACKS = dict.fromkeys(ANSWERABLE, "answerable and overall are means of the other categories") | {
    Category.ADVERSARIAL: "overall is no mean over the whole benchmark; compare the answerable column"
}


def _reason(one: Given) -> str:
    return quoted(one.error) if one.error else "no prediction"


def _categories(matched: Matched) -> Iterator[str]:
    if unnamed := [one for one in matched.answers.values() if one.category is None]:
        yield (
            f"{len(unnamed):,} of {_count(matched.answers, 'record')} without a category,"
            " matched by conversation, question and order"
        )
    pairs = [
        (one, one.category, matched.questions[key].category)
        for key, one in matched.answers.items()
        if one.category is not None
    ]
    wrong = [
        f"{one.place} has {given.numbered} for {right.numbered}"
        for one, given, right in pairs
        if given is not right
    ]
    if wrong:
        yield (
            f"{_count(wrong, 'record')} of another category than the dataset's, scored by the dataset's:"
            f" {some(wrong[:3], len(wrong))}; the dataset has {category_table()}"
        )
    used = {given: Counter(right for _, one, right in pairs if one is given) for given in REPORT_ORDER}
    mapping = {given: rights.most_common(1)[0] for given, rights in used.items() if rights}
    named = [
        f"{given.numbered} for {right.numbered}"
        for given, (right, _) in mapping.items()
        if given is not right
    ]
    explained = sum(n for _, n in mapping.values())
    if named and explained >= _CONSISTENT * len(pairs):
        yield (
            f"the file's categories are mapped wrongly: it has {', '.join(named)};"
            f" that explains {explained:,} of {_count(pairs, 'record')}"
        )


def _cites(matched: Matched) -> Iterator[str]:
    scored = list(matched.scored.values())
    lost = [
        f"{quoted(id)} at {one.place}"
        for one in scored
        for id in one.context or []
        if id not in matched.cited(one)
    ]
    if lost:
        ids = sum(len(one.context or []) for one in scored)
        named = some(lost[:3], len(lost))
        yield f"{len(lost):,} of {ids:,} cited ids name no turn of their conversation: {named}"
    if scored and not matched.cites:
        yield "no answer says which turns it cites: recall is not available (-), which is not 0"
    elif uncited := [one for one in scored if one.context is None]:
        others = len(scored) - len(uncited)
        yield f"{_count(uncited, 'answer')} without a context: recall is over the other {others:,}"
    if matched.cites:
        most = _count(range(max(len(set(matched.cited(one))) for one in scored)), "id")
        yield f"recall grows with what is cited: here up to {most} an answer, by our arms up to their k"


def _confidences(matched: Matched) -> Iterator[str]:
    scored = list(matched.scored.values())
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
