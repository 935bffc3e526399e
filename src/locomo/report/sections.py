"""The sections of the report, the same for Markdown and for the page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from locomo.report.results import Results
from locomo.results.predictions import Answer, Failure
from locomo.score.averages import COLUMNS
from locomo.score.measures import MEASURES
from locomo.score.retrieval import LABELS
from locomo.score.signature import signature
from locomo.statistics.halves import HALVES

Cell = str | float | None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table, the command that makes its figures, and whether it is folded at first.

    The signature is the run's, unless another is given.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    command: str
    folded: bool = False
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of `reports/figures/`, how to read it, and the command that makes it.

    The signature is the run's, unless another is given.
    """

    file: str
    caption: str
    command: str = "dvc repro report"
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, an introduction, and tables and figures."""

    title: str
    text: str
    parts: Sequence[Grid | Picture] = field(default_factory=tuple)


def sections(results: Results) -> list[Section]:
    """All sections that the results have figures for."""
    every = (
        _main(results),
        _external(results),
        _failed(results),
        _retrieval(results),
        _factors(results),
        _walk(results),
        _hops(results),
        _control(results),
        _sweeps(results),
        _equal_abstention(results),
        _separation(results),
        _paired(results),
        _reach(results),
        _faults(results),
        _built(results),
        _example(results),
    )
    run = signature(results.provenance, ARM)
    return [
        replace(section, parts=[replace(part, signature=part.signature or run) for part in section.parts])
        for section in every
        if section is not None
    ]


ARM = "<arm>"
"""Replaces the name of an arm in a signature."""


def _swept_signature(results: Results, **varied: object) -> str:
    """The signature of a point of the sweeps, which have their own base and are never blind."""
    return signature(results.swept, ARM, **varied)


def _main(results: Results) -> Section:
    grids = []
    for measure in MEASURES:
        rows = [[arm, *row.values()] for arm, row in results.tables[measure].items()]
        if measure == "f1":
            rows.append(["always abstains", *results.abstention.values()])
        header = ["arm", *(_plain(column) for column in COLUMNS)]
        header[-1] += " (arithmetic)"
        grids.append(Grid(MEASURES[measure].caption, header, rows, f"dvc metrics show metrics/{measure}"))
    return Section(
        "The main table",
        "Read answerable and adversarial side by side. The overall column is arithmetic, not a result: the"
        " right reply to an adversarial question is to abstain. So an arm that abstains more often gains"
        " there what it loses on answerable questions. The last row of F1 is a program that always abstains."
        + _bypassed(results, [int(results.provenance.settings["k"])])
        + _over_fewer(results),
        [
            *grids,
            Picture(
                "categories.svg", "F1 (filled) and recall of the evidence (hollow) of each arm, by category."
            ),
        ],
    )


def _bypassed(results: Results, ks: Iterable[int]) -> str:
    """Say for which conversations k covers every turn, which a table does not show."""
    said = ""
    for k in ks:
        if reached := results.bypassed(k):
            every = len(reached) == len(results.build["conversations"])
            where = "every conversation" if every else _names(reached)
            said += (
                f" With k = {k:,}, no fewer than the turns of {where}, an arm may cite all there is:"
                " retrieval is bypassed there."
            )
    return said


def _over_fewer(results: Results) -> str:
    return "".join(
        f" `{arm}` is scored on {columns['overall']} questions; the others failed, and do not count in its"
        " means."
        for arm, columns in results.scored.items()
    )


def _external(results: Results) -> Section | None:
    """Which code each external memory is, how it compares with ours, and what it took."""
    if not results.origins:
        return None
    rows = [
        [
            name,
            f"{origin.where} {origin.version}".strip(),
            origin.sha256[:12],
            "what it finds, up to k" if origin.partial else "k",
        ]
        for name, origin in results.origins.items()
    ]
    return Section(
        "External memories",
        "These are not part of this repository's method. Each is made for a conversation from its turns and"
        " its vocabulary, and gets only the text of a question. What it cites is read, scored and compared"
        " like the cites of our memories." + _odd_answers(results),
        [
            *_against_ours(results),
            _cost(results),
            Grid(
                "Which code they are: its file or package, the start of its SHA-256, and how much it cites",
                ["memory", "from", "hash", "cites"],
                rows,
                "dvc repro answer",
            ),
        ],
    )


def _odd_answers(results: Results) -> str:
    """What the figures of a memory rest on, if not on turns and on our confidence."""
    said = {
        "sessions": "`{}` cites sessions: its recall is of sessions, which is higher than that of turns and"
        " cannot be compared with it.",
        "texts": "`{}` cites texts of its own: such answers have no recall, and the recall in a table is that"
        " of its other answers, or -.",
        "own_confidence": "`{}` gives a confidence of its own: what the floor does to its answers, and the"
        " area under its ROC curve, depend on it.",
    }
    return "".join(
        " " + said[kind].format(name) for kind in said for name, cost in results.cost.items() if cost[kind]
    )


def _against_ours(results: Results) -> list[Grid]:
    rows = [
        [
            f"{arm} - {other}",
            found["abstained"],
            *(found[half][value] for half in HALVES for value in ("external", "difference", "low", "high")),
        ]
        for arm, compared in results.external.items()
        for other, found in compared["against"].items()
    ]
    columns = [name for half in HALVES for name in (f"{half} F1", "difference", "from", "to")]
    caption = "Against ours where both abstain equally often: F1, difference in F1, and its 95% interval"
    return [Grid(caption, ["pair", "abstained", *columns], rows, "dvc repro statistics")] if rows else []


def _cost(results: Results) -> Grid:
    counts = ("constructed", "calls", "kept", "failed")
    times = ("construct_seconds", "ask_seconds", "p50_ms", "p95_ms")
    names = ["constructed", "calls", "kept from earlier runs", "failed"]
    names += ["seconds to construct", "seconds to ask", "p50, ms", "p95, ms"]
    return Grid(
        "What they took: times also of the answers that are kept from earlier runs, as they were asked then",
        ["memory", *names],
        [
            [name, *(f"{cost[count]:,}" for count in counts), *(float(cost[time]) for time in times)]
            for name, cost in results.cost.items()
        ],
        "dvc repro ask",
    )


def _failed(results: Results) -> Section | None:
    """The number of questions behind the means of each arm that failed on some."""
    if not results.scored:
        return None
    return Section(
        "Questions that failed",
        f"The memory of {_names(results.scored)} raised an error on some questions. Such a question is not a"
        " wrong answer: it counts in no mean, curve or area of that arm, in these tables and in the sweeps. A"
        " paired difference is over the questions that both arms answered. Do not compare means over"
        " different questions as if they were over the same.",
        [
            Grid(
                "Questions scored, of those asked",
                ["arm", *(_plain(column) for column in COLUMNS)],
                [[arm, *columns.values()] for arm, columns in results.scored.items()],
                "dvc repro score",
            )
        ],
    )


def _retrieval(results: Results) -> Section:
    k = results.provenance.settings["k"]
    labels = {measure: f"{label}@{k}" for measure, label in LABELS.items()}
    memory = signature(results.provenance, "<memory>")
    overview = [
        [name, *(table[name][half] for table in results.retrieval.values() for half in HALVES)]
        for name in next(iter(results.retrieval.values()))
    ]
    by_category = [
        Grid(
            f"{labels[measure]} by category",
            ["memory", *(_plain(column) for column in COLUMNS)],
            [[name, *row.values()] for name, row in table.items()],
            "dvc repro score",
            folded=True,
            signature=memory,
        )
        for measure, table in results.retrieval.items()
    ]
    return Section(
        "Retrieval",
        "The usual measures of what a memory cites, whatever a reader makes of it. A turn is relevant if it"
        f" is evidence; questions without evidence do not count. {labels['precision']} is the relevant share"
        f" of {k} cited turns: 1 is out of reach for a question with less evidence. {labels['mrr']} is the"
        f" mean of 1 / place of the first relevant turn. {labels['ndcg']} counts each relevant turn, the less"
        f" the later its place. {labels['hit_rate'].capitalize()} is the share of questions with any relevant"
        " turn. On adversarial questions the evidence is the turn with the misleading fact: a high figure"
        " there is no success." + _judged_by_sessions(results),
        [
            Grid(
                "Retrieval on answerable and on adversarial questions",
                ["memory", *(f"{half} {label}" for label in labels.values() for half in HALVES)],
                overview,
                "dvc repro score",
                signature=memory,
            ),
            *by_category,
        ],
    )


def _judged_by_sessions(results: Results) -> str:
    names = _names(name for name, cost in results.cost.items() if cost["sessions"])
    return f" {names}: judged by sessions, which is easier." if names else ""


def _factors(results: Results) -> Section | None:
    section = _chosen(
        results,
        "Index unit against scope",
        {
            "Whole turns are indexed": ["vector", "scoped"],
            "Claims are indexed": ["span", "graph"],
            "Only what is about the question's subject is searched": ["scoped", "graph"],
        },
    )
    if section is None:
        return None
    cells, effects = results.factors["cells"], results.factors["effects"]
    known = {effect: value for effect, value in effects.items() if value is not None}
    grids = []
    if known.keys() == effects.keys():
        grids += [
            Grid(
                "F1 on adversarial questions, the four cells",
                ["index unit", "every person", "the question's subject"],
                [
                    ["whole turns", cells["vector"], cells["scoped"]],
                    ["claims", cells["span"], cells["graph"]],
                ],
                "dvc repro statistics",
            )
        ]
    if known:
        beyond = ", and what both do beyond the sum of each alone" if "interaction" in known else ""
        grids += [
            Grid(
                f"Effects on F1 on adversarial questions{beyond}",
                ["effect", "difference"],
                [[_plain(effect), value] for effect, value in known.items()],
                "dvc repro statistics",
            )
        ]
    return replace(section, parts=[*section.parts, *grids])


def _walk(results: Results) -> Section | None:
    return _chosen(
        results,
        "Reading relations, and gathering",
        {
            "Along the relations of the graph, instead of ranking texts": ["path", "path+set"],
            "With the phrases of all cites gathered, for questions that ask for several things": [
                "path+set",
                "vector+set",
                "oracle+set",
            ],
        },
        beside=["vector", "graph", "oracle"],
    )


def _hops(results: Results) -> Section | None:
    return _chosen(
        results,
        "How far to walk",
        {
            "Two or three hops, through nodes that share a word with the question": ["path2", "path3"],
            "Two or three hops, through any node": ["walk2", "walk3"],
        },
        beside=["path+set", "graph+set"],
    )


def _chosen(
    results: Results, title: str, about: Mapping[str, Sequence[str]], beside: Sequence[str] = ()
) -> Section | None:
    """What there is to say about some arms that ran, and a table of these and others, of two rows or more."""
    said = {what: [arm for arm in results.arms if arm in arms] for what, arms in about.items()}
    text = " ".join(f"{what}: {_names(arms)}." for what, arms in said.items() if arms)
    shown = {*beside}.union(*about.values())
    present = [arm for arm in results.arms if arm in shown]
    return Section(title, text, [_subset(results, present)]) if text and len(present) > 1 else None


def _names(arms: Iterable[str]) -> str:
    return ", ".join(f"`{arm}`" for arm in arms)


def _subset(results: Results, arms: Iterable[str]) -> Grid:
    columns = [(measure, column) for measure in MEASURES for column in ("multi_hop", *HALVES)]
    header = [
        "arm",
        *(f"{_plain(column)} {'F1' if measure == 'f1' else measure}" for measure, column in columns),
    ]
    rows = [[arm, *(results.tables[measure][arm][column] for measure, column in columns)] for arm in arms]
    return Grid(
        "F1, recall and abstention",
        header,
        rows,
        "dvc metrics show metrics/f1 metrics/recall metrics/abstained",
    )


def _control(results: Results) -> Section:
    arms = results.control["arms"]
    rows = [
        [
            arm,
            str(found["answers_changed"]),
            str(found["cells_changed"]),
            found["without_graph"]["f1"]["answerable"],
            found["without_graph"]["f1"]["overall"],
            found["without_graph"]["abstained"]["overall"],
        ]
        for arm, found in arms.items()
    ]
    reading = _names(results.graph_arms)
    must = f"{reading} must change, no other arm may" if reading else "No arm reads the graph, so none may"
    return Section(
        "The blind control",
        f"The same run with every graph emptied. {must} change by one byte: otherwise the stage"
        " fails. Abstained 1 means that the arm always abstains.",
        [
            Grid(
                "What changes without the graph",
                ["arm", "answers changed", "cells changed", "answerable F1", "overall F1", "abstained"],
                rows,
                "dvc repro control",
                signature=signature(results.provenance, ARM, blind="yes"),
            )
        ],
    )


def _sweeps(results: Results) -> Section:
    parts: list[Grid | Picture] = [
        Picture(
            "trade-off.svg",
            "F1 on adversarial against F1 on answerable questions along the floor, one curve for each arm:"
            " right is better on one half, up on the other. The star is a program that always abstains.",
            signature=_swept_signature(results, floor="*"),
        )
    ]
    for setting, rows in results.sweeps.items():
        values = list(dict.fromkeys(row[setting] for row in rows))
        for column in ("answerable", "adversarial", "abstained"):
            found = {(row["arm"], row[setting]): row[column] for row in rows}
            what = column if column == "abstained" else f"{column} F1"
            parts.append(
                Grid(
                    f"{setting}: {what}",
                    ["arm", *(f"{setting} {value:g}" for value in values)],
                    [[arm, *(found.get((arm, value)) for value in values)] for arm in results.arms],
                    "dvc repro sweep",
                    folded=True,
                    signature=_swept_signature(results, **{setting: "*"}),
                )
            )
    return Section(
        "Sweeps",
        "One setting varies at a time. The others stay at the base under `sweep` in `params.yaml`, not at the"
        " run's own values."
        + _bypassed(results, dict.fromkeys(int(row["k"]) for row in results.sweeps["k"]))
        + _not_swept(results)
        + _swept_over_fewer(results),
        parts,
    )


def _not_swept(results: Results) -> str:
    base = results.swept.settings["k"]
    swept = {row["arm"] for row in results.sweeps["k"] if row["k"] != base}
    if not (asked_once := [arm for arm in results.external if arm not in swept]):
        return ""
    return (
        f" `k` was not swept for {_names(asked_once)}: external memories are asked at each k only with"
        " `sweep.external_k`."
    )


def _swept_over_fewer(results: Results) -> str:
    scored: dict[str, list[int]] = {}
    for row in (row for rows in results.sweeps.values() for row in rows):
        scored.setdefault(row["arm"], []).append(int(row.get("scored", results.asked)))
    return "".join(
        f" `{arm}` failed on up to {results.asked - min(counts):,} of {results.asked:,} questions here."
        for arm, counts in scored.items()
        if min(counts) < results.asked
    )


def _equal_abstention(results: Results) -> Section | None:
    if len(results.abstaining_equally) < 2:
        return None
    return Section(
        "Equal abstention",
        "An arm that abstains more often gains on adversarial questions for that reason alone. Here every arm"
        f" has the floor where it abstains as often as `{results.reference}`, the first of the arms, does at"
        " the base's floor. A floor with a * lies between two swept floors; its figures are interpolated"
        " linearly. `reports/equal_abstention.csv` has every two arms at every level.",
        [
            Grid(
                "Every arm where it abstains equally often",
                ["arm", "floor", "abstained", "answerable F1", "adversarial F1"],
                [
                    [
                        arm,
                        f"{point.floor:.3f}{'*' if point.interpolated else ''}",
                        point.abstained,
                        point.answerable,
                        point.adversarial,
                    ]
                    for arm, point in results.abstaining_equally.items()
                ],
                "dvc repro report",
                signature=_swept_signature(results, floor="*"),
            )
        ],
    )


def _separation(results: Results) -> Section | None:
    if all(row["auc_confidence"] is None for row in results.separation.values()):
        return None
    return Section(
        "Separating answerable from adversarial questions",
        "The area under the ROC curve says how often an answerable question gets a higher confidence than an"
        " adversarial one: 0.5 is chance. Confidence depends on the memory alone, so arms that share a memory"
        " share a curve; the decision to answer also depends on the reader.",
        [
            Picture("roc.svg", "ROC of the confidence, a curve a memory: up and to the left is better."),
            Grid(
                "Separation of answerable from adversarial questions",
                [
                    "arm",
                    "AUC of confidence",
                    "AUC of the decision",
                    "abstained on answerable, %",
                    "on adversarial, %",
                ],
                [[arm, *row.values()] for arm, row in results.separation.items()],
                "dvc repro statistics",
            ),
        ],
    )


def _paired(results: Results) -> Section | None:
    pairs = results.paired["pairs"]
    if not pairs:
        return None
    resampled = {half: about for half, about in results.paired["bootstrap"].items() if about["resamples"]}
    source = "".join(
        f" On {half} questions it comes from {'all' if about['exact'] else 'a seeded draw of'}"
        f" {about['resamples']:,} resamples of {about['conversations']} conversations."
        for half, about in resampled.items()
    )
    rows = [
        [pair, *(halves[half][value] for half in HALVES for value in ("difference", "low", "high"))]
        for pair, halves in pairs.items()
    ]
    header = ["pair", *(f"{half}: {value}" for half in HALVES for value in ("difference", "from", "to"))]
    return Section(
        "Paired differences",
        "Two arms answer the same questions, so their difference is more certain than either mean. The"
        " interval is the 95% percentile bootstrap over conversations: what other conversations of this kind"
        " might have shown. An interval that contains 0 shows no difference."
        + (source or " One conversation gives no interval."),
        [
            Picture(
                "paired.svg",
                f"Every arm less `{results.reference}`, the first of the arms, on each half: the mean"
                " difference and its interval.",
            ),
            Grid(
                "Every two arms: difference in F1 and its 95% interval",
                header,
                rows,
                "dvc repro statistics",
                folded=True,
            ),
            *_left_out(results.paired.get("left_out", {})),
        ],
    )


def _left_out(pairs: Mapping[str, Mapping[str, int]]) -> list[Grid]:
    if not pairs:
        return []
    rows = [[pair, *(f"{halves[half]:,}" for half in HALVES)] for pair, halves in pairs.items()]
    caption = "Questions that a pair is not compared on, because one of the two failed"
    return [Grid(caption, ["pair", *HALVES], rows, "dvc repro statistics", folded=True)]


def _reach(results: Results) -> Section:
    header = [_plain(column) for column in COLUMNS]
    reach, ceiling = results.reach, results.ceiling
    (uncut,) = (name for name in reach if name.startswith("recall_at_"))
    k = uncut.removeprefix("recall_at_")
    hops = [[_plain(name), *row.values()] for name, row in reach["hop_reach"].items()]
    found = [
        [
            "stems found in the evidence" if name == "found" else "answers found whole",
            *(row.get(c) for c in COLUMNS),
        ]
        for name, row in ceiling.items()
    ]
    relations = [
        [_plain(name), f"{value:,}" if isinstance(value, int) else value]
        for name, value in reach["relations"].items()
    ]
    return Section(
        "What could be found at all",
        "Recall without a cut shows what a memory can reach, however badly it ranks. Hop reach is the share"
        " of the evidence within a number of hops of the question's subject. The ceiling is the share of the"
        " reference answers that any reader can lift out of the evidence turns."
        + "".join(
            f" Recall of `{memory}` leaves out {count:,} of {results.asked:,} questions, on which it failed."
            for memory, count in reach.get("failed", {}).items()
        ),
        [
            Grid(
                f"Recall at k = {k}, floor 0",
                ["memory", *header],
                [[memory, *row.values()] for memory, row in reach[uncut].items()],
                "dvc repro reach",
                signature=signature(results.provenance, "<memory>", k=k, floor=0),
            ),
            Grid(
                "Share of the evidence within so many hops of the subject",
                ["hops", *header],
                hops,
                "dvc repro reach",
            ),
            Grid("Ceiling of any reader that lifts words", ["share", *header], found, "dvc repro reach"),
            Grid("Relations of the graphs", ["count", "all conversations"], relations, "dvc repro reach"),
        ],
    )


def _faults(results: Results) -> Section | None:
    """What the known faults of the published key are worth to each arm."""
    if not results.faults:
        return None
    columns = ("published", "audited", "difference", "left_out")
    rows = [
        [arm, *(row[column] for row in measures.values() for column in columns)]
        for arm, measures in results.faults.items()
    ]
    header = [
        name
        for measure in ("F1", "recall")
        for name in (
            f"published {measure}",
            f"audited {measure}",
            "difference",
            f"{measure} of those left out",
        )
    ]
    return Section(
        "What the faults of the answer key are worth",
        "The dataset's own answer key has faults. The audit github.com/dial481/locomo-audit names wrong"
        f" answers and wrong citations. The audited key follows it: {results.audited}. Under it, the oracle"
        " cites the corrected evidence. Every other arm answers the same. These figures are from runs of"
        " their own, of our arms at the default settings. To have other arms judged by this key, set"
        " `answer_key: audited` and run `dvc repro`.",
        [
            Grid(
                "F1 and recall on answerable questions under both keys, and those of the questions left out",
                ["arm", *header],
                rows,
                "make published",
                signature=signature(replace(results.provenance, key="*"), ARM),
            )
        ],
    )


def _built(results: Results) -> Section:
    counts = [("all", results.build["total"]), *results.build["conversations"].items()]
    columns = [column for column in results.build["total"] if column != "conversations"]
    return Section(
        "What was built",
        "From each conversation, with word lists alone.",
        [
            Grid(
                "Counts a conversation",
                ["conversation", *(_plain(column) for column in columns)],
                [[name, *(f"{row[column]:,}" for column in columns)] for name, row in counts],
                "dvc repro build",
                signature=signature(results.provenance, "none"),
            )
        ],
    )


def _example(results: Results) -> Section | None:
    example = results.example
    if example is None:
        return None
    return Section(
        "One question",
        f"{example.sample}: “{example.question}” It is adversarial: the person it"
        " names did no such thing, the other one did. The right reply abstains.",
        [
            Grid(
                "Replies and cited turns",
                ["arm", "reply", "cited turns"],
                [[arm, *_shown(answer)] for arm, answer in example.answers.items()],
                "dvc repro answer",
            )
        ],
    )


def _shown(answer: Answer | Failure) -> tuple[Cell, Cell]:
    """The reply, and what is cited by its id: texts of a memory's own may quote the dataset."""
    if isinstance(answer, Failure):
        return "(failed)", None
    return answer.reply, ", ".join(answer.context) if answer.sourced else "(texts of its own)"


def _plain(name: str) -> str:
    return name.replace("_", " ")
