"""How any stage or command runs: settings, errors, paths, files, downloads and parallel work."""

import sys
from importlib.util import find_spec

# The first thing that any stage imports. DVC runs stages with the `python` on PATH, whatever runs DVC.
if find_spec("pydantic") is None:
    sys.exit(
        f"error: {sys.executable} lacks the packages of this project. Activate the environment first"
        " (`. .venv/bin/activate`, made by `make env`), then run the command again."
    )
