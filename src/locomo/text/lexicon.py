"""The word lists of the method: pronouns, verbs, stop words, question words, months."""

from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lists of `lexicon.yaml`; all entries are normalised words (SPEC 2)."""

    first_person: frozenset[str]
    second_person: frozenset[str]
    negations: frozenset[str]
    auxiliaries: frozenset[str]
    verbs: frozenset[str]
    stop_words: frozenset[str]
    question_words: frozenset[str]
    interrogatives: frozenset[str]
    months: dict[str, int]


@cache
def lexicon() -> Lexicon:
    """Read the package's own `lexicon.yaml`, once."""
    import yaml  # here, because scoring reads no word list and does without PyYAML

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    lists = yaml.load(files("locomo.text").joinpath("lexicon.yaml").read_bytes(), loader)
    sets = {field.name: frozenset(lists[field.name]) for field in fields(Lexicon) if field.name != "months"}
    return Lexicon(**sets, months=lists["months"])
