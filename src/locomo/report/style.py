"""How an arm looks, the same in every figure: colour by memory, line and marker by reader."""

import colorsys
import zlib
from dataclasses import dataclass

from locomo.answer.arms import ARMS, MEMORIES

# In the order of the memories: Okabe and Ito's palette for colour-blind readers, with its yellow darkened for
# print; then a darker yellow and two greys for the memories that walk further.
_PALETTE = (
    "#0072b2",
    "#d55e00",
    "#000000",
    "#cc79a7",
    "#56b4e9",
    "#009e73",
    "#b59b00",
    "#7f6000",
    "#7f7f7f",
    "#b0b0b0",
)
_HUES = (*range(80, 140), *range(230, 305), *range(340, 360))
"""Degrees that the palette leaves free, for external memories: greens, violets, reds."""
_LINES = {"": ("solid", "o"), "edge": ("dashed", "s"), "set": ("dotted", "^")}
"""By reader: the suffix after the name of a memory."""
_OTHER_LINE = ("dashdot", "D")


@dataclass(frozen=True, slots=True)
class Style:
    """A colour (#rrggbb), a line style and a marker, as matplotlib names them."""

    colour: str
    line: str
    marker: str


def style(arm: str) -> Style:
    """The looks of an arm. Further memories reuse the palette from its start, further readers dash-dots.

    An external memory has a colour that depends on its name alone, whatever else runs.
    """
    if arm not in ARMS:
        memory, _, reader = arm.partition("+")
        return Style(_colour(memory), *_LINES.get(reader, _OTHER_LINE))
    place = MEMORIES.index(ARMS[arm].memory)
    line, marker = _LINES.get(ARMS[arm].reads, _OTHER_LINE)
    return Style(_PALETTE[place % len(_PALETTE)], line, marker)


def _colour(name: str) -> str:
    hue = _HUES[zlib.crc32(name.encode()) % len(_HUES)] / 360
    red, green, blue = (round(255 * part) for part in colorsys.hls_to_rgb(hue, 0.4, 0.9))
    return f"#{red:02x}{green:02x}{blue:02x}"
