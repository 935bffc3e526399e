"""Stage `arms`: which arms run, and which code their external memories are."""

from locomo.answer.arms import as_noted
from locomo.core import paths, settings
from locomo.core.errors import run
from locomo.core.files import write_json


def main() -> None:
    """Write `data/arms.json`."""
    chosen = settings.load()
    write_json(paths.ARMS, as_noted(chosen.arms, chosen.may_fail))


if __name__ == "__main__":
    run(main)
