"""The naming rule: a claim whose object is a thing also holds with the thing's name (SPEC 5)."""

from collections import defaultdict
from collections.abc import Sequence

from locomo.index.claims import Claim


def derive(claims: Sequence[Claim]) -> tuple[list[Claim], int]:
    """Derive (who, did, name) from (who, did, what) and (what, named, name), in one round.

    Returns the derived claims (without a sentence), one for the turn of each premise, and the number of
    derived facts. Facts are compared as written; a repeated claim is one fact, with its first turn.
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
                # The premises are two facts: (x, named, x) would only derive itself, which is known.
                derived[conclusion] = [turn, facts[naming]]
    return [Claim(*fact, turn, None) for fact, turns in derived.items() for turn in turns], len(derived)
