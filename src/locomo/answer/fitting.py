"""What learns is fitted on other conversations than the one it is used on: each is held out in turn."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from locomo.core import paths, progress
from locomo.core.errors import LocomoError, made_by
from locomo.formats.dataset import Conversation
from locomo.memory.external import RAISED
from locomo.memory.kept import Kept, scope
from locomo.memory.plugins import Plugin

LEAVE_ONE_OUT_UP_TO = 20
"""With more conversations than this, one of `FOLDS` parts is held out at a time."""
FOLDS = 10

READERS = paths.CITES / "(readers).json"
"""What the readers were fitted to; no memory's name has parentheses."""


def held_out(
    fit: Callable[[list[Conversation]], str],
    conversations: Sequence[Conversation],
    samples: Collection[str] | None = None,
) -> dict[str, Any]:
    """What `fit` returns, as JSON text, for the conversations of all folds but its own, by sample id.

    Conversation i is in fold i modulo the number of folds. With `samples`, folds without any of them are left
    out. With a single conversation there is nothing to fit to: `fit` gets none.
    """
    folds = len(conversations) if len(conversations) <= LEAVE_ONE_OUT_UP_TO else FOLDS
    found: dict[str, Any] = {}
    for fold in progress.over(range(folds), "fit"):
        wanted = [one.sample_id for one in conversations[fold::folds]]
        if samples is not None and not set(wanted) & set(samples):
            continue
        value = fit([one for place, one in enumerate(conversations) if place % folds != fold])
        found |= {sample: json.loads(value) for sample in wanted}
    return found


def memory(
    plugin: Plugin,
    conversations: Iterable[Conversation],
    *,
    fresh: bool = False,
    samples: Collection[str] | None = None,
) -> dict[str, Any]:
    """What an external memory is fitted to for each conversation, by sample id; empty if it has no `fit`.

    With `samples`, at least for these. What is kept of an earlier run is taken, unless `fresh`. Raises
    LocomoError if it fails.
    """
    kind = plugin.load()
    if not hasattr(kind, "fit"):
        return {}
    with Kept.of(plugin) as kept:

        def fit(others: list[Conversation]) -> str:
            where = scope(others)
            value = None if fresh else kept.fitted(where)
            if value is None:
                value = _as_json(plugin, kind.fit, others)
                kept.add_fitted(where, value)
            return value

        return held_out(fit, list(conversations), samples)


def _as_json(plugin: Plugin, fit: Callable[[list[Conversation]], Any], others: list[Conversation]) -> str:
    try:
        return json.dumps(fit(others), allow_nan=False)
    except RAISED as error:
        names = ", ".join(one.sample_id for one in others) or "no other conversation"
        raise LocomoError(
            f"memory {plugin.name}: cannot be fitted to {names}: {plugin.told(error)}; expected"
            " `fit(conversations)`, a class method that returns JSON"
        ) from error


def readers(fits: Mapping[str, Any], conversations: Iterable[Conversation]) -> dict[str, dict[str, Any]]:
    """What each reader with a `fit` is fitted to, by its name and the sample id."""
    if not fits:
        return {}
    some = list(conversations)
    return {name: held_out(partial(_fitted, reader), some) for name, reader in fits.items()}


def _fitted(reader: Any, others: list[Conversation]) -> str:
    return json.dumps(reader.fit(others), allow_nan=False)


def read(sample: str, names: Iterable[str]) -> dict[str, Any]:
    """What stage `ask` wrote of the readers of these names, for one conversation."""
    if not (wanted := list(names)):
        return {}
    with made_by("ask", READERS):
        found = json.loads(READERS.read_bytes())
        return {name: found[name][sample] for name in wanted}
