"""What a question costs each memory and each reader, in microseconds of CPU, over the stores of a run.

All that is known here of how memories and readers are called stands in the three functions that keep time.

usage: python benchmarks/per_question.py (in a folder where `build` ran; prints JSON)
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.answer.arms import ARMS
from locomo.answer.asking import blocks, make_memories
from locomo.core import settings
from locomo.formats import dataset
from locomo.formats.store import Store, load
from locomo.memory.base import confidence
from locomo.reader.lifting import Reader, ReaderSettings, Reading, gather, read, recite, reply
from locomo.text.tokens import load_stems

CITED = "graph"
"""The arm whose cites every reader reads here: each of them has a phrase."""

READERS = {"reply": reply, "recite": recite, "gather": gather}

Talks = Sequence[tuple[dataset.Conversation, Store]]


def putting(talks: Talks) -> float:
    """CPU seconds to put all questions: to find their words, stems and mentions."""
    begun = time.process_time()
    for conversation, store in talks:
        list(blocks(conversation, store))
    return time.process_time() - begun


def asking(talks: Talks, arm: str, k: int) -> float:
    """CPU seconds of an arm's memory for its cites of all questions, as if it were the only one asked."""
    took = 0.0
    for conversation, store in talks:
        (memory,) = make_memories(conversation, store, {arm: ARMS[arm]}).values()
        for block in blocks(conversation, store):
            begun = time.process_time()
            memory.ask(block, k)
            took += time.process_time() - begun
    return took


def reading(talks: Talks, reader: Reader, k: int, chosen: ReaderSettings) -> float:
    """CPU seconds of a reader for its replies to all questions, as if it were the only one."""
    took = 0.0
    for conversation, store in talks:
        (memory,) = make_memories(conversation, store, {CITED: ARMS[CITED]}).values()
        for block in blocks(conversation, store):
            cited = memory.ask(block, k)
            sure = [confidence(block, row, cites) for row, cites in enumerate(cited)]
            begun = time.process_time()
            for row, cites in enumerate(cited):
                read(reader, Reading(block, row), cites, sure[row], chosen)
            took += time.process_time() - begun
    return took


def costs(talks: Talks, chosen: settings.Settings) -> dict[str, dict[str, float]]:
    """Microseconds a question, by memory and by reader."""
    questions = sum(len(conversation.questions) for conversation, _ in talks)
    how = ReaderSettings(chosen.floor, chosen.span, chosen.band, chosen.parts)
    memories = {arm.memory: name for name, arm in reversed(ARMS.items())}  # one arm of each
    seconds = {
        "questions": {"put": putting(talks)},
        "memories": {memory: asking(talks, memories[memory], chosen.k) for memory in sorted(memories)},
        "readers": {name: reading(talks, reader, chosen.k, how) for name, reader in READERS.items()},
    }
    return {
        kind: {name: round(took / questions * 1e6, 1) for name, took in of_kind.items()}
        for kind, of_kind in seconds.items()
    }


def main() -> None:
    """Print the costs of a second time; the first one fills what is kept for later questions."""
    chosen = settings.load()
    load_stems(Path("data/stems.json"))
    read_in = dataset.read(Path("data/locomo10.json"))
    talks = [(talk, load(Path("data/memories"), talk.sample_id)) for talk in read_in]
    costs(talks, chosen)
    print(json.dumps(costs(talks, chosen)))


if __name__ == "__main__":
    main()
