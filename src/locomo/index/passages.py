"""Passages that are no turns, made readable like turns: sessions, and texts that a memory wrote itself."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from locomo.formats.store import Arrays, Claims, Edges, Pieces, Sentences, Store, Turns
from locomo.index.claims import sentence_of
from locomo.text.sparse import postings, rows, weighted
from locomo.text.tokens import sentences, stems, stems_of
from locomo.text.vocabulary import Vocabulary


class Passage(NamedTuple):
    """A text with an id, and the day it counts as said, such as `2023-05-08`."""

    id: str
    day: str
    text: str


def passages(store: Store, texts: Sequence[Passage]) -> Store:
    """A store whose turns are these passages, with the words' weights of the conversation, for readers.

    A word that the conversation does not have weighs as much there as in a question. Claims, pieces and graph
    are left out: no reader looks at them.
    """
    spoken = [
        sentence_of(text, index) for index, passage in enumerate(texts) for text in sentences(passage.text)
    ]
    in_turns = [stems(passage.text) for passage in texts]
    in_sentences = [stems_of(sentence.fields) for sentence in spoken]
    vocabulary = _with(store.vocabulary, set().union(*in_turns, *in_sentences))
    nothing = rows([], len(vocabulary.weights))
    none_filed = rows([()] * len(vocabulary.weights), 0)
    none_weighted = weighted(nothing, vocabulary.weights[:0])
    return replace(
        store,
        nodes=[],
        turns=Turns([passage.id for passage in texts], [passage.day for passage in texts]),
        sentences=Sentences(
            [sentence.turn for sentence in spoken],
            [sentence.asks for sentence in spoken],
            [sentence.words for sentence in spoken],
        ),
        claims=Claims(*([] for _ in fields(Claims))),
        pieces=Pieces(*([] for _ in fields(Pieces))),
        edges=Edges(*([] for _ in fields(Edges))),
        vocabulary=vocabulary,
        arrays=Arrays(
            lines=none_weighted,
            pieces=none_weighted,
            turn_stems=postings(vocabulary.rows(in_turns)),
            sentence_stems=postings(vocabulary.rows(in_sentences)),
            claim_stems=none_filed,
            node_stems=none_filed,
            edge_stems=none_filed,
            edge_terms=none_weighted,
        ),
    )


def _with(vocabulary: Vocabulary, stems: set[str]) -> Vocabulary:
    """The vocabulary with more stems; each weighs what an unknown one does."""
    more = sorted(stems - set(vocabulary.stems))
    unknown = vocabulary.weights[-1]
    weights = np.concatenate((vocabulary.weights, np.full(len(more), unknown)))
    return Vocabulary([*vocabulary.stems, *more], vocabulary.size, weights)
