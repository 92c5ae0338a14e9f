# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "exit-loop-in-graph"
# claim = "exit_loop/escalate inside a cyclic graph ends the loop"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools:exit_loop",
# ]
# timeout = 30
# ///
"""The router asks for another pass until pass 5. In pass 2, the critic calls ``exit_loop``, or a function node returns
an event that escalates. If either ends the loop, there are 2 passes.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, graph, llm, play, run, stub

LIMIT = 5


def passes_until(critic) -> int:
    from google.adk.events import Event

    passes = []

    def generator():
        passes.append(1)
        return f"draft {len(passes)}"

    def router():
        return Event(route="PASS" if len(passes) >= LIMIT else "REVISE", output="again")

    def publish():
        pass

    wf = graph(("START", generator, critic(passes), router), (router, {"REVISE": generator, "PASS": publish}))
    play(Bench(wf).turn(bound=100))
    return len(passes)


def by_tool(_passes):
    from google.adk.tools import exit_loop

    return llm("critic", stub("not yet", call("exit_loop"), "still going"), tools=[exit_loop])


def by_event(passes):
    from google.adk.events import Event
    from google.adk.events.event_actions import EventActions

    def critic():
        if len(passes) == 2:
            return Event(output="enough", actions=EventActions(escalate=True))
        return "not yet"

    return critic


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        seen = {"exit_loop": passes_until(by_tool), "event": passes_until(by_event)}
    claim.fact("passes", seen)
    # A graph follows routes and edges. Its scheduler does not read escalate.
    claim.equal("passes of a loop that an escalate should end in pass 2", seen, {"exit_loop": 2, "event": 2})
    claim.note("2 passes, with the tool and with the event")


if __name__ == "__main__":
    run(__file__, main)
