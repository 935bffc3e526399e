"""Everything the memories need of a conversation, worked out once (SPEC 3 to 7)."""

from collections.abc import Iterable, Sequence

from locomo.dataset import ABSTENTION, MONTHS, Conversation
from locomo.dialogue import read_claims, sentence_of
from locomo.graph import make_graph
from locomo.inference import derive
from locomo.names import known_names, mentions
from locomo.pieces import make_pieces
from locomo.store import Arrays, Store, StoredClaim, StoredEdge, StoredPiece, StoredSentence, StoredTurn
from locomo.text import fold, sentences, stems, words
from locomo.vocabulary import make_vocabulary, postings, vectors


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
    node_of = {node: index for index, node in enumerate(graph.nodes)}
    turn_ids = [turn.id for turn in conversation.turns]
    pieces = sorted(make_pieces(claims, spoken), key=lambda piece: f"{piece.person}@{turn_ids[piece.turn]}")

    turn_stems = [stems(turn.text) for turn in conversation.turns]
    line_stems = [stems(turn.line) for turn in conversation.turns]
    sentence_stems = [stems(sentence.text) for sentence in spoken]
    claim_stems = [stems(f"{claim.predicate} {claim.object}") for claim in claims]
    piece_stems = [stems(piece.text) for piece in pieces]
    node_stems = [stems(node) for node in graph.nodes]
    edge_stems = [stems(f"{edge.label} {edge.target}") for edge in graph.edges]
    everywhere = (line_stems, sentence_stems, claim_stems, piece_stems, node_stems, edge_stems)
    vocabulary = make_vocabulary(turn_stems, (s for texts in everywhere for text in texts for s in text))

    def indexed(texts: Iterable[list[str]]) -> list[list[int]]:
        return [vocabulary.indices(text) for text in texts]

    width = len(vocabulary.weights)
    arrays = Arrays(
        lines=vectors(indexed(line_stems), vocabulary).T.tocsr(),
        pieces=vectors(indexed(piece_stems), vocabulary).T.tocsr(),
        turn_stems=postings(indexed(turn_stems), width),
        sentence_stems=postings(indexed(sentence_stems), width),
        claim_stems=postings(indexed(claim_stems), width),
        node_stems=postings(indexed(node_stems), width),
        edge_stems=postings(indexed(edge_stems), width),
        edge_terms=vocabulary.rows(indexed(edge_stems)),
    )
    relations: dict[tuple[str, ...], int] = {}
    edges = []
    for edge in graph.edges:
        key = (edge.source, *(s for word in words(fold(edge.label)) for s in stems(word)))
        relation = relations.setdefault(key, len(relations))
        source, target = node_of[edge.source], node_of[edge.target]
        edges.append(StoredEdge(edge.identity, source, edge.label, target, edge.turns, relation))
    store = Store(
        sample_id=conversation.sample_id,
        names=names,
        turns=[StoredTurn(turn.id, turn.date.date().isoformat()) for turn in conversation.turns],
        sentences=[StoredSentence(s.turn, s.asks, " ".join(s.words)) for s in spoken],
        claims=[StoredClaim(c.subject, c.predicate, c.object, c.turn, c.sentence) for c in claims],
        pieces=[StoredPiece(f"{p.person}@{turn_ids[p.turn]}", p.person, p.turn, p.claims) for p in pieces],
        nodes=graph.nodes,
        edges=edges,
        vocabulary=vocabulary,
        arrays=arrays,
    )
    return store, _question_counts(conversation, names) | {
        "sessions": conversation.sessions,
        "turns": len(conversation.turns),
        "terms": vocabulary.size,
        "claims": read_out,
        "derived": derived,
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
    }


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


def stem_the_rest(conversation: Conversation) -> None:
    """Stem what questions, answers and dates consist of, so that no later stage needs the stemmer."""
    for question in conversation.questions:
        stems(f"{question.question} {question.answer}")
    years = {turn.date.year for turn in conversation.turns}
    for word in (*MONTHS, *range(1, 32), *years, *(year - 1 for year in years), *ABSTENTION.split()):
        stems(str(word))
