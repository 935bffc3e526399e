"""Stage `answer`: every arm over every question."""

from locomo.answer import arms
from locomo.answer.asking import answer_as_json
from locomo.core import parallel, paths, settings
from locomo.core.errors import run
from locomo.formats import answer_key
from locomo.formats.built import built
from locomo.formats.store import count_built, read_built
from locomo.reader.base import ReaderSettings
from locomo.results import predictions
from locomo.results.provenance import Provenance


def main() -> None:
    """Write `data/predictions.json`."""
    chosen = settings.load()
    selected = arms.noted()
    reading = ReaderSettings.of(chosen)
    key = answer_key.load().name
    provenance = Provenance.of(built(), key, blind=chosen.blind, **reading._asdict())
    tasks = (
        (talk, store, arms.at_hand(selected, talk, [chosen.k]), reading, provenance)
        for talk, store in read_built(chosen.blind)
    )
    answered = parallel.each("answer", answer_as_json, tasks, count_built())
    predictions.write(paths.PREDICTIONS, answered)


if __name__ == "__main__":
    run(main)
