"""The public API: what `import locomo` offers, with tables as pandas DataFrames.

A question is known by two columns in all tables: `sample`, the conversation, and `question`, its place there
from 0, as in `data/scores.csv`. Paths are those of a file, or of a folder in which `dvc repro` ran.
"""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.formats import dataset
from locomo.formats.dataset import Category, Conversation
from locomo.results import run
from locomo.results.scores import Score
from locomo.score.measures import MEASURES
from locomo.score.measures.f1 import f1 as f1_of
from locomo.statistics.halves import HALVES
from locomo.statistics.paired import paired
from locomo.submissions import ours, reading
from locomo.submissions.comparison import JUDGE, scores_of
from locomo.submissions.diagnosis import remarks
from locomo.submissions.files import of_records, of_table
from locomo.submissions.matching import Matched, match
from locomo.submissions.reading import Given
from locomo.submissions.sessions import SESSION_RECALL

StrPath = str | os.PathLike[str]
_KEY = ("sample", "question")


def load_dataset(path: StrPath = paths.DATASET) -> list[Conversation]:
    """Read a file in LoCoMo's format and check it (SPEC 1).

    Parameters
    ----------
    path
        The file; by default `data/locomo10.json`, which stage `fetch` downloads.

    Returns
    -------
    list of Conversation
        In the order of the file. Each has a `sample_id`, `turns` (with `id`, `speaker`, `text`, `date`, ...)
        and `questions` (with `question`, `answer`, `category` and `evidence`).

    Raises
    ------
    LocomoError
        If the file is missing or not in the format; the message names the place in it.

    Examples
    --------
    >>> import locomo
    >>> talks = locomo.load_dataset("demo/conversations.json")
    >>> [talk.sample_id for talk in talks]
    ['demo-1', 'demo-2', 'demo-3']
    >>> talks[0].questions[0].category.label
    'single_hop'
    """
    return list(dataset.read(Path(path)))


def f1(reply: str, answer: str, category: int | str = "single_hop") -> float:
    """Score one reply as the paper does (SPEC 11; Maharana et al., ACL 2024).

    Parameters
    ----------
    reply
        What a system said.
    answer
        The reference answer; it does not matter for an adversarial question.
    category
        Name or number of the question's category: a multi-hop answer is scored part by part, an open-domain
        one up to its first semicolon, and an adversarial question asks for an abstention.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    LocomoError
        If there is no such category.

    Examples
    --------
    >>> import locomo
    >>> locomo.f1("a red kayak", "the kayak")
    0.6666666666666666
    >>> locomo.f1("tea, coffee", "coffee, milk", category="multi_hop")
    0.5
    >>> locomo.f1("No information available", "", category=5)
    1.0
    """
    found = Category.named(str(category))
    if found is None:
        allowed = ", ".join(one.numbered for one in Category)
        raise LocomoError(f"category: {category!r}: no such category; allowed: {allowed}")
    return f1_of(found, reply, answer)


def score_answers(
    answers: StrPath | pd.DataFrame | Iterable[Mapping[str, Any]],
    conversations: Sequence[Conversation] | None = None,
    *,
    arm: str = "answers",
) -> pd.DataFrame:
    """Score the answers of any system, question by question.

    Parameters
    ----------
    answers
        A file that `locomo score` reads, or a table or records with the columns `sample_id`, `question` and
        `prediction`, and, if there are any, `category`, `context` (ids of cited turns), `confidence`, `error`
        and `arm`; other names that a file may have are known here, too.
    conversations
        What was asked; by default the dataset in `data/locomo10.json` or, where there is none, LoCoMo, which
        is downloaded once.
    arm
        What the system is called where `answers` has no names; a file gives its own.

    Returns
    -------
    pandas.DataFrame
        A row for every question of each system: `sample`, `question`, `category`, `arm`, `status` ("scored",
        "failed" or "missing": only scored answers have scores), `f1`, `recall`, `abstained`,
        `session_recall`, `judge`, `confidence` (NaN where there is none). A system that cites sessions has
        `session_recall` only; `judge` is the label that the answers came with. Several answers to a question
        give their mean. `attrs["remarks"]` says, by system, how the answers fit the questions.

    Raises
    ------
    LocomoError
        If the answers cannot be read; the message names the place.

    Examples
    --------
    >>> import locomo
    >>> talks = locomo.load_dataset("demo/conversations.json")
    >>> question = "What is the name of Ines's dog?"
    >>> mine = [{"sample_id": "demo-1", "question": question, "prediction": "Biscuit"}]
    >>> table = locomo.score_answers(mine, talks)
    >>> table.status.value_counts().to_dict()
    {'missing': 119, 'scored': 1}
    >>> table[table.status == "scored"].f1.tolist()
    [1.0]
    """
    known = ours.load() if conversations is None else None
    asked, key = (known.conversations, known.key) if known else (conversations or (), None)
    systems = match(_given(answers, arm), asked, key=key)
    table = pd.DataFrame([row for system in systems for row in _rows(system)])
    table.attrs["remarks"] = {system.arm: remarks(system) for system in systems}
    return table


@dataclass(frozen=True)
class Run:
    """The results of a run as tables, and the signature to quote its figures with."""

    scores: pd.DataFrame
    """A row an answer: `sample`, `question`, `category`, `arm`, `f1`, `recall`, `abstained`, `confidence`.

    `recall` is of sessions if the arm cites these, and NaN if the answer cites texts of the memory's own."""
    answers: pd.DataFrame
    """A row an answer: `sample`, `question`, `arm`, `reply`, `context` (cited ids or texts, a list),
    `confidence`, `error` (what a memory raised, else "")."""
    questions: pd.DataFrame
    """A row a question: `sample`, `question`, `text`, `answer`, `category`, `evidence` (a list)."""
    signature: str


def load_run(folder: StrPath = ".") -> Run:
    """Read what `dvc repro` left in a folder. (The process changes to that folder while it reads.)

    Parameters
    ----------
    folder
        The project's own folder, or another one with `data/` and `metrics/`, such as `demo/run`.

    Returns
    -------
    Run
        Three tables and a signature.

    Raises
    ------
    LocomoError
        If a file is missing, is damaged, or belongs to another run than the rest.

    Examples
    --------
    >>> import locomo
    >>> run = locomo.load_run()
    >>> list(run.scores.columns)
    ['sample', 'question', 'category', 'arm', 'f1', 'recall', 'abstained', 'confidence']
    >>> len(run.scores) == len(run.questions) * run.scores.arm.nunique()
    True
    """
    if not Path(folder).is_dir():
        raise LocomoError(f"{folder}: is no folder")
    with chdir(folder):
        found = run.load()
    scores, answers, questions = [], [], []
    for row in found.questions:
        key = {"sample": row.conversation.sample_id, "question": row.question.index}
        asked = row.question
        questions.append(
            key
            | {"text": asked.question, "answer": asked.answer, "category": asked.category.label}
            | {"evidence": list(asked.evidence_ids)}
        )
        scores += [score.as_row() for score in row.scores.values()]
        answers += [
            key | {"arm": arm, "reply": reply, "context": context, "confidence": confidence, "error": ""}
            for arm, (reply, context, confidence) in row.answers.items()
        ]
        answers += [
            key | {"arm": arm, "reply": None, "context": [], "confidence": math.nan, "error": error}
            for arm, error in row.failures.items()
        ]
    return Run(
        pd.DataFrame(scores, columns=[*_KEY, "category", "arm", *MEASURES, "confidence"]),
        pd.DataFrame(answers, columns=[*_KEY, "arm", "reply", "context", "confidence", "error"]),
        pd.DataFrame(questions, columns=[*_KEY, "text", "answer", "category", "evidence"]),
        found.signature,
    )


def compare(scores: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    """Compare the F1 of two arms over the questions that both were scored on (SPEC 12).

    Parameters
    ----------
    scores
        A table as of `load_run(...).scores` or `score_answers`, or several such tables joined by
        `pandas.concat`.
    a, b
        Names in its column `arm`.

    Returns
    -------
    pandas.DataFrame
        A row for each half of the questions, `answerable` and `adversarial`: the mean `difference` a less b,
        and `low` and `high`, its 95% interval from a percentile bootstrap over conversations. NaN where there
        is nothing to compare, or only one conversation.

    Raises
    ------
    LocomoError
        If the table has no such arm, or scores a question of an arm twice.

    Examples
    --------
    >>> import locomo
    >>> run = locomo.load_run()
    >>> locomo.compare(run.scores, "oracle", "vector").index.tolist()
    ['answerable', 'adversarial']
    """
    known = scores.dropna(subset=["f1"])
    for name in (a, b):
        if name not in set(known.arm):
            raise LocomoError(f"arm {name!r}: has no scores; the table has {', '.join(known.arm.unique())}")
    compared = known[known.arm.isin([a, b])]
    if compared.duplicated([*_KEY, "arm"]).any():
        row = compared[compared.duplicated([*_KEY, "arm"])].iloc[0]
        raise LocomoError(f"arm {row.arm!r}: has more than one score of {row['sample']}/{row.question}")
    found = paired([_score(row) for row in compared.to_dict("records")], [(a, b)])
    table = pd.DataFrame.from_dict(found["pairs"][f"{a} - {b}"], orient="index", dtype=float)
    return table.loc[list(HALVES)]


def _given(answers: Any, arm: str) -> list[Given]:
    if isinstance(answers, (str, os.PathLike)):
        return reading.read(Path(answers)).given
    if isinstance(answers, pd.DataFrame):
        return reading.of_content(of_table(answers, "a table"), arm).given
    return reading.of_content(of_records(answers), arm).given


def _rows(system: Matched) -> Iterator[dict[str, Any]]:
    scores = scores_of(system)
    nothing = dict.fromkeys([*MEASURES, SESSION_RECALL, JUDGE, "confidence"], math.nan)
    for key, question in system.questions.items():
        status = "scored" if key in scores else "failed" if key in system.failed else "missing"
        sample, place = key
        yield {
            "sample": sample,
            "question": place,
            "category": question.category.label,
            "arm": system.arm,
            "status": status,
            **({**scores[key].values, "confidence": scores[key].confidence} if key in scores else nothing),
        }


def _score(row: Mapping[str, Any]) -> Score:
    category = Category.named(row["category"])
    if category is None:
        raise LocomoError(f"category: {row['category']!r}: no such category")
    return Score(row["sample"], row["question"], category, row["arm"], {"f1": row["f1"]}, math.nan)
