"""What every reader holds to, and what becomes of a question that one fails on."""

from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.talks import built, talk
from locomo.answer.arms import READERS, Arm
from locomo.answer.asking import answer
from locomo.core.settings import Base
from locomo.formats.dataset import ABSTENTION, Category, Question
from locomo.index.indexer import build
from locomo.memory.base import Cite, Cites, Memory
from locomo.memory.query import QueryBlock
from locomo.reader.base import AskedQuestion, Reader, ReaderSettings, Reply
from locomo.results.predictions import Answer, Failure
from locomo.study.sweep import points, sweep

WORDS = ["Ada", "Bob", "when", "yesterday", "in May", "7", "painted", "red", "boats", "tea", "I", ".", "?"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
SHARES = st.floats(0, 1)


def some_cites(turns: int) -> st.SearchStrategy[Cites]:
    """Some of the turns, best first, with or without a phrase."""
    cite = st.builds(Cite, st.integers(0, turns - 1), SHARES, st.none() | TEXTS.filter(str.strip))
    return st.lists(cite, unique_by=lambda cite: cite.turn).map(ranked)


def ranked(cites: list[Cite]) -> Cites:
    best = sorted(cites, key=lambda cite: -cite.score)
    return Cites([cite.turn for cite in best], [cite.score for cite in best], [cite.phrase for cite in best])


SETTINGS = st.builds(
    ReaderSettings, st.integers(1, 5), st.just(0.0), st.integers(1, 5), SHARES, st.integers(1, 4)
)


@pytest.mark.parametrize("reader", READERS.values(), ids=[name or "plain" for name in READERS])
@settings(deadline=None, print_blob=True)
@given(
    data=st.data(), said=st.lists(TEXTS, min_size=1, max_size=4), asked=TEXTS, free=SETTINGS, other=SETTINGS
)
def test_the_floor_decides_whether_a_reply_is_given_and_nothing_else(
    reader: Reader,
    data: st.DataObject,
    said: list[str],
    asked: str,
    free: ReaderSettings,
    other: ReaderSettings,
) -> None:
    question = AskedQuestion(QueryBlock(built(*(f"Ada: {text}" for text in said)), [asked]), 0)
    cites = data.draw(some_cites(len(said)))
    text, confidence, failure = reader.prepare(question, cites).reply(free)
    assert 0 <= confidence <= 1 and not failure
    prepared = reader.prepare(question, cites)
    for floor in (data.draw(SHARES), confidence, nextafter(confidence, inf), nextafter(confidence, 0), 1, 0):
        expected = Reply(ABSTENTION if floor > confidence else text, confidence)
        assert prepared.reply(free._replace(floor=floor)) == expected
        # Neither cites beyond k nor settings that the reader declares not to use change anything.
        assert reader.prepare(question, cites[: free.k]).reply(free._replace(floor=floor)) == expected
        used = {name: getattr(free, name) for name in reader.uses}
        assert prepared.reply(other._replace(**used | {"floor": floor})) == expected


# A reader that fails


class FirstTurn(Memory):
    """Cites the first turn for every question."""

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        return [Cites([0], [1.0], [None]) for _ in range(len(block))]


class Broken(Reader):
    """Fails on every question."""

    def prepare(self, question: AskedQuestion, cites: Cites) -> "Broken":
        return self

    def reply(self, settings: ReaderSettings) -> Reply:
        return Reply("", 0.0, "it broke")


def test_a_reader_that_fails_has_no_answer_and_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, "broken", Broken())
    arms = {f"stub+{reader}": Arm("stub", lambda *_: FirstTurn(), reader) for reader in ("broken", "set")}
    asked = [Question("Who paints?", "Ada", category, ()) for category in Category]
    conversation = talk("Ada: I paint boats.", questions=asked)
    store, _ = build(conversation, True)
    answers = answer(conversation, store, arms, ReaderSettings(k=1, floor=0, span=4, band=0.9, parts=2))
    assert answers["stub+broken"] == [Failure("it broke")] * len(asked)
    assert all(isinstance(one, Answer) for one in answers["stub+set"])

    base = Base(floor=0.3, k=5, span=4, band=0.9, parts=2)
    swept = points(base, {"floor": (0, 0.5, 1), "k": (1, 2), "span": (4,)})
    categories, f1, abstained = sweep(conversation, store, arms, swept)
    assert categories == list(Category)
    for figures in (f1, abstained):
        assert figures.shape == (len(swept), len(arms), len(asked))
        assert np.isnan(figures).tolist() == [[[True] * len(asked), [False] * len(asked)]] * len(swept)
