"""Stage `control`: every arm with and without the graph."""

from pathlib import Path

from tqdm import tqdm

from locomo import arms, dataset, settings
from locomo.answer import answer
from locomo.control import control
from locomo.errors import run
from locomo.files import write_json
from locomo.reader import ReaderSettings
from locomo.store import load
from locomo.text import load_stems


def main() -> None:
    """Write `metrics/control.json`."""
    chosen = settings.load()
    selected = arms.select(chosen.arms)
    conversations = dataset.read(Path("data/locomo10.json"))
    load_stems(Path("data/stems.json"))
    reading = ReaderSettings(chosen.floor, chosen.span, chosen.band, chosen.parts)
    seeing, blind = [], []
    for conversation in tqdm(conversations, "control", disable=None):
        store = load(Path("data/memories"), conversation.sample_id)
        seeing.append(answer(conversation, store, selected, chosen.k, reading))
        blind.append(answer(conversation, store.blinded(), selected, chosen.k, reading))
    found = control(conversations, selected, seeing, blind)
    write_json(Path("metrics/control.json"), found)
    print(f"identical without the graph: {', '.join(found['identical']) or 'none'}")
    print(f"silent without the graph: {', '.join(found['silent']) or 'none'}")


if __name__ == "__main__":
    run(main)
