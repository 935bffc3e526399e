"""Every arm's answer to every question of a conversation, each memory asked once."""

from collections.abc import Iterator, Mapping

from locomo.arms import MEMORIES, Arm
from locomo.dataset import Conversation
from locomo.memory.base import Memory, confidence
from locomo.memory.yours import FailedCites, YourMemory, is_partial
from locomo.predictions import Answer, Failure, Origin, as_sample
from locomo.question import QuestionBlock
from locomo.reader import ReaderSettings, Reading, read
from locomo.store import Store

# Dense arrays of a block are (questions, sentences) and the like: this bounds their size, in cells.
BLOCK = 1 << 19


def answer_whole(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], k: int, settings: ReaderSettings
) -> str:
    """What `answer` gives, as the predictions file has it."""
    return as_sample(conversation, answer(conversation, store, arms, k, settings), origins(arms))


def answer_both(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], k: int, settings: ReaderSettings
) -> tuple[Conversation, dict[str, list[Answer | Failure]], dict[str, list[Answer | Failure]]]:
    """The conversation, and what `answer` gives with and without the graph."""
    seeing, blind = (answer(conversation, known, arms, k, settings) for known in (store, store.blinded()))
    return conversation, seeing, blind


def answer(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], k: int, settings: ReaderSettings
) -> dict[str, list[Answer | Failure]]:
    """The answers of each arm to the conversation's questions, in order."""
    answers: dict[str, list[Answer | Failure]] = {name: [] for name in arms}
    memories = make_memories(conversation, store, arms)
    ids = store.turns.id
    for block in blocks(conversation, store):
        readings = [Reading(block, row) for row in range(len(block))]
        for name, memory in memories.items():
            readers = {arm: answers[arm] for arm in arms if arms[arm].memory == name}
            for row, cites in enumerate(memory.ask(block, k)):
                if isinstance(cites, FailedCites):
                    for given in readers.values():
                        given.append(Failure(cites.error))
                    continue
                sure = confidence(block, row, cites)
                context = [ids[turn] for turn in cites.turns]
                for arm, given in readers.items():
                    said = read(arms[arm].reader, readings[row], cites, sure, settings)
                    given.append(Answer(said, context, sure))
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
    columns = max(len(store.sentences.turn), len(store.claims.turn), len(store.edges.id), len(store.nodes))
    size = max(1, BLOCK // columns)
    for start in range(0, len(texts), size):
        yield QuestionBlock(store, texts[start : start + size])
