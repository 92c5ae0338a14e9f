# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "error-unchanged"
# claim = "run() raises the first uncaught error of a handler unchanged"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""run() must raise the same object that the handler raised: from a first node, from a node in the middle and from a
switch. Nothing behind the node may run.
"""

from __future__ import annotations

from _kit import Bench, Claim, loop, play, run, said


class Boom(Exception):
    def __init__(self, place, detail):
        super().__init__(place)
        self.detail = detail


def main(claim: Claim) -> None:
    for place in ("start", "gen", "route"):
        boom = Boom(place, {"at": place})

        def fail(_, boom=boom):
            raise boom

        bench = Bench(**{"route": lambda _: "done", place: fail})
        _, error = play(bench.tried(loop()))
        claim.true(error is boom, f"after {place} raised Boom the run {said(error)}")
        claim.equal("the handler that ran last", bench.order[-1], place)
    claim.note("run() raised the same exception object")


if __name__ == "__main__":
    run(__file__, main)
