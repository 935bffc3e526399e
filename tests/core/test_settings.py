"""params.yaml, and what is said of a wrong one."""

import difflib
import hashlib
from pathlib import Path

import pytest

from helpers.shared import ROOT
from locomo.core.errors import LocomoError
from locomo.core.settings import Settings, load

PARAMS = ROOT / "params.yaml"
COUNT = "a whole number, 1 or more"
SHARE = "a number from 0 to 1"
SWITCH = "true or false"


def changed(tmp_path: Path, key: str, value: str) -> Path:
    """A copy of params.yaml where the (top-level) ``key`` has another value."""
    lines = PARAMS.read_text(encoding="utf-8").splitlines()
    start = lines.index(next(line for line in lines if line.startswith(f"{key}:")))
    end = start + 1
    while end < len(lines) and lines[end].startswith(("- ", "  ")):
        end += 1
    path = tmp_path / "params.yaml"
    path.write_text("\n".join([*lines[:start], f"{key}: {value}", *lines[end:]]), encoding="utf-8")
    return path


def complaint(path: Path) -> str:
    with pytest.raises(LocomoError) as caught:
        load(path)
    return str(caught.value)


def test_the_committed_settings_are_those_of_spec_1_and_10() -> None:
    settings = load(PARAMS)
    assert settings.dataset.model_dump() == {
        "url": "https://raw.githubusercontent.com/snap-research/locomo",
        "commit": "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376",
        "path": "data/locomo10.json",
        "bytes": 2_805_274,
        "sha256": "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
    }
    # Issue 3 has these.
    assert settings.scorer.model_dump() == settings.dataset.model_dump() | {
        "path": "task_eval/evaluation.py",
        "bytes": 9_441,
        "sha256": "8e3be5d57ff2ff9ec5cd05939592f468c5f3f1fd95d13e431932bdf6bf0fd6fd",
    }
    assert (settings.k, settings.floor, settings.span, settings.band, settings.parts) == (5, 0.3, 4, 0.9, 2)
    assert (settings.blind, settings.infer) == (False, True)
    arms = "vector graph graph+edge oracle scoped span path path+set vector+set oracle+set graph+set"
    assert settings.arms == (*arms.split(), "path2", "path3", "walk2", "walk3")


def test_settings_cannot_be_changed_after_the_check() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load(PARAMS).k = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("floor", "0", 0.0),
        ("floor", "1", 1.0),
        ("band", "0.5", 0.5),
        # DVC writes a small float like this, and YAML 1.1 would read it as text.
        ("floor", "1e-05", 0.00001),
        ("floor", "5e-1", 0.5),
        ("k", "2000", 2000),
        ("blind", "true", True),
        ("arms", "[graph, vector]", ("graph", "vector")),
        ("arms", "[any name at all]", ("any name at all",)),
        ("may_fail", "[mine, other]", ("mine", "other")),
    ],
)
def test_good_values(tmp_path: Path, key: str, value: str, expected: object) -> None:
    found = getattr(load(changed(tmp_path, key, value)), key)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("floor", "abc", f"floor: is 'abc'; allowed: {SHARE}"),
        ("floor", "-1", f"floor: is -1; allowed: {SHARE}"),
        ("floor", "1.01", f"floor: is 1.01; allowed: {SHARE}"),
        ("floor", "true", f"floor: is True; allowed: {SHARE}"),
        ("floor", "'0.3'", f"floor: is '0.3'; allowed: {SHARE}"),
        ("floor", ".nan", f"floor: is nan; allowed: {SHARE}"),
        ("band", ".inf", f"band: is inf; allowed: {SHARE}"),
        ("band", "[0.9]", f"band: is [0.9]; allowed: {SHARE}"),
        ("k", "0", f"k: is 0; allowed: {COUNT}"),
        ("k", "5.0", f"k: is 5.0; allowed: {COUNT}"),
        ("k", "true", f"k: is True; allowed: {COUNT}"),
        ("k", "'5'", f"k: is '5'; allowed: {COUNT}"),
        ("k", "", f"k: is empty; allowed: {COUNT}"),
        ("span", "-4", f"span: is -4; allowed: {COUNT}"),
        ("parts", "0.5", f"parts: is 0.5; allowed: {COUNT}"),
        ("blind", "1", f"blind: is 1; allowed: {SWITCH}"),
        ("infer", "maybe", f"infer: is 'maybe'; allowed: {SWITCH}"),
        ("arms", "[]", "arms: is []; allowed: a list of one name or more"),
        ("arms", "vector", "arms: is 'vector'; allowed: a list of one name or more"),
        ("arms", "[vector, 3]", "arms[1]: is 3; allowed: a list of one name or more"),
        ("arms", "[path, graph, path]", "arms: has 'path' more than once; allowed: a list"),
        ("may_fail", "mine", "may_fail: is 'mine'; allowed: a list of memories"),
        ("may_fail", "[mine, mine]", "may_fail: has 'mine' more than once; allowed: a list of memories"),
        ("dataset", "here", "dataset: is 'here'; allowed: url, commit, path, bytes and sha256"),
        ("dataset", "{file: talks.json, fil: 1}", "dataset.fil: no such setting; is it file?"),
        ("dataset", "{file: 1}", "dataset.file: is 1; allowed: the path of a local file, or data/none"),
        ("dataset", "{file: talks.json, sha256: 1}", "dataset.sha256: is 1; allowed: 64 hex digits"),
        ("answer_key", "audit", "answer_key: is 'audit'; allowed: published or audited"),
    ],
)
def test_bad_values_are_named_with_what_is_allowed(tmp_path: Path, key: str, value: str, said: str) -> None:
    path = changed(tmp_path, key, value)
    message = complaint(path)
    assert message.startswith(f"{path}: ") and said in message
    assert message.count("\n") == 1  # one setting is wrong, so one line says so


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("url: https:", "url: ftp:", "dataset.url: is 'ftp:"),
        ("/locomo\n", "/locomo/\n", "dataset.url: is "),
        ("commit: 3eb6f2c5", "commit: main", "dataset.commit: is 'main"),
        ("path: data/", "path: ../data/", "dataset.path: is '../data/"),
        ("path: data/", "path: data/../../", "dataset.path: is 'data/../../"),
        ("path: data/", "path: /data/", "dataset.path: is '/data/"),
        ("bytes: 2805274", "bytes: -1", "dataset.bytes: is -1; allowed: " + COUNT),
        ("sha256: 79", "sha256: ZZ", "dataset.sha256: is 'ZZ"),
        ("  sha256: 79", "  sha: 79", "dataset.sha: no such setting; is it sha256?"),
        ("path: task_eval/", "path: ../", "scorer.path: is '../"),
        ("\nfloor:", "\nflor:", "flor: no such setting; is it floor?"),
        ("\nfloor:", "\nflor:", "floor: is missing; allowed: " + SHARE),
        ("\nk:", "\nrandom_seed: 1\nk:", "random_seed: no such setting; known: dataset, answer_key, audit, "),
        ("\nk:", "\n1: 1\nk:", "1: no such setting"),
    ],
)
def test_the_dataset_and_unknown_settings(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = PARAMS.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "params.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert f"\n  {said}" in complaint(path)


def test_all_wrong_settings_are_named_at_once(tmp_path: Path) -> None:
    text = PARAMS.read_text(encoding="utf-8").replace("\nk: 5", "\nk: 0").replace("\nband: 0.9", "\nband: x")
    path = tmp_path / "params.yaml"
    path.write_text(text.replace("\nblind:", "\nblnd:"), encoding="utf-8")
    message = complaint(path)
    for said in ("k: is 0", "band: is 'x'", "blind: is missing", "blnd: no such setting; is it blind?"):
        assert f"\n  {said}" in message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"k: [", "is not YAML"),
        (b"k: 2024-13-45", "is not YAML"),
        (b"\xff\xfe\xff", "is not YAML"),
        (b"k: !!python/object/apply:os.getcwd []", "is not YAML"),
        (b"", "expected settings"),
        (b"- k", "expected settings"),
    ],
)
def test_a_file_that_holds_no_settings(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "params.yaml"
    path.write_bytes(content)
    assert complaint(path).startswith(f"{path}: {said}")


def test_a_missing_file(tmp_path: Path) -> None:
    assert complaint(tmp_path / "params.yaml").startswith(f"{tmp_path / 'params.yaml'}: cannot be read")


def test_params_yaml_is_read_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(tmp_path, "k", "7")
    monkeypatch.chdir(tmp_path)
    assert load().k == 7


@pytest.mark.parametrize(
    ("override", "value", "lost"),
    [
        ("floor=0.4", 0.4, ["floor: 0.3"]),
        ("k=2000", 2000, ["k: 5"]),
        ("blind=true", True, ["blind: false"]),
        ("arms=[path]", ("path",), [f"- {arm}" for arm in load(PARAMS).arms if arm != "path"]),
        ("may_fail=[mine]", ("mine",), ["may_fail: []"]),
    ],
)
def test_dvc_changes_one_setting_and_no_other_line(
    tmp_path: Path, override: str, value: object, lost: list[str]
) -> None:
    """``dvc exp run -S`` rewrites the file; its own writer is used here.

    It writes each list an item a line, and drops a comment behind a list.
    """
    hydra = pytest.importorskip("dvc.utils.hydra")
    path = tmp_path / "params.yaml"
    path.write_bytes(PARAMS.read_bytes())
    hydra.apply_overrides(str(path), [override])
    before, after = (file.read_text(encoding="utf-8").splitlines() for file in (PARAMS, path))
    assert [line[2:] for line in difflib.ndiff(before, after) if line.startswith("- ")] == lost
    gained = {"arms=[path]": 0, "may_fail=[mine]": 2}.get(override, 1)
    assert len(after) == len(before) - len(lost) + gained
    key = override.partition("=")[0]
    assert load(path) == Settings.model_validate(load(PARAMS).model_dump() | {key: value})


# ---- a local file as the dataset


def test_a_local_file_needs_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("talks.json").write_text("[]", encoding="utf-8")
    settings = load(changed(tmp_path, "dataset", "{file: talks.json}"))
    assert settings.dataset.located() == Path("talks.json")


def test_a_local_file_beside_the_download_has_a_hash_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `dvc exp run -S dataset.file=talks.json` leaves it: the hash is that of the download."""
    monkeypatch.chdir(tmp_path)
    Path("talks.json").write_text("[]", encoding="utf-8")
    path = tmp_path / "params.yaml"
    path.write_text(PARAMS.read_text(encoding="utf-8").replace("data/none", "talks.json"), encoding="utf-8")
    assert load(path).dataset.located() == Path("talks.json")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "dataset.file: talks.json: is no file"),
        ("[ ]", "dataset.file: talks.json has SHA-256 "),
        ("[]", None),
    ],
)
def test_a_local_file_with_its_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, said: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("talks.json").write_text(content, encoding="utf-8")
    sha256 = hashlib.sha256(b"[]").hexdigest()
    dataset = load(changed(tmp_path, "dataset", f"{{file: talks.json, sha256: {sha256}}}")).dataset
    if said is None:
        assert dataset.located() == Path("talks.json")
        return
    with pytest.raises(LocomoError, match=said):
        dataset.located()
