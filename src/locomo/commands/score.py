"""`locomo score`: the answers of a system that ran elsewhere, beside our arms on the same questions."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from locomo.core import paths
from locomo.core.messages import chosen
from locomo.results.provenance import read_signed
from locomo.submissions import ours
from locomo.submissions.comparison import compare
from locomo.submissions.diagnosis import check_scored
from locomo.submissions.matching import match
from locomo.submissions.names import distinct
from locomo.submissions.reading import Answers, read
from locomo.submissions.report import FORMATS, Report


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `locomo score`."""
    add_file(parser)
    add = parser.add_argument
    add("--against", nargs="+", metavar="ARM", help="compare only with these of our arms (default: all)")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--format", choices=FORMATS, default="text", help="what to print (default: text)")
    shown.add_argument(
        "--json", action="store_const", const="json", dest="format", help="the same as --format json"
    )


def add_file(parser: ArgumentParser) -> None:
    """Declare the file of answers, and the options that say how to read it and by which key to judge."""
    add = parser.add_argument
    add("file", type=Path, help="the answers: .json, .jsonl, .csv, .tsv, .parquet or .xlsx, also with .gz")
    add("--prediction-key", metavar="KEY", help="the key of the reply (default: found)")
    add("--judge-key", metavar="KEY", help="the key of a judge's label, shown beside (default: found)")
    add(
        "--key",
        metavar="KEY",
        help="the answer key: published (the dataset's own), audited (its faults corrected or left out), or a"
        " corrected file in the dataset's format (default: that of the run here, else published)",
    )
    add(
        "--samples",
        type=samples,
        metavar="NAME=ID,...",
        help="which conversation the file means by a name, such as 0=conv-26,1=conv-30 (default: found)",
    )


def read_file(arguments: Namespace) -> Answers:
    """The answers of the file, as the options of `add_file` say.

    Raises LocomoError if it is the predictions here, but not those that were scored here.
    """
    if paths.SCORES.exists() and arguments.file.resolve() == paths.PREDICTIONS.resolve():
        read_signed().check(paths.PREDICTIONS)
    return read(arguments.file, arguments.prediction_key, arguments.judge_key)


def samples(text: str) -> dict[str, str]:
    """The sample ids by name in a text such as `0=conv-26,1=conv-30`."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    if not all(name.strip() and id.strip() for name, _, id in pairs):
        raise ArgumentTypeError(f"{text!r}: expected NAME=ID,..., such as 0=conv-26,1=conv-30")
    return {name.strip(): id.strip() for name, _, id in pairs}


def run(arguments: Namespace) -> None:
    """Print what happened to the records, and the figures. Raises LocomoError if no answer can be scored."""
    answers = read_file(arguments)
    known = ours.load(arguments.key)
    against = chosen("--against", arguments.against, list(known.scores))
    systems = distinct(match(answers.given, known.conversations, arguments.samples, known.key), known.scores)
    check_scored(systems, arguments.file)
    if any(system.by_session for system in systems):
        known = ours.with_session_recall(known)
    comparisons = compare(systems, {arm: known.scores[arm] for arm in against})
    print(FORMATS[arguments.format](Report(arguments.file, answers, known, comparisons)))
