# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "import"
# claim = "the engine's agents, its runners and (if it has one) its workflow package import in a fresh interpreter"
# engine = "google-adk"
# needs = []
# timeout = 120
# isolated = true
# ///
"""Imports what a generated project imports, in an interpreter that has not imported the engine.

An exception is the engine's answer. Nothing imports the engine before the clock starts, so the probe is ``isolated``
and has no ``needs``.
"""

from __future__ import annotations

import sys
import time

from _kit import Claim, Refuted, caught, import_engine, run


def main(claim: Claim) -> None:
    if "google.adk" in sys.modules:
        raise RuntimeError("the engine was imported before the probe began, so the probe cannot test the claim")
    before = len(sys.modules)
    started, worked = time.perf_counter(), time.process_time()
    with caught() as warned, claim.attempt("importing the engine"):
        found = import_engine()
    claim.measure("seconds", round(time.perf_counter() - started, 3))
    claim.measure("cpu_seconds", round(time.process_time() - worked, 3))
    claim.measure("modules_in_all", len(sys.modules) - before)
    claim.fact("engine_modules", sum(name.startswith("google.adk") for name in sys.modules))
    claim.fact("imported", found)
    claim.fact("warnings", warned)
    if "google.adk.agents" not in found or "google.adk.runners" not in found:
        raise Refuted(f"only {found} exist")
    claim.note(f"{', '.join(found)} import, with {len(warned)} warnings")


if __name__ == "__main__":
    run(__file__, main)
