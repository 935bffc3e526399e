"""SPEC 10: an arm is one memory read one way."""

import pytest

from helpers.talks import built
from locomo.answer.arms import ARMS, MEMORIES, select
from locomo.core.errors import LocomoError
from locomo.memory.query import QuestionBlock
from locomo.reader.lifting import gather, recite, reply

TABLE = {
    "vector": ("vector", reply),
    "graph": ("graph", reply),
    "graph+edge": ("graph", recite),
    "oracle": ("oracle", reply),
    "scoped": ("scoped", reply),
    "span": ("span", reply),
    "path": ("path", reply),
    "path+set": ("path", gather),
    "vector+set": ("vector", gather),
    "oracle+set": ("oracle", gather),
    "graph+set": ("graph", gather),
    "path2": ("path2", gather),
    "path3": ("path3", gather),
    "walk2": ("walk2", gather),
    "walk3": ("walk3", gather),
}


def test_the_table_of_arms() -> None:
    assert {name: (arm.memory, arm.reader) for name, arm in ARMS.items()} == TABLE
    assert {memory for memory, _ in TABLE.values()} == set(MEMORIES)


def test_which_memories_an_emptied_graph_silences() -> None:
    # SPEC 12, blind control.
    reading = {name for name, kind in MEMORIES.items() if kind.reads_graph}
    assert reading == {"path", "path2", "path3", "walk2", "walk3"}


def test_arms_keep_the_order_of_the_table_however_they_are_named() -> None:
    assert list(select(["walk2", "graph", "vector"])) == ["vector", "graph", "walk2"]
    assert select(["path"]) == {"path": ARMS["path"]}


def test_unknown_arms_are_named_with_what_is_allowed() -> None:
    with pytest.raises(LocomoError) as caught:
        select(["graph", "grahp", "walk4"])
    message = str(caught.value)
    assert message.startswith("arms: grahp, walk4: no such arm; allowed are vector, graph, graph+edge,")
    assert all(arm in message for arm in TABLE)


@pytest.mark.parametrize(
    ("memory", "question", "expected"),
    [  # ada - old mill - bread inn - crumbs: one, two and three hops away
        ("path", "Ada, mill, inn, crumbs?", ["old mill"]),
        ("path2", "Ada, mill, inn, crumbs?", ["bread inn", "old mill"]),
        ("path3", "Ada, mill, inn, crumbs?", ["bread inn", "crumbs", "old mill"]),
        ("path3", "Ada, inn, crumbs?", []),  # "old mill" is not asked for
        ("walk2", "Ada, inn, crumbs?", ["bread inn"]),
        ("walk3", "Ada, inn, crumbs?", ["bread inn", "crumbs"]),
    ],
)
def test_how_far_each_memory_walks(memory: str, question: str, expected: list[str]) -> None:
    named = ("Bob: The old mill was named Bread Inn.", "Bob: The bread inn was named Crumbs.")
    store = built("Ada: I visited the old mill.", *named, "Bob: Tea.", infer=False)
    (cites,) = MEMORIES[memory].make(store, {}).ask(QuestionBlock(store, [question]), 5)
    assert sorted(str(cite.phrase) for cite in cites) == expected
