"""SPEC 10: an arm is one memory read one way."""

import pytest

from helpers.talks import built, talk
from locomo.answer.arms import ARMS, select
from locomo.core.errors import LocomoError
from locomo.memory.query import QueryBlock


def test_which_memories_read_the_graph() -> None:
    """SPEC 12, blind control."""
    assert {arm.memory for arm in ARMS.values() if arm.reads_graph} == {
        "path",
        "path2",
        "path3",
        "walk2",
        "walk3",
    }


def test_arms_keep_the_order_of_the_table_however_they_are_named() -> None:
    assert list(select(["walk2", "graph", "vector"])) == ["vector", "graph", "walk2"]
    assert select(["path"]) == {"path": ARMS["path"]}


def test_unknown_arms_are_named_with_what_is_allowed() -> None:
    with pytest.raises(LocomoError) as caught:
        select(["graph", "grahp", "walk4"])
    message = str(caught.value)
    assert message.startswith("arms: grahp, walk4: no such arm; allowed are vector, graph, graph+edge,")
    assert all(arm in message for arm in ARMS)


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
    (cites,) = ARMS[memory].make(talk(), store).cite(QueryBlock(store, [question]), 5)
    assert sorted(str(cite.phrase) for cite in cites) == expected
