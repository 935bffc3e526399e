"""SPEC 2: one tokenisation for turns, questions and answers."""

import string

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from locomo.text import tokens
from locomo.text.tokens import fold, normalise, sentences, stems, stems_of, words


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("I bought a kayak, and the paddle.", "i bought kayak paddle"),
        ("An owl AND The fox", "owl fox"),
        ("banana theatre sand", "banana theatre sand"),  # whole words only
        # No space is put in place of what is dropped.
        ("self-care", "selfcare"),
        ("red,white", "redwhite"),
        ("1,000.50", "100050"),
        ("and/or", "andor"),
        ("snake_case", "snakecase"),
        # Punctuation goes first, and so can leave an article behind, or join one to its neighbour.
        ("A.N. Other", "other"),
        ("the-end", "theend"),
        # Other punctuation than ASCII's stays, and is a boundary.
        ("Tim’s", "tim’s"),
        ("the’s", "’s"),
        ("a–b", "–b"),
        # A combining mark belongs to the word: "á" in two characters is no article, nor is "ñ" or "áb".
        ("a\u0301", "a\u0301"),
        ("\u0301a", "\u0301a"),
        ("an\u0303 an", "an\u0303"),
        # A superscript two is neither letter nor digit nor mark.
        ("a²", "²"),
        ("\tA\u00a0blue\u2003kayak\n", "blue kayak"),
        ("ÉTÉ", "été"),
        ("", ""),
        ("?! , the", ""),
    ],
)
def test_normalise(raw: str, expected: str) -> None:
    assert normalise(raw) == expected


def test_all_of_ascii_punctuation_is_dropped() -> None:
    assert len(string.punctuation) == 32
    assert normalise("x".join(string.punctuation)) == "x" * 31


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Kayaking with the happy ponies", ["kayak", "with", "happi", "poni"]),
        ("kayaks, kayak", ["kayak", "kayak"]),
        # NLTK's default mode, where the 1980 paper has "enjoi", "new" and "dy".
        ("enjoyed news, dying", ["enjoy", "news", "die"]),
        ("self-caring", ["selfcar"]),
        ("tea — sugar", ["tea", "—", "sugar"]),  # a field without a word character is a stem too
    ],
)
def test_stems(raw: str, expected: list[str]) -> None:
    assert stems(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Wow - that's 5 % — ok", ["wow", "thats", "5", "ok"]),
        ("“…” “yes”", ["“yes”"]),  # kept whole: only fields are left out
        ("² ½ € 😀", []),
        ("\u0301 ٣ é 犬", ["\u0301", "٣", "é", "犬"]),  # a mark, a digit, two letters
    ],
)
def test_words(raw: str, expected: list[str]) -> None:
    assert words(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Wow...", ["Wow.", ".", "."]),
        ("Yes! Really?  Maybe", ["Yes!", "Really?", "Maybe"]),
        ("What?!", ["What?", "!"]),
        ("3.5 km", ["3.", "5 km"]),
        ("one\n\n two \n", ["one", "two"]),  # a newline is a mark too, and stripped
        ("well… ok; fine: good。", ["well… ok; fine: good。"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_sentences(raw: str, expected: list[str]) -> None:
    assert sentences(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"), [("  New\t York\n", "new york"), ("ÉLAN", "élan"), ("it's The A.", "it's the a.")]
)
def test_fold(raw: str, expected: str) -> None:
    assert fold(raw) == expected


PIECES = [*"aTnd. ,-'_Σς1é\u0301—’\n\x00\x1c", "the", "And", "İ", "😀"]
ODD = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@settings(print_blob=True)
@given(ODD)
def test_plain_text_and_other_is_normalised_alike(raw: str) -> None:
    """SPEC 2 in one line: what is plain takes a shorter way."""
    lowered = raw.replace(",", "").lower().translate(str.maketrans("", "", string.punctuation))
    expected = regex.sub(r"\b(a|an|the|and)\b", " ", lowered).split()
    assert normalise(raw).split() == expected
    assert words(raw) == [field for field in expected if regex.search(r"[\p{L}\p{Nd}\p{M}_]", field)]


@settings(print_blob=True)
@given(ODD, ODD)
def test_stems_of_texts_apart_are_those_of_one_text(one: str, other: str) -> None:
    """`build` and F1 rely on it: they join stems and not texts."""
    assert stems(f"{one} {other}") == stems(f"{one}, {other}") == stems(one) + stems(other)
    assert stems(f'said, "{one}"') == [*stems("said"), *stems(one)]
    assert stems_of(normalise(one).split()) == stems(normalise(one))


def test_the_stemmer_is_that_of_nltk() -> None:
    """It is imported without NLTK's packages, which others can still import."""
    from nltk.stem import PorterStemmer

    stem_there = PorterStemmer().stem
    for word in ("ponies", "dying", "generously", "sky", "skies", "été", "2023", ""):
        assert tokens._porter()(word) == stem_there(word)
