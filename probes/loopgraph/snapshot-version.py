# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "snapshot-version"
# claim = "a resume from a snapshot with no format version, or with a foreign one, fails fast with ValueError"
# engine = "loopgraph"
# needs = ["loopgraph.core.state:SNAPSHOT_FORMAT_VERSION"]
# timeout = 30
# ///
"""The engine must resume a complete snapshot. It must refuse the same snapshot without its version, and with another
version, before any handler runs.
"""

from __future__ import annotations

import json

from _kit import Bench, Claim, JsonStore, graph, play, run, said


def main(claim: Claim) -> None:
    from loopgraph.core.state import SNAPSHOT_FORMAT_VERSION

    wf = graph("first>second")
    store = JsonStore()
    with claim.attempt("running"):
        play(Bench(store=store).run(wf))
    whole = json.loads(store.saved[0][1])
    claim.equal("the version in the snapshot", whole["snapshot_format_version"], SNAPSHOT_FORMAT_VERSION)
    missing = {key: value for key, value in whole.items() if key != "snapshot_format_version"}
    snapshots = {"missing": missing, "foreign": {**whole, "snapshot_format_version": 999}}
    for name, snapshot in snapshots.items():
        bench = Bench(store=JsonStore({"g": json.dumps(snapshot)}))
        _, error = play(bench.tried(wf))
        shown = repr(snapshot.get("snapshot_format_version"))
        claim.true(
            type(error) is ValueError and shown in str(error) and "iscard" in str(error),
            f"with a {name} version the run {said(error)}",
        )
        claim.equal(f"calls with a {name} version", bench.order, [])
    bench = Bench(store=JsonStore({"g": json.dumps(whole)}))
    with claim.attempt("resuming from the unchanged snapshot"):
        play(bench.run(wf))
    claim.equal("calls with the unchanged snapshot", bench.order, ["second"])
    claim.note(f"the run {said(error)}".replace("999", "N"))


if __name__ == "__main__":
    run(__file__, main)
