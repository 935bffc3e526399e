"""What is wrong with a file in the dataset's format, and what is odd about it."""

import copy
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.shared import ROOT, make_tiny
from locomo.core.errors import LocomoError
from locomo.formats import check as odd
from locomo.formats import dataset
from locomo.formats.check import check

Data = list[dict[str, Any]]
Change = Callable[[Data], object]
DEMO = ROOT / "demo/conversations.json"


def write(folder: Path, value: Any) -> Path:
    path = folder / "talks.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def talk(data: Data) -> dict[str, Any]:
    found: dict[str, Any] = data[0]["conversation"]
    return found


# ---- the real dataset, and the one that everybody has


def test_what_is_known_of_the_dataset(dataset_path: Path) -> None:
    """SPEC 1, and the issue that asked for this command."""
    found = check(dataset_path)
    assert found.sha256 == "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
    assert list(found.holds.values()) == [10, 272, 5882, 1986]
    assert found.wrong == []
    assert {what: len(places) for what, places in found.odd.items()} == {
        odd.NO_TURN: 9,
        odd.SEVERAL: 4,
        odd.NO_EVIDENCE: 4,
        odd.TWICE: 12,
        odd.NUMBER: 6,
        odd.NO_SESSION: 16,
    }
    assert "conv-50/69 'D30:05'" in found.odd[odd.NO_TURN]


def test_nothing_is_odd_about_the_demonstration_set() -> None:
    found = check(DEMO)
    assert (found.wrong, found.odd) == ([], {})
    assert list(found.holds.values()) == [3, 18, 306, 120]


# ---- what is odd


@pytest.mark.parametrize(
    ("change", "what", "places"),
    [
        (lambda d: d[0]["qa"][0].update(evidence=["D9:9"]), odd.NO_TURN, ["conv-1/0 'D9:9'"]),
        (lambda d: d[0]["qa"][0].update(evidence=["S3", "S2"]), odd.NO_TURN, ["conv-1/0 'S3'"]),
        (lambda d: d[0]["qa"][0].update(evidence=["D1:1, D1:2"]), odd.SEVERAL, ["conv-1/0 'D1:1, D1:2'"]),
        (lambda d: d[0]["qa"][1].update(evidence=[]), odd.NO_EVIDENCE, ["conv-1/1"]),
        (
            lambda d: d[0]["qa"].append({**d[0]["qa"][0], "question": "what did  Ada buy?"}),
            odd.TWICE,
            ["conv-1/2"],
        ),
        (lambda d: d[0]["qa"][1].pop("adversarial_answer"), odd.NO_TRAP, ["conv-1/1"]),
        (lambda d: d[0]["qa"][0].update(answer=2.5), odd.NUMBER, ["conv-1/0 2.5"]),
        (
            lambda d: talk(d).update(session_7_date_time="1:00 pm on 1 May, 2024", session_x_date_time=""),
            odd.NO_SESSION,
            ["conv-1 session_7_date_time"],
        ),
        (
            lambda d: talk(d).update(session_10=[], session_10_date_time="1:00 pm on 1 May, 2024"),
            odd.EMPTY,
            ["conv-1 session_10"],
        ),
        (
            lambda d: talk(d).update(session_2_date_time="9:04 am on 31 January, 2024"),
            odd.OUT_OF_ORDER,
            ["conv-1 session_2"],
        ),
        (lambda d: talk(d).update(speaker_b="Rob"), odd.NEVER_SPEAKS, ["conv-1 'Rob'", "conv-2 'Dan'"]),
        (lambda d: talk(d)["session_1"][0].update(speaker="Eve"), odd.THIRD, ["conv-1 'D1:1' 'Eve'"]),
    ],
)
def test_what_is_odd(tmp_path: Path, change: Change, what: str, places: list[str]) -> None:
    data = make_tiny()
    change(data)
    found = check(write(tmp_path, data))
    assert found.wrong == []
    assert found.odd[what] == places


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (
            lambda d: talk(d).update(Session_2=[]),
            "conversation[0] (conv-1) conversation 'Session_2' (session_2?)",
        ),
        (
            lambda d: talk(d).update(session3=[]),
            "conversation[0] (conv-1) conversation 'session3' (session_3?)",
        ),
        (
            lambda d: talk(d).update({"session_2_datetime": ""}),
            "conversation[0] (conv-1) conversation 'session_2_datetime' (session_2_date_time?)",
        ),
        (
            lambda d: talk(d).update(Speaker_A=""),
            "conversation[0] (conv-1) conversation 'Speaker_A' (speaker_a?)",
        ),
        (lambda d: d[0].update(QA=[]), "conversation[0] (conv-1) 'QA' (qa?)"),
        (
            lambda d: d[0]["qa"][1].update(evidance=[]),
            "conversation[0] (conv-1) qa[1] 'evidance' (evidence?)",
        ),
        (
            lambda d: talk(d)["session_1"][1].update({"blip caption": ""}),
            "conversation[0] (conv-1) conversation session_1[1] 'blip caption' (blip_caption?)",
        ),
    ],
)
def test_keys_that_look_misspelt(tmp_path: Path, change: Change, place: str) -> None:
    data = make_tiny()
    change(data)
    assert check(write(tmp_path, data)).odd[odd.MISSPELT] == [place]


def test_other_keys_are_nobodys_business(tmp_path: Path) -> None:
    data = make_tiny()
    data[0]["source"] = {"Session_2": "here nobody looks"}
    data[0]["event_summary"] = {"answr": 1}
    talk(data)["mood"] = talk(data)["session_1"][0]["emoji"] = data[0]["qa"][0]["author"] = "fine"
    assert check(write(tmp_path, data)).odd == {odd.NEVER_SPEAKS: ["conv-2 'Dan'"]}


def test_keys_that_stand_twice(tmp_path: Path) -> None:
    """The JSON of others may have them; the parser of Python keeps the last without a word."""
    text = json.dumps(make_tiny()).replace('"speaker_a": "Ada"', '"speaker_a": "Eve", "speaker_a": "Ada"')
    text = text.replace('"category": 4', '"category": 4, "category": 4')
    found = check(write(tmp_path, text))
    assert found.wrong == []
    assert found.odd[odd.REPEATED] == [
        "conversation[0] (conv-1) conversation 'speaker_a'",
        "conversation[0] (conv-1) qa[0] 'category'",
    ]


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("昨日、京都に行きました。", "CJK, HIRAGANA"),
        ("我昨天去了北京", "CJK"),
        ("เมื่อวานฉันไปตลาด", "THAI"),
        ("ខ្ញុំទៅផ្សារ", "KHMER"),
        ("어제 서울에 갔어요", None),  # with spaces
        ("أمس ذهبت إلى السوق", None),
        ("Ich war gestern in München 京都", None),
    ],
)
def test_scripts_without_spaces(tmp_path: Path, text: str, script: str | None) -> None:
    data = make_tiny()
    for sample in data:
        for key, turns in sample["conversation"].items():
            if isinstance(turns, list):
                sample["conversation"][key] = [{**turn, "text": text, "blip_caption": None} for turn in turns]
    found = check(write(tmp_path, data))
    assert found.odd.get(odd.NO_SPACES, []) == (
        [f"conv-1 ({script})", f"conv-2 ({script})"] if script else []
    )


# ---- what is wrong


def test_every_fault_is_found_with_its_place(tmp_path: Path) -> None:
    data = make_tiny()
    data[0]["sample_id"] = "a/b"
    talk(data)["speaker_b"] = "ada"
    talk(data)["session_1_date_time"] = "31.1.2024"
    talk(data)["session_1"][1]["text"] = None
    talk(data)["session_2"] = "nothing"
    data[0]["qa"][0] |= {"category": 6}
    data[0]["qa"].append(3)
    data[1] = {"sample_id": "conv-2", "conversation": {}, "qa": []}
    data.append({})
    before = "conversation[0] (a/b), "
    assert check(write(tmp_path, data)).wrong == [
        f"{before}sample_id: 'a/b' cannot name a file; allowed are up to 200 letters, digits, '.', '_' and"
        " '-', not starting with '.'",
        f"{before}qa[0], category: is 6, allowed: 1 (multi_hop), 2 (temporal), 3 (open_domain),"
        " 4 (single_hop), 5 (adversarial)",
        f"{before}qa[2], is a number, expected an object",
        f"{before}speaker_a and speaker_b are both 'Ada'; they must differ",
        f"{before}session_1_date_time: cannot read '31.1.2024';"
        " expected a date such as '1:56 pm on 8 May, 2023'",
        f"{before}session_1[1] (D1:2), text: is null, expected text",
        f"{before}session_2: is text, expected a list",
        'conversation[1] (conv-2), has no "speaker_a"',
        "conversation[1] (conv-2), has no turns; expected lists of them under session_1, session_2, ...",
        'conversation[2], has no "sample_id"',
        'conversation[2], has no "conversation"',
        'conversation[2], has no "qa"',
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "holds no conversation"),
        ("{}", "is an object, expected a list"),
        ("null", "is null, expected a list"),
        ("[3]", "conversation[0], is a number, expected an object"),
    ],
)
def test_files_of_another_shape(tmp_path: Path, content: str, said: str) -> None:
    assert check(write(tmp_path, content)).wrong == [said]


def test_names_and_ids_that_stand_twice(tmp_path: Path) -> None:
    data = make_tiny()
    data[1]["sample_id"] = "Conv-1"
    talk(data)["session_2"][0]["dia_id"] = "D1:1"
    assert check(write(tmp_path, [*data, copy.deepcopy(data[1])])).wrong == [
        "conversation[0] (conv-1), dia_id: 'D1:1' is there 2 times; each must be its own",
        "sample_id: 'conv-1' is there 2 times; each must be its own",
    ]
    for sample in data:
        sample["qa"] = []
    data[1]["sample_id"], talk(data)["session_2"][0]["dia_id"] = "conv-2", "D2:1"
    assert check(write(tmp_path, data)).wrong == ["holds no question; expected lists of them under qa"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", r"is not JSON \(line 1, column 1"),
        (b"[1,", "is not JSON"),
        (b"\xef\xbb\xbf[]", "is not JSON"),
        (b"\xff\xfe[]", r"is not UTF-8 \(byte 0\)"),
        (b"[" * 100_000, "cannot be read as JSON"),
        (None, "cannot be read"),
    ],
)
def test_files_that_are_no_json(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "talks.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LocomoError, match=f"{re.escape(str(path))}: {said}"):
        check(path)


def test_what_ended_later_stages(tmp_path: Path) -> None:
    """Names too long for a file, two sessions with one number, half a character, a number without end."""
    data = make_tiny()
    data[0]["sample_id"] = "a" * 201
    talk(data)["session_02"], talk(data)["session_02_date_time"] = [], talk(data)["session_2_date_time"]
    data[0]["qa"][0]["evidence"] = ["\ud800"]
    talk(data)[f"session_{'9' * 5000}"] = []
    found = check(write(tmp_path, data))
    assert [fault.partition("), ")[2].partition(":")[0] for fault in found.wrong] == [
        "sample_id",
        "qa[0], evidence",
        "session",
    ]
    assert len(found.odd[odd.MISSPELT]) == 1
    with pytest.raises(LocomoError, match="sample_id: 'aaa"):
        list(dataset.read(write(tmp_path, data)))


def mutated(value: Any, chance: random.Random) -> Any:
    """A file with one value, key or record changed somewhere."""
    places: list[tuple[Any, Any]] = []

    def walk(one: Any) -> None:
        for key in list(one) if isinstance(one, dict) else range(len(one)):
            places.append((one, key))
            if isinstance(one[key], (dict, list)):
                walk(one[key])

    walk(value)
    holder, key = chance.choice(places)
    match chance.randrange(4):
        case 0:
            del holder[key]
        case 1:
            holder[key] = chance.choice([None, 3, -0.5, "", " ", "D1:1", "S1", [], {}, True, "\ud800", "Ada"])
        case 2 if isinstance(holder, dict):
            holder[chance.choice(["session_1", "Session_2", "qa", "evidence", "x"])] = holder.pop(key)
        case _ if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
    return value


def test_wrong_is_just_what_the_stages_refuse(tmp_path: Path) -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    chance, refused = random.Random(seed), 0
    for _ in range(400):
        data = make_tiny()
        for _ in range(chance.choice([1, 1, 2])):
            data = mutated(data, chance)
        path = write(tmp_path, data)
        try:
            list(dataset.read(path))
            fault = None
        except LocomoError as error:
            fault = str(error).removeprefix(f"{path}: ")
        found = check(path).wrong
        assert bool(found) == (fault is not None), (fault, found, data)
        refused += fault is not None
    assert 50 < refused < 350
