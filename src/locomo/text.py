"""The scorer's own tokenisation, used everywhere: a word means the same in a turn, a question and an answer.

SPEC 2; Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (ACL 2024).
"""

import json
import string
from collections.abc import Callable
from pathlib import Path

import regex

from locomo.errors import LocomoError

_PUNCTUATION = str.maketrans("", "", string.punctuation)
# `regex`, not `re`: the two differ in what a word boundary is beside a combining mark.
_ARTICLE = regex.compile(r"\b(?:a|an|the|and)\b")
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{Nd}\p{M}_]")
_SENTENCE = regex.compile(r"[^.!?\n]*[.!?\n]|[^.!?\n]+")

_stem_of: dict[str, str] = {}


def normalise(text: str) -> str:
    """Lower-case `text`, drop ASCII punctuation (leaving no space) and the articles, collapse white space."""
    # Commas go first: whether a capital sigma becomes σ or ς depends on the character after it.
    lowered = text.replace(",", "").lower()
    return " ".join(_ARTICLE.sub(" ", lowered.translate(_PUNCTUATION)).split())


def has_word_character(field: str) -> bool:
    """Whether `field` holds a letter, a digit, a mark or an underscore."""
    return (field.isascii() and field.isalnum()) or _WORD_CHARACTER.search(field) is not None


def words(text: str) -> list[str]:
    """The fields of the normalised text that are words and not, say, a dash."""
    return [field for field in normalise(text).split() if has_word_character(field)]


def stem(word: str) -> str:
    """The Porter stem (NLTK's default mode) of one normalised word; worked out once a process."""
    known = _stem_of.get(word)
    if known is None:
        known = _stem_of[word] = _porter()(word)
    return known


def stems(text: str) -> list[str]:
    """The stem of each field of the normalised text, in order, repeats kept."""
    return [stem(field) for field in normalise(text).split()]


def load_stems(path: Path) -> None:
    """Take over the stems that `build` worked out, so that another stage need not import NLTK (two seconds).

    Raises LocomoError if the file is not there or is damaged.
    """
    try:
        known = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise LocomoError(f"{path}: is not there; `dvc repro build` makes it") from error
    except (ValueError, RecursionError) as error:
        raise LocomoError(f"{path}: is damaged ({error}); `dvc repro build` makes it anew") from error
    if not isinstance(known, dict) or not all(isinstance(value, str) for value in known.values()):
        raise LocomoError(f"{path}: holds no stems of words; `dvc repro build` makes it anew")
    _stem_of.update(known)


def known_stems() -> dict[str, str]:
    """Every word stemmed so far in this process, in order, with its stem."""
    return dict(sorted(_stem_of.items()))


def sentences(text: str) -> list[str]:
    """Cut after each `.`, `!`, `?` and newline, the mark kept; "Wow..." is three, two of them "."."""
    pieces = (piece.strip() for piece in _SENTENCE.findall(text))
    return [piece for piece in pieces if piece]


def fold(text: str) -> str:
    """The key of a person or a graph node: white space collapsed, lower case."""
    return " ".join(text.split()).lower()


_stemmer: Callable[[str], str] | None = None


def _porter() -> Callable[[str], str]:
    global _stemmer
    if _stemmer is None:
        from nltk.stem.porter import PorterStemmer

        _stemmer = PorterStemmer().stem
    return _stemmer
