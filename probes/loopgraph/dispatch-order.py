# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "dispatch-order"
# claim = "nodes that are ready together start in the order in which the graph defines them, whatever the hash seed"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""This file runs itself with six hash seeds, each time with a fan-out to eight nodes. Their order must be that of the
definition each time. By accident, a set of eight names has the same order under six seeds once in 10^22 runs.

False before 0.4: the pending nodes are a set of names, and the scheduler iterates over it in its own order.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from _kit import OUT_VARIABLE, Bench, Claim, graph, node, play, run, steady

NAMES = ("golf", "alpha", "hotel", "bravo", "foxtrot", "charlie", "echo", "delta")
SEEDS = range(1, 7)
CHILD = "--order"


def order(capacity):
    """Return the order in which the eight nodes start."""
    bench = Bench(capacity)
    play(bench.run(graph(" ".join(f"src>{name}" for name in NAMES), node("src"))))
    return bench.order[1:]


def order_under(seed, bytecode):
    """Return what this file prints if it runs as a separate program with a hash seed; its bytecode goes to a folder."""
    environment = {key: value for key, value in os.environ.items() if key != OUT_VARIABLE}
    done = subprocess.run(
        [sys.executable, "-s", "-X", f"pycache_prefix={bytecode}", str(Path(__file__).resolve()), CHILD],
        env={**environment, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"under hash seed {seed} the run failed: {steady(done.stderr[-300:])}")
    return json.loads(done.stdout)


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        here = {capacity: order(capacity) for capacity in (1, 8)}
    for capacity, seen in here.items():
        claim.equal(f"nodes that ran at capacity {capacity}", sorted(seen), sorted(NAMES))
    with tempfile.TemporaryDirectory() as bytecode:
        seen = [order_under(seed, bytecode) for seed in SEEDS]
    claim.true(all(item == seen[0] for item in seen), "the order changes with the hash seed")
    for name, item in {"in another process": {"1": seen[0][0], "8": seen[0][1]}, "here": here}.items():
        for capacity, names in item.items():
            claim.equal(f"the order {name} at capacity {capacity}", tuple(names), NAMES)
    claim.note(f"in the order of definition under {len(SEEDS)} hash seeds, at capacity 1 and 8")


if __name__ == "__main__":
    if sys.argv[1:] == [CHILD]:
        print(json.dumps([order(1), order(8)]))
    else:
        run(__file__, main)
