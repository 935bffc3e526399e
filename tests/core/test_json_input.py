"""Reading JSON lists as a stream: what `json` reads, or the error that it gives."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from locomo.core import json_input
from locomo.core.errors import LocomoError
from locomo.core.json_input import parse, stream

text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4)
)
several_runs = settings(
    deadline=None, print_blob=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def outcome(path: Path, whole: bool) -> object:
    try:
        return parse(path) if whole else list(stream(path))
    except LocomoError as error:
        return str(error)


@several_runs
@given(st.lists(values, max_size=6), st.sampled_from([None, 1]), st.booleans(), st.integers(1, 40))
def test_a_stream_is_what_json_reads(
    tmp_path: Path, written: list[object], indent: int | None, escaped: bool, chunk: int
) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps(written, indent=indent, ensure_ascii=escaped), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_input, "_CHUNK", chunk)
        assert outcome(path, whole=False) == written


DAMAGED = [
    *('[{"a": 1}, {"b": "ü"}, [2.5e1, true]]'[:cut] for cut in range(37)),
    *("[1] 2", "[1,]", "[,1]", "[1 2]", "[1}", "[01]", "[nul]", '["\n"]', "\ufeff[1]", '["\\ud83d"]', "[1]]"),
    *("[NaN]", f"[{'1' * 30}]", "[" * 100_000, f"[{'9' * 5000}]"),
]


@pytest.mark.parametrize("chunk", [1, 7, 1 << 18])
@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_a_fault_is_described_as_that_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, chunk: int
) -> None:
    if chunk == 1 and len(content) > 1000:
        chunk = 100
    monkeypatch.setattr(json_input, "_CHUNK", chunk)
    path = tmp_path / "list.json"
    path.write_text(content, encoding="utf-8", errors="surrogatepass")
    assert repr(outcome(path, whole=False)) == repr(outcome(path, whole=True))  # repr, for the sake of NaN


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_bytes(b'["a", "\xff"]')
    with pytest.raises(LocomoError, match=r"list\.json: is not UTF-8 \(byte 7\)"):
        list(stream(tmp_path / "list.json"))


@pytest.mark.parametrize(("content", "kind"), [("{}", "an object"), ("3", "a number"), ('"[1]"', "text")])
def test_what_is_no_list(tmp_path: Path, content: str, kind: str) -> None:
    (tmp_path / "list.json").write_text(content)
    with pytest.raises(LocomoError, match=rf"list\.json: is {kind}, expected a list"):
        list(stream(tmp_path / "list.json"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match=r"list\.json: cannot be read \(No such file"):
        parse(tmp_path / "list.json")
    with pytest.raises(FileNotFoundError):
        list(stream(tmp_path / "list.json"))


@pytest.mark.parametrize("number", ["1.5", "1e9", "12", "-0.5e+3"])
def test_a_number_cut_at_the_end_of_a_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    (tmp_path / "list.json").write_text(f"[{number}]")
    for chunk in range(1, 9):
        monkeypatch.setattr(json_input, "_CHUNK", chunk)
        assert list(stream(tmp_path / "list.json")) == [float(number)]


def test_what_comes_before_a_fault_is_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_input, "_CHUNK", 4)
    (tmp_path / "list.json").write_text("[10, 20, x]")
    found = stream(tmp_path / "list.json")
    assert [next(found), next(found)] == [10, 20]
    with pytest.raises(LocomoError, match=r"is not JSON \(line 1, column 10"):
        next(found)
