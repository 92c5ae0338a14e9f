# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "sized-store"
# claim = "an empty snapshot store with a length is used like any other store"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A store on disk or a mapping has a length, which is 0 before the first run. After a run, it must contain the run's
snapshot, as a store without a length does.

False in every release so far: the scheduler tests the truth value of its store instead of comparing it with None (``if
not self._snapshot_store``). An empty store counts as no store, and nothing is ever saved in it.
"""

from __future__ import annotations

from _kit import Bench, Claim, JsonStore, graph, play, run


class SizedStore(JsonStore):
    def __len__(self):
        return len(self.texts)


def main(claim: Claim) -> None:
    for store in (JsonStore(), SizedStore()):
        with claim.attempt("running"):
            play(Bench(store=store).run(graph("first>second")))
        kind = "with" if isinstance(store, SizedStore) else "without"
        claim.true(store.saved, f"nothing was saved in an empty store {kind} a length")
        claim.equal(f"completed in the store {kind} a length", store.load("g")["completed_nodes"], ["first", "second"])
    claim.note("the store contains the snapshot")


if __name__ == "__main__":
    run(__file__, main)
