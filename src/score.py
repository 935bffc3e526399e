"""Stage `score`: every single mark, and the tables of their means."""

from pathlib import Path

from locomo import dataset, predictions, score, settings
from locomo.errors import run
from locomo.files import replacing, write_json
from locomo.report.tables import plain
from locomo.signature import signature
from locomo.text import load_stems


def main() -> None:
    """Write `data/marks.csv`, `metrics/{f1,recall,quiet}/<arm>.json` and `metrics/signature.json`."""
    chosen = settings.load()
    conversations = dataset.read(Path("data/locomo10.json"))
    load_stems(Path("data/stems.json"))
    marks = list(score.mark(conversations, predictions.read(Path("data/predictions.json"))))
    score.write_marks(Path("data/marks.csv"), marks)
    tables = score.tables(marks)
    for measure, table in tables.items():
        with replacing(Path("metrics") / measure) as folder:
            folder.mkdir()
            for arm, row in table.items():
                write_json(folder / f"{arm}.json", row)
    signatures = {arm: signature(chosen, arm) for arm in tables["f1"]}
    write_json(Path("metrics/signature.json"), signatures)
    for measure, table in tables.items():
        print(plain(measure, table), end="\n\n")
    print(f"To quote a figure, add its signature: {signature(chosen, '<arm>')}")


if __name__ == "__main__":
    run(main)
