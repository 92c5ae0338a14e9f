# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-agent-pause"
# claim = "a LoopAgent in a resumable app that pauses in pass 2 continues in that pass, and keeps its count"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.tools:LongRunningFunctionTool",
#   "google.adk.apps.app:ResumabilityConfig",
# ]
# timeout = 30
# ///
"""The critic asks with a long-running tool in pass 2 of at most 3. After the answer, the critic must be the first to
answer, without a new draft, and the loop must end after 3 drafts in total. A loop that starts over makes 5, and one
that ends at the answer makes 2.

The tool returns a ticket, as documented. A fact records what happens if it returns nothing.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, llm, play, run, stub, texts

GOOD = {"drafts_at_the_pause": 2, "drafts_in_all": 3, "first_after_the_answer": "critic"}


def paused_loop(ticket) -> dict:
    from google.adk.agents import LoopAgent
    from google.adk.tools import LongRunningFunctionTool

    def ask_human(question: str):  # noqa: ARG001
        """Asks a human."""
        return ticket

    drafts = stub("draft 1", "draft 2", "draft 3")
    verdicts = stub("not yet", call("ask_human", question="go on?"), "not yet")
    critic = llm("critic", verdicts, tools=[LongRunningFunctionTool(func=ask_human)])
    loop = LoopAgent(name="loop", sub_agents=[llm("generator", drafts), critic], max_iterations=3)
    bench = Bench(loop, resumable=True)

    async def scene():
        events = await bench.turn(bound=80)
        seen = {"drafts_at_the_pause": len(drafts.requests), "critic_calls_at_the_pause": len(verdicts.requests)}
        after = await bench.answer(events, "go on", bound=80, invocation_id=events[-1].invocation_id)
        spoken = [line.split(":")[0] for line in texts(after)]
        return {
            **seen,
            "first_after_the_answer": spoken[0] if spoken else "nobody",
            "drafts_in_all": len(drafts.requests),
            "critic_calls_in_all": len(verdicts.requests),
        }

    return play(scene())


def main(claim: Claim) -> None:
    # Some releases look for the open call only in the last two events. Without a ticket between call and answer, they
    # treat the resumed critic as still waiting.
    try:
        claim.fact("without_a_ticket", paused_loop(None))
    except Exception as error:
        claim.fact("without_a_ticket", f"raised {type(error).__name__}")
    with claim.attempt("pausing with a ticket"):
        seen = paused_loop({"status": "pending"})
    claim.fact("with_a_ticket", seen)
    claim.equal("drafts, and the agent that continued", {key: seen[key] for key in GOOD}, GOOD)
    claim.note("the critic continued in pass 2, and there were 3 passes in total")


if __name__ == "__main__":
    run(__file__, main)
