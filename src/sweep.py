"""Stage `sweep`: every arm along floor, k, span, band and parts."""

from pathlib import Path

import numpy as np
from tqdm import tqdm

from locomo import arms, dataset, settings
from locomo.errors import run
from locomo.files import replacing, write_csv
from locomo.store import load
from locomo.sweep import points, rows, sweep
from locomo.text import load_stems


def main() -> None:
    """Write `reports/sweeps/<setting>.csv`."""
    chosen = settings.load()
    selected = arms.select(chosen.arms)
    conversations = dataset.read(Path("data/locomo10.json"))
    load_stems(Path("data/stems.json"))
    swept = points(chosen.sweep.base.model_dump(), chosen.sweep.values)
    f1, quiet = zip(
        *(
            sweep(conversation, load(Path("data/memories"), conversation.sample_id), selected, swept)
            for conversation in tqdm(conversations, "sweep", disable=None)
        ),
        strict=True,
    )
    categories = [question.category for conversation in conversations for question in conversation.questions]
    table = rows(swept, selected, categories, np.concatenate(f1, axis=2), np.concatenate(quiet, axis=2))
    with replacing(Path("reports/sweeps")) as folder:
        folder.mkdir()
        for setting in chosen.sweep.values:
            lines = [
                {"arm": arm, setting: point.value, **row}
                for point, arm, row in table
                if point.setting == setting
            ]
            write_csv(folder / f"{setting}.csv", lines)


if __name__ == "__main__":
    run(main)
