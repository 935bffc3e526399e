"""External memories: their contract, and the checks of what they return.

Write a class. In a file `memories/<name>.py` it is called `Memory`:

    class Memory:
        partial = False

        def __init__(self, conversation, vocabulary): ...
        def ask(self, question, k): ...

It is made once for each conversation. `conversation` is a `locomo.formats.dataset.Conversation`: its `turns`
have an `id`, a `speaker`, a `text` and a `date`, and a `line` that holds all of these except the id; its
`questions` are left out. `vocabulary` is a `locomo.text.vocabulary.Vocabulary`: the weight of each stem of
this conversation.

`ask` gets the text of a question, never its category, answer or evidence. It returns what it cites, best
first: tuples of a turn id, a score and, optionally, a phrase. The readers `+edge` and `+set` use the phrase
in place of the turn's words. It returns exactly `k` cites, or cites every turn. A memory that cites only
what it finds sets `partial = True` and may return fewer. Scores are finite, not below 0 and never rise: a
reader stops at the first score below a share of the best (setting `band`). A turn may be cited twice, for
example when it holds two facts, and then takes two of the `k` places. The same question must get the same
cites. A memory gives no confidence: it is computed from the cited turns, in the same way for every memory.
"""

import copy
import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from locomo.core.errors import LocomoError
from locomo.core.messages import quoted
from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.base import Cite, Cites, Memory
from locomo.memory.plugins import Plugin, raised
from locomo.memory.query import QueryBlock

_NUMBERS = (int, float, np.integer, np.floating)


class ExternalMemory(Memory):
    """An external memory, asked question by question; all that it returns is checked.

    Raises LocomoError that names memory, conversation, question, what was returned and what is expected. If
    it `may_fail`, an error in `ask` becomes the `failure` of the cites; what it returns is still checked.
    """

    nested = False  # it may rank differently for another k

    def __init__(self, plugin: Plugin, conversation: Conversation, store: Store, may_fail: bool) -> None:
        kind = plugin.load()
        # A copy, because the memory can write to the arrays, and other memories read the original.
        vocabulary = copy.deepcopy(store.vocabulary)
        self._plugin, self._turns, self._may_fail = plugin, store.turn_index, may_fail
        self._sample = conversation.sample_id
        self._partial = is_partial(plugin)
        self._places: dict[str, int] = {}
        for place, question in enumerate(conversation.questions):
            self._places.setdefault(question.question, place)
        try:
            self._memory = kind(replace(conversation, questions=()), vocabulary)
        except Exception as error:
            raise LocomoError(
                f"memory {plugin.name}: cannot be made for {self._sample}: {plugin.told(error)}"
            ) from error

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """What it cites for each question of the block."""
        return [self._ask(query.text, k) for query in block.queries]

    def _ask(self, question: str, k: int) -> Cites:
        try:
            returned = self._memory.ask(question, k)
            # Cites may never end: one more than wanted shows that there are too many.
            found = list(islice(returned, k + 1)) if isinstance(returned, Iterable) else None
        except (Exception, SystemExit) as error:
            if self._may_fail:
                # Without the file and line, which differ from machine to machine.
                return Cites([], [], [], raised(error))
            raise LocomoError(
                f"{self._where(question, k)}: {self._plugin.told(error)}; to count such questions as failed"
                f" and go on, name it in params.yaml: may_fail: [{self._plugin.name}]"
            ) from error
        try:
            if found is None:
                raise _Fault(f"returned {quoted(returned)}; expected a list of cites")
            return self._checked(found, k)
        except _Fault as fault:
            raise LocomoError(f"{self._where(question, k)}: {fault}") from None

    def _where(self, question: str, k: int) -> str:
        place = f"{self._sample}, question {self._places[question]} ({quoted(question)})"
        return f"memory {self._plugin.name}: {place}, asked for {k}"

    def _checked(self, found: list[Any], k: int) -> Cites:
        cites = [self._cite(place, one) for place, one in enumerate(found)]
        if len(cites) > k:
            raise _Fault(f"returned more than {k} cites; expected at most as many as asked for")
        for place, cite in enumerate(cites):
            if place and cite.score > cites[place - 1].score:
                raise _Fault(
                    f"cite {place} scores {cite.score!r}, more than {cites[place - 1].score!r} before it;"
                    " expected the best first"
                )
        left = len(self._turns) - len({cite.turn for cite in cites})
        if len(cites) < k and left and not self._partial:
            raise _Fault(
                f"returned {len(cites)}, though there {'is' if left == 1 else 'are'} {left} more"
                f" turn{'s' * (left > 1)}; expected {k}, or `partial = True` in the class of a memory that"
                " cites only what it finds"
            )
        return Cites([c.turn for c in cites], [c.score for c in cites], [c.phrase for c in cites])

    def _cite(self, place: int, one: object) -> Cite:
        if not isinstance(one, (tuple, list)) or len(one) not in (2, 3):
            raise _Fault(
                f"cite {place} is {quoted(one)}; expected (turn id, score) or (turn id, score, phrase)"
            )
        id, score, phrase = (*one, None)[:3]
        if not isinstance(id, str) or id not in self._turns:
            some = next(iter(self._turns))
            raise _Fault(
                f"cite {place} names {quoted(id)}; expected the id of one of its turns, such as {some!r}"
            )
        if type(score) is bool or not isinstance(score, _NUMBERS) or not 0 <= _float(score) < math.inf:
            raise _Fault(f"cite {place} scores {quoted(score)}; expected a finite number, 0 or more")
        if not isinstance(phrase, (str, type(None))):
            raise _Fault(f"cite {place} has the phrase {quoted(phrase)}; expected text or None")
        return Cite(self._turns[id], float(score), phrase if phrase and phrase.strip() else None)


def _float(score: Any) -> float:
    try:
        return float(score)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf


def is_partial(plugin: Plugin) -> bool:
    """Whether the memory declares that it cites only what it finds."""
    return getattr(plugin.load(), "partial", False) is True


class _Fault(Exception):
    """What is wrong with what a memory returned, and what is expected."""
