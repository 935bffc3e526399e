"""Answer keys: of the dataset, of the public audit, and in a corrected copy of the dataset."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from locomo.core import paths
from locomo.core.download import Pinned
from locomo.core.errors import LocomoError
from locomo.core.files import digest
from locomo.formats import answer_key, dataset, keys
from locomo.formats.answer_key import AnswerKey
from locomo.formats.dataset import Category, Conversation, Question

Data = list[dict[str, Any]]
NOWHERE = Pinned("https://locomo.invalid/a/b", "0" * 40, "errors.json", 1, "0" * 64, "audit")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any, str], Path]:
    def written(value: Any, name: str) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return written


def asked(key: AnswerKey, path: Path) -> list[Question]:
    return [question for talk in dataset.read(path) for question in key.applied(talk).questions]


def fault(place: str, **fields: Any) -> dict[str, Any]:
    """An entry of an audit about the tiny dataset."""
    texts = {"locomo_0_qa0": "What did Ada buy?", "locomo_0_qa1": "What did Bob sell?"}
    known = {"question": texts.get(place), "error_type": "WRONG_CITATION", "correct_evidence": ["D1:2"]}
    return {"question_id": place, **known, **fields}


# ---- the dataset's own


def test_the_published_key_changes_nothing(tiny: Data, write: Callable[[Any, str], Path]) -> None:
    path = write(tiny, "talks.json")
    key = keys.make("published", path, NOWHERE)  # which needs no audit
    assert [key.applied(talk) for talk in dataset.read(path)] == list(dataset.read(path))
    assert (key.name, key.dataset, key.described()) == ("published", digest(path), "answer key published")


# ---- the audit of LoCoMo


def test_the_audited_key_of_the_dataset(dataset_path: Path, audit_path: Path) -> None:
    """Against the audit's own entries, one by one, and the counts of the issue that asked for it."""
    key = keys.audited(audit_path, dataset_path)
    whole = list(dataset.read(dataset_path))
    left = {(talk.sample_id, one.index): one for talk in whole for one in key.applied(talk).questions}
    left_out, corrected = 0, set()
    for entry in json.loads(audit_path.read_bytes()):
        place, index = map(int, re.findall(r"\d+", entry["question_id"]))
        question = left.get((whole[place].sample_id, index))
        if entry["error_type"] == "WRONG_CITATION":
            assert question and list(question.evidence) == entry["correct_evidence"]
            assert question.question == entry["question"] and question.answer == str(entry["golden_answer"])
            corrected.add((whole[place].sample_id, index))
        else:
            assert question is None
            left_out += 1
    categories = [one.category for one in left.values()]
    assert (left_out, len(corrected)) == (99, 57)
    assert (len(categories), categories.count(Category.ADVERSARIAL)) == (1441 + 446, 446)
    # Of the nine malformed ids, one question is left out and four are corrected. These are the others.
    repaired = {
        ("conv-43", 18): ("D1:14", "D2:7", "D4:7", "D5:15", "D11:26", "D20:21", "D26:36"),
        ("conv-49", 31): ("D9:1", "D4:4", "D4:6"),
        ("conv-49", 38): ("D22:1", "D22:2", "D9:10", "D9:11"),
        ("conv-49", 46): ("D21:18", "D21:22", "D11:15", "D11:19"),
    }
    for talk in whole:
        turns = {turn.id for turn in talk.turns}
        for question in talk.questions:
            place = talk.sample_id, question.index
            if place in left and place not in corrected:
                expected = repaired.get(place, question.evidence)
                assert left[place] == Question(
                    question.question, question.answer, question.category, expected, question.index
                )
            if place in left:
                assert turns.issuperset(left[place].evidence_ids)
    assert key.name == "audited@f298ef46263f"
    assert key.described() == (
        "answer key audited@f298ef46263f: 99 questions with a wrong answer left out;"
        " 57 with corrected evidence; 4 with repaired evidence;"
        " 1,441 answerable questions remain; 446 adversarial questions remain"
    )


def test_what_is_malformed_and_what_is_not(tiny: Data, write: Callable[[Any, str], Path]) -> None:
    evidence = {
        "D1:1; D2:1": ("D1:1", "D2:1"),
        "D1:1 D1:2": ("D1:1", "D1:2"),
        "D:2:1": ("D2:1",),
        "D1:02": ("D1:2",),
        "(D1:2)": ("(D1:2)",),  # as recall reads it
        "D": ("D",),
        "D3:9": ("D3:9",),
        "D1:1; D3:9": ("D1:1; D3:9",),  # whatever is meant, one of them names no turn
    }
    asked_once = tiny[0]["qa"][0]
    tiny[0]["qa"] = [asked_once | {"question": f"{n}?", "evidence": [id]} for n, id in enumerate(evidence)]
    path = write(tiny, "talks.json")
    key = keys.audited(write([], "errors.json"), path)
    assert [question.evidence for question in asked(key, path)] == list(evidence.values())
    assert key.notes["with repaired evidence"] == 4


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({}, "is an object, expected a list"),
        ([3], "fault[0], is a number, expected an object"),
        ([{}], 'fault[0], has no "question_id"'),
        ([fault("qa0")], "fault[0] (qa0), is of no question of this dataset"),
        ([fault("locomo_2_qa0")], "fault[0] (locomo_2_qa0), is of no question of this dataset"),
        ([fault("locomo_1_qa0")], "fault[0] (locomo_1_qa0), is of no question of this dataset"),
        ([fault("locomo_0_qa1", question="What?")], "fault[0] (locomo_0_qa1), is of no question of this"),
        ([fault("locomo_0_qa0", correct_evidence=None)], "(locomo_0_qa0), correct_evidence: is null"),
        ([fault("locomo_0_qa0", correct_evidence=[1])], "(locomo_0_qa0), is a number, expected text"),
    ],
)
def test_an_audit_of_another_dataset(
    tiny: Data, write: Callable[[Any, str], Path], entries: Any, said: str
) -> None:
    with pytest.raises(LocomoError) as caught:
        keys.audited(write(entries, "errors.json"), write(tiny, "talks.json"))
    assert said in str(caught.value) and "errors.json: " in str(caught.value)
    assert str(caught.value).endswith("; the key audited is for LoCoMo itself")


def test_without_the_audit_the_error_says_what_to_do(
    tiny: Data, write: Callable[[Any, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCOMO_OFFLINE", "1")
    monkeypatch.setenv("LOCOMO_CACHE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(LocomoError, match=r"LOCOMO_CACHE to a folder that holds it as audit/errors\.json"):
        keys.make("audited", write(tiny, "talks.json"), NOWHERE)


# ---- a corrected copy


def test_a_fork_of_the_dataset(dataset_path: Path, fork_path: Path) -> None:
    """It rewords six questions and drops one; see the issue that asked for it."""
    key = keys.make(str(fork_path), dataset_path, NOWHERE)
    forked = {talk.sample_id: talk.questions for talk in dataset.read(fork_path)}
    number = 0
    for talk in map(key.applied, dataset.read(dataset_path)):
        for question in talk.questions:
            same = [one for one in forked[talk.sample_id] if one.question == question.question]
            fields = [(one.answer, one.category, one.evidence) for one in same]
            assert (question.answer, question.category, question.evidence) in fields
            number += 1
    assert (number, key.name) == (1986 - 7, "file@8f941d1c22ab")
    assert key.notes["questions that it does not have left out"] == 7
    assert key.notes["questions only in it"] == 6


def test_a_corrected_copy_by_hand(tiny: Data, write: Callable[[Any, str], Path]) -> None:
    qa = tiny[0]["qa"]
    qa += [qa[0] | {"question": "Who left?"}, qa[1] | {"question": "Again?"}, qa[0] | {"question": "Again?"}]
    path = write(tiny, "talks.json")
    qa[0] |= {"question": "what  did ada buy?", "answer": "a red kayak", "evidence": ["D1:1", "D1:2"]}
    qa[1] |= {"category": 4, "answer": "nothing"}
    qa[2]["question"] = "Who came?"
    qa[3:5] = [qa[4] | {"answer": "twice"}, qa[3]]  # in another order: matched by category
    tiny[1]["sample_id"] = "conv-3"
    key = keys.make(str(write(tiny, "corrected.json")), path, NOWHERE)
    first, *others = (key.applied(talk) for talk in dataset.read(path))
    assert first.questions == (
        Question("What did Ada buy?", "a red kayak", Category.SINGLE_HOP, ("D1:1", "D1:2"), 0),
        Question("What did Bob sell?", "nothing", Category.SINGLE_HOP, ("D1:1",), 1),
        Question("Again?", "a kayak", Category.ADVERSARIAL, ("D1:1",), 3),
        Question("Again?", "twice", Category.SINGLE_HOP, ("D1:1",), 4),
    )
    assert [talk.questions for talk in others] == [()]
    assert key.notes == {
        "questions that it does not have left out": 1,
        "questions only in it": 1,
        "more copies of a question in it left out": 0,
        "with another answer": 3,
        "with another category": 1,
        "with other evidence": 1,
        "with evidence that names no turn": 0,
        "answerable questions remain": 3,
        "adversarial questions remain": 1,
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "is no file; a key is published, audited or a file"),
        ([], "holds no conversation"),
        ([{"sample_id": "conv-1"}], 'conversation[0] (conv-1), has no "conversation"'),
    ],
)
def test_a_copy_that_cannot_be_read(
    tiny: Data, write: Callable[[Any, str], Path], tmp_path: Path, content: Any, said: str
) -> None:
    path, copy = write(tiny, "talks.json"), tmp_path / "copy.json"
    if content is not None:
        write(content, "copy.json")
    with pytest.raises(LocomoError, match=re.escape(f"{copy}: {said}")):
        keys.make(str(copy), path, NOWHERE)


def test_more_copies_of_a_question_are_counted(tiny: Data, write: Callable[[Any, str], Path]) -> None:
    """The one that agrees with the dataset is taken, wherever it stands."""
    path = write(tiny, "talks.json")
    qa = tiny[0]["qa"]
    tiny[0]["qa"] = [qa[0] | {"answer": "wrong"}, *qa, qa[0] | {"evidence": ["D9:9"]}]
    key = keys.make(str(write(tiny, "twice.json")), path, NOWHERE)
    assert [question.answer for question in asked(key, path)] == ["kayak", "a kayak"]
    assert key.notes["more copies of a question in it left out"] == 2
    assert key.notes["questions only in it"] == key.notes["with another answer"] == 0


def test_evidence_that_names_no_turn_is_counted(tiny: Data, write: Callable[[Any, str], Path]) -> None:
    path = write(tiny, "talks.json")
    tiny[0]["qa"][0]["evidence"] = ["D1:1", "D9:9"]
    key = keys.make(str(write(tiny, "corrected.json")), path, NOWHERE)
    assert key.notes["with evidence that names no turn"] == 1


def test_a_copy_of_another_dataset(tiny: Data, write: Callable[[Any, str], Path]) -> None:
    path = write(tiny, "talks.json")
    tiny[0]["qa"] = [one | {"question": f"Not {one['question']}"} for one in tiny[0]["qa"]]
    with pytest.raises(LocomoError, match=r"other\.json: has no question of .*talks\.json"):
        keys.make(str(write(tiny, "other.json")), path, NOWHERE)


# ---- the key of a run


@pytest.fixture
def run(tiny: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnswerKey:
    """A folder with the tiny dataset and a key that leaves out one of its questions, as the current one."""
    monkeypatch.chdir(tmp_path)
    paths.DATA.mkdir()
    paths.DATASET.write_text(json.dumps(tiny), encoding="utf-8")
    Path("errors.json").write_text(
        json.dumps([fault("locomo_0_qa0", error_type="AMBIGUOUS"), fault("locomo_0_qa1")]), encoding="utf-8"
    )
    key = keys.audited(Path("errors.json"), paths.DATASET)
    key.save(paths.KEY)
    return key


def test_a_run_has_the_questions_of_its_key(run: AnswerKey, tiny: Data) -> None:
    assert answer_key.load() == run
    first, second = answer_key.conversations()
    assert first.questions == (Question("What did Bob sell?", "a kayak", Category.ADVERSARIAL, ("D1:2",), 1),)
    assert isinstance(second, Conversation) and second.questions == ()


def test_a_key_is_of_one_dataset(run: AnswerKey) -> None:
    with paths.DATASET.open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(LocomoError, match=r"locomo10\.json: is not the dataset that data/key\.json was made"):
        next(answer_key.conversations())


def test_what_was_made_with_another_key_is_refused(run: AnswerKey) -> None:
    answer_key.check(run.dataset, run.name, paths.PREDICTIONS)
    with pytest.raises(LocomoError, match=r"key\.json: is not the answer key that data/predictions\.json"):
        answer_key.check(run.dataset, "published", paths.PREDICTIONS)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"name": "published"}',
        '{"name": "a", "dataset": "b", "changes": {"conv-1": {"0": {"answer": 5}}}, "notes": {}}',
        '{"name": "a", "dataset": "b", "changes": {"conv-1": {"0": {"evidence": [5]}}}, "notes": {}}',
        '{"name": "a", "dataset": "b", "changes": {"conv-1": {"x": null}}, "notes": {}}',
    ],
)
def test_a_damaged_key(run: AnswerKey, content: str) -> None:
    paths.KEY.write_text(content, encoding="utf-8")
    with pytest.raises(LocomoError, match=r"data/key\.json: is damaged .*; run `dvc repro fetch`"):
        answer_key.load()
