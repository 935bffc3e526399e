"""The command `locomo`. A new subcommand is a new line in `COMMANDS`."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Protocol

from locomo import __version__
from locomo.commands import explore, export, score, show
from locomo.core.errors import run


class Command(Protocol):
    """The interface of a subcommand's module."""

    @property
    def SUMMARY(self) -> str:
        """One line for `locomo --help`."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""

    def run(self, arguments: Namespace) -> None:
        """Run it. Raises LocomoError with what to correct."""


COMMANDS: dict[str, Command] = {"show": show, "explore": explore, "score": score, "export": export}


def main(words: Sequence[str] | None = None) -> None:
    """Run the subcommand that the words (those of the command line by default) ask for.

    Exits with 1 and one line on an error to correct, with 2 on a wrong option.
    """
    arguments = _parser().parse_args(words)
    run(lambda: _run(arguments))


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        "locomo",
        description="Look at what a run answered, and compare other answers with it.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.SUMMARY, description=command.SUMMARY)
        command.add_arguments(subparser)
        subparser.set_defaults(command=command)
    return parser


def _run(arguments: Namespace) -> None:
    try:
        arguments.command.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # `| head` has read enough. Python flushes once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)  # what a shell reports of any program that a closed pipe ended
