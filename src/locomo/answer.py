"""Every arm's answer to every question of a conversation, each memory asked once."""

from collections.abc import Iterator, Mapping

from locomo.arms import MEMORIES, Arm
from locomo.dataset import Conversation
from locomo.memory.base import Memory, confidence
from locomo.predictions import Answer
from locomo.question import QuestionBlock
from locomo.reader import ReaderSettings, Reading, read
from locomo.store import Store

# Dense arrays of a block are (questions, sentences) and the like: this many questions bound their size.
BLOCK = 128


def answer(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], k: int, settings: ReaderSettings
) -> dict[str, list[Answer]]:
    """The answers of each arm to the conversation's questions, in order."""
    answers: dict[str, list[Answer]] = {name: [] for name in arms}
    memories = make_memories(conversation, store, arms)
    for block in blocks(conversation, store):
        readings = [Reading(block, row) for row in range(len(block))]
        for name, memory in memories.items():
            readers = {arm: answers[arm] for arm in arms if arms[arm].memory == name}
            for row, cites in enumerate(memory.ask(block, k)):
                sure = confidence(block, row, cites)
                context = [store.turns.id[cite.turn] for cite in cites]
                for arm, given in readers.items():
                    said = read(arms[arm].reader, readings[row], cites, sure, settings)
                    given.append(Answer(said, context, sure))
    return answers


def make_memories(conversation: Conversation, store: Store, arms: Mapping[str, Arm]) -> dict[str, Memory]:
    """The memories that some arms read, each once."""
    evidence = {question.question: question.evidence_ids for question in conversation.questions}
    return {arm.memory: MEMORIES[arm.memory].make(store, evidence) for arm in arms.values()}


def blocks(conversation: Conversation, store: Store) -> Iterator[QuestionBlock]:
    """The conversation's questions, some at a time."""
    texts = [question.question for question in conversation.questions]
    for start in range(0, len(texts), BLOCK):
        yield QuestionBlock(store, texts[start : start + BLOCK])
