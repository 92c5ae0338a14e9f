# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "sized-store"
# claim = "a snapshot store that has a length and is empty is used like any other"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A store on disk or a mapping has a length, which is 0 before the first run. After a run it must hold the run's
snapshot, as a store without a length does.

False in every release so far: the scheduler asks for the truth of its store, not whether it has one (``if not
self._snapshot_store``), so an empty one is taken for none and nothing is ever saved in it.
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
    claim.note("it was saved in")


if __name__ == "__main__":
    run(__file__, main)
