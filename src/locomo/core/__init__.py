"""How any stage or command runs: settings, errors, paths, files, downloads and parallel work."""

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path


def require(names: Iterable[str]) -> None:
    """Exit with a message that says how to get them, if packages are missing; names as in an import."""
    missing = [name for name in names if find_spec(name) is None]
    if not missing:
        return
    lacks = f"error: {sys.executable} lacks packages of this project ({', '.join(missing)})."
    if Path(__file__).parents[3].joinpath("dvc.yaml").exists():
        # DVC runs stages with the `python` on PATH, whatever runs DVC.
        sys.exit(
            f"{lacks} Activate the environment first (`. .venv/bin/activate`, made by `make env`), then run"
            " the command again. If DVC has removed files meanwhile, `make restore` brings them back."
        )
    sys.exit(f"{lacks} `pip install 'locomo-bench[pipeline]'` brings them.")


# The first thing that any stage or command imports. Most of them need no more.
require(("nltk", "numpy", "pandas", "pooch", "regex", "tabulate", "tqdm"))
