"""The official scorer over answers from anywhere: what it is given, and what is compared."""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from helpers import stages
from helpers.ran import MakeRun
from helpers.shared import FIGURES, ROOT
from helpers.talks import talk
from locomo.answer.arms import ARMS
from locomo.core import paths
from locomo.core.download import Pinned
from locomo.core.errors import LocomoError
from locomo.core.files import digest
from locomo.formats.dataset import Category, Question
from locomo.official import comparison, scorer
from locomo.official.comparison import Comparison, answers, kept_scores, official_scores, our_scores
from locomo.official.scorer import load_code
from locomo.results.predictions import Answer
from locomo.results.provenance import read_signed
from locomo.results.scores import Score, read_scores, write_scores
from locomo.score.measures import MEASURES
from locomo.submissions.matching import Matched, match
from locomo.submissions.reading import read

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
PINNED = Pinned("https://locomo.invalid/o/n", COMMIT, PATH, len(SCORER), hashlib.sha256(SCORER).hexdigest())

KAYAK = Question("What did Ada buy?", "a red kayak", Category.SINGLE_HOP, ("D1:1", "D2:7"))
SINCE = Question("Since when?", "2022", Category.SINGLE_HOP, ("(D1:1)",))
SOLD = Question("What did Bob sell?", "", Category.ADVERSARIAL, ("D1:1",))


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


def matched(
    folder: Path, *records: dict[str, Any], questions: Sequence[Question] = (KAYAK, SINCE, SOLD)
) -> list[Matched]:
    """The answers of a file with one record for each question, to these questions."""
    asked = talk("Ada: I bought a red kayak.", "Bob: In 2022?", ids=["D1:1", "D2:7"], questions=questions)
    qa = [
        {"question": question.question, **record}
        for question, record in zip(questions, records, strict=False)
    ]
    path = folder / "p.json"
    path.write_text(json.dumps([{"sample_id": asked.sample_id, "qa": qa}]), encoding="utf-8")
    return match(read(path).given, [asked])


class Recorder(SimpleNamespace):
    """A scorer that notes what it is given, and scores each line by its number from 0."""

    def __init__(self) -> None:
        super().__init__(given=[])

    def eval_question_answering(self, lines: list[dict[str, Any]]) -> tuple[range, float, range]:
        numbers = range(len(self.given), len(self.given) + len(lines))
        self.given.extend(lines)
        return numbers, 0.0, numbers


# The code


def test_the_code_runs_unmodified_and_prints_nothing(
    no_scorer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(no_scorer, SCORER)
    answered = answers(matched(no_scorer, {"a_prediction": "kayak", "a_prediction_context": ["D1:1"]}))
    assert official_scores(answered, load_code(PINNED)) == [{"f1": 0.5, "recall": 0.25}]
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


# What it is given


def test_it_is_given_the_reply_of_the_file_and_the_rest_of_the_dataset(tmp_path: Path) -> None:
    again = [replace(KAYAK, question=f"{KAYAK.question} ({n})") for n in range(4)]
    wrong: dict[str, Any] = {"category": 2, "answer": "a canoe", "evidence": ["D9:9"]}
    systems = matched(
        tmp_path,
        {"a_prediction": "", "a_prediction_context": ["D1:1"], **wrong},
        {"a_prediction": 7, "a_prediction_context": []},
        {"a_prediction": "kayak"},
        {"a_prediction": None, "a_prediction_context": ["D1:1"]},
        {"a_prediction": "kayak", "a_prediction_context": ["D1:1", "note 3"]},
        {"a_prediction": "x", "a_prediction_context": "D2:7 D1:1", **wrong},
        questions=[SINCE, *again, SOLD],
    )
    code = Recorder()
    scores = official_scores(answers(systems), code)  # type: ignore[arg-type]
    assert [(line["answer"], line["category"], tuple(line["evidence"])) for line in code.given] == [
        ("2022", 4, ("D1:1",)),
        *[("a red kayak", 4, ("D1:1", "D2:7"))] * 3,
        ("", 5, ("D1:1",)),
    ]
    # The failed call is left out; an answer with an id that cannot be read has no context.
    assert [(line["prediction"], line.get("prediction_context")) for line in code.given] == [
        ("", ["D1:1"]),
        ("7", [comparison._NO_TURN]),
        ("kayak", None),
        ("kayak", None),
        ("x", ["D2:7", "D1:1"]),
    ]
    assert [score.get("recall") for score in scores] == [0, 1, None, None, 4]


def test_one_session_makes_all_cites_of_a_system_sessions(tmp_path: Path) -> None:
    systems = matched(
        tmp_path,
        {"a_prediction": "x", "a_prediction_context": ["D2:7", "D2:1"], "b_prediction": "x"},
        {"a_prediction": "x", "a_prediction_context": ["session_1"], "b_prediction": "x"},
        {"b_prediction": "x", "b_prediction_context": ["D2:7"]},
    )
    code = Recorder()
    scores = official_scores(answers(systems), code)  # type: ignore[arg-type]
    contexts = [line.get("prediction_context") for line in code.given]
    assert contexts == [["S2"], ["S1"], None, None, ["D2:7"]]
    assert [set(score) for score in scores] == [
        {"f1", "session_recall"},
        {"f1", "session_recall"},
        {"f1"},
        {"f1"},
        {"f1", "recall"},
    ]


def test_it_is_given_the_sessions_of_turns_where_these_are_evidence(tmp_path: Path) -> None:
    asked = [replace(KAYAK, question=f"{n}?", evidence=("(S1)", "D2:7")) for n in range(2)]
    systems = matched(
        tmp_path,
        {
            **{"turns_prediction": "x", "turns_prediction_context": ["D1:1", "D1:3"]},
            **{"sessions_prediction": "x", "sessions_prediction_context": ["S2"]},
        },
        {"turns_prediction": "x", "turns_prediction_context": []},
        questions=[*asked, SOLD],
    )
    code = Recorder()
    official_scores(answers(systems), code)  # type: ignore[arg-type]
    assert [line["prediction_context"] for line in code.given] == [
        ["D1:1", "D1:3", "S1"],
        [comparison._NO_TURN],
        ["S2"],
    ]
    recalls = [
        {name: value for name, value in one.items() if name != "f1"} for one in our_scores(answers(systems))
    ]
    assert recalls == [{"recall": 0.5}, {"recall": 0}, {"session_recall": 0.5}]


def test_it_is_given_a_repeated_answer_once(tmp_path: Path) -> None:
    asked = [replace(KAYAK, question=f"{KAYAK.question} ({n})") for n in range(4)]
    cited = {"a_prediction": "kayak", "b_prediction": "kayak", "a_prediction_context": ["D1:1"]}
    systems = matched(
        tmp_path,
        {**cited, "b_prediction_context": ["D1:1"]},
        {**cited, "b_prediction_context": ["D2:7"]},
        cited,
        {**cited, "b_prediction": "canoe", "b_prediction_context": ["D1:1"]},
        questions=asked,
    )
    code = Recorder()
    answered = answers(systems)
    scores = official_scores(answered, code)  # type: ignore[arg-type]
    found = [(one.arm, one.key, score["f1"]) for one, score in zip(answered, scores, strict=True)]
    assert found == [
        *(("a", ("talk", place), place) for place in range(4)),
        *(("b", ("talk", place), number) for place, number in enumerate([0, 4, 5, 6])),
    ]
    assert [score.get("recall") for score in scores] == [0, 1, 2, 3, 0, 4, None, 6]
    assert len(code.given) == 7


# What is compared


def compared(systems: list[Matched], code: ModuleType) -> Comparison:
    answered = answers(systems)
    scores = official_scores(answered, code)
    found = Comparison(systems, answered, scores, our_scores(answered), "our metric")
    found.check()
    return found


def test_what_failed_or_is_missing_is_named_and_counted_and_no_zero(
    official_code: ModuleType, tmp_path: Path
) -> None:
    found = compared(
        matched(
            tmp_path,
            {"a_prediction": "red kayak", "b_prediction": None},
            {"b_prediction": "2021"},
            {"a_prediction": "Error code: 429"},
        ),
        official_code,
    )
    figures = found.figures()
    assert (figures["f1_compared"], figures["recall_compared"]) == (2, 0)
    assert figures["f1"]["a"]["single_hop"] == 1.0  # of the one answer that is there
    assert figures["f1"]["b"]["single_hop"] == 0.0
    for arm in ("a", "b"):
        assert figures["f1"][arm]["adversarial"] is None
        assert set(figures["recall"][arm].values()) == {None}
    assert figures["predictions_missing"] == {
        "a": [{"sample": "talk", "question": 1}, {"sample": "talk", "question": 2}],
        "b": [{"sample": "talk", "question": 0}, {"sample": "talk", "question": 2}],
    }
    assert figures["recall_not_available"] == {"a": 1, "b": 1}
    assert "a: 2 of 3 predictions missing, left out: talk/1, talk/2\n" in found.summary()
    assert "b: no recall for 1 answers" in found.summary()
    shown = [line.split() for line in found.shown().split("\nrecall ")[1].splitlines()[2:]]
    assert shown == [[arm, by, *["-"] * 7] for arm in ("a", "b") for by in ("official", "ours")]


def test_recall_of_turns_and_of_sessions(official_code: ModuleType, tmp_path: Path) -> None:
    found = compared(
        matched(
            tmp_path,
            {
                # One of two turns; sessions 1 and 2; nothing, by a system that cites elsewhere.
                **{"turns_prediction": "x", "turns_prediction_context": ["D2:7", "D9:9"]},
                **{"sessions_prediction": "x", "sessions_prediction_context": ["S1", "S2", "S3"]},
                **{"nothing_prediction": "x", "nothing_prediction_context": []},
            },
            {"nothing_prediction": "x", "nothing_prediction_context": ["D1:1"]},
        ),
        official_code,
    )
    figures = found.figures()
    recall = {arm: figures["recall"][arm]["overall"] for arm in figures["recall"]}
    assert recall == {"turns": 0.5, "sessions": None, "nothing": 0.5}
    assert figures["session_recall"]["sessions"]["overall"] == 1.0
    assert figures["session_recall"]["turns"]["overall"] is None
    assert (figures["recall_compared"], figures["session_recall_compared"]) == (3, 1)
    assert "4 F1 scores and 3 recalls and 1 recalls of sessions compared" in found.summary()


def test_a_system_may_have_failed_on_everything(official_code: ModuleType, tmp_path: Path) -> None:
    found = compared(matched(tmp_path, {"a_prediction": None}, questions=[KAYAK]), official_code)
    assert found.counts() == {"f1_compared": 0, "recall_compared": 0, "largest_difference": 0.0}
    assert found.shown() and "1 of 1 predictions missing" in found.summary()


@pytest.mark.parametrize("wrong", [1.0 + 2e-12, float("nan")])
@pytest.mark.parametrize("measure", ["f1", "recall"])
def test_a_score_that_differs_is_named(tmp_path: Path, measure: str, wrong: float) -> None:
    systems = matched(
        tmp_path, {"a_prediction": "x", "a_prediction_context": ["D1:1"]}, {"a_prediction": "y"}
    )
    official = [{"f1": 1.0, "recall": 1.0}, {"f1": 1.0}]
    ours = [{**official[0], measure: wrong}, {"f1": 1.0 + 0.5e-12}]
    with pytest.raises(LocomoError) as caught:
        Comparison(systems, answers(systems), official, ours, "these").check()
    assert str(caught.value) == (
        "these: 1 scores differ from the official scorer's:\n"
        f"  talk, question 0 ('What did Ada buy?'), arm a: {measure} {wrong!r}, by the official scorer 1.0"
    )


def test_kept_scores_are_found_by_arm_and_question(tmp_path: Path) -> None:
    cited = {"a_prediction": "x", "a_prediction_context": ["D1:1"]}
    answered = answers(matched(tmp_path, cited, {"a_prediction": "x"}))
    kept = [
        Score("talk", place, Category.SINGLE_HOP, arm, {"f1": f1, "recall": 0.25, "abstained": 0}, 0.75)
        for place, arm, f1 in [(1, "a", 0.5), (0, "b", 0.125), (0, "a", 1.0)]
    ]
    assert kept_scores(kept, answered) == [{"f1": 1.0, "recall": 0.25}, {"f1": 0.5}]
    with pytest.raises(LookupError):
        kept_scores(kept[1:], answered)


def test_the_recall_that_is_kept_of_sessions(tmp_path: Path) -> None:
    answered = answers(matched(tmp_path, {"a_prediction": "x", "a_prediction_context": ["S1"]}))
    values = {"f1": 1.0, "recall": 0.5, "abstained": 0}
    scores = [Score("talk", 0, Category.SINGLE_HOP, "a", values, 0.75)]
    assert kept_scores(scores, answered) == [{"f1": 1.0, "session_recall": 0.5}]


# The stage

# That of the run of `project`: right about what Ada bought, and what it cites for the other question.
RIGHT = b"""
def eval_question_answering(qas, eval_key="prediction", metric="f1"):
    return [line["category"] == 4 for line in qas], 0.0, [line["category"] == 5 for line in qas]
"""
RIGHT_PIN = replace(PINNED, bytes=len(RIGHT), sha256=hashlib.sha256(RIGHT).hexdigest())


@pytest.fixture
def project(no_scorer: Path, tiny: list[dict[str, Any]], make_run: MakeRun) -> Path:
    """A run as stage `official` finds it, whose settings pin `RIGHT`; that isn't there yet."""
    said = [Answer("a kayak", ["D1:2"], 0.75), Answer("a kayak", ["D1:1"], 0.5)]
    assert make_run(tiny, {"conv-1": {"a": said}, "conv-2": {"a": []}}) == no_scorer
    settings = (ROOT / paths.PARAMS).read_text(encoding="utf-8")
    before, _, after = settings.partition("scorer:\n")
    _, _, after = after.partition("\n\n")
    pin = "".join(f"  {key}: {value}\n" for key, value in asdict(RIGHT_PIN).items() if value)
    (no_scorer / paths.PARAMS).write_text(f"{before}scorer:\n{pin}\n{after}", encoding="utf-8")
    return no_scorer


def stage(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "src" / "official.py")]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, env=os.environ)


def figures(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project / paths.OFFICIAL).read_bytes())
    return found


def sign_again(project: Path) -> None:
    """As if stage `score` had made what is there now."""
    predictions, scores = (digest(project / path) for path in (paths.PREDICTIONS, paths.SCORES))
    replace(read_signed(), predictions=predictions, scores=scores).write(project / paths.SIGNATURES)


def test_the_stage_writes_the_official_figures(project: Path) -> None:
    put(project, RIGHT)
    done = stage(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "2 F1 scores and 2 recalls compared with data/scores.csv: largest difference 0\n"
    found = figures(project)
    assert found["available"] is True
    assert found["sha256"] == {
        "scorer": RIGHT_PIN.sha256,
        "predictions": hashlib.sha256((project / paths.PREDICTIONS).read_bytes()).hexdigest(),
        "scores": hashlib.sha256((project / paths.SCORES).read_bytes()).hexdigest(),
    }
    assert (found["f1_compared"], found["recall_compared"], found["largest_difference"]) == (2, 2, 0.0)
    for measure, right in {"f1": (1.0, 0.0), "recall": (0.0, 1.0)}.items():
        assert (found[measure]["a"]["single_hop"], found[measure]["a"]["adversarial"]) == right


def test_the_stage_fails_on_a_difference(project: Path) -> None:
    put(project, RIGHT)
    first, *others = read_scores(project / paths.SCORES)
    wrong = first._replace(values={**first.values, "f1": 0.75})
    write_scores(project / paths.SCORES, list(MEASURES), [wrong, *others])
    sign_again(project)
    done = stage(project)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    said = "conv-1, question 0 ('What did Ada buy?'), arm a: f1 0.75, by the official scorer 1.0"
    assert said in done.stderr
    assert not (project / paths.OFFICIAL).exists()


@pytest.mark.parametrize("changed", [paths.DATASET, paths.PREDICTIONS, paths.SCORES], ids=str)
@pytest.mark.parametrize("there", [True, False], ids=["with figures", "without"])
def test_the_stage_refuses_files_of_different_runs(project: Path, changed: Path, there: bool) -> None:
    put(project, RIGHT)
    if there:
        assert stage(project).returncode == 0
    before = (project / paths.OFFICIAL).read_bytes() if there else None
    text = (project / changed).read_text(encoding="utf-8")
    (project / changed).write_text(text.replace("0.75", "0.7").replace("kayak", "canoe"), encoding="utf-8")
    done = stage(project)
    said = (
        f"error: {changed}: is of another run than metrics/signature.json; run `dvc repro` to make them fit\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert before == ((project / paths.OFFICIAL).read_bytes() if there else None)


@pytest.mark.parametrize("scorer", ["none", "one byte changed"])
def test_without_the_scorer_the_stage_succeeds_and_says_so(project: Path, scorer: str) -> None:
    if scorer == "one byte changed":
        put(project, b"#" + RIGHT[1:])
    done = stage(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Nothing was rescored; metrics/official.json says so. ")
    for said in (
        RIGHT_PIN.address,
        str(project / "home" / "cache"),
        "`dvc repro --force --single-item official`",
    ):
        assert said in done.stdout
    found = figures(project)
    assert set(found) == {"available", "sha256"} and found["available"] is False


def test_figures_that_belong_are_kept_without_the_scorer(project: Path) -> None:
    put(project, RIGHT)
    assert stage(project).returncode == 0
    before = (project / paths.OFFICIAL).read_bytes()
    (project / "shared" / PATH).unlink()
    done = stage(project)
    assert done.returncode == 0
    kept = "Nothing was rescored; the committed figures of these very predictions are kept. "
    assert done.stdout.startswith(kept)
    assert (project / paths.OFFICIAL).read_bytes() == before


@pytest.mark.parametrize("changed", [paths.PREDICTIONS, paths.SCORES, paths.OFFICIAL], ids=str)
def test_figures_of_another_run_are_not_kept(project: Path, changed: Path) -> None:
    put(project, RIGHT)
    assert stage(project).returncode == 0
    (project / "shared" / PATH).unlink()
    text = (project / changed).read_text(encoding="utf-8")
    (project / changed).write_text("{" if changed == paths.OFFICIAL else text + "\n", encoding="utf-8")
    sign_again(project)
    done = stage(project)
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing was rescored; metrics/official.json says so. ")
    assert figures(project)["available"] is False


CITING = """
class Memory:
    partial = True

    def __init__(self, conversation, vocabulary):
        pass

    def ask(self, question, k):
        return {}
"""


def test_the_stage_on_memories_that_cite_sessions_and_texts(
    official_code: ModuleType, tiny: list[dict[str, Any]], tmp_path: Path
) -> None:
    folder = stages.project(tmp_path / "project", tiny)
    texts = '[("D1:1", 1), *([(None, 1, "Ada has a boat.")] if "sell" in question else [])]'
    for name, cites in (("halls", '[("S2", 1)] if "buy" in question else [("S1", 1)]'), ("notes", texts)):
        (folder / f"memories/{name}.py").write_text(CITING.format(cites), encoding="utf-8")
    stages.change(folder, arms=["oracle", "halls", "notes"])
    stages.run(folder, "arms", "ask", "answer", "score")
    done = stage(folder)
    assert done.stdout == (
        "6 F1 scores and 3 recalls and 2 recalls of sessions compared with data/scores.csv:"
        " largest difference 0\n"
        "notes: no recall for 1 answers whose cites name no turns or sessions\n"
    )
    # The evidence of both questions is D1:1.
    found = figures(folder)
    recall = {arm: [row["single_hop"], row["adversarial"]] for arm, row in found["recall"].items()}
    assert recall == {"oracle": [1.0, 1.0], "halls": [None, None], "notes": [1.0, None]}
    sessions = found["session_recall"]["halls"]
    assert [sessions["single_hop"], sessions["adversarial"]] == [0.0, 1.0]


def test_the_committed_figures_are_the_published_ones() -> None:
    found = figures(ROOT)
    assert found["available"] is True and found["largest_difference"] == 0
    assert (found["f1_compared"], found["recall_compared"]) == (15 * 1986, 15 * 1986)
    assert found["predictions_missing"] == found["recall_not_available"] == {}
    for measure in ("f1", "recall"):
        assert list(found[measure]) == list(ARMS)
        for arm, published in FIGURES["tables"]["main"].items():
            rounded = {column: round(value, 3) for column, value in found[measure][arm].items()}
            assert rounded == {column: row[measure] for column, row in published.items()}, (measure, arm)


def test_the_stage_on_the_run_of_the_published_tables(
    official_code: ModuleType, ran: Path, tmp_path: Path
) -> None:
    for name in (paths.DATA, paths.METRICS):
        shutil.copytree(ran / name, tmp_path / name)
    shutil.copy(ROOT / paths.PARAMS, tmp_path)
    done = stage(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "29,790 F1 scores and 29,790 recalls compared with data/scores.csv: largest difference 0\n"
    )
    made, committed = figures(tmp_path), figures(ROOT)
    del made["sha256"], committed["sha256"]
    assert made == committed
