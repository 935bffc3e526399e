"""Stage `official`: the official scorer over the predictions, and our marks held against its."""

from pathlib import Path

from locomo.core import settings
from locomo.core.download import Pinned
from locomo.core.errors import LocomoError, run
from locomo.core.files import write_json
from locomo.official import comparison
from locomo.results.predictions import read_any

PREDICTIONS = Path("data/predictions.json")
MARKS = Path("data/marks.csv")
TARGET = Path("metrics/official.json")


def main() -> None:
    """Write `metrics/official.json`, or keep the one that is there, where the scorer can't be had."""
    pinned = Pinned(**settings.load().scorer.model_dump())
    sha256 = {
        "scorer": pinned.sha256,
        "predictions": comparison.digest(PREDICTIONS),
        "marks": comparison.digest(MARKS),
    }
    try:
        code = comparison.load_code(pinned)
    except LocomoError as error:
        print(comparison.do_without(TARGET, sha256, error))
        return
    rows = read_any(PREDICTIONS)
    arms = list(rows[0].answers)
    ours = comparison.kept_grades(MARKS, rows, arms)
    if ours is None:
        raise LocomoError(f"{MARKS}: holds the marks of other predictions; `dvc repro score` makes them anew")
    grades = comparison.official_grades(rows, arms, code)
    compared = comparison.Comparison(rows, arms, grades, ours, str(MARKS))
    compared.check()
    write_json(TARGET, {"available": True, "sha256": sha256, **compared.figures()})
    print(compared.summary())


if __name__ == "__main__":
    run(main)
