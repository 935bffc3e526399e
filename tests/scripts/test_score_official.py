"""`scripts/score_official.py` and `locomo score`: one reading, one join, the official scorer's figures."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import score_official
from helpers.ran import MakeRun
from helpers.shared import FIGURES, ROOT, Answers, Benchmark
from locomo.cli import main
from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.formats import dataset
from locomo.score.measures import abstained, f1
from locomo.text.tokens import stems

Record = dict[str, Any]
DEMO = ROOT / "demo/conversations.json"
LABELS = {4: "single_hop", 1: "multi_hop", 2: "temporal", 3: "open_domain", 5: "adversarial"}
"""The categories by their numbers in the dataset (SPEC 1)."""
SWAPPED = {1: 4, 4: 1}


@pytest.fixture(scope="module")
def demo() -> list[Record]:
    samples: list[Record] = json.loads(DEMO.read_bytes())
    return samples


@pytest.fixture(scope="module")
def demo_answers() -> Answers:
    return Benchmark.build(list(dataset.read(DEMO)), infer=True).answers(["vector", "path"])


@pytest.fixture
def here(
    demo: list[Record], demo_answers: Answers, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A run of two arms over the demonstration set, as the current folder."""
    folder = make_run(demo, demo_answers)
    monkeypatch.chdir(folder)
    return folder


# What both commands say of a file


@dataclass(frozen=True)
class Said:
    """What an answer says in truth, however its file writes it."""

    sample: str
    question: Record
    reply: str | None
    """None for a call that failed, or an answer that is not there."""
    cites: Sequence[str] | None
    """Ids as the dataset writes them; None if no recall can be computed from them."""


Change = Callable[[int, Record, Said], Said]
"""Changes the record of a question, by its number in the file, and says what it then says."""


def with_number(number: int, record: Record, said: Said) -> Said:
    record["m_prediction"] = 7
    return replace(said, reply="7")


def with_text_of_ids(number: int, record: Record, said: Said) -> Said:
    record["m_prediction_context"] = ", ".join(said.cites or [])
    return said


def with_errors(number: int, record: Record, said: Said) -> Said:
    if number % 3:
        return said
    record["m_prediction_error"] = "timeout"
    return replace(said, reply=None)


def with_no_errors(number: int, record: Record, said: Said) -> Said:
    record["m_prediction_error"] = [0, [], {}, "None", "false", None, ""][number % 7]
    return said


def with_failures_as_text(number: int, record: Record, said: Said) -> Said:
    failures = ["NaN", "None", "N/A", "ERROR", "Error code: 429", None]
    if number >= 3 * len(failures):
        return said
    record["m_prediction"] = failures[number % len(failures)]
    return replace(said, reply=None)


def with_empty_replies(number: int, record: Record, said: Said) -> Said:
    record["m_prediction"] = ""
    return replace(said, reply="")


def with_gaps(number: int, record: Record, said: Said) -> Said:
    if number % 4:
        return said
    del record["m_prediction"], record["m_prediction_context"]
    return replace(said, reply=None)


def with_swapped_categories(number: int, record: Record, said: Said) -> Said:
    record["category"] = SWAPPED.get(record["category"], record["category"])
    return said


def with_another_key(number: int, record: Record, said: Said) -> Said:
    record["answer"] = said.reply  # which every system has right, by itself
    return said


def with_other_evidence(number: int, record: Record, said: Said) -> Said:
    record["evidence"] = said.cites
    return said


def with_ids_of_its_own(number: int, record: Record, said: Said) -> Said:
    record["m_prediction_context"] = [f"memory-{number}", str(number)]
    return replace(said, cites=None)


def with_one_odd_id(number: int, record: Record, said: Said) -> Said:
    if number:
        return said
    record["m_prediction_context"] = [*(said.cites or []), "memory-7"]
    return replace(said, cites=None)


def with_sessions(number: int, record: Record, said: Said) -> Said:
    record["m_prediction_context"] = sessions = sessions_of(said.cites)
    return replace(said, cites=sessions)


def with_one_session(number: int, record: Record, said: Said) -> Said:
    if number == 5:
        record["m_prediction_context"] = ["session_2"]
        return replace(said, cites=["S2"])
    return replace(said, cites=sessions_of(said.cites))


def with_nothing_cited(number: int, record: Record, said: Said) -> Said:
    del record["m_prediction_context"]
    return replace(said, cites=None)


def with_other_white_space(number: int, record: Record, said: Said) -> Said:
    record["question"] = f" {record['question'].replace(' ', '  ')}\n"
    return said


def sessions_of(cites: Iterable[str] | None) -> list[str]:
    return list(dict.fromkeys("S" + id.split(":")[0][1:] for id in cites or []))


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        with_number,
        with_text_of_ids,
        with_errors,
        with_no_errors,
        with_failures_as_text,
        with_empty_replies,
        with_gaps,
        with_swapped_categories,
        with_another_key,
        with_other_evidence,
        with_ids_of_its_own,
        with_one_odd_id,
        with_sessions,
        with_one_session,
        with_nothing_cited,
        with_other_white_space,
    )
}


def samples_of(
    samples: list[Record], answers: Answers, change: Change, key: str = "m"
) -> tuple[list[Record], list[Said]]:
    """A file in the official shape with what `vector` answered, changed, and what it says in truth."""
    told: list[Said] = []
    made: list[Record] = []
    for sample in samples:
        qa = []
        for question, answer in zip(sample["qa"], answers[sample["sample_id"]]["vector"], strict=True):
            said = Said(sample["sample_id"], question, answer.reply, answer.context)
            record = {**question, "m_prediction": answer.reply, "m_prediction_context": answer.context}
            told.append(change(len(told), record, said))
            qa.append({name.replace("m_prediction", f"{key}_prediction"): v for name, v in record.items()})
        made.append({"sample_id": sample["sample_id"], "qa": qa})
    return made, told


@dataclass(frozen=True)
class Found:
    """What a command says of a system."""

    scored: int
    left_out: int
    tables: dict[str, Record]


def by_score(capsys: pytest.CaptureFixture[str], file: Path, *options: str) -> dict[str, Found]:
    """What `locomo score` says, by system."""
    main(["score", str(file), "--json", *options])
    found = {}
    for comparison in json.loads(capsys.readouterr().out)["comparisons"]:
        for arm, system in comparison["systems"].items():
            number = {kind: numbers["overall"] for kind, numbers in system["counts"].items()}
            left_out = number["failed"] + number["missing"]
            assert number["scored"] + left_out == number["asked"]
            tables = {
                name: comparison[name][arm]
                for name in ("f1", "recall", "session_recall")
                if name in comparison
            }
            found[arm] = Found(number["scored"], left_out, tables)
    return found


def by_script(out: Path, file: Path, *options: str) -> dict[str, Found]:
    """What `scripts/score_official.py` says, by system; the tables that have figures, and that of recall."""
    score_official.main([str(file), "--json", str(out), *options])
    figures = json.loads(out.read_bytes())
    found = {}
    for arm in figures["f1"]:
        tables = {n: figures[n][arm] for n in ("f1", "recall", "session_recall") if n in figures}
        left_out = len(figures["predictions_missing"].get(arm, []))
        found[arm] = Found(-1, left_out, tables)
    if len(found) == 1:
        ((arm, one),) = found.items()
        found[arm] = replace(one, scored=figures["f1_compared"])
    return found


def by_hand(code: ModuleType, told: Iterable[Said]) -> Found:
    """What is right, by the official scorer over the dataset's questions."""
    told = list(told)
    answered = [said for said in told if said.reply is not None]
    lines = [
        {
            "answer": said.question.get("answer", ""),
            "category": said.question["category"],
            "evidence": said.question["evidence"],
            "prediction": said.reply,
            **({} if said.cites is None else {"prediction_context": said.cites}),
        }
        for said in answered
    ]
    scores, _, recalls = code.eval_question_answering(lines)
    by_session = any(id.startswith("S") for said in answered for id in said.cites or [])
    cited = [index for index, said in enumerate(answered) if said.cites is not None]
    return Found(
        len(answered),
        len(told) - len(answered),
        {
            "f1": means((lines[index]["category"], scores[index]) for index in range(len(lines))),
            "session_recall" if by_session else "recall": means(
                (lines[index]["category"], recalls[index]) for index in cited
            ),
        },
    )


def means(values: Iterable[tuple[int, float]]) -> Record:
    values = list(values)

    def mean(categories: Iterable[int]) -> float | None:
        some = [value for category, value in values if category in categories]
        return round(fsum(some) / len(some), 6) if some else None

    return {
        **{label: mean([number]) for number, label in LABELS.items()},
        "answerable": mean([1, 2, 3, 4]),
        "overall": mean(LABELS),
    }


@pytest.mark.parametrize("change", CHANGES)
def test_both_commands_say_what_the_official_scorer_says(
    here: Path,
    demo: list[Record],
    demo_answers: Answers,
    official_code: ModuleType,
    capsys: pytest.CaptureFixture[str],
    change: str,
) -> None:
    samples, told = samples_of(demo, demo_answers, CHANGES[change])
    file = here / "mine.json"
    file.write_text(json.dumps(samples), encoding="utf-8")
    right = by_hand(official_code, told)
    capsys.readouterr()
    assert by_score(capsys, file) == {"m": right}
    assert by_script(here / "out.json", file) == {"m": right}
    # Where no cited id can be read, recall is `-`, never 0.
    if change in ("with_ids_of_its_own", "with_nothing_cited"):
        assert set(right.tables["recall"].values()) == {None}


def flat(samples: list[Record], key: str = "m") -> Iterator[Record]:
    """The records of a file in the official shape, as other files have them."""
    for sample in samples:
        for question in sample["qa"]:
            yield {
                "sample_id": sample["sample_id"],
                "question": question["question"],
                "prediction": question[f"{key}_prediction"],
                "context": question[f"{key}_prediction_context"],
            }


def as_lines(path: Path, samples: list[Record]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in flat(samples)), encoding="utf-8")


def as_packed_lines(path: Path, samples: list[Record]) -> None:
    as_lines(path, samples)
    path.write_bytes(gzip.compress(path.read_bytes()))


def as_lists_by_conversation(path: Path, samples: list[Record]) -> None:
    by: dict[str, list[Record]] = {}
    for record in flat(samples):
        number = [sample["sample_id"] for sample in samples].index(record["sample_id"])
        said = {"response": record["prediction"], "answer": "as it should be", "context": record["context"]}
        by.setdefault(str(number), []).append({"question": record["question"], **said})
    path.write_text(json.dumps(by), encoding="utf-8")


SHAPES: dict[str, Callable[[Path, list[Record]], None]] = {
    "m.jsonl": as_lines,
    "m.jsonl.gz": as_packed_lines,
    "m.json": as_lists_by_conversation,
}


@pytest.mark.parametrize("name", SHAPES)
def test_other_shapes_and_formats_give_the_same(
    here: Path,
    demo: list[Record],
    demo_answers: Answers,
    official_code: ModuleType,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    samples, told = samples_of(demo, demo_answers, lambda number, record, said: said)
    SHAPES[name](here / name, samples)
    right = by_hand(official_code, told)
    capsys.readouterr()
    assert by_score(capsys, here / name) == by_script(here / "out.json", here / name) == {"m": right}


def test_the_options_of_reading_are_those_of_the_command(
    here: Path,
    demo: list[Record],
    demo_answers: Answers,
    official_code: ModuleType,
    capsys: pytest.CaptureFixture[str],
) -> None:
    samples, told = samples_of(demo, demo_answers, lambda number, record, said: said)
    ids = [sample["sample_id"] for sample in samples]
    records = [
        {
            **record,
            "sample_id": f"talk {'abc'[ids.index(record['sample_id'])]}",
            "prediction": "no",
            "said": record["prediction"],
        }
        for record in flat(samples)
    ]
    file = here / "m.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    options = ["--prediction-key", "said", "--samples", f"talk a={ids[0]},talk b={ids[1]},talk c={ids[2]}"]
    right = by_hand(official_code, told)
    capsys.readouterr()
    assert by_score(capsys, file, *options) == by_script(here / "out.json", file, *options) == {"m": right}


@pytest.mark.usefixtures("official_code")
@pytest.mark.parametrize(
    ("name", "of_score", "of_script"),
    [
        ("m ", "m", "m"),
        ("m\n two", "m two", "m two"),
        ("a|b:c", "a|b:c", "a|b:c"),
        ("(abstention)", "(abstention) (given)", "(abstention) (given)"),
        ("vector", "vector (given)", "vector"),  # the script has no rows of our arms
    ],
)
def test_names_of_systems(
    here: Path,
    demo: list[Record],
    demo_answers: Answers,
    official_code: ModuleType,
    capsys: pytest.CaptureFixture[str],
    name: str,
    of_score: str,
    of_script: str,
) -> None:
    samples, told = samples_of(demo, demo_answers, with_swapped_categories, name)
    file = here / "mine.json"
    file.write_text(json.dumps(samples), encoding="utf-8")
    right = by_hand(official_code, told)
    capsys.readouterr()
    assert by_score(capsys, file) == {of_score: right}
    assert by_script(here / "out.json", file) == {of_script: right}


@pytest.mark.usefixtures("official_code")
def test_two_names_that_differ_in_white_space_are_two_rows(
    here: Path, demo: list[Record], demo_answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    samples, _ = samples_of(demo, demo_answers, lambda number, record, said: said)
    for sample in samples:
        for question in sample["qa"]:
            question["m _prediction"] = "nothing like it"
    file = here / "mine.json"
    file.write_text(json.dumps(samples), encoding="utf-8")
    capsys.readouterr()
    score = by_score(capsys, file)
    script = by_script(here / "out.json", file)
    assert list(score) == list(script) == ["m", "m (given)"]
    for arm in score:
        assert score[arm].tables["f1"] == script[arm].tables["f1"]
    assert score["m"].tables["f1"] != score["m (given)"].tables["f1"]


@pytest.mark.parametrize("times", [2, 3])
def test_several_answers_to_each_question(
    here: Path,
    demo: list[Record],
    demo_answers: Answers,
    official_code: ModuleType,
    capsys: pytest.CaptureFixture[str],
    times: int,
) -> None:
    samples, told = samples_of(demo, demo_answers, lambda number, record, said: said)
    wrong = [replace(said, reply="something else", cites=["D99:1"]) for said in told]
    records = list(flat(samples))
    runs = records + [
        {**record, "prediction": "something else", "context": ["D99:1"]} for record in records * (times - 1)
    ]
    file = here / "m.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in runs), encoding="utf-8")
    right = by_hand(official_code, [*told, *wrong * (times - 1)])
    capsys.readouterr()
    (score,) = by_score(capsys, file).values()
    (script,) = by_script(here / "out.json", file).values()
    assert score.scored == 120 and script.scored == times * 120
    for measure in ("f1", "recall"):
        for column, mean in right.tables[measure].items():
            assert score.tables[measure][column] == pytest.approx(mean, abs=1.1e-6)
    assert script.tables == right.tables


@pytest.mark.usefixtures("official_code")
def test_a_question_counts_once_however_often_it_is_answered(
    here: Path, demo: list[Record], capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = [question for question in demo[0]["qa"] if question["category"] == 4][:2]
    said = [(one, one["answer"], ["D99:1"]), (one, "zzz", None), (other, other["answer"], other["evidence"])]
    file = here / "m.json"
    file.write_text(
        json.dumps(
            [
                {"sample_id": "demo-1", "question": asked["question"], "prediction": reply, "context": cites}
                for asked, reply, cites in said
            ]
        ),
        encoding="utf-8",
    )
    capsys.readouterr()
    (score,) = by_score(capsys, file).values()
    (script,) = by_script(here / "out.json", file).values()
    # One question is half right, 1 and 0, and has no recall, as one answer doesn't say what it cites.
    assert score.tables["f1"]["single_hop"] == (0.5 + 1) / 2
    assert score.tables["recall"]["single_hop"] == 1
    assert script.tables == score.tables


@pytest.mark.usefixtures("official_code")
def test_what_the_file_says_of_the_questions_is_told_and_not_believed(
    here: Path, demo: list[Record], demo_answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(number: int, record: Record, said: Said) -> Said:
        record["answer"] = "something else"
        return with_swapped_categories(number, record, said)

    samples, _ = samples_of(demo, demo_answers, change)
    file = here / "mine.json"
    file.write_text(json.dumps(samples), encoding="utf-8")
    score_official.main([str(file)])
    said = capsys.readouterr().out
    # demo/README.md: 42 single-hop and 21 multi-hop questions of 120, 21 are adversarial.
    assert "m: 63 records of another category than the dataset's, scored by the dataset's: " in said
    assert "m: the file's categories are mapped wrongly: it has single_hop (4) for multi_hop (1), " in said
    assert "m: 99 records with another reference answer than the dataset's, scored by the dataset's: " in said


@pytest.mark.usefixtures("official_code")
def test_swapped_categories_give_the_published_scores(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ran)
    samples = json.loads(paths.PREDICTIONS.read_bytes())
    for sample in samples:
        del sample["run"]
        sample["qa"] = [
            {
                "question": question["question"],
                "answer": question["answer"],
                "category": SWAPPED.get(question["category"], question["category"]),
                "m_prediction": question["vector_prediction"],
                "m_prediction_context": question["vector_prediction_context"],
            }
            for question in sample["qa"]
        ]
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(samples), encoding="utf-8")
    score, script = by_score(capsys, file), by_script(tmp_path / "out.json", file)
    assert score == script and score["m"].scored == 1986
    published = FIGURES["tables"]["main"]["vector"]
    assert published["single_hop"]["f1"] == 0.118
    for measure in ("f1", "recall"):
        rounded = {column: round(value, 3) for column, value in score["m"].tables[measure].items()}
        assert rounded == {column: row[measure] for column, row in published.items()}


@pytest.mark.usefixtures("official_code")
@pytest.mark.parametrize(
    ("said", "record"),
    [
        ("category: '7' (1, first: demo-1, qa[0]): the dataset has no such category", {"category": 7}),
        ("confidence: is 'high', expected a number from 0 to 1", {"m_prediction_confidence": "high"}),
        ("m_prediction: is a list, expected text", {"m_prediction": ["kayak"]}),
        ("no answer can be scored:\n", {"question": "What is not asked?"}),
        ("no answer can be scored:\n", {"m_prediction": None}),
    ],
)
def test_both_commands_refuse_a_file_with_the_same_words(
    here: Path, demo: list[Record], capsys: pytest.CaptureFixture[str], said: str, record: Record
) -> None:
    file = here / "mine.json"
    asked = {"question": demo[0]["qa"][0]["question"], "m_prediction": "kayak", **record}
    file.write_text(json.dumps([{"sample_id": "demo-1", "qa": [asked]}]), encoding="utf-8")
    with pytest.raises(SystemExit) as by_command:
        main(["score", str(file)])
    with pytest.raises(LocomoError) as by_script:
        score_official.main([str(file)])
    assert str(by_command.value) == f"error: {by_script.value}"
    assert str(by_script.value).startswith(f"{file}: ") and said in str(by_script.value)
    assert capsys.readouterr().out == ""


# The script alone


def script(
    *arguments: object, folder: Path, stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "score_official.py"), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, stdout=stdout, stderr=subprocess.PIPE, text=True)


@pytest.mark.usefixtures("official_code")
def test_the_script_on_the_default_run(ran: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = script(paths.PREDICTIONS, "--json", out, folder=ran)
    assert (done.returncode, done.stderr) == (0, "")
    summary = "29,790 F1 scores and 29,790 recalls compared with data/scores.csv: largest difference 0\n"
    assert done.stdout.endswith(summary)
    assert "samples evaluated" not in done.stdout  # the official code prints that
    signatures = json.loads((ran / paths.SIGNATURES).read_bytes())
    assert f"\nsignature: {signatures['path'].removesuffix('path')}<arm>\n" in done.stdout
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
    done = script(paths.PREDICTIONS, "--scores", scores, "--arms", "graph", folder=ran)
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
    here: Path, demo: list[Record], monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    place = next(place for place, one in enumerate(demo[0]["qa"]) if one["answer"] == "ferry captain")
    trap = next(index for index, one in enumerate(demo[0]["qa"]) if one["category"] == 5)
    said = {
        place: {"right_prediction": "ferry captain", "wrong_prediction": "ferry Captains, ferry captains"},
        trap: {"right_prediction": "No information available", "wrong_prediction": "It is not mentioned."},
    }
    qa = [{"question": demo[0]["qa"][index]["question"], **replies} for index, replies in said.items()]
    path = here / "mine.json"
    path.write_text(json.dumps([{"sample_id": "demo-1", "qa": qa}]), encoding="utf-8")
    score_official.main([str(path)])
    monkeypatch.setattr(*WRONG_RULES[rule])
    number = trap if rule == "one phrase of abstention" else place
    with pytest.raises(LocomoError, match=rf"^our metric: .*\n.*demo-1, question {number} .* arm wrong: f1 "):
        score_official.main([str(path)])


@pytest.mark.usefixtures("official_code")
def test_some_arms_and_questions_in_another_order(
    here: Path, demo: list[Record], capsys: pytest.CaptureFixture[str]
) -> None:
    samples = json.loads(paths.PREDICTIONS.read_bytes())[::-1][:2]
    for sample in samples:
        sample["qa"].reverse()
        for question in sample["qa"]:
            if question["category"] == 5:
                del question["answer"]
    path = here / "elsewhere.json"
    path.write_text(json.dumps(samples), encoding="utf-8")
    score_official.main([str(path), "--arms", "path"])
    said = capsys.readouterr().out
    assert said.endswith(
        "80 F1 scores and 80 recalls compared with our metric: largest difference 0\n"
        "path: 40 of 120 predictions missing, left out: "
        + ", ".join(f"demo-1/{place}" for place in range(10))
        + ", and 30 more\n"
    )
    assert "vector" not in said
    score_official.main([str(path), "--scores", str(paths.SCORES)])
    said = capsys.readouterr().out
    assert "160 F1 scores and 160 recalls compared with data/scores.csv: largest difference 0\n" in said


@pytest.mark.usefixtures("official_code")
def test_only_the_very_predictions_are_compared_with_their_scores(
    here: Path, demo: list[Record], capsys: pytest.CaptureFixture[str]
) -> None:
    signatures = json.loads(paths.SIGNATURES.read_bytes())
    score_official.main([str(paths.PREDICTIONS)])
    said = capsys.readouterr().out
    assert "240 F1 scores and 240 recalls compared with data/scores.csv: largest difference 0\n" in said
    assert f"\nsignature: {signatures['path'].removesuffix('path')}<arm>\n" in said

    # A copy is the same bytes; a changed reply is not.
    copy = here / "copy.json"
    shutil.copy(paths.PREDICTIONS, copy)
    score_official.main([str(copy)])
    assert capsys.readouterr().out == said
    samples = json.loads(copy.read_bytes())
    samples[0]["qa"][0]["vector_prediction"] = "something else"
    copy.write_text(json.dumps(samples), encoding="utf-8")
    score_official.main([str(copy)])
    said = capsys.readouterr().out
    assert "240 F1 scores and 240 recalls compared with our metric: largest difference 0\n" in said
    assert "\nsignature: none of ours, " in said and "locomo-bench:" not in said


@pytest.mark.usefixtures("official_code")
@pytest.mark.parametrize("changed", [paths.DATASET, paths.SCORES], ids=str)
def test_files_of_different_runs_are_refused(here: Path, changed: Path) -> None:
    changed.write_bytes(changed.read_bytes() + b"\n")
    said = f"{changed}: is of another run than metrics/signature.json; run `dvc repro` to make them fit"
    with pytest.raises(LocomoError) as caught:
        score_official.main([str(paths.PREDICTIONS)])
    assert str(caught.value) == said


@pytest.mark.usefixtures("official_code")
def test_scores_of_other_predictions_are_refused(here: Path, demo: list[Record]) -> None:
    lines = paths.SCORES.read_text(encoding="utf-8").splitlines(keepends=True)
    (here / "some.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(LocomoError, match=r"some\.csv: is of other predictions; leave out --scores"):
        score_official.main([str(paths.PREDICTIONS), "--scores", str(here / "some.csv")])


def test_a_changed_official_scorer_is_refused(
    here: Path, official_code: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = Path(official_code.__dict__["f1_score"].__code__.co_filename).read_bytes()
    place = here / "shared/task_eval/evaluation.py"
    place.parent.mkdir(parents=True)
    place.write_bytes(body.replace(b"0", b"1", 1))
    for name, value in {"LOCOMO_OFFLINE": "1", "HOME": str(here), "XDG_CACHE_HOME": str(here)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LOCOMO_CACHE", str(here / "shared"))
    done = script(paths.PREDICTIONS, folder=here)
    assert (done.returncode, done.stdout) == (1, "")
    assert "has SHA-256" in done.stderr and "Traceback" not in done.stderr


def test_an_arm_that_the_file_does_not_have(here: Path) -> None:
    done = script(paths.PREDICTIONS, "--arms", "vector", "b", folder=here)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: --arms: b: not in data/predictions.json, which has vector, path\n"


def test_a_file_that_is_not_there(here: Path) -> None:
    done = script("p.json", folder=here)
    assert (done.returncode, done.stderr) == (
        1,
        "error: p.json: cannot be read (No such file or directory)\n",
    )


@pytest.mark.usefixtures("official_code")
def test_a_closed_pipe_is_no_error(here: Path) -> None:
    """As behind `| head -1`, which may have gone before anything is written."""
    reads, writes = os.pipe()
    os.close(reads)
    done = script(paths.PREDICTIONS, folder=here, stdout=writes)
    os.close(writes)
    assert (done.returncode, done.stderr) == (141, "")
