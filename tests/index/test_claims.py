"""SPEC 4: what a sentence claims. Ada speaks to Bob; "Tess" is a known name."""

import pytest

from helpers.talks import talk
from locomo.index.claims import Claim, read_claims, sentence_of
from locomo.text.tokens import sentences

NAMES = ["tess", "ada", "bob"]
Claimed = list[tuple[str, str, str]]


def read(*lines: str) -> list[Claim]:
    conversation = talk(*lines)
    spoken = [
        sentence_of(text, index)
        for index, turn in enumerate(conversation.turns)
        for text in sentences(turn.text)
    ]
    return read_claims(conversation, spoken, NAMES)


def claimed(line: str) -> Claimed:
    return [claim.fact for claim in read(line if ": " in line else f"Ada: {line}")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("I bought a kayak.", [("Ada", "bought", "kayak")]),
        ("You bought a kayak.", [("Bob", "bought", "kayak")]),
        ("Bob: You bought a kayak.", [("Ada", "bought", "kayak")]),
        ("Cy: You bought a kayak.", [("Ada", "bought", "kayak")]),  # anybody else's other is speaker_a
        ("Cy: I bought a kayak.", [("Cy", "bought", "kayak")]),
        # A speaker's name keeps its spelling, another known name is in lower case.
        ("Well, BOB bought a kayak.", [("Bob", "bought", "kayak")]),
        ("Well, Tess bought a kayak.", [("tess", "bought", "kayak")]),
        # The first of them is the subject, and the rest starts after it.
        ("Bob said I bought a kayak.", [("Bob", "said", "bought kayak")]),
        ("My dad bought Tess a kayak.", [("Ada", "bought", "tess kayak")]),
        ("That kayak Tess bought sank.", [("tess", "bought", "sank")]),
        ("They bought it from me.", []),  # nothing is left to say
        # Nobody: it is about the speaker, and the whole sentence counts.
        ("Went home.", [("Ada", "went", "home")]),
        ("Zoe bought a kayak.", [("Ada", "bought", "kayak")]),
        ("Tess's kayak sank.", [("Ada", "about", "tesss kayak sank")]),  # "tesss" is no name
        # "We're" without its apostrophe is "were", no first person but an auxiliary.
        ("We're painting fences.", [("Ada", "painting", "fences")]),
        ("Tess, we're painting.", []),
    ],
)
def test_subject(line: str, expected: Claimed) -> None:
    assert claimed(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # The first verbal word, whatever stands before it.
        ("My old aunt from Rome adopted kittens.", [("Ada", "adopted", "kittens")]),
        ("I read books.", [("Ada", "read", "books")]),
        # More than four bytes and -ing or -ed; "sing" and "used" have four.
        ("I added salt.", [("Ada", "added", "salt")]),
        ("I sing songs.", [("Ada", "about", "sing songs")]),
        ("I used salt.", [("Ada", "about", "used salt")]),
        ("I åing logs.", [("Ada", "åing", "logs")]),  # five bytes, four characters
        ("I éed logs.", [("Ada", "about", "éed logs")]),  # four bytes
        # An auxiliary gives way to a verb behind it, over further auxiliaries.
        ("I was painting fences.", [("Ada", "painting", "fences")]),
        ("I could have been painting fences.", [("Ada", "painting", "fences")]),
        ("I got married today.", [("Ada", "married", "today")]),  # "got" is listed as both
        ("I want being painted.", [("Ada", "want", "painted")]),  # a verb does not; "being" is a stop word
        # What is not verbal ends the look, and the objects start right after the first auxiliary.
        ("I was happy painting.", [("Ada", "was", "happy painting")]),
        ("I have been there before lunch.", [("Ada", "have", "lunch")]),
        ("I could have lunch painting.", [("Ada", "could", "lunch painting")]),
        ("I will.", []),
        ("I will get lunch.", [("Ada", "will", "get lunch")]),  # "get" is passed over, then is an object
        # No verbal word at all.
        ("My red kayak, Bob.", [("Ada", "about", "red kayak bob")]),
    ],
)
def test_predicate(line: str, expected: Claimed) -> None:
    assert claimed(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("I never bought kayaks.", [("Ada", "not bought", "kayaks")]),
        ("I don't think so.", []),
        ("I can't find keys.", [("Ada", "not find", "keys")]),
        ("I did not buy kayaks.", [("Ada", "not buy", "kayaks")]),
        ("I have never been painting fences.", [("Ada", "not painting", "fences")]),
        ("I have been not painting fences.", [("Ada", "not painting", "fences")]),
        ("I was not happy.", [("Ada", "not was", "happy")]),
        ("I never was happy.", [("Ada", "not was", "happy")]),
        ("I cannot not buy kayaks.", [("Ada", "not buy", "kayaks")]),  # two negations are one
        # A negation behind the predicate is not met on the way to it, nor one behind what ends the look.
        ("I bought not kayaks.", [("Ada", "bought", "kayaks")]),
        ("I was happy not painting.", [("Ada", "was", "happy"), ("Ada", "was", "painting")]),
        # Without a verbal word, negations are forgotten.
        ("I never swim laps.", [("Ada", "about", "swim laps")]),
        # "nothing" ends in -ing. Sought, it is both; behind an auxiliary, only a negation; behind the
        # predicate, neither.
        ("My nothing matters.", [("Ada", "not nothing", "matters")]),
        ("I did nothing today.", [("Ada", "not did", "nothing today")]),
        ("I did nothing painting fences.", [("Ada", "not painting", "fences")]),
        ("I did nothing.", [("Ada", "not did", "nothing")]),
        ("I bought nothing.", [("Ada", "bought", "nothing")]),
    ],
)
def test_negation(line: str, expected: Claimed) -> None:
    assert claimed(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("I bought red kayaks with two paddles, and tea.", ["red kayaks", "two paddles tea"]),
        ("I bought with for.", []),
        ("I bought a b c d e f.", ["b c d e f"]),  # "a" is an article
        ("I bought u v w x y z.", ["u v w x y z"]),
        ("I bought u v w x y z with tea.", ["u v w x y z", "tea"]),
        ("I bought k u v w x y z.", ["k u v w x y", "z"]),
        ("I bought k u v w x y z k u v w x y.", ["k u v w x y", "z k u v w x", "y"]),
        # The count starts again at a stop word.
        ("I bought k u v of w x y z.", ["k u v", "w x y z"]),
    ],
)
def test_objects(line: str, expected: list[str]) -> None:
    assert claimed(line) == [("Ada", "bought", run) for run in expected]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # "called" is also the verb behind "is"; the naming follows the other claims.
        ("The boat is called Mist.", [("Ada", "called", "mist"), ("boat", "named", "mist")]),
        # Up to three words on each side, and no further than the next stop word.
        (
            "My big old red boat was named Grey Sea Mist Two.",
            [("Ada", "named", "grey sea mist two"), ("old red boat", "named", "grey sea mist")],
        ),
        (
            "Boat called Mist of Dawn",
            [("Ada", "called", "mist"), ("Ada", "called", "dawn"), ("boat", "named", "mist")],
        ),
        # The thing reaches back to the next stop word and over a verb, which is none.
        (
            "I bought a boat called Mist",
            [("Ada", "bought", "boat"), ("Ada", "bought", "mist"), ("bought boat", "named", "mist")],
        ),
        ("The cat with my boat called Mist", [("Ada", "called", "mist"), ("boat", "named", "mist")]),
        # The rest starts after the subject, the naming is of the whole sentence.
        ("Boat called Tess", [("boat", "named", "tess")]),
        # Either is empty.
        ("Named Mist", [("Ada", "named", "mist")]),
        ("It was called Mist", [("Ada", "called", "mist")]),
        ("A boat named after Rome", [("Ada", "named", "rome")]),
        ("The boat was called", []),
        # Two namings in their order; the second thing is what lies between.
        (
            "The cat called Max met dogs named Rex",
            [
                ("Ada", "called", "max met dogs"),
                ("Ada", "called", "rex"),
                ("cat", "named", "max met dogs"),
                ("max met dogs", "named", "rex"),
            ],
        ),
        # Only these two words name.
        ("The boat, nicknamed Mist", [("Ada", "nicknamed", "mist")]),
    ],
)
def test_naming(line: str, expected: Claimed) -> None:
    assert claimed(line) == expected


@pytest.mark.parametrize(
    "line", ["Is your boat called Mist?", "I bought a kayak?", "...!", "— 😀", "The. And!"]
)
def test_what_claims_nothing(line: str) -> None:
    assert claimed(line) == []


def test_claims_come_sentence_by_sentence_with_their_places() -> None:
    found = read("Ada: Hi! I bought tea. Did you?", "Bob: No...\nYou bought cake")
    # Sentences: "Hi!" 0, "I bought tea." 1, "Did you?" 2; "No." 3, "." 4, "." 5, "You bought cake" 6.
    assert found == [
        Claim("Ada", "bought", "tea", 0, 1),
        Claim("Ada", "bought", "cake", 1, 6),
    ]


def test_captions_claim_too() -> None:
    # The caption follows a newline, so it is a sentence of its own, with "shares" and no subject.
    assert claimed("I bought tea\n[shares a red kayak]") == [
        ("Ada", "bought", "tea"),
        ("Ada", "about", "shares red kayak"),
    ]
