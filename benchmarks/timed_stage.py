"""Run a stage in two steps, its imports and its work, and write the CPU seconds of each to a file.

usage: python timed_stage.py SCRIPT NOTE
"""

import atexit
import json
import resource
import runpy
import sys
import time
from pathlib import Path


def main() -> None:
    """Everything before the script's own `main` is start: the interpreter, the imports, the definitions.

    The shutdown of the interpreter, which takes half a second after an import of NLTK, counts as neither.
    """
    script, note = sys.argv[1:]
    sys.argv = [script]
    sys.path[0] = str(Path(script).parent)
    took = {"start": 0.0, "work": 0.0}
    # Registered first, called last: worker processes, which are part of the work, have ended by then.
    atexit.register(_write, Path(note), took)
    stage = runpy.run_path(script, run_name="imported")
    took["start"] = time.process_time()
    stage["main"]()
    took["work"] = time.process_time() - took["start"]


def _write(note: Path, took: dict[str, float]) -> None:
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    took["work"] += workers.ru_utime + workers.ru_stime
    note.write_text(json.dumps(took), encoding="utf-8")


if __name__ == "__main__":  # a stage's worker processes import this file again
    main()
