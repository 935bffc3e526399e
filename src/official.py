"""Stage `official`: the official scorer over the predictions, and our scores compared with its."""

from locomo.core import paths, settings
from locomo.core.download import MissingFileError
from locomo.core.errors import run
from locomo.core.files import write_json
from locomo.formats import answer_key
from locomo.official.comparison import Comparison, answers, do_without, kept_scores, official_scores
from locomo.official.scorer import load_code
from locomo.results.provenance import read_signed
from locomo.results.scores import read_scores
from locomo.submissions.matching import match
from locomo.submissions.reading import read


def main() -> None:
    """Write `metrics/official.json`, or keep the one that is there if the scorer can't be downloaded."""
    pinned = settings.load().scorer.pinned()
    signed = read_signed()
    signed.check(paths.DATASET, paths.PREDICTIONS, paths.SCORES)
    sha256 = {"scorer": pinned.sha256, "predictions": signed.predictions, "scores": signed.scores}
    try:
        code = load_code(pinned)
    except MissingFileError as error:
        print(do_without(paths.OFFICIAL, sha256, error))
        return
    systems = match(read(paths.PREDICTIONS).given, list(answer_key.conversations()))
    answered = answers(systems)
    ours = kept_scores(read_scores(paths.SCORES), answered)
    compared = Comparison(systems, answered, official_scores(answered, code), ours, str(paths.SCORES))
    compared.check()
    write_json(paths.OFFICIAL, {"available": True, "sha256": sha256, **compared.figures()})
    print(compared.summary())


if __name__ == "__main__":
    run(main)
