"""Runs inside the target: imports the engine once, and then runs one cell after another on request.

It uses only the standard library of Python 3.9 and later. Each line of standard input is a cell in the worker's format.
For each cell it writes one line, which says how the cell ended, to the descriptor that the command line names.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace


def main(descriptor: int, warm: list[str]) -> int:
    """Serve until standard input ends."""
    here = Path(__file__).resolve().parent
    # nothing of the harness may be found by what runs here
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    # run and not imported, so that it is compiled from its source
    worker = SimpleNamespace(**runpy.run_path(str(here / "worker.py"), run_name="worker"))
    worker.import_from_source()
    os.set_inheritable(descriptor, False)
    with os.fdopen(descriptor, "w", encoding="utf-8", buffering=1) as events:
        worker.control_process(worker.PR_SET_PDEATHSIG, worker.signal.SIGKILL)
        worker.control_process(worker.PR_SET_CHILD_SUBREAPER, 1)
        network = worker.deny_network()
        fault = worker.warm(warm)
        gc.collect()
        gc.freeze()
        events.write(json.dumps({"event": "warm", "network": network, "fault": fault}) + "\n")
        for line in sys.stdin:
            cell = {**json.loads(line), "events": descriptor}
            events.write(json.dumps(worker.run_cell(cell, hasattr(os, "fork"))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
