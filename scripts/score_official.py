"""Rescore a predictions file with the official scorer, and compare our scores with its.

The file is in the official shape and may come from any system; the scorer is fetched once, and checked.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.core import paths, settings
from locomo.core.download import Pinned
from locomo.core.errors import LocomoError, run
from locomo.core.files import write_json
from locomo.official.comparison import (
    Comparison,
    ScoredAnswer,
    digest,
    kept_scores,
    official_scores,
    our_scores,
)
from locomo.official.scorer import load_code
from locomo.results.predictions import GivenRow, read_any

ROOT = Path(__file__).resolve().parent.parent


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Exits 1, naming question and arm, if any F1 score or recall differs by more than 1e-12.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("predictions", type=Path, help="such as data/predictions.json")
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


def select(rows: Sequence[GivenRow], names: Sequence[str] | None, file: Path) -> list[str]:
    arms = list(rows[0].answers)
    if unknown := [name for name in names or () if name not in arms]:
        raise LocomoError(f"--arms: {', '.join(unknown)}: not in {file}, which has {', '.join(arms)}")
    return [arm for arm in arms if not names or arm in names]


def is_own(file: Path) -> bool:
    """Whether a file is, byte for byte, the predictions that scores and signature here belong to."""
    own = ROOT / paths.PREDICTIONS
    return own.exists() and digest(own) == digest(file)


def signature(own: bool, arms: Sequence[str]) -> str:
    if not own:
        return f"signature: none of ours, as the predictions are not those of {paths.PREDICTIONS} here"
    try:
        found = json.loads((ROOT / paths.SIGNATURES).read_bytes())[arms[0]]
    except (OSError, ValueError, LookupError):
        return f"signature: none, as {paths.SIGNATURES} has none of {arms[0]}; run `dvc repro score`"
    return f"signature: {found.removesuffix(arms[0])}<arm>"


def ours(
    rows: Sequence[GivenRow], arms: Sequence[str], scores: Path | None, own: bool
) -> tuple[list[ScoredAnswer], str]:
    """Our scores, and where they are from."""
    path = scores or ROOT / paths.SCORES
    if scores or (own and path.exists()):
        kept = kept_scores(path, rows, arms)
        if kept is not None:
            return kept, str(scores or paths.SCORES)
    if scores:
        raise LocomoError(f"{scores}: is of other predictions; leave out --scores to use our metric")
    return our_scores(rows, arms), "our metric"


def main(arguments: Sequence[str] | None = None) -> None:
    chosen = parser().parse_args(arguments)
    rows = read_any(chosen.predictions)
    arms = select(rows, chosen.arms, chosen.predictions)
    own = is_own(chosen.predictions)
    scores, source = ours(rows, arms, chosen.scores, own)
    pinned = Pinned(**settings.load(ROOT / "params.yaml").scorer.model_dump())
    compared = Comparison(rows, arms, official_scores(rows, arms, load_code(pinned)), scores, source)
    print(compared.shown(), signature(own, arms), compared.summary(), sep="\n\n")
    compared.check()
    if chosen.json:
        sha256 = {"scorer": pinned.sha256, "predictions": digest(chosen.predictions)}
        write_json(chosen.json, {"sha256": sha256, "compared_with": source, **compared.figures()})


if __name__ == "__main__":
    run(main)
