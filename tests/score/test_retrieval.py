"""Precision, MRR, nDCG and hit rate: by hand, and as ir_measures finds them in the exported files."""

import json
import random
import runpy
from collections.abc import Mapping, Sequence
from math import log2
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from ir_measures import RR, P, Success, nDCG

from helpers.ran import MakeRun
from helpers.shared import ROOT, Answers, make_tiny
from helpers.talks import talk
from locomo.cli import main
from locomo.core import paths
from locomo.formats.dataset import Category, Question
from locomo.results import run
from locomo.results.predictions import Answer, Failure, Texts
from locomo.score.averages import COLUMNS
from locomo.score.retrieval import RETRIEVAL, retrieval, retrieval_tables

THEIRS = {"precision": P, "mrr": RR, "ndcg": nDCG, "hit_rate": Success}
SECOND, THIRD, FOURTH = 1 / log2(3), 1 / 2, 1 / log2(5)
"""What a relevant turn adds to nDCG at these places, before it is divided by the best that there can be."""


def asked(*evidence: str, category: Category = Category.SINGLE_HOP) -> Question:
    return Question("A?", "tea", category, evidence)


# ---- by hand


@pytest.mark.parametrize(
    ("cited", "k", "precision", "mrr", "ndcg", "hit_rate"),
    [
        # Of three relevant turns, those at places 2 and 4 of 5.
        ("D1:9 D1:1 D1:8 D1:2 D1:7", 5, 2 / 5, 1 / 2, (SECOND + FOURTH) / (1 + SECOND + THIRD), 1),
        # The same with k = 3: the ideal has three, the cites have one.
        ("D1:9 D1:1 D1:8 D1:2 D1:7", 3, 1 / 3, 1 / 2, SECOND / (1 + SECOND + THIRD), 1),
        ("D1:9 D1:1 D1:8 D1:2 D1:7", 1, 0, 0, 0, 0),
        # k = 2 is less than the three relevant turns: two of them are all there can be.
        ("D1:2 D2:1", 2, 1, 1, 1, 1),
        # Few cites: the empty places count against precision alone.
        ("D1:1 D1:2 D2:1", 10, 3 / 10, 1, 1, 1),
        # A turn that is cited again takes no second place and is found once.
        ("D1:9 D1:9 D1:9 D1:1 D1:1", 2, 1 / 2, 1 / 2, SECOND / (1 + SECOND), 1),
        ("", 5, 0, 0, 0, 0),
    ],
)
def test_by_hand(cited: str, k: int, precision: float, mrr: float, ndcg: float, hit_rate: float) -> None:
    question = asked("D1:1", "(D1:2)", "D2:1", "D1:1")
    found = retrieval(question, cited.split(), k)
    assert found == pytest.approx({"precision": precision, "mrr": mrr, "ndcg": ndcg, "hit_rate": hit_rate})
    assert list(found) == list(RETRIEVAL)


def test_evidence_that_names_no_turn_is_relevant_but_never_found() -> None:
    found = retrieval(asked("D1:1", "D9:9; D4:4"), ["D1:1", "D1:2"], 2)
    assert found == pytest.approx({"precision": 1 / 2, "mrr": 1, "ndcg": 1 / (1 + SECOND), "hit_rate": 1})


def test_sessions_are_judged_by_sessions() -> None:
    # The evidence is of two sessions, 1 and 12; S1 is not S12.
    found = retrieval(asked("D1:1", "(D1:2)", "D12:1"), ["S3", "S12", "S2"], 4)
    assert found == pytest.approx(
        {"precision": 1 / 4, "mrr": 1 / 2, "ndcg": SECOND / (1 + SECOND), "hit_rate": 1}
    )


def test_turns_are_judged_by_sessions_where_these_are_evidence() -> None:
    # Sessions 3, 12 and 2 are cited, in this order; 12, 2 and 1 are relevant.
    found = retrieval(asked("S12", "D2:1", "S1"), ["D3:1", "D12:1", "D3:2", "D2:9"], 4)
    ndcg = (SECOND + THIRD) / (1 + SECOND + THIRD)
    assert found == pytest.approx({"precision": 2 / 4, "mrr": 1 / 2, "ndcg": ndcg, "hit_rate": 1})
    # Two turns of one session fill one of two places.
    found = retrieval(asked("S1"), ["D1:1", "D1:2"], 2)
    assert found == pytest.approx({"precision": 1 / 2, "mrr": 1, "ndcg": 1, "hit_rate": 1})
    assert set(retrieval(asked("S1", "D2:1"), [], 2).values()) == {0}


def test_means_by_memory_over_the_questions_that_can_be_judged() -> None:
    single, adversarial = Category.SINGLE_HOP, Category.ADVERSARIAL
    questions = [asked("D1:1"), asked("D1:2"), asked(), asked("D1:1", category=adversarial)]
    conversation = talk("Ada: Tea.", "Bob: Nice.", questions=questions)
    first, second = Answer("tea", ["D1:1"], 0.5), Answer("tea", ["D1:2", "D1:1"], 0.5)
    rows: list[dict[str, Answer | Failure]] = [
        {"graph": first, "mine+set": Failure("timeout"), "mine": first},
        {"graph": first, "mine+set": second, "mine": second},
        {"graph": first, "mine+set": second, "mine": second},  # has no evidence
        {"graph": second, "mine+set": Answer("tea", Texts(["D1:1"]), 0.5), "mine": first},
    ]
    found = retrieval_tables([conversation], [("talk", rows)], ["graph", "mine+set", "mine"], 2)
    assert [(memory, list(rows)) for memory, rows in found.items()] == [
        ("graph", list(RETRIEVAL)),
        ("mine", list(RETRIEVAL)),
    ]
    none = dict.fromkeys(COLUMNS)
    # `graph` finds the first question's evidence at place 1, the second's never, the last one's at place 2.
    assert found["graph"]["mrr"] == none | {
        single.label: 0.5,
        "answerable": 0.5,
        adversarial.label: 0.5,
        "overall": 0.5,
    }
    assert found["graph"]["precision"]["overall"] == round((1 / 2 + 0 + 1 / 2) / 3, 6)
    # `mine+set` stands for `mine`: it failed on the first question, and cites its own text on the last.
    assert found["mine"]["mrr"] == none | {single.label: 1, "answerable": 1, "overall": 1}


# ---- as ir_measures finds them


def exported(folder: Path) -> tuple[list[Any], dict[str, list[Any]]]:
    """The qrels and the runs by arm of the run in the current folder, as ir_measures reads them."""
    main(["export", "qrels", "--out", str(folder)])
    main(["export", "run", "--out", str(folder)])
    runs = {path.stem: list(ir_measures.read_trec_run(str(path))) for path in (folder / "runs").iterdir()}
    return list(ir_measures.read_trec_qrels(str(folder / "qrels.trec"))), runs


def of_questions(qrels: Sequence[Any], lines: Sequence[Any], k: int) -> dict[str, dict[str, float]]:
    """What ir_measures finds, by measure and question."""
    names = {theirs @ k: ours for ours, theirs in THEIRS.items()}
    found: dict[str, dict[str, float]] = {name: {} for name in names.values()}
    for one in ir_measures.iter_calc(list(names), qrels, lines):
        found[names[one.measure]][one.query_id] = one.value
    return found


def means(found: Mapping[str, float], categories: Mapping[str, Category]) -> dict[str, float | None]:
    """The means of a measure's values in each column of a table."""
    grouped = {
        column: [value for id, value in found.items() if categories[id] in group]
        for column, group in COLUMNS.items()
    }
    return {column: sum(values) / len(values) if values else None for column, values in grouped.items()}


def random_run(seed: int) -> tuple[list[dict[str, Any]], Answers]:
    """Questions with any evidence, and what two memories cite for them, at most 5 ids, some of them twice."""
    draw = random.Random(seed)
    samples = make_tiny()
    turns = [f"D{session}:{turn}" for session in (1, 2, 3) for turn in range(1, 6)]
    odd = ["(D1:1)", "D1:2; D2:1", "D99:1", "D", "S2", "S99"]
    answers: Answers = {}
    for sample in samples:
        sample["qa"] = [
            {
                "question": "A?",
                "answer": "tea",
                "category": draw.randint(1, 5),
                "evidence": draw.choices(turns + odd, k=draw.choice((0, 1, 1, 2, 4, 8))),
            }
            for _ in range(60)
        ]
        answers[sample["sample_id"]] = {
            arm: [Answer("tea", draw.choices(turns, k=draw.randint(0, 5)), 0.5) for _ in sample["qa"]]
            for arm in ("vector", "graph+set")
        }
    return samples, answers


def test_a_random_run_gives_the_figures_of_ir_measures(
    make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    monkeypatch.chdir(make_run(*random_run(seed)))
    runpy.run_path(str(ROOT / "src/score.py"))["main"]()
    rows = {row.id: row for row in run.load().questions}
    qrels, runs = exported(tmp_path / "trec")
    judged = {id for id, row in rows.items() if row.question.evidence}
    assert 0 < len(judged) < len(rows)
    for arm, lines in runs.items():
        for k in (1, 2, 3, 5, 8):
            for measure, theirs in of_questions(qrels, lines, k).items():
                assert theirs.keys() == judged
                ours = {
                    id: retrieval(rows[id].question, rows[id].answers[arm].context, k)[measure]
                    for id in judged
                }
                assert ours == pytest.approx(theirs, abs=1e-12), (arm, k, measure)
        written = json.loads((paths.RETRIEVAL / f"{arm.partition('+')[0]}.json").read_bytes())
        categories = {id: row.question.category for id, row in rows.items()}
        for measure, theirs in of_questions(qrels, lines, 5).items():
            assert written[measure] == pytest.approx(means(theirs, categories), abs=1e-6), (arm, measure)


@pytest.mark.parametrize("which", ["ran", "demo_run"])
def test_the_figures_of_a_whole_run_are_those_of_ir_measures(
    which: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those in git, over the real dataset, and those of the demonstration set."""
    folder, metrics = request.getfixturevalue(which), ROOT
    if which == "demo_run":
        folder = metrics = folder.folder
    monkeypatch.chdir(folder)
    categories = {row.id: row.question.category for row in run.load().questions}
    qrels, runs = exported(tmp_path)
    files = {path.stem: json.loads(path.read_bytes()) for path in (metrics / paths.RETRIEVAL).iterdir()}
    assert files.keys() == {arm.partition("+")[0] for arm in runs}
    for arm, lines in runs.items():
        of_memory = files[arm.partition("+")[0]]
        for measure, theirs in of_questions(qrels, lines, 5).items():
            assert of_memory[measure] == pytest.approx(means(theirs, categories), abs=1e-6), (arm, measure)


def test_a_memory_that_no_longer_runs_leaves_no_file(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples, answers = random_run(seed=1)
    monkeypatch.chdir(make_run(samples, answers))
    paths.RETRIEVAL.mkdir(parents=True)
    (paths.RETRIEVAL / "mine.json").touch()
    runpy.run_path(str(ROOT / "src/score.py"))["main"]()
    assert sorted(path.name for path in paths.RETRIEVAL.iterdir()) == ["graph.json", "vector.json"]
