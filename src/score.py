"""Stage `score`: every single mark, and the tables of their means."""

from pathlib import Path

from locomo.core import settings
from locomo.core.errors import run
from locomo.core.files import replacing, write_json
from locomo.formats import dataset
from locomo.results import predictions
from locomo.score import averages, scoring
from locomo.score.signature import of_memory, signature
from locomo.score.tables import plain
from locomo.text.tokens import load_stems

PREDICTIONS = Path("data/predictions.json")


def main() -> None:
    """Write `data/marks.csv`, `metrics/{f1,recall,quiet}/<arm>.json` and `metrics/signature.json`."""
    chosen = settings.load()
    conversations = list(dataset.read(Path("data/locomo10.json")))
    load_stems(Path("data/stems.json"))
    samples = list(predictions.read(PREDICTIONS))
    arms = list(dict.fromkeys(arm for _, rows in samples for row in rows for arm in row))
    marks = list(scoring.mark(conversations, samples))
    scoring.write_marks(Path("data/marks.csv"), marks)
    tables = scoring.tables(marks, arms)
    asked = averages.counts(question.category for talk in conversations for question in talk.questions)
    incomplete = scoring.incomplete(marks, arms, asked)
    counts = {arm: scoring.overall(columns, asked) for arm, columns in incomplete.items()}
    for measure, table in tables.items():
        with replacing(Path("metrics") / measure) as folder:
            folder.mkdir()
            for arm, row in table.items():
                write_json(folder / f"{arm}.json", row | counts.get(arm, {}))
    origins = predictions.read_origins(PREDICTIONS)
    signatures = {arm: signature(chosen, arm, **of_memory(arm, origins, counts)) for arm in arms}
    write_json(Path("metrics/signature.json"), signatures)
    for measure, table in tables.items():
        print(plain(measure, table), end="\n\n")
    if incomplete:
        print(plain("scored", scoring.shares(incomplete, asked)), end="\n\n")
        print("The other questions failed, and count in none of these means.", end="\n\n")
    print(f"To quote a figure, add its signature: {signature(chosen, '<arm>')}")


if __name__ == "__main__":
    run(main)
