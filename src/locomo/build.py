"""Everything the memories need of a conversation, worked out once (SPEC 3 to 7)."""

import re
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import TypeVar

from locomo.dataset import ABSTENTION, MONTHS, REPORT_ORDER, Conversation
from locomo.dialogue import Claim, Sentence, read_claims, sentence_of
from locomo.graph import Graph, make_graph
from locomo.inference import derive
from locomo.lexicon import lexicon
from locomo.names import known_names, mentions
from locomo.pieces import Piece, make_pieces
from locomo.store import Arrays, Claims, Edges, Pieces, Sentences, Store, Turns
from locomo.text import sentences, stems
from locomo.vocabulary import Vocabulary, make_vocabulary, postings, vectors

_YEAR = re.compile(r"\b(19|20)\d\d\b")
T = TypeVar("T", Sentences, Claims, Pieces, Edges)


def build(conversation: Conversation, infer: bool) -> tuple[Store, dict[str, int]]:
    """Build one conversation; the naming rule is left out if not `infer`.

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
    following, derived = derive(claims) if infer else ([], 0)
    read_out = len(claims)
    claims += following
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
        "claims": read_out,
        "derived": derived,
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
    }


def _columns(table: type[T], rows: Sequence[object]) -> T:
    """Rows as a table of columns of the same names."""
    return table(**{field.name: [getattr(row, field.name) for row in rows] for field in fields(table)})


def _index(
    conversation: Conversation,
    spoken: Sequence[Sentence],
    claims: Sequence[Claim],
    pieces: Sequence[Piece],
    graph: Graph,
) -> tuple[Vocabulary, Arrays]:
    """The vocabulary, and which text holds which of its stems."""
    read = cache(stems)  # sentences stand in several pieces, and what is claimed in several edges
    turns = [read(turn.text) for turn in conversation.turns]
    others = {
        "lines": [read(turn.line) for turn in conversation.turns],
        "sentences": [read(sentence.text) for sentence in spoken],
        "claims": [read(f"{claim.predicate} {claim.object}") for claim in claims],
        # Stems of a joined text are those of its parts, one after the other.
        "pieces": [[stem for text in piece.texts for stem in read(text)] for piece in pieces],
        "nodes": [read(node) for node in graph.nodes],
        "edges": [read(f"{edge.label} {graph.nodes[edge.target]}") for edge in graph.edges],
    }
    vocabulary = make_vocabulary(
        turns, (stem for texts in others.values() for text in texts for stem in text)
    )
    indexed = {name: [vocabulary.indices(text) for text in texts] for name, texts in others.items()}
    width = len(vocabulary.weights)
    arrays = Arrays(
        lines=vectors(indexed["lines"], vocabulary).T.tocsr(),
        pieces=vectors(indexed["pieces"], vocabulary).T.tocsr(),
        turn_stems=postings([vocabulary.indices(text) for text in turns], width),
        sentence_stems=postings(indexed["sentences"], width),
        claim_stems=postings(indexed["claims"], width),
        node_stems=postings(indexed["nodes"], width),
        edge_stems=postings(indexed["edges"], width),
        edge_terms=vocabulary.rows(indexed["edges"]),
    )
    return vocabulary, arrays


def _question_counts(conversation: Conversation, names: Sequence[str]) -> dict[str, int]:
    """How many questions there are, name a speaker, name anybody known; evidence ids that name no turn."""
    speakers = [conversation.speaker_a.lower(), conversation.speaker_b.lower()]
    texts = [question.question for question in conversation.questions]
    turn_ids = {turn.id for turn in conversation.turns}
    return {
        "questions": len(texts),
        "questions_naming_a_speaker": sum(bool(mentions(text, speakers)) for text in texts),
        "questions_with_a_subject": sum(bool(mentions(text, names)) for text in texts),
        "evidence_without_a_turn": sum(
            id not in turn_ids for question in conversation.questions for id in question.evidence_ids
        ),
    }


def category_counts(conversations: Sequence[Conversation]) -> dict[str, dict[str, int]]:
    """What shows which category number is which kind of question: how many there are, what they rest on."""
    counts = {}
    for category in REPORT_ORDER:
        questions = [
            q for conversation in conversations for q in conversation.questions if q.category is category
        ]
        counts[category.label] = {
            "category": int(category),
            "questions": len(questions),
            "with_several_evidence_turns": sum(len(set(q.evidence_ids)) > 1 for q in questions),
            "with_a_year_in_the_answer": sum(bool(_YEAR.search(q.answer)) for q in questions),
        }
    return counts


def stem_the_rest(conversation: Conversation, names: Sequence[str]) -> None:
    """Stem all else that a later stage asks for, so that none needs the stemmer."""
    for text in (*names, *lexicon().question_words):
        stems(text)
    for question in conversation.questions:
        # The metric cuts answers at commas and semicolons, which also glue words when they are dropped.
        for text in (question.question, question.answer, *re.split("[,;]", question.answer)):
            stems(text)
    years = {turn.date.year for turn in conversation.turns}
    for word in (*MONTHS, *range(1, 32), *years, *(year - 1 for year in years), *ABSTENTION.split()):
        stems(str(word))
