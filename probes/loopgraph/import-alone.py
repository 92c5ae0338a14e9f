# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "import-alone"
# claim = "the engine imports in a fresh interpreter and requires no other distribution"
# engine = "loopgraph"
# needs = []
# timeout = 30
# isolated = true
# ///
"""Imports what a generated project imports, in an interpreter that has not imported the engine. Nothing imports the
engine before the clock starts, so the probe is ``isolated`` and has no ``needs``. The engine's README promises zero
dependencies.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import time

from _kit import Claim, run

MODULES = (
    "loopgraph.bus.eventbus",
    "loopgraph.concurrency",
    "loopgraph.core.graph",
    "loopgraph.core.state",
    "loopgraph.persistence",
    "loopgraph.registry.function_registry",
    "loopgraph.scheduler.scheduler",
)


def main(claim: Claim) -> None:
    if "loopgraph" in sys.modules:
        raise RuntimeError("the engine was imported before the probe began, so the probe cannot test the claim")
    before = set(sys.modules)
    started, worked = time.perf_counter(), time.process_time()
    with claim.attempt("importing the engine"):
        for name in MODULES:
            importlib.import_module(name)
    claim.measure("seconds", round(time.perf_counter() - started, 3))
    claim.measure("cpu_seconds", round(time.process_time() - worked, 3))
    new = set(sys.modules) - before
    claim.measure("modules_in_all", len(new))
    claim.fact("engine_modules", sum(name.split(".")[0] == "loopgraph" for name in new))
    needed = [item for item in importlib.metadata.requires("loopgraph") or [] if "extra ==" not in item]
    claim.equal("distributions that it requires", needed, [])
    claim.note("the engine imports and requires no other distribution")


if __name__ == "__main__":
    run(__file__, main)
