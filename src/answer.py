"""Stage `answer`: every arm over every question."""

from pathlib import Path

from locomo.answer import arms
from locomo.answer.asking import answer_whole
from locomo.core import parallel, settings
from locomo.core.errors import run
from locomo.formats import indexed
from locomo.reader.lifting import ReaderSettings
from locomo.results import predictions


def main() -> None:
    """Write `data/predictions.json`."""
    chosen = settings.load()
    selected = arms.select(chosen.arms, chosen.may_fail)
    reading = ReaderSettings(chosen.floor, chosen.span, chosen.band, chosen.parts)
    tasks = ((*each, selected, chosen.k, reading) for each in indexed.read(chosen.blind))
    answered = parallel.each("answer", answer_whole, tasks, indexed.count())
    predictions.write(Path("data/predictions.json"), answered)


if __name__ == "__main__":
    run(main)
