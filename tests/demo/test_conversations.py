"""The invented demonstration dataset, checked by itself."""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from helpers.shared import ROOT

PATH = ROOT / "demo" / "conversations.json"
SAMPLES: list[dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8"))
IDS = [sample["sample_id"] for sample in SAMPLES]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", text.replace("\u2019", "'").lower())


MULTI, TEMPORAL, OPEN, SINGLE, ADVERSARIAL = 1, 2, 3, 4, 5
STOP = set(words("a an and at be for from her his in is of on over the them to will with"))
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

Shift = Callable[[date], str]


def written(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def ago(days: int) -> Shift:
    return lambda today: written(today - timedelta(days=days))


def last(weekday: str) -> Shift:
    def shift(today: date) -> str:
        back = (today.weekday() - WEEKDAYS.index(weekday)) % 7 or 7
        return written(today - timedelta(days=back))

    return shift


def next_month(today: date) -> str:
    return f"{today.replace(day=1) + timedelta(days=32):%B %Y}"


def on(month: int, day: int) -> Shift:
    return lambda today: written(date(today.year, month, day))


TOMORROW = ago(-1)

DATES: dict[str, tuple[str, str, Shift]] = {
    "When did Ines pick up Biscuit at the shelter?": ("D1:5", "last Sunday", last("Sunday")),
    "When did Tobias buy his accordion?": ("D1:14", "yesterday", ago(1)),
    "When did Ines have her first swimming lesson?": ("D2:2", "last Thursday", last("Thursday")),
    "When did Tobias break his wrist?": ("D4:5", "Last Saturday", last("Saturday")),
    "When did Ines arrive in Porto?": ("D5:3", "three days ago", ago(3)),
    "When does Ines begin to lead the play therapy team?": ("D6:8", "next month", next_month),
    "When did Ines's dog pass the visiting-dog test?": ("D6:12", "on 12 July", on(7, 12)),
    "When did Hanneke's hen Dash lay her first egg?": ("D1:7", "last Sunday", last("Sunday")),
    "When did Farid's tortoise walk to the bakery?": ("D2:15", "Last Friday", last("Friday")),
    "When did Farid's tortoise begin his winter sleep?": ("D4:11", "last Monday", last("Monday")),
    "When did Hanneke join the choir?": ("D4:12", "two weeks ago", ago(14)),
    "When did Farid's mother get home from her visit?": ("D5:2", "last Thursday", last("Thursday")),
    "When did Hanneke open her nursery?": ("D6:2", "a week ago", ago(7)),
    "When does Farid's daughter Leila turn eight?": ("D5:12", "next month", next_month),
    "When did Priya deliver the translation of the herring novel?": (
        "D1:2",
        "the day before yesterday",
        ago(2),
    ),
    "When did Owen ask Imogen to marry him?": ("D2:2", "last Saturday", last("Saturday")),
    "When did Priya buy her rowing boat?": ("D2:9", "two weeks ago", ago(14)),
    "When did Owen twist his knee?": ("D3:13", "last Sunday", last("Sunday")),
    "When was Priya's reading at Rosalind's bookshop?": ("D2:17", "tomorrow", TOMORROW),
    "When did Owen get married?": ("D6:2", "7 September", on(9, 7)),
    "When was Priya going to meet the publisher in Bergen?": ("D4:13", "next month", next_month),
}

DURATIONS: dict[str, tuple[str, str]] = {
    "How long did Ines plan to stay in Porto?": ("D4:8", "ten days"),
    "How long did Hanneke's cycling trip to the sea take?": ("D2:10", "four days"),
    "How long was Owen's trip to the Orkney Islands going to be?": ("D4:14", "four days"),
}

# The person the misleading fact is really about.
TRUE_PERSON: dict[str, str] = {
    "What is the name of Tobias's dog?": "Ines",
    "Which wrist did Ines break?": "Tobias",
    "Which instrument did Ines buy second-hand?": "Tobias",
    "Which city did Tobias travel to in June 2023?": "Ines",
    "Where did Tobias's sister find a job?": "Lucía",
    "What does Ines teach in an evening class?": "Tobias",
    "What is the name of Hanneke's tortoise?": "Farid",
    "What is the title of Hanneke's book?": "Farid",
    "What are Farid's two hens called?": "Hanneke",
    "How many stitches did Farid get when he cut his thumb?": "Hanneke",
    "Which voice does Farid sing in the choir?": "Hanneke",
    "Where did Farid sleep at the end of his cycling trip?": "Hanneke",
    "What is the name of Priya's dog?": "Owen",
    "When did Priya twist her knee?": "Owen",
    "What did Owen name his boat?": "Priya",
    "Which prize is Owen's novel up for?": "Priya",
    "Which islands did Priya book a trip to?": "Owen",
    "Who lent Owen binoculars on the ferry?": "Priya",
}

# Things that nobody did, each with a word that must not stand anywhere in the conversation.
NOBODY: dict[str, str] = {
    "How long did Tobias stay in hospital after he fell off the ladder?": "hospital",
    "Which prize was Hanneke awarded for her roses?": "prize",
    "What did Imogen swallow when Owen asked her to marry him?": "swallow",
}


def content(text: str) -> set[str]:
    return set(words(text)) - STOP


def sessions(sample: dict[str, Any]) -> list[list[dict[str, Any]]]:
    talk = sample["conversation"]
    return [talk[f"session_{number}"] for number in range(1, 7)]


def session_times(sample: dict[str, Any]) -> list[datetime]:
    talk = sample["conversation"]
    stamps = [talk[f"session_{number}_date_time"] for number in range(1, 7)]
    return [datetime.strptime(stamp, "%I:%M %p on %d %B, %Y") for stamp in stamps]


def speakers(sample: dict[str, Any]) -> list[str]:
    return [sample["conversation"]["speaker_a"], sample["conversation"]["speaker_b"]]


def turns(sample: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {turn["dia_id"]: turn for session in sessions(sample) for turn in session}


def spoken(turn: dict[str, Any]) -> str:
    return f"{turn['speaker']}: {turn['text']} {turn.get('blip_caption', '')}"


def questions(*categories: int) -> list[Any]:
    return [
        pytest.param(sample, question, id=f"{sample['sample_id']}: {question['question']}")
        for sample in SAMPLES
        for question in sample["qa"]
        if question["category"] in categories
    ]


def evidence_words(sample: dict[str, Any], question: dict[str, Any]) -> set[str]:
    return {word for key in question["evidence"] for word in words(spoken(turns(sample)[key]))}


def texts_of(*categories: int) -> set[str]:
    return {q["question"] for sample in SAMPLES for q in sample["qa"] if q["category"] in categories}


each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=IDS)


def test_there_are_three_conversations_between_six_people() -> None:
    assert IDS == ["demo-1", "demo-2", "demo-3"]
    assert len({name for sample in SAMPLES for name in speakers(sample)}) == 6


def test_the_file_is_written_in_one_fixed_way() -> None:
    assert PATH.read_text(encoding="utf-8") == json.dumps(SAMPLES, indent=1, ensure_ascii=False) + "\n"


@each_sample
def test_a_conversation_has_two_speakers_and_six_sessions_and_nothing_else(sample: dict[str, Any]) -> None:
    expected = {"speaker_a", "speaker_b"}
    for number in range(1, 7):
        expected |= {f"session_{number}", f"session_{number}_date_time"}
    assert set(sample["conversation"]) == expected
    assert set(sample) == {"sample_id", "conversation", "qa"}


@each_sample
def test_a_conversation_has_about_a_hundred_turns(sample: dict[str, Any]) -> None:
    assert 95 <= len(turns(sample)) <= 105


@each_sample
def test_turn_ids_name_their_session_and_count_from_one(sample: dict[str, Any]) -> None:
    for number, session in enumerate(sessions(sample), start=1):
        expected = [f"D{number}:{place}" for place in range(1, len(session) + 1)]
        assert [turn["dia_id"] for turn in session] == expected


@each_sample
def test_only_the_two_speakers_talk_and_they_take_turns(sample: dict[str, Any]) -> None:
    for session in sessions(sample):
        names = [turn["speaker"] for turn in session]
        assert set(names) == set(speakers(sample))
        assert sum(one == two for one, two in pairwise(names)) <= 1


@each_sample
def test_a_turn_has_text_and_at_most_a_caption(sample: dict[str, Any]) -> None:
    for turn in turns(sample).values():
        assert set(turn) - {"blip_caption"} == {"speaker", "dia_id", "text"}
        assert turn["text"].strip() == turn["text"] != ""


@each_sample
def test_sessions_follow_each_other_over_half_a_year(sample: dict[str, Any]) -> None:
    times = session_times(sample)
    assert all(one < two for one, two in pairwise(times))
    assert 180 <= (times[-1] - times[0]).days <= 215


@each_sample
def test_photographs_have_captions_and_one_answer_stands_only_there(sample: dict[str, Any]) -> None:
    captions = [turn["blip_caption"] for turn in turns(sample).values() if "blip_caption" in turn]
    assert len(captions) >= 4
    assert all(caption.startswith("a photo of ") for caption in captions)
    only_in_caption = [
        question
        for question in sample["qa"]
        if question["category"] == SINGLE
        and not content(question["answer"]) <= set(words(turns(sample)[question["evidence"][0]]["text"]))
    ]
    assert only_in_caption


@each_sample
def test_the_text_is_mostly_ascii_but_not_all(sample: dict[str, Any]) -> None:
    foreign = [turn for turn in turns(sample).values() if not turn["text"].isascii()]
    assert 2 <= len(foreign) <= 20


@each_sample
def test_a_pet_is_introduced_by_name(sample: dict[str, Any]) -> None:
    pattern = r"\b(dog|cat|hens|tortoise|rabbit),? (named|called) [A-Z]"
    assert any(re.search(pattern, turn["text"]) for turn in turns(sample).values())


@each_sample
def test_forty_questions_in_five_categories(sample: dict[str, Any]) -> None:
    counts = Counter(question["category"] for question in sample["qa"])
    assert counts == {SINGLE: 14, MULTI: 7, TEMPORAL: 8, OPEN: 4, ADVERSARIAL: 7}


def test_no_question_is_asked_twice() -> None:
    asked = Counter(question["question"] for sample in SAMPLES for question in sample["qa"])
    assert [text for text, times in asked.items() if times > 1] == []


@pytest.mark.parametrize(("sample", "question"), questions(SINGLE, MULTI, TEMPORAL, OPEN, ADVERSARIAL))
def test_a_question_names_a_person_and_its_evidence(sample: dict[str, Any], question: dict[str, Any]) -> None:
    assert any(name in question["question"] for name in speakers(sample))
    assert question["question"].endswith("?")
    assert question["evidence"]
    assert len(set(question["evidence"])) == len(question["evidence"])
    assert set(question["evidence"]) <= set(turns(sample))
    key = "adversarial_answer" if question["category"] == ADVERSARIAL else "answer"
    assert set(question) == {"question", key, "evidence", "category"}


@pytest.mark.parametrize(("sample", "question"), questions(SINGLE))
def test_a_single_hop_answer_stands_in_its_turn(sample: dict[str, Any], question: dict[str, Any]) -> None:
    assert len(question["evidence"]) == 1
    assert content(question["answer"])
    assert content(question["answer"]) <= evidence_words(sample, question)


@pytest.mark.parametrize(("sample", "question"), questions(MULTI))
def test_a_multi_hop_answer_needs_all_its_turns(sample: dict[str, Any], question: dict[str, Any]) -> None:
    parts = [content(part) for part in question["answer"].split(",")]
    assert len(parts) >= 2
    assert len(question["evidence"]) >= 2
    assert all(parts)
    assert set().union(*parts) <= evidence_words(sample, question)
    for left_out in question["evidence"]:
        rest = [key for key in question["evidence"] if key != left_out]
        assert not set().union(*parts) <= evidence_words(sample, {"evidence": rest})


@pytest.mark.parametrize(("sample", "question"), questions(OPEN))
def test_an_open_answer_gives_its_reason(sample: dict[str, Any], question: dict[str, Any]) -> None:
    answer, because, reason = question["answer"].partition("; because ")
    assert because
    assert len(words(answer)) <= 2
    assert content(reason) & evidence_words(sample, question)
    if not answer.startswith("Likely"):
        assert not content(answer) & set(words(question["question"]))


def test_every_temporal_question_is_worked_out_here() -> None:
    assert set(DATES) | set(DURATIONS) == texts_of(TEMPORAL)


@pytest.mark.parametrize(("sample", "question"), questions(TEMPORAL))
def test_a_temporal_answer_follows_from_the_calendar(
    sample: dict[str, Any], question: dict[str, Any]
) -> None:
    if question["question"] in DURATIONS:
        key, phrase = DURATIONS[question["question"]]
        expected = phrase
    else:
        key, phrase, shift = DATES[question["question"]]
        number = int(key[1 : key.index(":")])
        expected = shift(session_times(sample)[number - 1].date())
    assert key in question["evidence"]
    assert phrase in turns(sample)[key]["text"]
    assert question["answer"] == expected


@pytest.mark.parametrize(
    ("weekday", "today", "expected"),
    [
        ("Sunday", date(2023, 1, 14), "8 January 2023"),
        ("Friday", date(2024, 5, 17), "10 May 2024"),
        ("Friday", date(2024, 5, 18), "17 May 2024"),
    ],
)
def test_the_last_weekday_lies_one_to_seven_days_back(weekday: str, today: date, expected: str) -> None:
    assert last(weekday)(today) == expected


def test_every_adversarial_question_is_judged_here() -> None:
    assert set(TRUE_PERSON) | set(NOBODY) == texts_of(ADVERSARIAL)
    assert not set(TRUE_PERSON) & set(NOBODY)


@pytest.mark.parametrize(("sample", "question"), questions(ADVERSARIAL))
def test_a_misleading_fact_stands_in_its_turn(sample: dict[str, Any], question: dict[str, Any]) -> None:
    assert len(question["evidence"]) == 1
    assert content(question["adversarial_answer"])
    assert content(question["adversarial_answer"]) <= evidence_words(sample, question)


@pytest.mark.parametrize(("sample", "question"), questions(ADVERSARIAL))
def test_a_misleading_fact_is_not_about_the_person_asked_for(
    sample: dict[str, Any], question: dict[str, Any]
) -> None:
    text = question["question"]
    named = [name for name in speakers(sample) if name in text]
    assert len(named) == 1
    if text in NOBODY:
        said = {word for turn in turns(sample).values() for word in words(spoken(turn))}
        assert NOBODY[text] in words(text)
        assert not any(word.startswith(NOBODY[text]) for word in said)
        return
    turn = turns(sample)[question["evidence"][0]]
    person = TRUE_PERSON[text]
    assert person not in text
    assert turn["speaker"] not in named
    assert person == turn["speaker"] or person in turn["text"]
