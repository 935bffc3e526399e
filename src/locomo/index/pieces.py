"""Pieces: what one person is said to do in one turn, the retrieval unit of the graph memory (SPEC 7)."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from locomo.index.claims import Claim, Sentence
from locomo.text.tokens import fold


class Piece(NamedTuple):
    """The claims (indices) about one person in one turn, and the distinct sentences behind them, in order.

    `id` is the person and the turn's id, `caroline@D1:3`. The text of a derived claim is the claim itself.
    """

    id: str
    person: str
    turn: int
    claims: list[int]
    texts: list[str]


def make_pieces(
    claims: Sequence[Claim], sentences: Sequence[Sentence], turn_ids: Sequence[str]
) -> list[Piece]:
    """Group claims by (folded subject, turn), sorted by the bytes of the pieces' ids."""
    groups: dict[tuple[str, int], list[int]] = {}
    folded = cache(fold)
    for index, claim in enumerate(claims):
        groups.setdefault((folded(claim.subject), claim.turn), []).append(index)
    pieces = [
        Piece(f"{who}@{turn_ids[turn]}", who, turn, members, _texts([claims[i] for i in members], sentences))
        for (who, turn), members in groups.items()
    ]
    return sorted(pieces, key=lambda piece: piece.id)


def _texts(claims: Sequence[Claim], sentences: Sequence[Sentence]) -> list[str]:
    texts = (
        f"{claim.predicate} {claim.object}" if claim.sentence is None else sentences[claim.sentence].text
        for claim in claims
    )
    return list(dict.fromkeys(texts))
