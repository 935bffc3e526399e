"""`locomo show`: what it prints, finds and refuses, on a terminal, in a pipe and as JSON."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.ran import MakeRun
from helpers.shared import ROOT, Answers
from locomo.answer.arms import ARMS
from locomo.cli import main
from locomo.core import paths
from locomo.formats.dataset import ABSTENTION
from locomo.results.predictions import Answer, Texts

ANSWERS: Answers = {
    "conv-1": {
        "vector": [Answer("a red kayak, nice", ["D1:2", "D1:1"], 0.75), Answer("kayak", ["D1:1"], 0.5)],
        "graph": [Answer("kayak", ["D1:1"], 0.75), Answer(ABSTENTION, [], 0.25)],
        "span": [Answer("kayak", ["D2:1", "D2:1"], 0.75), Answer("kayak", ["D1:1"], 0.5)],
    },
    "conv-2": {"vector": [], "graph": [], "span": []},
}
"""To the two questions of `tiny`. One stem of three (`a` does not count) is right, so F1 is 0.5."""


@pytest.fixture
def here(make_run: MakeRun, tiny: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of three arms over `tiny`, as the current folder."""
    return enter(make_run(tiny, ANSWERS), monkeypatch)


def enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    return folder


def shown(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    main(["show", *options])
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main(["show", *options])
    assert capsys.readouterr().out == ""
    return str(stop.value)  # a text as exit code: Python prints it on stderr and exits with 1


def ids(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    return [row["id"] for row in json.loads(shown(capsys, "--json", *options))["questions"]]


def started(folder: Path, *options: str, **changes: Any) -> "subprocess.Popen[str]":
    """The command as a process of its own, with whatever it writes to as the caller says."""
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    environment |= {"PYTHONPATH": str(ROOT / "src"), "TERM": "xterm"} | changes.pop("env", {})
    command = [sys.executable, "-m", "locomo", "show", *options]
    return subprocess.Popen(command, cwd=folder, env=environment, text=True, **changes)


# ---- what it prints


def test_the_worked_example(
    ran: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(ran, monkeypatch)
    printed = shown(capsys, "--question", "What is Tim trying out")
    rows = {
        found[1]: (found[2], found[3].replace("*", "").split())
        for found in re.finditer(r"^  (\S+) +\d\.\d{3}  \d\.\d\d  (.+?) {2,}(D.*)$", printed, re.M)
    }
    assert list(rows) == list(ARMS)
    assert rows["vector"] == ("yoga get little extra", ["D20:2", "D20:4", "D7:16", "D19:1", "D19:6"])
    assert rows["graph"] == (ABSTENTION, ["D7:16", "D9:9", "D18:9", "D6:4", "D18:13"])
    assert rows["oracle"] == ("yoga get little extra", ["D20:2"])
    assert printed.startswith("conv-43/222  adversarial (5)\nWhat is Tim trying out to improve his strength")
    assert "\n  evidence  D20:2 (1 December, 2023) John said, " in printed
    assert "D20:2* D20:4 D7:16" in printed


def test_a_question_with_its_answer_evidence_and_arms(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = hashlib.sha256(paths.DATASET.read_bytes()).hexdigest()
    assert shown(capsys, "--arm", "graph", "--arm", "vector") == (
        "conv-1/0  single_hop (4)\n"
        "What did Ada buy?\n"
        "  answer    kayak\n"
        '  evidence  D1:1 (31 January, 2024) Ada said, "I bought a kayak."\n'
        "\n"
        "  arm     f1     conf  reply              cited\n"
        "  vector  0.500  0.75  a red kayak, nice  D1:2 D1:1*\n"
        "  graph   1.000  0.75  kayak              D1:1*\n"
        "\n"
        "conv-1/1  adversarial (5)\n"
        "What did Bob sell?\n"
        "  trap      a kayak\n"
        '  evidence  D1:1 (31 January, 2024) Ada said, "I bought a kayak."\n'
        "\n"
        "  arm     f1     conf  reply                     cited\n"
        "  vector  0.000  0.50  kayak                     D1:1*\n"
        "  graph   1.000  0.25  No information available  nothing\n"
        "\n"
        "shown: 1 of 1 single_hop (4), 1 of 1 adversarial (5); a * marks evidence\n"
        f"signature: locomo-bench:0.1.0|data:{digest[:12]}|key:published|k:5|floor:0.3|span:4|band:0.9"
        "|parts:2|blind:no|infer:yes|arm:<arm>\n"
    )


def test_turns_prints_each_cited_turn_once_and_who_cites_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = shown(capsys, "--turns", "--category", "4")
    assert printed.partition("\n\n")[2].partition("\n\n")[2].partition("\n\n")[0] == (
        '  D1:1* (31 January, 2024) Ada said, "I bought a kayak."\n'
        "    by vector, graph\n"
        '  D1:2 (31 January, 2024) Bob said, "Nice! [shares a red kayak]"\n'
        "    by vector\n"
        '  D2:1 (1 March, 2024) Bob said, "My cat is called Max."\n'
        "    by span"
    )


def test_evidence_that_names_no_turn_and_none_at_all(
    make_run: MakeRun,
    tiny: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tiny[0]["qa"][0]["evidence"] = ["(D1:1)", "D9:9"]
    tiny[0]["qa"][1]["evidence"] = []
    enter(make_run(tiny, ANSWERS), monkeypatch)
    printed = shown(capsys)
    assert "  evidence  D1:1 (31 January" in printed
    assert "  evidence  D9:9 names no turn\n" in printed
    assert "  evidence  none\n" in printed


@pytest.mark.parametrize("width", [40, 50, 60, 80, 200])
def test_no_line_is_wider_than_asked(
    width: int, ran: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(ran, monkeypatch)
    monkeypatch.setenv("COLUMNS", str(width))
    printed = shown(capsys, "--turns", "--n", "2", "--sample", "conv-43")
    lines = printed.partition("\nshown: ")[0].splitlines()
    assert max(map(len, lines)) <= width
    assert "yoga get little extra" in shown(capsys, "--question", "What is Tim trying out")


def test_what_a_terminal_would_obey_is_not_printed(
    make_run: MakeRun,
    tiny: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tiny[0]["qa"][0]["question"] = "What did\tAda \x1b[2Jbuy?\r\n"
    enter(make_run(tiny, ANSWERS), monkeypatch)
    assert "\nWhat did Ada [2Jbuy?\n" in shown(capsys)


def test_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turn = {"id": "D1:1", "speaker": "Ada", "date": "2024-01-31T09:05", "text": "I bought a kayak."}
    other = {
        "id": "D1:2",
        "speaker": "Bob",
        "date": "2024-01-31T09:05",
        "text": "Nice!\n[shares a red kayak]",
    }
    printed = json.loads(shown(capsys, "--json", "--arm", "vector", "--category", "single_hop"))
    assert printed.pop("signature").endswith("|arm:<arm>")
    assert printed == {
        "found": {"single_hop": 1},
        "questions": [
            {
                "id": "conv-1/0",
                "sample": "conv-1",
                "index": 0,
                "question": "What did Ada buy?",
                "category": "single_hop",
                "category_number": 4,
                "answer": "kayak",
                "evidence": [turn],
                "arms": {
                    "vector": {
                        "reply": "a red kayak, nice",
                        "f1": 0.5,
                        "recall": 1.0,
                        "abstained": False,
                        "confidence": 0.75,
                        "cited": [other | {"evidence": False}, turn | {"evidence": True}],
                    }
                },
            }
        ],
    }


def test_cited_sessions_and_texts(
    make_run: MakeRun,
    tiny: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Session 1 has D1:1, the evidence, and D1:2.
    long = "Ada likes boats. " * 6
    answers = {
        "halls": [Answer("kayak", ["S2", "S1"], 0.75), Answer(ABSTENTION, [], 0.0)],
        "notes": [Answer("kayak", Texts(["D1:1", long]), 0.5), Answer("kayak", ["D1:2"], 0.5)],
    }
    enter(make_run(tiny, {"conv-1": answers, "conv-2": {"halls": [], "notes": []}}), monkeypatch)
    printed = shown(capsys, "--turns", "--category", "4")
    assert (
        f"  halls  1.000  0.75  kayak  S2 S1*\n  notes  1.000  0.50  kayak  D1:1* '{long[:77]}...'\n"
        in printed
    )
    assert printed.partition("\n\n")[2].partition("\n\n")[2].partition("\n\n")[0] == (
        "  S1* D1:1 to D1:2\n"
        "    by halls\n"
        '  D1:1* (31 January, 2024) Ada said, "I bought a kayak."\n'
        "    by notes\n"
        "  S2 D2:1 to D2:1\n"
        "    by halls\n"
        f"  text {long.strip()}\n"
        "    by notes"
    )
    halls, notes = json.loads(shown(capsys, "--json", "--category", "4"))["questions"][0]["arms"].values()
    nothing = {"speaker": None, "date": None, "text": None}
    assert (halls["recall"], notes["recall"]) == (1.0, None)
    assert halls["cited"] == [
        {"id": "S2", **nothing, "evidence": False},
        {"id": "S1", **nothing, "evidence": True},
    ]
    assert notes["cited"][0]["evidence"] and notes["cited"][0]["text"] == "I bought a kayak."
    assert notes["cited"][1] == {"id": None, **nothing, "text": long, "evidence": False}


# ---- what it finds


def test_counts_of_the_real_run(
    ran: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(ran, monkeypatch)
    printed = json.loads(shown(capsys, "--json", "--n", "0", "--arm", "graph"))
    assert printed["found"] == {
        "single_hop": 841,
        "multi_hop": 282,
        "temporal": 321,
        "open_domain": 96,
        "adversarial": 446,
    }
    assert len(printed["questions"]) == 1986
    # As published: on 0.502 of the adversarial questions graph abstains, and so is right.
    abstained = [row for row in printed["questions"] if row["arms"]["graph"]["abstained"]]
    assert sum(row["category_number"] == 5 for row in abstained) == round(0.50224 * 446)


def test_n_of_each_category_the_first_ones(
    ran: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(ran, monkeypatch)
    printed = shown(capsys, "--n", "2", "--arm", "oracle")
    assert re.findall(r"^conv-\S+  (.+)$", printed, re.M) == [
        label
        for label in (
            "single_hop (4)",
            "multi_hop (1)",
            "temporal (2)",
            "open_domain (3)",
            "adversarial (5)",
        )
        for _ in range(2)
    ]
    assert "shown: 2 of 841 single_hop (4), 2 of 282 multi_hop (1)" in printed
    assert "2 of 446 adversarial (5); --n 0 shows all" in printed


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), ["conv-1/0", "conv-1/1"]),
        (("--category", "Single-Hop"), ["conv-1/0"]),
        (("--category", "5", "--category", "single hop"), ["conv-1/0", "conv-1/1"]),
        (("--sample", "conv-1"), ["conv-1/0", "conv-1/1"]),
        (("--question", "BOB"), ["conv-1/1"]),
        (("--disagree",), ["conv-1/0", "conv-1/1"]),
        (("--disagree", "vector", "span"), ["conv-1/0"]),
        (("--disagree", "graph", "span"), ["conv-1/1"]),
        (("--disagree", "--arm", "graph", "--arm", "span"), ["conv-1/1"]),
    ],
)
def test_options(options: tuple[str, ...], found: list[str], here: Path, capsys: Any) -> None:
    assert ids(capsys, *options) == found


def test_disagree_shows_the_two_that_it_names(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = json.loads(shown(capsys, "--json", "--disagree", "span", "graph"))["questions"]
    assert list(row["arms"]) == ["graph", "span"]


# ---- what it refuses


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--category", "6"), "--category: 6: no such category; allowed: single_hop or 4, multi_hop or 1, "),
        (("--sample", "conv-9"), "--sample: conv-9: not in this run; allowed: conv-1, conv-2"),
        (("--arm", "oracle"), "--arm: oracle: not in this run; allowed: vector, graph, span"),
        (("--disagree", "graph", "path"), "--disagree: path: not in this run; allowed: vector, graph, span"),
        (("--disagree", "graph"), "--disagree: takes two different arms, or none"),
        (("--disagree", "graph", "graph"), "--disagree: takes two different arms, or none"),
        (("--disagree", "--arm", "graph"), "--disagree: has only graph to compare"),
        (("--question", "canoe"), "no answered question fits these options"),
        (("--sample", "conv-2", "--json"), "no answered question fits these options"),
    ],
)
def test_errors(options: tuple[str, ...], message: str, here: Path, capsys: Any) -> None:
    assert refused(capsys, *options).startswith(f"error: {message}")


def test_n_must_be_a_count(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["show", "--n", "-1"])
    assert stop.value.code == 2
    assert "--n: is '-1', expected a whole number, 0 or more" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "stage"),
    [
        (paths.DATASET, "fetch"),
        (paths.PREDICTIONS, "answer"),
        (paths.SCORES, "score"),
        (paths.SIGNATURES, "score"),
    ],
)
def test_a_file_that_is_not_there(path: Path, stage: str, here: Path, capsys: Any) -> None:
    (here / path).unlink()
    assert refused(capsys) == f"error: {path}: is not there; run `dvc repro {stage}` to make it"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("data/scores.csv", ",0.25\n", ",0.26\n"),
        ("data/predictions.json", '"a red kayak, nice"', '"a red kayak, good"'),
        ("data/locomo10.json", '"kayak"', '"canoe"'),
    ],
)
def test_files_of_different_runs(path: str, old: str, new: str, here: Path, capsys: Any) -> None:
    text = (here / path).read_text(encoding="utf-8")
    assert old in text
    (here / path).write_text(text.replace(old, new), encoding="utf-8")
    assert refused(capsys) == (
        f"error: {path}: is of another run than metrics/signature.json; run `dvc repro` to make them fit"
    )


@pytest.mark.parametrize("text", ["", "{}", "[]"])
def test_signatures_that_are_none(text: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / paths.SIGNATURES).write_text(text, encoding="utf-8")
    assert f"{paths.SIGNATURES}: is damaged (" in refused(capsys)


# ---- as a process of its own


def test_plain_and_unwrapped_in_a_pipe(here: Path) -> None:
    process = started(here, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert "\x1b" not in printed
    assert "  vector  0.500  0.75  a red kayak, nice  D1:2 D1:1*\n" in printed


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_coloured_and_wrapped_on_a_terminal(here: Path, environment: dict[str, str]) -> None:
    pytest.importorskip("termios", reason="no terminals of this kind here")
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 50))
    process = started(here, stdout=theirs, env=environment)
    os.close(theirs)
    printed = ""
    try:
        while read := os.read(ours, 65536):
            printed += read.decode()
    except OSError:  # how Linux tells that the other end is closed
        pass
    assert process.wait(timeout=60) == 0
    os.close(ours)
    plain = re.sub(r"\x1b\[\d*m", "", printed)
    assert 'evidence  D1:1 (31 January, 2024) Ada said, "I\r\n            bought a kayak."' in plain
    if environment:
        assert printed == plain
    else:
        assert "\x1b[1mWhat did Ada buy?\x1b[0m" in printed
        assert "\x1b[32mD1:1*\x1b[0m" in printed
        assert "\x1b[33m0.500\x1b[0m" in printed


def test_a_reader_that_goes_away_is_no_error(here: Path) -> None:
    process = started(here, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout and process.stderr
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


def test_nothing_found_ends_with_1(here: Path) -> None:
    process = started(here, "--question", "canoe", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed, errors = process.communicate(timeout=60)
    assert (process.returncode, printed) == (1, "")
    assert errors.startswith("error: no answered question fits") and errors.count("\n") == 1


def test_help_says_what_each_option_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["show", "--help"])
    assert stop.value.code == 0
    assert "--disagree" in capsys.readouterr().out
