"""SPEC 7: what one person is said to do in one turn."""

from helpers.talks import built
from locomo.index.claims import Claim, sentence_of
from locomo.index.pieces import Piece, make_pieces

IDS = ["D1:1", "D1:2"]
SPOKEN = [sentence_of(text, 0) for text in ("One.", "Two.", "One.")]


def pieces(*claims: Claim) -> dict[str, Piece]:
    return {piece.id: piece for piece in make_pieces(claims, SPOKEN, IDS)}


def test_claims_are_grouped_by_folded_subject_and_turn() -> None:
    found = pieces(
        Claim("Bob", "saw", "a", 0, 0),
        Claim("Ada", "saw", "b", 0, 0),
        Claim("BOB ", "saw", "c", 1, 0),
        Claim("bob", "saw", "d", 0, 1),
    )
    assert {id: piece.claims for id, piece in found.items()} == {
        "bob@D1:1": [0, 3],
        "ada@D1:1": [1],
        "bob@D1:2": [2],
    }
    piece = found["bob@D1:2"]
    assert (piece.person, piece.turn) == ("bob", 1)


def test_the_text_holds_each_sentence_once_in_the_order_of_the_claims() -> None:
    claims = [
        Claim("Ada", "saw", object_, 0, sentence)
        for object_, sentence in zip("abcd", [1, 0, 1, 2], strict=True)
    ]
    assert pieces(*claims)["ada@D1:1"].texts == ["Two.", "One."]  # the third sentence reads as the first


def test_a_derived_claim_contributes_what_it_says() -> None:
    found = pieces(Claim("Ada", "adopted", "dog", 0, 0), Claim("Ada", "not  Adopted", "rex", 0, None))
    assert found["ada@D1:1"].texts == ["One.", "not  Adopted rex"]


def test_no_claims_no_pieces() -> None:
    assert pieces() == {}


def test_derived_claims_come_last_and_may_make_a_piece_of_their_own() -> None:
    store = built("Ada: I adopted puppies.", "Bob: The puppies were called Max.")
    claims = store.claims
    # Read: (Ada, adopted, puppies), (Bob, called, max), (puppies, named, max).
    assert (
        claims.object[3:] == ["max", "max"]
        and claims.turn[3:] == [0, 1]
        and claims.sentence[3:] == [None, None]
    )
    filed = dict(zip(store.pieces.id, store.pieces.claims, strict=True))
    assert filed == {"ada@D1:1": [0, 3], "bob@D1:2": [1], "puppies@D1:2": [2], "ada@D1:2": [4]}
