"""Stage `ask`: what external memories cite, each constructed and asked once, for all other stages."""

import os
from collections.abc import Iterator
from typing import Any

from locomo.answer import arms, fitting
from locomo.core import parallel, paths, settings
from locomo.core.errors import run
from locomo.core.files import replacing, write_json
from locomo.formats import answer_key
from locomo.formats.store import count_built, read_built
from locomo.memory import asked
from locomo.memory.ask import Cost, ask
from locomo.memory.base import UNCUT
from locomo.memory.external import Failures

FRESH = "LOCOMO_FRESH"
"""In the environment: if set, memories are asked again whatever is kept of earlier runs."""


def main() -> None:
    """Write `data/cites/` and `metrics/cost.json`."""
    chosen = settings.load()
    selected = arms.noted()
    plugins = arms.external(selected)
    fresh = bool(os.environ.get(FRESH))
    failures = {
        arm.memory: Failures(arm.plugin, allowed=arm.may_fail, limit=chosen.failures_in_a_row)
        for arm in selected.values()
        if arm.plugin
    }
    fitted = {
        name: fitting.memory(plugin, answer_key.conversations(), fresh=fresh)
        for name, plugin in plugins.items()
    }
    ks = (chosen.k, *chosen.sweep.external_ks, UNCUT)  # those of answer and control, sweep, and reach

    def tasks() -> Iterator[tuple[Any, ...]]:
        for conversation, store in read_built() if plugins else ():
            for name, plugin in plugins.items():
                given = fitted[name].get(conversation.sample_id)
                yield plugin, conversation, store, ks, failures[name], given, fresh

    costs = {name: Cost() for name in plugins}
    with replacing(paths.CITES) as folder:
        folder.mkdir()
        for one in parallel.each("ask", ask, tasks(), count_built() * len(plugins)):
            asked.write(folder, plugins[one.memory], one.sample, one.answers)
            costs[one.memory].add(one.cost)
            costs[one.memory].check(one.memory)
        readers = arms.readers_to_fit(selected)
        write_json(folder / fitting.READERS.name, fitting.readers(readers, answer_key.conversations()))
    write_json(paths.COST, {name: cost.as_json() for name, cost in costs.items()})
    for name, cost in costs.items():
        counted = cost.counts
        print(
            f"{name}: {counted['calls']:,} calls, {counted['kept']:,} answers kept from earlier runs,"
            f" {counted['failed']:,} failed; constructed {counted['constructed']:,} times"
        )


if __name__ == "__main__":
    run(main)
