"""Files and folders are whole or as they were."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.shared import ROOT
from locomo.core.files import replacing, write_json, write_text


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder and what it holds."""
    return {str(f.relative_to(folder)): f.read_text() for f in folder.rglob("*") if f.is_file()}


def make(path: Path, text: str, as_folder: bool) -> None:
    """A file holding ``text``, or a folder that holds such a file ``a``."""
    if as_folder:
        path.mkdir()
        path = path / "a"
    path.write_text(text)


def test_text_is_utf8_with_unix_line_ends_and_parents_are_made(tmp_path: Path) -> None:
    write_text(tmp_path / "x" / "y" / "out.md", "é\nz\n")
    assert (tmp_path / "x" / "y" / "out.md").read_bytes() == b"\xc3\xa9\nz\n"
    assert list(tree(tmp_path)) == ["x/y/out.md"]


def test_json_layouts(tmp_path: Path) -> None:
    value = {"b": [1, 0.5], "a": "é"}
    write_json(tmp_path / "wide.json", value)
    write_json(tmp_path / "compact.json", value, compact=True)
    wide = '{\n  "b": [\n    1,\n    0.5\n  ],\n  "a": "é"\n}\n'
    assert (tmp_path / "wide.json").read_bytes() == wide.encode()
    assert (tmp_path / "compact.json").read_bytes() == '{"b":[1,0.5],"a":"é"}\n'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_json_is_refused_and_the_old_file_stays(tmp_path: Path, value: float) -> None:
    write_json(tmp_path / "out.json", 1)
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "out.json", {"f1": value})
    assert tree(tmp_path) == {"out.json": "1\n"}


@pytest.mark.parametrize("new_is_folder", [False, True])
@pytest.mark.parametrize("old_is_folder", [False, True])
def test_a_file_or_folder_takes_the_place_of_either(
    tmp_path: Path, old_is_folder: bool, new_is_folder: bool
) -> None:
    place = tmp_path / "out"
    make(place, "old", old_is_folder)
    with replacing(place) as temporary:
        assert not temporary.exists() and temporary.parent == tmp_path
        make(temporary, "new", new_is_folder)
    assert tree(tmp_path) == {"out/a" if new_is_folder else "out": "new"}


@pytest.mark.parametrize("as_folder", [False, True])
def test_a_failure_leaves_the_old_one_and_nothing_else(tmp_path: Path, as_folder: bool) -> None:
    place = tmp_path / "out"
    make(place, "old", as_folder)
    before = tree(tmp_path)
    with pytest.raises(RuntimeError), replacing(place) as temporary:
        make(temporary, "half", as_folder)
        raise RuntimeError
    assert tree(tmp_path) == before


def test_the_temporary_name_keeps_the_suffix(tmp_path: Path) -> None:
    # numpy.savez adds .npz to a name that does not end so, and the rename would miss the file.
    with replacing(tmp_path / "out.npz") as temporary:
        assert temporary.suffix == ".npz"
        temporary.touch()


def test_a_link_is_replaced_and_what_it_points_at_kept(tmp_path: Path) -> None:
    """DVC may link an output into its cache; writing through the link would spoil the cache."""
    (tmp_path / "cached").write_text("cached")
    (tmp_path / "out").symlink_to("cached")
    write_text(tmp_path / "out", "new")
    assert not (tmp_path / "out").is_symlink()
    assert tree(tmp_path) == {"cached": "cached", "out": "new"}


@pytest.mark.parametrize("as_folder", [False, True])
def test_a_killed_run_does_not_break_the_next(tmp_path: Path, as_folder: bool) -> None:
    script = (
        "import os, sys, pathlib; from locomo.core.files import replacing\n"
        "with replacing(pathlib.Path('out')) as new:\n"
        f"    {'new.mkdir(); new /= chr(97)' if as_folder else 'pass'}\n"
        "    new.write_text('half')\n"
        f"    os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
    )
    path = {"PYTHONPATH": str(ROOT / "src")}
    killed = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=path)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    assert "half" in tree(tmp_path).values()  # so there is something to trip over
    for as_folder_now in (as_folder, not as_folder):
        with replacing(tmp_path / "out") as temporary:
            make(temporary, "whole", as_folder_now)
        assert list(tree(tmp_path).values()) == ["whole"]
