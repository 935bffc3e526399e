"""Sessions and texts of a memory's own, read as turns are."""

import random
from collections.abc import Mapping
from itertools import product
from math import log

import pytest

from helpers.externals import sessions
from helpers.shared import ROOT
from locomo.answer import asking
from locomo.answer.arms import READERS, Arm, CiteReturned
from locomo.core.settings import Base
from locomo.formats import dataset
from locomo.formats.dataset import Category, Conversation, Question
from locomo.formats.store import Store
from locomo.index.indexer import build
from locomo.index.passages import Passage, passages
from locomo.memory.asked import AskedMemory
from locomo.memory.contract import Returned
from locomo.memory.query import QueryBlock
from locomo.reader.base import ReaderSettings
from locomo.results.predictions import Answer, Texts, by_question
from locomo.score.scoring import score, tables
from locomo.study.sweep import points, rows, sweep

SETTINGS = ReaderSettings(k=2, floor=0, span=4, band=0.9, parts=2)


def reading(
    conversation: Conversation, store: Store, returned: Mapping[str, Returned], settings: ReaderSettings
) -> list[list[Answer]]:
    """The answers of each reader to the questions."""
    make = CiteReturned({settings.k: dict(returned)})
    arms = {f"mine+{reads}": Arm("mine", make, reads) for reads in READERS}
    return list(asking.answer(conversation, store, arms, settings).values())  # type: ignore[arg-type]


# ---- turns


def test_turns_are_read_the_same_with_and_without_passages() -> None:
    """One question more, that nobody asks, cites a text: then every turn is read as a passage."""
    seed = 13
    print(f"seed {seed}")
    chance = random.Random(seed)
    for conversation in dataset.read(ROOT / "demo/conversations.json"):
        store = build(conversation, True)[0]
        ids, texts = store.turns.id, [turn.utterance for turn in conversation.turns]
        for k, floor, span, band, parts in product([1, 5, 2000], [0.0, 0.3], [2, 8], [0.0, 0.9], [1, 3]):
            returned = {}
            for question in conversation.questions:
                number = min(k, chance.randrange(8))
                scores = sorted((chance.choice([0.0, 0.5, 1.0, 2.0]) for _ in range(number)), reverse=True)
                phrases = [chance.choice([None, *texts[:9]]) for _ in range(number)]
                cited = chance.choices(ids, k=number)
                confidence = chance.choice([None, None, chance.random()])
                returned[question.question] = Returned(cited, scores, phrases, confidence)
            settings = ReaderSettings(k, floor, span, band, parts)
            plain = reading(conversation, store, returned, settings)
            other = {"(nobody asks)": Returned([None], [1.0], ["A text."])}
            assert reading(conversation, store, other | returned, settings) == plain
            # Something is read at all.
            assert len({answer.reply for answers in plain for answer in answers}) > 5


def test_without_sessions_and_texts_there_are_no_passages() -> None:
    conversation = sessions(["Ada: Tea."])
    store = build(conversation, True)[0]
    block = QueryBlock(store, ["Tea?"])
    plain = {1: {"Tea?": Returned(["D1:1"], [1.0], [None])}}
    assert AskedMemory(plain, conversation, store).source(block) is block
    plain[1]["Tea?"] = Returned(["S1"], [1.0], [None])
    assert AskedMemory(plain, conversation, store).source(block).store.turns.id == ["S1"]


# ---- sessions and texts, by hand

LINES = ["Ada: I painted boats.", "Bob: Boats sink."], ["Ada: Kites fly high."]
"""In one of three turns: paint, sink, kite, fli and high, each ln(4/2); boat in two, ln(4/3); others ln 4."""


def read_one(question: str, returned: Returned, settings: ReaderSettings = SETTINGS) -> list[Answer]:
    """The answer of each reader."""
    conversation = sessions(*LINES, questions=[Question(question, "x", Category.SINGLE_HOP, ())])
    store = build(conversation, True)[0]
    return [answer for (answer,) in reading(conversation, store, {question: returned}, settings)]


def one(id: str | None, phrase: str | None = None, confidence: float | None = None) -> Returned:
    return Returned([id], [1.0], [phrase], confidence)


def test_a_session_is_read_as_all_its_turns() -> None:
    # "paint" and "boat" are in the first turn, "boat" and "sink" in the second, all three in the session.
    question = "What painted boats sink?"
    assert {answer.confidence for answer in read_one(question, one("S1"))} == {1.0}
    part = (log(2) + log(4 / 3)) / (2 * log(2) + log(4 / 3))
    assert read_one(question, one("D1:1"))[0].confidence == pytest.approx(part)
    assert read_one(question, one("S2"))[0].confidence == 0.0
    # The sentence that covers most of the question, of whichever turn.
    assert read_one("What paint?", one("S1")) == [Answer("boats", ["S1"], 1.0)] * 3
    assert read_one("What sinks?", one("S1")) == [Answer("boats", ["S1"], 1.0)] * 3
    assert read_one("What sinks?", one("D1:1"))[0].reply == "painted boats"


def test_a_phrase_of_a_session_is_read_by_the_readers_of_phrases() -> None:
    plain, edge, gather = read_one("What flies?", one("S2", "red kites"))
    assert (edge.reply, gather.reply) == ("red kites", "red kites") != (plain.reply, "")


@pytest.mark.parametrize(
    ("returned", "reply"),
    [
        (one("S1"), "8 May, 2023"),
        (one("S2"), "9 May, 2023"),
        (one(None, "It was yesterday that Ada flew."), "8 May, 2023"),  # as if said in the last session
        (one(None, "Ada flew."), "9 May, 2023"),
        (one(None, "Ada flew on 3 April."), "3 April, 2023"),
        (one(None, "Ada flew in June."), "June 2022"),  # the last June before
        (Returned(["S1", None], [1.0, 1.0], [None, "Ada flew."]), "8 May, 2023"),  # the best cite decides
    ],
)
def test_the_day_of_a_session_and_of_a_text(returned: Returned, reply: str) -> None:
    assert [answer.reply for answer in read_one("When did Ada fly?", returned)] == [reply] * 3


def test_a_text_has_words_that_nobody_said() -> None:
    text = "Ada brews oolong tea."
    expected = Answer("oolong tea", Texts([text]), 1.0)
    # Focus: ada and brew, both unknown to the conversation, ln 4 each; the text has both.
    assert read_one("What does Ada brew?", one(None, text)) == [expected] * 3
    # And half of what "bob brew" weighs.
    assert read_one("What does Bob brew?", one(None, text))[0].confidence == 0.5
    # "paint" weighs ln 2, a third of ln 4 and ln 2, as for turns.
    assert read_one("What did Ada paint?", one(None, "A painted tea."))[0].confidence == pytest.approx(1 / 3)
    assert read_one("What did Zoe juggle?", one(None, text))[0].confidence == 0.0


def test_the_answer_of_texts_has_no_source() -> None:
    for returned, sourced in [
        (one("S1"), True),
        (one("D1:1"), True),
        (one(None, "x"), False),
        (Returned(["D1:1", None], [1.0, 1.0], [None, "x"]), False),
        (Returned([], [], []), True),
    ]:
        assert [answer.sourced for answer in read_one("Tea?", returned)] == [sourced] * 3


def test_the_confidence_of_the_memory_decides() -> None:
    settings = SETTINGS._replace(floor=0.3)
    for id, text in (("S1", None), ("D1:1", None), (None, "I painted boats.")):
        low, high = (read_one("Ada painted?", one(id, text, sure), settings) for sure in (0.29, 0.3))
        assert [answer[::2] for answer in low] == [("No information available", 0.29)] * 3
        assert [answer[::2] for answer in high] == [("boats", 0.3)] * 3


def test_a_text_that_looks_like_an_id_is_no_turn() -> None:
    # The text "D2:1" is not the turn D2:1, nor the text "S1" the session.
    both = Returned([None, "D2:1"], [1.0, 1.0], ["D2:1", None])
    assert read_one("Ada?", both)[0] == Answer("d21, kites fly high", Texts(["D2:1", "D2:1"]), 0.0)
    both = Returned([None, "S2"], [1.0, 1.0], ["S2", None])
    assert read_one("Ada?", both)[0] == Answer("s2, kites fly high", Texts(["S2", "S2"]), 0.0)


@pytest.mark.parametrize("text", ["!!!", "?", "...", "\N{GRINNING FACE}", "The.", "x " * 3000])
def test_texts_of_any_form(text: str) -> None:
    for answer in read_one("When did Ada paint?", one(None, text)):
        assert answer.reply == "9 May, 2023"
    for answer in read_one("What did Ada paint?", one(None, text)):
        assert answer.confidence == 0.0 and answer.reply


def test_passages_stand_beside_the_weights_of_the_conversation() -> None:
    store = build(sessions(*LINES), True)[0]
    made = passages(store, [Passage("x", "2023-05-08", "Kites! Oolong, kites and oolong.")])
    known, before = made.vocabulary, store.vocabulary
    assert [known.weight(stem) for stem in ("kite", "boat")] == [before.weight("kite"), before.weight("boat")]
    assert known.weight("oolong") == known.weight("nothing") == before.weight("nothing")
    assert (known.size, known.stems[-1]) == (before.size, "oolong")
    assert made.turns.id == ["x"] and made.sentence_bounds == [0, 2] and made.names == store.names
    assert QueryBlock(made, ["Kites of oolong?"]).turn_coverage.tolist() == [[1.0]]


# ---- the sweep


def test_what_is_cited_is_told_apart_by_its_source_in_a_sweep() -> None:
    """All five cite the first of something with the same score; none may take the reply of another."""
    question = Question("What sinks?", "boats", Category.SINGLE_HOP, ())
    conversation = sessions(*LINES, questions=[question])
    store = build(conversation, True)[0]
    cited = {
        "turn": one("D1:1"),
        "session": one("S1"),
        "late": one("S2"),
        "text": one(None, "Zoe sank ships."),
        "other": one(None, "No match."),
    }
    arms = {
        name: Arm(name, CiteReturned({2: {question.question: returned}})) for name, returned in cited.items()
    }
    base = Base(**SETTINGS._asdict())
    every = points(base, {"span": [4]})
    found = {name: row for _, name, row in rows(every, arms, [sweep(conversation, store, arms, every)])}
    answers = asking.answer(conversation, store, arms, SETTINGS)
    assert [answer.reply for (answer,) in answers.values() if isinstance(answer, Answer)] == [
        "painted boats",
        "boats",
        "kites fly high",
        "zoe sank ships",
        "match",
    ]
    means = tables(score([conversation], [("talk", by_question(answers))]))
    assert {name: row["answerable"] for name, row in found.items()} == {
        name: row["answerable"] for name, row in means["f1"].items()
    }
    # "boats" alone is right; of "painted boats" one word of two is.
    expected = {"turn": 0.666667, "session": 1.0, "late": 0.0, "text": 0.0, "other": 0.0}
    assert {name: row["answerable"] for name, row in found.items()} == expected
