"""`locomo check`: what is wrong with a file in the dataset's format, and what is merely odd."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from locomo.core.errors import LocomoError
from locomo.core.messages import some
from locomo.formats.check import MEANINGS, check


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the argument of `locomo check`."""
    parser.add_argument("file", type=Path, help="a file in the dataset's format (docs/conversations.md)")


def run(arguments: Namespace) -> None:
    """Print what was found. Raises LocomoError if anything is wrong."""
    found = check(arguments.file)
    holds = ", ".join(
        f"{number:,} {what.removesuffix('s') if number == 1 else what}"
        for what, number in found.holds.items()
    )
    print(f"{arguments.file}: {holds}; SHA-256 {found.sha256[:12]}")
    if found.wrong:
        print("\nwrong:\n* " + some(found.wrong, separator="\n* "))
    if found.odd:
        print("\nodd:")
        for what, places in found.odd.items():
            print(f"* {what}: {len(places):,}. {MEANINGS[what]}\n  {some(places, separator='; ')}")
    print()
    if found.wrong:
        number = len(found.wrong)
        raise LocomoError(f"{arguments.file}: {number:,} to correct; no stage reads this file until then")
    print(
        "Nothing is wrong: the stages read this file." + (" What is odd is up to you." if found.odd else "")
    )
