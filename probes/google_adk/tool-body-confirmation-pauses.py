# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "tool-body-confirmation-pauses"
# claim = "a tool that asks for confirmation in its body pauses the run, and the model is not called before the answer"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 30
# ///
"""The tool asks and returns that it waits, as the documentation has it. After a yes it must run once. A model that
is called at the question comments on the waiting, and may call the tool again or tell the user that all is done.

What becomes of a tool that sets ``skip_summarization`` as well, of a step after the agent, and of a resumable app, are
facts.
"""

from __future__ import annotations

from typing import Any

from _confirming import Remover, answer_to, resumable_apps
from _kit import Bench, Claim, call, llm, open_call, play, run, stub


def asked(skips: bool = False, resumable: bool = False, in_sequence: bool = False) -> dict[str, Any]:
    remover = Remover()
    model, after = stub(call("remove"), "a comment", "done"), stub("reported")

    def skip(tool, args, tool_context, tool_response):  # noqa: ARG001
        tool_context.actions.skip_summarization = not remover.ran

    fields = {"after_tool_callback": skip} if skips else {}
    root = llm("agent", model, tools=[remover.asking()], **fields)
    if in_sequence:
        from google.adk.agents import SequentialAgent

        root = SequentialAgent(name="root", sub_agents=[root, llm("reporter", after)])
    bench = Bench(root, resumable=resumable)

    async def scene() -> dict[str, Any]:
        events = await bench.turn(bound=50)
        question = open_call(events)
        seen = {
            "asked": question and question.name,
            "model_calls_at_the_question": len(model.requests),
            "next_step_ran_at_the_question": len(after.requests),
        }
        if question:
            more = {"invocation_id": events[-1].invocation_id} if resumable else {}
            await bench.turn(answer_to(events, True), bound=50, **more)
            seen["tool_runs_after_a_yes"] = len(remover.ran)
        return seen

    return play(scene())


def main(claim: Claim) -> None:
    others = {"with_skip_summarization": {"skips": True}, "in_a_sequence": {"in_sequence": True}}
    if resumable_apps():
        others["in_a_resumable_app"] = {"resumable": True}
        others["in_a_sequence_of_a_resumable_app"] = {"resumable": True, "in_sequence": True}
    for name, how in others.items():
        try:
            claim.fact(name, asked(**how))
        except Exception as error:
            claim.fact(name, f"raised {type(error).__name__}")
    with claim.attempt("asking in the body of a tool"):
        seen = asked()
    claim.fact("seen", seen)
    claim.equal("the call that the run paused at", seen["asked"], "adk_request_confirmation")
    claim.equal("runs of the tool after a yes", seen["tool_runs_after_a_yes"], 1)
    # What such a tool returns is a result like any other, on which the model comments unless that is skipped.
    claim.equal("calls of the model at the question", seen["model_calls_at_the_question"], 1)
    claim.note("paused after 1 model call, and a yes ran the tool once")


if __name__ == "__main__":
    run(__file__, main)
