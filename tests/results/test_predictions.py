"""SPEC 11: the predictions file, in the official shape, both ways."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.ran import PROVENANCE as RUN
from helpers.talks import talk
from locomo import __version__
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Conversation, Question
from locomo.results.predictions import Answer, as_sample, read, read_provenance, write

QUESTIONS = [
    Question("Où est Ada’s tea?", "naïve “thé”\n犬", Category.SINGLE_HOP, ("D1:1", "(D1:2)")),
    Question("Who?", "3.5", Category.ADVERSARIAL, ()),
]
ASKED = talk("Ada: Tea.", questions=QUESTIONS)
ANSWERS = {
    "graph+edge": [Answer("thé, 😀 \u2028", ["D10:1", "D10:1", "D2:1"], 1 / 3), Answer("", [], 0.0)],
    "path": [Answer("No information available", ["D1:1"], 5e-324), Answer("x", [], 1.0)],
}


def test_the_official_shape(tmp_path: Path) -> None:
    write(tmp_path / "p.json", [as_sample(ASKED, ANSWERS, RUN)])
    first = {
        "question": "Où est Ada’s tea?",
        "answer": "naïve “thé”\n犬",
        "category": 4,
        "evidence": ["D1:1", "(D1:2)"],  # as the dataset has it
        "graph+edge_prediction": "thé, 😀 \u2028",
        "graph+edge_prediction_context": ["D10:1", "D10:1", "D2:1"],
        "graph+edge_prediction_confidence": 1 / 3,
        "path_prediction": "No information available",
        "path_prediction_context": ["D1:1"],
        "path_prediction_confidence": 5e-324,
    }
    (sample,) = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    assert sample["sample_id"] == "talk" and list(sample) == ["sample_id", "run", "qa"]
    assert sample["qa"][0] == first and list(sample["qa"][0]) == list(first)
    settings = {"k": 5, "floor": 0.3, "span": 4, "band": 0.9, "parts": 2, "blind": False, "infer": True}
    run = {"version": __version__, "dataset": "ab" * 32, "key": "published", "settings": settings}
    assert sample["run"] == run
    assert (sample["qa"][1]["category"], sample["qa"][1]["answer"]) == (5, "3.5")


def test_a_round_trip_changes_nothing(tmp_path: Path) -> None:
    other = Conversation("other", "Eve", "Dan", 1, ASKED.turns, ())
    write(
        tmp_path / "p.json",
        [as_sample(ASKED, ANSWERS, RUN), as_sample(other, {"graph+edge": [], "path": []}, RUN)],
    )
    samples = dict(read(tmp_path / "p.json"))
    assert samples == {
        "talk": [{arm: given[index] for arm, given in ANSWERS.items()} for index in range(2)],
        "other": [],
    }
    assert (tmp_path / "p.json").read_bytes().count("naïve “thé”".encode()) == 1  # UTF-8, not escapes


def test_the_same_answers_give_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / name, [as_sample(ASKED, ANSWERS, RUN)] * 2)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    write(path, [as_sample(ASKED, ANSWERS, RUN)])
    before = path.read_bytes()

    def interrupted() -> Iterator[str]:
        yield as_sample(ASKED, ANSWERS, RUN)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(path, interrupted())
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_answers_that_do_not_fit_the_questions_are_refused() -> None:
    short = {"graph": ANSWERS["path"], "path": ANSWERS["path"][:1]}
    for answers in (short, {"path": ANSWERS["path"][:1]}):
        with pytest.raises(ValueError, match="zip"):
            as_sample(ASKED, answers, RUN)


SAID = json.dumps(RUN.as_json()).encode()
AGAIN = r"is damaged \(\w+\); run `dvc repro answer` to make it again$"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", r"is not JSON \(line 1, column 1: "),
        (b"{", r"is not JSON \(line 1, column 2: "),
        (b"3", "is a number, expected a list"),
        (b"\xff\xfe\xff", r"is not UTF-8 \(byte 0\)"),
        (b"[3]", AGAIN),
        (b"[{}]", "does not say which dataset and settings it was made from; run `dvc repro answer` to make"),
        (b'[{"sample_id": "talk", "run": %s}]' % SAID, AGAIN),
        (b'[{"sample_id": "talk", "run": %s, "qa": [{"a_prediction": "x"}]}]' % SAID, AGAIN),
    ],
)
def test_a_file_that_holds_no_predictions(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "p.json").write_bytes(content)
    with pytest.raises(LocomoError, match=rf"p\.json: {said}"):
        list(read(tmp_path / "p.json"))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match=r"p\.json: is not there; run `dvc repro answer` to make it$"):
        list(read(tmp_path / "p.json"))


def test_what_they_were_made_with(tmp_path: Path) -> None:
    write(tmp_path / "p.json", [as_sample(ASKED, ANSWERS, RUN)])
    assert read_provenance(tmp_path / "p.json") == RUN


def test_samples_of_different_runs_are_refused(tmp_path: Path) -> None:
    other = replace(RUN, settings={**RUN.settings, "floor": 0.9})
    write(tmp_path / "p.json", [as_sample(ASKED, ANSWERS, run) for run in (RUN, RUN, other)])
    with pytest.raises(
        LocomoError, match=r"p\.json: holds predictions of different runs; run `dvc repro answer`"
    ):
        list(read(tmp_path / "p.json"))
