"""Run the whole pipeline over the invented dataset of `demo/`, in `demo/run`, without the network.

usage: python scripts/demo.py
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.core import paths
from locomo.core.errors import LocomoError, run
from locomo.core.settings import NO_FILE

ROOT = Path(__file__).resolve().parent.parent
DATASET = "demo/conversations.json"
FOLDER = ROOT / "demo" / "run"
TREE = ("src", "memories", "params.yaml", "dvc.yaml", ".dvcignore", ".dvc/config", ".dvc/plots", DATASET)
"""What the pipeline needs of the working tree."""
MADE = (".dvc", "dvc.lock", "data", "metrics", "reports")
"""What an earlier run made; other files in the folder are the user's."""


def prepare(folder: Path) -> dict[str, str]:
    """Make a folder in which the pipeline runs over the demonstration set; the environment to run it in."""
    for name in (*TREE, *MADE):
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for name in TREE:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    params = (folder / paths.PARAMS).read_text(encoding="utf-8")
    params = params.replace(f"file: {NO_FILE}", f"file: {DATASET}")
    (folder / paths.PARAMS).write_text(params, encoding="utf-8")
    with (folder / ".dvc" / "config").open("a", encoding="utf-8") as config:
        config.write("    no_scm = true\n")
    return os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "LOCOMO_OFFLINE": "1",
        "DVC_SITE_CACHE_DIR": str(folder / ".dvc" / "site"),
        "PYTHONPATH": str(folder / "src"),
    }


def main() -> None:
    """Prepare the folder, run everything there, and name what to open."""
    environment = prepare(FOLDER)
    for command in (["dvc", "repro"], ["locomo", "explore"]):
        done = subprocess.run([sys.executable, "-m", *command], cwd=FOLDER, env=environment, check=False)
        if done.returncode:
            raise LocomoError(f"`{' '.join(command)}` failed in {FOLDER}; see above")
    print(f"\nReport: {(FOLDER / paths.PAGE).as_uri()}")
    print(f"Explorer, every question: {(FOLDER / paths.EXPLORER).as_uri()}")


if __name__ == "__main__":
    run(main)
