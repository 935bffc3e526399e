"""Stage `score`: the scores of every answer, and the tables of their means."""

from locomo.core import paths, progress
from locomo.core.errors import run
from locomo.core.files import digest, replacing, write_json
from locomo.formats import answer_key
from locomo.results import predictions
from locomo.results.provenance import SignedRun
from locomo.results.scores import write_scores
from locomo.score import averages, scoring
from locomo.score.measures import MEASURES
from locomo.score.retrieval import retrieval_tables
from locomo.score.signature import of_memory, signature
from locomo.score.tables import plain


def main() -> None:
    """Write `data/scores.csv`, and the tables of means and the signatures of `metrics/`."""
    provenance = predictions.read_provenance(paths.PREDICTIONS)
    answer_key.check(provenance.dataset, provenance.key, of=paths.PREDICTIONS)
    conversations = list(answer_key.conversations())
    samples = list(predictions.read(paths.PREDICTIONS))
    arms = list(dict.fromkeys(arm for _, rows in samples for row in rows for arm in row))
    scores = list(scoring.score(progress.over(conversations, "score"), samples))
    write_scores(paths.SCORES, list(MEASURES), scores)
    tables = scoring.tables(scores, arms)
    asked = averages.counts(question.category for talk in conversations for question in talk.questions)
    incomplete = scoring.incomplete(scores, arms, asked)
    counts = {arm: scoring.overall(columns, asked) for arm, columns in incomplete.items()}
    for measure, table in tables.items():
        with replacing(paths.METRICS / measure) as folder:
            folder.mkdir()
            for arm, row in table.items():
                write_json(folder / f"{arm}.json", row | counts.get(arm, {}))
    cited = retrieval_tables(conversations, samples, arms, provenance.settings["k"])
    with replacing(paths.RETRIEVAL) as folder:
        folder.mkdir()
        for memory, means in cited.items():
            write_json(folder / f"{memory}.json", means)
    origins = predictions.read_origins(paths.PREDICTIONS)
    signatures = {arm: signature(provenance, arm, **of_memory(arm, origins, counts)) for arm in arms}
    key, answers, scored = map(digest, (paths.KEY, paths.PREDICTIONS, paths.SCORES))
    SignedRun(provenance, key, answers, scored, signatures).write(paths.SIGNATURES)
    if incomplete:
        print(plain("scored", scoring.shares(incomplete, asked)), end="\n\n")
        print("The other questions failed. They count in none of these means.", end="\n\n")
    print(f"To quote a figure, add the signature of its arm, from {paths.SIGNATURES}:")
    for arm in [*arms[:1], *(arm for arm in arms[1:] if "|memory:" in signatures[arm])]:
        print(signatures[arm])


if __name__ == "__main__":
    run(main)
