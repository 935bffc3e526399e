"""Stage `build`: every memory of every conversation."""

from pathlib import Path

from tqdm import tqdm

from locomo import dataset, settings
from locomo.build import build, category_counts, stem_the_rest
from locomo.errors import run
from locomo.files import replacing, write_json
from locomo.text import known_stems


def main() -> None:
    """Build `data/memories/`, `data/stems.json` and `metrics/build.json`."""
    infer = settings.load().infer
    conversations = dataset.read(Path("data/locomo10.json"))
    counts: dict[str, dict[str, int]] = {}
    with replacing(Path("data/memories")) as folder:
        folder.mkdir()
        for conversation in tqdm(conversations, "build", disable=None):
            store, counts[conversation.sample_id] = build(conversation, infer)
            store.save(folder)
            stem_the_rest(conversation, store.names)
    total = {key: sum(c[key] for c in counts.values()) for key in next(iter(counts.values()))}
    write_json(Path("data/stems.json"), known_stems(), compact=True)
    write_json(
        Path("metrics/build.json"),
        {
            "total": {"conversations": len(counts), **total},
            "categories": category_counts(conversations),
            "conversations": counts,
        },
    )


if __name__ == "__main__":
    run(main)
