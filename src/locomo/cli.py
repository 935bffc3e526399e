"""The command `locomo`. A new subcommand is a new line in `COMMANDS`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

from locomo import __version__
from locomo.core.errors import run


class Command(Protocol):
    """The interface of a subcommand's module, which is `locomo.commands.<name>`."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""

    def run(self, arguments: Namespace) -> None:
        """Run it. Raises LocomoError with what to correct."""


COMMANDS = {
    "new": "Write a memory of your own to start from, memories/NAME.py, which runs as it is.",
    "run": "Try a memory of your own in seconds, beside our arms on the same questions.",
    "show": "Show answered questions: reference answer, evidence, and each arm's reply, score and cites.",
    "explore": "Write data/explorer.html, a page to filter, search and compare all answered questions.",
    "score": "Score the answers of a system that ran elsewhere, beside our arms on the same questions.",
    "check": "Say what is wrong with a file in the dataset's format, and what is odd about it.",
    "convert": "Write a file of LongMemEval's in LoCoMo's format, to run everything here on it.",
    "export": "Write a run for other tools: TREC run and qrels, predictions and scores as tables, graphs.",
}
"""One line for `locomo --help` about each subcommand. Its module is imported only when it is called: it may
need packages that the others do without."""


def main(words: Sequence[str] | None = None) -> None:
    """Run the subcommand that the words (those of the command line by default) ask for.

    Exits with 1 and one line on an error to correct, with 2 on a wrong option.
    """
    given = sys.argv[1:] if words is None else words
    arguments = parser(given).parse_args(given)
    run(lambda: arguments.command.run(arguments))


def parser(words: Sequence[str]) -> ArgumentParser:
    """The parser for these words: of the subcommands, only the one that they call has its options."""
    made = ArgumentParser(
        "locomo",
        description="Try a memory, look at what a run answered, and compare other answers with it.",
    )
    made.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    called = next((word for word in words if not word.startswith("-")), None)
    for name, summary in COMMANDS.items():
        subparser = commands.add_parser(name, help=summary, description=summary)
        if name == called:
            command: Command = import_module(f"locomo.commands.{name}")
            command.add_arguments(subparser)
            subparser.set_defaults(command=command)
    return made
