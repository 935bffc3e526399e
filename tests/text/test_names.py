"""SPEC 4, rule 0, and SPEC 8: which names are known, and which of them a question mentions."""

import pytest

from locomo.text.names import known_names, mentions

SPEAKERS = ("Ada", "Bob")


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["I met Tess.", "Then Tess left."], ["tess"]),
        (["I met Tess."], []),  # once is too little
        (["Tess left.", "Tess came.", "I met Tess."], []),  # the start of a sentence counts for nothing
        (["I met Tess.", "Tess left.", "Is Tess in?"], ["tess"]),
        # Once in lower case anywhere, at a start too, and it is no name.
        (["I met Rose.", "Then Rose left.", "He rose."], []),
        (["I met Rose.", "Then Rose left.", "rose wine"], []),
        # Any spelling other than the lower-case one has a capital.
        (["Up to NASA.", "From nASA."], ["nasa"]),
        # The start is field 0, whatever it trims to: behind a dash "Tess" stands within.
        (["— Tess left.", "- Tess came."], ["tess"]),
        # What is no letter, digit, mark or underscore is trimmed off both ends; what is inside stays.
        (["So “Tess”!", "With (Tess),"], ["tess"]),
        (["By O'Neil's.", "To O'Neil's?"], ["o'neil's"]),
        (["In New-York.", "To New York."], []),
        (["Call _Tess_.", "Call _Tess_ again."], ["_tess_"]),
        (["Meet Zoe\u0301.", "With Zoe\u0301!"], ["zoe\u0301"]),
        (["On X² now.", "An X² too."], []),  # trimmed to "x", one byte
        # Stop words are no names, in the form they have here: "don't" is not the list's "dont".
        (["So The end.", "In The end."], []),
        (["We Don't go.", "You Don't go."], ["don't"]),
        # At least three bytes, not characters.
        (["With Jo now.", "See Jo go."], []),
        (["With Jö now.", "See Jö go."], ["jö"]),
        # A digit alone equals its lower-case form.
        (["In 2023 it.", "In 2023 we."], []),
    ],
)
def test_known_names(sentences: list[str], expected: list[str]) -> None:
    assert known_names(sentences, SPEAKERS) == sorted(
        [*expected, "ada", "bob"], key=lambda name: (-len(name.encode()), name.encode())
    )


def test_speakers_are_known_whatever_is_written() -> None:
    assert known_names(["ada and bob", "It is ada."], SPEAKERS) == ["ada", "bob"]
    assert known_names([], ["Jo", "The"]) == ["the", "jo"]


def test_longest_first_in_bytes_then_by_byte_order() -> None:
    sentences = ["It is Zoë, Ann, Abel, Ünal and Émil."] * 2
    # émil and ünal are five bytes, abel and zoë four; é (c3 a9) is before ü (c3 bc).
    assert known_names(sentences, SPEAKERS) == ["émil", "ünal", "abel", "zoë", "ada", "ann", "bob"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Tim buy?", ["tim"]),
        ("TIM?", ["tim"]),
        ("tim", ["tim"]),
        ("Where is Tim's canoe?", ["tim"]),
        # A curly apostrophe begins with the byte e2, which reads as "â", a letter.
        ("Where is Tim’s canoe?", []),
        ("Where is Tim’s canoe, if Tim knows?", ["tim"]),  # a later mention stands free
        ("“Tim” it was?", []),  # the last byte of “ is 9c, no letter, but ” begins with e2
        ("“Tim, was it?", ["tim"]),
        # The byte before: é is c3 a9, © in Latin-1; à is c3 a0, a no-break space; ú is c3 ba, "º", a letter.
        ("étim éTim", ["tim"]),
        ("àtim", ["tim"]),
        ("útim", []),
        ("Timothy, Ultim or tim_tam", []),
        ("tim2 2tim", []),
        ("tim²", []),  # c2 b2: "Â" is a letter
        ("tim-tam", ["tim"]),
        ("Did Tim Roe meet Ann?", ["tim roe", "ann", "tim"]),  # longest first; one may lie in another
        ("Ann, Tim", ["ann", "tim"]),  # in the order of the names, not of the question
        ("anntim timann", []),
        ("", []),
    ],
)
def test_mentions(question: str, expected: list[str]) -> None:
    assert mentions(question, ["tim roe", "ann", "tim"]) == expected


def test_names_of_other_alphabets_are_mentioned() -> None:
    assert mentions("Wo ist Jörg?", ["jörg"]) == ["jörg"]
    assert mentions("Wo ist Jörgé?", ["jörg"]) == []
