"""Stage `reach`: what a memory could find at all, and how much of an answer stands in its evidence."""

from typing import Any

from tqdm import tqdm

from locomo.answer import arms
from locomo.core import paths, settings
from locomo.core.errors import run
from locomo.core.files import write_json
from locomo.formats.store import count_built, read_built
from locomo.score.averages import table
from locomo.study import reach
from locomo.study.ceiling import ceiling, multi_hop_answers_with_commas


def main() -> None:
    """Write `metrics/reach.json` and `metrics/ceiling.json`."""
    chosen = settings.load()
    selected = arms.noted()
    memories = list(dict.fromkeys(arm.memory for arm in selected.values()))
    recalls: list[reach.Observation] = []
    hops: list[reach.Observation] = []
    counts: list[dict[str, int]] = []
    conversations = []
    for conversation, store in tqdm(read_built(chosen.blind), "reach", count_built(), disable=None):
        conversations.append(conversation)
        recalls += reach.uncut_recall(conversation, store, selected)
        hops += reach.hop_reach(conversation, store)
        counts.append(reach.count_relations(store))
    result: dict[str, Any] = {
        f"recall_at_{reach.K}": table(recalls, memories),
        "hop_reach": table(hops),
        "relations": reach.relations(counts),
        "multi_hop_answers_with_commas": multi_hop_answers_with_commas(conversations),
    }
    if failed := reach.failed(recalls, memories, conversations):
        result["failed"] = failed
        told = ", ".join(f"{count:,} of {memory}" for memory, count in failed.items())
        print(f"Left out of recall: questions that a memory failed on: {told}.")
    write_json(paths.REACH, result)
    write_json(paths.CEILING, ceiling(conversations))
    if missing := [memory for memory in arms.MEMORIES if memory not in memories]:
        print(f"Left out: recall of the memories {', '.join(missing)}, which no arm of this run reads.")


if __name__ == "__main__":
    run(main)
