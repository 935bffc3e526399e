"""`make published`: what the package ships is written from a default run, and from no other."""

import gzip
import shutil
from pathlib import Path

import pytest

import published
from helpers.shared import ROOT, Benchmark
from locomo.core import paths, settings
from locomo.core.errors import LocomoError
from locomo.core.files import digest
from locomo.formats import keys
from locomo.formats.built import Built

SHIPPED = ROOT / "src" / "locomo" / "published"


@pytest.fixture
def folder(
    ran: Path, benchmark: Benchmark, audit_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A project with a default run, into which the script writes."""
    made = tmp_path / "project"
    shutil.copytree(ran, made)
    shutil.copy(ROOT / paths.PARAMS, made)
    made.joinpath(paths.MEMORIES).mkdir()
    Built(digest(made / paths.DATASET), infer=True).save(made / paths.MEMORIES)
    for store in benchmark.stores:
        store.save(made / paths.MEMORIES)
    monkeypatch.setenv("LOCOMO_CACHE", str(audit_path.parent.parent))
    monkeypatch.chdir(made)
    monkeypatch.setattr(published, "ROOT", made)
    monkeypatch.setattr(published, "FOLDER", made / "published")
    return made


def test_it_writes_what_is_committed(folder: Path) -> None:
    published.main()
    made = folder / "published"
    assert made.joinpath("run.json").read_bytes() == SHIPPED.joinpath("run.json").read_bytes()
    # Not the packed bytes: another zlib may pack the same text in others.
    for name in ("published.csv.gz", "audited.csv.gz"):
        texts = [gzip.decompress(path.joinpath(name).read_bytes()) for path in (made, SHIPPED)]
        assert texts[0] == texts[1], "run `make published`"
        assert made.joinpath(name).stat().st_size < 100_000


def test_the_same_scores_packed_otherwise_stay_as_they_are(folder: Path) -> None:
    published.main()
    packed = folder / "published" / "published.csv.gz"
    otherwise = gzip.compress(gzip.decompress(packed.read_bytes()), 1)
    packed.write_bytes(otherwise)
    published.main()
    assert packed.read_bytes() == otherwise


def test_a_run_whose_key_was_changed_afterwards_is_refused(folder: Path) -> None:
    """Else the scores by the audited key would be shipped as those by the published one."""
    chosen = settings.load()
    keys.make("audited", paths.DATASET, chosen.audit.pinned(keys.FOLDER)).save(paths.KEY)
    with pytest.raises(LocomoError, match=r"data/key\.json: is of another run"):
        published.main()
    assert not folder.joinpath("published").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [("floor: 0.3\n", "floor: 0.9\n"), ("sha256: 79fa", "sha256: 79fb")],
    ids=["floor", "data"],
)
def test_a_run_with_other_settings_is_refused(folder: Path, old: str, new: str) -> None:
    params = folder / paths.PARAMS
    params.write_text(params.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LocomoError, match="is not of a run of all our arms with the settings"):
        published.main()
    assert not folder.joinpath("published").exists()
