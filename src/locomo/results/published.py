"""What the package ships of a run of all our arms with the default settings, under two answer keys.

It stands in the folder `published`, written by `scripts/published.py`. `run.json` names the arms, where the
dataset and the audit come from, and for each key its notes and the signature of its figures. A table, such as
`published.csv.gz`, has a row for each question of a key, and a column for each measure and the arms that
share it, such as `recall graph graph+set`.
"""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from locomo.core.download import Pinned
from locomo.formats.dataset import Category, Conversation
from locomo.results.scores import Score

FOLDER = files("locomo") / "published"
RUN = "run.json"
TABLE = "{}.csv.gz"
"""The name of the table of a key."""


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """What `run.json` says."""

    arms: list[str]
    dataset: Pinned
    audit: Pinned
    notes: Mapping[str, Mapping[str, int]]
    """By key, those of `AnswerKey`."""
    signatures: Mapping[str, str]
    """By key, with `<arm>` in place of an arm's name."""


def run() -> PublishedRun:
    """Read `run.json`."""
    found = json.loads(FOLDER.joinpath(RUN).read_bytes())
    dataset, audit = Pinned(**found["dataset"]), Pinned(**found["audit"])
    return PublishedRun(found["arms"], dataset, audit, found["notes"], found["signatures"])


def scores(
    key: str, arms: Iterable[str], conversations: Iterable[Conversation]
) -> dict[str, dict[tuple[str, int], Score]]:
    """The scores under a key, by arm and question, in the order of the dataset.

    `Score.values` has `session_recall`, beside the measures. `conversations` are those of the dataset.
    """
    categories: dict[tuple[str, int], Category] = {
        (one.sample_id, question.index): question.category
        for one in conversations
        for question in one.questions
    }
    found: dict[str, dict[tuple[str, int], Score]] = {arm: {} for arm in arms}
    text = gzip.decompress(FOLDER.joinpath(TABLE.format(key)).read_bytes()).decode()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    columns = [name.split() for name in header[2:]]
    for sample, index, *cells in rows:
        place = sample, int(index)
        values: dict[str, dict[str, float]] = {arm: {} for arm in found}
        for (measure, *sharing), cell in zip(columns, cells, strict=True):
            for arm in sharing:
                values[arm][measure] = float(cell)
        for arm, of_arm in values.items():
            confidence = of_arm.pop("confidence")
            found[arm][place] = Score(*place, categories[place], arm, of_arm, confidence)
    return found
