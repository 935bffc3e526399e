"""Stage `control`: every arm with and without the graph."""

from pathlib import Path

from locomo.answer import arms
from locomo.answer.asking import answer_both
from locomo.core import parallel, settings
from locomo.core.errors import run
from locomo.core.files import write_json
from locomo.formats import indexed
from locomo.reader.lifting import ReaderSettings
from locomo.study.control import control


def main() -> None:
    """Write `metrics/control.json`."""
    chosen = settings.load()
    selected = arms.select(chosen.arms, chosen.may_fail)
    reading = ReaderSettings(chosen.floor, chosen.span, chosen.band, chosen.parts)
    tasks = ((*each, selected, chosen.k, reading) for each in indexed.read())
    both = parallel.each("control", answer_both, tasks, indexed.count())
    conversations, seeing, blind = zip(*both, strict=True)
    found = control(conversations, selected, seeing, blind)
    write_json(Path("metrics/control.json"), found)
    print(f"identical without the graph: {', '.join(found['identical']) or 'none'}")
    print(f"silent without the graph: {', '.join(found['silent']) or 'none'}")


if __name__ == "__main__":
    run(main)
