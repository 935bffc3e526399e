"""Stage `reach`: what a memory could find at all, and how much of the answers is in the evidence."""

from locomo.answer import arms
from locomo.core import parallel, paths, settings
from locomo.core.errors import run
from locomo.core.files import write_json
from locomo.formats import answer_key
from locomo.formats.built import RUN, built
from locomo.formats.store import count_built, read_built
from locomo.memory.base import UNCUT
from locomo.study.ceiling import ceiling, multi_hop_answers_with_commas
from locomo.study.reach import reach, summary


def main() -> None:
    """Write `metrics/reach.json` and `metrics/ceiling.json`."""
    chosen = settings.load()
    selected = arms.noted()
    memories = list(dict.fromkeys(arm.memory for arm in selected.values()))
    run = {**built()._asdict(), "key": answer_key.load().name, "blind": chosen.blind}
    tasks = ((talk, store, arms.at_hand(selected, talk, [UNCUT])) for talk, store in read_built(chosen.blind))
    found = summary(list(parallel.each("reach", reach, tasks, count_built())), memories)
    conversations = list(answer_key.conversations())
    commas = {"multi_hop_answers_with_commas": multi_hop_answers_with_commas(conversations)}
    write_json(paths.REACH, {RUN: run, **found, **commas})
    write_json(paths.CEILING, ceiling(conversations))
    for memory, count in found.get("failed", {}).items():
        print(f"Left out of the recall of {memory}: questions that it failed on ({count:,}).")
    if missing := [memory for memory in arms.MEMORIES if memory not in memories]:
        print(f"Left out: recall of the memories {', '.join(missing)}, which no arm of this run reads.")


if __name__ == "__main__":
    run(main)
