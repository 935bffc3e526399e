"""Stage `statistics`: what the tables of means cannot show."""

from pathlib import Path

from locomo import dataset, score, statistics
from locomo.errors import run
from locomo.files import write_json
from locomo.text import load_stems

FOLDER = Path("metrics/statistics")


def main() -> None:
    """Write `abstention.json`, `separation.json`, `paired.json` and `factors.json`."""
    load_stems(Path("data/stems.json"))
    marks = score.read_marks(Path("data/marks.csv"))
    conversations = dataset.read(Path("data/locomo10.json"))
    factors = statistics.factor_effects(marks)
    write_json(FOLDER / "abstention.json", statistics.constant_abstention(conversations))
    write_json(FOLDER / "separation.json", statistics.separation(marks))
    paired = statistics.paired(marks)
    write_json(FOLDER / "paired.json", paired)
    write_json(FOLDER / "factors.json", factors)
    arms = {mark.arm for mark in marks}
    if missing := [arm for arm in statistics.CELLS if arm not in arms]:
        print(f"Left out: factor effects that need {', '.join(missing)}, for want of such an arm.")
    if left_out := paired.get("left_out"):
        print(
            f"Left out of {len(left_out)} paired differences: questions that one of the two arms failed on."
        )
    if len(arms) < 2:
        print("Left out: paired differences, for want of a second arm.")


if __name__ == "__main__":
    run(main)
