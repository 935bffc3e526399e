"""How any stage or command runs: settings, errors, paths, files, downloads and parallel work."""

import sys
from importlib.util import find_spec

_NEEDED = ("numpy", "pydantic", "yaml", "tqdm", "regex", "nltk", "pooch")

# The first thing that any stage imports. DVC runs stages with the `python` on PATH, whatever runs DVC.
if missing := [name for name in _NEEDED if find_spec(name) is None]:
    sys.exit(
        f"error: {sys.executable} lacks packages of this project ({', '.join(missing)}). Activate the"
        " environment first (`. .venv/bin/activate`, made by `make env`), then run the command again."
        " If DVC has removed files meanwhile, `make restore` brings them back."
    )
