"""`locomo run`: a memory of one's own, tried in a folder in which no stage has run."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from helpers.shared import ROOT
from locomo.answer.arms import ARMS
from locomo.cli import main
from locomo.core import paths
from locomo.core.settings import load
from locomo.formats import dataset
from locomo.formats.dataset import Category
from locomo.index.indexer import build
from locomo.memory.ask import ask
from locomo.memory.external import Failures
from locomo.memory.plugins import at
from locomo.submissions import ours

PARAMS = ROOT.joinpath("params.yaml").read_text(encoding="utf-8")
DATE = "9:05 am on 31 January, 2024"


def conversation(id: str) -> dict[str, Any]:
    """Three turns in two sessions, and four questions."""
    return {
        "sample_id": id,
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bob",
            "session_1_date_time": DATE,
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I painted boats."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Boats sink."},
            ],
            "session_2_date_time": DATE,
            "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "Kites fly."}],
        },
        "qa": [
            {"question": "What did Ada paint?", "answer": "boats", "category": 4, "evidence": ["D1:1"]},
            {"question": "What sinks?", "answer": "boats", "category": 4, "evidence": ["D1:2"]},
            {"question": "What flies?", "answer": "kites", "category": 1, "evidence": ["D2:1", "D1:2"]},
            {"question": "What did Bob fly?", "adversarial_answer": "x", "category": 5, "evidence": ["D2:1"]},
        ],
    }


IN_ORDER = "return [(id, 1) for id in self.ids[:k]]"
"""A memory that cites D1:1, D1:2, D2:1, whatever the question."""


@pytest.fixture(autouse=True)
def here(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings and two conversations."""
    monkeypatch.delenv("COLUMNS", raising=False)
    paths.PARAMS.write_text(PARAMS, encoding="utf-8")
    paths.DATASET.write_text(json.dumps([conversation("one"), conversation("two")]), encoding="utf-8")
    return own_folder


def write(body: str, extra: str = "pass", made: str = "pass") -> Path:
    """A memory that notes in `log` when it is made and what it is asked."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    paths.PLUGINS.mkdir(exist_ok=True)
    path = paths.PLUGINS / "mine.py"
    path.write_text(
        f"""import itertools, random
from pathlib import Path

def note(*words):
    with open("log", "a") as file:
        print(*words, file=file)

class Memory:
    {extra}
    def __init__(self, conversation, vocabulary, *fitted):
        self.ids = [turn.id for turn in conversation.turns]
        note("made", conversation.sample_id, *fitted)
        {made}
    def ask(self, question, k):
        note(k, question)
{lines}
""",
        encoding="utf-8",
    )
    return path


def logged_so_far() -> list[str]:
    path = Path("log")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def logged() -> list[str]:
    """What the memory noted since the last call."""
    lines = logged_so_far()
    Path("log").unlink(missing_ok=True)
    return lines


def printed(capsys: pytest.CaptureFixture[str], *options: object) -> str:
    main(["run", *map(str, options)])
    return capsys.readouterr().out


def found(capsys: pytest.CaptureFixture[str], *options: object) -> Any:
    return json.loads(printed(capsys, "--json", *options))


def refused(capsys: pytest.CaptureFixture[str], *options: object) -> tuple[str, str]:
    """What is printed, and the error."""
    with pytest.raises(SystemExit) as stop:
        main(["run", *map(str, options)])
    return capsys.readouterr().out, str(stop.value)


# ---- the figures


def test_figures_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    report = found(capsys, write(IN_ORDER), "--k", 2, "--sample", "one", "--against", "vector", "oracle")
    assert report["questions"] == {
        "single_hop": 2,
        "multi_hop": 1,
        "temporal": 0,
        "open_domain": 0,
        "adversarial": 1,
        "answerable": 3,
        "overall": 4,
    }
    assert list(report["f1"]) == ["mine", "mine+edge", "mine+set", "vector", "oracle", "(abstention)"]
    # Cited are D1:1 and D1:2: all evidence of the first two questions, half of the third's, not the last's.
    recall = report["recall"]["mine"]
    assert list(report["recall"]) == ["mine", "vector", "oracle"]
    assert recall["single_hop"] == 1 and recall["multi_hop"] == 0.5 and recall["adversarial"] == 0
    assert recall["overall"] == 0.625 and recall["temporal"] is None
    means = {name: row["overall"] for name, row in report["retrieval"]["mine"].items()}
    # One of two places is right in three questions; the first right place is 1, 2, 2 and none. The gain of
    # place 2 is 1 / log2(3) = 0.63093; the third question could gain 1.63093.
    assert means == {"precision": 0.375, "mrr": 0.5, "hit_rate": 0.75, "ndcg": 0.504446}
    # "boats, boats sink" and "painted boats, boats" are right in one of three words: F1 is 0.5. For the last
    # two questions no word is in D1:1 or D1:2, so that it abstains.
    f1 = {"single_hop": 0.5, "multi_hop": 0, "adversarial": 1, "answerable": 0.333333, "overall": 0.5}
    assert report["f1"]["mine"].items() >= f1.items()
    f1 = {"single_hop": 0, "multi_hop": 0, "adversarial": 1, "answerable": 0, "overall": 0.25}
    assert report["f1"]["(abstention)"].items() >= f1.items()
    assert report["misses"][0]["id"] == "one/2"


@pytest.mark.parametrize("number", [25, None])
def test_our_arms_have_the_published_scores_of_these_questions(
    number: int | None,
    dataset_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths.DATASET.unlink()  # as in a clone, where it is found in the cache folder
    monkeypatch.setenv("LOCOMO_CACHE", str(dataset_path.parent.parent))
    options = ["--questions", number] if number else ["--sample", "conv-26", "conv-30"]
    report = found(capsys, write(IN_ORDER), *options, "--against", *ARMS)
    assert not paths.DATASET.exists()
    published = ours.load()
    every = [(one.sample_id, i) for one in published.conversations for i in range(len(one.questions))]
    if number:
        keys = [every[place * 1986 // number] for place in range(number)]
    else:
        keys = [key for key in every if key[0] in ("conv-26", "conv-30")]
    assert report["questions"]["overall"] == len(keys)
    for arm, scores in published.scores.items():
        for measure, shown in (("f1", arm), ("abstained", arm), ("recall", arm.partition("+")[0])):
            for category in Category:
                some = [scores[key].values[measure] for key in keys if scores[key].category is category]
                figure = report[measure][shown][category.label]
                assert figure == (pytest.approx(fmean(some), abs=1e-6) if some else None)


def test_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, write(IN_ORDER), "--k", 2, "--sample", "one")
    assert text.startswith(
        "memories/mine.py: 4 questions about one, k = 2; at most 22 calls more to check it\n\n"
    )
    assert (
        "f1              single_hop    multi_hop" in text
        and "\n                         2            1" in text
    )
    f1, recall, *_ = [line.split() for line in text.splitlines() if line.startswith("mine  ")]
    assert (f1[1:3], recall[1:3]) == (["0.500", "0.000"], ["1.000", "0.500"])  # single_hop and multi_hop
    (cost,) = [line.split() for line in text.splitlines() if line.startswith("mine") and " ms " in line]
    assert (cost[1], cost[3], cost[-2:]) == ("1", "4", ["0", "0"])  # made, calls, kept and failed
    assert "mine, worst answer 1:\none/2  multi_hop (1)\nWhat flies?\n  answer    kites\n" in text
    assert "cited\n  mine       0.000" in text and "D1:1 D1:2*\n" in text
    assert "contract: ids, scores and numbers of cites are right; 4 questions of one asked once more" in text
    assert "the same cites (6 calls, also with k = 1 and k = 2,000)\n" in text
    signature = text.splitlines()[-1]
    assert signature.startswith("locomo-bench:") and "|k:2|" in signature
    assert "|arm:mine|memory:mine@" in signature and signature.endswith("|samples:one|questions:4")


def test_sessions_are_compared_as_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    path = write("return [('S2', 1), ('S1', 0.5)][:k]")
    report = found(capsys, path, "--k", 1, "--sample", "one", "--against", "oracle")
    # Of the evidence, session 2 holds none, none, half, all.
    assert report["cites_sessions"] is True
    assert report["recall"]["mine"]["overall"] == 0.375
    # One cite of the oracle is a turn of the one session that is evidence, or of one of two.
    assert report["recall"]["oracle"]["overall"] == 0.875
    assert report["retrieval"]["mine"]["hit_rate"]["overall"] == 0.5
    text = printed(capsys, path, "--k", 2)
    assert "\nrecall of sessions " in text and "  S2 S1*\n" in text


def test_texts_of_its_own_have_no_recall(capsys: pytest.CaptureFixture[str]) -> None:
    path = write("return [(None, 1, 'Ada painted kites.')]")
    report = found(capsys, path, "--sample", "one", "--against", "oracle")
    assert set(report["recall"]["mine"].values()) == {None}
    assert report["recall"]["oracle"]["overall"] == 1
    assert {miss["arms"]["mine"]["recall"] for miss in report["misses"]} == {None}
    assert "'Ada painted kites.'" in printed(capsys, path)


def test_fit_is_given_the_other_conversations_alone(capsys: pytest.CaptureFixture[str]) -> None:
    fit = """@classmethod
    def fit(cls, conversations):
        note("fit", *[one.sample_id for one in conversations])
        return len(conversations)
"""
    found(capsys, write(IN_ORDER, fit), "--sample", "two")
    assert logged()[:2] == ["fit one", "made two 1"]


# ---- what is asked


def test_nothing_is_asked_twice(capsys: pytest.CaptureFixture[str]) -> None:
    path = write(IN_ORDER)
    texts = [question["question"] for question in conversation("one")["qa"]]
    # 3 of the 8 questions are those at 0, 8 // 3 = 2 and 16 // 3 = 5.
    report = found(capsys, path, "--questions", 3)
    again = [f"5 {texts[2]}", f"5 {texts[0]}", f"1 {texts[2]}", f"2000 {texts[2]}"]
    first, second = ["made one", f"5 {texts[0]}", f"5 {texts[2]}"], ["made two", f"5 {texts[1]}"]
    assert logged() == [*first, *again, *second]
    assert report["check"] == {"sample": "one", "questions": 2, "calls": 4, "changed": []}
    assert (report["cost"]["calls"], report["cost"]["kept"]) == (3, 0)

    report = found(capsys, path)
    assert [line for line in logged() if line.startswith("5")][:2] == [f"5 {texts[1]}", f"5 {texts[3]}"]
    assert (report["cost"]["calls"], report["cost"]["kept"], report["cost"]["questions"]) == (5, 3, 8)

    report = found(capsys, path)
    assert logged() == [] and report["check"]["sample"] == ""
    assert "contract: nothing was asked once more" in printed(capsys, path)

    # Nor by stage `ask`.
    plugin = at(path)
    for talk in dataset.read(paths.DATASET):
        asked = ask(plugin, talk, build(talk, True)[0], [5], Failures(plugin, allowed=False, limit=1))
        assert asked.cost.counts["kept"] == 4 and logged() == []

    found(capsys, path, "--fresh")
    assert len(logged()) == 2 + 8 + 4 + 2


def test_interrupted_it_keeps_what_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    path = write(
        f"if question == 'What flies?' and Path('stop').exists():\n    raise KeyboardInterrupt\n{IN_ORDER}"
    )
    Path("stop").touch()
    with pytest.raises(SystemExit) as stop:
        main(["run", str(path)])
    assert stop.value.code == 130
    assert "interrupted; the answers so far are kept: run again" in capsys.readouterr().err
    assert logged() == ["made one", "5 What did Ada paint?", "5 What sinks?", "5 What flies?"]
    Path("stop").unlink()
    assert found(capsys, path, "--sample", "one")["cost"]["kept"] == 2
    assert logged()[:3] == ["made one", "5 What flies?", "5 What did Bob fly?"]


def test_ctrl_c_while_a_service_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    body = "if Path('stop').exists() and question != 'What did Ada paint?':\n    await asyncio.sleep(60)\n"
    path = write(body + IN_ORDER, "concurrency = 2")
    text = path.read_text(encoding="utf-8").replace("    def ask", "    async def ask")
    path.write_text(f"import asyncio\n{text}", encoding="utf-8")
    Path("stop").touch()
    code = "from locomo.cli import main; main(['run', 'mine', '--sample', 'one'])"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    running = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while len(logged_so_far()) < 4:  # made, and two that wait after the first
        assert time.monotonic() < end and running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130
    assert said == "interrupted; the answers so far are kept: run again, and it goes on there\n"
    Path("stop").unlink()
    assert found(capsys, path, "--sample", "one")["cost"]["kept"] == 1


def test_by_name_and_from_any_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write(IN_ORDER)
    assert found(capsys, "mine")["memory"] == "mine"
    elsewhere = path.rename(tmp_path / "other.py")
    assert next(iter(found(capsys, elsewhere)["recall"])) == "other"


# ---- the contract


@pytest.mark.parametrize(
    ("made", "body", "difference"),
    [
        # The last question is asked first: it was the fourth, and is the fifth.
        (
            "self.n = itertools.count()",
            "return [(self.ids[next(self.n) % 2], 1)]",
            "cite 0 was ('D1:2', 1.0), and is ('D1:1', 1.0)",
        ),
        (
            "self.n = itertools.count()",
            "return [(self.ids[0], 4 + next(self.n))]",
            "cite 0 was ('D1:1', 7.0), and is ('D1:1', 8.0)",
        ),
        (
            "self.n = iter('1234')",
            "return [(id, 1) for id in next(self.n, '') and self.ids[:1]]",
            "cite 0 was ('D1:1', 1.0), and is none",
        ),
        (
            "self.n = itertools.count()",
            "return {'cites': [(self.ids[0], 1, 'boats')], 'confidence': next(self.n) / 16}",
            "the confidence was 0.1875, and is 0.25",
        ),
    ],
)
def test_a_memory_with_a_state_is_told(
    made: str, body: str, difference: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(body, "partial = True", made)
    out, error = refused(capsys, path, "--sample", "one", "--json")
    assert refused(capsys, path, "--sample", "one", "--json")[1] == error  # its answers are not kept
    start = "error: memory mine: does not cite the same when it is asked again:\n  "
    assert error.startswith(f"{start}one/3 'What did Bob fly?': {difference}\n  one/2 'What flies?': ")
    assert len(json.loads(out)["check"]["changed"]) == 4  # the report is there all the same


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return [(id, 1) for id in self.ids]", "asked for 1: returned more than 1 cites"),
        (
            "return [(id, 1) for id in self.ids[:min(k, 2)]]",
            "asked for 2000: returned 2, though there is 1 more",
        ),
        (
            "return [(self.ids[0], 1), (self.ids[1], 2)]",
            "asked for 2: cite 1 scores 2.0, more than 1.0 before it",
        ),
        ("return [('D9:9', 1)]", "asked for 2: cite 0 names 'D9:9'; expected the id of one of its turns"),
    ],
)
def test_what_breaks_the_contract_ends_it(
    body: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    k = 3 if "asked for 1:" in message else 2
    _, error = refused(capsys, write(body), "--k", k)
    assert error.startswith("error: memory mine: one, question ") and message in error


def test_an_error_of_the_memory_names_its_line_or_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    path = write(f"if question == 'What sinks?':\n    raise TimeoutError('no answer')\n{IN_ORDER}")
    _, error = refused(capsys, path, "--sample", "one")
    assert error.startswith(
        "error: memory mine: one, question 1 ('What sinks?'), asked for 5: TimeoutError: no"
    )
    assert "no answer (memories/mine.py:" in error and "may_fail: [mine]" in error

    paths.PARAMS.write_text(PARAMS.replace("may_fail: []", "may_fail: [mine]"), encoding="utf-8")
    assert load().may_fail == ("mine",)
    report = found(capsys, path, "--sample", "one")
    assert report["cost"]["failed"] == 1 and report["scored"]["mine"]["overall"] == 3
    assert report["signature"].endswith("|failed:1|samples:one|questions:4")
    text = printed(capsys, path, "--sample", "one")
    assert "3 of 4" in text and "The other questions failed. They count in none of these means." in text


# ---- the command


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["memories/none.py"],
            "error: memories/none.py: is not there; `locomo new none` writes memories/none.py",
        ),
        (["none"], "error: none: no such memory (in memories/: mine; entry points of locomo.memories: "),
        (["mine", "--sample", "conv-1"], "error: --sample: conv-1: not in this run; allowed: one, two"),
        (["mine", "--against", "none"], "error: --against: none: not in this run; allowed: vector, "),
        (
            ["memories/vector.py"],
            "error: memory vector: memories/vector.py has the name of one of our memories",
        ),
    ],
)
def test_wrong_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(IN_ORDER)
    if "memories/vector.py" in options:
        path.rename(paths.PLUGINS / "vector.py")
    assert refused(capsys, *options)[1].startswith(message)


@pytest.mark.parametrize("option", [["--questions", "0"], ["--k", "-1"], ["--k", "x"]])
def test_wrong_numbers(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["run", "mine", *option])
    assert stop.value.code == 2
    assert "expected a whole number, 1 or more" in capsys.readouterr().err


def test_no_question(capsys: pytest.CaptureFixture[str]) -> None:
    paths.DATASET.write_text(
        json.dumps([conversation("one"), conversation("two") | {"qa": []}]), encoding="utf-8"
    )
    _, error = refused(capsys, write(IN_ORDER), "--sample", "two")
    assert error == "error: no question is asked about two; choose other conversations"


def test_the_command_needs_neither_pandas_nor_a_plotting_library() -> None:
    path = write(IN_ORDER)
    code = f"""import sys
from locomo.cli import main
main(["run", "{path}", "--json"])
print(sorted({{name.partition(".")[0] for name in sys.modules}}), file=sys.stderr)"""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert json.loads(done.stdout)["memory"] == "mine"
    assert "'locomo'" in done.stderr and not {"pandas", "matplotlib", "dvc"} & set(eval(done.stderr))
