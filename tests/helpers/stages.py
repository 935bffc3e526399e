"""Stages run in this process, over any dataset and with any memories: much faster than through DVC."""

import json
import runpy
import shutil
from collections.abc import Iterable, Mapping
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers.clones import PIPELINE
from helpers.shared import ROOT

BESIDE = list(PIPELINE)[list(PIPELINE).index("arms") :]
"""The stages that run again for other arms."""


def project(folder: Path, samples: Iterable[Mapping[str, Any]]) -> Path:
    """A folder with a dataset, settings and the example of a memory, after stages fetch and build."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "talks.json").write_text(json.dumps(list(samples)), encoding="utf-8")
    shutil.copytree(ROOT / "memories", folder / "memories", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "params.yaml", folder)
    change(folder, dataset={"file": "talks.json"})
    run(folder, "fetch", "build")
    return folder


def change(folder: Path, **settings: Any) -> None:
    """Change settings in `params.yaml`."""
    path = folder / "params.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | settings), encoding="utf-8")


def run(folder: Path, *stages: str) -> str:
    """Run stages without network, cached files or workers; what they printed."""
    with (
        pytest.MonkeyPatch.context() as patch,
        chdir(folder),
        redirect_stdout(StringIO()) as told,
    ):
        patch.setenv("LOCOMO_CACHE", "")
        patch.setenv("XDG_CACHE_HOME", str(folder / "home"))
        patch.setenv("LOCOMO_OFFLINE", "1")
        for stage in stages:
            script = str(PIPELINE[stage]["cmd"]).split()[1]
            runpy.run_path(str(ROOT / script))["main"]()
    return told.getvalue()
