"""Invented conversations of any size, in the format of the dataset (SPEC 1) but without its words.

Words follow the laws of Zipf and Heaps, as in talk: a few are frequent, and new ones never stop. The shares
of the kinds of words, the lengths and the numbers of new words are roughly those of the dataset. The same
seed gives the same bytes everywhere, and a larger file begins with the conversations of a smaller one.

usage: python benchmarks/synthetic.py --conversations 40 --turns 600 --questions 199 --seed 1 OUT
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, count
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.formats.dataset import MONTHS, Category
from locomo.text.lexicon import Lexicon, lexicon

TURNS_A_SESSION = 20
SENTENCES_A_TURN = (1, 2, 3, 4, 5)
# After the subject and the verb.
WORDS_A_SENTENCE = (0, 11)
CAPTIONED = 0.2
ENDS = (".", "!", "?"), (70, 18, 12)
# The relative frequency of each category.
CATEGORIES = {
    Category.MULTI_HOP: 14,
    Category.TEMPORAL: 16,
    Category.OPEN_DOMAIN: 5,
    Category.SINGLE_HOP: 42,
    Category.ADVERSARIAL: 23,
}

Draw = Callable[[], str]
Record = dict[str, Any]


class Words:
    """A growing vocabulary: sometimes a new word, else an earlier one, frequent words more often.

    After n words, about `scale * n ** growth` have been taken from `source`.
    """

    def __init__(self, random: Random, source: Draw, scale: float, growth: float) -> None:
        self._random = random
        self._source = source
        self._scale = scale
        self._growth = growth
        self._said: list[str] = []

    def draw(self) -> str:
        """The next word."""
        n = len(self._said) + 1
        fresh = self._random.random() < self._scale * self._growth * n ** (self._growth - 1)
        word = self._source() if fresh or n == 1 else self._random.choice(self._said)
        self._said.append(word)
        return word


class Fixed:
    """A closed list of words, the n-th said 1/n as often as the first."""

    def __init__(self, random: Random, words: frozenset[str]) -> None:
        self._random = random
        self._words = sorted(words)
        random.shuffle(self._words)
        self._weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def draw(self) -> str:
        """A word of the list."""
        return self._random.choices(self._words, cum_weights=self._weights)[0]


def invented_words(random: Random, lists: Lexicon) -> Iterator[str]:
    """An endless stream of different pronounceable words, none of the lexicon; some have verb endings."""
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    random.shuffle(syllables)
    taken = lists.stop_words | lists.verbs | lists.auxiliaries | lists.months.keys()
    for number in count(len(syllables)):
        word, place = "", 0
        while number:
            # A syllable depends on the one before it, so that consecutive words do not end alike.
            place = (number + 7 * place) % len(syllables)
            word += syllables[place]
            number //= len(syllables)
        word += random.choices(("", "n", "s", "ing", "ed"), (70, 12, 8, 6, 4))[0]
        if word not in taken:
            yield word


@dataclass(frozen=True)
class Language:
    """What all conversations share: the closed lists of the lexicon, invented words and names."""

    random: Random
    lists: dict[str, Fixed]
    words: Words
    names: Iterator[str]


def make_language(random: Random) -> Language:
    """A new language, without any words in use."""
    lists = lexicon()
    fixed = {
        "first": lists.first_person,
        "second": lists.second_person,
        "negation": lists.negations,
        "auxiliary": lists.auxiliaries,
        "verb": lists.verbs,
        # `_sentence` makes the sentences with "called".
        "stop": lists.stop_words - {"named", "called"},
        "interrogative": lists.interrogatives,
    }
    words = invented_words(random, lists)
    # No other word has an x, so a name never occurs in lower case.
    names = (f"{word}x".capitalize() for word in invented_words(random, lists))
    return Language(
        random,
        {kind: Fixed(random, members) for kind, members in fixed.items()},
        Words(random, words.__next__, scale=5, growth=0.75),
        names,
    )


class Talk:
    """One conversation of two people: what they say, and what is asked about it."""

    def __init__(self, language: Language, sample_id: str) -> None:
        self._random = language.random
        self._sample_id = sample_id
        self._speakers = (next(language.names), next(language.names))
        self._others = Words(self._random, language.names.__next__, scale=1, growth=0.5)
        self._words = Words(self._random, language.words.draw, scale=8, growth=0.6)
        lists = language.lists
        # Sources of words with their weights: for the subject of a sentence, its verb, and the rest.
        self._kinds: tuple[dict[Draw, int], ...] = (
            {lists["first"].draw: 62, lists["second"].draw: 30, self._others.draw: 8},
            {lists["verb"].draw: 50, lists["auxiliary"].draw: 50},
            {
                self._words.draw: 580,
                lists["stop"].draw: 370,
                lists["verb"].draw: 20,
                lists["negation"].draw: 12,
                self._others.draw: 6,
                self._day: 3,
            },
        )
        self._ask = lists["interrogative"].draw
        self._turns: list[Record] = []
        self._dates: list[datetime] = []

    def record(self, turns: int, questions: int) -> Record:
        """The conversation in the dataset's form, without the summaries, which nothing here reads."""
        talk: Record = {"speaker_a": self._speakers[0], "speaker_b": self._speakers[1]}
        begun = datetime(2023, 1, 1, 9, 5) + timedelta(days=self._random.randrange(300))
        for number, first in enumerate(range(0, turns, TURNS_A_SESSION), 1):
            talk[f"session_{number}_date_time"] = _date_and_time(begun)
            size = min(TURNS_A_SESSION, turns - first)
            talk[f"session_{number}"] = [
                self._turn(f"D{number}:{place}", begun) for place in range(1, size + 1)
            ]
            begun += timedelta(days=self._random.randint(1, 9), minutes=self._random.randrange(720))
        return {
            "sample_id": self._sample_id,
            "conversation": talk,
            "qa": [self._question() for _ in range(questions)],
        }

    def _turn(self, id: str, date: datetime) -> Record:
        length = self._random.choices(SENTENCES_A_TURN, (10, 25, 35, 20, 10))[0]
        text = " ".join(self._sentence() for _ in range(length))
        turn = {"speaker": self._speakers[len(self._turns) % 2], "dia_id": id, "text": text}
        if self._random.random() < CAPTIONED:
            turn["blip_caption"] = f"a photo of {self._words.draw()} and {self._words.draw()}"
        self._turns.append(turn)
        self._dates.append(date)
        return turn

    def _sentence(self) -> str:
        if self._random.random() < 0.002:
            return f"My {self._words.draw()} is called {self._others.draw()}."
        lengths = (1, 1, self._random.randint(*WORDS_A_SENTENCE))
        words = [
            draw()
            for kinds, length in zip(self._kinds, lengths, strict=True)
            for draw in self._random.choices(list(kinds), list(kinds.values()), k=length)
        ]
        text = " ".join(words) + self._random.choices(*ENDS)[0]
        return text[0].upper() + text[1:]

    def _day(self) -> str:
        return f"on {self._random.randint(1, 28)} {self._random.choice(MONTHS)}"

    def _question(self) -> Record:
        category = self._random.choices(list(CATEGORIES), list(CATEGORIES.values()))[0]
        hops = self._random.randint(2, 4) if category is Category.MULTI_HOP else 1
        places = [self._random.randrange(len(self._turns)) for _ in range(hops)]
        evidence = [self._turns[place] for place in places]
        said = [self._picked(turn, 3) for turn in evidence]
        asked = "When" if category is Category.TEMPORAL else self._ask().capitalize()
        person = evidence[0]["speaker"]
        if category is Category.ADVERSARIAL:
            person = next(speaker for speaker in self._speakers if speaker != person)
        day = self._dates[places[0]]
        answer = _date(day) if category is Category.TEMPORAL else ", ".join(said)
        return {
            "question": f"{asked} did {person} {self._picked(evidence[0], 5)}?",
            ("adversarial_answer" if category is Category.ADVERSARIAL else "answer"): answer,
            "category": int(category),
            "evidence": [turn["dia_id"] for turn in evidence],
        }

    def _picked(self, turn: Record, most: int) -> str:
        """At most `most` neighbouring words of a turn, without punctuation."""
        words = turn["text"].translate(_NO_MARKS).split()
        first = self._random.randrange(max(1, len(words) - most + 1))
        return " ".join(words[first : first + most])


_NO_MARKS = str.maketrans("", "", ".!?")


def _date(day: datetime) -> str:
    return f"{day.day} {MONTHS[day.month - 1]}, {day.year}"


def _date_and_time(time: datetime) -> str:
    half = "pm" if time.hour >= 12 else "am"
    return f"{time.hour % 12 or 12}:{time.minute:02} {half} on {_date(time)}"


def conversations(number: int, turns: int, questions: int, seed: int) -> Iterator[Record]:
    """`number` conversations, with `turns` turns and `questions` questions each."""
    language = make_language(Random(seed))
    for place in range(1, number + 1):
        yield Talk(language, f"made-{place}").record(turns, questions)


def write(path: Path, records: Iterator[Record]) -> None:
    """Write the conversations one by one."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        before = "[\n"
        for record in records:
            file.write(before + json.dumps(record, ensure_ascii=False, separators=(",", ":")))
            before = ",\n"
        file.write("\n]\n")


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Write invented conversations in the dataset's format.")
    parser.add_argument("--conversations", type=int, default=10, help="how many (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=600, help="of each (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=199, help="about each (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random words (default: %(default)s)")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write")
    chosen = parser.parse_args()
    write(chosen.out, conversations(chosen.conversations, chosen.turns, chosen.questions, chosen.seed))


if __name__ == "__main__":
    main()
