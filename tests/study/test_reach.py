"""What could be found at all: published figures, and cases small enough to work out by hand."""

import json
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import reach as stage
from helpers.shared import FIGURES, ROOT, Benchmark
from locomo.answer.arms import as_noted, select
from locomo.core import paths
from locomo.core.files import digest, write_json
from locomo.formats import dataset
from locomo.formats.answer_key import AnswerKey
from locomo.formats.built import Built
from locomo.formats.dataset import Category, Conversation
from locomo.formats.keys import PUBLISHED
from locomo.index.indexer import build
from locomo.score.averages import Row, table
from locomo.study.ceiling import ceiling, multi_hop_answers_with_commas
from locomo.study.reach import (
    Reach,
    count_relations,
    hop_reach,
    relations,
    summary,
    turns_within,
    uncut_recall,
)

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


def test_sessions_as_evidence(small: Conversation) -> None:
    """Ada's turn is session 1, and Bob's two are session 2."""
    places = [("D1:1", 1), ("D2:1", 2), ("D2:2", 2)]
    turns = [replace(turn, id=id, session=n) for turn, (id, n) in zip(small.turns, places, strict=True)]
    asked = [
        replace(small.questions[0], question=f"Whom did Ada meet{mark}", evidence=evidence)
        for mark, evidence in (("?", ("S1", "(S2)", "S9")), ("!", ("D1:1", "S2")), (".", ("D2:2", "S1")))
    ]
    talk = replace(small, turns=tuple(turns), questions=tuple(asked))
    store, _ = build(talk, infer=True)
    recalls = list(uncut_recall(talk, store, select(["oracle", "vector"])))
    by_memory = {name: [value for one, _, value in recalls if one == name] for name in ("oracle", "vector")}
    # "Meet" is a word of Bob's turns alone.
    assert by_memory == {"oracle": [2 / 3, 1, 1], "vector": [1 / 3, 1 / 2, 1 / 2]}
    hops = [(name, value) for name, _, value in hop_reach(replace(talk, questions=talk.questions[:1]), store)]
    assert [value for name, value in hops if name == "one_hop"] == [1, 0, 0]
    assert [value for name, value in hops if name == "two_hops"] == [1, 1, 0]
    # Of "Tom" and "Ann", one is a word of session 1; both are words of session 2.
    one, other = (replace(asked[0], evidence=evidence) for evidence in (("S1",), ("S2",)))
    found = [
        ceiling([replace(talk, questions=(question,))])["found"]["single_hop"] for question in (one, other)
    ]
    assert found == [1 / 2, 1]


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


def test_questions_that_a_memory_failed_on_are_counted_and_in_no_mean() -> None:
    counts = {"edges": 0, "by_label": 0, "by_stemmed_label": 0}
    recalls = [("a", SINGLE, 1.0), ("b", SINGLE, 1.0), ("b", SINGLE, 0.0)]
    found = summary([Reach(2, recalls, [], counts)], ["a", "b"])
    assert found["failed"] == {"a": 1}
    assert [row["overall"] for row in found["recall_at_2000"].values()] == [1.0, 0.5]
    assert "failed" not in summary([Reach(2, recalls[1:], [], counts)], ["b"])


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


# The stage


def test_the_stage_says_what_it_leaves_out(
    tmp_path: Path,
    tiny: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / paths.PARAMS, paths.PARAMS)
    write_json(paths.ARMS, as_noted(["graph+edge", "path", "walk3"], []))
    write_json(paths.DATASET, tiny)
    AnswerKey(PUBLISHED, digest(paths.DATASET)).save(paths.KEY)
    paths.MEMORIES.mkdir()
    Built(digest(paths.DATASET), infer=True).save(paths.MEMORIES)
    for conversation in dataset.read(paths.DATASET):
        build(conversation, infer=True)[0].save(paths.MEMORIES)
    stage.main()
    assert capsys.readouterr().out == (
        "Left out: recall of the memories vector, oracle, scoped, span, path2, path3, walk2,"
        " which no arm of this run reads.\n"
    )
    reached = json.loads(paths.REACH.read_bytes())
    assert list(reached["recall_at_2000"]) == ["graph", "path", "walk3"]
    assert reached["hop_reach"]["one_hop"]["single_hop"] == 1.0
    assert json.loads(paths.CEILING.read_bytes())["whole"]["answerable"] == 1.0
