"""The conversations and what `build` made of them, as the later stages read them."""

from collections.abc import Iterator
from pathlib import Path

from locomo.formats import dataset, store
from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.text.tokens import load_stems

DATASET = Path("data/locomo10.json")
MEMORIES = Path("data/memories")
STEMS = Path("data/stems.json")


def read(blind: bool = False) -> Iterator[tuple[Conversation, Store]]:
    """Each conversation with its store, one at a time; with the graph emptied if `blind`.

    Raises LocomoError if one of the files is not there or is damaged.
    """
    load_stems(STEMS)
    for conversation in dataset.read(DATASET):
        built = store.load(MEMORIES, conversation.sample_id)
        yield conversation, built.blinded() if blind else built


def count() -> int:
    """How many conversations were built."""
    return sum(1 for _ in MEMORIES.glob("*.npz"))
