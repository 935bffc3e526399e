"""SPEC 6: nodes, edges, who asserts them, and the identity that breaks ties."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.literal import fnv1a, identity
from locomo.index.claims import Claim
from locomo.index.graph import identities, make_graph


@pytest.mark.parametrize(
    ("data", "expected"),
    [  # the vectors published with the algorithm
        (b"", "cbf29ce484222325"),
        (b"a", "af63dc4c8601ec8c"),
        (b"foobar", "85944171f73967e8"),
        (b"a\x00", "089be207b544f1e4"),
        (b"foobar\x00", "34531ca7168b8f38"),
    ],
)
def test_the_plain_loop_is_fnv1a(data: bytes, expected: str) -> None:
    assert fnv1a(data) == expected


KEYS = [
    ("", "", ""),
    ("a", "", ""),
    ("", "a", ""),
    ("foo", "b", "ar"),
    ("foobar", "", "a"),
    ("é", "犬", "😀"),
]


def test_identities_of_three_parts_each_with_a_zero_byte() -> None:
    assert identities(KEYS) == [identity(*key) for key in KEYS]
    assert len(set(identities(KEYS))) == len(KEYS)  # the zero bytes keep the parts apart
    assert identities([]) == []


@settings(deadline=None, print_blob=True)
@given(st.lists(st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]), max_size=9)] * 3), max_size=6))
def test_identities_at_once_are_those_one_by_one(keys: list[tuple[str, str, str]]) -> None:
    assert identities(keys) == [identity(*key) for key in keys]


def test_an_identity_has_sixteen_digits_whatever_its_value() -> None:
    keys = [("a", str(number), "") for number in range(400)]
    small = [key for key in keys if int(identity(*key), 16) < 2**60]
    assert small and all(len(id) == 16 and id[0] == "0" for id in identities(small))


def test_edges_of_one_key_are_one() -> None:
    graph = make_graph(
        [
            Claim("Ada", "bought", "red  kayak", 3, 0),
            Claim("ada", "Bought", "Red kayak", 1, 1),
            Claim("Ada", "BOUGHT", "red kayak", 3, 2),
            Claim("ADA", "bought", "tea", 5, 3),
        ]
    )
    assert graph.nodes == ["ada", "red kayak", "tea"]
    kayak, tea = sorted(graph.edges, key=lambda edge: edge.target)
    assert (kayak.source, kayak.label, kayak.target, kayak.turns) == (0, "bought", 1, [3, 1])
    assert (tea.source, tea.label, tea.target, tea.turns) == (0, "bought", 2, [5])
    # The identity is of the folded parts, the label is as first written.
    assert kayak.id == identity("ada", "bought", "red kayak")
    (edge,) = make_graph([Claim("Ada", "Not  BOUGHT", "tea", 0, 0)]).edges
    assert (edge.label, edge.id) == ("Not  BOUGHT", identity("ada", "not bought", "tea"))


def test_edges_are_stored_by_identity() -> None:
    graph = make_graph([Claim("Ada", "saw", f"thing {number}", 0, 0) for number in range(20)])
    assert [edge.id for edge in graph.edges] == sorted(edge.id for edge in graph.edges)


def test_a_derived_claim_asserts_no_turn() -> None:
    graph = make_graph(
        [
            Claim("Ada", "adopted", "rex", 4, 0),
            Claim("Ada", "adopted", "rex", 2, None),  # the turn of the claim that was read stays
            Claim("Ada", "walked", "rex", 2, None),
        ]
    )
    assert {edge.label: edge.turns for edge in graph.edges} == {"adopted": [4], "walked": []}


def test_a_thing_can_be_both_ends() -> None:
    (edge,) = make_graph([Claim("Rex", "named", "rex", 0, 0)]).edges
    assert edge.source == edge.target == 0


def test_relations_are_a_node_and_the_stems_of_a_label() -> None:
    """SPEC 8, path, step 4."""
    labels = ["paint", "Painting", "painted", "not painted", "saw", "«saw»"]
    graph = make_graph([Claim(who, label, "x", 0, 0) for label in labels for who in ("Ada", "Bob")])
    groups: dict[int, set[tuple[str, str]]] = {}
    for edge in graph.edges:
        groups.setdefault(edge.relation, set()).add((graph.nodes[edge.source], edge.label))
    expected = [{"paint", "Painting", "painted"}, {"not painted"}, {"saw"}, {"«saw»"}]
    assert sorted(map(sorted, groups.values())) == sorted(
        sorted((who, label) for label in group) for group in expected for who in ("ada", "bob")
    )
    assert all(a.isdisjoint(b) for a, b in combinations(groups.values(), 2))


def test_an_empty_graph() -> None:
    graph = make_graph([])
    assert (graph.nodes, graph.edges) == ([], [])
