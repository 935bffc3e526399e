"""`locomo explore`: the page as a person meets it, in headless Chromium."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from helpers.browser import Browser
from helpers.ran import MakeRun
from helpers.shared import Answers
from locomo.answer.arms import ARMS
from locomo.cli import main
from locomo.commands import explore
from locomo.core import paths
from locomo.formats.dataset import ABSTENTION
from locomo.results import run
from locomo.results.predictions import Answer, Failure, Texts

EXAMPLE = "conv-43/222"
"""The question of the published worked example."""

NASTY = "</script><script>document.title = 1</script><img src=x onerror='document.title = 1'> <!-- &lt;b>"


@pytest.fixture(scope="module")
def page(ran: Path) -> Path:
    """The page of the published run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ran)
        main(["explore"])
    return ran / paths.EXPLORER


@pytest.fixture
def clean(browser: Browser) -> Any:
    """The browser, in which no test may leave an error or a request for anything but the page."""
    yield browser
    console, requests = browser.heard()
    assert console == []
    assert [address for address in requests if not address.startswith("file:///")] == []
    assert len(requests) == 1


def count(browser: Browser) -> str:
    return str(browser.run("return document.getElementById('count').textContent"))


def choose(browser: Browser, **values: str) -> None:
    """Set fields by their ids, as a person's choice would."""
    for id, value in values.items():
        browser.run(
            "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event('input', { bubbles: true }));",
            id,
            value,
        )


def texts(browser: Browser, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((found) => found.textContent)"
    return list(browser.run(script, selector))


def focused(browser: Browser) -> str:
    """The id of what has the focus, or the address of a link."""
    script = "const on = document.activeElement; return on.getAttribute('href') ?? on.id"
    return str(browser.run(script))


# ---- opening


def test_it_says_what_it_wrote(
    make_run: MakeRun, tiny: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(make_run(tiny, answers_of_tiny()))
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    main(["explore"])
    printed = capsys.readouterr().out
    assert re.search(r"explorer\.html: 2 questions, 2 arms, 0\.\d MB\n", printed)
    address = paths.EXPLORER.resolve().as_uri()
    assert f"Open {address}\n" in printed
    assert opened == []
    main(["explore", "--open"])
    assert opened == [address]


def test_it_opens_in_less_than_two_seconds(page: Path, browser: Browser) -> None:
    times = []
    for _ in range(3):
        browser.open(page, "conv-50/203")  # the last of all
        times.append(browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd"))
        assert count(browser) == "1,986 of 1,986 questions"
    # The best of three: a machine busy with other tests says nothing about the page.
    assert 0 < min(times) < 2000, times


def test_it_asks_for_nothing_and_complains_of_nothing(page: Path, clean: Browser) -> None:
    clean.open(page)
    assert texts(clean, "#detail h2") == ["Choose a question"]
    assert "arm:<arm>" in texts(clean, "code")[0]


def test_the_browser_would_refuse_a_request(page: Path, browser: Browser) -> None:
    """The page forbids it itself, whatever may be in the data."""
    browser.open(page)
    browser.run(
        "const image = new Image(); image.src = 'https://locomo.invalid/x.png'; document.body.append(image)"
    )
    assert browser.wait(
        "return true", lambda _: any("Content Security Policy" in c for c in browser.heard()[0])
    )


# ---- finding


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"category": "4"}, 841),
        ({"category": "1"}, 282),
        ({"category": "2"}, 321),
        ({"category": "3"}, 96),
        ({"category": "5"}, 446),
        # As published: graph has 0.502 on adversarial questions, where F1 is 0 or 1; vector 0.200.
        ({"category": "5", "arm": "graph", "outcome": "correct"}, 224),
        ({"category": "5", "arm": "graph", "outcome": "abstains"}, 224),
        ({"category": "5", "arm": "graph", "outcome": "partly"}, 0),
        ({"category": "5", "arm": "graph", "outcome": "wrong"}, 446 - 224),
        ({"category": "5", "arm": "graph", "outcome": "answers"}, 446 - 224),
        ({"category": "5", "arm": "vector", "outcome": "abstains"}, 89),
        ({"search": "trying out to improve his strength"}, 2),
        ({"search": "  TRYING out to Improve "}, 2),
        ({"search": "conv-43/222"}, 1),
        ({"search": "no such words"}, 0),
    ],
)
def test_filters_and_search(fields: dict[str, str], found: int, page: Path, clean: Browser) -> None:
    clean.open(page)
    choose(clean, **fields)
    assert count(clean) == f"{found:,} of 1,986 questions"
    assert len(texts(clean, "#list a")) == min(found, 60)


def test_the_same_questions_as_worked_out_from_the_scores(
    page: Path, ran: Path, clean: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ran)
    rows = run.load().questions
    clean.open(page)

    def agrees(expected: int, **fields: str) -> None:
        clean.run("document.getElementById('filters').reset()")
        clean.wait("return document.getElementById('active').textContent", lambda text: text == "")
        choose(clean, **fields)
        assert count(clean) == f"{expected:,} of 1,986 questions", fields

    def score(row: run.AnsweredQuestion, arm: str) -> float:
        return round(row.scores[arm].values["f1"], 6)

    agrees(sum(score(r, "graph") != score(r, "vector") for r in rows), one="graph", other="vector")
    agrees(sum(len({score(r, arm) for arm in ARMS}) > 1 for r in rows), one="*")
    agrees(sum(any(score(r, "path") != score(r, arm) for arm in ARMS) for r in rows), one="path")
    agrees(sum(score(r, "span") == 1 for r in rows), arm="span", outcome="correct")
    agrees(sum(0 < score(r, "span") < 1 for r in rows), arm="span", outcome="partly")
    agrees(sum(any(score(r, arm) == 1 for arm in ARMS) for r in rows), outcome="correct")
    agrees(sum(r.conversation.sample_id == "conv-43" for r in rows), sample="conv-43")
    agrees(sum("yoga" in f"{r.question.question}\n{r.question.answer}".lower() for r in rows), search="Yoga")


def test_hidden_arms_are_left_out_everywhere(page: Path, clean: Browser) -> None:
    clean.open(page, EXAMPLE)
    clean.run("document.getElementById('none').click()")
    assert texts(clean, "tbody th") == []
    for arm in ("oracle", "graph"):
        clean.run("document.querySelector(`[name=shown][value='${arguments[0]}']`).click()", arm)
    assert texts(clean, "tbody th") == ["graph", "oracle"]
    assert clean.run("return document.querySelector('.bars').getBBox().width") == 2 * 5 - 1
    choose(clean, category="5", outcome="abstains", arm="graph")
    assert count(clean) == "224 of 1,986 questions"
    assert texts(clean, "#active") == ["(4 set)"]
    clean.run("document.getElementById('all').click()")
    assert texts(clean, "tbody th") == list(ARMS)


def test_the_list_grows_as_it_is_read(page: Path, clean: Browser) -> None:
    clean.open(page)
    assert len(texts(clean, "#list a")) == 60
    clean.run("const results = document.getElementById('results'); results.scrollTop = results.scrollHeight")
    clean.wait("return document.querySelectorAll('#list a').length", lambda length: length == 120)


def test_the_list_starts_near_a_late_question(page: Path, clean: Browser) -> None:
    clean.open(page, "conv-50/203")
    assert len(texts(clean, "#list a")) == 31  # 30 before the last of all
    assert texts(clean, "#list a[aria-current] .about")[0].startswith("conv-50/203 · ")
    clean.run("document.getElementById('earlier').click()")
    assert len(texts(clean, "#list a")) == 91
    choose(clean, sample="conv-50")
    # What a filter finds is read from its start.
    assert texts(clean, "#list .about")[0].startswith("conv-50/0 · ")
    assert clean.run("return document.getElementById('earlier').hidden")


# ---- reading


def test_a_link_opens_its_question(page: Path, clean: Browser) -> None:
    clean.open(page, EXAMPLE)
    assert texts(clean, "h2")[0].startswith("What is Tim trying out to improve his strength")
    assert clean.driver.title == f"{EXAMPLE} · LoCoMo explorer"
    assert texts(clean, "tbody th") == list(ARMS)
    replies = dict(zip(ARMS, texts(clean, "td.reply"), strict=True))
    assert replies["vector"] == replies["oracle"] == "yoga get little extra"
    assert replies["graph"] == ABSTENTION
    assert texts(clean, "tr:nth-child(1) .chip") == ["★ D20:2", "D20:4", "D7:16", "D19:1", "D19:6"]
    assert texts(clean, "tr:nth-child(4) .chip") == ["★ D20:2"]
    assert texts(clean, "#list [aria-current] .question")[0] == texts(clean, "h2")[0]


def test_a_link_to_nothing(page: Path, clean: Browser) -> None:
    clean.open(page, "conv-43/9999%")
    assert texts(clean, "h2") == ["There is no question conv-43/9999%"]


def test_cited_turns_in_their_conversation(page: Path, clean: Browser) -> None:
    clean.open(page, EXAMPLE)
    choose(clean, read="")
    clean.run("document.getElementById('read').dispatchEvent(new Event('change'))")
    around = [text.split()[1] for text in texts(clean, ".turn > .about")]
    assert around == ["D19:23", "D20:1", "D20:2", "D20:3", "D20:4"]
    assert len(texts(clean, ".turn.evidence")) == 1
    assert "vector, oracle" in texts(clean, ".turn.evidence .tag")[1]
    # A cited turn that is not shown yet comes with its neighbours, and has the focus.
    clean.run("[...document.querySelectorAll('.chip')].find((c) => c.textContent === 'D7:16').click()")
    assert texts(clean, ".turn:focus .about")[0].split()[1] == "D7:16"
    assert len(texts(clean, ".turn")) > len(around)
    # What lies between can be had too: the whole conversation has 680 turns.
    turns = len(texts(clean, ".turn"))
    hidden = [int(text.split()[1]) for text in texts(clean, ".gap")]
    clean.run("document.querySelector('.gap button').click()")
    assert len(texts(clean, ".turn")) == turns + hidden[0]
    choose(clean, read="all")
    clean.run("document.getElementById('read').dispatchEvent(new Event('change'))")
    assert len(texts(clean, ".turn")) == turns + sum(hidden)
    assert texts(clean, ".gap") == []


def test_evidence_that_names_no_turn(page: Path, clean: Browser) -> None:
    clean.open(page, "conv-26/37")
    assert [text for text in texts(clean, "dd .chip") if "(no turn)" in text]


# ---- by keyboard


def test_the_keyboard_alone(page: Path, clean: Browser) -> None:
    from selenium.webdriver import Keys

    clean.open(page)
    clean.press("/")
    assert focused(clean) == "search"
    clean.press("trying out to improve", Keys.ENTER)
    first, second = "#conv-43/143", f"#{EXAMPLE}"
    assert focused(clean) == first
    clean.press(Keys.ARROW_DOWN)
    assert focused(clean) == second
    clean.press(Keys.ARROW_DOWN, Keys.HOME, Keys.END)
    assert focused(clean) == second
    clean.press(Keys.ENTER)
    clean.wait("return document.title", lambda title: EXAMPLE in title)
    assert focused(clean) == "heading"
    clean.press("k")
    clean.wait("return location.hash", lambda hash: hash == first)
    clean.press("j")
    clean.wait("return location.hash", lambda hash: hash == second)
    clean.wait("return document.title", lambda title: EXAMPLE in title)
    clean.press(Keys.TAB)  # the first cited chip below the heading
    clean.press(Keys.ENTER)
    assert texts(clean, ".turn:focus .about")[0].split()[1] == "D20:2"
    clean.press(Keys.ESCAPE)
    assert focused(clean) == second


def test_tab_reaches_every_control(page: Path, clean: Browser) -> None:
    from selenium.webdriver import Keys

    clean.open(page, "conv-26/3")
    script = """
      const all = [...document.querySelectorAll('button, select, input, summary, a[href]')];
      return all.filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0).length
    """
    wanted = clean.run(script)
    clean.run("document.activeElement.blur(); window.reached = new Set()")
    for _ in range(wanted + 8):  # and what scrolls, which Tab reaches too
        clean.press(Keys.TAB)
        clean.run(
            "if (document.activeElement.matches('button, select, input, summary, a[href]')) "
            "window.reached.add(document.activeElement)"
        )
    assert clean.run("return window.reached.size") == wanted
    # Of the list just the current link: arrows reach the others.
    assert clean.run("return document.querySelectorAll('#list a[tabindex=\"0\"]').length") == 1


# ---- on any screen


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 800, 1280])
@pytest.mark.parametrize("fragment", ["", EXAMPLE])
def test_nothing_overflows(fragment: str, width: int, dark: bool, page: Path, clean: Browser) -> None:
    clean.open(page, fragment, width=width, height=760, dark=dark)
    clean.run("for (const more of document.querySelectorAll('details')) more.open = true")
    assert clean.overflow() <= 0
    script = """
      return [...document.querySelectorAll('body *')]
        .filter((e) => e.checkVisibility() && e.clientWidth && e.scrollWidth > e.clientWidth + 1)
        .map((e) => e.outerHTML.slice(0, 200))
    """
    assert clean.run(script) == []


def test_on_a_phone_a_question_takes_the_screen(page: Path, clean: Browser) -> None:
    clean.open(page, width=360, height=760)
    visible = "return ['browse', 'detail'].filter((id) => document.getElementById(id).checkVisibility())"
    assert clean.run(visible) == ["browse"]
    clean.run("document.querySelector('#list a').click()")
    clean.wait("return document.body.className", lambda name: name == "reading")
    assert clean.run(visible) == ["detail"]
    clean.run("document.getElementById('back').click()")
    assert clean.run(visible) == ["browse"]
    clean.run("document.querySelector('#list a').click()")  # the same once more
    clean.wait("return document.body.className", lambda name: name == "reading")
    clean.driver.back()
    clean.wait("return document.body.className", lambda name: name == "")
    assert clean.run(visible) == ["browse"]


def test_text_can_be_read_against_its_ground(page: Path, clean: Browser) -> None:
    """WCAG's contrast of 4.5, in both schemes."""
    script = """
      const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
      const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
      const ground = (e) => {
        for (; e; e = e.parentElement) {
          const colour = rgb(getComputedStyle(e).backgroundColor);
          if (colour[3] !== 0) return colour;
        }
      };
      const low = new Set();
      for (const e of document.querySelectorAll('body *')) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || !e.checkVisibility() || e.disabled || e.matches('script, option')) continue;
        const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) low.add(`${e.tagName}.${e.className}`);
      }
      return [...low];
    """
    for dark in (False, True):
        clean.open(page, "conv-26/3", dark=dark)
        assert clean.run(script) == [], dark


# ---- what the data cannot do


def answers_of_tiny(reply: str = "kayak") -> Answers:
    given = [Answer(reply, ["D1:2"], 0.5), Answer(ABSTENTION, [], 0.0)]
    return {"conv-1": {"vector": given, "graph": given}, "conv-2": {"vector": [], "graph": []}}


def test_text_of_the_dataset_stays_text(
    make_run: MakeRun, tiny: list[dict[str, Any]], clean: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, asked = tiny[0]["conversation"], tiny[0]["qa"][0]
    asked["question"] = asked["answer"] = talk["session_1"][0]["text"] = talk["speaker_a"] = NASTY
    asked["evidence"] = ["D1:1", NASTY]
    talk["session_1"][0]["speaker"] = NASTY
    monkeypatch.chdir(make_run(tiny, answers_of_tiny(NASTY)))
    main(["explore"])
    clean.open(paths.EXPLORER, "conv-1/0")
    assert texts(clean, "h2") == [NASTY]
    assert NASTY in texts(clean, "dd")[0]
    assert NASTY in texts(clean, ".turn .text")
    assert texts(clean, "td.reply")[0] == NASTY
    assert (
        clean.run("return document.querySelectorAll('img, script').length") == 2
    )  # the page's own two scripts
    assert clean.driver.title == "conv-1/0 · LoCoMo explorer"


def test_each_text_is_read_in_the_direction_of_its_own_letters(
    make_run: MakeRun, tiny: list[dict[str, Any]], clean: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, asked = tiny[0]["conversation"], tiny[0]["qa"][0]
    asked["question"] = asked["answer"] = "ما اسم كلب يوسف؟"
    talk["session_1"][0]["text"] = "أهلًا يا Bob!"
    talk["speaker_a"] = talk["session_1"][0]["speaker"] = "ليلى"
    monkeypatch.chdir(make_run(tiny, answers_of_tiny("كلب صغير, red kayak")))
    main(["explore"])
    clean.open(paths.EXPLORER, "conv-1/0")

    def directions(selector: str) -> list[str]:
        found = "[...document.querySelectorAll(arguments[0])]"
        return list(clean.run(f"return {found}.map((one) => getComputedStyle(one).direction)", selector))

    assert directions("h2, dd:first-of-type > div") == ["rtl", "rtl"]
    assert directions(".question") == ["rtl", "ltr"]
    assert directions("td.reply > div") == ["rtl", "rtl"]
    assert directions(".turn b") == directions(".turn .text") == ["rtl", "ltr", "ltr"]
    assert set(directions("body, #detail, table, #turns, .turn, dd")) == {"ltr"}
    # In a line in English each name is isolated: the first stays before the second.
    assert "\u2068ليلى\u2069 and \u2068Bob\u2069" in texts(clean, "#detail > .about")[0]
    assert clean.overflow() <= 0


def test_what_failed_is_neither_right_nor_wrong(
    make_run: MakeRun, tiny: list[dict[str, Any]], clean: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: dict[str, dict[str, list[Any]]] = dict(answers_of_tiny())
    answers["conv-1"]["mine"] = [Failure("ValueError: <b>no idea"), Answer(ABSTENTION, [], 0.0)]
    monkeypatch.chdir(make_run(tiny, answers | {"conv-2": {"vector": [], "graph": [], "mine": []}}))
    main(["explore"])
    clean.open(paths.EXPLORER, "conv-1/0")
    assert texts(clean, "tbody th") == ["vector", "graph"]
    assert "mine failed, and is not scored: ValueError: <b>no idea" in texts(clean, "#detail > p")
    assert "2/2 correct" in texts(clean, "#list a")[0] and "3/3 correct" in texts(clean, "#list a")[1]
    clean.open(paths.EXPLORER, "conv-1/1")
    assert texts(clean, "tbody th") == ["vector", "graph", "mine"]


def test_cited_sessions_and_texts(
    make_run: MakeRun, tiny: list[dict[str, Any]], clean: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Session 1 has D1:1, the evidence, and D1:2; session 2 has D2:1.
    answers = {
        "halls": [Answer("kayak", ["S2", "S1"], 0.5), Answer(ABSTENTION, [], 0.0)],
        "notes": [Answer("kayak", Texts([NASTY, "D1:2"]), 0.5), Answer(ABSTENTION, [], 0.0)],
    }
    monkeypatch.chdir(make_run(tiny, {"conv-1": answers, "conv-2": {"halls": [], "notes": []}}))
    main(["explore"])
    clean.open(paths.EXPLORER, "conv-1/0")
    assert texts(clean, "td.recall") == ["1.00", "-"]
    assert texts(clean, "tr:nth-child(1) .chip") == ["S2", "★ S1"]
    assert texts(clean, "tr:nth-child(2) .chip") == [NASTY, "D1:2"]
    marked = [" ".join(text.split()) for text in texts(clean, ".turn > .about")]
    assert marked == [
        "Ada D1:1 ★ evidencecited by halls",
        "Bob D1:2 cited by halls, notes",
        "Bob D2:1 cited by halls",
    ]
    clean.run("document.querySelector('tr:nth-child(1) .chip').click()")
    assert focused(clean) == "turn-2"
    assert clean.overflow() <= 0
    assert clean.driver.title == "conv-1/0 · LoCoMo explorer"


def test_sessions_as_evidence(
    make_run: MakeRun, tiny: list[dict[str, Any]], clean: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny[0]["qa"][0]["evidence"] = ["S1", "S9"]
    answers = {"vector": [Answer("kayak", ["D2:1", "D1:2"], 0.5), Answer(ABSTENTION, [], 0.0)]}
    monkeypatch.chdir(make_run(tiny, {"conv-1": answers, "conv-2": {"vector": []}}))
    main(["explore"])
    clean.open(paths.EXPLORER, "conv-1/0")
    assert texts(clean, "dd .chip") == ["★ S1", "S9 (no turn)"]
    assert texts(clean, "td.recall") == ["0.50"]
    assert texts(clean, "td .chip") == ["D2:1", "★ D1:2"]
    marked = [" ".join(text.split()) for text in texts(clean, ".turn > .about")]
    assert marked == ["Ada D1:1 ★ evidence", "Bob D1:2 ★ evidencecited by vector", "Bob D2:1 cited by vector"]
    clean.run("document.querySelector('dd .chip').click()")
    assert focused(clean) == "turn-0"


@pytest.mark.parametrize("trap", ["a kayak", ""])
def test_an_adversarial_question_may_have_no_trap(
    trap: str,
    make_run: MakeRun,
    tiny: list[dict[str, Any]],
    clean: Browser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiny[0]["qa"][1]["adversarial_answer"] = trap
    monkeypatch.chdir(make_run(tiny, answers_of_tiny()))
    main(["explore"])
    clean.open(paths.EXPLORER, "conv-1/1")
    note = "The misleading answer that the dataset offers. " if trap else ""
    assert texts(clean, "dd:first-of-type > *") == [trap or "none", f"{note}A right reply abstains."]


def test_the_payload_is_json_that_ends_no_element(
    make_run: MakeRun, tiny: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny[0]["qa"][0]["question"] = NASTY
    monkeypatch.chdir(make_run(tiny, answers_of_tiny()))
    page = explore.render(run.load())
    _, _, behind = page.partition('<script type="application/json" id="data">')
    data, _, _ = behind.partition("</script>")
    assert "<" not in data
    assert json.loads(data)["conversations"][0]["questions"][0] == {
        "index": 0,
        "question": NASTY,
        "answer": "kayak",
        "category": 4,
        "evidence": [["D1:1", 0]],
        "cited": [[1]],
        "answers": [[0, 1.0, 0.0, 0.5, 0, 0], [0, 1.0, 0.0, 0.5, 0, 0]],
    }
