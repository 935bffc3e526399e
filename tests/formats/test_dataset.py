"""Reading a LoCoMo file: SPEC 1, and what is said of a wrong one."""

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from locomo.core.errors import LocomoError
from locomo.formats.dataset import (
    ANSWERABLE,
    REPORT_ORDER,
    Category,
    Conversation,
    Question,
    Turn,
    count,
    read,
    turns_by_id,
)

Data = list[dict[str, Any]]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any], Path]:
    def to_file(data: Any) -> Path:
        path = tmp_path / "talk.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    return to_file


@pytest.fixture(scope="module")
def real(dataset_path: Path) -> list[Conversation]:
    return list(read(dataset_path))


# The real dataset


def test_totals(real: list[Conversation]) -> None:
    assert len(real) == 10
    assert sum(c.sessions for c in real) == 272
    assert sum(len(c.turns) for c in real) == 5_882
    assert sum(len(c.questions) for c in real) == 1_986


def test_questions_of_each_category(real: list[Conversation]) -> None:
    count = Counter(q.category for c in real for q in c.questions)
    assert [count[category] for category in REPORT_ORDER] == [841, 282, 321, 96, 446]
    assert sum(count[category] for category in ANSWERABLE) == 1_540


def test_evidence_that_names_no_turn(real: list[Conversation]) -> None:
    lost = []
    for conversation in real:
        known = {turn.id for turn in conversation.turns}
        lost += [id for q in conversation.questions for id in q.evidence_ids if id not in known]
    assert len(lost) == 9
    single = sorted(id for id in lost if len(id.replace(";", " ").split()) == 1)
    assert single == ["D", "D10:19", "D30:05", "D4:36", "D:11:26"]
    assert "D8:6; D9:17" in lost
    assert sum(not q.evidence for c in real for q in c.questions) == 4


def test_every_answer_is_text(real: list[Conversation], dataset_path: Path) -> None:
    raw = [q for sample in json.loads(dataset_path.read_bytes()) for q in sample["qa"]]
    questions = [q for c in real for q in c.questions]
    assert sum("answer" not in q for q in raw) == 444
    for question, source in zip(questions, raw, strict=True):
        assert question.answer == str(source["answer" if "answer" in source else "adversarial_answer"])
        assert question.answer


def test_sessions_in_numeric_order_with_their_dates(real: list[Conversation]) -> None:
    for conversation in real:
        sessions = [int(turn.id[1:].split(":")[0]) for turn in conversation.turns]
        assert sessions == sorted(sessions)
    first = real[0].turns[0]
    assert (first.id, first.date) == ("D1:1", datetime(2023, 5, 8, 13, 56))
    assert first.line.startswith('(8 May, 2023) Caroline said, "') and first.line.endswith('"')


def test_the_parts_of_every_turn(real: list[Conversation], dataset_path: Path) -> None:
    """Against the file, by another way: session by session, and the text put together here."""
    for conversation, sample in zip(real, json.loads(dataset_path.read_bytes()), strict=True):
        talk = sample["conversation"]
        expected = []
        for session in range(1, 100):
            for turn in talk.get(f"session_{session}", []):
                utterance, caption, query = (turn.get(key) or "" for key in ("text", "blip_caption", "query"))
                text = utterance + (f"\n[shares {caption}]" if caption else "")
                expected.append((turn["dia_id"], session, utterance, caption, query, text))
        found = [(t.id, t.session, t.utterance, t.caption, t.query, t.text) for t in conversation.turns]
        assert found == expected
    turns = [turn for conversation in real for turn in conversation.turns]
    assert (sum(bool(turn.caption) for turn in turns), sum(bool(turn.query) for turn in turns)) == (
        1_226,
        888,
    )


def test_records_are_counted_without_being_checked(
    dataset_path: Path, write: Callable[[Any], Path], tmp_path: Path
) -> None:
    assert count(dataset_path) == 10
    assert count(write([{}, 1])) == 2
    with pytest.raises(LocomoError, match="is not there; run `dvc repro fetch` to make it"):
        count(tmp_path / "none.json")


# An invented one


def test_everything_in_its_place(tiny: Data, write: Callable[[Any], Path]) -> None:
    first, second = read(write(tiny))
    assert first == Conversation(
        sample_id="conv-1",
        speaker_a="Ada",
        speaker_b="Bob",
        sessions=2,
        turns=(
            Turn("D1:1", "Ada", "I bought a kayak.", datetime(2024, 1, 31, 9, 5)),
            Turn("D1:2", "Bob", "Nice!", datetime(2024, 1, 31, 9, 5), 1, "a red kayak", "kayak"),
            Turn("D2:1", "Bob", "My cat is called Max.", datetime(2024, 3, 1, 12, 30), 2),
        ),
        questions=(
            Question("What did Ada buy?", "kayak", Category.SINGLE_HOP, ("D1:1",)),
            Question("What did Bob sell?", "a kayak", Category.ADVERSARIAL, ("D1:1",), index=1),
        ),
    )
    assert second.turns[0].date == datetime(2024, 5, 2, 0, 0)
    assert first.turns[1].text == "Nice!\n[shares a red kayak]" and first.turns[0].text == "I bought a kayak."
    assert first.turns[1].line == '(31 January, 2024) Bob said, "Nice!\n[shares a red kayak]"'


def test_session_keys(tiny: Data, write: Callable[[Any], Path]) -> None:
    talk = tiny[1]["conversation"]
    for number in (10, 2):
        talk[f"session_{number}"] = [{"speaker": "Dan", "dia_id": f"D{number}:1", "text": "Yes."}]
        talk[f"session_{number}_date_time"] = "1:56 pm on 8 May, 2023"
    talk["session_11_date_time"] = "no session, so never read"
    talk["session_2_summary"] = talk["session_x"] = talk["old_session_3"] = "no session either"
    conversation = list(read(write(tiny)))[1]
    assert [turn.id for turn in conversation.turns] == ["D1:1", "D2:1", "D10:1"]
    assert conversation.sessions == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:00 am on 1 January, 2024", datetime(2024, 1, 1, 0, 0)),
        ("12:59 am on 29 February, 2024", datetime(2024, 2, 29, 0, 59)),
        ("12:00 pm on 31 December, 1999", datetime(1999, 12, 31, 12, 0)),
        ("11:59 pm on 30 September, 2022", datetime(2022, 9, 30, 23, 59)),
        ("1:00 am on 9 August, 2022", datetime(2022, 8, 9, 1, 0)),
    ],
)
def test_dates(tiny: Data, write: Callable[[Any], Path], text: str, expected: datetime) -> None:
    tiny[1]["conversation"]["session_1_date_time"] = text
    assert list(read(write(tiny)))[1].turns[0].date == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "8 May, 2023",
        "2023-05-08T13:56",
        "13:56 pm on 8 May, 2023",
        "0:56 pm on 8 May, 2023",
        "1:60 pm on 8 May, 2023",
        "1:56 pm on 0 May, 2023",
        "1:56 pm on 29 February, 2023",
        "1:56 pm on 31 June, 2023",
        "1:56 pm on 8 Mai, 2023",
        "1:56 pm on 8 May, 0000",
        "1:56 pm on 8 May, 2023 or so",
        "1:56 pm on ٨ May, 2023",
    ],
)
def test_dates_that_cannot_be_read(tiny: Data, write: Callable[[Any], Path], text: str) -> None:
    tiny[0]["conversation"]["session_2_date_time"] = text
    with pytest.raises(LocomoError) as caught:
        list(read(write(tiny)))
    assert f"(conv-1), session_2_date_time: cannot read {text!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"answer": 2022}, "2022"),
        ({"answer": 0}, "0"),
        ({"answer": 1.5}, "1.5"),
        ({"answer": "", "adversarial_answer": "red"}, "red"),
        ({"answer": None, "adversarial_answer": "red"}, "red"),
        ({"answer": "blue", "adversarial_answer": "red"}, "blue"),
        ({"adversarial_answer": 7}, "7"),
    ],
)
def test_answers(tiny: Data, write: Callable[[Any], Path], given: dict[str, Any], expected: str) -> None:
    question = tiny[0]["qa"][0]
    del question["answer"]
    question.update(given)
    assert next(read(write(tiny))).questions[0].answer == expected


def test_evidence_is_kept_as_written_and_trimmed_on_demand(tiny: Data, write: Callable[[Any], Path]) -> None:
    tiny[0]["qa"][0]["evidence"] = ["(D1:1)", "D1:1", "no such turn"]
    question = next(read(write(tiny))).questions[0]
    assert question.evidence == ("(D1:1)", "D1:1", "no such turn")
    assert question.evidence_ids == ("D1:1", "D1:1", "no such turn")


def test_labels() -> None:
    assert [c.label for c in REPORT_ORDER] == [
        "single_hop",
        "multi_hop",
        "temporal",
        "open_domain",
        "adversarial",
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d[0]["conversation"]["session_1"][1].update(blip_caption=None),
        lambda d: d[0]["conversation"]["session_1"][1].update(blip_caption=""),
        lambda d: d[0]["conversation"]["session_1"][1].update(query=None),
        lambda d: d[0]["conversation"]["session_1"][1].pop("query"),
        lambda d: d[0]["conversation"]["session_1"][0].update(text=""),
        lambda d: d[0]["conversation"]["session_1"][0].update(text="\U0001f6f6 ’"),
        lambda d: d[0]["conversation"].update(session_3=[], session_3_date_time="1:56 pm on 8 May, 2023"),
        lambda d: d[0].update(observation=None, session_summary=3),
    ],
)
def test_what_is_unusual_and_still_good(
    tiny: Data, write: Callable[[Any], Path], change: Callable[[Data], None]
) -> None:
    change(tiny)
    assert len(next(read(write(tiny))).turns) == 3


# Wrong ones. Each change is made to the invented dataset; the message must hold the path to it.

WRONG: list[tuple[str, Callable[[Data], Any], str]] = [
    ("no sample_id", lambda d: d[1].pop("sample_id"), 'conversation[1], has no "sample_id"'),
    ("number as id", lambda d: d[1].update(sample_id=2), "conversation[1] (2), sample_id: is a number"),
    ("id with slash", lambda d: d[1].update(sample_id="a/b"), "conversation[1] (a/b), sample_id: 'a/b'"),
    ("hidden id", lambda d: d[1].update(sample_id="..x"), "conversation[1] (..x), sample_id: '..x'"),
    (
        "one id twice",
        lambda d: d[1].update(sample_id="Conv-1"),
        "sample_id: 'conv-1' is there more than once",
    ),
    ("sample is a list", lambda d: d.insert(0, []), "conversation[0], is a list, expected an object"),
    ("no conversation", lambda d: d[0].pop("conversation"), '(conv-1), has no "conversation"'),
    ("conversation null", lambda d: d[0].update(conversation=None), "(conv-1), conversation: is null"),
    ("no questions", lambda d: d[0].pop("qa"), '(conv-1), has no "qa"'),
    ("questions object", lambda d: d[0].update(qa={}), "(conv-1), qa: is an object, expected a list"),
    ("no speaker_a", lambda d: d[0]["conversation"].pop("speaker_a"), '(conv-1), has no "speaker_a"'),
    ("blank speaker_b", lambda d: d[0]["conversation"].update(speaker_b=" "), "speaker_b: is blank"),
    (
        "one speaker",
        lambda d: d[0]["conversation"].update(speaker_b="ada"),
        "(conv-1), speaker_a and speaker_b are both 'Ada'",
    ),
    (
        "no sessions",
        lambda d: [d[1]["conversation"].pop(key) for key in ("session_1", "session_1_date_time")],
        "(conv-2), has no turns",
    ),
    ("empty session", lambda d: d[1]["conversation"].update(session_1=[]), "(conv-2), has no turns"),
    (
        "no date",
        lambda d: d[0]["conversation"].pop("session_2_date_time"),
        '(conv-1), has no "session_2_date_time"',
    ),
    (
        "date is a number",
        lambda d: d[0]["conversation"].update(session_2_date_time=2024),
        "(conv-1), session_2_date_time: is a number, expected text",
    ),
    (
        "session is text",
        lambda d: d[0]["conversation"].update(session_2="Hello"),
        "(conv-1), session_2: is text, expected a list",
    ),
    (
        "turn is text",
        lambda d: d[0]["conversation"]["session_1"].append("Hello"),
        "(conv-1), session_1[2], is text, expected an object",
    ),
    (
        "turn without id",
        lambda d: d[0]["conversation"]["session_1"][1].pop("dia_id"),
        '(conv-1), session_1[1], has no "dia_id"',
    ),
    (
        "turn with an empty id",
        lambda d: d[0]["conversation"]["session_1"][1].update(dia_id=""),
        "(conv-1), session_1[1], dia_id: is blank",
    ),
    (
        "turn without speaker",
        lambda d: d[0]["conversation"]["session_1"][1].pop("speaker"),
        '(conv-1), session_1[1] (D1:2), has no "speaker"',
    ),
    (
        "turn with null speaker",
        lambda d: d[0]["conversation"]["session_1"][1].update(speaker=None),
        "(conv-1), session_1[1] (D1:2), speaker: is null, expected text",
    ),
    (
        "turn without text",
        lambda d: d[0]["conversation"]["session_1"][1].pop("text"),
        '(conv-1), session_1[1] (D1:2), has no "text"',
    ),
    (
        "caption is a list",
        lambda d: d[0]["conversation"]["session_1"][1].update(blip_caption=["a"]),
        "(conv-1), session_1[1] (D1:2), blip_caption: is a list, expected text",
    ),
    (
        "query is a number",
        lambda d: d[0]["conversation"]["session_1"][1].update(query=7),
        "(conv-1), session_1[1] (D1:2), query: is a number, expected text",
    ),
    (
        "query is a list",
        lambda d: d[0]["conversation"]["session_1"][1].update(query=["kayak"]),
        "(conv-1), session_1[1] (D1:2), query: is a list, expected text",
    ),
    (
        "half a surrogate pair",
        lambda d: d[0]["conversation"]["session_1"][1].update(text="\ud83d"),
        "(conv-1), session_1[1] (D1:2), text: holds half a surrogate pair",
    ),
    (
        "two turns with one id",
        lambda d: d[0]["conversation"]["session_2"][0].update(dia_id="D1:2"),
        "(conv-1), dia_id: 'D1:2' is there 2 times",
    ),
    ("question is null", lambda d: d[0]["qa"].append(None), "(conv-1), qa[2], is null, expected an object"),
    ("no question", lambda d: d[0]["qa"][1].pop("question"), '(conv-1), qa[1], has no "question"'),
    ("category 6", lambda d: d[0]["qa"][1].update(category=6), "(conv-1), qa[1], category: is 6, allowed"),
    ("category text", lambda d: d[0]["qa"][1].update(category="5"), "qa[1], category: is '5', allowed: 1 ("),
    ("category true", lambda d: d[0]["qa"][1].update(category=True), "qa[1], category: is True, allowed: 1"),
    ("category list", lambda d: d[0]["qa"][1].update(category=[5]), "qa[1], category: is [5], allowed: 1 ("),
    ("no category", lambda d: d[0]["qa"][1].pop("category"), "qa[1], category: is missing, allowed: 1 ("),
    ("no answer", lambda d: d[0]["qa"][0].pop("answer"), "(conv-1), qa[0], has neither an answer nor an adv"),
    ("two empty", lambda d: d[0]["qa"][0].update(answer="", adversarial_answer=""), "qa[0], has neither an"),
    ("answer true", lambda d: d[0]["qa"][0].update(answer=True), "qa[0], answer: is true or false, expected"),
    ("no evidence", lambda d: d[0]["qa"][0].pop("evidence"), '(conv-1), qa[0], has no "evidence"'),
    ("evidence text", lambda d: d[0]["qa"][0].update(evidence="D1:1"), "qa[0], evidence: is text, expected"),
    ("evidence number", lambda d: d[0]["qa"][0].update(evidence=[1]), "(conv-1), qa[0], evidence: holds"),
    (
        "an id that does not tell its session",
        lambda d: (
            d[0]["qa"][0].update(evidence=["D2:1", "(S1)"]),
            d[0]["conversation"]["session_2"][0].update(dia_id="D1:3"),
        ),
        "(conv-1), dia_id: 'D1:3' is in session_2; where evidence is sessions, expected an id such as 'D2:1'",
    ),
]


def test_sessions_as_evidence(tiny: Data, write: Callable[[Any], Path]) -> None:
    tiny[0]["qa"][0]["evidence"] = ["S2", "(S1)", "S9"]
    tiny[1]["conversation"]["session_1"][0]["dia_id"] = "a"  # no evidence is sessions there
    one, _ = read(write(tiny))
    assert one.questions[0].evidence_ids == ("S2", "S1", "S9")
    assert {id: [turn.id for turn in turns] for id, turns in turns_by_id(one).items()} == {
        "S1": ["D1:1", "D1:2"],
        "D1:1": ["D1:1"],
        "D1:2": ["D1:2"],
        "S2": ["D2:1"],
        "D2:1": ["D2:1"],
    }


@pytest.mark.parametrize(("change", "said"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong_datasets(
    tiny: Data, write: Callable[[Any], Path], change: Callable[[Data], Any], said: str
) -> None:
    change(tiny)
    path = write(tiny)
    with pytest.raises(LocomoError) as caught:
        list(read(path))
    message = str(caught.value)
    assert message.startswith(f"{path}: ") and said in message
    assert "What did" not in message and "kayak" not in message  # no text of the dataset in a log


def test_all_categories_are_listed(tiny: Data, write: Callable[[Any], Path]) -> None:
    tiny[0]["qa"][0]["category"] = 0
    with pytest.raises(LocomoError) as caught:
        list(read(write(tiny)))
    allowed = "1 (multi_hop), 2 (temporal), 3 (open_domain), 4 (single_hop), 5 (adversarial)"
    assert str(caught.value).endswith(f"allowed: {allowed}")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON (line 1, column 1: "),
        (b'[\n  {"sample_id": }\n]', "is not JSON (line 2, column 17: "),
        (b"<html>404</html>", "is not JSON (line 1, column 1: "),
        (b'["\xff"]', "is not UTF-8 (byte 2)"),
        (b"{}", "is an object, expected a list"),
        (b"[]", "holds no conversation"),
        (b"[" * 200_000, "cannot be read as JSON"),
        (b"[" + b"1" * 5_000 + b"]", "cannot be read as JSON"),
    ],
)
def test_files_that_hold_no_dataset(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "talk.json"
    path.write_bytes(content)
    with pytest.raises(LocomoError) as caught:
        list(read(path))
    assert str(caught.value).startswith(f"{path}: {said}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match=r"talk\.json: is not there; run `dvc repro fetch` to make it$"):
        list(read(tmp_path / "talk.json"))
