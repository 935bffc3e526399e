"""SPEC 3: weights, vectors, nearness, focus and coverage, to the last bit."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.literal import added, float32
from locomo.text.sparse import Weighted, by_index, postings, rows, weighted
from locomo.text.tokens import stems
from locomo.text.vocabulary import Vocabulary, coverage, focus, logarithm, make_vocabulary, nearness, vectors

LN2 = 0.693147180559945309417232121458


# Weights


@pytest.mark.parametrize(
    ("numerator", "denominator", "digits"),
    [
        (1, 1, "0"),
        (2, 1, "0.693147180559945309417232121458"),
        (10, 1, "2.302585092994045684017991454684"),
        (3, 2, "0.405465108108164381978013115464"),
        # The logarithm of the quotient as a float is off by one bit for these: 4/3 and 6/5 are rounded up.
        (4, 3, "0.287682072451780927439219005994"),
        (6, 5, "0.182321556793954626211718025155"),
    ],
)
def test_logarithms_of_the_tables(numerator: int, denominator: int, digits: str) -> None:
    assert logarithm(numerator, denominator) == float(digits)


def test_logarithms_are_correctly_rounded() -> None:
    """Against ln(x) = 2 artanh((x - 1) / (x + 1)), in whole numbers of 2^-200."""
    for above, below in [(7, 3), (7, 6), (8, 5), (8, 6), (97, 31), (420, 419), (700, 2), (690, 1)]:
        total, power, n = 0, 2**200 * (above - below) // (above + below), 1
        while power:
            total += power // n
            power = power * (above - below) ** 2 // (above + below) ** 2
            n += 2
        assert logarithm(above, below) == float(Fraction(2 * total, 2**200))


def test_weights() -> None:
    turns = [["kayak", "red", "kayak"], ["kayak"], ["cat"]]
    vocabulary = make_vocabulary(turns, others=["paddl", "cat"])
    # T = 3: a term of two turns weighs ln(4/3), of one ln(4/2), one that is in none ln(4), known or not.
    assert vocabulary.weight("kayak") == float("0.287682072451780927439219005994")
    assert vocabulary.weight("red") == vocabulary.weight("cat") == LN2
    assert vocabulary.weight("paddl") == vocabulary.weight("zebra") == 2 * LN2
    assert (vocabulary.size, list(vocabulary.stems)) == (3, ["cat", "kayak", "red", "paddl"])


def test_a_term_of_every_turn_weighs_nothing() -> None:
    assert make_vocabulary([["tea"], ["tea", "cup"]], []).weight("tea") == 0


def test_terms_are_sorted_by_their_utf8_bytes() -> None:
    # UTF-16 would put the emoji, a surrogate pair, before the full-width letter.
    assert list(make_vocabulary([["😀", "ａ", "é", "z", "Z"]], []).stems) == ["Z", "z", "é", "ａ", "😀"]


# Vectors


def row(found: Weighted, index: int = 0) -> dict[int, float]:
    start, end = found.indptr[index : index + 2].tolist()
    assert found.data.dtype == np.float32
    pairs = zip(found.indices[start:end].tolist(), found.data[start:end].tolist(), strict=True)
    return {place: value for place, value in pairs if value}


def vectors_of(*texts: list[float]) -> Weighted:
    """Vectors of these float32 values at the terms 0, 1, 2, ..."""
    values = np.array([value for text in texts for value in text], np.float32)
    return weighted(rows([range(len(text)) for text in texts], len(texts[0])), values)


def test_a_vector_by_hand() -> None:
    vocabulary = Vocabulary(["cat", "dog", "tea"], 3, np.array([1.5, 4.0, 7.0, 9.0]))
    # Two cats (2 x 1.5) and a dog (4), an unknown word left out: 3, 4 and a length of 5.
    fifth = 13421773 / 2**26  # 1/5 in float32
    found = vectors(vocabulary.rows([["dog", "cat", "zebra", "cat"]]), vocabulary)
    assert row(found) == {0: float32(3 * fifth), 1: float32(4 * fifth)}


def test_a_vector_is_multiplied_by_the_inverse_and_not_divided() -> None:
    vocabulary = Vocabulary(["cat", "dog"], 2, np.array([5.0, 12.0, 0.0]))
    # 1/13 in float32 is 10324441 / 2^27. 5 x 10324441 = 51622205 = 4 x 12905551.25, of which float32 keeps
    # 12905551; 5/13 x 2^25 = 12905550.77 gives the same. But 12 x 10324441 = 123893292 = 8 x 15486661.5, a
    # tie that goes to the even 15486662, where 12/13 x 2^24 = 15486660.9 gives 15486661.
    assert row(vectors(rows([[0, 1]], 3), vocabulary)) == {0: 12905551 / 2**25, 1: 15486662 / 2**24}


def test_weights_are_rounded_before_squaring() -> None:
    # 1 + 2^-30 is 1 in float32, so that the vector is (1, 1) / sqrt(2) to the last bit.
    vocabulary = Vocabulary(["cat", "dog"], 2, np.array([1 + 2**-30, 1.0, 0.0]))
    assert row(vectors(rows([[0, 1]], 3), vocabulary)) == {0: float32(0.5**0.5), 1: float32(0.5**0.5)}


def test_squares_are_summed_one_after_the_other() -> None:
    # One weight of 1 - 2^-24, whose square is 1 - 2^-23 + 2^-48, and 1024 of 2^-28. Each small square, 2^-56,
    # is less than half of the last bit, 2^-53, and is lost if it is added alone; together they are 2^-46.
    # Lost: 1/sqrt is 1 + 2^-24 + 2^-48, above the middle of two float32, and becomes 1 + 2^-23.
    # Not lost (pairwise, or fsum): 1/sqrt is about 1 + 2^-24 - 2^-48, and becomes 1.
    weights = np.array([1 - 2**-24] + [2**-28] * 1024 + [0.0])
    vocabulary = Vocabulary([f"{number:04}" for number in range(1025)], 1025, weights)
    assert row(vectors(rows([range(1025)], 1026), vocabulary))[1024] == 2**-28 * (1 + 2**-23)


def test_texts_without_known_terms_are_zero() -> None:
    vocabulary = make_vocabulary([["cat"], ["dog"]], others=["zebra"])
    found = vectors(vocabulary.rows([[], ["zebra"], ["quagga"]]), vocabulary)
    # A stem of no turn has no place in a vector.
    assert (len(found), found.width, len(found.indices)) == (3, 2, 0)
    weightless = make_vocabulary([["cat"]], [])
    assert not row(vectors(rows([[0]], 2), weightless))


def test_nearness_is_summed_over_ascending_terms() -> None:
    # 2^54 + 1 + 1 - 2^54, one after the other: each 1 is lost. math.fsum and Python 3.12's sum give 2.
    big = 2.0**27
    assert nearness(vectors_of([big, 1, 1, big]), by_index(vectors_of([big, 1, 1, -big]))).tolist() == [[0.0]]
    # 2^54 - 2^54 + 1 + 1 in ascending order; with the terms the other way round nothing is left but 0.
    assert nearness(vectors_of([big, big, 1, 1]), by_index(vectors_of([big, -big, 1, 1]))).tolist() == [[2.0]]


def test_nearness_multiplies_in_float64() -> None:
    # (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46 has too many bits for float32.
    one = vectors_of([1 + 2**-23])
    assert nearness(one, by_index(one)).tolist() == [[1 + 2**-22 + 2**-46]]


# Focus


@pytest.mark.parametrize(
    ("question", "subject", "expected"),
    [
        ("When did Ada buy the kayak?", "ada", ["buy", "kayak"]),
        ("Is a kayak or are kayaks red?", "", ["kayak", "kayak", "red"]),  # repeats kept
        # The stop list is compared with the stem, unstemmed: "very", "only" and "because" stay, as "veri",
        # "onli" and "becaus"; "his" and "having" go, as their stems "hi" and "have" are stop words.
        ("Only his very red kayak, because having it", "", ["onli", "veri", "red", "kayak", "becaus"]),
        # Question words are stemmed first: "mentioned" takes away "mention", "according" takes "accord".
        ("According to accords, was what Bob mentions named?", "", ["bob"]),
        ("What are the names Bob mentioned?", "bob", []),
        ("Who loves Ada Loving's lovely loves?", "ada loving", []),  # the subject's stems: ada, love
        ("Who loves Adam?", "ada", ["love", "adam"]),
        ("", "", []),
    ],
)
def test_focus(question: str, subject: str, expected: list[str]) -> None:
    found = focus(stems(question), subject)
    assert found == expected


# Coverage


def covered(vocabulary: Vocabulary, asked: list[str], have: list[str]) -> float:
    return float(coverage(vocabulary.rows([asked]), postings(vocabulary.rows([have])))[0, 0])


@pytest.mark.parametrize(
    ("asked", "have", "expected"),
    [
        ([], ["tea"], 0),
        (["cup"], [], 0),
        (["cup"], ["cup", "cup"], 1),
        (["tea", "tea"], ["tea"], 0),  # in every turn, so without weight
        (["cup", "tea"], ["cup"], 1),
        # cup and pot weigh ln 2 each, an unknown word ln 4 = 2 ln 2: exact powers of two times one number.
        (["cup", "pot"], ["cup"], 1 / 2),
        (["cup", "zebra", "pot"], ["cup"], 1 / 4),
        # "zebra" is in no turn, but in another text (a sentence, a predicate), which therefore can cover it.
        (["zebra"], ["zebra", "quagga"], 1),
        (["cup", "cup", "cup", "pot"], ["cup"], (LN2 + LN2 + LN2) / (LN2 + LN2 + LN2 + LN2)),
        (["cup", "cup", "cup", "pot"], ["pot"], 1 / 4),
    ],
)
def test_coverage(asked: list[str], have: list[str], expected: float) -> None:
    vocabulary = make_vocabulary([["tea", "cup"], ["tea", "pot"], ["tea"]], others=["zebra"])
    assert covered(vocabulary, asked, have) == expected


def test_no_text_covers_a_word_that_is_nowhere() -> None:
    vocabulary = make_vocabulary([["tea", "cup"], ["tea", "pot"], ["tea"]], [])
    # ln 2 over ln 2 + ln 4 + ln 4
    assert covered(vocabulary, ["cup", "zebra", "quagga"], ["cup"]) == LN2 / (LN2 + 2 * LN2 + 2 * LN2)


def test_coverage_is_summed_in_the_order_of_the_focus() -> None:
    vocabulary = Vocabulary(["big", "one", "uno"], 3, np.array([2.0**53, 1.0, 1.0, 0.0]))
    # 2^53 + 1 + 1 is 2^53 one after the other, since 2^53 + 1 is no float; 1 + 1 + 2^53 is exact.
    assert covered(vocabulary, ["big", "one", "uno"], ["one", "uno"]) == 2 / 2**53
    assert covered(vocabulary, ["one", "uno", "big"], ["one", "uno"]) == 2 / (2**53 + 2)
    assert covered(vocabulary, ["big", "one", "one"], ["one"]) == 2 / 2**53  # so do repeats
    assert math.fsum([2.0**53, 1, 1]) == 2**53 + 2  # what must not be used


# Everything at once is the same, bit for bit, as one at a time

TERMS = 12
lists = st.lists(st.integers(0, TERMS), max_size=9)
weights = st.lists(st.floats(0, 7), min_size=TERMS + 1, max_size=TERMS + 1)
exactly = settings(deadline=None, print_blob=True, max_examples=150)


@exactly
@given(st.lists(lists, min_size=1, max_size=4), st.lists(lists, min_size=1, max_size=4), weights)
def test_coverage_is_that_of_each_pair(
    asked: list[list[int]], texts: list[list[int]], w: list[float]
) -> None:
    vocabulary = Vocabulary([f"{term:02}" for term in range(TERMS)], TERMS, np.array(w))
    expected = []
    for question in asked:
        whole = added([w[term] for term in question])
        parts = [added([w[term] for term in question if term in set(text)]) for text in texts]
        expected.append([part / whole if whole > 0 else 0.0 for part in parts])
    focuses = rows(asked, TERMS + 1)
    focuses = weighted(focuses, vocabulary.weights[focuses.indices])
    assert coverage(focuses, postings(rows(texts, TERMS + 1))).tolist() == expected


def naive_vector(text: list[int], w: list[float], size: int) -> dict[int, float]:
    values = {term: float32(text.count(term) * w[term]) for term in sorted(set(text)) if term < size}
    squares = added([value * value for value in values.values()])
    if not squares > 0:
        return {}
    inverse = float32(1 / math.sqrt(squares))
    return {term: value for term, v in values.items() if (value := float32(v * inverse))}


@exactly
@given(lists, st.lists(lists, min_size=1, max_size=4), weights, st.integers(1, TERMS))
def test_nearness_is_that_of_each_pair(
    query: list[int], texts: list[list[int]], w: list[float], size: int
) -> None:
    w = [weight if weight > 1e-6 else 0.0 for weight in w]  # weights are logarithms, never as small as that
    vocabulary = Vocabulary([f"{term:02}" for term in range(TERMS)], size, np.array(w))
    asked = naive_vector(query, w, size)
    held = [naive_vector(text, w, size) for text in texts]
    one, many = (vectors(rows(lists, TERMS + 1), vocabulary) for lists in ([query], texts))
    assert [row(one), *(row(many, index) for index in range(len(texts)))] == [asked, *held]
    expected = [added([value * text.get(term, 0.0) for term, value in asked.items()]) for text in held]
    assert nearness(one, by_index(many)).tolist() == [expected]


def test_entries_keep_their_order_and_repeats() -> None:
    found = rows([[3, 1, 3], [], [0]], 4)
    assert (len(found), found.width) == (3, 4)
    assert (found.indices.tolist(), found.indptr.tolist()) == ([3, 1, 3, 0], [0, 3, 3, 4])
