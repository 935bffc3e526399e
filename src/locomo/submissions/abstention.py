"""Abstaining in other words than the dataset's metric knows: likely abstentions are counted, not scored."""

import re

from locomo.score.measures.abstained import abstains

_ADVERBS = r"(?:\s+(?:been|be|explicitly|specifically|directly|clearly|actually|ever|any))*"
_INFORMATION = (
    r"(?:info|information|mention|record|evidence|indication|details?|data|references?|context|answer|clue)"
)
_LIKELY = re.compile(
    # The whole reply, or its start before a reason: "Unknown", "Not specified. ..."
    r"^\W*(?:unknown|unanswerable|unclear|unspecified|undetermined|no (?:idea|answer)|idk|not (?:sure|certain"
    r"|specified|stated|provided|available|known|given|found|clear|discussed|answerable))\s*(?:$|[^\w\s])"
    # The speaker does not know.
    r"|\b(?:i|we) (?:do not|don't|did not|didn't|cannot|can't|can not|could not|couldn't)"
    r" (?:know|have|find|tell|determine|recall|answer|say|see|remember)\b"
    r"|\bi(?:'m| am) (?:not sure|unsure|not certain|unable)\b"
    # There is nothing about it.
    rf"|\bno (?:\w+ ){{0,3}}{_INFORMATION}\b|\b(?:not enough|insufficient) (?:\w+ )?{_INFORMATION}\b"
    rf"|(?:\bnot|n't|\bnever){_ADVERBS}\s+(?:mention|specif|stat|provid|discuss|disclos|indicat|reveal|describ"
    r"|record|detail|contain|include)\w*"
    # It cannot be found out.
    r"|\b(?:cannot|can't|can not|could not|couldn't|unable to|impossible to|not possible to) (?:be )?"
    r"(?:determine|answer|infer|establish|find any)\w*",
    re.IGNORECASE,
)


_FIRST_SENTENCE = re.compile(r".*?(?:[.!?](?=\s)|\n|$)", re.DOTALL)


def likely_abstains(reply: str) -> bool:
    """Whether a reply likely says that there is no answer, but in words that the metric does not look for.

    Only its first sentence is looked at: long answers often say later what else is not known.
    """
    first = _FIRST_SENTENCE.match(reply.strip().replace("’", "'"))
    return first is not None and not abstains(reply) and _LIKELY.search(first[0]) is not None
