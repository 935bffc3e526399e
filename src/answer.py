"""Stage `answer`: every arm over every question."""

from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from locomo import arms, dataset, predictions, settings
from locomo.answer import answer
from locomo.errors import run
from locomo.reader import ReaderSettings
from locomo.store import load
from locomo.text import load_stems


def main() -> None:
    """Write `data/predictions.json`."""
    chosen = settings.load()
    selected = arms.select(chosen.arms)
    conversations = dataset.read(Path("data/locomo10.json"))
    load_stems(Path("data/stems.json"))
    reading = ReaderSettings(chosen.floor, chosen.span, chosen.band, chosen.parts)

    def samples() -> Iterator[tuple[dataset.Conversation, dict[str, list[predictions.Answer]]]]:
        for conversation in tqdm(conversations, "answer", disable=None):
            store = load(Path("data/memories"), conversation.sample_id)
            store = store.blinded() if chosen.blind else store
            yield conversation, answer(conversation, store, selected, chosen.k, reading)

    predictions.write(Path("data/predictions.json"), samples())


if __name__ == "__main__":
    run(main)
