"""Stage `official`: the official scorer over the predictions, and our marks held against its."""

from pathlib import Path

from locomo import official, settings
from locomo.download import Pinned
from locomo.errors import LocomoError, run
from locomo.files import write_json
from locomo.predictions import read_any

PREDICTIONS = Path("data/predictions.json")
MARKS = Path("data/marks.csv")
TARGET = Path("metrics/official.json")


def main() -> None:
    """Write `metrics/official.json`, or keep the one that is there, where the scorer can't be had."""
    pinned = Pinned(**settings.load().scorer.model_dump())
    sha256 = {
        "scorer": pinned.sha256,
        "predictions": official.digest(PREDICTIONS),
        "marks": official.digest(MARKS),
    }
    try:
        code = official.load_code(pinned)
    except LocomoError as error:
        print(official.do_without(TARGET, sha256, error))
        return
    rows = read_any(PREDICTIONS)
    arms = list(rows[0].answers)
    ours = official.kept_grades(MARKS, rows, arms)
    if ours is None:
        raise LocomoError(f"{MARKS}: holds the marks of other predictions; `dvc repro score` makes them anew")
    grades = official.official_grades(rows, arms, code)
    comparison = official.Comparison(rows, arms, grades, ours, str(MARKS))
    comparison.check()
    write_json(TARGET, {"available": True, "sha256": sha256, **comparison.figures()})
    print(comparison.summary())


if __name__ == "__main__":
    run(main)
