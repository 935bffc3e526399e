"""Stage `control`: every arm with and without the graph."""

from locomo.answer import arms
from locomo.answer.asking import answer
from locomo.core import parallel, paths
from locomo.core.errors import run
from locomo.core.files import write_json
from locomo.formats import answer_key
from locomo.formats.built import RUN, built
from locomo.formats.store import count_built, read_built
from locomo.reader.base import ReaderSettings
from locomo.results import predictions
from locomo.results.provenance import read_signed
from locomo.results.scores import read_scores
from locomo.study.control import by_arm, control


def main() -> None:
    """Write `metrics/control.json`: the predictions are one half, the other is answered here."""
    signed = read_signed()
    signed.check(paths.DATASET, paths.PREDICTIONS, paths.SCORES)
    signed.check_note(paths.MEMORIES, built()._asdict())
    settings = signed.provenance.settings
    reading = ReaderSettings(**{name: settings[name] for name in ReaderSettings._fields})
    is_blind = settings["blind"]
    selected = arms.noted()
    conversations = list(answer_key.conversations())
    answers = {sample: by_arm(rows) for sample, rows in predictions.read(paths.PREDICTIONS)}
    given = [answers.get(conversation.sample_id, {}) for conversation in conversations]
    tasks = (
        (talk, store, arms.at_hand(selected, talk, [reading.k]), reading)
        for talk, store in read_built(blind=not is_blind)
    )
    again = list(parallel.each("control", answer, tasks, count_built()))
    seeing, blind = (again, given) if is_blind else (given, again)
    scores = read_scores(paths.SCORES)
    found = control(conversations, selected, seeing, blind, scores, scores_are_blind=is_blind)
    write_json(paths.CONTROL, {RUN: {"predictions": signed.predictions, "scores": signed.scores}, **found})
    print(f"identical without the graph: {', '.join(found['identical']) or 'none'}")
    print(f"always abstain without the graph: {', '.join(found['abstaining']) or 'none'}")


if __name__ == "__main__":
    run(main)
