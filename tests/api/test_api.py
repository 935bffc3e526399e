"""The public API: its tables hold what the files of a run do, and what the command says."""

import ast
import csv
import doctest
import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import locomo
from helpers.clones import DemoRun
from helpers.ran import MakeRun
from helpers.shared import ROOT
from locomo import api
from locomo.cli import main
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Conversation
from locomo.results.predictions import Answer, Texts

PACKAGE = ROOT / "src/locomo"


@pytest.fixture
def here(demo_run: DemoRun, monkeypatch: pytest.MonkeyPatch) -> DemoRun:
    """The run over the demonstration set, as the current folder; don't change it."""
    monkeypatch.chdir(demo_run.folder)
    return demo_run


# ---- what importing it costs and offers


def test_importing_it_imports_neither_pandas_nor_numpy() -> None:
    code = "import sys, locomo; locomo.__version__; print({'pandas', 'numpy'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT / "src", capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_its_names_are_no_rooms_and_all_typed() -> None:
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert "score" in rooms and not rooms.intersection(locomo.__all__)
    assert all(hasattr(locomo, name) for name in locomo.__all__)
    names: list[str] = []
    for node in ast.parse(PACKAGE.joinpath("__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            assert node.module == "locomo.api" and all(one.name == one.asname for one in node.names)
            names += [one.name for one in node.names]
        else:
            assert isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            names.append(node.target.id)
    assert sorted(names) == sorted(locomo.__all__)
    with pytest.raises(AttributeError, match="'locomo' has no attribute 'scores'"):
        locomo.scores  # noqa: B018


def test_its_examples_print_what_is_shown(here: DemoRun) -> None:
    found = doctest.testmod(api)
    assert found.failed == 0 and found.attempted > 15


# ---- a run as tables


def test_the_scores_of_a_run_are_those_of_the_file(here: DemoRun) -> None:
    scores = locomo.load_run().scores
    with (here / "data/scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert list(scores.columns) == rows[0] and len(scores) == 120 * 15
    strings = {"sample", "category", "arm"}
    read = [float if name not in strings else str for name in rows[0]]
    expected = [tuple(kind(cell) for kind, cell in zip(read, row, strict=True)) for row in rows[1:]]
    assert list(scores.itertuples(index=False, name=None)) == expected


def test_answers_and_questions_of_a_run_are_those_of_the_files(here: DemoRun) -> None:
    run = locomo.load_run(here.folder)
    asked = [
        (sample["sample_id"], place, one)
        for sample in here.json("data/predictions.json")
        for place, one in enumerate(sample["qa"])
    ]
    # Categories and evidence by their numbers in the file (SPEC 1).
    labels = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
    found = run.questions[["sample", "question", "text", "category", "evidence"]]
    assert list(found.itertuples(index=False, name=None)) == [
        (sample, place, one["question"], labels[one["category"]], one["evidence"])
        for sample, place, one in asked
    ]
    answers = {row[:3]: row[3:] for row in run.answers.itertuples(index=False, name=None)}
    assert answers == {
        (sample, place, arm): (
            one[f"{arm}_prediction"],
            one[f"{arm}_prediction_context"],
            one[f"{arm}_prediction_confidence"],
            "",
        )
        for sample, place, one in asked
        for arm in run.scores.arm.unique()
    }
    signed = here.json("metrics/signature.json")
    del signed["(run)"]
    assert {arm: run.signature.replace("<arm>", arm) for arm in signed} == signed


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match=r"signature\.json: is not there; run `dvc repro score`"):
        locomo.load_run(tmp_path)


@pytest.mark.parametrize("pair", [("graph", "vector"), ("oracle", "path"), ("span", "walk3")])
def test_a_comparison_is_that_of_the_pipeline(here: DemoRun, pair: tuple[str, str]) -> None:
    expected = here.json("metrics/statistics/paired.json")["pairs"]
    scores = locomo.load_run().scores
    a, b = pair if " - ".join(pair) in expected else pair[::-1]
    found = locomo.compare(scores, a, b)
    assert found.to_dict("index") == expected[f"{a} - {b}"]
    # By another way: the mean of the differences, question by question.
    wide = scores.pivot(index=["sample", "question", "category"], columns="arm", values="f1").reset_index()
    adversarial = wide.category == "adversarial"
    for half, rows in {"adversarial": wide[adversarial], "answerable": wide[~adversarial]}.items():
        assert found.difference[half] == pytest.approx((rows[a] - rows[b]).mean(), abs=5e-7)
    turned = locomo.compare(scores, b, a)
    assert (turned.difference == -found.difference).all()


def test_the_order_of_the_rows_does_not_matter(here: DemoRun) -> None:
    scores = locomo.load_run().scores
    found = locomo.compare(scores, "graph", "vector")
    for key in ("f1", "sample"):
        other = scores.sort_values(key, ascending=False)
        pd.testing.assert_frame_equal(locomo.compare(other, "graph", "vector"), found)


def test_a_question_that_is_scored_twice_is_refused(here: DemoRun) -> None:
    scores = locomo.load_run().scores
    twice = pd.concat([scores, scores[scores.arm == "graph"].tail(1)])
    with pytest.raises(LocomoError, match="arm 'graph': has more than one score of demo-3/39"):
        locomo.compare(twice, "graph", "vector")


def test_texts_of_a_memory_have_no_recall(make_run: MakeRun, tiny: list[dict[str, Any]]) -> None:
    given = [Answer("x", Texts(["D1:1", "Ada, a boat."]), 0.5), Answer("x", ["S1"], 0.5)]
    run = locomo.load_run(make_run(tiny, {"conv-1": {"a": given}, "conv-2": {"a": []}}))
    assert run.scores.recall.isna().tolist() == [True, False] and run.scores.recall[1] == 1.0
    assert run.answers.context.tolist() == [["D1:1", "Ada, a boat."], ["S1"]]


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match="nowhere: is no folder"):
        locomo.load_run(tmp_path / "nowhere")


def test_an_arm_without_scores_is_told(here: DemoRun) -> None:
    with pytest.raises(LocomoError, match="arm 'graf': has no scores; the table has vector, graph, "):
        locomo.compare(locomo.load_run().scores, "vector", "graf")


# ---- answers of any system


def given(run: DemoRun) -> list[dict[str, Any]]:
    """What `graph` said; not to the first four questions of the second conversation, and failed on one."""
    records = [
        {
            "sample_id": sample["sample_id"],
            "question": one["question"],
            "prediction": one["graph_prediction"],
            "context": one["graph_prediction_context"],
            "confidence": one["graph_prediction_confidence"],
        }
        for sample in run.json("data/predictions.json")
        for one in sample["qa"]
    ]
    del records[40:44]
    records[7]["prediction"] = None
    return records


def test_records_a_table_and_a_file_are_scored_as_the_command_does(
    here: DemoRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = given(here)
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    table = locomo.score_answers(records, arm="mine")
    pd.testing.assert_frame_equal(locomo.score_answers(file), table)
    pd.testing.assert_frame_equal(locomo.score_answers(pd.DataFrame(records), arm="mine"), table)
    assert table.status.value_counts().to_dict() == {"scored": 115, "missing": 4, "failed": 1}
    assert table[table.status == "missing"].question.tolist() == [0, 1, 2, 3]
    assert table[table.status != "scored"][["f1", "recall", "abstained", "confidence"]].isna().all(axis=None)
    main(["score", str(file), "--json"])
    (told,) = json.loads(capsys.readouterr().out)["comparisons"]
    counts = told["systems"]["mine"]["counts"]
    assert [counts[kind]["overall"] for kind in ("scored", "missing", "failed")] == [115, 4, 1]
    assert table.attrs["remarks"]["mine"] == told["systems"]["mine"]["remarks"] != []
    for measure in ("f1", "recall", "abstained"):
        means = {**table.groupby("category")[measure].mean(), "overall": table[measure].mean()}
        for column, mean in means.items():
            assert told[measure]["mine"][column] == pytest.approx(mean, abs=5e-7), (measure, column)
    # Those of `graph` itself, where it was scored.
    own = locomo.load_run().scores.query("arm == 'graph'").reset_index(drop=True)
    scored = table.status == "scored"
    for measure in ("f1", "recall", "abstained", "confidence"):
        assert (table[measure][scored] == own[measure][scored]).all()


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT], ids=repr)
def test_whatever_pandas_has_for_a_missing_value_is_none(here: DemoRun, missing: object) -> None:
    asked = here.json("data/locomo10.json")[0]["qa"]
    rows = [
        ("demo-1", asked[0]["question"], "a ferry captain", "single_hop", 0.5),
        ("demo-1", asked[1]["question"], missing, missing, missing),
    ]
    names = ["sample_id", "question", "prediction", "category", "confidence"]
    found = locomo.score_answers(pd.DataFrame(rows, columns=names))
    assert found.status.tolist()[:3] == ["scored", "failed", "missing"]
    # "ferry captain" was right; the article is no word of the metric.
    assert (asked[0]["answer"], found.f1[0], found.confidence[0]) == ("ferry captain", 1.0, 0.5)
    assert isnan(found.recall[0])  # nothing was cited


def test_several_systems_in_one_table(here: DemoRun) -> None:
    asked = here.json("data/locomo10.json")[2]["qa"][0]["question"]
    records = [
        {"sample_id": "demo-3", "question": asked, "prediction": "No information available", "arm": arm}
        for arm in ("one", "other")
    ]
    found = locomo.score_answers(records)
    assert found.arm.unique().tolist() == ["one", "other"] and len(found) == 240
    assert found.query("status == 'scored'").abstained.tolist() == [1, 1]


@pytest.fixture(scope="module")
def asked() -> list[dict[str, Any]]:
    samples: list[dict[str, Any]] = json.loads((ROOT / "demo/conversations.json").read_bytes())
    return samples


def talks() -> list[Conversation]:
    return locomo.load_dataset(ROOT / "demo/conversations.json")


def right_reply(question: dict[str, Any]) -> str:
    """The reference answer, of an open-domain question without its reason, or an abstention (SPEC 11)."""
    if question["category"] == 5:
        return "No information available"
    return str(question["answer"]).partition(";")[0]


def right_records(asked: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The questions, the right replies and the evidence, by conversation."""
    return {
        sample["sample_id"]: [
            {"question": one["question"], "reply": right_reply(one), "context": one["evidence"]}
            for one in sample["qa"]
        ]
        for sample in asked
    }


def renamed(records: list[dict[str, Any]], reply: str, **others: Any) -> list[dict[str, Any]]:
    return [
        {**others, "question": one["question"], reply: one["reply"], "context": one["context"]}
        for one in records
    ]


SHAPES: dict[str, Callable[[dict[str, list[dict[str, Any]]]], Any]] = {
    "lists by place": lambda by: {
        str(place): renamed(records, "response", answer="(a reference)")
        for place, records in enumerate(by.values())
    },
    "lists by name": lambda by: {
        f"locomo_experiment_user_{place}": renamed(records, "generated_answer")
        for place, records in enumerate(by.values())
    },
    "detailed_results": lambda by: {
        "accuracy": 0.5,
        "detailed_results": {
            str(place): renamed(records, "answer", golden_answer="(a reference)")
            for place, records in enumerate(by.values())
        },
    },
    "conv_idx": lambda by: [
        {"conv_idx": place, "qa_results": renamed(records, "response")}
        for place, records in enumerate(by.values())
    ],
    "question_id": lambda by: [
        {"question_id": f"locomo_{place}_qa{number}", "prediction": one["reply"], "context": one["context"]}
        for place, records in enumerate(by.values())
        for number, one in enumerate(records)
    ],
    "official": lambda by: [
        {
            "sample_id": sample,
            "qa": [
                {
                    "question": one["question"],
                    "gpt_prediction": one["reply"],
                    "gpt_prediction_context": one["context"],
                }
                for one in records
            ],
        }
        for sample, records in by.items()
    ],
    "records": lambda by: [
        one for sample, records in by.items() for one in renamed(records, "prediction", sample_id=sample)
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_any_shape(asked: list[dict[str, Any]], tmp_path: Path, shape: str, packed: bool) -> None:
    text = json.dumps(SHAPES[shape](right_records(asked))).encode()
    file = tmp_path / ("mine.json.gz" if packed else "mine.json")
    file.write_bytes(gzip.compress(text) if packed else text)
    found = locomo.score_answers(file, talks())
    assert found.arm.unique().tolist() == ["gpt" if shape == "official" else "mine"]
    questions = [(sample["sample_id"], place) for sample in asked for place in range(len(sample["qa"]))]
    assert list(zip(found["sample"], found.question, strict=True)) == questions
    # Every answer is right and cites the evidence, so that a reply at a wrong question would show.
    assert (found.status == "scored").all() and len(found) == 120
    assert (found.f1 == 1).all() and (found.recall == 1).all()
    assert (found.abstained == (found.category == "adversarial")).all()


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "xlsx"])
def test_a_table_as_pandas_writes_it(asked: list[dict[str, Any]], tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame(SHAPES["records"](right_records(asked)))
    frame.loc[3, "prediction"] = None
    if ending == "parquet":
        frame.to_parquet(tmp_path / "mine.parquet")
    elif ending == "xlsx":
        frame.to_excel(tmp_path / "mine.xlsx", index=False)
    else:
        frame.to_csv(tmp_path / f"mine.{ending}", sep="\t" if ending == "tsv" else ",", index=False)
    found = locomo.score_answers(tmp_path / f"mine.{ending}", talks())
    assert found.status.tolist() == [*["scored"] * 3, "failed", *["scored"] * 116]
    scored = found[found.status == "scored"]
    assert (scored.f1 == 1).all() and (scored.recall == 1).all()


def test_a_data_frame_with_lists_arrays_and_gaps(asked: list[dict[str, Any]]) -> None:
    one, *_ = asked
    single = [(place, q) for place, q in enumerate(one["qa"]) if q["category"] == 4][:5]
    evidence = [question["evidence"] for _, question in single]
    contexts = [evidence[0], np.array(evidence[1]), tuple(evidence[2]), float("nan"), []]
    frame = pd.DataFrame(
        {
            "sample_id": one["sample_id"],
            "question": [question["question"] for _, question in single],
            "prediction": [right_reply(question) for _, question in single],
            "context": pd.Series(contexts, dtype=object),
            "confidence": [0.5, float("nan"), 1, 0, float("nan")],
        }
    )
    found = locomo.score_answers(frame, talks()).query("status == 'scored'")
    assert found.question.tolist() == [place for place, _ in single]
    assert found.f1.tolist() == [1] * 5
    # The fourth does not say what it cites; the fifth cites nothing.
    assert found.recall.tolist()[:3] == [1, 1, 1] and isnan(found.recall.iloc[3])
    assert found.recall.iloc[4] == 0
    assert found.confidence.fillna(-1).tolist() == [0.5, -1, 1, 0, -1]


@pytest.mark.parametrize("spelling", ["S{}", "session_{}", "Session {}"])
def test_sessions_have_a_recall_of_their_own(asked: list[dict[str, Any]], spelling: str) -> None:
    records = SHAPES["records"](right_records(asked))
    for record in records:
        numbers = [id.split(":")[0].strip("(D") for id in record["context"]]
        record["context"] = [spelling.format(number) for number in numbers]
    records[0]["context"] = [spelling.format(99)]
    found = locomo.score_answers(records, talks())
    assert found.recall.isna().all()
    assert found.session_recall.tolist() == [0, *[1] * 119]
    # One answer that cites a session is enough; the others' turns count as the sessions they are of.
    mixed = SHAPES["records"](right_records(asked))
    mixed[0]["context"] = records[1]["context"]
    found = locomo.score_answers(mixed, talks())
    assert found.recall.isna().all() and found.session_recall.tolist()[1:] == [1] * 119


def test_turns_have_recall_by_session_too(asked: list[dict[str, Any]]) -> None:
    question = next(one for one in asked[0]["qa"] if one["category"] == 4)
    (session,) = {id.split(":")[0] for id in question["evidence"]}
    beside = next(
        turn["dia_id"]
        for turn in asked[0]["conversation"][f"session_{session[1:]}"]
        if turn["dia_id"] not in question["evidence"]
    )
    record = {"sample_id": asked[0]["sample_id"], "question": question["question"], "prediction": "x"}
    (row,) = (
        locomo.score_answers([{**record, "context": [beside]}], talks())
        .query("status == 'scored'")
        .to_dict("records")
    )
    assert (row["recall"], row["session_recall"]) == (0, 1)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"llm_score": [1, 0, "0.5"]}, [1, 0, 0.5]),
        ({"label": ["CORRECT", "wrong", None]}, [1, 0, None]),
        ({"grade": [True, False, "false"]}, [1, 0, 0]),
        ({"is_correct": ["yes", "no", float("nan")]}, [1, 0, None]),
        # Several judgments of one reply count as their mean.
        ({"llm_judgments": [{"a": True, "b": True, "c": False}, [0, 1], []]}, [2 / 3, 0.5, None]),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_a_judge_said_stands_beside(
    asked: list[dict[str, Any]], labels: dict[str, list[Any]], expected: list[float | None]
) -> None:
    records = SHAPES["records"](right_records(asked))[:3]
    ((key, values),) = labels.items()
    told = [{**record, key: value} for record, value in zip(records, values, strict=True)]
    found = locomo.score_answers(told, talks()).query("status == 'scored'")
    assert [None if isnan(one) else one for one in found.judge] == expected
    assert found.f1.tolist() == [1, 1, 1]  # whatever the judge said
    assert locomo.score_answers(records, talks()).judge.isna().all()


def test_several_answers_to_a_question_give_their_mean(asked: list[dict[str, Any]]) -> None:
    question = next(one for one in asked[0]["qa"] if one["category"] == 4)
    about = {"sample_id": asked[0]["sample_id"], "question": question["question"]}
    answers = [
        {
            "prediction": question["answer"],
            "context": question["evidence"],
            "confidence": 0.5,
            "label": "yes",
        },
        {"prediction": "No information available", "context": ["D99:1"], "confidence": 0.25, "label": "no"},
        {"prediction": "zzz", "context": ["D99:1"], "confidence": 0, "label": "no"},
        {"prediction": None},
        {"prediction": "Error code: 429", "context": question["evidence"]},
    ]
    found = locomo.score_answers([about | one for one in answers], talks())
    assert found.status.value_counts().to_dict() == {"missing": 119, "scored": 1}
    (row,) = found.query("status == 'scored'").to_dict("records")
    # Of the three that did not fail, one is right, one abstains, and one has the evidence.
    for column in ("f1", "abstained", "recall", "judge"):
        assert row[column] == pytest.approx(1 / 3), column
    assert row["confidence"] == 0.25
    (remark,) = (one for one in found.attrs["remarks"]["answers"] if "failed" in one)
    assert remark == "2 failed calls of a question that another answer is scored for, left out"


FAILURES = ["NaN", "nan", "None", "null", "N/A", "ERROR", "Error: timeout", "Error code: 429 - try again"]


@pytest.mark.parametrize("made", [list, pd.DataFrame])
def test_failures_that_arrive_as_text(
    asked: list[dict[str, Any]], made: Callable[[list[dict[str, Any]]], Any]
) -> None:
    records = SHAPES["records"](right_records(asked))[: len(FAILURES) + 2]
    for record, failure in zip(records, FAILURES, strict=False):
        record["prediction"] = failure
    records[-2]["prediction"] = "None of them."
    records[-1]["prediction"] = ""
    found = locomo.score_answers(made(records), talks())
    number = len(FAILURES)
    assert found.status.tolist()[: number + 3] == [*["failed"] * number, "scored", "scored", "missing"]
    (remark,) = (one for one in found.attrs["remarks"]["answers"] if "calls failed" in one)
    assert remark.startswith(f"{number} calls failed, not scored as wrong: ") and "429" in remark
    # An empty text is an answer, and a wrong one.
    assert found.f1.tolist()[number + 1] == 0


@pytest.mark.parametrize("made", [list, pd.DataFrame])
def test_what_is_no_error(asked: list[dict[str, Any]], made: Callable[[list[dict[str, Any]]], Any]) -> None:
    nothing = [0, 0.0, False, "", "false", "None", "null", [], {}, None, float("nan")]
    records = SHAPES["records"](right_records(asked))[: len(nothing) + 1]
    told = [{**record, "error": error} for record, error in zip(records, [*nothing, "timeout"], strict=True)]
    found = locomo.score_answers(made(told), talks())
    assert found.status.tolist()[: len(told)] == [*["scored"] * len(nothing), "failed"]


def test_the_categories_and_answers_of_the_questions_are_not_believed(asked: list[dict[str, Any]]) -> None:
    records = SHAPES["records"](right_records(asked))
    categories = [question["category"] for sample in asked for question in sample["qa"]]
    wrong = [
        {**record, "category": {1: 4, 4: 1}.get(category, category), "golden_answer": "something else"}
        for record, category in zip(records, categories, strict=True)
    ]
    found = locomo.score_answers(wrong, talks())
    assert (found.f1 == 1).all()
    assert found.category.value_counts()["single_hop"] == categories.count(4)
    said = found.attrs["remarks"]["answers"]
    other = sum(category != 5 for category in categories)
    assert any(one.startswith(f"{other} records with another reference answer") for one in said)
    assert any("mapped wrongly: it has single_hop (4) for multi_hop (1)" in one for one in said)


@pytest.mark.parametrize("category", [5, "5", "adversarial"])
def test_one_reply(category: int | str) -> None:
    assert locomo.f1("No information available", "", category) == 1
    assert locomo.f1("a kayak", "a kayak", category) == 0
    # "bought kayak": precision 1/2, recall 1.
    assert locomo.f1("bought a kayak", "the kayak") == pytest.approx(2 / 3)


def test_a_category_that_there_is_not_is_told() -> None:
    with pytest.raises(LocomoError, match="category: 'six': no such category; allowed: "):
        locomo.f1("a", "b", "six")
