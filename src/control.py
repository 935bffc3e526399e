"""Stage `control`: every arm with and without the graph."""

from locomo.answer import arms
from locomo.answer.asking import answer
from locomo.core import parallel, paths, settings
from locomo.core.errors import run
from locomo.core.files import write_json
from locomo.formats import dataset
from locomo.formats.store import count_built, read_built
from locomo.reader.base import ReaderSettings
from locomo.results import predictions
from locomo.results.scores import read_scores
from locomo.study.control import by_arm, control


def main() -> None:
    """Write `metrics/control.json`: the predictions are one half, the other is answered here."""
    chosen = settings.load()
    selected = arms.noted()
    reading = ReaderSettings.of(chosen)
    conversations = list(dataset.read(paths.DATASET))
    answers = {sample: by_arm(rows) for sample, rows in predictions.read(paths.PREDICTIONS)}
    given = [answers.get(conversation.sample_id, {}) for conversation in conversations]
    tasks = ((*built, selected, reading) for built in read_built(blind=not chosen.blind))
    again = list(parallel.each("control", answer, tasks, count_built()))
    seeing, blind = (again, given) if chosen.blind else (given, again)
    scores = read_scores(paths.SCORES)
    found = control(conversations, selected, seeing, blind, scores, scores_are_blind=chosen.blind)
    write_json(paths.CONTROL, found)
    print(f"identical without the graph: {', '.join(found['identical']) or 'none'}")
    print(f"always abstain without the graph: {', '.join(found['abstaining']) or 'none'}")


if __name__ == "__main__":
    run(main)
