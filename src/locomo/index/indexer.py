"""Everything that memories need from a conversation, computed once (SPEC 3 to 7)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import TypeVar

from locomo.formats.dataset import REPORT_ORDER, Conversation, Question, turns_by_id
from locomo.formats.store import Arrays, Claims, Edges, Pieces, Sentences, Store, Turns
from locomo.index.claims import Claim, Sentence, read_claims, sentence_of
from locomo.index.graph import Graph, make_graph
from locomo.index.inference import derive
from locomo.index.pieces import Piece, make_pieces
from locomo.text.names import known_names, mentions
from locomo.text.sparse import by_index, postings
from locomo.text.tokens import sentences, stems, stems_of
from locomo.text.vocabulary import Vocabulary, make_vocabulary, vectors

_YEAR = re.compile(r"\b(19|20)\d\d\b")
T = TypeVar("T", Sentences, Claims, Pieces, Edges)


def build(conversation: Conversation, infer: bool) -> tuple[Store, dict[str, int]]:
    """Build one conversation; the naming rule is applied only if `infer`.

    Returns the store, and the counts of `metrics/build.json`.
    """
    spoken = [
        sentence_of(text, index)
        for index, turn in enumerate(conversation.turns)
        for text in sentences(turn.text)
    ]
    names = known_names(
        (sentence.text for sentence in spoken), (conversation.speaker_a, conversation.speaker_b)
    )
    claims = read_claims(conversation, spoken, names)
    inferred, derived = derive(claims) if infer else ([], 0)
    stated = len(claims)
    claims += inferred
    graph = make_graph(claims)
    pieces = make_pieces(claims, spoken, [turn.id for turn in conversation.turns])
    days = [turn.date.date().isoformat() for turn in conversation.turns]
    vocabulary, arrays = _index(conversation, spoken, claims, pieces, graph)
    store = Store(
        sample_id=conversation.sample_id,
        names=names,
        nodes=graph.nodes,
        turns=Turns([turn.id for turn in conversation.turns], days),
        sentences=_columns(Sentences, spoken),
        claims=_columns(Claims, claims),
        pieces=_columns(Pieces, pieces),
        edges=_columns(Edges, graph.edges),
        vocabulary=vocabulary,
        arrays=arrays,
    )
    return store, _question_counts(conversation, names) | {
        "sessions": conversation.sessions,
        "turns": len(conversation.turns),
        "terms": store.vocabulary.size,
        "claims": stated,
        "derived": derived,
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
    }


def _columns(table: type[T], rows: Sequence[object]) -> T:
    """Make a table from rows; its columns are the rows' fields of the same names."""
    return table(**{field.name: list(map(attrgetter(field.name), rows)) for field in fields(table)})


def _index(
    conversation: Conversation,
    spoken: Sequence[Sentence],
    claims: Sequence[Claim],
    pieces: Sequence[Piece],
    graph: Graph,
) -> tuple[Vocabulary, Arrays]:
    """The vocabulary, and which text holds which of its stems."""
    # Each text is stemmed once: sentences occur in several pieces, and claims in several edges. The texts of
    # claims are normalised already.
    said = {sentence.text: stems_of(sentence.fields) for sentence in spoken}
    for text in dict.fromkeys(chain.from_iterable(claim.fact[1:] for claim in claims)):
        said[text] = stems_of(text.split())
    read = cache(lambda text: said[text] if text in said else stems(text))
    turns = [stems(turn.text) for turn in conversation.turns]
    # Two texts joined by a space have the stems of the first, then those of the second.
    texts = {
        "turns": turns,
        "lines": [read(turn.heading) + text for turn, text in zip(conversation.turns, turns, strict=True)],
        "sentences": [said[sentence.text] for sentence in spoken],
        "claims": [read(claim.predicate) + read(claim.object) for claim in claims],
        "pieces": [list(chain.from_iterable(map(read, piece.texts))) for piece in pieces],
        "nodes": [read(node) for node in graph.nodes],
        "edges": [read(edge.label) + read(graph.nodes[edge.target]) for edge in graph.edges],
    }
    # Pieces consist of sentences and claims, edges of claims: they add no stems.
    others = set().union(*texts["lines"], *texts["sentences"], *texts["claims"], *texts["nodes"])
    vocabulary = make_vocabulary(turns, others)
    indexed = {name: vocabulary.rows(lists) for name, lists in texts.items()}
    arrays = Arrays(
        lines=by_index(vectors(indexed["lines"], vocabulary)),
        pieces=by_index(vectors(indexed["pieces"], vocabulary)),
        turn_stems=postings(indexed["turns"]),
        sentence_stems=postings(indexed["sentences"]),
        claim_stems=postings(indexed["claims"]),
        node_stems=postings(indexed["nodes"]),
        edge_stems=postings(indexed["edges"]),
        edge_terms=indexed["edges"],
    )
    return vocabulary, arrays


def _question_counts(conversation: Conversation, names: Sequence[str]) -> dict[str, int]:
    """Counts of questions, of those with a speaker or a known name, and of evidence ids without a turn.

    A session that is evidence has turns.
    """
    speakers = [conversation.speaker_a.lower(), conversation.speaker_b.lower()]
    texts = [question.question for question in conversation.questions]
    turns = turns_by_id(conversation)
    return {
        "questions": len(texts),
        "questions_naming_a_speaker": sum(bool(mentions(text, speakers)) for text in texts),
        "questions_with_a_subject": sum(bool(mentions(text, names)) for text in texts),
        "evidence_without_a_turn": sum(
            id not in turns for question in conversation.questions for id in question.evidence_ids
        ),
    }


class CategoryCounts:
    """Counts by category, which show what kind of question each category number is."""

    def __init__(self) -> None:
        self.rows = {
            category.label: {
                "category": int(category),
                "questions": 0,
                "with_several_evidence_turns": 0,
                "with_a_year_in_the_answer": 0,
            }
            for category in REPORT_ORDER
        }

    def add(self, questions: Iterable[Question]) -> None:
        """Count some questions."""
        for question in questions:
            row = self.rows[question.category.label]
            row["questions"] += 1
            row["with_several_evidence_turns"] += len(set(question.evidence_ids)) > 1
            row["with_a_year_in_the_answer"] += bool(_YEAR.search(question.answer))


def totals(counts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """The number of conversations, and the sums of their counts."""
    total: Counter[str] = Counter()
    for counted in counts.values():
        total.update(counted)
    return {"conversations": len(counts), **total}
