# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "readme-quickstart"
# claim = "the quickstart in the release's README runs as printed"
# engine = "loopgraph"
# needs = []
# timeout = 30
# ///
"""The README is the description in the distribution's metadata. The probe runs the first Python block under its
"Quickstart" heading as a separate program. The program stops at the first call that does not fit, so a fact lists every
printed call that does not fit the engine's signatures.

The claim is false in every release so far, because the quickstart is written for an API that no release has: Node
requires a handler, Edge requires an id, Graph has no entry and takes mappings, Scheduler takes no graph, and run()
takes no payload. Even with the real API, the graph cannot start, because its back edge leads to the node that should be
the entry. See ``no-entry``.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from _kit import Absent, Claim, Refuted, run, steady

BLOCK = re.compile(r"^## Quickstart\n.*?^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def disagreements(code):
    """Return why the code's calls of imported names do not fit the existing signatures, each reason once, sorted."""
    tree = ast.parse(code)
    imports = [item for item in tree.body if isinstance(item, ast.ImportFrom)]
    known = {
        alias.name: getattr(importlib.import_module(item.module), alias.name)
        for item in imports
        for alias in item.names
    }
    known["scheduler.run"] = getattr(known["Scheduler"], "run", None) if "Scheduler" in known else None
    found = []
    for call in [item for item in ast.walk(tree) if isinstance(item, ast.Call)]:
        name = ast.unparse(call.func)
        if not callable(known.get(name)):
            continue
        arguments = [None] * (len(call.args) + (name == "scheduler.run"))
        try:
            inspect.signature(known[name]).bind(*arguments, **{item.arg: None for item in call.keywords})
        except TypeError as error:
            found.append(f"{name}: {error}")
    return sorted(set(found))


def main(claim: Claim) -> None:
    match = BLOCK.search(importlib.metadata.metadata("loopgraph").get_payload())
    if match is None:
        raise Absent("the README prints no quickstart")
    code = match[1]
    claim.fact("lines", len(code.splitlines()))
    found = disagreements(code)
    claim.fact("calls_that_do_not_fit", found)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "quickstart.py"
        program.write_text(code, encoding="utf-8")
        try:
            command = [sys.executable, "-s", str(program)]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            # how long it takes is up to the machine, so this is no answer of the engine's
            raise RuntimeError("the quickstart did not end within 20 s: nothing can be shown") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        names = ", ".join(item.partition(":")[0] for item in found) or "none"
        end = steady(lines[-1]) if lines else "nothing, but ends with an error"
        raise Refuted(f"it raises {end} (printed calls that do not fit the engine: {names})")
    claim.note("the quickstart runs as printed")


if __name__ == "__main__":
    run(__file__, main)
