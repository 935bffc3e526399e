"""What report and page say of external memories: worked out by hand on two questions about three turns."""

import re
from pathlib import Path

import pytest

from helpers.markdown import table
from helpers.shared import make_tiny
from helpers.stages import BESIDE, change, project, run
from locomo.core.errors import LocomoError
from locomo.report import results

ARMS = ["vector", "writes", "whole", "shaky", "whole+set"]
MEMORIES = {
    "writes": 'return {"cites": [(None, 1, "Ada bought a kayak.")], "confidence": 0.75}',
    "whole": 'return [("S1", 2), ("S2", 1)][:k]',
    "shaky": """
        if "sell" in question:
            raise RuntimeError("down")
        return self.cites[:k]""",
}
MEMORY = """
class Memory:
    def __init__(self, conversation, vocabulary):
        self.cites = [(turn.id, 1) for turn in conversation.turns]

    def ask(self, question, k):
        {}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run at floor 0 whose example, which stands in the report, is the adversarial question."""
    folder = project(tmp_path_factory.mktemp("external"), make_tiny())
    for name, code in MEMORIES.items():
        folder.joinpath(f"memories/{name}.py").write_text(MEMORY.format(code), encoding="utf-8")
    change(folder, arms=ARMS, may_fail=["shaky"], floor=0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "EXAMPLE", "What did Bob sell?")
        run(folder, *BESIDE)
    return folder


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    return (folder / "reports/report.md").read_text(encoding="utf-8")


def test_the_first_finding_is_each_memory_against_the_strongest_of_ours(folder: Path, text: str) -> None:
    found = re.findall(r"^- \*\*(.+?)\*\* (.+)$", text, re.M)[:3]
    for (_, said), arm in zip(found, ["writes", "whole", "shaky"], strict=True):
        assert f"(`{arm}` minus `vector`, the strongest of ours)" in said
    # Every word of so few turns is common, so that `vector` finds nothing: where they abstain as often as it
    # does, they abstain on everything.
    assert "where both abstain on 100% of the 2 questions" in found[0][1]
    assert "On adversarial questions the difference is +0.000." in found[0][1]
    assert "of the 1 questions that both answered" in found[2][1]
    page = (folder / "reports/index.html").read_text(encoding="utf-8")
    first = re.search(r'<ul class="findings">\s*<li><b>([^<]+)</b>(.*?)</li>', page, re.S)
    assert first and first[1] == found[0][0]


def test_the_comparison_with_ours(text: str) -> None:
    rows = table(text, "**Against ours where both abstain equally often")
    assert list(rows)[1:] == ["writes - vector", "whole - vector", "shaky - vector", "whole+set - vector"]
    # One conversation gives no interval.
    assert rows["writes - vector"] == ["1.000", "0.000", "0.000", "-", "-", "1.000", "0.000", "-", "-"]
    # It failed on the adversarial question.
    assert rows["shaky - vector"] == ["1.000", "0.000", "0.000", *"------"]


def test_retrieval(text: str) -> None:
    rows = table(text, "**Retrieval on answerable and on adversarial questions**")
    assert list(rows)[1:] == ["vector", "writes", "whole", "shaky"]
    # The evidence of both questions is the first turn, of the first of two sessions.
    assert rows["whole"] == ["0.200", "0.200", *["1.000"] * 6]
    assert rows["shaky"] == ["0.200", "-", *["1.000", "-"] * 3]
    assert rows["writes"] == ["-"] * 8
    assert text.count("`whole`: judged by sessions, which is easier.") == 1


def test_what_they_took(text: str) -> None:
    rows = table(text, "**What they took")
    assert rows[""][:4] == ["constructed", "calls", "kept from earlier runs", "failed"]
    # One of the two conversations has no question. Two questions are asked at k = 5 and k = 2,000.
    assert rows["writes"][:4] == rows["whole"][:4] == ["1", "4", "0", "0"]
    assert rows["shaky"][:4] == ["1", "4", "0", "2"]


def test_what_their_figures_rest_on_is_said(text: str) -> None:
    assert text.count("cites sessions: its recall is of sessions") == 1
    assert "`whole` cites sessions" in text and "`writes` cites texts of its own" in text
    assert "`writes` gives a confidence of its own" in text


def test_a_recall_that_is_not_there_is_a_dash(text: str) -> None:
    recall = table(text, "**Recall: share")
    assert set(recall["writes"]) == {"-"}
    assert recall["whole"][-1] == "1.000"
    assert set(table(text, "**Recall at k = 2000")["writes"]) == {"-"}


def test_where_k_was_not_swept_there_is_a_dash_and_a_reason(text: str) -> None:
    rows = table(text, "<summary>k: answerable F1")
    assert rows[""][2] == "k 5"
    for arm in ARMS[1:]:
        assert [cell == "-" for cell in rows[arm]] == [True, True, False, True, True, True]
    assert "-" not in rows["vector"]
    assert "`k` was not swept for `writes`, `whole`, `shaky`, `whole+set`" in text


def test_the_one_question_shows_them(text: str) -> None:
    rows = table(text, "**Replies and cited turns**")
    assert list(rows)[1:] == ARMS
    assert rows["writes"] == ["ada bought kayak", "(texts of its own)"]
    assert rows["whole"][1] == "S1, S2"
    assert rows["shaky"] == ["(failed)", "-"]


def test_a_damaged_note_of_the_cost_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    cost = folder / "metrics/cost.json"
    kept = cost.read_bytes()
    cost.write_text('{"writes": {}}')
    try:
        with pytest.raises(LocomoError, match=r"cost\.json: is damaged \(KeyError\); run `dvc repro ask`"):
            results.load()
    finally:
        cost.write_bytes(kept)
