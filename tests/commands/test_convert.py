"""`locomo convert`: what it says and refuses, and that everything runs over what it writes."""

import json
import shutil
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from ir_measures import RR, P, R, Success, nDCG

from helpers.longmemeval import instances
from helpers.stages import BESIDE, project, run
from locomo.cli import main
from locomo.core import paths
from locomo.core.download import fetch
from locomo.core.errors import LocomoError
from locomo.core.settings import load
from locomo.score.averages import COLUMNS


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of five instances."""
    (tmp_path / "lme.json").write_text(json.dumps(instances()), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main(["convert", *words])
    assert capsys.readouterr().out == ""
    return str(stop.value)


def test_it_says_what_became_of_the_file_and_how_to_go_on(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["convert", "lme.json", "made/talks.json"])
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == ("made/talks.json: 5 conversations with one question each, 12 sessions, 27 turns")
    assert last == "Set `file` of `dataset` in params.yaml to made/talks.json, and run `dvc repro`."


def test_no_file_is_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "talks.json").touch()
    before = (here / "lme.json").read_bytes()
    for target in ("talks.json", "lme.json", "./lme.json", "."):
        message = f"error: {Path(target)}: is there already; choose another name"
        assert refused(capsys, "lme.json", target) == message
    assert (here / "talks.json").read_bytes() == b"" and (here / "lme.json").read_bytes() == before


def test_nothing_is_half_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = instances()
    given[4]["answer_session_ids"] = ["gone"]
    (here / "lme.json").write_text(json.dumps(given), encoding="utf-8")
    assert refused(capsys, "lme.json", "talks.json").startswith("error: lme.json: instance[4] (tea), answer_")
    assert refused(capsys, "none.json", "talks.json") == "error: none.json: there is no such file"
    assert [path.name for path in here.iterdir()] == ["lme.json"]


# ---- all stages over it


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all stages ran over the converted file; read it."""
    folder = tmp_path_factory.mktemp("longmemeval")
    source, target = folder / "lme.json", folder / "made.json"
    source.write_text(json.dumps(instances()), encoding="utf-8")
    main(["convert", str(source), str(target)])
    pinned = load(Path(__file__).parents[2] / paths.PARAMS).scorer.pinned()
    try:
        cached = folder / "home/locomo-bench" / pinned.place
        scorer = fetch(pinned)
        cached.parent.mkdir(parents=True)
        shutil.copy(scorer, cached)
    except LocomoError:
        pass  # the stage says that it does without
    project(folder, json.loads(target.read_bytes()))
    run(folder, *BESIDE)
    return folder


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def columns(single: float, multi: float, temporal: float, adversarial: float) -> dict[str, float | None]:
    """The means in each column; two of the five questions are single-hop, none is open-domain."""
    answerable = 2 * single + multi + temporal
    values = {
        "single_hop": single,
        "multi_hop": multi,
        "temporal": temporal,
        "adversarial": adversarial,
        "answerable": answerable / 4,
        "overall": (answerable + adversarial) / 5,
    }
    return {column: None if column == "open_domain" else round(values[column], 6) for column in COLUMNS}


def test_recall_is_of_sessions(made: Path) -> None:
    # By their words, the turns about a boat, an oven and a pet are found, and of the camp the tents alone.
    # All five cites about tea are of one session, so that the other is not found.
    assert read(made / "metrics/recall/vector.json") == columns(3 / 4, 1 / 2, 1, 1)
    # All turns of an evidence session are evidence: the camp has four, but tea and coffee have seven.
    assert read(made / "metrics/recall/oracle.json") == columns(3 / 4, 1, 1, 1)
    cited = {
        sample["sample_id"]: sample["qa"][0]["oracle_prediction_context"]
        for sample in read(made / paths.PREDICTIONS)
    }
    assert sorted(cited["camp_1"]) == ["D1:1", "D1:2", "D3:1", "D3:2"]
    assert sorted(cited["tea"]) == [f"D1:{place}" for place in range(1, 6)]


def test_other_measures_are_of_sessions(made: Path) -> None:
    found = read(made / "metrics/retrieval/vector.json")
    ndcg = 1 / (1 + 1 / 1.584962500721156)  # one of two sessions, at the first place; log2(3)
    assert {measure: row["multi_hop"] for measure, row in found.items()} == {
        "precision": 1 / 5,
        "mrr": 1,
        "ndcg": round(ndcg, 6),
        "hit_rate": 1,
    }
    # In any number of cites all is found: the tents and the cooker share no word with the other sessions.
    reach = read(made / paths.REACH)
    assert reach["recall_at_2000"]["oracle"]["overall"] == 1
    assert read(made / paths.BUILD)["total"]["evidence_without_a_turn"] == 0


def test_the_official_scorer_finds_the_same(made: Path) -> None:
    official = read(made / paths.OFFICIAL)
    if not official["available"]:
        pytest.skip("the official scorer is in no cache folder: set LOCOMO_CACHE to one that holds it")
    assert official["recall"]["vector"] == columns(3 / 4, 1 / 2, 1, 1)
    assert official["largest_difference"] < 1e-12


def test_ir_measures_finds_the_same(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    main(["export", "qrels", "--out", str(tmp_path)])
    main(["export", "run", "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "qrels.trec: 7 sessions of evidence for 5 of 5 questions\n" in printed
    assert "vector.trec: 5 sessions cited for 5 of 5 questions\n" in printed
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.trec")))
    assert [one.doc_id for one in qrels if one.query_id == "camp_1/0"] == ["camp_1/S1", "camp_1/S3"]
    theirs = {"precision": P @ 5, "mrr": RR @ 5, "ndcg": nDCG @ 5, "hit_rate": Success @ 5, "recall": R @ 5}
    for arm in ("vector", "oracle", "graph"):
        lines = list(ir_measures.read_trec_run(str(tmp_path / f"runs/{arm}.trec")))
        found = ir_measures.calc_aggregate(list(theirs.values()), qrels, lines)
        ours = {
            name: table["overall"] for name, table in read(made / f"metrics/retrieval/{arm}.json").items()
        }
        ours["recall"] = read(made / f"metrics/recall/{arm}.json")["overall"]
        assert ours == pytest.approx({name: found[measure] for name, measure in theirs.items()}, abs=1e-6)


def test_show_names_the_sessions(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    main(["show", "--sample", "camp_1", "--arm", "vector"])
    shown = capsys.readouterr().out.splitlines()
    assert shown[3:5] == ["  evidence  S1 D1:1 to D1:2", "  evidence  S3 D3:1 to D3:2"]
    assert shown[7].split()[-1] == "D1:1*"
    main(["show", "--sample", "pet_abs", "--arm", "vector"])
    assert capsys.readouterr().out.splitlines()[2] == "  trap      none"
