"""`locomo export`: a run in the formats of other tools.

TREC files for ir_measures, ranx and trec_eval, tables as CSV or Parquet, graphs as GraphML and JSON. A
question id is `conv-26/12`, as everywhere; a turn id is `conv-26/D1:3`, and that of a session `conv-26/S1`.
"""

import json
import re
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from locomo.core import paths, require
from locomo.core.errors import LocomoError
from locomo.core.files import replacing, write_csv, write_json, write_text
from locomo.core.messages import chosen
from locomo.formats import dataset, store
from locomo.formats.built import built
from locomo.formats.dataset import ANSWERABLE, is_session, turns_by_id
from locomo.formats.store import Store
from locomo.results.predictions import Answer
from locomo.results.run import AnsweredQuestion, Run, load
from locomo.score.measures.recall import names_sessions, sessions

QUOTES = "It quotes the dataset: keep it out of git."

Rows = list[dict[str, Any]]

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what can be exported, each with its options."""
    kinds = parser.add_subparsers(required=True, metavar="WHAT")

    def add(name: str, export: Callable[[Namespace], None], summary: str) -> ArgumentParser:
        kind = kinds.add_parser(name, help=summary, description=summary)
        kind.add_argument(
            "--out",
            type=Path,
            default=paths.EXPORT,
            metavar="FOLDER",
            help="write there (default: %(default)s)",
        )
        kind.set_defaults(export=export)
        return kind

    run = add("run", _export_runs, "what each arm cited, one TREC run per arm; scores follow the rank")
    add("qrels", _export_qrels, "the evidence, as TREC qrels: for all questions, and for the answerable ones")
    predictions = add("predictions", _export_predictions, "every reply, as a table that `locomo score` reads")
    scores = add("scores", _export_scores, "every score, as a table")
    graph = add(
        "graph", _export_graphs, "the graph of each conversation, as GraphML and as JSON for networkx"
    )
    for kind in (run, predictions, scores):
        kind.add_argument("--arm", action="append", help="only this arm; repeatable (default: all)")
    for kind in (predictions, scores):
        kind.add_argument("--parquet", action="store_true", help="Parquet in place of CSV")
    graph.add_argument("--sample", action="append", help="only this conversation; repeatable (default: all)")


def run(arguments: Namespace) -> None:
    """Write the chosen export of the run in the current folder, and say where it is."""
    arguments.export(arguments)


# ---- TREC


def _export_runs(arguments: Namespace) -> None:
    run = load()
    for arm in chosen("--arm", arguments.arm, run.arms):
        lines = list(run_lines(run.questions, arm))
        path = arguments.out / "runs" / f"{arm}.trec"
        write_text(path, "".join(lines))
        cited = {line.split()[0] for line in lines}
        answered = [row for row in run.questions if arm in row.answers]
        count = _count(line.split()[2] for line in lines)
        print(f"{path}: {count} cited for {len(cited):,} of {len(run.questions):,} questions")
        if any(row.answers[arm].by_session and not _of_sessions(row) for row in answered):
            print(f"{arm}: qrels name turns, so that no measure finds its sessions")
        if texts := sum(not row.answers[arm].sourced for row in answered):
            print(f"{arm}: {texts:,} answers cite texts of the memory's own, which are left out")
    print("A question without cites has no line: average over the questions of qrels (trec_eval -c).")


def run_lines(questions: Iterable[AnsweredQuestion], arm: str) -> Iterator[str]:
    """A TREC run: `question Q0 turn rank score arm`, best first.

    A turn or session that is cited twice keeps its first place. Texts of a memory's own are left out. Where
    the evidence is sessions, a cited turn stands for its session, as in `score.retrieval`.
    Predictions have no scores, so the score of a turn is its rank counted from the last.
    """
    for row in questions:
        cited = _cited_ids(row, row.answers[arm]) if arm in row.answers else []
        for rank, id in enumerate(cited, 1):
            yield f"{row.id} Q0 {_document(row, id)} {rank} {len(cited) - rank + 1} {arm}\n"


def _cited_ids(row: AnsweredQuestion, answer: Answer) -> list[str]:
    """The ids of turns or sessions, each once."""
    ids = list(dict.fromkeys(answer.context))
    if not answer.sourced:
        known = turns_by_id(row.conversation)
        ids = [id for id in ids if id in known]
    return sessions(ids) if _of_sessions(row) else ids


def _of_sessions(row: AnsweredQuestion) -> bool:
    return names_sessions(row.question.evidence_ids)


def _count(documents: Iterable[str]) -> str:
    """How many turns and sessions there are."""
    counts = Counter("sessions" if is_session(id.partition("/")[2]) else "turns" for id in documents)
    named = [f"{counts[kind]:,} {kind}" for kind in ("turns", "sessions") if counts[kind]]
    return " and ".join(named) or "0 turns"


def _export_qrels(arguments: Namespace) -> None:
    run = load()
    answerable = [row for row in run.questions if row.question.category in ANSWERABLE]
    for name, questions in (("qrels", run.questions), ("qrels-answerable", answerable)):
        path = arguments.out / f"{name}.trec"
        lines = list(qrels_lines(questions))
        write_text(path, "".join(lines))
        asked = {line.split()[0] for line in lines}
        count = _count(line.split()[2] for line in lines)
        print(f"{path}: {count} of evidence for {len(asked):,} of {len(questions):,} questions")
    print("A question without evidence has no line; evidence that names no turn has one but is never found.")


def qrels_lines(questions: Iterable[AnsweredQuestion]) -> Iterator[str]:
    """TREC qrels: `question 0 turn 1`, each evidence id of a question once.

    A question with a session in its evidence is judged by sessions, as in `score.retrieval`.
    """
    for row in questions:
        evidence = row.question.evidence_ids
        for id in sessions(evidence) if _of_sessions(row) else dict.fromkeys(evidence):
            yield f"{row.id} 0 {_document(row, id)} 1\n"


def _document(row: AnsweredQuestion, id: str) -> str:
    """A turn id that is unique over all conversations; without white space, which some wrong ids hold."""
    return f"{row.conversation.sample_id}/{'_'.join(id.split())}"


# ---- tables


def _export_predictions(arguments: Namespace) -> None:
    run = load()
    arms = chosen("--arm", arguments.arm, run.arms)
    rows = [_prediction(row, arm) for row in run.questions for arm in arms if arm in row.answers]
    _write_table(arguments, "predictions", rows)
    _say_failed(run, arms)
    print(QUOTES)


def _prediction(row: AnsweredQuestion, arm: str) -> dict[str, Any]:
    reply, context, confidence = row.answers[arm]
    return {
        "sample_id": row.conversation.sample_id,
        "index": row.question.index,
        "question": row.question.question,
        "category": row.question.category.label,
        "arm": arm,
        "prediction": reply,
        "context": list(context),
        "confidence": confidence,
    }


def _export_scores(arguments: Namespace) -> None:
    run = load()
    arms = chosen("--arm", arguments.arm, run.arms)
    rows = [row.scores[arm].as_row() for row in run.questions for arm in arms if arm in row.scores]
    _write_table(arguments, "scores", rows)
    _say_failed(run, arms)


def _say_failed(run: Run, arms: Sequence[str]) -> None:
    for arm in arms:
        if failed := sum(arm in row.failures for row in run.questions):
            print(f"{arm}: {failed:,} of {len(run.questions):,} questions failed and have no row")


def _write_table(arguments: Namespace, name: str, rows: Rows) -> None:
    if not rows:
        raise LocomoError(f"export {name}: there is no row to write; every question failed")
    path = arguments.out / f"{name}.{'parquet' if arguments.parquet else 'csv'}"
    if arguments.parquet:
        _write_parquet(path, rows)
    else:
        write_csv(path, [{key: _cell(value) for key, value in row.items()} for row in rows])
    print(f"{path}: {len(rows):,} rows")


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps(value)
    return "" if value != value else value  # a recall that is not available is NaN


def _write_parquet(path: Path, rows: Rows) -> None:
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError as error:
        raise LocomoError(
            "--parquet: needs pyarrow, which is not installed; `pip install pyarrow` brings it,"
            " or leave the option out to get CSV"
        ) from error
    types = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        list: pyarrow.list_(pyarrow.string()),
    }
    # `from_pandas`: NaN is null.
    columns = {
        name: pyarrow.array([row[name] for row in rows], types[type(value)], from_pandas=True)
        for name, value in rows[0].items()
    }
    with replacing(path) as temporary:
        parquet.write_table(pyarrow.table(columns), temporary)


# ---- graphs


def _export_graphs(arguments: Namespace) -> None:
    samples = [conversation.sample_id for conversation in dataset.read(paths.DATASET)]
    wanted = chosen("--sample", arguments.sample, samples)
    built()  # refuses the memories of another dataset
    for sample in wanted:
        graph = node_link(store.load(paths.MEMORIES, sample))
        path = arguments.out / "graphs" / f"{sample}.graphml"
        _write_graphml(path, graph)
        write_json(path.with_suffix(".json"), graph, compact=True)
        print(f"{path} and .json: {len(graph['nodes']):,} nodes, {len(graph['edges']):,} edges")
    print(QUOTES)


def node_link(memory: Store) -> dict[str, Any]:
    """The graph in networkx's node-link form: what is said of whom, and in which turns.

    Nodes are names. An edge has its label, the ids of the turns that assert it (none if it was derived), and
    its own id as the key.
    """
    edges, ids = memory.edges, memory.turns.id
    columns = zip(edges.source, edges.target, edges.id, edges.label, edges.turns, strict=True)
    return {
        "directed": True,
        "multigraph": True,
        "graph": {"name": memory.sample_id},
        "nodes": [{"id": node} for node in memory.nodes],
        "edges": [
            {
                "source": memory.nodes[source],
                "target": memory.nodes[target],
                "key": key,
                "label": label,
                "turns": [ids[turn] for turn in turns],
            }
            for source, target, key, label, turns in columns
        ],
    }


def _write_graphml(path: Path, graph: Mapping[str, Any]) -> None:
    require(["networkx"])
    import networkx  # type: ignore[import-untyped,unused-ignore]  # stubs may be installed

    network: Any = networkx.MultiDiGraph(**graph["graph"])
    network.add_nodes_from(_xml(node["id"]) for node in graph["nodes"])
    for edge in graph["edges"]:
        source, target, label = (_xml(edge[name]) for name in ("source", "target", "label"))
        network.add_edge(source, target, edge["key"], label=label, turns=" ".join(edge["turns"]))
    with replacing(path) as temporary:
        networkx.write_graphml(network, temporary)


def _xml(text: str) -> str:
    """Text with escapes for characters that XML cannot hold, so that different names stay different."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
