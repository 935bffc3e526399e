"""How an arm looks, the same in every figure: colour by memory, line and marker by reader."""

from dataclasses import dataclass

from locomo.arms import ARMS
from locomo.reader import Reader, gather, recite, reply

# Okabe and Ito's palette, which colour-blind eyes tell apart, its yellow darkened for print, and two greys.
_COLOURS = {
    "vector": "#0072b2",
    "graph": "#d55e00",
    "oracle": "#000000",
    "scoped": "#cc79a7",
    "span": "#56b4e9",
    "path": "#009e73",
    "path2": "#b59b00",
    "path3": "#7f6000",
    "walk2": "#7f7f7f",
    "walk3": "#b0b0b0",
}
_LINES: dict[Reader, tuple[str, str]] = {
    reply: ("solid", "o"),
    recite: ("dashed", "s"),
    gather: ("dotted", "^"),
}


@dataclass(frozen=True, slots=True)
class Style:
    """A colour (#rrggbb), a line style and a marker, as matplotlib names them."""

    colour: str
    line: str
    marker: str


def style(arm: str) -> Style:
    """The looks of an arm."""
    line, marker = _LINES[ARMS[arm].reader]
    return Style(_COLOURS[ARMS[arm].memory], line, marker)
