"""Rescore a file of answers with the official scorer, and compare our scores with its.

The file may come from any system, as for `locomo score`; the scorer is fetched once, and checked. The
questions are those of the run in the current folder, or those of LoCoMo.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.commands.score import add_file, read_file
from locomo.core import paths, settings
from locomo.core.errors import LocomoError, run
from locomo.core.files import digest, write_json
from locomo.official.comparison import (
    Answer,
    Comparison,
    Scores,
    answers,
    kept_scores,
    official_scores,
    our_scores,
)
from locomo.official.scorer import load_code
from locomo.results.provenance import read_signed
from locomo.results.scores import Score, read_scores
from locomo.submissions import ours
from locomo.submissions.diagnosis import check_scored, remarks
from locomo.submissions.matching import Key, Matched, match
from locomo.submissions.names import distinct

ROOT = Path(__file__).resolve().parent.parent


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Exits 1, naming question and arm, if any F1 score or recall differs by more than 1e-12.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_file(parser)
    parser.add_argument(
        "--arms", nargs="+", metavar="ARM", help="score only these (default: all in the file)"
    )
    parser.add_argument(
        "--scores",
        type=Path,
        metavar="CSV",
        help=f"compare with these (default: {paths.SCORES} for {paths.PREDICTIONS}, else our metric)",
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the official figures to a file, too")
    return parser


def select(systems: Sequence[Matched], names: Sequence[str] | None, file: Path) -> list[Matched]:
    arms = [system.arm for system in systems]
    if unknown := [name for name in names or () if name not in arms]:
        raise LocomoError(f"--arms: {', '.join(unknown)}: not in {file}, which has {', '.join(arms)}")
    chosen = [system for system in systems if not names or system.arm in names]
    check_scored(chosen, file)
    return chosen


def is_own(file: Path) -> bool:
    """Whether a file is, byte for byte, the predictions of the run in this folder."""
    return paths.SCORES.exists() and read_signed().predictions == digest(file)


def our_own(
    answered: Sequence[Answer], scores: Path | None, run: Mapping[str, Mapping[Key, Score]] | None
) -> tuple[Scores, str]:
    """Our scores, and where they are from."""
    if scores is None and run is None:
        return our_scores(answered), "our metric"
    kept = (
        read_scores(scores) if scores else [one for of_arm in (run or {}).values() for one in of_arm.values()]
    )
    try:
        return kept_scores(kept, answered), str(scores or paths.SCORES)
    except LookupError:
        advice = "leave out --scores to use our metric"
        raise LocomoError(f"{scores or paths.SCORES}: is of other predictions; {advice}") from None


def main(arguments: Sequence[str] | None = None) -> None:
    chosen = parser().parse_args(arguments)
    given = read_file(chosen).given
    known = ours.load(chosen.key)
    matched = match(given, known.conversations, chosen.samples, known.key)
    systems = select(distinct(matched, ours=()), chosen.arms, chosen.file)
    own = chosen.key is None and is_own(chosen.file)
    answered = answers(systems)
    scores, source = our_own(answered, chosen.scores, known.scores if own else None)
    pinned = settings.load(ROOT / "params.yaml").scorer.pinned()
    official = official_scores(answered, load_code(pinned))
    compared = Comparison(systems, answered, official, scores, source)
    signature = known.signature if own else f"none of ours, as these are not the scores in {paths.SCORES}"
    notes = [f"{system.arm}: {remark}" for system in systems for remark in remarks(system)] if not own else []
    print(compared.shown(), f"signature: {signature}", "\n".join([*notes, compared.summary()]), sep="\n\n")
    compared.check()
    if chosen.json:
        sha256 = {"scorer": pinned.sha256, "predictions": digest(chosen.file)}
        write_json(chosen.json, {"sha256": sha256, "compared_with": source, **compared.figures()})


if __name__ == "__main__":
    run(main)
