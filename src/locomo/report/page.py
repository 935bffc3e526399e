"""The report as one page that needs no other file: `reports/index.html`."""

import re
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from locomo.report.findings import findings
from locomo.report.results import Results
from locomo.report.sections import Cell, sections
from locomo.report.style import style


def render(results: Results, figures: Path) -> str:
    """The page, with the SVG files of `figures` in it."""
    environment = Environment(
        loader=PackageLoader("locomo.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    arms = {arm: style(arm).colour for arm in results.arms}
    environment.filters |= {
        "code": _code,
        "plain": lambda text: text.replace("`", ""),
        "svg": lambda name: _svg(figures / name),
        "cell": _cell,
        "arms_of": lambda cell: _arms_of(cell, set(arms)),
    }
    return environment.get_template("page.html.j2").render(
        arms=arms,
        findings=findings(results),
        sections=sections(results),
        sha256=results.provenance.dataset,
        key=results.key.described(),
        total=f"{results.asked:,}",
    )


def _code(text: str) -> Markup:
    """Text with its `backquoted` parts as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _svg(path: Path) -> Markup:
    """The drawing without the XML prologue, with ids that differ from those of other figures."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg") :]
    # Ids from matplotlib may occur in two figures. Ids of arms are ours and stay.
    own = rf"{path.stem}-"
    text = re.sub(r'(\bid="|xlink:href="#|url\(#)(?!arm:)', rf"\g<1>{own}", text)
    return Markup(text)


def _cell(cell: Cell, first: bool) -> Markup:
    if first:
        return Markup('<th scope="row">{}</th>').format(cell)
    if cell is None:
        return Markup("<td>-</td>")
    if isinstance(cell, float):
        return Markup(f"<td>{cell:.3f}</td>")
    return Markup('<td class="text">{}</td>' if re.search("[a-z]", cell) else "<td>{}</td>").format(cell)


def _arms_of(cell: Cell, arms: set[str]) -> Markup:
    """The attribute that names the arms of a row: one, or the two of a pair."""
    named = str(cell).split(" - ")
    return Markup(' data-arms="{}"').format(" ".join(named)) if arms.issuperset(named) else Markup("")
