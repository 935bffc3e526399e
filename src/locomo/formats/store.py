"""What `build` writes for one conversation: `<sample_id>.json` and `<sample_id>.npz`.

The JSON holds what a person reads (names, sentences, claims, pieces, graph) as tables, one list per column.
The npz holds the sparse rows. Both can be read without this package. Rows are referred to by index.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomo.core import paths
from locomo.core.errors import made_by
from locomo.core.files import replacing, write_json
from locomo.formats import answer_key
from locomo.formats.built import built
from locomo.formats.dataset import Conversation
from locomo.text.lexicon import lexicon
from locomo.text.sparse import Rows, Weighted, rows, weighted
from locomo.text.tokens import stems_of, words
from locomo.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Turns:
    """The ids of the turns, and the days of their sessions, such as `2023-05-08`."""

    id: list[str]
    day: list[str]


@dataclass(frozen=True, slots=True)
class Sentences:
    """Each sentence's turn, whether it ends in a question mark, and its words, joined by spaces."""

    turn: list[int]
    asks: list[bool]
    words: list[str]


@dataclass(frozen=True, slots=True)
class Claims:
    """Who is said to do what, in which turn and sentence (None if derived by the naming rule)."""

    subject: list[str]
    predicate: list[str]
    object: list[str]
    turn: list[int]
    sentence: list[int | None]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The claims about one person in one turn, sorted by id (`caroline@D1:3`)."""

    id: list[str]
    person: list[str]
    turn: list[int]
    claims: list[list[int]]


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges between nodes, sorted by id, with the turns that assert each and its relation.

    Edges of one relation share the node they leave and the stems of their label (SPEC 8, path).
    """

    id: list[str]
    source: list[int]
    label: list[str]
    target: list[int]
    turns: list[list[int]]
    relation: list[int]


@dataclass(frozen=True, slots=True)
class Arrays:
    """Sparse rows; `width` is the number of stems plus one."""

    lines: Weighted
    """Vectors of the turn lines, stored by term, float32: (vocabulary size, turns)."""
    pieces: Weighted
    """Vectors of the pieces, stored by term, float32: (vocabulary size, pieces)."""
    turn_stems: Rows
    """Which turns hold a stem (width, turns)."""
    sentence_stems: Rows
    """Which sentences hold a stem (width, sentences)."""
    claim_stems: Rows
    """Which claims hold a stem in predicate or object (width, claims)."""
    node_stems: Rows
    """Which nodes hold a stem (width, nodes)."""
    edge_stems: Rows
    """Which edges hold a stem in label or target (width, edges)."""
    edge_terms: Weighted
    """The stems of each edge's label and target in order, repeats kept, with their weights (edges, width)."""


@dataclass(frozen=True)
class Store:
    """One built conversation: all that memories and readers know about it."""

    sample_id: str
    names: list[str]
    """All known names, lower-cased, longest first."""
    nodes: list[str]
    turns: Turns
    sentences: Sentences
    claims: Claims
    pieces: Pieces
    edges: Edges
    vocabulary: Vocabulary
    arrays: Arrays

    @cached_property
    def turn_index(self) -> dict[str, int]:
        """The index of each turn id."""
        return {id: index for index, id in enumerate(self.turns.id)}

    @cached_property
    def sentence_bounds(self) -> list[int]:
        """The sentences of turn t are range(bounds[t], bounds[t + 1])."""
        bounds: list[int] = np.searchsorted(self.sentences.turn, range(len(self.turns.id) + 1)).tolist()
        return bounds

    def content(self, sentence: int) -> list[tuple[str, str, float]]:
        """A sentence's words without stop words, each with its stem and the stem's weight."""
        known = self._content.get(sentence)
        if known is None:
            stop_words, weight = lexicon().stop_words, self.vocabulary.weight
            spoken = [word for word in self.sentences.words[sentence].split() if word not in stop_words]
            known = [(word, stem, weight(stem)) for word, stem in zip(spoken, stems_of(spoken), strict=True)]
            self._content[sentence] = known
        return known

    def phrase(self, phrase: str) -> list[tuple[str, str]]:
        """A phrase's words without stop words, each with its stem."""
        known = self._phrases.get(phrase)
        if known is None:
            stop_words = lexicon().stop_words
            spoken = [word for word in words(phrase) if word not in stop_words]
            known = self._phrases[phrase] = list(zip(spoken, stems_of(spoken), strict=True))
        return known

    @cached_property
    def _phrases(self) -> dict[str, list[tuple[str, str]]]:
        return {}

    @cached_property
    def _content(self) -> dict[int, list[tuple[str, str, float]]]:
        return {}

    def blinded(self) -> "Store":
        """The same conversation with an empty graph."""
        width = len(self.arrays.node_stems)
        nothing, none_filed = rows([], width), rows([()] * width, 0)
        terms = weighted(nothing, self.arrays.edge_terms.data[:0])
        arrays = replace(self.arrays, node_stems=none_filed, edge_stems=none_filed, edge_terms=terms)
        return replace(self, nodes=[], edges=Edges(*([] for _ in fields(Edges))), arrays=arrays)

    def save(self, folder: Path) -> None:
        """Write both files into `folder`."""
        text: dict[str, Any] = {"sample_id": self.sample_id, "names": self.names, "nodes": self.nodes}
        text |= {name: _as_columns(getattr(self, name)) for name in _TABLES}
        text |= {"stems": self.vocabulary.stems, "vocabulary_size": self.vocabulary.size}
        write_json(folder / f"{self.sample_id}.json", text, compact=True)
        arrays: dict[str, Any] = {"weights": self.vocabulary.weights}
        for field in fields(Arrays):
            found: Rows = getattr(self.arrays, field.name)
            arrays[f"{field.name}_shape"] = np.array([len(found), found.width])
            arrays |= {f"{field.name}_indptr": found.indptr, f"{field.name}_indices": found.indices}
            if isinstance(found, Weighted):
                arrays[f"{field.name}_data"] = found.data
        with replacing(folder / f"{self.sample_id}.npz") as path:
            _write_npz(path, arrays)


_TABLES: dict[str, type] = {
    "turns": Turns,
    "sentences": Sentences,
    "claims": Claims,
    "pieces": Pieces,
    "edges": Edges,
}


def read_built(blind: bool = False) -> Iterator[tuple[Conversation, Store]]:
    """Each conversation of the run with its store, one at a time; with an empty graph if `blind`.

    Raises LocomoError if a file is missing or damaged, or if they were built from another dataset.
    """
    built()
    for conversation in answer_key.conversations():
        store = load(paths.MEMORIES, conversation.sample_id)
        yield conversation, store.blinded() if blind else store


def count_built() -> int:
    """How many conversations were built."""
    return sum(1 for _ in paths.MEMORIES.glob("*.npz"))


def load(folder: Path, sample_id: str) -> Store:
    """Read what `Store.save` wrote. Raises LocomoError if a file is missing or damaged."""
    path = folder / f"{sample_id}.json"
    with made_by("build", path):
        text = json.loads(path.read_bytes())
        names, nodes, stems, size = (text[key] for key in ("names", "nodes", "stems", "vocabulary_size"))
        tables = {name: table(**text[name]) for name, table in _TABLES.items()}
    path = path.with_suffix(".npz")
    with made_by("build", path):
        with np.load(path, allow_pickle=False) as file:
            found = dict(file)
        weights = found["weights"]
        rows: dict[str, Any] = {field.name: _rows(found, field.name) for field in fields(Arrays)}
        arrays = Arrays(**rows)
    return Store(
        sample_id=sample_id,
        names=names,
        nodes=nodes,
        **tables,
        vocabulary=Vocabulary(stems, size, weights),
        arrays=arrays,
    )


def _write_npz(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Like `np.savez`, but with the same zip headers in every release of Python."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.create_system = 3  # Unix, on every system
            archive.writestr(entry, content.getvalue())


def _as_columns(table: Any) -> dict[str, list[Any]]:
    return {field.name: getattr(table, field.name) for field in fields(table)}


def _rows(arrays: Mapping[str, NDArray[Any]], name: str) -> Rows:
    indices, indptr, shape = (arrays[f"{name}_{part}"] for part in ("indices", "indptr", "shape"))
    length, width = shape.tolist()
    if len(indptr) != length + 1 or indptr[-1] != len(indices) or not (indices < width).all():
        raise ValueError(f"{name} does not fit its shape")
    found = Rows(indices, indptr, width)
    data = arrays.get(f"{name}_data")
    return found if data is None else weighted(found, data)
