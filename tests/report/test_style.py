"""How arms look: each memory its own colour, each reader its own line."""

import colorsys

import pytest

from locomo.answer.arms import ARMS
from locomo.report.style import style


def test_a_memory_from_outside_looks_the_same_whatever_runs_beside_it() -> None:
    plain, edge, gathered = (style(f"mine{reader}") for reader in ("", "+edge", "+set"))
    assert plain.colour == edge.colour == gathered.colour != style("bm25").colour
    ours = [style(f"graph{reader}") for reader in ("", "+edge", "+set")]
    looks = [(look.line, look.marker) for look in (plain, edge, gathered)]
    assert looks == [(look.line, look.marker) for look in ours]


@pytest.mark.parametrize("name", ["mine", "bm25", "shaky", "acme", "a", "z9_-"])
def test_its_hue_is_none_of_ours(name: str) -> None:
    assert _hue(style(name).colour) is not None
    coloured = [hue for arm in ARMS if (hue := _hue(style(arm).colour)) is not None]
    for hue in coloured:
        apart = abs(hue - (_hue(style(name).colour) or 0))
        assert min(apart, 360 - apart) > 10


def _hue(colour: str) -> float | None:
    """In degrees; None of a grey."""
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    return 360 * hue if saturation else None
