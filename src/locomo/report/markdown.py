"""The report as Markdown, for reading on a pull request."""

from locomo.report.findings import findings
from locomo.report.results import Results
from locomo.report.sections import Grid, Picture, sections
from locomo.score.tables import markdown


def render(results: Results) -> str:
    """`reports/report.md`."""
    lines = [
        "# LoCoMo without a language model: the report",
        f"Dataset: SHA-256 `{results.provenance.dataset}`; {results.key.described()}. `dvc repro` makes"
        " everything below; each table names the command that makes or shows it.",
    ]
    lines += ["## What was found, and how sure it is"]
    lines += ["\n".join(f"- **{finding.figure}** {finding.text}" for finding in findings(results))]
    for section in sections(results):
        lines += [f"## {section.title}", section.text]
        for part in section.parts:
            lines.append(_picture(part) if isinstance(part, Picture) else _grid(part))
    return "\n\n".join(lines) + "\n"


def _picture(picture: Picture) -> str:
    return f"![{picture.caption}](figures/{picture.file})\n\n*{picture.caption}*\n\n{_source(picture)}"


def _grid(grid: Grid) -> str:
    table = f"{markdown(grid.header, grid.rows)}\n\n{_source(grid)}"
    if grid.folded:
        return f"<details><summary>{grid.caption}</summary>\n\n{table}\n\n</details>"
    return f"**{grid.caption}**\n\n{table}"


def _source(part: Grid | Picture) -> str:
    return f"`{part.command}`, `{part.signature}`"
