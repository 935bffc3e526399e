"""Stage `statistics`: what the tables of means cannot show."""

from pathlib import Path

from locomo.core.errors import run
from locomo.core.files import write_json
from locomo.formats import dataset
from locomo.score import scoring
from locomo.statistics import paired
from locomo.text.tokens import load_stems

FOLDER = Path("metrics/statistics")


def main() -> None:
    """Write `abstention.json`, `separation.json`, `paired.json` and `factors.json`."""
    load_stems(Path("data/stems.json"))
    marks = scoring.read_marks(Path("data/marks.csv"))
    conversations = dataset.read(Path("data/locomo10.json"))
    factors = paired.factor_effects(marks)
    write_json(FOLDER / "abstention.json", paired.constant_abstention(conversations))
    write_json(FOLDER / "separation.json", paired.separation(marks))
    differences = paired.paired(marks)
    write_json(FOLDER / "paired.json", differences)
    write_json(FOLDER / "factors.json", factors)
    arms = {mark.arm for mark in marks}
    if missing := [arm for arm in paired.CELLS if arm not in arms]:
        print(f"Left out: factor effects that need {', '.join(missing)}, for want of such an arm.")
    if left_out := differences.get("left_out"):
        print(
            f"Left out of {len(left_out)} paired differences: questions that one of the two arms failed on."
        )
    if len(arms) < 2:
        print("Left out: paired differences, for want of a second arm.")


if __name__ == "__main__":
    run(main)
