"""Public result files of other systems, unchanged: read, matched, and scored as by the official scorer.

They are no part of this repository, nor are they downloaded: a folder of LOCOMO_CACHE may hold them at their
upstream paths.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from helpers.given import Record
from locomo.formats import dataset
from locomo.formats.dataset import Category, Conversation
from locomo.official.comparison import Comparison as Official
from locomo.official.comparison import answers, official_scores, our_scores
from locomo.score.averages import row
from locomo.submissions.comparison import compare, counts
from locomo.submissions.diagnosis import remarks
from locomo.submissions.matching import Matched, match
from locomo.submissions.reading import Answers, read

AUDIT = "dial481/locomo-audit"
EXIA = "francisdu53/exia-ghost-benchmarks/locomo/results"
MEMOBASE = "memodb-io/memobase/docs/experiments/locomo-benchmark/fixture/memobase"
ZEP = "getzep/zep-papers/kg_architecture_agent_memory/locomo_eval/data"

FILES: dict[str, tuple[int, str]] = {
    f"{MEMOBASE}/memobase_eval_0503_3000.json": (1540, "reply under 'response', reference under 'answer'"),
    f"{MEMOBASE}/memobase_eval_0710_3000.json": (1540, "reply under 'response', reference under 'answer'"),
    f"{ZEP}/zep_locomo_grades.json": (1540, "reply under 'answer', reference under 'golden_answer'"),
    **{
        f"{AUDIT}/{path}": (1540, "reply under 'generated_answer', reference under 'golden_answer'")
        for path in (
            "ap-baseline/v1/ap_eval_results_scored.json",
            "ap-baseline/v2/ap_eval_results_scored.json",
            "fc-baseline/results/gpt-4.1-mini-cot/eval_results.json",
            "fc-baseline/results/gpt-4.1-mini-memos/eval_results.json",
            "fc-baseline/results/gpt-4o-mini-cot/eval_results.json",
            "fc-baseline/results/gpt-4o-mini-memos/eval_results.json",
        )
    },
    f"{EXIA}/exiaghost-memory/scores.json": (1986, "reply under 'response', reference under 'gold'"),
    f"{EXIA}/exiaghost-memory-openai/locomo_eval_results.json": (
        1986,
        "reply under 'response', reference under 'gold'",
    ),
}
"""By its path: the number of its answers, and what its keys are read as."""


def located(path: str) -> Path:
    """The file in a folder of LOCOMO_CACHE; skips without it."""
    for folder in filter(None, os.environ.get("LOCOMO_CACHE", "").split(os.pathsep)):
        if (place := Path(folder, "field", path)).exists():
            return place
    pytest.skip(f"field/{path} is in no folder of LOCOMO_CACHE: put it there, from github.com")


@pytest.fixture(scope="session")
def conversations(dataset_path: Path) -> list[Conversation]:
    return list(dataset.read(dataset_path))


@pytest.fixture(params=FILES)
def path(request: pytest.FixtureRequest) -> str:
    """Each of the eleven."""
    name: str = request.param
    located(name)
    return name


@cache
def read_once(path: str) -> Answers:
    return read(located(path))


def system(path: str, conversations: list[Conversation]) -> Matched:
    (one,) = match(read_once(path).given, conversations)
    return one


def test_every_answer_is_matched(path: str, conversations: list[Conversation]) -> None:
    number, keys = FILES[path]
    one = system(path, conversations)
    assert keys in read_once(path).recognised and ", judge under " in read_once(path).recognised
    assert len(read_once(path).given) == number
    assert list(one.elsewhere) == list(one.unknown) == []
    assert sorted(map(len, one.answers.values())) == [1] * number
    answerable = {key for key, asked in one.questions.items() if asked.category is not Category.ADVERSARIAL}
    assert set(one.answers) == (answerable if number == 1540 else set(one.questions))
    # Matched well: their own category is the dataset's.
    assert all(
        given.category is one.questions[key].category
        for key, several in one.answers.items()
        for given in several
    )


def test_scores_are_those_of_the_official_scorer(
    path: str, conversations: list[Conversation], official_code: ModuleType
) -> None:
    """Question by question, to the last bit."""
    one = system(path, conversations)
    answered = answers([one])
    compared = Official(
        [one], answered, official_scores(answered, official_code), our_scores(answered), "ours"
    )
    failed = len(one.failed)
    assert compared.counts() == {
        "f1_compared": FILES[path][0] - failed,
        "recall_compared": 0,
        "largest_difference": 0.0,
    }
    (comparison,) = compare([one], {})
    official = row(
        (answer.question.category, scores["f1"])
        for answer, scores in zip(answered, compared.official, strict=True)
    )
    assert comparison.table("f1")[one.arm] == official


def stated(content: Mapping[str, Any]) -> float | None:
    """The accuracy by its judge that a file states itself."""
    if "total_qa" in content:
        return float(content["total_correct"]) / float(content["total_qa"])
    accuracy = content.get("metadata", content).get("mean_accuracy", content.get("accuracy"))
    return None if accuracy is None else float(accuracy)


def test_the_mean_of_the_judge_is_what_the_file_states(path: str, conversations: list[Conversation]) -> None:
    (comparison,) = compare([system(path, conversations)], {})
    (figures,) = comparison.table("judge").values()
    accuracy = stated(json.loads(located(path).read_bytes()))
    if path.startswith((AUDIT, EXIA)):
        assert accuracy is not None
    if accuracy is not None:
        assert figures["overall"] == round(accuracy, 6)
    assert figures["overall"] is not None and 0 < figures["overall"] < 1


@pytest.mark.parametrize(
    ("name", "accepted", "likely"),
    [
        ("exiaghost-memory/scores.json", 319, 290),
        ("exiaghost-memory-openai/locomo_eval_results.json", 323, 319),
    ],
)
def test_abstaining_in_other_words_is_0_and_is_said(
    name: str, accepted: int, likely: int, conversations: list[Conversation]
) -> None:
    """Two runs score 0 on adversarial questions by the official phrase, while their judge accepted most."""
    path = f"{EXIA}/{name}"
    records: list[Record] = [
        record for one in json.loads(located(path).read_bytes())["results"] for record in one["qa_results"]
    ]
    adversarial = [record for record in records if record["category"] == 5]
    assert sum(record["label"] == "CORRECT" for record in adversarial) == accepted
    one = system(path, conversations)
    (comparison,) = compare([one], {})
    assert comparison.table("f1")[one.arm]["adversarial"] == 0.0
    found = counts(one)
    assert found["abstained"]["adversarial"] == 0
    # At least those that are the one word.
    plain = sum(record["response"].strip(" .").lower() == "unknown" for record in adversarial)
    assert plain <= found["likely_abstained"]["adversarial"] == likely
    said = "\n".join(remarks(one))
    assert f"{likely} replies to adversarial questions likely abstaining in other words" in said
    assert f"its judge accepted {accepted} of 446 replies to adversarial questions" in said
    assert f"'Unknown' ({plain})" in said
