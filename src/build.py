"""Stage `build`: every memory of every conversation."""

from collections.abc import Iterator

from locomo.core import parallel, paths, settings
from locomo.core.errors import run
from locomo.core.files import digest, replacing, write_json
from locomo.formats import dataset
from locomo.formats.built import RUN, Built
from locomo.formats.dataset import Conversation
from locomo.index.indexer import CategoryCounts, build, totals


def main() -> None:
    """Write `data/memories/` and `metrics/build.json`."""
    infer = settings.load().infer
    categories = CategoryCounts()
    counts: dict[str, dict[str, int]] = {}

    def tasks() -> Iterator[tuple[Conversation, bool]]:
        for conversation in dataset.read(paths.DATASET):
            categories.add(conversation.questions)
            yield conversation, infer

    with replacing(paths.MEMORIES) as folder:
        folder.mkdir()
        built = Built(digest(paths.DATASET), infer)
        built.save(folder)
        for store, counted in parallel.each("build", build, tasks(), dataset.count(paths.DATASET)):
            store.save(folder)
            counts[store.sample_id] = counted
    found = {"total": totals(counts), "categories": categories.rows, "conversations": counts}
    write_json(paths.BUILD, {RUN: built._asdict(), **found})


if __name__ == "__main__":
    run(main)
