"""README and docs: what they link to, name and count is there, and is so."""

import csv
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers.shared import ROOT
from locomo.answer.arms import ARMS, MEMORIES
from locomo.cli import COMMANDS, parser
from locomo.core import paths
from locomo.core.settings import load
from locomo.formats import dataset
from locomo.results import published
from locomo.score.measures import MEASURES
from locomo.statistics.bootstrap import DRAWS
from locomo.statistics.faults import worth

README = ROOT / "README.md"
DOCS = sorted(ROOT.glob("docs/*.md"))
PAGES = [README, *DOCS, ROOT / "demo/README.md", ROOT / "benchmarks/README.md"]
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.M | re.S)
SPAN = re.compile(r"`([^`\n]+)`")
BENCH = re.compile(r"<!-- bench: begin -->.*?<!-- bench: end -->", re.S)
PIPELINE = yaml.safe_load(ROOT.joinpath("dvc.yaml").read_text(encoding="utf-8"))["stages"]
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def text_of(page: Path) -> str:
    """The page without what `make bench` writes, which is held to its own figures."""
    return BENCH.sub("", page.read_text(encoding="utf-8"))


def code_of(page: Path) -> list[str]:
    """Every piece of code, in a line or in a block: no comments behind commands, nothing that they print."""
    text = text_of(page)
    blocks = [
        "\n".join(re.findall(r"^\$ (.+)$", block, re.M)) if kind == "console" else block
        for kind, block in FENCE.findall(text)
    ]
    return [re.sub(r" +#.*$", "", code, flags=re.M) for code in blocks] + SPAN.findall(FENCE.sub("", text))


def prose_of(page: Path) -> str:
    """The page without its blocks, tables, pieces of code, links, and the names of licences."""
    text = SPAN.sub("", FENCE.sub("", text_of(page)))
    return re.sub(r"^\|.*$|\]\([^)]*\)|\bCC BY-NC \d\.\d", "", text, flags=re.M)


def blocks_of(page: Path, kind: str) -> list[str]:
    return [block for found, block in FENCE.findall(text_of(page)) if found == kind]


def metrics(path: str) -> Any:
    return json.loads((ROOT / "metrics" / path).read_text(encoding="utf-8"))


def table_after(page: Path, heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without its header."""
    _, _, behind = text_of(page).partition(f"\n{heading}\n")
    lines = re.search(r"(?:^\|.*\n)+", behind, re.M)
    assert lines, f"no table under {heading}"
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[0].splitlines()[2:]]


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text_of(page)), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 180


def linked(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text_of(page)))


@pytest.mark.parametrize("index", [README, ROOT / "docs/README.md"], ids=["README", "docs"])
def test_every_page_is_linked(index: Path) -> None:
    found = {(index.parent / link.partition("#")[0]).resolve() for link in linked(index)}
    assert {*DOCS, ROOT / "docs/notebook.ipynb"} - found <= {ROOT / "docs/README.md"}


@pages
def test_links_lead_somewhere(page: Path) -> None:
    for link in linked(page):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in anchors(target), link


# ---- what pages name


@pages
def test_commands_exist(page: Path) -> None:
    targets = re.findall(r"^([a-z-]+):", ROOT.joinpath("Makefile").read_text(encoding="utf-8"), re.M)
    for code in code_of(page):
        for target in re.findall(r"(?:^|\s)make ([a-z-]+)", code):
            assert target in targets, code
        for command in re.findall(r"(?:^|\s)locomo ([a-z]+)", code):
            assert command in COMMANDS, code
        for stage in re.findall(r"dvc repro(?: --force| --single-item)* ([a-z]+)", code):
            assert stage in PIPELINE, code


@pages
def test_calls_of_the_command_are_right(page: Path) -> None:
    for _, block in FENCE.findall(text_of(page)):
        for line in re.findall(r"^(?:\$ )?locomo (.+)$", block, re.M):
            words = shlex.split(line, comments=True)
            parser(words).parse_args(words)


FOLDERS = ("data", "metrics", "reports")
OUTPUTS = {
    Path(next(iter(out)) if isinstance(out, dict) else out)
    for stage in PIPELINE.values()
    for out in (*stage["outs"], *stage.get("metrics", []))
} | {value for value in vars(paths).values() if isinstance(value, Path) and value.name not in FOLDERS}


@pages
def test_files_exist(page: Path) -> None:
    elsewhere = {Path("memories/mine.py"), Path("demo/run"), Path(load(ROOT / paths.PARAMS).scorer.path)}
    for code in code_of(page):
        for found in re.findall(r"(?<![\w./-])[\w.+-]+(?:/[\w.+-]+)+(?:\.\w+)?/?", code):
            path = Path(found)
            if path.parts[0] in FOLDERS:
                known = any(path == out or path in out.parents or out in path.parents for out in OUTPUTS)
                assert known or (ROOT / path).exists(), found
            elif path.suffix in (".py", ".sh", ".yaml", ".md") or (ROOT / path.parts[0]).is_dir():
                below = (ROOT, ROOT / "src/locomo")
                assert path in elsewhere or any((folder / path).exists() for folder in below), found


@pages
def test_no_place_of_a_machine_is_named(page: Path) -> None:
    assert not re.search(r"(?<![\w.])/(work|root|home|tmp|Users)\b|pypi|://[^/\s]*index", text_of(page), re.I)


@pages
def test_each_idea_has_one_word(page: Path) -> None:
    found = re.findall(r"\b(quiet|declin\w*|grad(?:e|es|ed|ing)|anew|lest|silence)\b", prose_of(page), re.I)
    assert not found


# ---- what pages count


def test_the_main_table_is_the_one_in_metrics() -> None:
    """As `dvc metrics show` prints it: five decimals, no zeroes at the end."""
    (table,) = (block for block in blocks_of(README, "text") if block.startswith("Path "))
    head, *rows = (line.split() for line in table.splitlines())
    columns = head[1:]
    assert sorted(columns) == sorted(metrics("f1/vector.json"))
    assert sorted(rows) == sorted(
        [f"metrics/f1/{arm}.json", *(str(round(metrics(f"f1/{arm}.json")[column], 5)) for column in columns)]
        for arm in ARMS
    )


@pytest.mark.parametrize("page", [README, ROOT / "docs/reading.md"], ids=lambda page: page.name)
def test_the_signature_is_the_one_in_metrics(page: Path) -> None:
    (signature,) = re.findall(r"^locomo-bench:.*$", text_of(page), re.M)
    assert signature in metrics("signature.json").values()


def test_the_table_of_categories_is_the_one_in_metrics() -> None:
    rows = table_after(ROOT / "docs/reading.md", "## The categories")
    keys = ("category", "questions", "with_several_evidence_turns", "with_a_year_in_the_answer")
    assert {kind: [number, *counts] for number, kind, *counts, _ in rows} == {
        kind.replace("_", " "): [str(counted[key]) for key in keys]
        for kind, counted in metrics("build.json")["categories"].items()
    }


def test_the_tables_name_all_memories_measures_stages_and_settings() -> None:
    reading, internals = ROOT / "docs/reading.md", ROOT / "docs/internals.md"
    memories = [name for row in table_after(reading, "## The arms") for name in SPAN.findall(row[0])]
    assert sorted(memories) == sorted(MEMORIES)
    assert [SPAN.findall(row[0])[0] for row in table_after(internals, "## The stages")] == list(PIPELINE)
    rooms = [SPAN.findall(row[0])[0] for row in table_after(internals, "## The rooms of the package")]
    folders = {path.parent.name for path in ROOT.glob("src/locomo/*/__init__.py")}
    assert set(rooms) == folders and len(rooms) == len(folders)
    measures = re.findall(r"^\*\*(\w+)\*\* is the", text_of(reading), re.M)
    assert sorted(measures) == sorted(MEASURES)


def test_the_settings_are_those_of_params() -> None:
    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    rows = table_after(ROOT / "docs/experiments.md", "## Change a setting")
    shown = {SPAN.findall(row[0])[0]: row[2] for row in rows}
    assert set(shown) == params.keys() - {"dataset", "audit", "scorer", "sweep"}
    for name, value in shown.items():
        if name == "arms":
            assert value == f"all {len(params['arms'])}" and params["arms"] == list(ARMS)
        else:
            assert yaml.safe_load({"none": "[]"}.get(value, value)) == params[name], name


def test_the_runs_of_the_grid_are_points_of_the_sweep() -> None:
    (block,) = (b for b in blocks_of(ROOT / "docs/experiments.md", "console") if "experiments.py" in b)
    with (ROOT / paths.sweep("floor")).open(encoding="utf-8", newline="") as file:
        swept = {(line["arm"], float(line["floor"])): line for line in csv.DictReader(file)}
    rows = [line.split() for line in block.splitlines()[4:]]
    assert rows
    for _, floor, *figures in rows:
        points = [swept[arm, float(floor)] for arm in ("vector", "graph")]
        columns = ("answerable", "adversarial", "abstained")
        assert figures == [f"{float(point[column]):.3f}" for point in points for column in columns]


def test_the_commands_behind_restore_are_those_of_the_makefile() -> None:
    makefile = ROOT.joinpath("Makefile").read_text(encoding="utf-8")
    recipe = re.findall(r"^\t(.+)$", makefile.partition("\nrestore:")[2].partition("\n\n")[0], re.M)
    commands = [line.replace('"$(VENV)/bin/dvc"', "dvc") for line in recipe if not line.startswith("@")]
    assert "\n".join(commands) + "\n" in blocks_of(ROOT / "docs/experiments.md", "sh")


def test_figures_in_prose_are_those_of_their_sources(dataset_path: Path, audit_path: Path) -> None:
    """Each number that looks like a figure: of thousands, with a point, or of three digits."""
    built, official = metrics("build.json"), metrics("official.json")
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = {
        f"{metrics('statistics/abstention.json')['overall']:.3f}",
        f"{built['total']['questions']:,}",
        f"{official['f1_compared']:,}",
        f"{official['recall_compared']:,}",
        f"{built['categories']['adversarial']['questions']}",
        f"{dataset_path.stat().st_size / 1e6:.1f}",
        project["requires-python"].removeprefix(">="),
    }
    run = published.run()
    both = (published.scores(key, run.arms, dataset.read(dataset_path)) for key in ("published", "audited"))
    faults = list(worth(*both).values())
    differences = [[row[measure]["difference"] or 0 for row in faults] for measure in ("f1", "recall")]
    sources |= {f"{limit(some):.3f}" for some in differences for limit in (min, max)}
    sources |= {f"{number:,}" for number in run.notes["audited"].values()}
    sources |= {f"{len(json.loads(audit_path.read_bytes()))}", f"{DRAWS:,}"}
    limits = {"300", "450", "0.5", "1.4", "1.0", "128"}  # MiB, columns, a confidence; benchmarks
    for page in PAGES:
        found = set(
            re.findall(
                r"(?<![\w.,/:-])\d+(?:[.,]\d+)+(?![\w-])|(?<![\w.,/:-])\d{3,}(?![\w.,-])", prose_of(page)
            )
        )
        years = {year for year in found if re.fullmatch("20[0-9]{2}", year)}
        assert found - years - limits <= sources, page


def test_what_is_said_in_words_is_true() -> None:
    total, abstention = metrics("build.json")["total"], metrics("statistics/abstention.json")["overall"]
    assert len(MEMORIES) == total["conversations"] == 10  # "ten memories of ten conversations"
    assert len(ARMS) == 15
    assert total["evidence_without_a_turn"] == 9  # "Nine evidence ids"
    assert 0.99 < metrics("recall/oracle.json")["overall"] < 1
    assert all(metrics(f"f1/{arm}.json")["overall"] < abstention for arm in ("vector", "span"))
    assert metrics("official.json")["largest_difference"] == 0
