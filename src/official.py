"""Stage `official`: the official scorer over the predictions, and our scores compared with its."""

from locomo.core import paths, settings
from locomo.core.download import MissingFileError, Pinned
from locomo.core.errors import LocomoError, run
from locomo.core.files import write_json
from locomo.official.comparison import Comparison, digest, do_without, kept_scores, official_scores
from locomo.official.scorer import load_code
from locomo.results.predictions import read_any


def main() -> None:
    """Write `metrics/official.json`, or keep the one that is there if the scorer can't be downloaded."""
    pinned = Pinned(**settings.load().scorer.model_dump())
    sha256 = {
        "scorer": pinned.sha256,
        "predictions": digest(paths.PREDICTIONS),
        "scores": digest(paths.SCORES),
    }
    try:
        code = load_code(pinned)
    except MissingFileError as error:
        print(do_without(paths.OFFICIAL, sha256, error))
        return
    rows = read_any(paths.PREDICTIONS)
    arms = list(rows[0].answers)
    ours = kept_scores(paths.SCORES, rows, arms)
    if ours is None:
        raise LocomoError(f"{paths.SCORES}: is of other predictions; run `dvc repro score` to make it again")
    compared = Comparison(rows, arms, official_scores(rows, arms, code), ours, str(paths.SCORES))
    compared.check()
    write_json(paths.OFFICIAL, {"available": True, "sha256": sha256, **compared.figures()})
    print(compared.summary())


if __name__ == "__main__":
    run(main)
