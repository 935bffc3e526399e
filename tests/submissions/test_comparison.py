"""`locomo score`: answers that ran elsewhere, beside our arms; every known fault is told or refused."""

import csv
import hashlib
import json
import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.given import SINGLE, Record, as_json, as_lines, asked, found, given, matched, printed, refused
from helpers.shared import ROOT
from locomo.core import paths
from locomo.formats.dataset import ABSTENTION, Category
from locomo.results.scores import Score, read_scores
from locomo.score.averages import COLUMNS, Row, row
from locomo.score.measures import MEASURES
from locomo.statistics.paired import paired
from locomo.submissions.comparison import compare

SIZES = dict(zip(COLUMNS, (841, 282, 321, 96, 446, 1540, 1986), strict=True))
TABLE = "single_hop (4), multi_hop (1), temporal (2), open_domain (3), adversarial (5)"


@pytest.fixture(scope="session")
def scores(ran: Path) -> list[Score]:
    return read_scores(ran / paths.SCORES)


def committed(path: Path) -> Any:
    return json.loads((ROOT / path).read_bytes())


def means(scores: Iterable[Score], measure: str) -> Row:
    return row((score.category, score.values[measure]) for score in scores)


def as_csv(path: Path, records: list[Record]) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        rows = csv.DictWriter(file, list(records[0]))
        rows.writeheader()
        rows.writerows(record | {"context": json.dumps(record["context"])} for record in records)
    return path


def as_official(path: Path, records: list[Record]) -> Path:
    """As the paper's own code writes it: without an answer to adversarial questions, too."""
    samples: dict[str, list[Record]] = {}
    for record in records:
        samples.setdefault(record["sample_id"], []).append(
            {"question": record["question"], "category": record["category"]}
            | {"other_prediction": record["prediction"]}
            | {f"other_prediction_{key}": record[key] for key in ("context", "confidence")}
        )
    return as_json(path, [{"sample_id": sample, "qa": qa} for sample, qa in samples.items()])


# ---- an answer is scored as ours are


@pytest.mark.parametrize(
    ("name", "write"),
    [("other.json", as_json), ("other.jsonl", as_lines), ("other.csv", as_csv), ("o.json", as_official)],
)
def test_our_own_arm_from_elsewhere_gets_the_published_figures(
    name: str,
    write: Callable[[Path, list[Record]], Path],
    records: list[Record],
    here: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    comparison = found(capsys, write(tmp_path / name, records), "--against", "graph", "vector")
    for measure in MEASURES:
        published = committed(paths.metric(measure, "graph"))
        assert comparison[measure]["other"] == comparison[measure]["graph"] == published
        assert comparison["questions"][measure] == SIZES
    same, differs = comparison["paired"]["pairs"].values()
    assert list(comparison["paired"]["pairs"]) == ["other - vector", "other - graph"]
    assert set(differs["answerable"].values()) == {0.0}
    assert same == committed(paths.STATISTICS / "paired.json")["pairs"]["graph - vector"]
    assert comparison["separation"]["other"] == committed(paths.STATISTICS / "separation.json")["graph"]
    told = comparison["systems"]["other"]
    counts = told["counts"]
    assert counts["asked"] == counts["scored"] == SIZES
    none = dict.fromkeys(SIZES, 0)
    assert counts["failed"] == counts["missing"] == counts["likely_abstained"] == none
    share = comparison["abstained"]["other"]
    assert {name: round(n / SIZES[name], 6) for name, n in counts["abstained"].items()} == share
    assert comparison["failures_as_0"] == comparison["spread"] == {measure: {} for measure in MEASURES}
    assert told["remarks"] == [
        "recall grows with what is cited: here up to 5 ids an answer, by our arms up to their k"
    ]
    assert comparison["f1"]["(abstention)"] == committed(paths.STATISTICS / "abstention.json")


def test_the_order_of_the_records_does_not_matter(
    records: list[Record], here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Questions that stand twice are answered alike by `graph`, which sees nothing but the question.
    comparison = found(capsys, as_lines(tmp_path / "other.jsonl", records[::-1]), "--against", "graph")
    assert comparison["f1"]["other"] == comparison["f1"]["graph"]


def test_our_arms_are_averaged_over_the_same_questions(
    records: list[Record], scores: list[Score], here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of the records, of every category; the rest is missing, and no mean is over it."""
    comparison = found(capsys, as_lines(tmp_path / "half.jsonl", records[::2]), "--against", "graph", "span")
    for arm in ("graph", "span"):
        mine = [score for score in scores if score.arm == arm][::2]
        assert comparison["f1"][arm] == means(mine, "f1")
        assert comparison["recall"][arm] == means(mine, "recall")
    assert comparison["f1"]["half"] == comparison["f1"]["graph"]
    scored, missing = (comparison["systems"]["half"]["counts"][kind] for kind in ("scored", "missing"))
    assert scored["overall"] == missing["overall"] == 993
    assert all(scored[name] + missing[name] == SIZES[name] for name in SIZES)


def test_several_systems_share_a_table_if_they_are_scored_on_the_same_questions(
    here: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    samples = json.loads((here / paths.PREDICTIONS).read_bytes())
    for sample in samples:
        for question in sample["qa"]:
            for arm in [key for key in question if key.endswith("_prediction")]:
                if arm not in ("graph_prediction", "span_prediction", "path_prediction"):
                    del question[arm]
    del samples[3]["qa"][2]["path_prediction"]
    path = as_json(tmp_path / "p.json", samples)
    both, alone = json.loads(printed(capsys, path, "--against", "graph", "--json"))["comparisons"]
    assert list(both["systems"]) == ["graph (given)", "span (given)"]
    assert list(both["paired"]["pairs"]) == [
        "graph (given) - span (given)",
        "graph (given) - graph",
        "span (given) - graph",
    ]
    assert both["f1"]["span (given)"] == committed(paths.metric("f1", "span"))
    assert list(alone["systems"]) == ["path (given)"] and alone["questions"]["f1"]["overall"] == 1985
    text = printed(capsys, path, "--against", "graph")
    assert "1,985 of 1,986" in text and "1 of 1,986 questions missing, not scored as wrong: conv-42/2" in text


def test_systems_keep_names_of_their_own(
    records: list[Record], here: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One is called as an arm of ours, the other as that one would be to tell it from ours."""
    both = [record | {"arm": arm} for record in records for arm in ("graph", "graph (given)")]
    comparison = found(capsys, as_lines(tmp_path / "both.jsonl", both), "--against", "graph")
    assert list(comparison["systems"]) == ["graph (given) (given)", "graph (given)"]
    assert len(comparison["f1"]) == 4  # and constant abstention


# ---- a file with every known fault


def faulty(records: list[Record]) -> Iterator[Record]:
    """What public reports show: each fault stands where the comment says."""
    names = {1: 4, 2: 2, 3: 3, 4: 1}  # category numbers mapped to the wrong names
    seen: dict[str, int] = {}
    for record in records:
        if record["category"] == 5:
            continue  # adversarial questions crashed on a missing key
        seen[record["sample_id"]] = nth = seen.get(record["sample_id"], 0) + 1
        changed = record | {"category": names[record["category"]]}
        del changed["context"]  # no ids of turns
        # Typographic quotes and doubled spaces, from a word processor.
        changed["question"] = record["question"].replace("'", "’").replace('"', "”").replace(" ", "  ")
        if record["sample_id"] == "conv-50" and nth > 150:
            continue  # fewer questions, silently
        if nth == 1:
            changed |= {"prediction": None}  # failed
        elif nth == 2 and record["sample_id"] in ("conv-26", "conv-30"):
            changed |= {"prediction": "", "error": "timeout"}  # failed, and says why
        elif nth == 3:
            changed |= {"prediction": ""}  # nothing said, and no word of a failure
        if (record["sample_id"], nth) == ("conv-26", 5):
            changed |= {"confidence": math.nan}
        if (record["sample_id"], nth) == ("conv-26", 6):
            changed |= {"confidence": 1.5}
        yield changed
        if nth == 10:
            yield changed | {"prediction": "zzz"}  # another answer
    yield changed | {"sample_id": "conv-99"}
    yield changed | {"sample_id": "conv-26", "question": "Which colour has the kayak of the neighbour?"}


def test_every_fault_of_a_file_is_told(
    records: list[Record],
    scores: list[Score],
    here: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = list(faulty(records))
    comparison = found(capsys, as_lines(tmp_path / "other.jsonl", lines), "--against", "graph", "vector")
    told = comparison["systems"]["other"]

    # Numbers of questions: all that were asked, and what became of each.
    counts = told["counts"]
    assert counts["asked"] == SIZES
    assert counts["failed"]["overall"] == 12
    assert counts["missing"] == dict.fromkeys(SIZES, 0) | {
        "single_hop": 8, "adversarial": 446, "answerable": 8, "overall": 454,
    }  # fmt: skip
    assert all(
        counts["scored"][name] + counts["failed"][name] + counts["missing"][name] == SIZES[name]
        for name in SIZES
    )
    assert counts["scored"]["overall"] == 1520 and counts["scored"]["adversarial"] == 0

    # Each fault by name, with the place of the first ones.
    wrong = sum(line["category"] in (1, 4) for line in lines[:-2])
    remarks = iter(told["remarks"])

    def next_starts(*texts: str) -> None:
        remark = next(remarks)
        assert remark.startswith(texts[0]) and all(text in remark for text in texts), remark

    next_starts(
        "1 record of a conversation that the dataset doesn't have: 'conv-99' (1); it has conv-26, conv-30"
    )
    next_starts(
        "1 record of a question that the conversation doesn't have: line 1544 ('conv-26', 'Which colour"
    )
    next_starts("no adversarial question is scored, of 446: overall is no mean over the whole benchmark")
    next_starts(
        "454 of 1,986 questions missing, not scored as wrong: conv-26 (47 of 199), ", "conv-50 (54 of 204)"
    )
    next_starts("12 calls failed, not scored as wrong: no prediction (10), 'timeout' (2)")
    next_starts("10 empty replies, scored as answers: line 3, ", "the prediction is null or error says why")
    next_starts(
        "10 questions with several answers, up to 2: the score is their mean; not every run has every"
    )
    next_starts(
        f"{wrong:,} records of another category than the dataset's, scored by the dataset's: line ", TABLE
    )
    next_starts(
        "the file's categories are mapped wrongly: it has single_hop (4) for multi_hop (1), multi_hop (1) for"
        " single_hop (4); that explains 1,542 of 1,542 records"
    )
    next_starts("no answer says which turns it cites: recall is not available (-), which is not 0")
    # Not a number is how pandas writes null: it is not given.
    next_starts("1 confidence not from 0 to 1, taken as not given: 1.5 at line 6")
    next_starts("2 of 1,530 answers without a confidence: its area under the ROC curve is not available")
    assert list(remarks) == []

    # The figures: what was answered is scored as ever, by the dataset's category, and nothing else is.
    graph = {(score.sample, score.question): score for score in scores if score.arm == "graph"}
    nth: dict[str, int] = {}
    kept = []
    for (sample, _), score in graph.items():
        if score.category.label == "adversarial":
            continue
        nth[sample] = n = nth.get(sample, 0) + 1
        if n == 1 or (n == 2 and sample in ("conv-26", "conv-30")) or (sample == "conv-50" and n > 150):
            continue
        if n in (3, 10):  # nothing said: 0; said twice, once in vain: half
            share = 0 if n == 3 else 1 / 2
            values = {"f1": share * score.values["f1"], "abstained": share * score.values["abstained"]}
            score = score._replace(values=values)
        kept.append(score)
    assert comparison["f1"]["other"] == means(kept, "f1")
    assert comparison["abstained"]["other"] == means(kept, "abstained")
    assert set(comparison["recall"]["other"].values()) == {None}
    ours = [graph[score.sample, score.question] for score in kept]
    assert comparison["f1"]["graph"] == means(ours, "f1")
    by_hand = paired([one._replace(arm=arm) for arm, side in (("a", kept), ("b", ours)) for one in side])
    assert comparison["paired"]["pairs"]["other - graph"] == by_hand["pairs"]["a - b"]
    assert comparison["separation"]["other"]["auc_confidence"] is None
    assert told["signature"].startswith("locomo-bench:0.1.0|data:79fa87e90f04|key:published|answers:")
    assert told["signature"].endswith("|asked:1986|scored:1520|failed:12|missing:454|arm:other")


def test_the_denominators_stand_over_every_table(
    records: list[Record], here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, as_lines(tmp_path / "other.jsonl", list(faulty(records))), "--against", "graph")
    for measure in MEASURES:
        head, below = re.split(rf"^{measure}  +(?=single_hop)", text, flags=re.M)[1].splitlines()[:2]
        assert head.split() == list(COLUMNS)
        assert below.split("  ")[-1].strip() == "1,520 of 1,986" and " 0 of 446 " in below
    recall = re.split(r"^recall  +(?=single_hop)", text, flags=re.M)[1].splitlines()
    (other,) = (line for line in recall[:5] if line.startswith("other"))
    assert other.split() == ["other", *"-------"]
    # 12 failed: beside each mean of what was answered stands the mean with these as 0.
    below = re.split(r"^f1  +(?=single_hop)", text, flags=re.M)[1].splitlines()[3:5]
    assert [line.split("  ")[0] for line in below] == ["other", "(failures as 0)"]
    overall, with_0 = (float(line.split()[-1]) for line in below)
    assert with_0 == pytest.approx(overall * 1520 / 1532, abs=0.001)
    rows = {
        line.split()[0]: line.split()[1:]
        for line in text.splitlines()
        if line.startswith(("asked", "missing"))
    }
    assert rows["asked"] == ["841", "282", "321", "96", "446", "1,540", "1,986"]
    assert rows["missing"][4:] == ["446", "8", "454"]


@pytest.mark.parametrize(("name", "count"), [("factual", 841), (6, 446), (0, 282)])
def test_categories_under_other_names_or_numbers_are_refused_by_name(
    name: Any,
    count: int,
    records: list[Record],
    here: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    theirs = {"factual": 4, 6: 5, 0: 1}[name]
    changed = [r | {"category": name if r["category"] == theirs else r["category"]} for r in records]
    message = refused(capsys, as_lines(tmp_path / "other.jsonl", changed))
    assert f"other.jsonl: category: '{name}' ({count}, first: line " in message
    assert message.endswith(f"the dataset has no such category; it has {TABLE}")


# ---- small things, by hand


def test_what_is_printed(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.csv").write_text(
        "sample_id,question,prediction,context\n"
        "conv-1,What did  Ada buy?,a kayak,D2:1 D1:1\n"
        "conv-1,What did Bob sell?,Not mentioned,[]\n",
        encoding="utf-8",
    )
    text = printed(capsys, "mine.csv", "--against", "vector")
    digest, data = text.partition("answers:")[2][:12], text.partition("|data:")[2][:12]
    assert (
        text
        == f"""\
mine.csv: 2 answers, read as CSV, a list of records; reply under 'prediction'
compared with data/scores.csv

mine                               single_hop    multi_hop    temporal    open_domain    adversarial    answerable    overall
                                          (4)          (1)         (2)            (3)            (5)
-------------------------------  ------------  -----------  ----------  -------------  -------------  ------------  ---------
asked                                       1            0           0              0              1             1          2
scored                                      1            0           0              0              1             1          2
failed                                      0            0           0              0              0             0          0
missing                                     0            0           0              0              0             0          0
abstained by the metric                     0            0           0              0              1             0          1
likely abstained in other words             0            0           0              0              0             0          0

* 2 of 2 records without a category, matched by conversation, question and order
* recall grows with what is cited: here up to 2 ids an answer, by our arms up to their k

f1              single_hop  multi_hop    temporal    open_domain      adversarial    answerable    overall
                         1  0            0           0                          1             1          2
------------  ------------  -----------  ----------  -------------  -------------  ------------  ---------
mine                 1.000  -            -           -                      1.000         1.000      1.000
vector               0.500  -            -           -                      0.000         0.500      0.250
(abstention)         0.000  -            -           -                      1.000         0.000      0.500

recall      single_hop  multi_hop    temporal    open_domain      adversarial    answerable    overall
                     1  0            0           0                          1             1          2
--------  ------------  -----------  ----------  -------------  -------------  ------------  ---------
mine             1.000  -            -           -                      0.000         1.000      0.500
vector           1.000  -            -           -                      1.000         1.000      1.000

abstained      single_hop  multi_hop    temporal    open_domain      adversarial    answerable    overall
                        1  0            0           0                          1             1          2
-----------  ------------  -----------  ----------  -------------  -------------  ------------  ---------
mine                0.000  -            -           -                      1.000         0.000      0.500
vector              0.000  -            -           -                      0.000         0.000      0.000

f1 of mine, less that of    answerable    95% interval    adversarial    95% interval
--------------------------  ------------  --------------  -------------  --------------
vector                      +0.500        -               +1.000         -

intervals of a paired bootstrap over conversations; answerable: none, adversarial: none

area under ROC curve,             confidence    decision
answerable against adversarial                  to answer
--------------------------------  ------------  -----------
mine                              -             1.000
vector                            1.000         0.500

To quote a figure, add its signature:
locomo-bench:0.1.0|data:{data}|key:published|answers:{digest}|asked:2|scored:2|failed:0|missing:0|arm:mine
locomo-bench:0.1.0|data:{data}|key:published|k:5|floor:0.3|span:4|band:0.9|parts:2|blind:no|infer:yes|arm:<arm>
"""  # noqa: E501
    )
    # The dataset of the signature is the file that was read, and not that of any setting.
    assert data == hashlib.sha256((small / paths.DATASET).read_bytes()).hexdigest()[:12]


def test_no_answer_that_can_be_scored(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [{"sample_id": "talk", "question": "What did Ada buy?", "prediction": "x"}]
    message = refused(capsys, as_json(Path("mine.json"), records))
    assert message.startswith("error: mine.json: no answer can be scored:\n  1 record of a conversation")
    assert "'talk' (1); it has conv-1, conv-2" in message
    records = [{"sample_id": "conv-1", "question": "What did Ada buy?", "prediction": None}]
    message = refused(capsys, as_json(Path("mine.json"), records))
    assert "1 call failed, not scored as wrong: no prediction (1)" in message


def test_a_system_that_failed_throughout_beside_one_that_did_not(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"sample_id": "conv-1", "question": "What did Ada buy?", "category": 4}
    path = as_json(
        Path("mine.json"),
        [asked | {"arm": "a", "prediction": "kayak"}, asked | {"arm": "b", "prediction": None}],
    )
    one, other = json.loads(printed(capsys, path, "--json"))["comparisons"]
    assert one["f1"]["a"]["overall"] == 1 and one["systems"]["a"]["counts"]["missing"]["overall"] == 1
    assert set(other["f1"]["b"].values()) == {None} == set(other["f1"]["vector"].values())
    assert other["systems"]["b"]["counts"]["failed"]["single_hop"] == 1
    assert "0 of 1" in printed(capsys, path)


def test_an_arm_that_is_not_in_the_run(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = as_json(
        Path("mine.json"), [{"sample_id": "conv-1", "question": "What did Ada buy?", "prediction": "x"}]
    )
    message = refused(capsys, path, "--against", "graph", "oracle")
    assert message == "error: --against: oracle: not in this run; allowed: vector, graph"


MINE = [{"sample_id": "conv-1", "question": "Who?", "prediction": "x"}]


@pytest.mark.parametrize(("path", "stage"), [(paths.DATASET, "fetch"), (paths.SIGNATURES, "score")])
def test_without_a_file_of_the_run(
    path: Path, stage: str, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (small / path).unlink()
    message = refused(capsys, as_json(Path("mine.json"), MINE))
    assert message == f"error: {path}: is not there; run `dvc repro {stage}` to make it"


@pytest.mark.parametrize("path", [paths.DATASET, paths.SCORES])
def test_files_of_different_runs_are_refused(
    path: Path, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as scores beside a dataset with other answers, under a signature of the old one."""
    text = (small / path).read_text(encoding="utf-8")
    (small / path).write_text(
        text.replace("kayak", "boat").replace("single_hop", "temporal"), encoding="utf-8"
    )
    message = refused(capsys, as_json(Path("mine.json"), MINE))
    assert message == (
        f"error: {path}: is of another run than metrics/signature.json; run `dvc repro` to make them fit"
    )


# ---- several runs


def several(replies: dict[str, list[str]], **others: Any) -> Any:
    """The comparison of answers to "Who?" and "Why?" (answer: red kayak), so many of each."""
    conversation = asked(("Who?", SINGLE), ("Why?", Category.TEMPORAL), answer="red kayak")
    most = max(map(len, replies.values()))
    answers = [
        given(text, None, theirs[run], **{name: values[run] for name, values in others.items()})
        for run in range(most)
        for text, theirs in replies.items()
        if run < len(theirs)
    ]
    (comparison,) = compare([matched(conversation, *answers)], {})
    return comparison


# "red": precision 1, recall 1/2, F1 2/3. "kayak tea cup" and the like: precision 1/3, recall 1/2, F1 2/5.
TWO = {"Who?": ["red kayak", "red"], "Why?": ["tea", "kayak tea cup"]}
THREE = {"Who?": ["red kayak", "red", "tea"], "Why?": ["red", "red", "red kayak"]}


@pytest.mark.parametrize("named", [False, True])
def test_two_runs(named: bool) -> None:
    comparison = several(TWO, **({"run": ["a", "b"]} if named else {}))
    assert comparison.table("f1")["mine"] == dict.fromkeys(COLUMNS) | {
        "single_hop": round((1 + 2 / 3) / 2, 6),
        "temporal": round((0 + 2 / 5) / 2, 6),
        "answerable": round((1 + 2 / 3 + 0 + 2 / 5) / 4, 6),
        "overall": round((1 + 2 / 3 + 0 + 2 / 5) / 4, 6),
    }
    # Of two values the sample standard deviation is their difference by the root of 2.
    first, second = (1 + 0) / 2, (2 / 3 + 2 / 5) / 2
    assert comparison.spread("f1")["mine"] == dict.fromkeys(COLUMNS) | {
        "single_hop": pytest.approx((1 - 2 / 3) / math.sqrt(2), abs=2e-6),
        "temporal": pytest.approx((2 / 5 - 0) / math.sqrt(2), abs=2e-6),
        "answerable": pytest.approx(abs(first - second) / math.sqrt(2), abs=2e-6),
        "overall": pytest.approx(abs(first - second) / math.sqrt(2), abs=2e-6),
    }


def test_three_runs() -> None:
    comparison = several(THREE)
    runs = [(1 + 2 / 3) / 2, (2 / 3 + 2 / 3) / 2, (0 + 1) / 2]
    mean = sum(runs) / 3
    assert comparison.table("f1")["mine"]["overall"] == round(mean, 6)
    by_hand = math.sqrt(sum((run - mean) ** 2 for run in runs) / 2)
    assert by_hand == pytest.approx(statistics.stdev(runs))
    assert comparison.spread("f1")["mine"]["overall"] == pytest.approx(by_hand, abs=2e-6)


def test_a_question_counts_once_however_often_it_was_answered() -> None:
    """Three answers to the one and one to the other: the mean is over two questions, without a spread."""
    comparison = several({"Who?": ["red kayak", "red", "tea"], "Why?": ["red kayak"]})
    assert comparison.table("f1")["mine"]["overall"] == round(((1 + 2 / 3 + 0) / 3 + 1) / 2, 6)
    assert comparison.spread("f1") == {}


def test_one_run_has_no_spread() -> None:
    assert several({"Who?": ["red"], "Why?": ["red"]}).spread("f1") == {}


def test_runs_as_records_or_by_key_from_a_file(
    records: list[Record], scores: list[Score], here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs over all questions: what `graph` answered, and always abstaining."""
    always = [record | {"prediction": ABSTENTION} for record in records]
    graph = means((score for score in scores if score.arm == "graph"), "f1")
    abstaining = committed(paths.STATISTICS / "abstention.json")
    plain = found(capsys, as_lines(tmp_path / "plain.jsonl", records + always), "--against", "graph")
    # By key, and shuffled: the run before the question's other answers, or after.
    keyed = [one | {"run": run} for run, some in ((1, always), (0, records)) for one in some[::-1]]
    keyed = found(capsys, as_lines(tmp_path / "plain.jsonl", keyed), "--against", "graph")
    for comparison in (plain, keyed):
        told = comparison["systems"]["plain"]
        assert told["counts"]["scored"] == SIZES
        assert told["remarks"][0] == "2 runs: a question's score is the mean over them"
        for name in COLUMNS:
            mean = (graph[name] + abstaining[name]) / 2
            assert comparison["f1"]["plain"][name] == pytest.approx(mean, abs=2e-6)
            spread = abs(graph[name] - abstaining[name]) / math.sqrt(2)
            assert comparison["spread"]["f1"]["plain"][name] == pytest.approx(spread, abs=2e-6)
    assert plain["systems"]["plain"]["signature"] == keyed["systems"]["plain"]["signature"]


# ---- wrong inputs that look right


@pytest.mark.parametrize("n", [1, 2, 4])
def test_half_the_conversations_named_by_place(
    n: int, records: list[Record], here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names 0, 1, ... of the last conversations: by their place they are others, and no question fits."""
    ids = list(dict.fromkeys(record["sample_id"] for record in records))[-n:]
    last = [r | {"sample_id": str(ids.index(r["sample_id"]))} for r in records if r["sample_id"] in ids]
    path = as_lines(tmp_path / "last.jsonl", last)
    message = refused(capsys, path, "--against", "graph")
    assert "no answer can be scored" in message and "--samples NAME=ID,... corrects one" in message
    right = ",".join(f"{place}={id}" for place, id in enumerate(ids))
    comparison = found(capsys, path, "--against", "graph", "--samples", right)
    assert comparison["f1"]["last"] == comparison["f1"]["graph"]
    assert comparison["systems"]["last"]["counts"]["scored"]["overall"] == len(last)


def test_questions_of_another_dataset(here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [{"sample_id": f"q{n}", "question": f"What is {n}?", "prediction": "x"} for n in range(50)]
    message = refused(capsys, as_lines(tmp_path / "other.jsonl", records))
    assert "40 records of a conversation that the dataset doesn't have: 'q10' (1), " in message
    assert (
        "10 records of a question that the conversation doesn't have: line 1 ('q0', 'What is 0?')" in message
    )


def test_questions_in_another_case_are_the_same(
    records: list[Record], here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = [record | {"question": record["question"].lower()} for record in records]
    comparison = found(capsys, as_lines(tmp_path / "other.jsonl", changed), "--against", "graph")
    assert comparison["f1"]["other"] == comparison["f1"]["graph"]


def test_decimal_commas_are_named_with_their_place(
    records: list[Record], here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Excel where decimals have a comma: semicolons between the cells, a byte order mark, and CRLF."""
    import pandas as pd

    path = tmp_path / "other.csv"
    table = pd.DataFrame(records).assign(context=[json.dumps(record["context"]) for record in records])
    excel = {"sep": ";", "decimal": ",", "encoding": "utf-8-sig", "lineterminator": "\r\n"}
    table.to_csv(path, index=False, **excel)
    assert "other.csv: line 2: confidence: is '0," in refused(capsys, path, "--against", "graph")
    table.drop(columns="confidence").to_csv(path, index=False, **excel)
    comparison = found(capsys, path, "--against", "graph")
    for measure in MEASURES:
        assert comparison[measure]["other"] == comparison[measure]["graph"]


def test_a_table_of_pandas_with_its_index(
    records: list[Record], here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pandas as pd

    pd.DataFrame(records).to_csv(tmp_path / "other.csv")
    comparison = found(capsys, tmp_path / "other.csv", "--against", "graph")
    for measure in MEASURES:
        assert comparison[measure]["other"] == comparison[measure]["graph"]
    assert comparison["separation"]["other"] == comparison["separation"]["graph"]
