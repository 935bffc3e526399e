"""What is built of a conversation: on disk, read back, blinded."""

import json
import zipfile
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from helpers.talks import built, talk
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Question
from locomo.formats.store import Arrays, Store, load
from locomo.index.indexer import CategoryCounts, build
from locomo.text.sparse import Rows, Weighted

STORE = built(
    "Ada: I adopted puppies. Très “chic”! 犬", "Bob: The puppies were called Max.", "Ada: Is it so?"
)


def same(a: Rows, b: Rows) -> bool:
    data = [(r.data.dtype, r.data.tobytes()) if isinstance(r, Weighted) else None for r in (a, b)]
    return (
        (len(a), a.width) == (len(b), b.width)
        and np.array_equal(a.indptr, b.indptr)
        and np.array_equal(a.indices, b.indices)
        and data[0] == data[1]
    )


def assert_same(a: Store, b: Store) -> None:
    for name in ("sample_id", "names", "nodes", "turns", "sentences", "claims", "pieces", "edges"):
        assert getattr(a, name) == getattr(b, name), name
    assert (a.vocabulary.stems, a.vocabulary.size) == (b.vocabulary.stems, b.vocabulary.size)
    assert a.vocabulary.weights.tobytes() == b.vocabulary.weights.tobytes()
    for field in fields(Arrays):
        assert same(getattr(a.arrays, field.name), getattr(b.arrays, field.name)), field.name


@pytest.mark.parametrize(
    "store", [STORE, STORE.blinded(), built("Ada: !")], ids=["whole", "blind", "wordless"]
)
def test_a_round_trip_changes_nothing(tmp_path: Path, store: Store) -> None:
    store.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["talk.json", "talk.npz"]
    assert_same(load(tmp_path, "talk"), store)


def test_the_files_can_be_read_without_this_package(tmp_path: Path) -> None:
    STORE.save(tmp_path)
    text = json.loads((tmp_path / "talk.json").read_text(encoding="utf-8"))
    assert text["turns"] == {"id": ["D1:1", "D1:2", "D1:3"], "day": ["2023-05-08"] * 3}
    assert text["claims"]["object"] == ["puppies", "très “chic”", "犬", "max", "max", "max", "max"]
    assert text["claims"]["sentence"] == [0, 1, 2, 3, 3, None, None]
    assert text["sentences"]["asks"] == [False, False, False, False, True]
    with np.load(tmp_path / "talk.npz", allow_pickle=False) as arrays:
        kinds = {array.dtype.kind for array in arrays.values()}
        pieces = arrays["pieces_data"]
    assert kinds == {"f", "i"} and pieces.dtype == np.float32
    assert "犬" in (tmp_path / "talk.json").read_text(encoding="utf-8")


def test_a_pickle_is_refused(tmp_path: Path) -> None:
    STORE.save(tmp_path)
    with np.load(tmp_path / "talk.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "talk.npz", **{**arrays, "weights": np.array([{}], object)}, allow_pickle=True)
    with pytest.raises(LocomoError, match=r"talk\.npz: is damaged \(ValueError\)"):
        load(tmp_path, "talk")


def test_the_same_store_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        STORE.save(tmp_path / name)
    for name in ("talk.json", "talk.npz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    # DVC knows a file by its hash, so that nothing of the day, the system or the Python may be in it: before
    # 3.11.4 `numpy.savez` wrote other headers than since.
    for entry in zipfile.ZipFile(tmp_path / "a/talk.npz").infolist():
        assert entry.date_time == (1980, 1, 1, 0, 0, 0)
        assert (entry.create_system, entry.extract_version, entry.extra) == (3, 20, b"")


@pytest.mark.parametrize("lost", ["talk.json", "talk.npz"])
def test_a_missing_file_says_which_stage_makes_it(tmp_path: Path, lost: str) -> None:
    STORE.save(tmp_path)
    (tmp_path / lost).unlink()
    with pytest.raises(LocomoError, match=rf"{lost}: is not there; run `dvc repro build` to make it$"):
        load(tmp_path, "talk")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("talk.json", b""),
        ("talk.json", b'{"names": ["ada"'),
        ("talk.json", b"\xff"),
        ("talk.json", b"[" * 100_000),
        ("talk.json", b"[]"),
        ("talk.json", b'{"names": []}'),
        ("talk.npz", b""),
        ("talk.npz", b"neither an archive nor an array"),
        ("talk.npz", b"PK\x03\x04"),
        ("talk.npz", b"\x93NUMPY\x01\x00"),
    ],
)
def test_a_damaged_file_says_which_stage_makes_it_again(tmp_path: Path, path: str, content: bytes) -> None:
    STORE.save(tmp_path)
    (tmp_path / path).write_bytes(content)
    assert_damaged(tmp_path, path)


@pytest.mark.parametrize("place", [0.2, 0.5, 0.8, 0.99])
def test_a_cut_or_altered_archive(tmp_path: Path, place: float) -> None:
    STORE.save(tmp_path)
    whole = (tmp_path / "talk.npz").read_bytes()
    at = round(len(whole) * place)
    (tmp_path / "talk.npz").write_bytes(whole[:at])
    assert_damaged(tmp_path, "talk.npz")
    data = whole.index(STORE.vocabulary.weights.tobytes())
    (tmp_path / "talk.npz").write_bytes(whole[:data] + b"\0" + whole[data + 1 :])
    assert_damaged(tmp_path, "talk.npz")


def test_arrays_that_do_not_fit_or_are_missing(tmp_path: Path) -> None:
    STORE.save(tmp_path)
    with np.load(tmp_path / "talk.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "talk.npz", **{**arrays, "lines_shape": np.array([1, 1])})
    assert_damaged(tmp_path, "talk.npz")
    del arrays["weights"]
    np.savez(tmp_path / "talk.npz", **arrays)
    assert_damaged(tmp_path, "talk.npz")


def assert_damaged(folder: Path, path: str) -> None:
    with pytest.raises(LocomoError) as caught:
        load(folder, "talk")
    assert str(caught.value).startswith(f"{folder / path}: is damaged (")
    assert str(caught.value).endswith("); run `dvc repro build` to make it again")
    assert "pickle" not in str(caught.value)


def test_blind_empties_the_graph_and_nothing_else() -> None:
    blind = STORE.blinded()
    assert (blind.nodes, blind.edges.id, blind.edges.turns) == ([], [], [])
    assert blind.arrays.node_stems.width == blind.arrays.edge_stems.width == 0
    assert len(blind.arrays.edge_terms) == 0
    assert (blind.names, blind.claims, blind.pieces) == (STORE.names, STORE.claims, STORE.pieces)
    assert STORE.nodes and STORE.edges.id  # a copy was emptied


# What is counted


def test_counts() -> None:
    questions = [
        Question("What did Ada adopt?", "x", Category.SINGLE_HOP, ("D1:1", "(D1:2)", "D9:9")),
        Question("Who called Tess?", "x", Category.SINGLE_HOP, ("D",)),
        Question("Who?", "x", Category.SINGLE_HOP, ()),
    ]
    conversation = talk(
        "Ada: I adopted puppies.",
        "Bob: The puppies were called Max.",
        "Ada: So Tess met Tess.",
        questions=questions,
    )
    _, counts = build(conversation, infer=True)
    # Read: ada adopted puppies; bob called max, puppies named max; tess met tess. Derived: ada adopted max.
    assert counts == {
        "questions": 3,
        "questions_naming_a_speaker": 1,
        "questions_with_a_subject": 2,
        "evidence_without_a_turn": 2,
        "sessions": 1,
        "turns": 3,
        "terms": 9,  # i adopt puppi were call max so tess met: "the" is an article
        "claims": 4,
        "derived": 1,
        "nodes": 5,  # ada puppies bob max tess
        "edges": 5,
    }
    _, without = build(conversation, infer=False)
    assert without == counts | {"derived": 0, "edges": 4}


def test_what_shows_which_category_is_which() -> None:
    questions = [
        Question("A?", "In 2023", Category.TEMPORAL, ("D1:1",)),
        Question("B?", "May 2022, 1999", Category.TEMPORAL, ("D1:1", "(D1:1)")),
        Question("C?", "12023 or 2150", Category.TEMPORAL, ("D1:1", "D1:2")),
    ]
    counted = CategoryCounts()
    for _ in range(2):
        counted.add(questions)
    counts = counted.rows
    assert list(counts) == ["single_hop", "multi_hop", "temporal", "open_domain", "adversarial"]
    assert counts["temporal"] == {
        "category": 2,
        "questions": 6,
        "with_several_evidence_turns": 2,
        "with_a_year_in_the_answer": 4,
    }
    assert counts["adversarial"]["questions"] == 0
