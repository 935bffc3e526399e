"""Stage `report`: the results for reading, and the figures."""

from functools import partial

from locomo.core import paths, progress
from locomo.core.errors import run
from locomo.core.files import replacing, write_csv, write_text
from locomo.report import figures, markdown, page, results
from locomo.score.tables import plain


def main() -> None:
    """Write `reports/`: the report, the page, the figures and two tables; print F1."""
    found = results.load()
    with replacing(paths.FIGURES) as folder:
        folder.mkdir()
        drawings = [
            partial(figures.trade_off, folder / "trade-off.svg", found.sweeps["floor"], found.abstention),
            partial(
                figures.categories, folder / "categories.svg", found.tables["f1"], found.tables["recall"]
            ),
            partial(figures.roc, folder / "roc.svg", found.confidences),
        ]
        if pairs := found.paired["pairs"]:
            drawings.append(partial(figures.forest, folder / "paired.svg", pairs, found.reference))
        for draw in progress.over(drawings, "report"):
            draw()
    write_csv(paths.EQUAL_ABSTENTION, results.equal_abstention_rows(found.curves))
    write_csv(paths.CATEGORIES, results.category_rows(found.tables))
    write_text(paths.REPORT, markdown.render(found))
    write_text(paths.PAGE, page.render(found, paths.FIGURES))
    print(plain("f1", found.tables["f1"]))
    print(f"All results: {paths.PAGE.resolve().as_uri()}")
    print("Every question: run `locomo explore`, which writes a page.")


if __name__ == "__main__":
    run(main)
