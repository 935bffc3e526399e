"""The naming rule: who did something with a thing did it with the thing's name (SPEC 5)."""

from collections import defaultdict
from collections.abc import Sequence

from locomo.index.claims import Claim


def derive(claims: Sequence[Claim]) -> tuple[list[Claim], int]:
    """Apply (who, did, what) and (what, named, name) give (who, did, name), one round.

    Returns the claims without a sentence that follow, one for the turn of each premise, and the number of
    facts derived. Facts are compared as written; a repeated claim is one fact, that of its first turn.
    """
    facts: dict[tuple[str, str, str], int] = {}
    namings: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for claim in claims:
        if claim.fact not in facts:
            facts[claim.fact] = claim.turn
            if claim.predicate == "named":
                namings[claim.subject].append(claim.fact)
    derived: dict[tuple[str, str, str], list[int]] = {}
    for premise, turn in facts.items():
        who, did, what = premise
        for naming in namings.get(what, ()):
            conclusion = (who, did, naming[2])
            if conclusion not in facts and conclusion not in derived:
                # Never one fact twice: (x, named, x) would conclude itself, which is nothing new.
                derived[conclusion] = [turn, facts[naming]]
    return [Claim(*fact, turn, None) for fact, turns in derived.items() for turn in turns], len(derived)
