"""What a run found, and how sure it is, in a few sentences made from its figures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from locomo.report.results import Results


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure and what it says."""

    figure: str
    text: str


def findings(results: Results) -> list[Finding]:
    """The findings that the run has the arms for."""
    return [
        *_external(results),
        *_scope(results),
        *_abstention(results),
        *_knowing(results),
        *_ceiling(results),
        *_graph(results),
        *_official(results),
    ]


def _external(results: Results) -> Iterator[Finding]:
    """Of each external memory, its first arm against the strongest of ours."""
    for memory in results.origins:
        arm = next(arm for arm in results.external if arm.partition("+")[0] == memory)
        compared = results.external[arm]
        other = compared["strongest"]
        yield _against(results, arm, other, compared["against"][other]) if other else _alone(results, arm)


def _against(results: Results, arm: str, other: str, found: Mapping[str, Any]) -> Finding:
    answerable, adversarial = found["answerable"], found["adversarial"]
    which = f"{found['questions']:,} questions"
    which += "" if found["questions"] == results.asked else " that both answered"
    return Finding(
        _signed(answerable["difference"]),
        f"F1 on answerable questions where both abstain on {100 * found['abstained']:.0f}% of the {which}"
        f" (`{arm}` minus `{other}`, the strongest of ours{_interval(answerable)}). On adversarial questions"
        f" the difference is {_signed(adversarial['difference'])}{_interval(adversarial)}. `{other}` was"
        " chosen for the first difference, on these same questions: that favours ours.",
    )


def _alone(results: Results, arm: str) -> Finding:
    f1, abstained = (results.tables[measure][arm] for measure in ("f1", "abstained"))
    compared = results.external[arm]["against"]
    return Finding(
        _figure(f1["answerable"]),
        f"F1 of `{arm}` on answerable questions. On adversarial questions it is {_figure(f1['adversarial'])};"
        f" the share of all questions where it abstains is {_figure(abstained['overall'])}."
        + ("" if compared else " No arm of ours that does without the dataset's evidence ran beside it."),
    )


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
    have = "has" if len(beaten) == 1 else "have"
    lower = f" {len(beaten)} of {len(results.arms)} arms {have} a lower one, though they find answers."
    yield Finding(
        _figure(overall),
        "overall F1 of a program that always abstains: an overall mean rewards abstention."
        + (lower if beaten else ""),
    )


def _knowing(results: Results) -> Iterator[Finding]:
    areas = {arm: row["auc_confidence"] for arm, row in results.separation.items()}
    known = {arm: area for arm, area in areas.items() if area is not None}
    if known:
        best = max(known, key=known.__getitem__)
        yield Finding(
            _figure(known[best]),
            f"is the {'best ' if len(known) > 1 else ''}separation of answerable from adversarial questions"
            f" by confidence (area under the ROC curve of `{best}`; 0.5 is chance).",
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
    reading = results.graph_arms
    abstaining = [arm for arm in reading if arm in results.control["abstaining"]]
    if reading:
        yield Finding(
            f"{len(abstaining)} of {len(reading)}",
            "arms that read the graph abstain on every question when the graphs are emptied: all they say"
            " comes out of the graph.",
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
