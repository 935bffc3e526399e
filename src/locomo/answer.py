"""Every arm's answer to every question of a conversation, each memory asked once."""

from collections.abc import Iterator, Mapping, Sequence

from locomo.arms import MEMORIES, Arm
from locomo.dataset import Conversation
from locomo.memory.base import Cite, Memory, confidence
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
    memories = make_memories(conversation, store, arms)
    answers: dict[str, list[Answer]] = {name: [] for name in arms}
    for block in blocks(conversation, store):
        cites = {name: memory.ask(block, k) for name, memory in memories.items()}
        readings = [Reading(block, row) for row in range(len(block))]
        for name, arm in arms.items():
            for reading, cited in zip(readings, cites[arm.memory], strict=True):
                answers[name].append(_answer(arm, reading, cited, settings))
    return answers


def make_memories(conversation: Conversation, store: Store, arms: Mapping[str, Arm]) -> dict[str, Memory]:
    """The memories that some arms read, each once."""
    evidence = {question.question: question.evidence_ids for question in conversation.questions}
    return {arm.memory: MEMORIES[arm.memory](store, evidence) for arm in arms.values()}


def blocks(conversation: Conversation, store: Store) -> Iterator[QuestionBlock]:
    """The conversation's questions, some at a time."""
    texts = [question.question for question in conversation.questions]
    for start in range(0, len(texts), BLOCK):
        yield QuestionBlock(store, texts[start : start + BLOCK])


def _answer(arm: Arm, reading: Reading, cites: Sequence[Cite], settings: ReaderSettings) -> Answer:
    sure = confidence(reading.block, reading.row, cites)
    context = [reading.block.store.turns[cite.turn].id for cite in cites]
    return Answer(read(arm.reader, reading, cites, sure, settings), context, sure)
