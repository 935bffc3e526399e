"""Stage `answer`: every arm over every question."""

from pathlib import Path

from locomo import arms, built, parallel, predictions, settings
from locomo.answer import answer_whole
from locomo.errors import run
from locomo.reader import ReaderSettings


def main() -> None:
    """Write `data/predictions.json`."""
    chosen = settings.load()
    selected = arms.select(chosen.arms, chosen.may_fail)
    reading = ReaderSettings(chosen.floor, chosen.span, chosen.band, chosen.parts)
    tasks = ((*each, selected, chosen.k, reading) for each in built.read(chosen.blind))
    answered = parallel.each("answer", answer_whole, tasks, built.count())
    predictions.write(Path("data/predictions.json"), answered)


if __name__ == "__main__":
    run(main)
