"""What could be found at all: published figures, and cases small enough to work out by hand."""

import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import reach as stage
from helpers.shared import FIGURES, ROOT, Benchmark
from locomo.answer.arms import select
from locomo.core.errors import LocomoError
from locomo.core.files import write_json
from locomo.formats import dataset
from locomo.formats.dataset import Category, Conversation
from locomo.index.indexer import build
from locomo.score.averages import Row, rounded, row, table
from locomo.statistics.abstention import Point, at, matched_silence, read_curves
from locomo.study.ceiling import ceiling, multi_hop_answers_with_commas
from locomo.study.reach import count_relations, hop_reach, relations, turns_within, uncut_recall

SINGLE, ADVERSARIAL = Category.SINGLE_HOP, Category.ADVERSARIAL


def thousandths(row: Row, columns: Iterable[str]) -> dict[str, float]:
    return {column: round(row[column] or 0, 3) for column in columns}


# Published figures


def test_published_recall_with_nothing_cut(benchmark: Benchmark) -> None:
    published = FIGURES["reach_recall_k2000_floor0"]
    arms = select(["vector", "graph", "graph+set"])
    ours = table(
        observation
        for conversation, store in zip(benchmark.conversations, benchmark.stores, strict=True)
        for observation in uncut_recall(conversation, store, arms)
    )
    assert {name: thousandths(ours[name], columns) for name, columns in published.items()} == published
    # Two arms read one memory, which is asked once.
    assert list(ours) == ["vector", "graph"]


def test_published_hop_reach(benchmark: Benchmark) -> None:
    published = FIGURES["hop_reach"]
    ours = table(
        observation
        for conversation, store in zip(benchmark.conversations, benchmark.stores, strict=True)
        for observation in hop_reach(conversation, store)
    )
    assert {name: thousandths(ours[name], columns) for name, columns in published.items()} == published


def test_published_relations(benchmark: Benchmark) -> None:
    ours = relations(count_relations(store) for store in benchmark.stores)
    assert ours.pop("edges") == sum(counts["edges"] for counts in FIGURES["build"].values())
    assert {name: round(value or 0, 2) for name, value in ours.items()} == FIGURES["relations"]


def test_published_ceiling(benchmark: Benchmark) -> None:
    ours = ceiling(benchmark.conversations)
    found = {
        column: [round(ours[name][column] or 0, 3) for name in ("found", "whole")]
        for column in FIGURES["ceiling"]
    }
    assert found == FIGURES["ceiling"]
    assert set(ours["found"]) == set(FIGURES["ceiling"])


def test_published_number_of_lists_among_the_answers(benchmark: Benchmark) -> None:
    assert multi_hop_answers_with_commas(benchmark.conversations) == FIGURES["multi_hop_answers_with_commas"]


# By hand


@pytest.fixture
def small(tmp_path: Path) -> Conversation:
    """Ada and Bob both met Tom, and nothing else joins them."""
    talk = [("Ada", "I met Tom."), ("Bob", "I met Tom. I was meeting Ann."), ("Bob", "I meet kind Ann.")]
    questions = [
        # One of the three turns is at Ada, one more at Tom; there is no third.
        ("Whom did Ada meet?", "Tom, Ann", 4, ["D1:1", "(D1:2)", "D9:9"]),
        ("Who was met by both?", "Tom", 4, ["D1:1"]),
        ("Whom did Ada meet first?", "kind Tom", 1, ["D1:1", "D1:2"]),
        ("Whom did Bob and Ada miss?", "Max", 5, ["D1:1"]),
        ("Whom did Bob meet?", "the", 4, []),
    ]
    sample = {
        "sample_id": "small",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bob",
            "session_1_date_time": "9:05 am on 31 January, 2024",
            "session_1": [
                {"speaker": speaker, "dia_id": f"D1:{number}", "text": text}
                for number, (speaker, text) in enumerate(talk, 1)
            ],
        },
        "qa": [
            {"question": question, "answer": answer, "category": category, "evidence": evidence}
            for question, answer, category, evidence in questions
        ],
    }
    path = tmp_path / "small.json"
    path.write_text(json.dumps([sample]), encoding="utf-8")
    return next(dataset.read(path))


def test_turns_within_some_hops(small: Conversation) -> None:
    store, _ = build(small, infer=True)
    assert turns_within(store, "ada", 1) == {"D1:1"}
    assert turns_within(store, "ada", 2) == {"D1:1", "D1:2"}
    assert turns_within(store, "ada", 3) == {"D1:1", "D1:2", "D1:3"}
    assert turns_within(store, "tom", 1) == {"D1:1", "D1:2"}
    assert turns_within(store, "nobody", 2) == set()
    assert turns_within(store.blinded(), "ada", 2) == set()


def test_hop_reach_counts_every_evidence_id_of_questions_with_a_subject(small: Conversation) -> None:
    """Ids that name no turn are never found; the question about nobody known is left out."""
    store, _ = build(small, infer=True)
    assert list(hop_reach(small, store)) == [
        ("one_hop", SINGLE, 1.0),
        ("one_hop", SINGLE, 0.0),
        ("one_hop", SINGLE, 0.0),
        ("two_hops", SINGLE, 1.0),
        ("two_hops", SINGLE, 1.0),
        ("two_hops", SINGLE, 0.0),
        ("one_hop", Category.MULTI_HOP, 1.0),
        ("one_hop", Category.MULTI_HOP, 0.0),
        ("two_hops", Category.MULTI_HOP, 1.0),
        ("two_hops", Category.MULTI_HOP, 1.0),
        ("one_hop", ADVERSARIAL, 1.0),
        ("two_hops", ADVERSARIAL, 1.0),
    ]


def test_uncut_recall(small: Conversation) -> None:
    store, _ = build(small, infer=True)
    recalls = list(uncut_recall(small, store, select(["oracle", "graph+edge"])))
    by_memory = {
        name: [value for memory, _, value in recalls if memory == name] for name in ("oracle", "graph")
    }
    assert by_memory["oracle"] == [2 / 3, 1.0, 1.0, 1.0, 1.0]
    assert len(by_memory["graph"]) == 5


def test_uncut_recall_goes_by_the_first_cited_id(small: Conversation) -> None:
    """As the metric has it: an id that starts like a session's counts for one only if it stands first."""
    turns = [replace(turn, id=f"{'DS'[n % 2]}1:{n}") for n, turn in enumerate(small.turns * 6)]
    asked = [
        replace(small.questions[0], question=f"{first.id}?", evidence=(first.id, second.id))
        for first, second in pairwise(turns)
    ]
    talk = replace(small, turns=tuple(turns), questions=tuple(asked))
    store, _ = build(talk, infer=True)
    recalls = [value for _, _, value in uncut_recall(talk, store, select(["oracle"]))]
    assert recalls == [float(first.id.startswith("D")) for first, _ in pairwise(turns)]


def test_relations_by_folded_and_by_stemmed_label(small: Conversation) -> None:
    """Ada met; Bob met, meeting and meet, of which the last two have one stem."""
    store, _ = build(small, infer=True)
    counts = count_relations(store)
    assert counts == {"edges": 4, "by_label": 4, "by_stemmed_label": 3}
    assert relations([counts, {"edges": 2, "by_label": 1, "by_stemmed_label": 1}]) == {
        "edges": 6,
        "by_label": 5,
        "by_stemmed_label": 4,
        "mean_values_by_label": 1.2,
        "mean_values_by_stemmed_label": 1.5,
    }
    blind = relations([count_relations(store.blinded())])
    assert blind["edges"] == 0 and blind["mean_values_by_label"] is None


def test_ceiling(small: Conversation) -> None:
    """Of "Tom, Ann", "Tom" and "kind Tom" all, all and half is there; "the" has no stem."""
    found = ceiling([small])
    assert found["found"]["single_hop"] == 1.0 and found["found"]["multi_hop"] == 0.5
    assert found["whole"] == {
        "multi_hop": 0.0,
        "temporal": None,
        "open_domain": None,
        "single_hop": 1.0,
        "answerable": 0.666667,
    }
    assert multi_hop_answers_with_commas([small]) == 0


def test_rows_of_means() -> None:
    observations = [(SINGLE, 1.0), (ADVERSARIAL, 0.0), (SINGLE, 0.0), (Category.TEMPORAL, 1.0)]
    assert row(observations) == {
        "single_hop": 0.5,
        "multi_hop": None,
        "temporal": 1.0,
        "open_domain": None,
        "adversarial": 0.0,
        "answerable": 0.666667,
        "overall": 0.5,
    }
    assert list(table([("b", SINGLE, 1.0), ("a", SINGLE, 1.0), ("b", SINGLE, 0.0)])) == ["b", "a"]
    assert str(rounded(-1e-9)) == "0.0"


# Matched silence


def point(floor: float, quiet: float, f1: float | None, interpolated: bool = False) -> Point:
    return Point(floor, quiet, f1, f1, f1, interpolated)


A = [point(0.0, 0.0, 0.5), point(0.25, 0.25, 0.5), point(0.5, 0.75, 1.0)]
B = [point(0.0, 0.25, 0.0), point(0.25, 0.25, 0.125), point(0.5, 0.5, 0.25), point(1.0, 1.0, 0.75)]


def test_matched_silence() -> None:
    """At 0 and at 1 only one of the two can be; at 0.25 both were run, the lowest floor counts."""
    assert matched_silence(A, B) == [
        (A[1], B[0]),
        (point(0.375, 0.5, 0.75, interpolated=True), B[2]),
        (A[2], point(0.75, 0.75, 0.5, interpolated=True)),
    ]
    assert [(b, a) for a, b in matched_silence(A, B)] == matched_silence(B, A)


def test_no_match_without_a_sweep_or_a_common_silence() -> None:
    assert matched_silence(A, []) == [] == matched_silence([], A)
    assert matched_silence(A[:1], B) == []
    assert at(A, 0.8) is None


def test_a_half_without_questions_has_no_f1_in_between_either() -> None:
    assert at([point(0, 0.0, None), point(1, 1.0, None)], 0.5) == point(0.5, 0.5, None, interpolated=True)


def test_the_published_sweeps_match_where_both_were_run(tmp_path: Path) -> None:
    """At 48 in a hundred declined, the graph's floor is 0.4 and the vector's 0.5."""
    path = sweep(tmp_path, FIGURES["sweep_floor"])
    curves = read_curves(path)
    assert list(curves) == list(FIGURES["sweep_floor"])
    matches = {
        first.quiet: (first, second) for first, second in matched_silence(curves["graph"], curves["vector"])
    }
    graph, vector = matches[0.48]
    assert (graph.floor, graph.adversarial) == (0.4, FIGURES["sweep_floor"]["graph"]["0.4"]["adversarial"])
    assert (vector.floor, vector.adversarial) == (0.5, FIGURES["sweep_floor"]["vector"]["0.5"]["adversarial"])
    assert not graph.interpolated and not vector.interpolated
    assert (
        sum(first.interpolated or second.interpolated for first, second in matches.values())
        == len(matches) - 1
    )


def sweep(folder: Path, arms: dict[str, dict[str, dict[str, float]]]) -> Path:
    """The sweep of the floor as a file, its floors in no order."""
    columns = ("answerable", "adversarial", "overall", "quiet")
    lines = [
        ",".join([arm, floor, *(str(means[column]) for column in columns)])
        for arm, floors in arms.items()
        for floor, means in reversed(floors.items())
    ]
    path = folder / "floor.csv"
    path.write_text("\n".join(["arm,floor," + ",".join(columns), *lines]) + "\n", encoding="utf-8")
    return path


def test_a_sweep_without_adversarial_questions(tmp_path: Path) -> None:
    path = tmp_path / "floor.csv"
    path.write_text("arm,floor,answerable,adversarial,overall,quiet\na,0,0.5,,0.5,0.25\n", encoding="utf-8")
    assert read_curves(path) == {"a": [Point(0.0, 0.25, 0.5, None, 0.5)]}


def test_no_sweep(tmp_path: Path) -> None:
    path = tmp_path / "floor.csv"
    with pytest.raises(LocomoError, match="is not there; `dvc repro sweep` makes it"):
        read_curves(path)
    path.write_text("arm,floor\na,0\n", encoding="utf-8")
    with pytest.raises(LocomoError, match="is no sweep of the floor"):
        read_curves(path)


# The stage


def test_the_stage_says_what_it_leaves_out(
    tmp_path: Path,
    tiny: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    params = ROOT.joinpath("params.yaml").read_text(encoding="utf-8")
    start = params.index("\narms:")
    (tmp_path / "params.yaml").write_text(
        params[:start] + "\narms: [graph+edge, path, walk3]\nmay_fail: []\n", encoding="utf-8"
    )
    write_json(Path("data/locomo10.json"), tiny)
    Path("data/memories").mkdir()
    for conversation in dataset.read(Path("data/locomo10.json")):
        build(conversation, infer=True)[0].save(Path("data/memories"))
    write_json(Path("data/stems.json"), {})
    stage.main()
    assert capsys.readouterr().out == (
        "Left out: recall of the memories vector, oracle, scoped, span, path2, path3, walk2,"
        " for want of an arm that reads them.\n"
    )
    reached = json.loads(Path("metrics/reach.json").read_bytes())
    assert list(reached["recall_at_2000"]) == ["graph", "path", "walk3"]
    assert reached["hop_reach"]["one_hop"]["single_hop"] == 1.0
    assert json.loads(Path("metrics/ceiling.json").read_bytes())["whole"]["answerable"] == 1.0
