"""Rescore a predictions file with the official scorer, and hold our marks against its.

The file is in the official shape and may come from any system; the scorer is fetched once, and checked.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.core import settings
from locomo.core.download import Pinned
from locomo.core.errors import LocomoError, run
from locomo.core.files import write_json
from locomo.official import comparison
from locomo.results.predictions import GivenRow, read_any

ROOT = Path(__file__).resolve().parent.parent
PREDICTIONS = Path("data/predictions.json")
MARKS = Path("data/marks.csv")
SIGNATURES = Path("metrics/signature.json")


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Exits 1, naming question and arm, if any mark or recall differs by more than 1e-12.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("predictions", type=Path, help="such as data/predictions.json")
    parser.add_argument(
        "--arms", nargs="+", metavar="ARM", help="score only these (default: all in the file)"
    )
    parser.add_argument(
        "--marks",
        type=Path,
        metavar="CSV",
        help=f"marks to compare with (default: {MARKS} for {PREDICTIONS} itself, else our metric's)",
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the official figures to a file, too")
    return parser


def select(rows: Sequence[GivenRow], names: Sequence[str] | None, file: Path) -> list[str]:
    arms = list(rows[0].answers)
    if unknown := [name for name in names or () if name not in arms]:
        raise LocomoError(f"--arms: {', '.join(unknown)}: not in {file}, which has {', '.join(arms)}")
    return [arm for arm in arms if not names or arm in names]


def is_own(file: Path) -> bool:
    """Whether a file is, byte for byte, the predictions that marks and signature here belong to."""
    own = ROOT / PREDICTIONS
    return own.exists() and comparison.digest(own) == comparison.digest(file)


def signature(own: bool, arms: Sequence[str]) -> str:
    if not own:
        return f"signature: none of ours, as the predictions are not those of {PREDICTIONS} here"
    try:
        found = json.loads((ROOT / SIGNATURES).read_bytes())[arms[0]]
    except (OSError, ValueError, LookupError):
        return f"signature: none, as {SIGNATURES} has none of {arms[0]}; `dvc repro score` writes it"
    return f"signature: {found.removesuffix(arms[0])}<arm>"


def our_grades(
    rows: Sequence[GivenRow], arms: Sequence[str], marks: Path | None, own: bool
) -> tuple[list[comparison.Grade], str]:
    """Our grades, and where they are from."""
    path = marks or ROOT / MARKS
    if marks or (own and path.exists()):
        kept = comparison.kept_grades(path, rows, arms)
        if kept is not None:
            return kept, str(marks or MARKS)
    if marks:
        raise LocomoError(
            f"{marks}: holds the marks of other predictions; without --marks our metric gives them"
        )
    return comparison.our_grades(rows, arms), "our metric"


def main(arguments: Sequence[str] | None = None) -> None:
    chosen = parser().parse_args(arguments)
    rows = read_any(chosen.predictions)
    arms = select(rows, chosen.arms, chosen.predictions)
    own = is_own(chosen.predictions)
    ours, source = our_grades(rows, arms, chosen.marks, own)
    pinned = Pinned(**settings.load(ROOT / "params.yaml").scorer.model_dump())
    grades = comparison.official_grades(rows, arms, comparison.load_code(pinned))
    compared = comparison.Comparison(rows, arms, grades, ours, source)
    print(compared.shown(), signature(own, arms), compared.summary(), sep="\n\n")
    compared.check()
    if chosen.json:
        sha256 = {"scorer": pinned.sha256, "predictions": comparison.digest(chosen.predictions)}
        write_json(chosen.json, {"sha256": sha256, "compared_with": source, **compared.figures()})


if __name__ == "__main__":
    run(main)
