"""Files of different runs are refused together, and a figure is signed with what it was made from."""

import hashlib
import json
import re
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import locomo
from helpers.clones import DemoRun
from helpers.ran import PROVENANCE, MakeRun
from helpers.shared import ROOT, Answers
from locomo.cli import main
from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.results import run
from locomo.results.predictions import Answer
from locomo.results.provenance import Provenance, SignedRun, read_signed
from locomo.score.signature import signature

ANSWERS: Answers = {
    "conv-1": {"vector": [Answer("kayak", ["D1:1"], 0.75), Answer("kayak", ["D1:1"], 0.5)]},
    "conv-2": {"vector": []},
}
FIT = "run `dvc repro` to make them fit"


@pytest.fixture
def small(make_run: MakeRun, tiny: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of one arm over two questions, as the current folder."""
    monkeypatch.chdir(folder := make_run(tiny, ANSWERS))
    return folder


@pytest.fixture
def here(demo_run: DemoRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a run over the demonstration set left, as the current folder, to change at will."""
    for name in ("data", "metrics", "reports", "memories"):
        shutil.copytree(demo_run / name, tmp_path / name)
    shutil.copy(demo_run / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stage(name: str) -> None:
    """Run a stage alone, without DVC."""
    runpy.run_path(str(ROOT / "src" / f"{name}.py"))["main"]()


def edit(path: str, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    assert re.search(old, text, re.M)
    Path(path).write_text(re.sub(old, new, text, flags=re.M), encoding="utf-8")


# ---- what is noted


def test_the_hashes_are_those_of_the_files(here: Path) -> None:
    signed = read_signed()
    found = [hashlib.sha256(path.read_bytes()).hexdigest() for path in CHECKED]
    assert [signed.provenance.dataset, signed.key, signed.predictions, signed.scores] == found
    samples = json.loads(paths.PREDICTIONS.read_bytes())
    assert [sample["run"] for sample in samples] == [signed.provenance.as_json()] * 3
    assert (
        signed.provenance.dataset
        == hashlib.sha256((ROOT / "demo/conversations.json").read_bytes()).hexdigest()
    )
    assert signed.signatures["graph"].startswith(
        f"locomo-bench:{locomo.__version__}|data:{found[0][:12]}|key:published|k:5|"
    )
    assert signed.signature == signed.signatures["graph"].replace("graph", "<arm>")


CHECKED = (paths.DATASET, paths.KEY, paths.PREDICTIONS, paths.SCORES)


def test_it_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    signatures = {arm: signature(PROVENANCE, arm) for arm in ("vector", "graph")}
    written = SignedRun(PROVENANCE, "bc" * 32, "cd" * 32, "ef" * 32, signatures)
    written.write(paths.SIGNATURES)
    assert read_signed() == written
    assert list(json.loads(paths.SIGNATURES.read_bytes())) == ["vector", "graph", "(run)"]


def test_signatures_that_say_something_else_than_the_run_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    signed = {"vector": signature(PROVENANCE, "vector")}
    SignedRun(PROVENANCE, "bc" * 32, "cd" * 32, "ef" * 32, signed).write(paths.SIGNATURES)
    text = paths.SIGNATURES.read_text(encoding="utf-8")
    assert text.count("|floor:") == 1
    paths.SIGNATURES.write_text(re.sub(r"\|floor:[^|]*", "|floor:0.95", text), encoding="utf-8")
    with pytest.raises(LocomoError, match="is damaged"):
        read_signed()


GOOD = PROVENANCE.as_json()
SETTINGS = GOOD["settings"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "x",
        {},
        GOOD | {"version": 1},
        GOOD | {"dataset": "79fa87e90f04"},
        GOOD | {"dataset": None},
        GOOD | {"key": None},
        GOOD | {"settings": []},
        GOOD | {"settings": {name: value for name, value in SETTINGS.items() if name != "band"}},
        GOOD | {"settings": SETTINGS | {"k": True}},
        GOOD | {"settings": SETTINGS | {"infer": 1}},
        GOOD | {"settings": SETTINGS | {"floor": "0.3"}},
    ],
)
def test_what_is_no_provenance_is_refused(value: Any) -> None:
    with pytest.raises(
        LocomoError, match=r"^p\.json: does not say which dataset and settings it was made from$"
    ):
        Provenance.of_json(value, Path("p.json"))
    assert Provenance.of_json(GOOD, Path("p.json")) == PROVENANCE


def test_a_file_of_an_earlier_version(small: Path) -> None:
    signatures = json.loads(paths.SIGNATURES.read_bytes())
    del signatures["(run)"]
    paths.SIGNATURES.write_text(json.dumps(signatures), encoding="utf-8")
    with pytest.raises(
        LocomoError, match=r"does not say which dataset and settings .*; run `dvc repro score`"
    ):
        read_signed()


# ---- what is refused


@pytest.mark.parametrize("path", CHECKED)
def test_a_run_is_read_only_if_its_files_are_its_own(small: Path, path: Path) -> None:
    assert len(run.load().questions) == 2
    with path.open("a", encoding="utf-8") as file:
        file.write("\n")  # one byte, and no figure differs
    with pytest.raises(LocomoError, match=f"^{path}: is of another run than metrics/signature.json; {FIT}$"):
        run.load()


STAGES = ("answer", "score", "official", "stats", "control", "reach", "sweep", "report")
COMMANDS: dict[str, Callable[[], object]] = {
    "show": lambda: main(["show"]),
    "explore": lambda: main(["explore"]),
    "score": lambda: main(["score", str(paths.PREDICTIONS)]),
    **{f"export {kind}": lambda kind=kind: main(["export", kind]) for kind in ("run", "qrels", "graph")},
    **{f"export {kind}": lambda kind=kind: main(["export", kind]) for kind in ("predictions", "scores")},
    "load_run": locomo.load_run,
}


def left(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_no_stage_and_no_command_mixes_another_dataset_with_a_run(here: Path) -> None:
    """The answers of category 2 changed: as far as counts and ids go, such a dataset fits."""
    samples = json.loads(paths.DATASET.read_bytes())
    for question in (question for sample in samples for question in sample["qa"]):
        if question["category"] == 2:
            question["answer"] = "never"
    paths.DATASET.write_text(json.dumps(samples), encoding="utf-8")
    before = left(here)
    for name in STAGES:
        with pytest.raises(
            LocomoError, match=rf"^data/locomo10\.json: is (not the dataset|of another run) .*{FIT}$"
        ):
            stage(name)
    for name, command in COMMANDS.items():
        with pytest.raises((LocomoError, SystemExit)) as caught:
            command()
        assert re.match(rf"(error: )?data/locomo10\.json: is .*{FIT}$", str(caught.value)), name
    assert left(here) == before


@pytest.mark.parametrize(
    ("made_again", "refused", "file"),
    [
        (("build",), ("control", "report"), "data/memories|metrics/build.json"),
        (("build", "answer"), ("control", "report"), "data/predictions.json"),
        (("build", "answer", "score"), ("report",), "metrics/build.json|metrics/statistics"),
    ],
)
def test_results_of_two_settings_do_not_mix(
    here: Path, made_again: tuple[str, ...], refused: tuple[str, ...], file: str
) -> None:
    if "score" in made_again:
        shutil.copy(paths.BUILD, "build.json")
    edit("params.yaml", "^infer: true", "infer: false")
    for name in made_again:
        stage(name)
    if "score" in made_again:
        shutil.copy("build.json", paths.BUILD)
    for name in refused:
        with pytest.raises(
            LocomoError, match=rf"^({file}): is of another run than metrics/signature.json; {FIT}$"
        ):
            stage(name)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("metrics/build.json", '"infer": true', '"infer": false'),
        ("metrics/statistics/run.json", r'"scores": "\w{4}', '"scores": "0000'),
        ("metrics/control.json", r'"predictions": "\w{4}', '"predictions": "0000'),
        ("metrics/reach.json", '"blind": false', '"blind": true'),
        ("metrics/official.json", r'"scores": "\w{4}', '"scores": "0000'),
        ("reports/sweeps/run.json", r'"dataset": "\w{4}', '"dataset": "0000'),
        ("metrics/reach.json", r'"\(run\)"', '"made by an earlier version"'),
    ],
)
def test_the_report_refuses_figures_of_another_run(here: Path, path: str, old: str, new: str) -> None:
    edit(path, old, new)
    place = path.removesuffix("/run.json")
    with pytest.raises(LocomoError, match=f"^{place}: is of another run than metrics/signature.json; {FIT}$"):
        stage("report")


# ---- what is signed


def test_stages_that_run_alone_sign_figures_with_the_settings_they_were_made_at(here: Path) -> None:
    before = {
        path: path.read_bytes() for path in (paths.SIGNATURES, paths.SCORES, paths.CONTROL, paths.REPORT)
    }
    edit("params.yaml", "^floor: 0.3", "floor: 0.9")
    edit("params.yaml", "^blind: false", "blind: true")
    edit("params.yaml", "base: {k: 5, floor: 0.3", "base: {k: 10, floor: 0.4")
    for name in ("score", "control", "report"):
        stage(name)
    assert {path: path.read_bytes() for path in before} == before
    assert "|floor:0.3|" in read_signed().signatures["graph"]


def test_a_sweep_is_signed_with_the_base_it_was_made_at(here: Path) -> None:
    edit("params.yaml", "base: {k: 5, floor: 0.3", "base: {k: 10, floor: 0.4")
    stage("sweep")
    stage("report")
    report = paths.REPORT.read_text(encoding="utf-8")
    assert set(re.findall(r"\|k:(\S+?)\|floor:\*\|", report)) == {"10"}
    assert set(re.findall(r"\|k:\*\|floor:(\S+?)\|", report)) == {"0.4"}
    assert "|k:5|floor:0.3|" in report  # of the run
