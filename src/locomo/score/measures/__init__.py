"""The measures, one file each. A new measure is a new file here; it is found automatically."""

from importlib import import_module
from pkgutil import iter_modules

from locomo.score.base import Measure

_FOUND: list[Measure] = [
    import_module(f"{__name__}.{module.name}").MEASURE for module in iter_modules(__path__)
]

MEASURES = {measure.name: measure for measure in sorted(_FOUND, key=lambda measure: measure.place)}
"""The measures by name, in the order of the tables."""
