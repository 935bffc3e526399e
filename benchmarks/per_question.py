"""What a question costs each memory and each reader, in microseconds of CPU, on the stores of a run.

Only the three functions that measure time know how memories and readers are called.

usage: python benchmarks/per_question.py (in a folder where `build` ran; prints JSON)
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.answer.arms import ARMS, READERS
from locomo.answer.asking import blocks, make_memories
from locomo.core import settings
from locomo.formats import dataset
from locomo.formats.store import Store, read_built
from locomo.reader.base import AskedQuestion, Reader, ReaderSettings

CITED = "graph"
"""The arm whose cites every reader reads here: each of them has a phrase."""

Talks = Sequence[tuple[dataset.Conversation, Store]]


def putting(talks: Talks) -> float:
    """CPU seconds to prepare all questions: to find their words, stems and mentions."""
    begun = time.process_time()
    for conversation, store in talks:
        list(blocks(conversation, store))
    return time.process_time() - begun


def citing(talks: Talks, arm: str, k: int) -> float:
    """CPU seconds of an arm's memory for its cites of all questions, as if it were the only one."""
    took = 0.0
    for conversation, store in talks:
        (memory,) = make_memories(conversation, store, {arm: ARMS[arm]}).values()
        for block in blocks(conversation, store):
            begun = time.process_time()
            memory.cite(block, k)
            took += time.process_time() - begun
    return took


def reading(talks: Talks, reader: Reader, settings: ReaderSettings) -> float:
    """CPU seconds of a reader for its replies to all questions, as if it were the only one."""
    took = 0.0
    for conversation, store in talks:
        (memory,) = make_memories(conversation, store, {CITED: ARMS[CITED]}).values()
        for block in blocks(conversation, store):
            cited = memory.cite(block, settings.k)
            begun = time.process_time()
            for row, cites in enumerate(cited):
                reader.prepare(AskedQuestion(block, row), cites).reply(settings)
            took += time.process_time() - begun
    return took


def costs(talks: Talks, chosen: settings.Settings) -> dict[str, dict[str, float]]:
    """Microseconds a question, by memory and by reader."""
    questions = sum(len(conversation.questions) for conversation, _ in talks)
    how = ReaderSettings.of(chosen)
    memories = {arm.memory: name for name, arm in reversed(ARMS.items())}  # one arm of each
    seconds = {
        "questions": {"put": putting(talks)},
        "memories": {memory: citing(talks, memories[memory], chosen.k) for memory in sorted(memories)},
        "readers": {_name(reader): reading(talks, reader, how) for reader in READERS.values()},
    }
    return {
        kind: {name: round(took / questions * 1e6, 1) for name, took in of_kind.items()}
        for kind, of_kind in seconds.items()
    }


def _name(reader: Reader) -> str:
    return type(reader).__name__.removesuffix("Reader").lower()


def main() -> None:
    """Print the costs of a second pass; the first pass fills the caches."""
    chosen = settings.load()
    talks = list(read_built())
    costs(talks, chosen)
    print(json.dumps(costs(talks, chosen)))


if __name__ == "__main__":
    main()
