# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "pause-survives-restart"
# claim = "with all objects new, a cyclic workflow paused for human input continues in the same pass from SQLite"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.events.request_input:RequestInput",
#   "google.adk.sessions.sqlite_session_service:SqliteSessionService",
# ]
# timeout = 90
# ///
"""A loop of three passes pauses in the second. Then all objects are built again over the same file, as after a crash.
The draft of pass 2 must not be made again, and the counter must continue.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from _kit import Bench, Claim, graph, play, run


def workflow(trace: list):
    from google.adk.events import Event
    from google.adk.events.request_input import RequestInput

    def entry(ctx):
        ctx.state["passes"] = 0
        return "go"

    def generator(ctx):
        trace.append(f"draft {ctx.state['passes'] + 1}")
        return trace[-1]

    def ask(ctx):
        return RequestInput(interrupt_id="ask", message="go on?") if ctx.state["passes"] == 1 else "nothing to ask"

    def router(ctx):
        ctx.state["passes"] += 1
        return Event(route="PASS" if ctx.state["passes"] >= 3 else "REVISE", output="again")

    def publish():
        trace.append("publish")

    return graph(("START", entry, generator, ask, router), (router, {"REVISE": generator, "PASS": publish}))


def main(claim: Claim) -> None:
    from google.adk.sessions.sqlite_session_service import SqliteSessionService

    trace = []
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "sessions.db")

        async def scene():
            events = await Bench(workflow(trace), SqliteSessionService(file)).turn(bound=80)
            trace.append("restart")
            await Bench(workflow(trace), SqliteSessionService(file)).answer(events, "go on", bound=80)

        with claim.attempt("running"):
            play(scene(), seconds=50)
    claim.fact("node_runs", trace)
    claim.equal("node runs", trace, ["draft 1", "draft 2", "restart", "draft 3", "publish"])
    claim.note("continued in pass 2 after the restart")


if __name__ == "__main__":
    run(__file__, main)
