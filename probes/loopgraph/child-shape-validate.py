# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "child-shape-validate"
# claim = "validate() refuses a child without exactly one entry and one TERMINAL at its end, reachable"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Each child breaks one rule of the README. A child that keeps them all must pass, so that a validation that refuses
everything is not taken for one that looks.
"""

from __future__ import annotations

from _kit import Claim, Refuted, graph, node, run, said, subgraph, terminal

BROKEN = {
    "two_terminals": ("first>last first>other", "last", "other"),
    "no_terminal": ("first>second",),
    "an_edge_out_of_the_terminal": ("first>last last>after", "last"),
    "two_entries": ("first>last second>last", "last"),
    "a_terminal_out_of_reach": ("first>second third>fourth fourth>third fourth>last", "last"),
}


def refusal(edges: str, *terminals: str) -> str:
    child = graph(edges, *map(terminal, terminals))
    try:
        graph("before>sub sub>after", node("before"), subgraph("sub", child)).validate()
    except ValueError as error:
        return said(error)
    return "not refused"


def main(claim: Claim) -> None:
    good = refusal("first>last", "last")
    if good != "not refused":
        raise Refuted(f"a child that keeps every rule {good}")
    seen = {name: refusal(*broken) for name, broken in BROKEN.items()}
    claim.fact("seen", seen)
    passed = sorted(name for name, end in seen.items() if end == "not refused")
    claim.equal("broken children that pass", passed, [])
    claim.note(f"refused with ValueError: {', '.join(sorted(seen))}")


if __name__ == "__main__":
    run(__file__, main)
