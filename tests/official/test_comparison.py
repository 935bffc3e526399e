"""The official scorer over predictions files: what it is given, what is compared, what is refused."""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import score_official
from helpers.shared import FIGURES, ROOT, Benchmark
from locomo.answer.arms import select
from locomo.answer.asking import answer_as_json
from locomo.core import paths
from locomo.core.download import Pinned
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category
from locomo.official import comparison, scorer
from locomo.official.scorer import load_code
from locomo.reader.base import ReaderSettings
from locomo.results import predictions
from locomo.results.predictions import read_any
from locomo.results.scores import Score, write_scores
from locomo.score.measures import MEASURES, abstained, f1
from locomo.text.tokens import stems

# Notes that it ran, is noisy, wants a module that nobody has, and finds every answer half right.
SCORER = b"""
import pathlib
from bert_score import score
pathlib.Path("ran").touch()
print("noise")

def eval_question_answering(qas, eval_key="prediction", metric="f1"):
    print("more noise")
    return [0.5 for line in qas], 0.0, [0.25 for line in qas]
"""
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PATH = "task_eval/evaluation.py"
KEPT = Score("conv-1", 0, Category.SINGLE_HOP, "a", {"f1": 0.5, "recall": 0.25, "abstained": 0}, 0.75)
PINNED = Pinned("https://locomo.invalid/o/n", COMMIT, PATH, len(SCORER), hashlib.sha256(SCORER).hexdigest())


@pytest.fixture
def no_scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a user without the scorer and without a network; returns it."""
    monkeypatch.setenv("LOCOMO_OFFLINE", "1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "cache"))
    monkeypatch.setenv("LOCOMO_CACHE", str(tmp_path / "shared"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder: Path, body: bytes) -> None:
    place = folder / "shared" / PATH
    place.parent.mkdir(parents=True)
    place.write_bytes(body)


def asked(category: int = 4, **fields: Any) -> dict[str, Any]:
    """A question of an invented predictions file."""
    return {
        "question": "What did Ada buy?",
        "answer": "a red kayak",
        "category": category,
        "evidence": ["D1:1", "D2:7"],
        **fields,
    }


def written(path: Path, *questions: dict[str, Any]) -> Path:
    path.write_text(json.dumps([{"sample_id": "conv-1", "qa": list(questions)}]), encoding="utf-8")
    return path


# The code


def test_the_code_runs_unmodified_and_prints_nothing(
    no_scorer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(no_scorer, SCORER)
    rows = read_any(written(no_scorer / "p.json", asked(a_prediction="kayak", a_prediction_context=[])))
    scores = comparison.official_scores(rows, ["a"], load_code(PINNED))
    assert [(score.f1, score.recall) for score in scores] == [(0.5, 0.25)]
    assert Path("ran").exists()
    assert capsys.readouterr() == ("", "")
    assert "bert_score" not in sys.modules


def test_a_module_that_is_there_comes_back(no_scorer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(no_scorer, SCORER)
    real = ModuleType("bert_score")
    monkeypatch.setitem(sys.modules, "bert_score", real)
    load_code(PINNED)
    assert sys.modules["bert_score"] is real


@pytest.mark.parametrize("place", [0, len(SCORER) // 2, len(SCORER) - 1])
def test_one_byte_changed_and_nothing_runs(no_scorer: Path, place: int) -> None:
    changed = SCORER[:place] + bytes([SCORER[place] ^ 1]) + SCORER[place + 1 :]
    put(no_scorer, changed)
    with pytest.raises(LocomoError, match="could not be downloaded") as caught:
        load_code(PINNED)
    assert hashlib.sha256(changed).hexdigest() in str(caught.value)
    assert not Path("ran").exists()


def test_a_file_swapped_after_the_check_does_not_run(
    no_scorer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped = no_scorer / "swapped.py"
    swapped.write_bytes(SCORER + b"\n")
    monkeypatch.setattr(scorer, "fetch", lambda file: swapped)
    with pytest.raises(LocomoError, match="has changed since it was checked"):
        load_code(PINNED)
    assert not Path("ran").exists()


def test_byte_code_beside_the_file_is_not_run(no_scorer: Path) -> None:
    put(no_scorer, SCORER)
    source = no_scorer / "shared" / PATH
    harmful = no_scorer / "harmful.py"
    harmful.write_text("open('harm', 'w')\n")
    cached = Path(importlib.util.cache_from_source(str(source)))
    cached.parent.mkdir()
    # An unchecked hash-based one: an import would run it whatever the source is.
    mode = "PycInvalidationMode.UNCHECKED_HASH"
    script = f"from py_compile import *; compile({str(harmful)!r}, {str(cached)!r}, invalidation_mode={mode})"
    subprocess.run([sys.executable, "-c", script], check=True)
    load_code(PINNED)
    assert not Path("harm").exists()


def test_the_committed_pin_refuses_a_changed_official_scorer(
    official_code: ModuleType, tmp_path: Path, no_scorer: Path
) -> None:
    body = Path(official_code.__dict__["f1_score"].__code__.co_filename).read_bytes()
    put(no_scorer, body.replace(b"0", b"1", 1))
    done = script(written(tmp_path / "p.json", asked(a_prediction="kayak")))
    assert done.returncode == 1 and done.stdout == ""
    assert "has SHA-256" in done.stderr and "Traceback" not in done.stderr


# What it is given


def test_what_the_code_is_given(tmp_path: Path) -> None:
    given: list[dict[str, Any]] = []

    def record(lines: list[dict[str, Any]]) -> tuple[list[int], float, list[int]]:
        given.extend(lines)
        return [1] * len(lines), 0.0, [1] * len(lines)

    no_answer = asked(5, a_prediction="x", a_prediction_context=["S1"])
    del no_answer["answer"]
    path = written(
        tmp_path / "p.json",
        asked(a_prediction="", a_prediction_context=["D1:1"], evidence=["(D1:1)"], answer=2022),
        asked(a_prediction="kayak", a_prediction_context=[]),
        asked(a_prediction="kayak"),
        asked(a_prediction=None),
        asked(),
        no_answer,
    )
    code = SimpleNamespace(eval_question_answering=record)
    scores = comparison.official_scores(read_any(path), ["a"], code)  # type: ignore[arg-type]
    both = ("D1:1", "D2:7")
    kept = [
        tuple(line.get(key) for key in ("answer", "category", "evidence", "prediction")) for line in given
    ]
    assert kept == [
        ("2022", 4, ("D1:1",), ""),
        ("a red kayak", 4, both, "kayak"),
        ("a red kayak", 4, both, "kayak"),
        ("", 5, both, "x"),
    ]
    contexts = [line.get("prediction_context") for line in given]
    assert contexts == [["D1:1"], [comparison._NO_TURN], None, ["S1"]]
    assert [score.recall for score in scores] == [1, 1, None, 1]


def test_the_code_is_given_a_repeated_answer_once(tmp_path: Path) -> None:
    given: list[dict[str, Any]] = []

    def number(lines: list[dict[str, Any]]) -> tuple[list[int], float, list[int]]:
        given.extend(lines)
        numbers = list(range(len(given) - len(lines), len(given)))
        return numbers, 0.0, numbers

    cited = {"a_prediction": "kayak", "b_prediction": "kayak", "a_prediction_context": ["D1:1"]}
    path = written(
        tmp_path / "p.json",
        asked(**cited, b_prediction_context=["D1:1"]),
        asked(**cited, b_prediction_context=["D1:2"]),
        asked(**cited),
        asked(**cited | {"b_prediction": "canoe"}, b_prediction_context=["D1:1"]),
    )
    code = SimpleNamespace(eval_question_answering=number)
    scores = comparison.official_scores(read_any(path), ["a", "b"], code)  # type: ignore[arg-type]
    assert [(score.arm, score.row.position, score.f1, score.recall) for score in scores] == [
        *(("a", place, place, place) for place in range(4)),
        *(("b", 0, 0, 0), ("b", 1, 4, 4), ("b", 2, 5, None), ("b", 3, 6, 6)),
    ]
    assert len(given) == 7


# Files from elsewhere


def compared(path: Path, code: ModuleType) -> comparison.Comparison:
    rows = read_any(path)
    arms = list(rows[0].answers)
    scores = comparison.official_scores(rows, arms, code)
    return comparison.Comparison(rows, arms, scores, comparison.our_scores(rows, arms), "our metric")


def test_missing_predictions_are_named_and_counted_and_no_zeroes(
    official_code: ModuleType, tmp_path: Path
) -> None:
    full = asked(a_prediction="red kayak", b_prediction=None)
    comparison = compared(
        written(tmp_path / "p.json", full, asked(b_prediction="canoe"), asked(a_prediction=None)),
        official_code,
    )
    comparison.check()
    figures = comparison.figures()
    assert (figures["f1_compared"], figures["recall_compared"]) == (2, 0)
    assert figures["f1"]["a"]["single_hop"] == 1.0  # of the one answer that is there
    assert figures["f1"]["b"]["single_hop"] == 0.0
    assert figures["recall"]["a"]["single_hop"] is None and figures["recall"]["b"]["overall"] is None
    assert figures["predictions_missing"] == {
        "a": [{"sample": "conv-1", "question": 1}, {"sample": "conv-1", "question": 2}],
        "b": [{"sample": "conv-1", "question": 0}, {"sample": "conv-1", "question": 2}],
    }
    assert figures["recall_not_available"] == {"a": 1, "b": 1}
    summary = comparison.summary()
    assert "a: 2 of 3 predictions missing, left out: conv-1, question 1 ('What did Ada buy?'); " in summary
    assert "b: no recall for 1 answers" in summary
    assert comparison.shown().count(" - ") >= 2


def test_recall_of_turns_and_of_sessions(official_code: ModuleType, tmp_path: Path) -> None:
    comparison = compared(
        written(
            tmp_path / "p.json",
            asked(turns_prediction="x", turns_prediction_context=["D2:7", "D9:9"]),
            asked(sessions_prediction="x", sessions_prediction_context=["S1", "S2", "S3"]),
            asked(nothing_prediction="x", nothing_prediction_context=[]),
        ),
        official_code,
    )
    comparison.check()
    recall = {score.arm: score.recall for score in comparison.official}
    assert recall == {"turns": 0.5, "sessions": 1.0, "nothing": 0.0}


def test_any_arm_may_be_all_missing(official_code: ModuleType, tmp_path: Path) -> None:
    comparison = compared(written(tmp_path / "p.json", asked(a_prediction=None)), official_code)
    comparison.check()
    assert comparison.counts() == {"f1_compared": 0, "recall_compared": 0, "largest_difference": 0.0}
    assert comparison.shown() and "1 of 1 predictions missing" in comparison.summary()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda q: q.update(category=7), "sample[0] (conv-1), qa[0], category: is 7, allowed: 1 (multi_hop)"),
        (lambda q: q.update(category="single_hop"), "category: is 'single_hop', allowed: 1 (multi_hop)"),
        (lambda q: q.pop("answer"), "qa[0], has neither an answer nor an adversarial_answer"),
        (lambda q: q.pop("evidence"), 'qa[0], has no "evidence"'),
        (lambda q: q.update(a_prediction=7), "qa[0], a_prediction: is a number, expected text"),
        (lambda q: q.update(a_prediction_context="D1:1"), "a_prediction_context: is text, expected a list"),
        (
            lambda q: q.update(a_prediction_context=[1]),
            "a_prediction_context: holds something that is not text",
        ),
        (lambda q: q.update(a_prediction_confidence="high"), "a_prediction_confidence: is 'high', expected"),
        (lambda q: q.pop("a_prediction"), "holds no answer; expected keys such as 'vector_prediction'"),
    ],
)
def test_what_a_wrong_file_is_told(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    question = asked(a_prediction="kayak")
    change(question)
    with pytest.raises(LocomoError) as caught:
        read_any(written(tmp_path / "p.json", question))
    assert str(caught.value).startswith(f"{tmp_path / 'p.json'}: ") and said in str(caught.value)


def test_a_sample_that_is_there_twice(tmp_path: Path) -> None:
    sample = {"sample_id": "conv-1", "qa": [asked(a_prediction="kayak")]}
    (tmp_path / "p.json").write_text(json.dumps([sample, sample]), encoding="utf-8")
    with pytest.raises(LocomoError, match="sample_id: 'conv-1' is there 2 times"):
        read_any(tmp_path / "p.json")


# The script


def script(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "score_official.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.usefixtures("official_code")
def test_the_script_on_the_default_run(ran: Path, tmp_path: Path) -> None:
    scores, out = ran / paths.SCORES, tmp_path / "out.json"
    done = script(ran / paths.PREDICTIONS, "--scores", scores, "--json", out)
    assert (done.returncode, done.stderr) == (0, "")
    summary = f"29,790 F1 scores and 29,790 recalls compared with {scores}: largest difference 0\n"
    assert done.stdout.endswith(summary)
    assert "samples evaluated" not in done.stdout  # the official code prints that
    figures = json.loads(out.read_text())
    assert (figures["f1_compared"], figures["largest_difference"]) == (29_790, 0.0)
    expected = hashlib.sha256((ran / paths.PREDICTIONS).read_bytes()).hexdigest()
    assert figures["sha256"]["predictions"] == expected
    published = FIGURES["tables"]["main"]["graph"]
    for column in ("single_hop", "multi_hop", "temporal"):
        for measure in ("f1", "recall"):
            assert round(figures[measure]["graph"][column], 3) == published[column][measure]
    assert len(figures["f1"]) == len(figures["recall"]) == 15


@pytest.mark.usefixtures("official_code")
@pytest.mark.parametrize("column", ["f1", "recall"])
def test_one_score_changed_by_hand_is_found(ran: Path, tmp_path: Path, column: str) -> None:
    lines = (ran / paths.SCORES).read_text().splitlines()
    index = next(i for i, line in enumerate(lines) if line.startswith("conv-44,3,") and ",graph," in line)
    cells = lines[index].split(",")
    place = lines[0].split(",").index(column)
    cells[place] = repr(float(cells[place]) + 2e-12)
    scores = tmp_path / "scores.csv"
    scores.write_text("\n".join([*lines[:index], ",".join(cells), *lines[index + 1 :], ""]))
    done = script(ran / paths.PREDICTIONS, "--scores", scores, "--arms", "graph")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"error: {scores}: 1 scores differ from the official scorer's:\n  conv-44, question 3 "
    )
    assert f"arm graph: {column} " in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("arm ") == 1


WRONG_RULES: dict[str, tuple[ModuleType, str, object]] = {
    "one phrase of abstention": (abstained, "_PHRASES", ("no information available",)),
    "exact match": (f1, "token_f1", lambda reply, answer: float(reply.lower() == answer.lower())),
    "sets for multisets": (
        f1,
        "token_f1",
        lambda reply, answer: float(set(stems(reply)) == set(stems(answer))),
    ),
}


@pytest.mark.usefixtures("official_code")
@pytest.mark.parametrize("rule", WRONG_RULES)
def test_a_wrong_rule_in_our_metric_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    path = written(
        tmp_path / "p.json",
        asked(right_prediction="a red kayak", wrong_prediction="red Kayaks, red kayaks"),
        asked(5, right_prediction="No information available", wrong_prediction="It is not mentioned."),
    )
    score_official.main([str(path)])
    monkeypatch.setattr(*WRONG_RULES[rule])
    question = 1 if rule == "one phrase of abstention" else 0
    with pytest.raises(
        LocomoError, match=rf"^our metric: .*\n.*conv-1, question {question} .* arm wrong: f1 "
    ):
        score_official.main([str(path)])


@pytest.mark.usefixtures("official_code")
def test_arms_questions_in_another_order_and_no_scores_of_ours(ran: Path, tmp_path: Path) -> None:
    samples = json.loads((ran / paths.PREDICTIONS).read_bytes())[::-1][:3]
    for sample in samples:
        sample["qa"].reverse()
        for question in sample["qa"]:
            if question["category"] == 5:
                del question["answer"]
    path = tmp_path / "elsewhere.json"
    path.write_text(json.dumps(samples), encoding="utf-8")
    done = script(path, "--arms", "path", "vector")
    count = 2 * sum(len(sample["qa"]) for sample in samples)
    assert (done.returncode, done.stderr) == (0, "")
    summary = f"{count:,} F1 scores and {count:,} recalls compared with our metric: largest difference 0\n"
    assert done.stdout.endswith(summary)
    refused = script(path, "--scores", ran / paths.SCORES)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"error: {ran / paths.SCORES}: is of other predictions")


@pytest.mark.usefixtures("official_code")
def test_only_the_very_predictions_are_compared_with_their_scores(
    benchmark: Benchmark,
    ran: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(ran / paths.DATA, tmp_path / paths.DATA)
    shutil.copytree(ROOT / paths.METRICS, tmp_path / paths.METRICS)
    shutil.copy(ROOT / paths.PARAMS, tmp_path)
    monkeypatch.setattr(score_official, "ROOT", tmp_path)
    signatures = json.loads((ROOT / paths.SIGNATURES).read_bytes())

    score_official.main([str(ran / paths.PREDICTIONS), "--arms", "vector", "path"])
    said = capsys.readouterr().out
    assert "compared with data/scores.csv: largest difference 0\n" in said
    assert f"\nsignature: {signatures['path'].removesuffix('path')}<arm>\n" in said

    # The confidences are the memory's: of another span they are the same, and the scores are not.
    arms, reading = select(["vector", "path"]), ReaderSettings(k=5, floor=0.3, span=8, band=0.9, parts=2)
    pairs = list(zip(benchmark.conversations, benchmark.stores, strict=True))[:2]
    longer = (answer_as_json(one, store, arms, reading) for one, store in pairs)
    predictions.write(tmp_path / "longer.json", longer)
    rows = read_any(tmp_path / "longer.json")
    kept = comparison.kept_scores(ran / paths.SCORES, rows, list(arms))
    assert kept is not None
    assert [one.f1 for one in kept] != [one.f1 for one in comparison.our_scores(rows, list(arms))]
    score_official.main([str(tmp_path / "longer.json")])
    said = capsys.readouterr().out
    assert f"{len(kept):,} F1 scores" in said and "compared with our metric: largest difference 0\n" in said
    assert "\nsignature: none of ours" in said and "locomo-bench:" not in said


def test_an_arm_that_the_file_does_not_have(tmp_path: Path) -> None:
    done = script(written(tmp_path / "p.json", asked(a_prediction="x")), "--arms", "a", "b")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: --arms: b: not in {tmp_path / 'p.json'}, which has a\n"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = script(tmp_path / "p.json")
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {tmp_path / 'p.json'}: cannot be read (No such file or directory)")


# The stage


@pytest.fixture
def project(no_scorer: Path) -> Path:
    """A folder as stage `official` finds it, whose settings pin the invented scorer; it isn't there yet."""
    settings = (ROOT / paths.PARAMS).read_text(encoding="utf-8")
    before, _, after = settings.partition("scorer:\n")
    pin = (
        f"scorer:\n  url: {PINNED.url}\n  commit: {PINNED.commit}\n  path: {PINNED.path}\n"
        f"  bytes: {PINNED.bytes}\n  sha256: {PINNED.sha256}\n\n"
    )
    (no_scorer / "params.yaml").write_text(before + pin + after.partition("\n\n")[2], encoding="utf-8")
    (no_scorer / "data").mkdir()
    answered = {"a_prediction": "kayak", "a_prediction_context": ["D1:1"], "a_prediction_confidence": 0.75}
    written(no_scorer / paths.PREDICTIONS, asked(**answered))
    write_scores(no_scorer / paths.SCORES, list(MEASURES), [KEPT])
    return no_scorer


def stage(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "src" / "official.py")]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, env=os.environ)


def figures(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project / paths.OFFICIAL).read_bytes())
    return found


def test_the_stage_writes_the_official_figures(project: Path) -> None:
    put(project, SCORER)
    done = stage(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1 F1 scores and 1 recalls compared with data/scores.csv: largest difference 0\n"
    found = figures(project)
    assert found["available"] is True
    assert found["sha256"] == {
        "scorer": PINNED.sha256,
        "predictions": hashlib.sha256((project / paths.PREDICTIONS).read_bytes()).hexdigest(),
        "scores": hashlib.sha256((project / paths.SCORES).read_bytes()).hexdigest(),
    }
    assert (found["f1_compared"], found["recall_compared"], found["largest_difference"]) == (1, 1, 0.0)
    assert found["f1"]["a"]["single_hop"] == 0.5 and found["recall"]["a"]["single_hop"] == 0.25


@pytest.mark.parametrize("fault", ["score", "other predictions"])
def test_the_stage_fails_on_a_difference(project: Path, fault: str) -> None:
    put(project, SCORER)
    wrong = KEPT._replace(values={**KEPT.values, "f1": 0.75})
    changed = wrong if fault == "score" else KEPT._replace(confidence=0.5)
    write_scores(project / paths.SCORES, list(MEASURES), [changed])
    done = stage(project)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    said = "conv-1, question 0 ('What did Ada buy?'), arm a: f1 0.75, by the official scorer 0.5"
    assert (
        said if fault == "score" else "data/scores.csv: is of other predictions; run `dvc repro score` to"
    ) in done.stderr
    assert not (project / "metrics").exists()


@pytest.mark.parametrize("scorer", ["none", "one byte changed"])
def test_without_the_scorer_the_stage_succeeds_and_says_so(project: Path, scorer: str) -> None:
    if scorer == "one byte changed":
        put(project, b"#" + SCORER[1:])
    done = stage(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Nothing was rescored; metrics/official.json says so. ")
    for said in (
        PINNED.address,
        str(project / "home" / "cache"),
        "`dvc repro --force --single-item official`",
    ):
        assert said in done.stdout
    found = figures(project)
    assert set(found) == {"available", "sha256"} and found["available"] is False
    assert not (project / "ran").exists()


def test_figures_that_belong_are_kept_without_the_scorer(project: Path) -> None:
    put(project, SCORER)
    assert stage(project).returncode == 0
    before = (project / paths.OFFICIAL).read_bytes()
    (project / "shared" / PATH).unlink()
    done = stage(project)
    assert done.returncode == 0
    kept = "Nothing was rescored; the committed figures of these very predictions are kept. "
    assert done.stdout.startswith(kept)
    assert (project / paths.OFFICIAL).read_bytes() == before


@pytest.mark.parametrize("changed", ["predictions", "scores", "figures"])
def test_figures_that_do_not_belong_are_not_kept(project: Path, changed: str) -> None:
    put(project, SCORER)
    assert stage(project).returncode == 0
    (project / "shared" / PATH).unlink()
    path = {
        "predictions": project / paths.PREDICTIONS,
        "scores": project / paths.SCORES,
        "figures": project / paths.OFFICIAL,
    }[changed]
    path.write_text("{" if changed == "figures" else path.read_text() + "\n", encoding="utf-8")
    done = stage(project)
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing was rescored; metrics/official.json says so. ")
    assert figures(project)["available"] is False
