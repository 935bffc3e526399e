"""Conversations of one's own, one or three, in any language: all stages with all arms, and the commands."""

import csv
import json
import unicodedata
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from helpers.clones import PIPELINE, Clone, ran
from helpers.given import as_lines
from helpers.languages import LANGUAGES, conversations
from helpers.literal import Literal
from helpers.shared import ROOT
from helpers.stages import BESIDE, project, run
from locomo.answer.arms import ARMS
from locomo.cli import main
from locomo.core import paths
from locomo.core.download import fetch
from locomo.core.errors import LocomoError
from locomo.core.settings import load
from locomo.formats import dataset, store
from locomo.formats.dataset import ABSTENTION
from locomo.score.averages import COLUMNS
from locomo.text.tokens import fold

DEMO: list[dict[str, Any]] = json.loads((ROOT / "demo/conversations.json").read_bytes())
SETS = {"Demo": DEMO} | {language: conversations(language) for language in LANGUAGES}
K = 5

Made = Callable[[str, int], Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The folder in which all stages ran over the first conversations of a set; read it."""
    folders: dict[tuple[str, int], Path] = {}
    pinned = load(ROOT / paths.PARAMS).scorer.pinned()
    try:
        scorer: Path | None = fetch(pinned)
    except LocomoError:
        scorer = None

    def make(name: str, number: int) -> Path:
        if (name, number) not in folders:
            folder = tmp_path_factory.mktemp(name)
            if scorer:
                cached = folder / "home/locomo-bench" / pinned.place
                cached.parent.mkdir(parents=True)
                cached.write_bytes(scorer.read_bytes())
            project(folder, SETS[name][:number])
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)  # as of a figure with more legend than room
                (folder / "said").write_text(run(folder, *BESIDE), encoding="utf-8")
            folders[name, number] = folder
        return folders[name, number]

    return make


each_set = pytest.mark.parametrize("name", SETS)
each_language = pytest.mark.parametrize("name", LANGUAGES)
one_or_three = pytest.mark.parametrize("number", [1, 3])


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def table(folder: Path, measure: str) -> dict[str, dict[str, float | None]]:
    return {arm: read(folder / f"metrics/{measure}/{arm}.json") for arm in ARMS}


def answered(folder: Path) -> dict[str, dict[str, Any]]:
    """By its text, each question of the first conversation with all answers."""
    return {question["question"]: question for question in read(folder / paths.PREDICTIONS)[0]["qa"]}


# ---- the stages


@each_set
@one_or_three
def test_all_stages(made: Made, name: str, number: int) -> None:
    folder, questions = made(name, number), sum(len(sample["qa"]) for sample in SETS[name][:number])
    assert [
        line for line in (folder / "reports/report.md").read_text("utf-8").splitlines() if "nan" in line
    ] == []
    official = read(folder / paths.OFFICIAL)
    if not official["available"]:
        assert "Nothing was rescored" in (folder / "said").read_text("utf-8")
        pytest.skip("the official scorer is in no cache folder: set LOCOMO_CACHE to one that holds it")
    assert official["f1_compared"] == official["recall_compared"] == len(ARMS) * questions
    assert official["largest_difference"] < 1e-12


@each_set
@one_or_three
def test_texts_names_and_ids_come_through_unchanged(made: Made, name: str, number: int) -> None:
    folder, samples = made(name, number), SETS[name][:number]
    raw = (folder / paths.PREDICTIONS).read_text("utf-8")  # strict: fails if it is not UTF-8
    assert not any(mark in raw for mark in ("\\u", "\ufffd", "Ã", "Ø", "ã"))
    for sample, found in zip(samples, json.loads(raw), strict=True):
        assert found["sample_id"] == sample["sample_id"]
        ids = {turn["dia_id"] for turns in sessions(sample) for turn in turns}
        for given, question in zip(sample["qa"], found["qa"], strict=True):
            assert question["question"] == given["question"]
            assert question["answer"] == given.get("answer", given.get("adversarial_answer"))
            assert question["evidence"] == given["evidence"]
            assert all(ids.issuperset(question[f"{arm}_prediction_context"]) for arm in ARMS)
        nodes = store.load(folder / paths.MEMORIES, sample["sample_id"]).nodes
        speakers = (sample["conversation"][key] for key in ("speaker_a", "speaker_b"))
        assert {fold(speaker) for speaker in speakers} <= set(nodes)


def sessions(sample: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [value for value in sample["conversation"].values() if isinstance(value, list)]


@each_language
@one_or_three
def test_what_is_cited_is_that_of_spec_word_for_word(made: Made, name: str, number: int) -> None:
    folder = made(name, number)
    for talk, found in zip(
        dataset.read(folder / paths.DATASET), read(folder / paths.PREDICTIONS), strict=True
    ):
        literal = Literal(talk)
        for question in found["qa"]:
            asked = question["question"]
            subject = literal.subject(asked)
            expected = {
                "vector": literal.vector_memory(asked, K),
                "graph": literal.piece_memory(asked, K, subject, False),
                "span": literal.piece_memory(asked, K, "", False),
                "scoped": literal.piece_memory(asked, K, subject, True),
                "path": literal.path_memory(asked, K),
                "path2": literal.path_memory(asked, K, hops=2),
                "walk3": literal.path_memory(asked, K, hops=3, anywhere=True),
            }
            for memory, cites in expected.items():
                assert question[f"{memory}_prediction_context"] == [id for id, *_ in cites], memory
                assert question[f"{memory}_prediction_confidence"] == literal.confidence(asked, cites), memory


@each_set
@one_or_three
def test_the_oracle_finds_all_evidence(made: Made, name: str, number: int) -> None:
    asked = [question for sample in SETS[name][:number] for question in sample["qa"]]
    assert all(1 <= len(question["evidence"]) <= K for question in asked)
    assert set(table(made(name, number), "recall")["oracle"].values()) == {1}


@one_or_three
def test_german_by_hand(made: Made, number: int) -> None:
    folder = made("German", number)
    f1 = table(folder, "f1")
    # The answer is "27. Februar 2024"; of the reply's three words, one is in it.
    question = answered(folder)["Wann hat Käthe die Prüfung bestanden?"]
    assert question["oracle_prediction"] == "februar war meine"
    assert f1["oracle"]["temporal"] == round(1 / 3, 6)
    # Of these 18 words, too: precision 1/18, recall 1/3.
    assert question["graph+set_prediction"] == (
        "februar war meine, mir früher märchen vorgelesen, ich übe jetzt jeden abend flöte,"
        " straßen sind schön aber es"
    )
    assert f1["graph+set"]["temporal"] == pytest.approx(2 / (18 + 3), abs=1e-6)
    assert f1["oracle"]["answerable"] == round(1 / 3 / 5, 6)


@one_or_three
def test_japanese_by_hand(made: Made, number: int) -> None:
    """Without spaces a sentence is one word, as for the official scorer: question and turn share none."""
    folder = made("Japanese", number)
    for question in answered(folder).values():
        cited = {arm: question[f"{arm}_prediction_context"] for arm in ARMS}
        assert {arm for arm, ids in cited.items() if ids} == {"oracle", "oracle+set"}
        assert {question[f"{arm}_prediction"] for arm in ARMS} == {ABSTENTION}
    for row in table(folder, "f1").values():
        assert row == dict.fromkeys(COLUMNS, 0) | {"adversarial": 1, "overall": round(1 / 6, 6)}
    # No question has a subject, so that nothing is within hops of it.
    hops = read(folder / paths.REACH)["hop_reach"]
    assert hops == {name: dict.fromkeys(COLUMNS) for name in ("one_hop", "two_hops")}


@one_or_three
def test_arabic_by_hand(made: Made, number: int) -> None:
    folder = made("Arabic", number)
    # "ما اسم كلب" leads to the turn that asks for the name of a street, which is said in other words.
    question = answered(folder)["ما اسم كلب يوسف؟"]
    assert question["graph_prediction_context"] == ["D1:2", "D1:4", "D1:5"]
    assert question["graph+edge_prediction"] == "أهلًا يا ليلى، شارعكِ"
    for row in table(folder, "f1").values():
        assert row["adversarial"] == 1 and row["answerable"] == 0


@each_set
def test_one_conversation_gives_no_interval(made: Made, name: str) -> None:
    folder = made(name, 1)
    paired = read(folder / "metrics/statistics/paired.json")
    for about in paired["bootstrap"].values():
        assert about == {"conversations": 1, "resamples": 0, "exact": None}
    assert len(paired["pairs"]) == 15 * 14 / 2
    for halves in paired["pairs"].values():
        for row in halves.values():
            assert row["difference"] is not None and row["low"] is row["high"] is None
    text = (folder / "reports/report.md").read_text("utf-8")
    assert "One conversation gives no interval." in text and "95% interval −" not in text


@each_set
def test_three_conversations_give_exact_intervals(made: Made, name: str) -> None:
    """Of 27 equally likely draws, one alone weighs more than 2.5%: the interval goes from least to most."""
    folder = made(name, 3)
    f1: dict[str, dict[str, dict[str, list[float]]]] = {"answerable": {}, "adversarial": {}}
    with (folder / paths.SCORES).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            half = f1["adversarial" if row["category"] == "adversarial" else "answerable"]
            half.setdefault(row["arm"], {}).setdefault(row["sample"], []).append(float(row["f1"]))
    paired = read(folder / "metrics/statistics/paired.json")
    for half, arms in f1.items():
        # C(5, 3) multisets of three out of three.
        assert paired["bootstrap"][half] == {"conversations": 3, "resamples": 10, "exact": True}
        for pair, found in paired["pairs"].items():
            one, other = (arms[arm] for arm in pair.split(" - "))
            drawn = [
                fmean([value for sample in draw for value in one[sample]])
                - fmean([value for sample in draw for value in other[sample]])
                for draw in product(one, repeat=3)
            ]
            expected = {"low": min(drawn), "high": max(drawn)}
            assert {end: found[half][end] for end in expected} == pytest.approx(expected, abs=1e-6), pair
    spread = [found["answerable"] for found in paired["pairs"].values()]
    assert name != "Demo" or any(found["low"] < found["high"] for found in spread)


# ---- the commands


@pytest.fixture
def printed(
    made: Made, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """What a command prints in the folder with three conversations of a language."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("COLUMNS", raising=False)

    def run_it(name: str, *command: object) -> str:
        monkeypatch.chdir(made(name, 3))
        main(list(map(str, command)))
        return capsys.readouterr().out

    return run_it


@each_language
def test_show(printed: Callable[..., str], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    said = printed(name, "show", "--n", 0, "--turns")
    for sample in SETS[name]:
        assert all(question["question"] in said for question in sample["qa"])
    first = SETS[name][0]["qa"][0]
    found = json.loads(printed(name, "show", "--question", first["question"], "--json"))["questions"]
    assert [(row["question"], row["answer"]) for row in found] == [(first["question"], first["answer"])]
    assert found[0]["evidence"][0]["text"] == sessions(SETS[name][0])[0][0]["text"]
    monkeypatch.setenv("COLUMNS", "60")
    lines = printed(name, "show", "--n", 0, "--turns").partition("shown: ")[0].splitlines()
    assert max(map(columns, lines)) <= 60


def columns(line: str) -> int:
    """By the names of the letters, how wide a terminal shows them: only what the languages here have."""
    wide = ("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH")
    return sum(
        2 if unicodedata.name(character).startswith(wide) else 0 if unicodedata.combining(character) else 1
        for character in line
    )


@each_language
def test_explore_and_export(printed: Callable[..., str], name: str) -> None:
    assert f"18 questions, {len(ARMS)} arms" in printed(name, "explore")
    page = paths.EXPLORER.read_text("utf-8")
    assert all(question["question"] in page for sample in SETS[name] for question in sample["qa"])
    for kind in ("run", "qrels", "predictions", "scores", "graph"):
        printed(name, "export", kind)
    with (paths.EXPORT / "predictions.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["question"] for row in csv.DictReader(file)]
    assert texts[:: len(ARMS)] == [question["question"] for sample in SETS[name] for question in sample["qa"]]
    evidence = [id for sample in SETS[name] for question in sample["qa"] for id in question["evidence"]]
    assert len((paths.EXPORT / "qrels.trec").read_text("utf-8").splitlines()) == len(evidence)
    speakers = {fold(SETS[name][0]["conversation"][key]) for key in ("speaker_a", "speaker_b")}
    graph = read(paths.EXPORT / f"graphs/{SETS[name][0]['sample_id']}.json")
    assert speakers <= {node["id"] for node in graph["nodes"]}
    networkx = pytest.importorskip("networkx")
    assert speakers <= set(networkx.read_graphml(paths.EXPORT / f"graphs/{graph['graph']['name']}.graphml"))


@pytest.mark.parametrize(
    ("name", "before", "expected"),
    [
        # One word before the answer. A multi-hop answer has two parts, and the reply has it in the first. An
        # open-domain answer ends at its semicolon, a reply doesn't.
        ("German", "Nach ", [2 / 3, (2 / 3 + 1) / 2, 2 * 3 / (3 + 4), 2 * 2 / (2 + 7)]),
        ("Arabic", "إلى ", [2 / 3, (2 / 3 + 1) / 2, 2 * 3 / (3 + 4), 2 * 1 / (1 + 4)]),
        ("Japanese", "答えは ", [2 / 3, (2 / 3 + 1) / 2, 2 / 3, 2 * 1 / (1 + 3)]),
        # Without the space it is another word.
        ("Japanese", "答えは", [0, 1 / 2, 0, 0]),
    ],
)
def test_score(
    printed: Callable[..., str], tmp_path: Path, name: str, before: str, expected: list[float]
) -> None:
    records = [
        {
            "sample_id": sample["sample_id"],
            # As some systems write it: a letter and its accent as two characters.
            "question": unicodedata.normalize("NFD", question["question"]),
            "prediction": before + question.get("answer", ""),
            "context": question["evidence"],
        }
        for sample in SETS[name]
        for question in sample["qa"]
    ]
    said = printed(name, "score", as_lines(tmp_path / "mine.jsonl", records), "--json")
    (comparison,) = json.loads(said)["comparisons"]
    assert comparison["systems"]["mine"]["counts"]["scored"]["overall"] == 18
    single, multi, temporal, open_domain = (round(value, 6) for value in expected)
    row = comparison["f1"]["mine"]
    assert row["multi_hop"] == multi and row["temporal"] == temporal and row["open_domain"] == open_domain
    assert row["single_hop"] == single
    assert comparison["recall"]["mine"]["overall"] == 1


@each_language
def test_run(printed: Callable[..., str], name: str) -> None:
    pytest.importorskip("bm25s")
    found = json.loads(printed(name, "run", "memories/bm25.py", "--json"))
    assert found["questions"]["overall"] == 18
    assert found["recall"]["oracle"]["overall"] == 1
    # The libraries' words, too, are cut at white space and punctuation.
    assert (found["recall"]["bm25"]["overall"] > 0) == (name != "Japanese")


# ---- with DVC


def test_a_local_file_is_run_again_when_it_changes(demo: Clone) -> None:
    (demo / "gespräche.json").write_text(json.dumps(conversations("German")), encoding="utf-8")
    # Inside the quotes, because DVC reads no other letters than those of ASCII without them.
    found = ran(demo.run("dvc", "exp", "run", "-S", "dataset.file='gespräche.json'"))
    assert found == [stage for stage in PIPELINE if stage != "arms"]  # which are the same
    assert demo.table("f1")["oracle"]["temporal"] == round(1 / 3, 6)
    assert ran(demo.run("dvc", "repro")) == []
    # Of the three words of "februar war meine" one is in the first answer, of three words, and in the second.
    demo.edit("gespräche.json", "27. Februar 2024", "Februar")
    assert ran(demo.run("dvc", "repro", "score")) == ["fetch", "build", "ask", "answer", "score"]
    assert demo.table("f1")["oracle"]["temporal"] == round((1 / 2 + 1 / 3 + 1 / 3) / 3, 6)
