"""Stage `statistics`: what the tables of means cannot show."""

from locomo.core import paths, progress
from locomo.core.errors import run
from locomo.core.files import write_json
from locomo.formats import answer_key
from locomo.results.provenance import read_signed
from locomo.results.scores import read_scores
from locomo.statistics.abstention import constant_abstention
from locomo.statistics.external import against_ours
from locomo.statistics.factors import CELLS, factor_effects
from locomo.statistics.paired import every_two, paired
from locomo.statistics.separation import separation


def main() -> None:
    """Write `abstention.json`, `separation.json`, `paired.json`, `factors.json` and `external.json`."""
    signed = read_signed()
    signed.check(paths.DATASET, paths.SCORES)
    scores = read_scores(paths.SCORES)
    differences = paired(scores, progress.over(every_two(scores), "statistics"))
    figures = {
        "abstention": constant_abstention(answer_key.conversations()),
        "separation": separation(scores),
        "paired": differences,
        "factors": factor_effects(scores),
        "external": against_ours(scores, signed.external, answer_key.conversations()),
        "run": {"dataset": signed.provenance.dataset, "scores": signed.scores},
    }
    for name, found in figures.items():
        write_json(paths.STATISTICS / f"{name}.json", found)
    arms = {score.arm for score in scores}
    if missing := [arm for arm in CELLS if arm not in arms]:
        print(f"Left out: factor effects that need {', '.join(missing)}, which did not run.")
    if left_out := differences.get("left_out"):
        print(
            f"Left out of {len(left_out)} paired differences: questions that one of the two arms failed on."
        )
    if len(arms) < 2:
        print("Left out: paired differences, which need a second arm.")


if __name__ == "__main__":
    run(main)
