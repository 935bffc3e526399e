"""LoCoMo without a language model: memories, readers, the dataset's own metric and what it cannot show."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# By name, so that a stage that needs none of it imports none of it.
_API = dict.fromkeys(("compare", "f1", "load_dataset", "load_run", "score_answers"), "locomo.api")

__all__ = ["__version__", *_API]


def __getattr__(name: str) -> Any:
    if name not in _API:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_API[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
