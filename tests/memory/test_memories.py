"""SPEC 8: what each memory cites, in which order, with which score and phrase."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.literal import Cited, Literal
from helpers.talks import built, talk
from locomo.formats.dataset import Category, Conversation, Question
from locomo.formats.store import Store
from locomo.index.indexer import build
from locomo.memory.base import Cites, Memory
from locomo.memory.graph import GraphMemory
from locomo.memory.oracle import OracleMemory
from locomo.memory.path import Path2Memory, Path3Memory, PathMemory, Walk2Memory, Walk3Memory
from locomo.memory.query import QueryBlock
from locomo.memory.ranking import best, by_id
from locomo.memory.scoped import ScopedMemory
from locomo.memory.span import SpanMemory
from locomo.memory.vector import VectorMemory
from locomo.reader.base import AskedQuestion

Kind = Callable[[Conversation, Store], Memory]


def cited(kind: Kind, store: Store, question: str, k: int = 5, evidence: Sequence[str] = ()) -> list[Cited]:
    conversation = talk(questions=[Question(question, "x", Category.SINGLE_HOP, tuple(evidence))])
    (cites,) = kind(conversation, store).cite(QueryBlock(store, [question]), k)
    return [(store.turns.id[cite.turn], cite.score, cite.phrase) for cite in cites]


def turns(kind: Kind, store: Store, question: str, k: int = 5, evidence: Sequence[str] = ()) -> list[str]:
    return [turn for turn, _, _ in cited(kind, store, question, k, evidence)]


# Ranking


def ranked(scores: list[list[float]], k: int) -> list[list[tuple[int, float]]]:
    """The best columns of each row, with their scores."""
    found = best(np.array(scores, np.float64), k)
    pairs = list(zip(found.columns.tolist(), found.scores.tolist(), strict=True))
    return [pairs[start:end] for start, end in zip(found.bounds, found.bounds[1:], strict=False)]


def test_ids_are_compared_in_byte_order() -> None:
    # ":" comes after every digit, so that "D1:2" is behind "D10:1".
    assert by_id(["D2:1", "D10:1", "D1:2", "D1:10"]).tolist() == [1, 3, 2, 0]
    # In UTF-16 the emoji would come before the full-width letter.
    assert by_id(["😀", "ａ", "z"]).tolist() == [2, 1, 0]


def test_ties_go_to_the_first() -> None:
    assert ranked([[0.5, 0.5, 0.5, 0.7], [0.1, 0.2, 0.2, 0.2]], 2) == [
        [(3, 0.7), (0, 0.5)],
        [(1, 0.2), (2, 0.2)],
    ]


@pytest.mark.parametrize(
    ("k", "expected"), [(1, [2]), (2, [2, 0]), (3, [2, 0, 3]), (4, [2, 0, 3]), (2000, [2, 0, 3])]
)
def test_the_k_best_cut_at_the_first_that_is_not_above_0(k: int, expected: list[int]) -> None:
    (found,) = ranked([[0.2, 0, 0.3, 5e-324, -0.1]], k)
    assert [column for column, _ in found] == expected


TIED = st.sampled_from([-1.0, 0.0, 0.1, 0.2, math.nextafter(0.2, 1)])
tables = st.integers(1, 12).flatmap(
    lambda m: st.lists(st.lists(TIED, min_size=m, max_size=m), min_size=1, max_size=4)
)


@settings(deadline=None, print_blob=True)
@given(tables, st.integers(1, 13))
def test_the_best_are_those_of_a_full_sort(scores: list[list[float]], k: int) -> None:
    expected = []
    for row in scores:
        order = sorted(range(len(row)), key=lambda column: (-row[column], column))
        expected.append([(column, row[column]) for column in order if row[column] > 0][:k])
    assert ranked(scores, k) == expected


# vector


def test_vector_ranks_whole_lines_of_everybody() -> None:
    store = built("Ada: I row boats.", "Bob: I row boats.", "Ada: Tea?", ids=["D2:1", "D10:1", "D3:1"])
    # No turn speaks of Ada or of May, so the lines differ in nothing that has a weight; "tea" shares nothing.
    assert turns(VectorMemory, store, "Who rows in May, Ada?") == ["D10:1", "D2:1"]


def test_a_line_holds_speaker_and_date_where_the_vocabulary_knows_them() -> None:
    store = built("Ada: I row boats.", "Bob: I row boats.", "Bob: Nothing for Ada in May.")
    # "ada" and "may" are words of the third turn; by its speaker the first line has "ada" too, and of its
    # other words "i", "row" and "boats" weigh less than those of the third, being in two turns.
    assert turns(VectorMemory, store, "ada") == ["D1:1", "D1:3"]
    assert sorted(turns(VectorMemory, store, "may")) == ["D1:1", "D1:2", "D1:3"]


def test_a_question_that_shares_nothing_gets_nothing() -> None:
    store = built("Ada: I row boats.", "Bob: Tea?")
    for kind in (VectorMemory, SpanMemory, GraphMemory, ScopedMemory):
        assert cited(kind, store, "Zebra?") == []


# graph, span, scoped


def test_graph_reaches_the_pieces_of_the_subject_or_all_without_one_and_span_reaches_all() -> None:
    said = ("Ada: I like tea. Bob likes cake.", "Bob: I like black tea.", "Ada: You like tea, with cake.")
    store = built(*said, "Bob: Hello.")
    # Bob's: "Bob likes cake." of the first turn, the second, and the third ("you"). Ada's: "I like tea."
    everywhere = ["D1:1", "D1:2", "D1:3"]
    assert sorted(turns(GraphMemory, store, "What tea or cake does Bob like?")) == everywhere
    assert turns(GraphMemory, store, "What tea does Ada like?") == ["D1:1"]
    assert sorted(set(turns(GraphMemory, store, "Tea or cake?"))) == everywhere
    assert sorted(set(turns(SpanMemory, store, "Tea or cake for Ada?"))) == everywhere


def test_a_subject_without_pieces_gets_nothing() -> None:
    store = built("Ada: So Tess is in.", "Ada: Where is Tess?", "Ada: I like tea.", "Bob: Tess?")
    assert "tess" in store.names
    assert turns(GraphMemory, store, "Has Tess tea?") == []
    assert turns(SpanMemory, store, "Has Tess tea?") == ["D1:3"]


def test_a_turn_reached_by_two_pieces_is_cited_twice_and_takes_two_places() -> None:
    store = built("Ada: I like tea. Bob likes tea.", "Bob: Cakes!", "Ada: We had tea with lots of old cakes.")
    for kind in (SpanMemory, GraphMemory, ScopedMemory):
        # Both pieces of the first turn are ahead of the third turn, which says much else.
        assert turns(kind, store, "Who likes tea?") == ["D1:1", "D1:1", "D1:3"]
        assert turns(kind, store, "Who likes tea?", k=2) == ["D1:1", "D1:1"]


def test_scoped_ranks_whole_turns_of_the_subject_without_a_phrase() -> None:
    store = built("Ada: I like tea. Bob likes cake.", "Bob: I like buns.", "Bob: Tea!")
    question = "What tea does Bob like?"
    # "tea" and "like" are in two of three turns and weigh a; "bob", "cake" and "buns" in one, b; "i" in two.
    a2, b2 = math.log(4 / 3) ** 2, math.log(2) ** 2
    asked = math.sqrt(b2 + 2 * a2)  # bob, tea, like
    line = {  # cosines of the whole lines, speaker included
        "D1:3": (b2 + a2) / math.sqrt(b2 + a2) / asked,  # bob tea
        "D1:1": (b2 + 3 * a2) / math.sqrt(2 * b2 + 6 * a2) / asked,  # i like tea bob like cake
        "D1:2": (b2 + a2) / math.sqrt(2 * b2 + 2 * a2) / asked,  # bob i like buns
    }
    found = cited(ScopedMemory, store, question)
    assert [(turn, phrase) for turn, _, phrase in found] == [("D1:3", None), ("D1:1", None), ("D1:2", None)]
    assert [score for _, score, _ in found] == pytest.approx(list(line.values()), abs=1e-6)
    # graph has but what is said of Bob: bob like cake; tea; i like buns.
    assert {turn: score for turn, score, _ in cited(GraphMemory, store, question)} == pytest.approx(
        {
            "D1:1": (b2 + a2) / math.sqrt(2 * b2 + a2) / asked,
            "D1:3": math.sqrt(a2) / asked,
            "D1:2": a2 / math.sqrt(2 * a2 + b2) / asked,
        },
        abs=1e-6,
    )


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("Does Ada bake?", "bake cakes"),
        ("Which lakes does Ada row on?", "lakes"),
        ("Where does Ada row?", "boats"),  # two claims fit equally: the first
        ("Am I a zebra, Ada?", "boats"),  # none fits
        ("Am I Ada?", "boats"),  # nothing is asked for
    ],
)
def test_the_phrase_is_the_object_of_the_claim_that_fits_best(question: str, phrase: str) -> None:
    store = built("Ada: I am rowing boats on lakes. I bake cakes.", "Bob: Hello.", "Bob: Tea.")
    for kind in (GraphMemory, SpanMemory):
        assert [cite[::2] for cite in cited(kind, store, question)] == [("D1:1", phrase)]


def test_span_fits_the_phrase_to_the_focus_without_the_subject() -> None:
    # "painted ada" fits the whole question best, but Ada is its subject; without her both fit: the first.
    store = built("Bob: I painted fences with Ada.", "Ada: Tea?", "Bob: Cakes, Ada?")
    (cite,) = cited(SpanMemory, store, "Ada, what was painted?")[:1]
    assert cite[0::2] == ("D1:1", "fences")


# oracle

EVIDENCE = built("Ada: I row boats.", "Bob: Tea.", "Ada: Rowing.", "Bob: Boats row.")


def oracle(evidence: list[str], k: int = 5) -> list[str]:
    return turns(OracleMemory, EVIDENCE, "Who rows boats?", k, evidence)


def test_oracle_sorts_stably_by_coverage_and_keeps_a_score_of_0() -> None:
    # Focus: row, boat. The first and fourth turn cover it, the third a part of it, the second nothing.
    evidence = ["D1:2", "D1:4", "D1:3", "D1:1"]
    found = cited(OracleMemory, EVIDENCE, "Who rows boats?", evidence=evidence)
    row, boat = math.log(5 / 4), math.log(5 / 3)  # in three and two turns of four
    assert [turn for turn, _, _ in found] == ["D1:4", "D1:1", "D1:3", "D1:2"]
    assert [score for _, score, _ in found] == pytest.approx([1, 1, row / (row + boat), 0])
    assert [phrase for _, _, phrase in found] == [None] * 4


def test_oracle_keeps_repeats_skips_unknown_ids_and_cuts_to_k() -> None:
    assert oracle(["D1:3", "D9:9", "D", "D1:3", "D1:1", "D1:2; D1:4"]) == ["D1:1", "D1:3", "D1:3"]
    assert oracle(["D1:2", "D1:3", "D1:1"], k=2) == ["D1:1", "D1:3"]
    assert oracle(["D9:9"]) == oracle([]) == []


def test_oracle_cites_the_turns_of_a_session() -> None:
    lines = ["Ada: I row boats.", "Bob: Tea.", "Ada: Rowing.", "Bob: Boats row."]
    ids = ["D1:1", "D2:1", "D2:2", "D2:3"]

    def found(*evidence: str, k: int = 5) -> list[str]:
        asked = Question("Who rows boats?", "x", Category.SINGLE_HOP, evidence)
        made = talk(*lines, ids=ids, questions=[asked])
        made = replace(made, turns=tuple(replace(turn, session=int(turn.id[1])) for turn in made.turns))
        store, _ = build(made, infer=True)
        (cites,) = OracleMemory(made, store).cite(QueryBlock(store, [asked.question]), k)
        return [ids[turn] for turn in cites.turns]

    # The best first, as with turns; a turn that is named beside its session is cited twice.
    assert found("(S2)") == ["D2:3", "D2:2", "D2:1"]
    assert found("S2", k=2) == ["D2:3", "D2:2"]
    assert found("S2", "D1:1", "S9", "S") == ["D2:3", "D1:1", "D2:2", "D2:1"]
    assert found("D1:1", "S1") == ["D1:1", "D1:1"]


def test_oracle_counts_the_subject_as_asked() -> None:
    # focus(question, ""): "ada" stays in, and only the second turn has it.
    store = built("Ada: I row.", "Bob: Hello, Ada.")
    found = cited(OracleMemory, store, "Ada?", evidence=["D1:1", "D1:2"])
    assert found == [("D1:2", 1.0, None), ("D1:1", 0.0, None)]


# path

PATHS = {
    PathMemory: (1, False),
    Path2Memory: (2, False),
    Path3Memory: (3, False),
    Walk2Memory: (2, True),
    Walk3Memory: (3, True),
}
"""How many hops each walks, and whether through any node."""


def paths(store: Store, question: str, k: int = 5, kind: Kind = PathMemory) -> list[Cited]:
    return cited(kind, store, question, k)


def test_path_goes_relation_by_relation() -> None:
    store = built("Ada: I painted old fences, gates.", "Ada: I painted boats.", "Ada: I sold boats today.")
    # Focus: boat, paint, each in two of three turns and so of weight a = ln(4/3); the rest weigh b = ln 2.
    a, b = math.log(4 / 3), math.log(2)
    today, fences = 1 / 2 * a / (a + 2 * b), 1 / 2 * a / (a + 3 * b)
    found = paths(store, "What boats did Ada paint?")
    # "sold boats today" scores more than "painted old fences gates", but the relation goes on first.
    assert today > fences
    assert [cite[::2] for cite in found] == [
        ("D1:2", "boats"),
        ("D1:1", "old fences gates"),
        ("D1:3", "boats today"),
    ]
    assert [score for _, score, _ in found] == pytest.approx([1, fences, today])
    assert paths(store, "What boats did Ada paint?", k=2) == found[:2]


def test_one_relation_by_the_stems_of_its_label() -> None:
    store = built(
        "Ada: I was painting old fences, gates.", "Ada: I painted boats.", "Ada: I sold boats today."
    )
    assert [turn for turn, _, _ in paths(store, "What boats did Ada paint?")] == ["D1:2", "D1:1", "D1:3"]


def test_an_object_is_cited_once() -> None:
    store = built("Ada: I painted boats.", "Ada: I sold boats.", "Bob: Tea.")
    # Both edges are found; the second leads to the same thing.
    assert [cite[::2] for cite in paths(store, "What boats did Ada paint?")] == [("D1:1", "boats")]


def test_an_edge_without_a_free_turn_cites_nothing_and_leaves_its_object_free() -> None:
    store = built("Ada: I painted boats with kites.", "Ada: I sold kites.", "Bob: Tea.")
    # "painted kites" has no turn but the first, which "painted boats" took; "sold kites" then cites kites.
    found = paths(store, "What boats were painted or sold by Ada?")
    assert [cite[::2] for cite in found] == [("D1:1", "boats"), ("D1:2", "kites")]


def test_an_edge_cites_its_first_turn_that_is_free() -> None:
    again = "Ada: I painted kites."
    store = built("Ada: I painted boats with kites.", again, again, "Bob: Tea.")
    found = paths(store, "What boats did Ada paint?")
    assert [cite[::2] for cite in found] == [("D1:1", "boats"), ("D1:2", "kites")]


def test_edges_run_both_ways_and_the_phrase_is_their_object() -> None:
    store = built("Bob: I visited Ada.", "Ada: Tea.")
    # Focus, less Ada: visit. It weighs as much as "ada", ln(3/2): half of the edge was asked for.
    assert paths(store, "Who visited Ada?") == [("D1:1", 0.5, "ada")]


def test_all_names_that_are_nodes_start_a_path_and_only_the_subject_leaves_the_focus() -> None:
    store = built("Ada: I painted boats.", "Bob: I painted kites.", "Ada: So Tess.", "Ada: Is Tess in?")
    assert store.names == ["tess", "ada", "bob"]
    assert sorted(turn for turn, _, _ in paths(store, "What did Ada and Bob paint?")) == ["D1:1", "D1:2"]
    assert [turn for turn, _, _ in paths(store, "What did Bob paint?")] == ["D1:2"]
    assert paths(store, "What was painted?") == []  # nobody to start from
    assert paths(store, "What did Cy paint?") == []


def test_a_derived_edge_has_no_turn_to_cite() -> None:
    store = built("Ada: I adopted puppies.", "Bob: The puppies were called Max.")
    max_node = store.nodes.index("max")
    assert sorted(zip(store.edges.target, store.edges.label, store.edges.turns, strict=True))[-3:] == [
        (max_node, "adopted", []),
        (max_node, "called", [1]),
        (max_node, "named", [1]),
    ]
    assert [cite[::2] for cite in paths(store, "Did Ada adopt Max, or what?")] == [("D1:1", "puppies")]


BAKERY = built(
    "Ada: I visited the old bakery.", "Bob: The old bakery was named Bread Inn.", "Bob: Tea.", infer=False
)
# Edges: ada visited old bakery, old bakery named bread inn, bob named bread inn, bob about tea.
A, B = math.log(4 / 3), math.log(2)  # of "old" and "bakery", in two of three turns; of what is in one


def test_a_second_hop_counts_half_and_needs_a_node_that_was_asked_for() -> None:
    question = "Which bread does the bakery of Ada sell?"  # focus: bread, bakeri, sell (unknown, ln 4)
    first = A / (3 * B + A) * A / (B + 2 * A)
    second = B / (3 * B + A) * B / (3 * B) / 2
    for kind in (Path2Memory, Walk2Memory):
        found = paths(BAKERY, question, kind=kind)
        assert sorted(cite[::2] for cite in found) == [("D1:1", "old bakery"), ("D1:2", "bread inn")]
        assert {phrase: score for _, score, phrase in found} == pytest.approx(
            {"old bakery": first, "bread inn": second}
        )
    assert [cite[::2] for cite in paths(BAKERY, question)] == [("D1:1", "old bakery")]


def test_a_walk_goes_through_any_node() -> None:
    question = "Which bread does Ada sell?"  # "old bakery" is not asked for
    assert paths(BAKERY, question, kind=Path2Memory) == paths(BAKERY, question, kind=Path3Memory) == []
    ((turn, score, phrase),) = paths(BAKERY, question, kind=Walk2Memory)
    assert (turn, phrase) == ("D1:2", "bread inn")
    assert score == pytest.approx(B / (3 * B) * B / (3 * B) / 2)


def test_the_condition_limits_only_walking_on() -> None:
    # The edge to "old bakery" counts for "visited", though the node is not asked for.
    assert [cite[::2] for cite in paths(BAKERY, "What did Ada visit?", kind=Path2Memory)] == [
        ("D1:1", "old bakery")
    ]


def test_a_third_hop_counts_a_third() -> None:
    inn = "Bob: The bread inn was named Crumbs."
    store = built(
        "Ada: I visited the old bakery.", "Bob: The old bakery was named Bread Inn.", inn, infer=False
    )
    # From Ada: old bakery, bread inn, crumbs; "bob named crumbs" would be the fourth hop.
    assert paths(store, "Ada, crumbs?", kind=Walk2Memory) == []
    assert paths(store, "Ada, crumbs?", kind=Path3Memory) == []
    ((turn, score, phrase),) = paths(store, "Ada, crumbs?", kind=Walk3Memory)
    assert (turn, phrase) == ("D1:3", "crumbs")
    # Of the edge, "named" is in two of three turns and "crumbs" in one.
    assert score == pytest.approx(1 * B / (A + B) / 3)
    # Gated, each node on the way has to be asked for.
    assert "crumbs" in [cite[2] for cite in paths(store, "Ada, bakery, inn, crumbs?", kind=Path3Memory)]
    assert "crumbs" not in [cite[2] for cite in paths(store, "Ada, bakery, crumbs?", kind=Path3Memory)]


def test_an_emptied_graph_leaves_nothing_to_paths_and_all_to_others() -> None:
    blind = BAKERY.blinded()
    question = "What did Ada visit?"
    for kind in PATHS:
        assert cited(kind, blind, question) == []
    for kind in (VectorMemory, GraphMemory, SpanMemory, ScopedMemory):
        assert cited(kind, blind, question) == cited(kind, BAKERY, question) != []


# Confidence


def test_confidence_is_the_best_coverage_of_any_cited_turn_so_far() -> None:
    asked = AskedQuestion(QueryBlock(EVIDENCE, ["Who rows boats?"]), 0)
    row, boat = math.log(5 / 4), math.log(5 / 3)
    part = pytest.approx(row / (row + boat))
    assert asked.confidences(Cites([1, 2, 1], [9.0, 8.0, 7.0], [None] * 3)) == [0, part, part]
    assert asked.confidences(Cites([2, 0], [0.1, 0.1], [None] * 2)) == [part, 1]
    assert asked.confidences(Cites([], [], [])) == []


# Against SPEC read word for word

NAMES = ["Ada", "Bob", "Tess", "Old Max"]
VERBS = ["painted", "sold", "like", "am not painting", "visited", "named", "was"]
THINGS = ["boats", "old boats", "Tess", "Ada", "kites with Max", "boats called Max", "nothing", "Bob’s tea"]
sentence = st.builds(
    "{} {} {}{}".format,
    st.sampled_from(["I", "You", "So Tess", "Ada", "Then Bob", "The old boats", "Old Max"]),
    st.sampled_from(VERBS),
    st.sampled_from(THINGS),
    st.sampled_from([".", ".", "!", "?", " "]),
)
line = st.builds("{}: {} {}".format, st.sampled_from(["Ada", "Bob"]), sentence, st.just("") | sentence)
lines = st.lists(line, min_size=1, max_size=9)
questions = st.lists(
    st.lists(st.sampled_from(["What", "when", *NAMES, *VERBS, *THINGS, "zebra"]), max_size=5).map(" ".join),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, print_blob=True, max_examples=60)
@given(lines, questions, st.integers(1, 6))
def test_memories_are_those_of_spec_word_for_word(said: list[str], asked: list[str], k: int) -> None:
    ids = [f"D{number * 5 % 11 + 1}:{number}" for number in range(len(said))]
    conversation = talk(*said, ids=ids)
    store, literal = build(conversation, infer=True)[0], Literal(conversation)
    block = QueryBlock(store, asked)

    def check(kind: Kind, expected: list[list[Cited]]) -> None:
        memory = kind(conversation, store)
        found = memory.cite(block, k)
        assert [[(store.turns.id[c.turn], c.score, c.phrase) for c in cites] for cites in found] == expected
        for row, cites in enumerate(expected):
            sure = [literal.confidence(asked[row], cites[: n + 1]) for n in range(len(cites))]
            assert AskedQuestion(block, row).confidences(found[row]) == sure
        assert memory.nested and memory.cite(block, 1) == [cites[:1] for cites in found]

    subject = {q: literal.subject(q) for q in asked}
    check(VectorMemory, [literal.vector_memory(q, k) for q in asked])
    check(GraphMemory, [literal.piece_memory(q, k, subject[q], False) for q in asked])
    check(SpanMemory, [literal.piece_memory(q, k, "", False) for q in asked])
    check(ScopedMemory, [literal.piece_memory(q, k, subject[q], True) for q in asked])
    for kind, (hops, anywhere) in PATHS.items():
        check(kind, [literal.path_memory(q, k, hops, anywhere) for q in asked])
