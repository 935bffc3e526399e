"""Equal abstention: two arms where they abstain equally often, along the floor."""

from pathlib import Path

import pytest

from helpers.shared import FIGURES
from locomo.core.errors import LocomoError
from locomo.statistics.abstention import Point, at, equal_abstention, read_curves


def point(floor: float, abstained: float, f1: float | None, interpolated: bool = False) -> Point:
    return Point(floor, abstained, f1, f1, f1, interpolated)


A = [point(0.0, 0.0, 0.5), point(0.25, 0.25, 0.5), point(0.5, 0.75, 1.0)]
B = [point(0.0, 0.25, 0.0), point(0.25, 0.25, 0.125), point(0.5, 0.5, 0.25), point(1.0, 1.0, 0.75)]


def test_where_two_arms_abstain_equally_often() -> None:
    """At 0 and at 1 only one of the two can be; at 0.25 both were run, the lowest floor counts."""
    assert equal_abstention(A, B) == [
        (A[1], B[0]),
        (point(0.375, 0.5, 0.75, interpolated=True), B[2]),
        (A[2], point(0.75, 0.75, 0.5, interpolated=True)),
    ]
    assert [(b, a) for a, b in equal_abstention(A, B)] == equal_abstention(B, A)


def test_no_match_without_a_sweep_or_a_common_share() -> None:
    assert equal_abstention(A, []) == [] == equal_abstention([], A)
    assert equal_abstention(A[:1], B) == []
    assert at(A, 0.8) is None


def test_a_half_without_questions_has_no_f1_in_between_either() -> None:
    assert at([point(0, 0.0, None), point(1, 1.0, None)], 0.5) == point(0.5, 0.5, None, interpolated=True)


def test_the_published_sweeps_match_where_both_were_run(tmp_path: Path) -> None:
    """At 48 abstentions in a hundred, the graph's floor is 0.4 and the vector's 0.5."""
    path = sweep(tmp_path, FIGURES["sweep_floor"])
    curves = read_curves(path)
    assert list(curves) == list(FIGURES["sweep_floor"])
    matches = {
        first.abstained: (first, second)
        for first, second in equal_abstention(curves["graph"], curves["vector"])
    }
    graph, vector = matches[0.48]
    assert (graph.floor, graph.adversarial) == (0.4, FIGURES["sweep_floor"]["graph"]["0.4"]["adversarial"])
    assert (vector.floor, vector.adversarial) == (0.5, FIGURES["sweep_floor"]["vector"]["0.5"]["adversarial"])
    assert not graph.interpolated and not vector.interpolated
    assert (
        sum(first.interpolated or second.interpolated for first, second in matches.values())
        == len(matches) - 1
    )


HEADER = "arm,floor,answerable,adversarial,overall,abstained\n"


def sweep(folder: Path, arms: dict[str, dict[str, dict[str, float]]]) -> Path:
    """The sweep of the floor as a file, its floors in no order."""
    columns = ("answerable", "adversarial", "overall", "quiet")
    lines = [
        ",".join([arm, floor, *(str(means[column]) for column in columns)]) + "\n"
        for arm, floors in arms.items()
        for floor, means in reversed(floors.items())
    ]
    path = folder / "floor.csv"
    path.write_text(HEADER + "".join(lines), encoding="utf-8")
    return path


def test_a_sweep_without_adversarial_questions(tmp_path: Path) -> None:
    path = tmp_path / "floor.csv"
    path.write_text(f"{HEADER}a,0,0.5,,0.5,0.25\n", encoding="utf-8")
    assert read_curves(path) == {"a": [Point(0.0, 0.25, 0.5, None, 0.5)]}


def test_an_arm_that_failed_throughout_has_no_curve(tmp_path: Path) -> None:
    path = tmp_path / "floor.csv"
    path.write_text(
        "arm,floor,answerable,adversarial,overall,abstained,scored\na,0.3,,,,,0\nb,0.3,0.1,0.2,0.1,0.5,9\n"
    )
    assert list(read_curves(path)) == ["b"]


def test_no_sweep(tmp_path: Path) -> None:
    path = tmp_path / "floor.csv"
    with pytest.raises(LocomoError, match=r"floor\.csv: is not there; run `dvc repro sweep` to make it$"):
        read_curves(path)
    path.write_text("arm,floor\na,0\n", encoding="utf-8")
    with pytest.raises(
        LocomoError, match=r"floor\.csv: is damaged \(KeyError\); run `dvc repro sweep` to make it again$"
    ):
        read_curves(path)
