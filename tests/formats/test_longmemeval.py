"""LongMemEval's format turned into LoCoMo's: what becomes of each part, what is odd, and what is refused."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from helpers.longmemeval import instance, instances, session
from locomo.core.errors import LocomoError
from locomo.formats import dataset
from locomo.formats.dataset import Category, Conversation
from locomo.formats.longmemeval import Counts, convert

Instances = list[dict[str, Any]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def converted(given: object) -> Counts:
    Path("lme.json").write_text(json.dumps(given), encoding="utf-8")
    return convert(Path("lme.json"), Path("talks.json"))


def conversations(given: object) -> list[Conversation]:
    converted(given)
    found = list(dataset.read(Path("talks.json")))
    assert dataset.count(Path("talks.json")) == len(found)
    return found


def refused(given: object) -> str:
    with pytest.raises(LocomoError) as stop:
        converted(given)
    assert [path.name for path in Path().iterdir()] == ["lme.json"]
    return str(stop.value)


# ---- what becomes of it


def test_an_instance_as_it_is_written(here: Path) -> None:
    converted(instances()[:1])
    assert json.loads((here / "talks.json").read_bytes()) == [
        {
            "sample_id": "boat",
            "conversation": {
                "speaker_a": "User",
                "speaker_b": "Assistant",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    {"speaker": "User", "dia_id": "D1:1", "text": "I bought a red kayak, a fine boat."},
                    {"speaker": "Assistant", "dia_id": "D1:2", "text": "Nice!"},
                ],
                "session_2_date_time": "12:05 am on 9 May, 2023",
                "session_2": [
                    {"speaker": "User", "dia_id": "D2:1", "text": "It rains."},
                    {"speaker": "Assistant", "dia_id": "D2:2", "text": "Take cover."},
                ],
            },
            "qa": [
                {
                    "question": "Which boat did I buy?",
                    "answer": "a red kayak",
                    "category": 4,
                    "evidence": ["S1"],
                }
            ],
        }
    ]


def test_questions(here: Path) -> None:
    found = conversations(instances())
    assert [talk.sample_id for talk in found] == ["boat", "camp_1", "oven", "pet_abs", "tea"]
    assert [(asked.answer, asked.category, asked.evidence) for talk in found for asked in talk.questions] == [
        ("a red kayak", Category.SINGLE_HOP, ("S1",)),
        ("3", Category.MULTI_HOP, ("S1", "S3")),
        ("29 days", Category.TEMPORAL, ("S1",)),
        ("", Category.ADVERSARIAL, ("S1",)),
        ("none", Category.SINGLE_HOP, ("S1", "S2")),
    ]


@pytest.mark.parametrize(
    ("type", "category"),
    [
        ("single-session-user", Category.SINGLE_HOP),
        ("single-session-assistant", Category.SINGLE_HOP),
        ("single-session-preference", Category.SINGLE_HOP),
        ("knowledge-update", Category.SINGLE_HOP),
        ("multi-session", Category.MULTI_HOP),
        ("temporal-reasoning", Category.TEMPORAL),
    ],
)
def test_every_type(type: str, category: Category, here: Path) -> None:
    first, second = instances()[:2]
    given = [first | {"question_type": type}, second | {"question_type": type, "question_id": "q_abs"}]
    found = [talk.questions[0].category for talk in conversations(given)]
    assert found == [category, Category.ADVERSARIAL]


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2023/05/30 (Tue) 23:40", datetime(2023, 5, 30, 23, 40)),
        ("2023/12/31 (Sun) 00:00", datetime(2023, 12, 31, 0, 0)),
        ("2024/02/29 (Thu) 12:01", datetime(2024, 2, 29, 12, 1)),
        ("2023/08/05 (Sat) 01:09", datetime(2023, 8, 5, 1, 9)),
    ],
)
def test_dates(written: str, date: datetime, here: Path) -> None:
    given = instance("q", "multi-session", "A?", "b", session("s", written, "Hi."))
    (talk,) = conversations([given])
    assert [turn.date for turn in talk.turns] == [date]


@pytest.mark.parametrize("answer", [0, 2.5, 10**20, "Zürich 東京"])
def test_answers(answer: str | float, here: Path) -> None:
    (talk,) = conversations([instances()[0] | {"answer": answer}])
    assert talk.questions[0].answer == str(answer)


def test_what_is_counted(here: Path) -> None:
    assert list(converted(instances()).told()) == [
        "5 conversations with one question each, 12 sessions, 27 turns",
        "single_hop (4): 2 questions (1 knowledge-update, 1 single-session-user)",
        "multi_hop (1): 1 questions (1 multi-session)",
        "temporal (2): 1 questions (1 temporal-reasoning)",
        "adversarial (5): 1 questions (1 single-session-user)",
        "left out: 5 question dates",
        "left out: 1 answers that say why there is none",
        "left out: 1 marks of turns (has_answer)",
        "temporal questions: 1, whose answers may depend on the date that is left out",
        "odd: 1 conversations with sessions that are not in the order of their dates: they keep their order",
    ]


def test_what_is_odd_is_kept_and_counted(here: Path) -> None:
    monday = "2023/05/08 (Mon) 11:00"
    odd = instance(
        "odd",
        "multi-session",
        "A?",
        "b",
        session("twice", monday, "Hi."),
        session("none", "2023/05/08 (Tue) 11:00"),
        session("twice", monday, "Hi.", " "),
        session("twice", monday, "Bye."),
        answers=("twice", "none", "twice"),
    )
    odd["haystack_sessions"][0][0]["source"] = "a"
    without = instances()[0] | {"question_id": "without", "answer_session_ids": [], "split": "dev"}
    counts = converted([odd, without])
    found, other = dataset.read(Path("talks.json"))
    assert [turn.id for turn in found.turns] == ["D1:1", "D3:1", "D3:2", "D4:1"]
    assert found.sessions == 4 and found.questions[0].evidence == ("S1", "S2", "S3", "S4")
    assert other.questions[0].evidence == ()
    assert [line for line in counts.told() if line.startswith(("odd", "left out: 1 values"))] == [
        "left out: 1 values of 'source'",
        "left out: 1 values of 'split'",
        "odd: 1 sessions with a weekday that is not that of their date, which is kept",
        "odd: 2 sessions with the id of another in their conversation: they are kept",
        "odd: 1 sessions without a turn: they keep their number",
        "odd: 1 turns without text: they are kept",
        "odd: 1 questions without an answer session: their recall is always 1",
        "odd: 1 answer sessions named again: they are named once",
        "odd: 1 answer sessions with an id that several sessions have: all of these are evidence",
        "odd: 1 answer sessions without a turn: nothing can find them",
    ]


# ---- what is refused

Change = Callable[[Instances], object]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.clear(), "holds no instance"),
        (lambda d: d.append(1), "instance[5], is a number, expected an object"),
        (lambda d: d[1].pop("question_id"), 'instance[1], has no "question_id"'),
        (lambda d: d[1].update(question_id="a b"), "instance[1] (a b), sample_id: 'a b' cannot name a file"),
        (
            lambda d: d[1].update(question_id="BOAT"),
            "instance[1] (BOAT), question_id: is there more than once; each must be its own",
        ),
        (
            lambda d: d[1].update(question_type="quiz"),
            "instance[1] (camp_1), question_type: is 'quiz', allowed: single-session-user, single-session-a",
        ),
        (lambda d: d[1].update(question=" "), "instance[1] (camp_1), question: is blank"),
        (lambda d: d[1].update(answer=None), "instance[1] (camp_1), answer: is null, expected text"),
        (lambda d: d[1].update(answer=True), "instance[1] (camp_1), answer: is true or false, expected text"),
        (lambda d: d[1].update(answer=float("inf")), "instance[1] (camp_1), answer: is a number, expected"),
        (lambda d: d[1].update(answer=""), "instance[1] (camp_1), answer: is blank"),
        (
            lambda d: d[1].update(question_date="30 May 2023"),
            "instance[1] (camp_1), question_date: cannot read '30 May 2023'; expected a date such as"
            " '2023/05/30 (Tue) 23:40'",
        ),
        (
            lambda d: d[1]["haystack_dates"].__setitem__(2, "2023/02/30 (Thu) 10:00"),
            "instance[1] (camp_1), haystack_dates[2]: cannot read '2023/02/30 (Thu) 10:00'; expected",
        ),
        (
            lambda d: d[1]["haystack_dates"].__setitem__(0, None),
            "instance[1] (camp_1), haystack_dates[0]: is null, expected text",
        ),
        (
            lambda d: d[1]["haystack_dates"].pop(),
            "instance[1] (camp_1), haystack_session_ids, haystack_dates and haystack_sessions hold 3, 2 and 3"
            " entries; expected as many each",
        ),
        (
            lambda d: d[1]["haystack_session_ids"].__setitem__(1, 7),
            "instance[1] (camp_1), haystack_session_ids[1]: is a number, expected text",
        ),
        (
            lambda d: d[1]["haystack_sessions"].__setitem__(1, {}),
            "instance[1] (camp_1), haystack_sessions[1]: is an object, expected a list",
        ),
        (
            lambda d: d[1].update(haystack_sessions=[[], [], []]),
            "instance[1] (camp_1), haystack_sessions: holds no turn",
        ),
        (
            lambda d: d[1]["haystack_sessions"][2][1].update(role="system"),
            "instance[1] (camp_1), haystack_sessions[2][1], role: is 'system', allowed: user, assistant",
        ),
        (
            lambda d: d[1]["haystack_sessions"][2][1].pop("content"),
            'instance[1] (camp_1), haystack_sessions[2][1], has no "content"',
        ),
        (
            lambda d: d[1]["haystack_sessions"][2][1].update(content="\ud800"),
            "instance[1] (camp_1), haystack_sessions[2][1], content: holds half a surrogate pair",
        ),
        (
            lambda d: d[1]["answer_session_ids"].append("gone"),
            "instance[1] (camp_1), answer_session_ids: 'gone' is not among the haystack_session_ids",
        ),
        (
            lambda d: d[1].update(answer_session_ids="tents"),
            "instance[1] (camp_1), answer_session_ids: is text, expected a list",
        ),
    ],
)
def test_what_is_malformed(change: Change, message: str, here: Path) -> None:
    given = instances()
    change(given)
    assert refused(given).startswith(f"lme.json: {message}")


def test_other_files(here: Path, tiny: list[dict[str, Any]]) -> None:
    assert refused({"data": []}) == "lme.json: is an object, expected a list"
    assert refused(tiny) == 'lme.json: instance[0], has no "question_type"'
    Path("lme.json").write_text('[{"question_id": "a"', encoding="utf-8")
    with pytest.raises(LocomoError, match=r"lme\.json: is not JSON \(line 1, column 21: "):
        convert(Path("lme.json"), Path("talks.json"))
    with pytest.raises(LocomoError, match=r"none\.json: there is no such file"):
        convert(Path("none.json"), Path("talks.json"))
    assert not Path("talks.json").exists()
