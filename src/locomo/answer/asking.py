"""Every arm's answer to every question of a conversation, each memory asked once."""

from collections.abc import Iterator, Mapping

from locomo.answer.arms import Arm, origins
from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.base import Memory
from locomo.memory.query import QueryBlock
from locomo.reader.base import AskedQuestion, ReaderSettings
from locomo.results.predictions import Answer, Failure, Texts, as_sample
from locomo.results.provenance import Provenance

BLOCK = 1 << 19
"""The most cells of a dense array of a block, such as (questions, sentences)."""

Answers = dict[str, list[Answer | Failure]]
"""Of each arm the answers to a conversation's questions, in order."""


def answer_as_json(
    conversation: Conversation,
    store: Store,
    arms: Mapping[str, Arm],
    settings: ReaderSettings,
    provenance: Provenance,
) -> str:
    """The result of `answer` in the form of the predictions file."""
    return as_sample(conversation, answer(conversation, store, arms, settings), provenance, origins(arms))


def answer(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], settings: ReaderSettings
) -> Answers:
    """The answers of each arm to the conversation's questions, in order."""
    answers: Answers = {name: [] for name in arms}
    readers = {
        memory: {name: arm.reader for name, arm in some.items()} for memory, some in by_memory(arms).items()
    }
    memories = make_memories(conversation, store, arms)
    for block in blocks(conversation, store):
        asked = AskedBlocks()
        for memory, kind in memories.items():
            questions = asked.of(kind.source(block))
            for question, cites in zip(questions, kind.cite(block, settings.k), strict=True):
                ids = question.store.turns.id
                context = [ids[turn] for turn in cites.turns]
                if not cites.sourced:
                    context = Texts(context)
                for name, reader in readers[memory].items():
                    if cites.failure:
                        answers[name].append(Failure(cites.failure))
                        continue
                    text, confidence, failure = reader.prepare(question, cites).reply(settings)
                    answers[name].append(Failure(failure) if failure else Answer(text, context, confidence))
    return answers


class AskedBlocks:
    """The questions of blocks in front of the readers: one list for each block, which memories share."""

    def __init__(self) -> None:
        self._known: dict[QueryBlock, list[AskedQuestion]] = {}

    def of(self, block: QueryBlock) -> list[AskedQuestion]:
        """The questions of a block."""
        if block not in self._known:
            self._known[block] = [AskedQuestion(block, row) for row in range(len(block))]
        return self._known[block]


def by_memory(arms: Mapping[str, Arm]) -> dict[str, dict[str, Arm]]:
    """The arms of each memory, by its name."""
    memories: dict[str, dict[str, Arm]] = {}
    for name, arm in arms.items():
        memories.setdefault(arm.memory, {})[name] = arm
    return memories


def make_memories(conversation: Conversation, store: Store, arms: Mapping[str, Arm]) -> dict[str, Memory]:
    """The memories that some arms read, each made once."""
    return {
        memory: next(iter(readers.values())).make(conversation, store)
        for memory, readers in by_memory(arms).items()
    }


def blocks(conversation: Conversation, store: Store) -> Iterator[QueryBlock]:
    """The conversation's questions, some at a time."""
    texts = [question.question for question in conversation.questions]
    sizes = (len(store.turns.id), len(store.sentences.turn), len(store.pieces.id), len(store.edges.id))
    size = max(1, BLOCK // max(*sizes, len(store.claims.turn), len(store.nodes)))
    for start in range(0, len(texts), size):
        yield QueryBlock(store, texts[start : start + size])
