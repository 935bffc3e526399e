"""The least work any run must do: parse the dataset, tokenise every text and stem each distinct word once.

The costs of stages are multiples of it, so that figures of different machines can be compared.

usage: python benchmarks/least_work.py (in a folder with data/locomo10.json)
"""

import json
import re
import string
import time
from pathlib import Path

import regex
from nltk.stem.porter import PorterStemmer


def main() -> None:
    """Do the least work, and print how much it was."""
    stem = PorterStemmer().stem
    punctuation = str.maketrans("", "", string.punctuation)
    article = regex.compile(r"\b(a|an|the|and)\b")
    stems: dict[str, str] = {}
    words = 0
    with Path("data/locomo10.json").open(encoding="utf-8") as file:
        samples = json.load(file)
    for sample in samples:
        texts = [q["question"] for q in sample["qa"]] + [str(q.get("answer", "")) for q in sample["qa"]]
        for key, turns in sample["conversation"].items():
            if re.fullmatch(r"session_\d+", key):
                texts += [turn["text"] + " " + (turn.get("blip_caption") or "") for turn in turns]
        for text in texts:
            for word in article.sub(" ", text.lower().translate(punctuation)).split():
                words += 1
                if word not in stems:
                    stems[word] = stem(word)
    print(f"{words} words, {len(stems)} distinct")


if __name__ == "__main__":
    imported = time.process_time()
    main()
    print(f"start and imports {imported:.2f} s, work {time.process_time() - imported:.2f} s")
