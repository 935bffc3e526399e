"""`locomo export`: other tools read what is written, and find what we find."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

import ir_measures
import networkx
import pytest
from ir_measures import R
from pyarrow import parquet

from helpers.ran import MakeRun
from helpers.shared import ROOT, Answers, Benchmark
from helpers.talks import built
from locomo.answer.arms import ARMS
from locomo.cli import main
from locomo.core import paths
from locomo.core.files import digest
from locomo.formats.built import Built
from locomo.formats.dataset import ABSTENTION
from locomo.results import run
from locomo.results.predictions import Answer, Texts
from locomo.score.measures import MEASURES

ANSWERS: Answers = {
    "conv-1": {
        "vector": [
            Answer("a red kayak, nice", ["D1:2", "D1:1", "D1:2"], 0.75),
            Answer("kayak", ["D1:1"], 0.5),
        ],
        "graph+set": [Answer("kayak\n", ["D1:1"], 1 / 3), Answer(ABSTENTION, [], 0.0)],
    },
    "conv-2": {"vector": [], "graph+set": []},
}


@pytest.fixture
def small(make_run: MakeRun, tiny: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of two arms over two questions, as the current folder; one id of evidence names no turn."""
    tiny[0]["qa"][0]["evidence"] = ["(D1:1)", "D1:1", "D2:1; D9:9"]
    folder = make_run(tiny, ANSWERS)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def here(ran: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The run of the published tables, as the current folder."""
    monkeypatch.chdir(ran)
    return ran


def export(*options: object) -> None:
    main(["export", *map(str, options)])


def refused(*options: object) -> str:
    with pytest.raises(SystemExit) as stop:
        export(*options)
    return str(stop.value)


# ---- TREC


def test_a_run_an_arm_best_first_and_each_turn_once(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export("run")
    folder = small / paths.EXPORT / "runs"
    assert sorted(path.name for path in folder.iterdir()) == ["graph+set.trec", "vector.trec"]
    assert folder.joinpath("vector.trec").read_text(encoding="utf-8") == (
        "conv-1/0 Q0 conv-1/D1:2 1 2 vector\n"
        "conv-1/0 Q0 conv-1/D1:1 2 1 vector\n"
        "conv-1/1 Q0 conv-1/D1:1 1 1 vector\n"
    )
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].endswith("graph+set.trec: 1 turns cited for 1 of 2 questions")


def test_qrels_hold_evidence_that_names_no_turn_and_no_white_space(small: Path) -> None:
    export("qrels", "--out", "elsewhere")
    assert Path("elsewhere/qrels.trec").read_text(encoding="utf-8") == (
        "conv-1/0 0 conv-1/D1:1 1\nconv-1/0 0 conv-1/D2:1;_D9:9 1\nconv-1/1 0 conv-1/D1:1 1\n"
    )
    assert Path("elsewhere/qrels-answerable.trec").read_text(encoding="utf-8") == (
        "conv-1/0 0 conv-1/D1:1 1\nconv-1/0 0 conv-1/D2:1;_D9:9 1\n"
    )


@pytest.fixture
def external(make_run: MakeRun, tiny: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of a memory that cites sessions, and one with texts of its own, as the current folder."""
    answers: Answers = {
        "conv-1": {
            "notes": [Answer("x", Texts(["Ada, a boat.", "D1:2"]), 0.5), Answer("x", ["D1:1"], 0.5)],
            "halls": [Answer("x", ["S2", "S1", "S2"], 0.5), Answer("x", [], 0.5)],
        },
        "conv-2": {"notes": [], "halls": []},
    }
    folder = make_run(tiny, answers)
    monkeypatch.chdir(folder)
    return folder


def test_a_run_of_sessions_and_without_texts(external: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export("run")
    folder = external / paths.EXPORT / "runs"
    assert folder.joinpath("notes.trec").read_text(encoding="utf-8") == (
        "conv-1/0 Q0 conv-1/D1:2 1 1 notes\nconv-1/1 Q0 conv-1/D1:1 1 1 notes\n"
    )
    assert folder.joinpath("halls.trec").read_text(encoding="utf-8") == (
        "conv-1/0 Q0 conv-1/S2 1 2 halls\nconv-1/0 Q0 conv-1/S1 2 1 halls\n"
    )
    assert capsys.readouterr().out.splitlines()[:-1] == [
        "data/export/runs/notes.trec: 2 turns cited for 2 of 2 questions",
        "notes: 1 answers cite texts of the memory's own, which are left out",
        "data/export/runs/halls.trec: 2 sessions cited for 1 of 2 questions",
        "halls: qrels name turns, so that no measure finds its sessions",
    ]


def test_tables_without_some_recall(external: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("scores", "predictions"):
        export(kind)
        export(kind, "--parquet")
    assert Path(paths.EXPORT / "scores.csv").read_bytes() == paths.SCORES.read_bytes()
    recalls = parquet.read_table(paths.EXPORT / "scores.parquet")["recall"].to_pylist()
    assert recalls == [None, 1.0, 1.0, 0.0]  # question 0 of both arms, then question 1; evidence is D1:1
    contexts = parquet.read_table(paths.EXPORT / "predictions.parquet")["context"].to_pylist()
    assert contexts == [["Ada, a boat.", "D1:2"], ["S2", "S1", "S2"], ["D1:1"], []]
    capsys.readouterr()
    main(["score", str(paths.EXPORT / "predictions.csv"), "--against", "halls", "--json"])
    notes, halls = json.loads(capsys.readouterr().out)["comparisons"]
    assert notes["recall"]["notes (given)"]["single_hop"] is None
    assert notes["recall"]["notes (given)"]["adversarial"] == 1.0
    assert halls["session_recall"]["halls (given)"]["overall"] == 0.5


def test_ir_measures_finds_our_recall(here: Path, tmp_path: Path) -> None:
    """Question by question over every arm; apart from what is counted here, the two are the same figure.

    Ours is 1 on the four questions without evidence, which have no qrels. One question names a turn twice in
    its evidence, which counts double in ours.
    """
    export("run", "--out", tmp_path)
    export("qrels", "--out", tmp_path)
    answered = run.load()
    rows = {row.id: row for row in answered.questions}
    without = {id for id, row in rows.items() if not row.question.evidence}
    doubled = {
        id for id, row in rows.items() if len(set(row.question.evidence_ids)) < len(row.question.evidence)
    }
    assert len(without) == 4 and doubled == {"conv-50/5"}
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.trec")))
    assert {one.query_id for one in qrels} == rows.keys() - without
    differing = []
    for arm in ARMS:
        lines = list(ir_measures.read_trec_run(str(tmp_path / "runs" / f"{arm}.trec")))
        theirs = {found.query_id: found.value for found in ir_measures.iter_calc([R @ 5], qrels, lines)}
        assert theirs.keys() == rows.keys() - without
        ours = {id: row.scores[arm].values["recall"] for id, row in rows.items()}
        assert {id: theirs[id] for id in theirs.keys() - doubled} == pytest.approx(
            {id: ours[id] for id in theirs.keys() - doubled}, abs=1e-12
        )
        assert all(ours[id] == 1 for id in without)
        differing += [(arm, id) for id in doubled if abs(ours[id] - theirs[id]) > 1e-12]
        # So the mean is the committed one, but for those questions.
        mean = (ir_measures.calc_aggregate([R @ 5], qrels, lines)[R @ 5] * len(theirs) + len(without)) / len(
            rows
        )
        off = sum(ours[id] - theirs[id] for id in doubled) / len(rows)
        recall = json.loads((ROOT / paths.metric("recall", arm)).read_bytes())
        assert mean + off == pytest.approx(recall["overall"], abs=1e-6)
    # All other arms find all of that question's evidence, or none.
    assert differing == [(arm, "conv-50/5") for arm in ARMS if not arm.startswith("oracle")]


# ---- tables


def test_predictions_as_csv_are_read_by_score_and_scored_alike(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export("predictions", "--out", tmp_path, "--arm", "path", "--arm", "graph+set")
    with tmp_path.joinpath("predictions.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == 1 + 2 * 1986
    capsys.readouterr()
    main(["score", str(tmp_path / "predictions.csv"), "--against", "path", "--json"])
    (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
    for measure in MEASURES:
        for arm, name in (("path", "path (given)"), ("graph+set", "graph+set (given)")):
            committed = json.loads((ROOT / paths.metric(measure, arm)).read_bytes())
            assert comparison[measure][name] == committed


def test_scores_as_csv_are_those_of_the_run(here: Path, tmp_path: Path) -> None:
    export("scores", "--out", tmp_path)
    assert tmp_path.joinpath("scores.csv").read_bytes() == (here / paths.SCORES).read_bytes()


def test_parquet_holds_the_same_with_types(small: Path) -> None:
    export("predictions", "--parquet")
    export("scores", "--parquet", "--arm", "vector")
    table = parquet.read_table(small / paths.EXPORT / "predictions.parquet")
    assert str(table.schema.field("context").type).startswith("list<")
    assert table.to_pylist()[:2] == [
        {
            "sample_id": "conv-1",
            "index": 0,
            "question": "What did Ada buy?",
            "category": "single_hop",
            "arm": arm,
            "prediction": reply,
            "context": context,
            "confidence": confidence,
        }
        for arm, (reply, context, confidence) in (
            ("vector", ANSWERS["conv-1"]["vector"][0]),
            ("graph+set", ANSWERS["conv-1"]["graph+set"][0]),
        )
    ]
    scores = parquet.read_table(small / paths.EXPORT / "scores.parquet").to_pylist()
    assert [score["arm"] for score in scores] == ["vector", "vector"]
    assert (scores[0]["f1"], scores[0]["abstained"], scores[0]["category"]) == (0.5, 0, "single_hop")


def test_parquet_without_pyarrow(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = refused("scores", "--parquet")
    assert message.startswith(
        "error: --parquet: needs pyarrow, which is not installed; `pip install pyarrow`"
    )
    assert not (small / paths.EXPORT).exists()


# ---- graphs


def test_graphs_read_back_with_the_counts_of_the_build(
    benchmark: Benchmark, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run" / "data"
    folder.joinpath("memories").mkdir(parents=True)
    folder.joinpath("locomo10.json").write_bytes(here.joinpath("data/locomo10.json").read_bytes())
    Built(digest(folder / "locomo10.json"), infer=True).save(folder / "memories")
    for memory in benchmark.stores[:2]:
        memory.save(folder / "memories")
    monkeypatch.chdir(folder.parent)
    samples = [memory.sample_id for memory in benchmark.stores[:2]]
    export("graph", *(word for sample in samples for word in ("--sample", sample)))
    counts = json.loads((ROOT / paths.BUILD).read_bytes())["conversations"]
    for sample in samples:
        path = folder / "export" / "graphs" / f"{sample}.graphml"
        one = networkx.read_graphml(path, edge_key_type=str, force_multigraph=True)
        other = networkx.node_link_graph(json.loads(path.with_suffix(".json").read_bytes()), edges="edges")
        for graph in (one, other):
            assert graph.is_directed() and graph.is_multigraph()
            assert graph.number_of_nodes() == counts[sample]["nodes"]
            assert graph.number_of_edges() == counts[sample]["edges"]
        assert set(one.nodes) == set(other.nodes)
        told = {
            key: (a, b, found["label"], found["turns"].split())
            for a, b, key, found in one.edges(keys=True, data=True)
        }
        assert told == {
            key: (a, b, found["label"], found["turns"])
            for a, b, key, found in other.edges(keys=True, data=True)
        }


def test_characters_that_xml_cannot_hold_are_spelled_out(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths.MEMORIES.mkdir()
    Built(digest(paths.DATASET), infer=True).save(paths.MEMORIES)
    memory = built("Ada: I bought a kay\x01ak. I bought a kayak & <co>\ufffe.")
    monkeypatch.setattr("locomo.commands.export.store.load", lambda folder, sample: memory)
    export("graph", "--sample", "conv-1", "--out", tmp_path)
    graph = networkx.read_graphml(tmp_path / "graphs" / "conv-1.graphml", force_multigraph=True)
    assert graph.number_of_edges() == len(memory.edges.id)
    assert len(graph) == len(memory.nodes) and any("\\u0001" in node for node in graph)


def test_without_a_memory(small: Path) -> None:
    assert "data/memories/(built).json: is not there; run `dvc repro build` to make it" in refused("graph")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("run", "--arm", "oracle"), "error: --arm: oracle: not in this run; allowed: vector, graph+set"),
        (
            ("graph", "--sample", "conv-9"),
            "error: --sample: conv-9: not in this run; allowed: conv-1, conv-2",
        ),
    ],
)
def test_names_that_are_not_in_the_run(options: tuple[str, ...], message: str, small: Path) -> None:
    assert refused(*options) == message
