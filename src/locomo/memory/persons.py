"""Pieces by person, for memories that search only the question's subject.

Two factors vary one at a time: the index unit (a piece's claims or its whole turn) and the scope (the
question's subject or everybody). The four combinations are `graph`, `span`, `scoped` and `vector`.
"""

import numpy as np

from locomo.formats.store import Store
from locomo.memory.query import QueryBlock
from locomo.text.sparse import Floats


class PersonIndex:
    """Which person each piece is about; pieces are stored in the order of their ids."""

    def __init__(self, store: Store) -> None:
        self._number = {person: number for number, person in enumerate(sorted(set(store.pieces.person)))}
        self._persons = np.array([self._number[person] for person in store.pieces.person], np.int64)

    def of_subject(self, block: QueryBlock, scores: Floats) -> Floats:
        """Scores (n, pieces), 0 for pieces about other people; unchanged for questions without a subject."""
        subjects = [query.subject for query in block.queries]
        wanted = np.array([self._number.get(subject, -1) for subject in subjects], np.int64)
        anybody = np.array([not subject for subject in subjects], bool)
        found: Floats = scores * ((self._persons == wanted[:, None]) | anybody[:, None])
        return found
