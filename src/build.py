"""Stage `build`: every memory of every conversation."""

from collections.abc import Iterator
from pathlib import Path

from locomo import dataset, parallel, settings
from locomo.build import CategoryCounts, build_whole
from locomo.dataset import Conversation
from locomo.errors import run
from locomo.files import replacing, write_json


def main() -> None:
    """Build `data/memories/`, `data/stems.json` and `metrics/build.json`."""
    infer = settings.load().infer
    categories = CategoryCounts()
    counts: dict[str, dict[str, int]] = {}
    stems: dict[str, str] = {}

    def tasks() -> Iterator[tuple[Conversation, bool]]:
        for conversation in dataset.read(Path("data/locomo10.json")):
            categories.add(conversation.questions)
            yield conversation, infer

    with replacing(Path("data/memories")) as folder:
        folder.mkdir()
        for store, counted, met in parallel.each("build", build_whole, tasks()):
            store.save(folder)
            counts[store.sample_id] = counted
            stems |= met
    total = {key: sum(c[key] for c in counts.values()) for key in next(iter(counts.values()))}
    write_json(Path("data/stems.json"), dict(sorted(stems.items())), compact=True)
    write_json(
        Path("metrics/build.json"),
        {
            "total": {"conversations": len(counts), **total},
            "categories": categories.rows,
            "conversations": counts,
        },
    )


if __name__ == "__main__":
    run(main)
