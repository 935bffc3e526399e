"""The names known in a conversation, and which of them a question mentions (SPEC 4, 8)."""

from collections import Counter
from collections.abc import Iterable, Sequence

import regex

from locomo.text.lexicon import lexicon
from locomo.text.tokens import has_word_character

# Mentions are searched in bytes, and the bytes beside them are read as Latin-1 characters, as for the
# published figures. So "Tim’s" with a curly apostrophe mentions nobody.
_JOINS = frozenset(byte for byte in range(256) if has_word_character(chr(byte)))

_EDGES = regex.compile(r"^[^\p{L}\p{Nd}\p{M}_]+|[^\p{L}\p{Nd}\p{M}_]+$")


def known_names(sentences: Iterable[str], speakers: Iterable[str]) -> list[str]:
    """The known names of a conversation, lower-cased: longest first (in bytes), ties in byte order.

    These are both speakers, and words that have a capital at least twice inside sentences and never
    occur in lower case.
    """
    first: set[str] = set()
    within: Counter[str] = Counter()
    for sentence in sentences:
        fields = sentence.split()
        first.update(fields[:1])
        within.update(fields[1:])
    capital: Counter[str] = Counter()
    lower: set[str] = set()
    for field in first | within.keys():
        written = _trim(field)
        key = written.lower()
        if written == key:
            lower.add(key)
        else:
            capital[key] += within[field]
    stop_words = lexicon().stop_words
    names = {
        name
        for name, count in capital.items()
        if count >= 2 and name not in lower and name not in stop_words and len(name.encode()) >= 3
    }
    names.update(speaker.lower() for speaker in speakers)
    return sorted(names, key=lambda name: (-len(name.encode()), name))


def mentions(question: str, names: Sequence[str]) -> list[str]:
    """The names that occur as whole words in the lower-cased question, in the order of `names`."""
    lowered = question.lower()
    text = lowered.encode()
    return [name for name in names if name in lowered and _is_whole_word(name.encode(), text)]


def _is_whole_word(name: bytes, text: bytes) -> bool:
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if (start == 0 or text[start - 1] not in _JOINS) and (end == len(text) or text[end] not in _JOINS):
            return True
        start = text.find(name, start + 1)
    return False


def _trim(field: str) -> str:
    """`field` without characters at its ends that are not letters, digits, marks or underscores."""
    return field if field.isascii() and field.isalnum() else _EDGES.sub("", field)
