"""The scorer's own tokenisation, used alike for turns, questions and answers.

SPEC 2; Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (ACL 2024).
"""

import importlib.util
import string
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from threading import Lock
from types import ModuleType

import regex

from locomo.core.errors import LocomoError

_PUNCTUATION = str.maketrans("", "", string.punctuation)
# `regex`, not `re`: they differ on word boundaries beside combining marks.
_ARTICLES = frozenset(("a", "an", "the", "and"))
_ARTICLE = regex.compile(r"\b(?:a|an|the|and)\b")
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{Nd}\p{M}_]")
_SENTENCE = regex.compile(r"[^.!?\n]*[.!?\n]|[^.!?\n]+")


def normalise(text: str) -> str:
    """Lower-case `text`; drop ASCII punctuation (leaving no space) and articles; collapse white space."""
    return " ".join(_fields(text)[0])


def _fields(text: str) -> tuple[list[str], bool]:
    """The fields of the normalised text, and whether they hold only ASCII letters and digits."""
    # Commas go first: whether a capital sigma becomes σ or ς depends on the character after it.
    fields = text.replace(",", "").lower().translate(_PUNCTUATION).split()
    whole = "".join(fields)
    if whole.isascii() and (whole.isalnum() or not whole):
        # In plain text an article is a whole field. Otherwise it can be part of one, say beside a dash.
        return [field for field in fields if field not in _ARTICLES], True
    return _ARTICLE.sub(" ", " ".join(fields)).split(), False


def has_word_character(field: str) -> bool:
    """Whether `field` holds a letter, a digit, a mark or an underscore."""
    return (field.isascii() and field.isalnum()) or _WORD_CHARACTER.search(field) is not None


def words(text: str) -> list[str]:
    """The fields of the normalised text that are words, and not, for example, a dash."""
    return words_and_fields(text)[0]


def words_and_fields(text: str) -> tuple[list[str], list[str]]:
    """The words of a text, and all its fields."""
    fields, plain = _fields(text)
    return fields if plain else [field for field in fields if has_word_character(field)], fields


class _Stems(dict[str, str]):
    """The stem of each word met so far; a new word is stemmed when it is looked up."""

    def __missing__(self, word: str) -> str:
        self[word] = stem = _porter()(word)
        return stem


_stem_of = _Stems()
# Dask runs several tasks in the threads of one process.
_IMPORTING = Lock()


def stem(word: str) -> str:
    """The Porter stem (NLTK's default mode) of one normalised word; cached in each process."""
    return _stem_of[word]


def stems(text: str) -> list[str]:
    """The stem of each field of the normalised text, in order, repeats kept."""
    return stems_of(_fields(text)[0])


def stems_of(fields: Iterable[str]) -> list[str]:
    """The stem of each field."""
    return [_stem_of[field] for field in fields]


def sentences(text: str) -> list[str]:
    """Cut after each `.`, `!`, `?` and newline, which are kept; "Wow..." gives "Wow.", "." and "."."""
    pieces = (piece.strip() for piece in _SENTENCE.findall(text))
    return [piece for piece in pieces if piece]


def fold(text: str) -> str:
    """The key of a person or a graph node: white space collapsed, lower case."""
    return " ".join(text.split()).lower()


@cache
def _porter() -> Callable[[str], str]:
    """NLTK's Porter stemmer without the rest of NLTK, whose import takes two seconds.

    The module needs nothing from its parent packages, so empty ones replace them during the import.
    """
    with _IMPORTING:
        porter = _import_porter()
    stem: Callable[[str], str] = porter.PorterStemmer().stem
    return stem


def _import_porter() -> ModuleType:
    loaded = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "nltk"}
    spec = importlib.util.find_spec("nltk")
    if spec is None or spec.origin is None:
        raise LocomoError("NLTK is not installed; `make env` installs it")
    folder = Path(spec.origin).parent
    try:
        for name, path in (("nltk", folder), ("nltk.stem", folder / "stem")):
            package = sys.modules[name] = ModuleType(name)
            package.__path__ = [str(path)]
        return importlib.import_module("nltk.stem.porter")
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "nltk"]:
            del sys.modules[name]
        sys.modules |= loaded
