"""SPEC 3 and 6 to 9 read word for word: plain Python, one text at a time, slow.

What the package works out for many texts at once has to agree with this to the last bit.
"""

import math
import struct
from collections.abc import Iterable, Sequence

from locomo.formats.dataset import Conversation
from locomo.index.claims import Claim, read_claims, sentence_of
from locomo.index.inference import derive
from locomo.text.names import known_names, mentions
from locomo.text.tokens import fold, sentences, stems, words
from locomo.text.vocabulary import focus, logarithm

Cited = tuple[str, float, str | None]
Edge = tuple[str, str, str]


def float32(value: float) -> float:
    """Rounded to float32, by the C conversion and not by numpy."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def added(values: Iterable[float]) -> float:
    """The sum, one after the other; the built-in `sum` compensates from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


def fnv1a(data: bytes) -> str:
    """FNV-1a, 64 bit, as its authors write it down: in whole numbers, a byte at a time."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def identity(*parts: str) -> str:
    """The identity of an edge, of its folded parts."""
    return fnv1a(b"".join(part.encode() + b"\x00" for part in parts))


class Literal:
    """One conversation, its memories and what they cite: (turn id, score, phrase)."""

    def __init__(self, conversation: Conversation) -> None:
        self.turns = conversation.turns
        self.texts = {turn.id: turn.text for turn in self.turns}
        spoken = [sentence_of(text, i) for i, turn in enumerate(self.turns) for text in sentences(turn.text)]
        speakers = (conversation.speaker_a, conversation.speaker_b)
        self.names = known_names((sentence.text for sentence in spoken), speakers)
        self.claims = read_claims(conversation, spoken, self.names)
        self.claims += derive(self.claims)[0]
        self.said = [None if c.sentence is None else spoken[c.sentence].text for c in self.claims]
        held = [set(stems(turn.text)) for turn in self.turns]
        self.count = {term: sum(term in turn for turn in held) for term in set().union(*held)}

    def weight(self, term: str) -> float:
        return logarithm(len(self.turns) + 1, self.count.get(term, 0) + 1)

    def vector(self, text: str) -> dict[str, float]:
        found = stems(text)
        known = sorted((term for term in set(found) if term in self.count), key=str.encode)
        values = {term: float32(found.count(term) * self.weight(term)) for term in known}
        squares = added(value * value for value in values.values())
        inverse = float32(1 / math.sqrt(squares)) if squares else 0.0
        return {term: float32(value * inverse) for term, value in values.items()}

    def nearness(self, a: str, b: str) -> float:
        other = self.vector(b)
        return added(value * other.get(term, 0.0) for term, value in self.vector(a).items())

    def coverage(self, asked: Sequence[str], have: set[str]) -> float:
        whole = added(map(self.weight, asked))
        return added(self.weight(term) for term in asked if term in have) / whole if whole > 0 else 0.0

    def subject(self, question: str) -> str:
        return fold(next(iter(mentions(question, self.names)), ""))

    def confidence(self, question: str, cites: Sequence[Cited]) -> float:
        asked = focus(stems(question), "")
        return max((self.coverage(asked, set(stems(self.texts[id]))) for id, _, _ in cites), default=0.0)

    # Memories by nearness

    def pieces(self) -> dict[tuple[str, int], list[int]]:
        groups: dict[tuple[str, int], list[int]] = {}
        for index, claim in enumerate(self.claims):
            groups.setdefault((fold(claim.subject), claim.turn), []).append(index)
        return groups

    def vector_memory(self, question: str, k: int) -> list[Cited]:
        return ranked([(self.nearness(question, t.line), t.id, t.id, None) for t in self.turns], k)

    def piece_memory(self, question: str, k: int, person: str, whole_turns: bool) -> list[Cited]:
        asked = focus(stems(question), self.subject(question))
        rows = []
        for (who, turn), members in self.pieces().items():
            if person not in ("", who):
                continue
            claims = [self.claims[index] for index in members]
            texts = [self.said[i] or f"{self.claims[i].predicate} {self.claims[i].object}" for i in members]
            fits = [self.coverage(asked, set(stems(f"{c.predicate} {c.object}"))) for c in claims]
            text = self.turns[turn].line if whole_turns else " ".join(dict.fromkeys(texts))
            phrase = None if whole_turns else claims[fits.index(max(fits))].object
            id = self.turns[turn].id
            rows.append((self.nearness(question, text), f"{who}@{id}", id, phrase))
        return ranked(rows, k)

    # The graph

    def edges(self) -> dict[Edge, list[Claim]]:
        edges: dict[Edge, list[Claim]] = {}
        for claim in self.claims:
            key = (fold(claim.subject), fold(claim.predicate), fold(claim.object))
            edges.setdefault(key, []).append(claim)
        return edges

    def path_memory(self, question: str, k: int, hops: int = 1, anywhere: bool = False) -> list[Cited]:
        asked = focus(stems(question), self.subject(question))
        edges = self.edges()
        nodes = {node for edge in edges for node in (edge[0], edge[2])}
        hop_of: dict[Edge, int] = {}
        frontier = visited = {name for name in mentions(question, self.names) if name in nodes}
        for hop in range(1, hops + 1):
            touching = [edge for edge in edges if {edge[0], edge[2]} & frontier]
            for edge in touching:
                hop_of.setdefault(edge, hop)
            far = {node for edge in touching for node in (edge[0], edge[2])} - visited
            frontier = {node for node in far if anywhere or set(stems(node)) & set(asked)}
            visited = visited | frontier
        scores = {}
        for edge, hop in hop_of.items():
            said = stems(f"{edges[edge][0].predicate} {edge[2]}")
            score = self.coverage(asked, set(said)) * self.coverage(said, set(asked)) / hop
            if score > 0:
                scores[edge] = score
        order = sorted(scores, key=lambda edge: (-scores[edge], identity(*edge)))
        relation = {edge: (edge[0], [stems(word) for word in words(edge[1])]) for edge in order}
        cites: list[Cited] = []
        done: list[object] = []
        for first in order:
            if relation[first] in done:
                continue
            done.append(relation[first])
            for edge in order:
                if relation[edge] != relation[first] or edge[2] in [cite[2] for cite in cites]:
                    continue
                asserting = [self.turns[c.turn].id for c in edges[edge] if c.sentence is not None]
                free = [id for id in asserting if id not in [cite[0] for cite in cites]]
                if free and len(cites) < k:
                    cites.append((free[0], scores[edge], edge[2]))
        return cites


def ranked(rows: Iterable[tuple[float, str, str, str | None]], k: int) -> list[Cited]:
    """Of (score, id, turn, phrase) the k best by score, then by id; none that is not above 0."""
    best = sorted(rows, key=lambda row: (-row[0], row[1].encode()))
    return [(turn, score, phrase) for score, _, turn, phrase in best if score > 0][:k]
