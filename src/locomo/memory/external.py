"""An external memory: constructed for one conversation, and asked.

Write a class. In a file `memories/<name>.py` it is called `Memory`:

    class Memory:
        partial = False

        def __init__(self, conversation, vocabulary): ...
        def ask(self, question, k): ...

`conversation` is a `locomo.formats.dataset.Conversation` without its questions; `vocabulary` is a
`locomo.text.vocabulary.Vocabulary`, the weight of each stem of this conversation. With a class method
`fit(conversations)`, a third argument is what that returned for the other conversations. `ask` gets the text
of a question, never its category, answer or evidence. `locomo.memory.contract` says what it may return. The
same question must get the same cites.
"""

import asyncio
import copy
import inspect
import time
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from locomo.core.errors import LocomoError
from locomo.core.files import replacing
from locomo.core.messages import quoted
from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.contract import Contract, Declared, Fault, Returned, Taken, take
from locomo.memory.plugins import Plugin, raised
from locomo.memory.query import QueryBlock
from locomo.text.vocabulary import focus

RAISED = (Exception, SystemExit)
"""What counts as an error of a memory; Ctrl-C does not."""


class QuestionText(str):
    """The text of a question, and what our memories know of it."""

    names: tuple[str, ...]
    """The known names it mentions, longest first, lower-cased."""
    subject: str
    """The person it is about, lower-cased; empty if it mentions no known name."""
    focus: tuple[str, ...]
    """Its stems in order, without stop words, question words and the subject."""


def question_texts(store: Store, texts: Sequence[str]) -> list[QuestionText]:
    """Questions as external memories get them."""
    found = []
    for query in QueryBlock(store, texts).queries:
        text = QuestionText(query.text)
        text.names, text.subject = tuple(query.mentions), query.subject
        text.focus = tuple(focus(query.stems, query.subject))
        found.append(text)
    return found


class Call(NamedTuple):
    """A call of `ask`: one question or, in a batch, several."""

    questions: list[QuestionText]
    k: int


class Failures:
    """Whether a memory may fail, and how often in a row before the run stops."""

    def __init__(self, plugin: Plugin, *, allowed: bool, limit: int) -> None:
        self._plugin, self._allowed, self._limit, self._in_a_row = plugin, allowed, limit, 0

    def of(self, error: BaseException, where: str) -> str:
        """Count an error, and describe it. Raises LocomoError if it is not allowed, or one too many."""
        name = self._plugin.name
        if not self._allowed:
            raise LocomoError(
                f"{where}: {self._plugin.told(error)}; to count such questions as failed and go on,"
                f" name it in params.yaml: may_fail: [{name}]"
            ) from error
        self._in_a_row += 1
        if self._in_a_row >= self._limit:
            raise LocomoError(
                f"{where}: {self._plugin.told(error)}; that is {self._in_a_row} failures in a row"
                " (setting failures_in_a_row). What was answered is kept: run again, and it goes on there"
            ) from error
        # Without the file and line, which differ from machine to machine.
        return raised(error)

    def succeeded(self) -> None:
        """Count from 0 again."""
        self._in_a_row = 0


class ExternalMemory:
    """An external memory made for one conversation.

    Raises whatever its code raises when it is made.
    """

    def __init__(
        self,
        plugin: Plugin,
        conversation: Conversation,
        store: Store,
        fitted: Any,
        kept: Path,
        fresh: bool,
    ) -> None:
        """`fitted` is what `fit` returned, if it has one.

        `kept` is where it may keep what it built, which is loaded from there unless `fresh`.
        """
        self._plugin, self._store, self._sample = plugin, store, conversation.sample_id
        self._declared = Declared.of(plugin)
        self._loop = asyncio.Runner()  # one for all calls: a client of a service works in one loop only
        self._contract = Contract(conversation, self._declared)
        self._places = {question.question: question.index for question in reversed(conversation.questions)}
        kind = plugin.load()
        if hasattr(kind, "load") and kept.exists() and not fresh:
            self._memory = kind.load(kept)
        else:
            self._memory = _constructed(kind, conversation, store, fitted)
            if hasattr(kind, "save"):
                with replacing(kept) as path:
                    self._memory.save(path)

    def ask(
        self,
        questions: Iterable[tuple[int, str]],
        failures: Failures,
        note: Callable[[Call, Sequence[Returned], float], None],
        behind_kept: Collection[tuple[int, str]] = (),
    ) -> None:
        """Ask questions, each a k and a text; `note` gets each answered call, and its seconds, at once.

        Those in `behind_kept` come right after one whose answer is kept: a row of failures ends there. Raises
        LocomoError that names memory, conversation, question, what was returned and what is expected; for an
        error of the memory, if it is not allowed.
        """
        waits = inspect.iscoroutinefunction(self._memory.ask)

        async def answer(call: Call) -> None:
            if (call.k, str(call.questions[0])) in behind_kept:
                failures.succeeded()
            start = time.perf_counter()
            taken: Sequence[Taken] | BaseException
            try:
                returned = self._memory.ask(self._argument(call), call.k)
                taken = self._taken(call, await returned if waits else returned)
            except RAISED as error:
                taken = error
            seconds = time.perf_counter() - start
            note(call, self._settled(call, taken, failures), seconds)

        calls = self._calls(list(questions))
        if waits:
            self._loop.run(_some_at_once(answer, calls, self._declared.concurrency))
        else:
            for call in calls:
                _run_through(answer(call))

    def close(self) -> None:
        """End what its calls have left running."""
        self._loop.close()

    def _calls(self, questions: Sequence[tuple[int, str]]) -> list[Call]:
        texts = question_texts(self._store, [text for _, text in questions])
        if not self._declared.batch:
            return [Call([text], k) for text, (k, _) in zip(texts, questions, strict=True)]
        batches: dict[int, list[QuestionText]] = {}
        for text, (k, _) in zip(texts, questions, strict=True):
            batches.setdefault(k, []).append(text)
        return [Call(asked, k) for k, asked in batches.items()]

    def _argument(self, call: Call) -> QuestionText | list[QuestionText]:
        return list(call.questions) if self._declared.batch else call.questions[0]

    def _taken(self, call: Call, returned: Any) -> list[Taken]:
        if not self._declared.batch:
            return [take(returned, call.k)]
        each = list(islice(returned, len(call.questions) + 1)) if isinstance(returned, Iterable) else []
        return [take(one, call.k) for one in each]

    def _settled(
        self, call: Call, taken: Sequence[Taken] | BaseException, failures: Failures
    ) -> list[Returned]:
        where = self._where(call)
        if isinstance(taken, BaseException):
            return [Returned.failed(failures.of(taken, where))] * len(call.questions)
        if len(taken) != len(call.questions):
            raise LocomoError(
                f"{where}: returned answers to {len(taken)} questions; expected one list of cites for each of"
                f" the {len(call.questions)} asked, in their order"
            )
        failures.succeeded()
        checked = []
        for question, one in zip(call.questions, taken, strict=True):
            try:
                checked.append(self._contract.checked(one, call.k))
            except Fault as fault:
                raise LocomoError(f"{self._where(Call([question], call.k))}: {fault}") from None
        return checked

    def _where(self, call: Call) -> str:
        first = call.questions[0]
        place = f"question {self._places[first]} ({quoted(str(first))})"
        if len(call.questions) > 1:
            place = f"{len(call.questions)} questions from {place} on"
        return f"memory {self._plugin.name}: {self._sample}, {place}, asked for {call.k}"


async def _some_at_once(
    answer: Callable[[Call], Coroutine[Any, Any, None]], calls: Sequence[Call], limit: int
) -> None:
    """Answer all calls, `limit` at a time; an error of one ends all, and no other begins."""
    waiting = iter(calls)

    async def some() -> None:
        for call in waiting:
            await answer(call)

    await asyncio.gather(*(some() for _ in range(min(limit, len(calls)))))


def _run_through(task: Coroutine[Any, Any, None]) -> None:
    """Run a task that waits for nothing, without an event loop: a memory may start one of its own."""
    try:
        task.send(None)
    except StopIteration:
        return


def _constructed(kind: Any, conversation: Conversation, store: Store, fitted: Any) -> Any:
    # A copy, because the memory can write to the arrays, and other memories read the original.
    given = (replace(conversation, questions=()), copy.deepcopy(store.vocabulary))
    return kind(*given, copy.deepcopy(fitted)) if hasattr(kind, "fit") else kind(*given)
