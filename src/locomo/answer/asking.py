"""Every arm's answer to every question of a conversation, each memory asked once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from locomo.answer.arms import MEMORIES, Arm
from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory, confidence
from locomo.memory.external import FailedCites, YourMemory, is_partial
from locomo.memory.query import QuestionBlock
from locomo.reader.lifting import ReaderSettings, Reading, read
from locomo.results.predictions import Answer, Failure, Origin, as_sample

# Dense arrays of a block are (questions, sentences) and the like: this bounds their size, in cells.
BLOCK = 1 << 19

Answers = dict[str, list[Answer | Failure]]
"""Of each arm the answers to some questions, in order."""


def answer_whole(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], k: int, settings: ReaderSettings
) -> str:
    """What `answer` gives, as the predictions file has it."""
    return as_sample(conversation, answer(conversation, store, arms, k, settings), origins(arms))


def answer_both(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], k: int, settings: ReaderSettings
) -> tuple[Conversation, Answers, Answers]:
    """The conversation, and what `answer` gives with and without the graph."""
    seeing, unseeing = _no_answers(arms), _no_answers(arms)
    seen: dict[str, list[Cites]] = {}
    for readings, memory, cited in _asked(conversation, store, arms, k):
        seen.setdefault(memory, []).extend(cited)
        for arm, answers in _read(memory, arms, readings, cited, settings).items():
            seeing[arm] += answers
    for readings, memory, cited in _asked(conversation, store.blinded(), arms, k):
        of_memory = [name for name, arm in arms.items() if arm.memory == memory]
        start = len(unseeing[of_memory[0]])
        now = slice(start, start + len(cited))
        if cited == seen[memory][now]:
            # Whoever reads the same says the same.
            found = {name: seeing[name][now] for name in of_memory}
        else:
            found = _read(memory, arms, readings, cited, settings)
        for arm, answers in found.items():
            unseeing[arm] += answers
    return conversation, seeing, unseeing


def answer(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], k: int, settings: ReaderSettings
) -> Answers:
    """The answers of each arm to the conversation's questions, in order."""
    given = _no_answers(arms)
    for readings, memory, cited in _asked(conversation, store, arms, k):
        for arm, answers in _read(memory, arms, readings, cited, settings).items():
            given[arm] += answers
    return given


def _no_answers(arms: Iterable[str]) -> Answers:
    return {name: [] for name in arms}


def _asked(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], k: int
) -> Iterator[tuple[list[Reading], str, list[Cites]]]:
    """The cites of each memory for some questions, then for the next, with these as readers see them."""
    memories = make_memories(conversation, store, arms)
    for block in blocks(conversation, store):
        readings = [Reading(block, row) for row in range(len(block))]
        for name, memory in memories.items():
            yield readings, name, memory.ask(block, k)


def _read(
    memory: str,
    arms: Mapping[str, Arm],
    readings: Sequence[Reading],
    cited: Sequence[Cites],
    settings: ReaderSettings,
) -> Answers:
    """What every arm of a memory makes of its cites of the questions of a block."""
    readers = {name: arm.reader for name, arm in arms.items() if arm.memory == memory}
    answers: Answers = {name: [] for name in readers}
    for reading, cites in zip(readings, cited, strict=True):
        if isinstance(cites, FailedCites):
            for given in answers.values():
                given.append(Failure(cites.error))
            continue
        sure = confidence(reading.block, reading.row, cites)
        ids = reading.block.store.turns.id
        context = [ids[turn] for turn in cites.turns]
        for name, reader in readers.items():
            answers[name].append(Answer(read(reader, reading, cites, sure, settings), context, sure))
    return answers


def make_memories(conversation: Conversation, store: Store, arms: Mapping[str, Arm]) -> dict[str, Memory]:
    """The memories that some arms read, each once."""
    evidence = {question.question: question.evidence_ids for question in conversation.questions}
    reading = {arm.memory: arm for arm in arms.values()}
    return {
        name: YourMemory(arm.plugin, conversation, store, arm.may_fail)
        if arm.plugin
        else MEMORIES[name].make(store, evidence)
        for name, arm in reading.items()
    }


def origins(arms: Mapping[str, Arm]) -> dict[str, Origin]:
    """Of each memory from outside, which one it is."""
    plugins = {arm.memory: arm.plugin for arm in arms.values() if arm.plugin}
    return {
        name: Origin(plugin.where, plugin.version, plugin.sha256, is_partial(plugin))
        for name, plugin in plugins.items()
    }


def blocks(conversation: Conversation, store: Store) -> Iterator[QuestionBlock]:
    """The conversation's questions, some at a time."""
    texts = [question.question for question in conversation.questions]
    sizes = (len(store.turns.id), len(store.sentences.turn), len(store.pieces.id), len(store.edges.id))
    size = max(1, BLOCK // max(*sizes, len(store.claims.turn), len(store.nodes)))
    for start in range(0, len(texts), size):
        yield QuestionBlock(store, texts[start : start + size])
