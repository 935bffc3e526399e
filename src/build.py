"""Stage `build`: every memory of every conversation."""

from collections.abc import Iterator
from pathlib import Path

from locomo.core import parallel, settings
from locomo.core.errors import run
from locomo.core.files import replacing, write_json
from locomo.formats import dataset
from locomo.formats.dataset import Conversation
from locomo.index.indexer import CategoryCounts, build_whole


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
