"""SPEC 9: what is lifted out of the cited turns."""

import math
from datetime import datetime
from itertools import product

import pytest

from helpers.talks import built
from locomo.formats.store import Store
from locomo.memory.base import Cite, Cites
from locomo.memory.query import QueryBlock
from locomo.reader.base import AskedQuestion, Prepared, Reader, ReaderSettings, Reply
from locomo.reader.gather import GatherReader
from locomo.reader.lifting import Lifting
from locomo.reader.recite import ReciteReader
from locomo.reader.reply import ReplyReader

NONE = "No information available"
DEFAULTS = ReaderSettings(k=5, floor=0, span=4, band=0.9, parts=2)
REPLY, RECITE, GATHER = ReplyReader(), ReciteReader(), GatherReader()


def lifting(store: Store, question: str) -> Lifting:
    return Lifting(AskedQuestion(QueryBlock(store, [question]), 0))


def prepared(reader: Reader, store: Store, question: str, cites: Cites) -> Prepared:
    return reader.prepare(AskedQuestion(QueryBlock(store, [question]), 0), cites)


def said(
    reader: Reader, store: Store, question: str, cites: Cites, settings: ReaderSettings = DEFAULTS
) -> str:
    return prepared(reader, store, question, cites).reply(settings).text


def listed(*cites: Cite) -> Cites:
    turns, scores, phrases = zip(*cites, strict=True) if cites else ((), (), ())
    return Cites(turns, scores, phrases)


def cites(*scores: float) -> Cites:
    """The turns in order, with these scores."""
    return listed(*(Cite(turn, score) for turn, score in enumerate(scores)))


# Whether to say anything

STORE = built("Ada: I painted old boats.", "Ada: I sold kites.", "Ada: I baked cakes.", "Bob: Did you?")


@pytest.mark.parametrize(
    ("question", "confidence", "text"),
    [
        # Kites and cakes stand in one turn each, so the turn with the kites covers half of the question.
        ("Kites or cakes?", 0.5, "sold"),
        ("When, kites or cakes?", 0.5, "8 May, 2023"),
        ("Kites?", 1.0, "sold"),
        ("Cakes?", 0.0, "sold kites"),
    ],
)
@pytest.mark.parametrize("reader", [REPLY, RECITE, GATHER])
def test_the_floor_itself_is_enough(reader: Reader, question: str, confidence: float, text: str) -> None:
    found = prepared(reader, STORE, question, listed(Cite(1, 1.0)))
    for floor, expected in [(0.0, text), (confidence, text), (math.nextafter(confidence, 2), NONE)]:
        assert found.reply(DEFAULTS._replace(floor=floor)) == Reply(expected, confidence)


@pytest.mark.parametrize("reader", [REPLY, RECITE, GATHER])
def test_no_cites_or_nothing_to_say(reader: Reader) -> None:
    assert said(reader, STORE, "Ada?", listed()) == NONE
    # Of a turn that only asks, nothing is lifted; nor of one whose words were all in the question.
    assert said(reader, STORE, "Ada?", listed(Cite(3, 1.0))) == NONE
    assert said(reader, STORE, "What did I bake, a cake?", listed(Cite(2, 1.0))) == NONE


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("When did Ada paint?", True),
        ("And WHEN, what then?", True),
        ("What did Ada paint when it rained?", False),  # the first interrogative counts
        ("Who knows when?", False),
        ("Ada painted when?", True),
        ("Whenever did Ada paint?", False),
        ("Whose boat, and when?", True),  # "whose" is not in the list
    ],
)
def test_asking_when(question: str, asks: bool) -> None:
    assert lifting(STORE, question).asks_when is asks
    assert (said(REPLY, STORE, question, cites(1.0)) == "8 May, 2023") is asks


# The span

TALK = (
    "Ada: We paint boats. We paint red boats, red, then sell them. Do we paint red boats well?",
    "Bob: Hello there, boats sail.",
    "Ada: Red sail, green sail, and a paint of mist!",
    "Bob: Is it so?",
    "Bob: ...",
    "Bob: We paint.",
)
# In turns: paint 3 of 6, boat 2, red 2, sail 2, sell, green, mist and hello 1; a rarer word is heavier.


@pytest.mark.parametrize(
    ("question", "turn", "length", "expected"),
    [
        # The sentence that covers most; questions are left out, though the third has more of this.
        ("Are red boats painted well?", 0, 4, "sell"),
        ("Zebras?", 0, 4, "paint boats"),  # none does: the first
        ("What is sold?", 0, 4, "paint boats"),  # "sold" is another stem than "sell"
        ("Who sells?", 0, 4, "paint red boats red"),
        # The heaviest, in their order in the sentence; at equal weight the earlier.
        ("Mist?", 2, 2, "red green"),
        ("Mist?", 2, 3, "red sail green"),
        ("Paint of what mist?", 2, 4, "red sail green sail"),
        ("Paint of what mist?", 2, 3, "red sail green"),
        ("Paint of what mist?", 2, 1, "green"),
        ("Green paint?", 2, 9, "red sail sail mist"),
        # "hello" and "there" are stop words.
        ("Boats?", 1, 4, "sail"),
        ("Sailing boats?", 1, 4, ""),
        ("Anything?", 3, 4, ""),  # only asked
        ("Anything?", 4, 4, ""),  # nothing in words
    ],
)
def test_span(question: str, turn: int, length: int, expected: str) -> None:
    assert lifting(built(*TALK), question).span(turn, length) == expected


def test_a_turn_without_text_has_no_span_and_is_of_its_session() -> None:
    store = built("Ada: ", "Bob: Tea.")
    assert lifting(store, "Tea?").span(0, 4) == ""
    assert lifting(store, "When?").date(0) == "8 May, 2023"


# Which cites, how many

PARTS = built(
    "Ada: We paint boats.", "Ada: We paint boats.", "Bob: Tea?", "Ada: We sell kites.", "Ada: We bake."
)


@pytest.mark.parametrize(
    ("scores", "band", "parts", "expected"),
    [
        # The second says the same, the third asks: neither takes a part.
        ([1, 1, 1, 1, 1], 0.9, 2, "paint boats, sell kites"),
        ([1, 1, 1, 1, 1], 0.9, 1, "paint boats"),
        ([1, 1, 1, 1, 1], 0.9, 9, "paint boats, sell kites, bake"),
        # The band ends at the first cite below it, whatever comes later; its edge is within.
        ([1, 1, 1, 0.75, 0.5], 0.75, 9, "paint boats, sell kites"),
        ([1, 0.5, 1, 1, 1], 0.75, 9, "paint boats"),
        ([1, 0.75, 0.5, 1, 1], 0.0, 9, "paint boats, sell kites, bake"),
        ([0.5, 0.5, 0.5, 1, 0.25], 1.0, 9, "paint boats, sell kites"),
        ([0, 0, 0, 0, 0], 0.9, 2, "paint boats, sell kites"),  # oracle's cites may all score 0
    ],
)
def test_reply_keeps_to_band_and_parts(scores: list[float], band: float, parts: int, expected: str) -> None:
    chosen = DEFAULTS._replace(band=band, parts=parts)
    for reader in (REPLY, RECITE):  # the same for phrases; these cites have none, so their spans are taken
        assert said(reader, PARTS, "What?", cites(*scores), chosen) == expected
    assert said(GATHER, PARTS, "What?", cites(*scores), chosen) == "paint boats, sell kites, bake"


@pytest.mark.parametrize("reader", [REPLY, RECITE, GATHER])
def test_a_reply_does_not_depend_on_the_settings_before(reader: Reader) -> None:
    found = cites(1, 1, 1, 0.75, 0.5)
    chosen = [
        ReaderSettings(*values) for values in product((5, 1, 4), (0, 1), (1, 4), (0.5, 0.75, 1), (9, 1, 2))
    ]
    once = prepared(reader, PARTS, "What paint, zebra?", found)
    expected = [said(reader, PARTS, "What paint, zebra?", found, one) for one in chosen]
    assert len(set(expected)) > 2
    assert [once.reply(one).text for one in chosen + chosen[::-1]] == expected + expected[::-1]


# Phrases


@pytest.mark.parametrize(
    ("phrase", "question", "expected"),
    [
        ("old boats", "What did Ada paint?", "old boats"),
        ("Old, Boats!", "What did Ada paint?", "old boats"),  # its words are normalised
        ("old boats", "Which boat did Ada paint?", "old"),  # less what was asked, by stem
        ("Only the boats!", "Which boat did Ada paint?", "Only the boats!"),  # nothing is left: as it stands
        ("kites of old boats", "What did Ada paint?", "kites old boats"),
        ("one two three four five six", "What?", "one two three four five six"),  # `span` is no limit here
        (None, "What did Ada paint?", "old boats"),  # without a phrase, the span
        ("", "What did Ada paint?", "old boats"),
    ],
)
def test_recite_and_gather_take_the_new_words_of_the_phrase(
    phrase: str | None, question: str, expected: str
) -> None:
    for reader in (RECITE, GATHER):
        assert said(reader, STORE, question, listed(Cite(0, 1.0, phrase))) == expected


def test_reply_takes_no_phrase() -> None:
    assert said(REPLY, STORE, "What?", listed(Cite(0, 1.0, "kites"))) == "painted old boats"


def test_gather_has_neither_band_nor_parts_and_says_each_thing_once() -> None:
    found = listed(Cite(0, 1.0, "tea"), Cite(1, 0.1, "cake"), Cite(0, 0.0, "Tea"), Cite(2, 0.0, "buns"))
    assert said(GATHER, STORE, "What?", found) == "tea, cake, buns"
    assert said(RECITE, STORE, "What?", found) == "tea"


def test_a_phrase_answers_for_a_turn_that_only_asks() -> None:
    assert said(RECITE, STORE, "What?", listed(Cite(3, 1.0, "tea"))) == "tea"


# Dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The session is on 8 May, 2023. The day is the next word, if that is a number, else the word before.
        ("It was on May 7.", "7 May, 2023"),
        ("It was on 7 May.", "7 May, 2023"),
        ("It was on 7 May, at 9.", "7 May, 2023"),
        ("It was on May 3, not on 7.", "3 May, 2023"),
        ("It was 7 May 3.", "3 May, 2023"),  # the next word comes first
        ("It was 7 May 0.", "7 May, 2023"),  # 0 is no day
        ("It was 7 May 00.", "7 May, 2023"),
        ("It was May 07.", "7 May, 2023"),
        ("It was May 7th.", "May 2023"),  # "7th" is no number
        ("It was May ٧.", "May 2023"),
        ("It was early in May.", "May 2023"),
        ("In May", "May 2023"),
        ("May", "May 2023"),
        ("It may rain", "May 2023"),  # the word list knows no better
        # The next word is a number, and no day: not the word before then.
        ("It was 7 May 2023.", "May 2023"),
        ("It was 7 May 32.", "May 2023"),
        ("It was 2022 May.", "May 2023"),
        # A month later than the session's is of the year before; the day does not matter.
        ("It was 7 June.", "7 June, 2022"),
        ("It was 31 December.", "31 December, 2022"),
        ("It will be 30 May.", "30 May, 2023"),
        ("It was in Sept 2023.", "September 2022"),
        ("It was in Jan.", "January 2023"),
        # Past the end of the month: into the next.
        ("It was 31 February.", "3 March, 2023"),
        ("It was 31 April.", "1 May, 2023"),
        ("It was 31 November.", "1 December, 2022"),
        # The first month name.
        ("Between 3 April or so and 4 March.", "3 April, 2023"),
        ("Between 3 April and 4 March.", "4 April, 2023"),  # "and" is no word, so 4 comes next
        ("Not April, 4 March.", "4 April, 2023"),  # the words run on: "april 4 march"
        # No month: the day before, or the session's.
        ("It was yesterday.", "7 May, 2023"),
        ("Yesterday, on 3 April.", "3 April, 2023"),
        ("It was yesterday’s.", "8 May, 2023"),
        ("It was today, 3/4.", "8 May, 2023"),
        ("!", "8 May, 2023"),
    ],
)
def test_date(text: str, expected: str) -> None:
    assert lifting(built(f"Ada: {text}", "Bob: Tea."), "When?").date(0) == expected


@pytest.mark.parametrize(
    ("session", "text", "expected"),
    [
        (datetime(2024, 3, 1, 0, 5), "yesterday", "29 February, 2024"),
        (datetime(2023, 1, 1, 23, 59), "yesterday", "31 December, 2022"),
        (datetime(2024, 5, 2), "31 February", "2 March, 2024"),
        (datetime(2024, 12, 2), "30 December", "30 December, 2024"),
        (datetime(2024, 1, 2), "31 December", "31 December, 2023"),
    ],
)
def test_dates_of_other_sessions(session: datetime, text: str, expected: str) -> None:
    assert lifting(built(f"Ada: {text}", date=session), "When?").date(0) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The sentence that covers the question best, questions included.
        ("I bake. Did I paint on 3 April? Tea on 4 March.", "3 April, 2023"),
        ("Tea on 4 March. I painted yesterday.", "7 May, 2023"),
        (
            "I painted. Yesterday, on 4 March.",
            "8 May, 2023",
        ),  # "yesterday" of another sentence does not count
        ("Tea on 4 March. Buns on 3 April.", "4 March, 2023"),  # none covers any: the first
    ],
)
def test_the_date_is_of_the_best_sentence(text: str, expected: str) -> None:
    store = built(f"Ada: {text}", "Bob: Tea.")
    assert lifting(store, "When was it painted?").date(0) == expected


def test_the_date_is_of_the_first_cite_alone() -> None:
    store = built("Ada: Tea on 4 March.", "Bob: I painted on 3 April.")
    for reader in (REPLY, RECITE, GATHER):
        assert said(reader, store, "When was it painted?", cites(0.1, 0.9)) == "4 March, 2023"
