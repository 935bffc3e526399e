"""What `build` makes of one conversation, on disk: `<sample_id>.json` and `<sample_id>.npz`.

The JSON holds what a person reads (names, sentences, claims, pieces, graph), the npz what a product
needs; neither needs this package to be read. Turns, sentences, claims and nodes go by their index.
"""

import json
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from locomo.errors import LocomoError
from locomo.files import replacing, write_json
from locomo.lexicon import lexicon
from locomo.text import stem
from locomo.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn's id and the day of its session, `2023-05-08`."""

    id: str
    day: str


@dataclass(frozen=True, slots=True)
class StoredSentence:
    """A sentence's turn, whether it ends in a question mark, and its words, joined by spaces."""

    turn: int
    asks: bool
    words: str


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """A claim; `sentence` is None where the naming rule derived it."""

    subject: str
    predicate: str
    object: str
    turn: int
    sentence: int | None


@dataclass(frozen=True, slots=True)
class StoredPiece:
    """What is claimed of one person in one turn; `id` is `caroline@D1:3`."""

    id: str
    person: str
    turn: int
    claims: list[int]


@dataclass(frozen=True, slots=True)
class StoredEdge:
    """An edge between two nodes, the turns that assert it, and its relation.

    Edges of one relation share the node they leave and the stems of their label (SPEC 8, path).
    """

    id: str
    source: int
    label: str
    target: int
    turns: list[int]
    relation: int


@dataclass(frozen=True, slots=True)
class Arrays:
    """Sparse arrays; `width` is the number of stems and one, n the number of what the name says."""

    lines: csr_array
    """Vectors of the turn lines, a column each (vocabulary size, n), float32."""
    pieces: csr_array
    """Vectors of the pieces, a column each (vocabulary size, n), float32."""
    turn_stems: csr_array
    """Which turns hold a stem (width, n)."""
    sentence_stems: csr_array
    """Which sentences hold a stem (width, n)."""
    claim_stems: csr_array
    """Which claims hold a stem in predicate or object (width, n)."""
    node_stems: csr_array
    """Which nodes hold a stem (width, n)."""
    edge_stems: csr_array
    """Which edges hold a stem in label or target (width, n)."""
    edge_terms: csr_array
    """The stems of each edge's label and target in order, repeats kept, by their weight (n, width)."""


@dataclass(frozen=True)
class Store:
    """One conversation as built: all that memories and readers know of it."""

    sample_id: str
    names: list[str]
    """All known names, lower-cased, longest first."""
    turns: list[StoredTurn]
    sentences: list[StoredSentence]
    claims: list[StoredClaim]
    pieces: list[StoredPiece]
    """In the byte order of their ids."""
    nodes: list[str]
    edges: list[StoredEdge]
    """In the order of their ids."""
    vocabulary: Vocabulary
    arrays: Arrays

    @cached_property
    def turn_index(self) -> dict[str, int]:
        """The index of each turn id."""
        return {turn.id: index for index, turn in enumerate(self.turns)}

    @cached_property
    def sentence_bounds(self) -> NDArray[np.int64]:
        """Turn t's sentences are those from bounds[t] up to bounds[t + 1]."""
        return np.searchsorted([sentence.turn for sentence in self.sentences], range(len(self.turns) + 1))

    @cached_property
    def content(self) -> list[list[tuple[str, str, float]]]:
        """Each sentence's words that are no stop words, each with its stem and that stem's weight."""
        stop_words, weight = lexicon().stop_words, self.vocabulary.weight
        return [
            [(w, stem(w), weight(stem(w))) for w in sentence.words.split() if w not in stop_words]
            for sentence in self.sentences
        ]

    def blinded(self) -> "Store":
        """The same conversation with its graph emptied."""
        width = self.arrays.node_stems.shape[0]
        empty = csr_array((width, 0))
        arrays = replace(self.arrays, node_stems=empty, edge_stems=empty, edge_terms=csr_array((0, width)))
        return replace(self, nodes=[], edges=[], arrays=arrays)

    def save(self, folder: Path) -> None:
        """Write both files into `folder`."""
        text = {
            field.name: [
                asdict(row) if hasattr(row, "__slots__") else row for row in getattr(self, field.name)
            ]
            for field in fields(self)
            if field.name not in ("sample_id", "vocabulary", "arrays")
        }
        text["stems"] = list(self.vocabulary.stems)
        head = {"sample_id": self.sample_id, "vocabulary_size": self.vocabulary.size}
        write_json(folder / f"{self.sample_id}.json", head | text, compact=True)
        arrays: dict[str, Any] = {"weights": self.vocabulary.weights}
        for field in fields(Arrays):
            rows = getattr(self.arrays, field.name)
            arrays |= {f"{field.name}_data": rows.data, f"{field.name}_shape": np.array(rows.shape)}
            arrays |= {f"{field.name}_indices": rows.indices, f"{field.name}_indptr": rows.indptr}
        with replacing(folder / f"{self.sample_id}.npz") as path:
            np.savez(path, **arrays)


def load(folder: Path, sample_id: str) -> Store:
    """Read what `Store.save` wrote. Raises LocomoError if `build` has not made it."""
    path = folder / f"{sample_id}.json"
    try:
        text = json.loads(path.read_bytes())
        with np.load(path.with_suffix(".npz"), allow_pickle=False) as file:
            arrays = dict(file)
    except FileNotFoundError as error:
        raise LocomoError(f"{error.filename}: is not there; `dvc repro build` makes it") from error
    return Store(
        sample_id=sample_id,
        names=text["names"],
        turns=[StoredTurn(**row) for row in text["turns"]],
        sentences=[StoredSentence(**row) for row in text["sentences"]],
        claims=[StoredClaim(**row) for row in text["claims"]],
        pieces=[StoredPiece(**row) for row in text["pieces"]],
        nodes=text["nodes"],
        edges=[StoredEdge(**row) for row in text["edges"]],
        vocabulary=Vocabulary(text["stems"], text["vocabulary_size"], arrays["weights"]),
        arrays=Arrays(**{field.name: _sparse(arrays, field.name) for field in fields(Arrays)}),
    )


def _sparse(arrays: dict[str, NDArray[Any]], name: str) -> csr_array:
    data, indices, indptr = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return csr_array((data, indices, indptr), shape=tuple(arrays[f"{name}_shape"]))
