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
from helpers.shared import FIGURES, Answers, Benchmark
from locomo.answer.arms import select
from locomo.answer.asking import answer_whole
from locomo.core.download import Pinned
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category
from locomo.official import comparison
from locomo.reader.lifting import ReaderSettings
from locomo.results import predictions
from locomo.results.predictions import read_any
from locomo.score import metric, scoring
from locomo.score.scoring import Mark
from locomo.text.tokens import stems

ROOT = Path(__file__).resolve().parents[2]
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
# Nobody listens there.
PINNED = Pinned("http://127.0.0.1:9/o/n", COMMIT, PATH, len(SCORER), hashlib.sha256(SCORER).hexdigest())


@pytest.fixture
def no_scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a user without the scorer and without a network; returns it."""
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "cache"))
    monkeypatch.setenv("LOCOMO_CACHE", str(tmp_path / "shared"))
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
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


def test_the_code_runs_unmodified_and_silently(no_scorer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(no_scorer, SCORER)
    rows = read_any(written(no_scorer / "p.json", asked(a_prediction="kayak", a_prediction_context=[])))
    grades = comparison.official_grades(rows, ["a"], comparison.load_code(PINNED))
    assert [(grade.f1, grade.recall) for grade in grades] == [(0.5, 0.25)]
    assert Path("ran").exists()
    assert capsys.readouterr() == ("", "")
    assert "bert_score" not in sys.modules


def test_a_module_that_is_there_comes_back(no_scorer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(no_scorer, SCORER)
    real = ModuleType("bert_score")
    monkeypatch.setitem(sys.modules, "bert_score", real)
    comparison.load_code(PINNED)
    assert sys.modules["bert_score"] is real


@pytest.mark.parametrize("place", [0, len(SCORER) // 2, len(SCORER) - 1])
def test_one_byte_changed_and_nothing_runs(no_scorer: Path, place: int) -> None:
    changed = SCORER[:place] + bytes([SCORER[place] ^ 1]) + SCORER[place + 1 :]
    put(no_scorer, changed)
    with pytest.raises(LocomoError, match="could not be had") as caught:
        comparison.load_code(PINNED)
    assert hashlib.sha256(changed).hexdigest() in str(caught.value)
    assert not Path("ran").exists()


def test_a_file_swapped_after_the_check_does_not_run(
    no_scorer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped = no_scorer / "swapped.py"
    swapped.write_bytes(SCORER + b"\n")
    monkeypatch.setattr(comparison, "fetch", lambda file: swapped)
    with pytest.raises(LocomoError, match="has changed since it was checked"):
        comparison.load_code(PINNED)
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
    comparison.load_code(PINNED)
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
    grades = comparison.official_grades(read_any(path), ["a"], code)  # type: ignore[arg-type]
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
    assert [grade.recall for grade in grades] == [1, 1, None, 1]


def test_the_code_is_given_a_repeated_answer_once(tmp_path: Path) -> None:
    given: list[dict[str, Any]] = []

    def number(lines: list[dict[str, Any]]) -> tuple[list[int], float, list[int]]:
        given.extend(lines)
        marks = list(range(len(given) - len(lines), len(given)))
        return marks, 0.0, marks

    cited = {"a_prediction": "kayak", "b_prediction": "kayak", "a_prediction_context": ["D1:1"]}
    path = written(
        tmp_path / "p.json",
        asked(**cited, b_prediction_context=["D1:1"]),
        asked(**cited, b_prediction_context=["D1:2"]),
        asked(**cited),
        asked(**cited | {"b_prediction": "canoe"}, b_prediction_context=["D1:1"]),
    )
    code = SimpleNamespace(eval_question_answering=number)
    grades = comparison.official_grades(read_any(path), ["a", "b"], code)  # type: ignore[arg-type]
    assert [(grade.arm, grade.row.position, grade.f1, grade.recall) for grade in grades] == [
        *(("a", place, place, place) for place in range(4)),
        *(("b", 0, 0, 0), ("b", 1, 4, 4), ("b", 2, 5, None), ("b", 3, 6, 6)),
    ]
    assert len(given) == 7


# Files from elsewhere


def compared(path: Path, code: ModuleType) -> comparison.Comparison:
    rows = read_any(path)
    arms = list(rows[0].answers)
    grades = comparison.official_grades(rows, arms, code)
    return comparison.Comparison(rows, arms, grades, comparison.our_grades(rows, arms), "our metric")


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
    assert (figures["marks_compared"], figures["recalls_compared"]) == (2, 0)
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
    recall = {grade.arm: grade.recall for grade in comparison.official}
    assert recall == {"turns": 0.5, "sessions": 1.0, "nothing": 0.0}


def test_any_arm_may_be_all_missing(official_code: ModuleType, tmp_path: Path) -> None:
    comparison = compared(written(tmp_path / "p.json", asked(a_prediction=None)), official_code)
    comparison.check()
    assert comparison.counts() == {"marks_compared": 0, "recalls_compared": 0, "largest_difference": 0.0}
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


@pytest.fixture(scope="session")
def run_files(benchmark: Benchmark, answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `predictions.json` and `marks.csv` of every arm at the defaults."""
    folder = tmp_path_factory.mktemp("run")
    path = folder / "predictions.json"
    predictions.write(path, (predictions.as_sample(c, answers[c.sample_id]) for c in benchmark.conversations))
    scoring.write_marks(folder / "marks.csv", scoring.mark(benchmark.conversations, predictions.read(path)))
    return folder


@pytest.mark.usefixtures("official_code")
def test_the_script_on_the_default_run(run_files: Path, tmp_path: Path) -> None:
    marks, out = run_files / "marks.csv", tmp_path / "out.json"
    done = script(run_files / "predictions.json", "--marks", marks, "--json", out)
    assert (done.returncode, done.stderr) == (0, "")
    summary = f"29,790 marks and 29,790 recalls compared with {marks}: largest difference 0\n"
    assert done.stdout.endswith(summary)
    assert "samples evaluated" not in done.stdout  # the official code prints that
    figures = json.loads(out.read_text())
    assert (figures["marks_compared"], figures["largest_difference"]) == (29_790, 0.0)
    expected = hashlib.sha256((run_files / "predictions.json").read_bytes()).hexdigest()
    assert figures["sha256"]["predictions"] == expected
    published = FIGURES["tables"]["main"]["graph"]
    for column in ("single_hop", "multi_hop", "temporal"):
        for measure in ("f1", "recall"):
            assert round(figures[measure]["graph"][column], 3) == published[column][measure]
    assert len(figures["f1"]) == len(figures["recall"]) == 15


@pytest.mark.usefixtures("official_code")
@pytest.mark.parametrize("column", ["f1", "recall"])
def test_one_mark_changed_by_hand_is_found(run_files: Path, tmp_path: Path, column: str) -> None:
    lines = (run_files / "marks.csv").read_text().splitlines()
    index = next(i for i, line in enumerate(lines) if line.startswith("conv-44,3,") and ",graph," in line)
    cells = lines[index].split(",")
    place = lines[0].split(",").index(column)
    cells[place] = repr(float(cells[place]) + 2e-12)
    marks = tmp_path / "marks.csv"
    marks.write_text("\n".join([*lines[:index], ",".join(cells), *lines[index + 1 :], ""]))
    done = script(run_files / "predictions.json", "--marks", marks, "--arms", "graph")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"error: {marks}: 1 marks aren't the official scorer's:\n  conv-44, question 3 "
    )
    assert f"arm graph: {column} " in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("arm ") == 1


WRONG_RULES: dict[str, tuple[str, object]] = {
    "one phrase of silence": ("_ABSTENTIONS", ("no information available",)),
    "exact match": ("token_f1", lambda reply, answer: float(reply.lower() == answer.lower())),
    "sets for multisets": ("token_f1", lambda reply, answer: float(set(stems(reply)) == set(stems(answer)))),
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
    monkeypatch.setattr(metric, *WRONG_RULES[rule])
    question = 1 if rule == "one phrase of silence" else 0
    with pytest.raises(
        LocomoError, match=rf"^our metric: .*\n.*conv-1, question {question} .* arm wrong: f1 "
    ):
        score_official.main([str(path)])


@pytest.mark.usefixtures("official_code")
def test_arms_questions_in_another_order_and_no_marks_of_ours(run_files: Path, tmp_path: Path) -> None:
    samples = json.loads((run_files / "predictions.json").read_bytes())[::-1][:3]
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
    summary = f"{count:,} marks and {count:,} recalls compared with our metric: largest difference 0\n"
    assert done.stdout.endswith(summary)
    refused = script(path, "--marks", run_files / "marks.csv")
    assert refused.returncode == 1
    assert refused.stderr.startswith(
        f"error: {run_files / 'marks.csv'}: holds the marks of other predictions"
    )


@pytest.mark.usefixtures("official_code")
def test_only_the_very_predictions_are_held_against_their_marks(
    benchmark: Benchmark,
    run_files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "data").mkdir()
    for name in ("predictions.json", "marks.csv"):
        shutil.copy(run_files / name, tmp_path / "data")
    shutil.copytree(ROOT / "metrics", tmp_path / "metrics")
    shutil.copy(ROOT / "params.yaml", tmp_path)
    monkeypatch.setattr(score_official, "ROOT", tmp_path)
    signatures = json.loads((ROOT / "metrics" / "signature.json").read_bytes())

    score_official.main([str(run_files / "predictions.json"), "--arms", "vector", "path"])
    said = capsys.readouterr().out
    assert "compared with data/marks.csv: largest difference 0\n" in said
    assert f"\nsignature: {signatures['path'].removesuffix('path')}<arm>\n" in said

    # The confidences are the memory's: of another span they are the same, and the marks are not.
    arms, reading = select(["vector", "path"]), ReaderSettings(0.3, 8, 0.9, 2)
    pairs = list(zip(benchmark.conversations, benchmark.stores, strict=True))[:2]
    longer = (answer_whole(one, store, arms, 5, reading) for one, store in pairs)
    predictions.write(tmp_path / "longer.json", longer)
    rows = read_any(tmp_path / "longer.json")
    kept = comparison.kept_grades(run_files / "marks.csv", rows, list(arms))
    assert kept is not None
    assert [one.f1 for one in kept] != [one.f1 for one in comparison.our_grades(rows, list(arms))]
    score_official.main([str(tmp_path / "longer.json")])
    said = capsys.readouterr().out
    assert f"{len(kept):,} marks" in said and "compared with our metric: largest difference 0\n" in said
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
    settings = (ROOT / "params.yaml").read_text(encoding="utf-8")
    before, _, after = settings.partition("scorer:\n")
    pin = (
        f"scorer:\n  url: {PINNED.url}\n  commit: {PINNED.commit}\n  path: {PINNED.path}\n"
        f"  bytes: {PINNED.bytes}\n  sha256: {PINNED.sha256}\n\n"
    )
    (no_scorer / "params.yaml").write_text(before + pin + after.partition("\n\n")[2], encoding="utf-8")
    (no_scorer / "data").mkdir()
    answered = {"a_prediction": "kayak", "a_prediction_context": ["D1:1"], "a_prediction_confidence": 0.75}
    written(no_scorer / "data" / "predictions.json", asked(**answered))
    mark = Mark("conv-1", 0, Category.SINGLE_HOP, "a", 0.5, 0.25, 0, 0.75)
    scoring.write_marks(no_scorer / "data" / "marks.csv", [mark])
    return no_scorer


def stage(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "src" / "official.py")]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, env=os.environ)


def figures(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project / "metrics" / "official.json").read_bytes())
    return found


def test_the_stage_writes_the_official_figures(project: Path) -> None:
    put(project, SCORER)
    done = stage(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1 marks and 1 recalls compared with data/marks.csv: largest difference 0\n"
    found = figures(project)
    assert found["available"] is True
    assert found["sha256"] == {
        "scorer": PINNED.sha256,
        "predictions": hashlib.sha256((project / "data" / "predictions.json").read_bytes()).hexdigest(),
        "marks": hashlib.sha256((project / "data" / "marks.csv").read_bytes()).hexdigest(),
    }
    assert (found["marks_compared"], found["recalls_compared"], found["largest_difference"]) == (1, 1, 0.0)
    assert found["f1"]["a"]["single_hop"] == 0.5 and found["recall"]["a"]["single_hop"] == 0.25


@pytest.mark.parametrize("fault", ["mark", "other predictions"])
def test_the_stage_fails_on_a_difference(project: Path, fault: str) -> None:
    put(project, SCORER)
    mark = Mark("conv-1", 0, Category.SINGLE_HOP, "a", 0.5, 0.25, 0, 0.75)
    changed = mark._replace(f1=0.75) if fault == "mark" else mark._replace(confidence=0.5)
    scoring.write_marks(project / "data" / "marks.csv", [changed])
    done = stage(project)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    said = "conv-1, question 0 ('What did Ada buy?'), arm a: f1 0.75, by the official scorer 0.5"
    assert (said if fault == "mark" else "holds the marks of other predictions") in done.stderr
    assert not (project / "metrics").exists()


@pytest.mark.parametrize("scorer", ["none", "one byte changed"])
def test_without_the_scorer_the_stage_succeeds_and_says_so(project: Path, scorer: str) -> None:
    if scorer == "one byte changed":
        put(project, b"#" + SCORER[1:])
    done = stage(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Nothing was rescored; metrics/official.json says so. ")
    for said in (PINNED.address, PINNED.sha256, str(project / "home" / "cache"), "LOCOMO_CACHE", "dvc repro"):
        assert said in done.stdout
    found = figures(project)
    assert set(found) == {"available", "sha256"} and found["available"] is False
    assert not (project / "ran").exists()


def test_figures_that_belong_are_kept_without_the_scorer(project: Path) -> None:
    put(project, SCORER)
    assert stage(project).returncode == 0
    before = (project / "metrics" / "official.json").read_bytes()
    (project / "shared" / PATH).unlink()
    done = stage(project)
    assert done.returncode == 0
    kept = "Nothing was rescored; metrics/official.json is kept: it belongs to these very predictions. "
    assert done.stdout.startswith(kept)
    assert (project / "metrics" / "official.json").read_bytes() == before


@pytest.mark.parametrize("changed", ["predictions", "marks", "figures"])
def test_figures_that_do_not_belong_are_not_kept(project: Path, changed: str) -> None:
    put(project, SCORER)
    assert stage(project).returncode == 0
    (project / "shared" / PATH).unlink()
    path = {
        "predictions": project / "data" / "predictions.json",
        "marks": project / "data" / "marks.csv",
        "figures": project / "metrics" / "official.json",
    }[changed]
    path.write_text("{" if changed == "figures" else path.read_text() + "\n", encoding="utf-8")
    done = stage(project)
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing was rescored; metrics/official.json says so. ")
    assert figures(project)["available"] is False
