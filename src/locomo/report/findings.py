"""What a run found, and how sure it is, in a few sentences made from its figures."""

from collections.abc import Iterator
from dataclasses import dataclass

from locomo.report.results import Results


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure and what it says."""

    figure: str
    text: str


def findings(results: Results) -> list[Finding]:
    """The findings that the run has the arms for."""
    return [
        *_scope(results),
        *_abstention(results),
        *_knowing(results),
        *_ceiling(results),
        *_graph(results),
        *_official(results),
    ]


def _scope(results: Results) -> Iterator[Finding]:
    pair = results.paired["pairs"].get("graph - vector")
    if pair:
        adversarial, answerable = pair["adversarial"], pair["answerable"]
        yield Finding(
            _signed(adversarial["difference"]),
            "F1 on adversarial questions when only claims about the question's subject are searched"
            f" (`graph` minus `vector`{_interval(adversarial)}). On answerable questions the difference is"
            f" {_signed(answerable['difference'])}{_interval(answerable)}.",
        )


def _abstention(results: Results) -> Iterator[Finding]:
    overall = results.abstention["overall"]
    beaten = [arm for arm, row in results.tables["f1"].items() if _below(row["overall"], overall)]
    yield Finding(
        _figure(overall),
        "overall F1 of a program that always abstains: an overall mean rewards abstention."
        f" {len(beaten)} of {len(results.arms)} arms have a lower one, though they find answers.",
    )


def _knowing(results: Results) -> Iterator[Finding]:
    areas = {arm: row["auc_confidence"] for arm, row in results.separation.items()}
    known = {arm: area for arm, area in areas.items() if area is not None}
    if known:
        best = max(known, key=known.__getitem__)
        yield Finding(
            _figure(known[best]),
            "is the best separation of answerable from adversarial questions by confidence (area under"
            f" the ROC curve of `{best}`; 0.5 is chance).",
        )


def _ceiling(results: Results) -> Iterator[Finding]:
    whole = results.ceiling["whole"].get("answerable")
    if whole is not None:
        yield Finding(
            f"{100 * whole:.0f}%",
            "of the answerable questions have a reference answer whose words all occur in the evidence turns:"
            " a reader that copies words cannot answer the others completely.",
        )


def _graph(results: Results) -> Iterator[Finding]:
    identical, abstaining = results.control["identical"], results.control["abstaining"]
    yield Finding(
        f"{len(identical)} identical, {len(abstaining)} abstain",
        f"When every graph is emptied, {len(identical)} arms stay identical to the byte and"
        f" {len(abstaining)} always abstain: only these need the graph.",
    )


def _official(results: Results) -> Iterator[Finding]:
    found = results.official
    if found["available"]:
        yield Finding(
            f"{found['f1_compared']:,} F1 scores",
            "were checked with the dataset's own scorer, unmodified; the largest difference from ours is"
            f" {found['largest_difference']:g}.",
        )
    else:
        yield Finding("Not rescored", "The dataset's own scorer could not be downloaded for this run.")


def _below(value: float | None, limit: float | None) -> bool:
    return value is not None and limit is not None and value < limit


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}".replace("-", "−")


def _interval(row: dict[str, float | None]) -> str:
    if row["low"] is None:
        return ""
    return f", 95% interval {_signed(row['low'])} to {_signed(row['high'])}"
