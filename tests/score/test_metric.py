"""The metric and the tokenisation against the official code, to the last bit."""

import contextlib
import io
import itertools
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from helpers.shared import ROOT, Benchmark
from locomo.formats.dataset import Category
from locomo.score.measures.f1 import f1
from locomo.score.measures.recall import evidence_recall, reached
from locomo.text.tokens import normalise, stem

CASES = json.loads(ROOT.joinpath("tests/data/metric_cases.json").read_text(encoding="utf-8"))


def official(code: ModuleType, lines: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """F1 and recall of each line by the official code."""
    with contextlib.redirect_stdout(io.StringIO()):
        scores, _, recalls = code.eval_question_answering(lines)
    return scores, recalls


# Cases picked by hand


@pytest.mark.parametrize("case", CASES["f1"], ids=lambda case: ascii(case["reply"])[:30])
def test_f1_of_cases_picked_by_hand(case: dict[str, Any]) -> None:
    assert f1(Category(case["category"]), case["reply"], case["answer"]) == case["f1"]


@pytest.mark.parametrize("case", CASES["recall"], ids=lambda case: " ".join(case["context"]))
def test_recall_of_cases_picked_by_hand(case: dict[str, Any]) -> None:
    assert evidence_recall(case["context"], case["evidence"]) == case["recall"]


def test_nothing_cited_finds_nothing() -> None:
    # The official code cannot be asked this: it looks at the first cited id.
    assert evidence_recall([], ["D1:3"]) == 0.0
    assert evidence_recall([], []) == 1.0


def test_the_cases_picked_by_hand_are_the_official_ones(official_code: ModuleType) -> None:
    scored = [{"prediction": case["reply"], "evidence": [], **case} for case in CASES["f1"]]
    assert official(official_code, scored)[0] == [case["f1"] for case in CASES["f1"]]
    blank = {"category": 5, "answer": "", "prediction": ""}
    recalled = [
        {**blank, "evidence": case["evidence"], "prediction_context": case["context"]}
        for case in CASES["recall"]
    ]
    assert official(official_code, recalled)[1] == [case["recall"] for case in CASES["recall"]]


SESSIONS = [
    ("D3:5", "S3", 1),
    ("S3", "S3", 1),
    ("D3:5 D3:6 D1:1", "S3 S4", 1 / 2),
    ("D30:1", "S3", 0),
    ("", "S3", 0),
    # Turns of the evidence are compared as turns, if turns are cited.
    ("D1:1 D4:2", "S4 D1:1 D1:2", 2 / 3),
    ("S1 S4", "S4 D1:1 D1:2 S5", 3 / 4),
    # The first cited id decides.
    ("D4:2 S5", "S5 S4", 1),
    ("S5 D4:2", "S5 S4", 1 / 2),
    # Ids of no session.
    ("D1:1", "S S01 S9 D", 0),
]


@pytest.mark.parametrize(("cited", "evidence", "recall"), SESSIONS)
def test_recall_of_sessions_that_are_evidence(cited: str, evidence: str, recall: float) -> None:
    assert evidence_recall(cited.split(), evidence.split()) == recall


def test_sessions_that_are_evidence_against_the_official_code(official_code: ModuleType) -> None:
    line = {"category": 5, "answer": "", "prediction": ""}
    recalled = [
        {
            **line,
            "evidence": evidence.split(),
            "prediction_context": reached(cited.split(), evidence.split()) or ["-"],
        }
        for cited, evidence, _ in SESSIONS
    ]
    assert official(official_code, recalled)[1] == [recall for _, _, recall in SESSIONS]


# The dataset


def texts(value: Any) -> Iterator[str]:
    """Every text and number of the file, whatever it stands for."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)
    elif value is not None:
        yield str(value)


def test_all_texts_of_the_dataset_are_read_alike(official_code: ModuleType, dataset_path: Path) -> None:
    found = list(dict.fromkeys(texts(json.loads(dataset_path.read_bytes()))))
    assert len(found) > 10_000
    different = [text for text in found if normalise(text) != official_code.normalize_answer(text)]
    assert different == []
    words = dict.fromkeys(word for text in found for word in normalise(text).split())
    assert {word: stem(word) for word in words} == {word: official_code.ps.stem(word) for word in words}


@pytest.mark.parametrize("settings", [{}, {"k": 20, "parts": 4, "band": 0.5}], ids=["defaults", "long"])
def test_all_replies_of_all_arms_are_scored_alike(
    official_code: ModuleType, benchmark: Benchmark, settings: dict[str, Any]
) -> None:
    answered = benchmark.answers(**settings)
    # Arms often say the same; each thing said is scored once.
    told = list(
        dict.fromkeys(
            (question, reply, tuple(context))
            for conversation in benchmark.conversations
            for replies in answered[conversation.sample_id].values()
            for question, (reply, context, _) in zip(conversation.questions, replies, strict=True)
        )
    )
    assert len({question for question, _, _ in told}) > 1_900  # some are asked twice
    lines = [
        {
            "category": int(question.category),
            "answer": question.answer,
            "evidence": question.evidence_ids,
            "prediction": reply,
            "prediction_context": context or ("-",),
        }
        for question, reply, context in told
    ]
    scores, recalls = official(official_code, lines)
    assert [f1(question.category, reply, question.answer) for question, reply, _ in told] == scores
    assert [evidence_recall(context, question.evidence_ids) for question, _, context in told] == recalls


# Random pairs

WORDS = ["a", "an", "the", "and", "The", "AND", "theatre", "another", "banana", "band", "land", "anthem"]
WORDS += ["kayak", "Kayaks", "lake", "running", "relational", "sky", "oed", "No", "information", "available"]
WORDS += ["not", "mentioned", "NOT MENTIONED", "No information available"]
DIGITS = ["0", "12", "7 May, 2023", "3.50", "1,000", "٣", "½", "²"]
APOSTROPHES = ["'", "’", "‘", "ʼ", "`", "´", "′", "＇", "’s", "n't"]
ACCENTS = ["\u0301", "\u0308", "\u20e3", "\u200d", "\ufe0f", "a\u0301", "\u0301the", "é", "e\u0301"]
SCRIPTS = ["ΟΣ,Α", "Σ,", "Σ", "σας", "Привет", "日本", "カメラ", "हिन्दी", "ไทย", "العربية", "שלום"]
SCRIPTS += ["İ", "ı", "ß", "ﬁ", "Ǆ", "🙂", "👩\u200d👧"]
GAPS = [*" \t\n\r\x1f\x85\u00a0\u2003\u2028\u200b\ufeff", " ", " ", "", "  "]
SIGNS = [*',;.!?-–—_()"“&@', ", ", " ,", "; ", " — "]
PIECES = st.one_of(
    st.sampled_from(WORDS + DIGITS),
    st.sampled_from(APOSTROPHES + ACCENTS + SCRIPTS),
    st.sampled_from(GAPS + SIGNS),
    st.sampled_from(GAPS + [f" {word} " for word in WORDS]),
    st.characters(exclude_categories=["Cs"]),
)
SHORT = st.lists(PIECES, max_size=14).map("".join)
LONG = st.tuples(SHORT, SHORT, st.integers(50, 300)).map(lambda parts: parts[0] + parts[1] * parts[2])
REPLIES = st.integers(0, 39).flatmap(lambda chance: SHORT if chance else LONG)
# Drawing costs the most, so each reply of a draw is scored against each of its answers.
SIDE = 5
DRAWS = 1_000
PAIRS = 20_000

HITS: dict[str, Callable[[str], object]] = {
    "comma": lambda text: "," in text,
    "eight parts or more": lambda text: text.count(",") >= 7,
    "semicolon": lambda text: ";" in text,
    "article": lambda text: any(word in text.lower().split() for word in ("a", "an", "the", "and")),
    "article inside a word": lambda text: any(word in text.lower() for word in ("band", "theatre", "banana")),
    "article beside a mark": lambda text: "a\u0301" in text or "\u0301the" in text,
    "empty": lambda text: not text,
    "nothing left": lambda text: text and not normalise(text),
    "digit": lambda text: any(character.isdigit() for character in text),
    **{f"apostrophe {sign}": lambda text, sign=sign: sign in text for sign in APOSTROPHES},
    "em dash": lambda text: "—" in text,
    "combining mark": lambda text: "\u0301" in text,
    **{f"script {word}": lambda text, word=word: word in text for word in SCRIPTS},
    "sigma before a comma": lambda text: "Σ," in text,
    "abstention": lambda text: "no information available" in text.lower() or "not mentioned" in text.lower(),
    "very long": lambda text: len(text) > 2_000,
}


def test_random_pairs_are_scored_alike(
    official_code: ModuleType, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    start = request.config.getoption("--hypothesis-seed") or random.SystemRandom().randrange(2**32)
    pairs: set[tuple[str, str]] = set()
    hits: Counter[str] = Counter()
    above_zero: Counter[Category] = Counter()

    @seed(int(start))
    @settings(max_examples=DRAWS, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(
        st.lists(REPLIES, min_size=SIDE, max_size=SIDE, unique=True),
        st.lists(SHORT, min_size=SIDE, max_size=SIDE, unique=True),
    )
    def check(replies: list[str], answers: list[str]) -> None:
        for text in replies + answers:
            assert normalise(text) == official_code.normalize_answer(text)
            hits.update(name for name, hit in HITS.items() if hit(text))
        asked = [(category, *pair) for category in Category for pair in itertools.product(replies, answers)]
        scores, _ = official(
            official_code,
            [
                {"category": int(category), "answer": wanted, "evidence": [], "prediction": reply}
                for category, reply, wanted in asked
            ],
        )
        assert [(*one, f1(*one)) for one in asked] == [
            (*one, score) for one, score in zip(asked, scores, strict=True)
        ]
        pairs.update(itertools.product(replies, answers))
        above_zero.update(one[0] for one, score in zip(asked, scores, strict=True) if score > 0)

    with capsys.disabled():
        print(f"\nrandom pairs from --hypothesis-seed={start}", file=sys.stderr)
    check()
    assert len(pairs) >= PAIRS  # each in every category
    assert {name: hits[name] for name in HITS if hits[name] < 10} == {}
    # Pairs that share nothing would say little.
    assert {category: above_zero[category] for category in Category if above_zero[category] < 400} == {}
