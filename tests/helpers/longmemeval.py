"""Invented questions in LongMemEval's public format."""

from typing import Any


def session(id: str, date: str, *texts: str) -> tuple[str, str, list[dict[str, Any]]]:
    """A session of a user and an assistant, who take turns."""
    roles = ("user", "assistant")
    return id, date, [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]


def instance(
    id: str,
    type: str,
    question: str,
    answer: str | float,
    *sessions: tuple[str, str, list[dict[str, Any]]],
    answers: tuple[str, ...] = (),
) -> dict[str, Any]:
    """An instance; `answers` are the ids of the sessions that hold the answer, by default the first."""
    ids, dates, turns = zip(*sessions, strict=True)
    return {
        "question_id": id,
        "question_type": type,
        "question": question,
        "answer": answer,
        "question_date": "2023/06/30 (Fri) 09:00",
        "haystack_session_ids": list(ids),
        "haystack_dates": list(dates),
        "haystack_sessions": list(turns),
        "answer_session_ids": list(answers or ids[:1]),
    }


def instances() -> list[dict[str, Any]]:
    """Five questions, one of each category but open domain, and one more; a test may change them."""
    rain = session("rain", "2023/05/09 (Tue) 00:05", "It rains.", "Take cover.")
    made = [
        instance(
            "boat",
            "single-session-user",
            "Which boat did I buy?",
            "a red kayak",
            session("buys", "2023/05/08 (Mon) 13:56", "I bought a red kayak, a fine boat.", "Nice!"),
            rain,
        ),
        instance(
            "camp_1",
            "multi-session",
            "How many tents and stoves do I own?",
            3,
            session("tents", "2023/05/08 (Mon) 12:00", "Two tents of mine leak.", "Dry them."),
            rain,
            session("cooker", "2023/05/10 (Wed) 23:59", "A cooker came today.", "Enjoy."),
            answers=("tents", "cooker"),
        ),
        # Its sessions are not in the order of their dates.
        instance(
            "oven",
            "temporal-reasoning",
            "How long ago did the oven break?",
            "29 days",
            session("hot", "2023/06/01 (Thu) 09:30", "The oven broke.", "Oh."),
            rain,
        ),
        instance(
            "pet_abs",
            "single-session-user",
            "What did I name my dog?",
            "You never spoke of a dog, only of a cat.",
            session("cat", "2023/05/08 (Mon) 01:00", "Here is my cat, Max.", "Hello, Max."),
            rain,
        ),
        # Of six turns of one session, and one of another, five are all that k lets through.
        instance(
            "tea",
            "knowledge-update",
            "How much tea?",
            "none",
            session("old", "2023/05/08 (Mon) 11:00", *[f"Tea {number}." for number in range(6)]),
            session("new", "2023/05/08 (Mon) 23:00", "Coffee now."),
            rain,
            answers=("old", "new"),
        ),
    ]
    made[0]["haystack_sessions"][0][0]["has_answer"] = True
    made[0]["haystack_sessions"][0][1]["has_answer"] = False
    return made
