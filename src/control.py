"""Stage `control`: every arm with and without the graph."""

from pathlib import Path

from locomo import arms, built, parallel, settings
from locomo.answer import answer_both
from locomo.control import control
from locomo.errors import run
from locomo.files import write_json
from locomo.reader import ReaderSettings


def main() -> None:
    """Write `metrics/control.json`."""
    chosen = settings.load()
    selected = arms.select(chosen.arms, chosen.may_fail)
    reading = ReaderSettings(chosen.floor, chosen.span, chosen.band, chosen.parts)
    tasks = ((*each, selected, chosen.k, reading) for each in built.read())
    both = parallel.each("control", answer_both, tasks, built.count())
    conversations, seeing, blind = zip(*both, strict=True)
    found = control(conversations, selected, seeing, blind)
    write_json(Path("metrics/control.json"), found)
    print(f"identical without the graph: {', '.join(found['identical']) or 'none'}")
    print(f"silent without the graph: {', '.join(found['silent']) or 'none'}")


if __name__ == "__main__":
    run(main)
