"""What `build` makes of one conversation, on disk: `<sample_id>.json` and `<sample_id>.npz`.

The JSON holds what a person reads (names, sentences, claims, pieces, graph) as tables, a list a column,
the npz what a product needs; neither needs this package to be read. Rows go by their index.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
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
class Turns:
    """A column of ids, and one of the days of their sessions, `2023-05-08`."""

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
    """Who is said to do what, in which turn and sentence (None where the naming rule derived it)."""

    subject: list[str]
    predicate: list[str]
    object: list[str]
    turn: list[int]
    sentence: list[int | None]


@dataclass(frozen=True, slots=True)
class Pieces:
    """What is claimed of one person in one turn, by id (`caroline@D1:3`), which is their order."""

    id: list[str]
    person: list[str]
    turn: list[int]
    claims: list[list[int]]


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges between nodes, by id, which is their order; the turns that assert each, and its relation.

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
        """Turn t's sentences are those from bounds[t] up to bounds[t + 1]."""
        bounds: list[int] = np.searchsorted(self.sentences.turn, range(len(self.turns.id) + 1)).tolist()
        return bounds

    def content(self, sentence: int) -> list[tuple[str, str, float]]:
        """A sentence's words that are no stop words, each with its stem and that stem's weight."""
        known = self._content.get(sentence)
        if known is None:
            stop_words, weight = lexicon().stop_words, self.vocabulary.weight
            spoken = [word for word in self.sentences.words[sentence].split() if word not in stop_words]
            known = self._content[sentence] = [(word, stem(word), weight(stem(word))) for word in spoken]
        return known

    @cached_property
    def _content(self) -> dict[int, list[tuple[str, str, float]]]:
        return {}

    def blinded(self) -> "Store":
        """The same conversation with its graph emptied."""
        width = self.arrays.node_stems.shape[0]
        empty = csr_array((width, 0))
        arrays = replace(self.arrays, node_stems=empty, edge_stems=empty, edge_terms=csr_array((0, width)))
        return replace(self, nodes=[], edges=Edges(*([] for _ in fields(Edges))), arrays=arrays)

    def save(self, folder: Path) -> None:
        """Write both files into `folder`."""
        text: dict[str, Any] = {"sample_id": self.sample_id, "names": self.names, "nodes": self.nodes}
        text |= {name: _as_columns(getattr(self, name)) for name in _TABLES}
        text |= {"stems": self.vocabulary.stems, "vocabulary_size": self.vocabulary.size}
        write_json(folder / f"{self.sample_id}.json", text, compact=True)
        arrays: dict[str, Any] = {"weights": self.vocabulary.weights}
        for field in fields(Arrays):
            rows = getattr(self.arrays, field.name)
            arrays |= {f"{field.name}_data": rows.data, f"{field.name}_shape": np.array(rows.shape)}
            arrays |= {f"{field.name}_indices": rows.indices, f"{field.name}_indptr": rows.indptr}
        with replacing(folder / f"{self.sample_id}.npz") as path:
            _write_npz(path, arrays)


_TABLES: dict[str, type] = {
    "turns": Turns,
    "sentences": Sentences,
    "claims": Claims,
    "pieces": Pieces,
    "edges": Edges,
}


def load(folder: Path, sample_id: str) -> Store:
    """Read what `Store.save` wrote. Raises LocomoError if a file is not there or is damaged."""
    path = folder / f"{sample_id}.json"
    with _reading(path):
        text = json.loads(path.read_bytes())
        names, nodes, stems, size = (text[key] for key in ("names", "nodes", "stems", "vocabulary_size"))
        tables = {name: table(**text[name]) for name, table in _TABLES.items()}
    path = path.with_suffix(".npz")
    with _reading(path):
        with np.load(path, allow_pickle=False) as file:
            found = dict(file)
        weights = found["weights"]
        arrays = Arrays(**{field.name: _sparse(found, field.name) for field in fields(Arrays)})
    return Store(
        sample_id=sample_id,
        names=names,
        nodes=nodes,
        **tables,
        vocabulary=Vocabulary(stems, size, weights),
        arrays=arrays,
    )


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Tell of a damaged file which it is and what helps, whatever error it led to in JSON, zip or numpy.

    What numpy says is not passed on: it takes any bytes it does not know for a pickle, to be loaded as such.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise LocomoError(f"{path}: is not there; `dvc repro build` makes it") from error
    except PermissionError:
        raise
    except Exception as error:
        kind = type(error).__name__
        raise LocomoError(f"{path}: is damaged ({kind}); `dvc repro build` makes it anew") from error


def _write_npz(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """As `np.savez` does, whose zip headers differ between releases of Python; here they do not."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.create_system = 3  # Unix, wherever it is written
            archive.writestr(entry, content.getvalue())


def _as_columns(table: Any) -> dict[str, list[Any]]:
    return {field.name: getattr(table, field.name) for field in fields(table)}


def _sparse(arrays: dict[str, NDArray[Any]], name: str) -> csr_array:
    data, indices, indptr = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return csr_array((data, indices, indptr), shape=tuple(arrays[f"{name}_shape"]))
