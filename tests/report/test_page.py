"""The page, in a real browser: it needs nothing else, shows every arm, can be sorted, thinned and printed."""

from pathlib import Path

import pytest

from helpers.browser import Browser
from helpers.clones import DemoRun
from locomo.answer.arms import ARMS

FIRST_TABLE = "document.querySelector('main table')"
FOCUSABLE = "a[href], input, button, summary, [tabindex='0']"


@pytest.fixture
def page(demo_run: DemoRun) -> Path:
    return demo_run / "reports/index.html"


def shown_rows(browser: Browser, table: str = FIRST_TABLE) -> list[str]:
    script = f"return [...{table}.tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[0].textContent)"
    found: list[str] = browser.run(script)
    return found


def test_nothing_is_missing_and_nothing_is_fetched(browser: Browser, page: Path) -> None:
    browser.open(page)
    console, requests = browser.heard()
    assert console == []
    assert [address for address in requests if not address.startswith("data:")] == [page.resolve().as_uri()]


def test_every_arm_has_its_row_and_the_figures_of_the_metrics(
    browser: Browser, page: Path, demo_run: DemoRun
) -> None:
    browser.open(page)
    assert shown_rows(browser) == [*ARMS, "always abstains"]
    cells = browser.run(
        f"return [...{FIRST_TABLE}.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
    )
    for arm, row in demo_run.table("f1").items():
        assert [arm, *(f"{value:.3f}" for value in row.values())] in cells


def test_figures_have_a_size(browser: Browser, page: Path) -> None:
    browser.open(page)
    sizes = browser.run(
        "return [...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect().toJSON())"
    )
    assert len(sizes) == 4
    assert all(size["width"] > 300 and size["height"] > 200 for size in sizes)


def test_a_click_on_a_heading_sorts(browser: Browser, page: Path, demo_run: DemoRun) -> None:
    browser.open(page)
    table = demo_run.table("f1")
    click = (
        f"[...{FIRST_TABLE}.querySelectorAll('th button')].find(b => b.textContent === 'adversarial').click()"
    )
    browser.run(click)
    found = shown_rows(browser)
    assert found[0] == "always abstains"
    figures = [table[arm]["adversarial"] for arm in found[1:]]
    assert figures == sorted(figures, reverse=True)
    browser.run(click)
    assert [table[arm]["adversarial"] for arm in shown_rows(browser)[:-1]] == sorted(figures)
    heading = f"return {FIRST_TABLE}.querySelector('th[aria-sort]').getAttribute('aria-sort')"
    assert browser.run(heading) == "ascending"


def test_a_hidden_arm_is_gone_from_tables_and_figures(browser: Browser, page: Path) -> None:
    browser.open(page)
    visible = """return [...document.querySelectorAll("svg [id^='arm:']")]
      .filter(m => m.style.display !== "none")
      .filter(m => m.id.split(":")[2].split(",").includes(arguments[0])).length"""
    assert browser.run(visible, "walk3") > 10
    browser.run("document.querySelector(\"#arms input[value='walk3']\").focus()")
    browser.press(" ")
    assert shown_rows(browser) == [*(arm for arm in ARMS if arm != "walk3"), "always abstains"]
    assert browser.run(visible, "walk3") == 0
    pairs = "document.querySelector(\"section:has(svg [id^='arm:paired']) details table\")"
    assert len(shown_rows(browser, pairs)) == 14 * 13 // 2
    # A curve that arms share stays until the last of them is hidden.
    browser.run("document.querySelector(\"#arms input[value='vector']\").click()")
    assert browser.run(visible, "vector+set") > 0
    browser.press(" ")
    assert browser.run(visible, "walk3") > 10


def test_the_keyboard_reaches_everything(browser: Browser, page: Path) -> None:
    browser.open(page)
    total = browser.run(
        f"""window.todo = new Set([...document.querySelectorAll("{FOCUSABLE}")]
          .filter(e => e.checkVisibility()));
        document.addEventListener("focusin", e => todo.delete(e.target));
        return todo.size"""
    )
    assert total > 150
    for _ in range(total // 20 + 2):
        browser.press(*["\ue004"] * 20)
    assert browser.run("return [...todo].map(e => e.outerHTML.slice(0, 90))") == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_fits_a_phone_and_a_desk_by_day_and_by_night(
    browser: Browser, page: Path, width: int, dark: bool
) -> None:
    browser.open(page, width=width, dark=dark)
    assert browser.overflow() == 0
    # No text runs out of the box it stands in, tables that scroll by themselves aside.
    spilling = browser.run(
        """return [...document.querySelectorAll("h1, h2, h3, p, li, label, summary, figcaption, code")]
          .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth)
          .map(e => e.textContent.slice(0, 60))"""
    )
    assert spilling == []
    paper = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(22, 23, 25)" if dark else "rgb(255, 255, 255)")


def test_on_paper_nothing_is_folded_away(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.run("return [...document.querySelectorAll('details')].some(d => !d.open)")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return [...document.querySelectorAll('details')].every(d => d.open)")
