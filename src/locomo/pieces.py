"""Pieces: what one person is said to do in one turn, the retrieval unit of the graph memory (SPEC 7)."""

from collections.abc import Sequence
from dataclasses import dataclass

from locomo.dialogue import Claim, Sentence
from locomo.text import fold


@dataclass(frozen=True, slots=True)
class Piece:
    """The claims (indices) about one person in one turn, and the sentences that make them."""

    person: str
    turn: int
    claims: list[int]
    text: str


def make_pieces(claims: Sequence[Claim], sentences: Sequence[Sentence]) -> list[Piece]:
    """Group claims by (folded subject, turn), in order of first appearance."""
    groups: dict[tuple[str, int], list[int]] = {}
    for index, claim in enumerate(claims):
        groups.setdefault((fold(claim.subject), claim.turn), []).append(index)
    return [
        Piece(person, turn, members, _text([claims[index] for index in members], sentences))
        for (person, turn), members in groups.items()
    ]


def _text(claims: Sequence[Claim], sentences: Sequence[Sentence]) -> str:
    """The distinct sentences behind some claims, in order; a derived claim stands for itself."""
    distinct = dict.fromkeys(
        f"{claim.predicate} {claim.object}" if claim.sentence is None else sentences[claim.sentence].text
        for claim in claims
    )
    return " ".join(distinct)
