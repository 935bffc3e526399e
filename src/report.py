"""Stage `report`: the results for reading, and the figures."""

from pathlib import Path

from locomo.core import settings
from locomo.core.errors import run
from locomo.core.files import replacing, write_csv, write_text
from locomo.report import figures, markdown, page, results


def main() -> None:
    """Write `reports/`: `report.md`, `index.html`, `figures/`, `matched.csv` and `categories.csv`."""
    chosen = settings.load()
    found = results.load(chosen)
    with replacing(Path("reports/figures")) as folder:
        folder.mkdir()
        figures.trade_off(folder / "trade-off.svg", found.sweeps["floor"], found.abstention)
        figures.categories(folder / "categories.svg", found.tables["f1"], found.tables["recall"])
        figures.roc(folder / "roc.svg", found.confidences)
        figures.forest(folder / "paired.svg", found.paired["pairs"], found.reference)
    write_csv(Path("reports/matched.csv"), results.matched_rows(found.curves))
    write_csv(Path("reports/categories.csv"), results.category_rows(found.tables))
    write_text(Path("reports/report.md"), markdown.render(found))
    write_text(Path("reports/index.html"), page.render(found, Path("reports/figures")))


if __name__ == "__main__":
    run(main)
