"""What the probes of confirmation share: a tool that waits for a yes, where its agent is, and the host's answer.

``tool-confirmation-*`` ask by a callback. Here the tool itself asks: by the engine's own switch, in its body, or as a
``BaseTool`` subclass.
"""

# No postponed annotations here: the first releases read a tool's parameters from them as they stand.
import importlib
import inspect
from typing import Any, Dict, List

from _kit import Absent, Bench, Refuted, call, graph, llm, open_call, play, stub

ASKED = "adk_request_confirmation"


class Remover:
    """A tool named ``remove``; ``ran`` has an entry a run, ``read`` what it read of the answer, call by call."""

    def __init__(self) -> None:
        self.ran: List[str] = []
        self.read: List[Any] = []

    def _asks(self, tool_context: Any) -> bool:
        answer = tool_context.tool_confirmation
        self.read.append(None if answer is None else answer.confirmed)
        if answer is None:
            tool_context.request_confirmation(hint="remove?")
        return answer is None

    def switched(self) -> Any:
        """Return the tool with the engine's own switch."""
        from google.adk.tools import FunctionTool

        if "require_confirmation" not in inspect.signature(FunctionTool.__init__).parameters:
            raise Absent("this release's FunctionTool has no require_confirmation")

        def remove() -> str:
            """Removes a file."""
            self.ran.append("removed")
            return "removed"

        return FunctionTool(remove, require_confirmation=True)

    def asking(self) -> Any:
        """Return the tool as a function that asks in its body, and looks for an answer only, not at it."""
        from google.adk.tools import FunctionTool
        from google.adk.tools.tool_context import ToolContext

        def remove(tool_context: ToolContext) -> Any:
            """Removes a file."""
            if self._asks(tool_context):
                return {"status": "waiting for a yes"}
            self.ran.append("removed")
            return "removed"

        return FunctionTool(remove)

    def subclass(self) -> Any:
        """Return the tool as a subclass of BaseTool that asks, and looks for an answer only, not at it."""
        from google.adk.tools.base_tool import BaseTool
        from google.genai import types

        outer = self

        class Remove(BaseTool):
            def _get_declaration(self) -> Any:
                return types.FunctionDeclaration(name=self.name, description=self.description)

            async def run_async(self, *, args: Dict[str, Any], tool_context: Any) -> Any:  # noqa: ARG002
                if outer._asks(tool_context):
                    return {"status": "waiting for a yes"}
                outer.ran.append("removed")
                return {"result": "removed"}

        return Remove(name="remove", description="Removes a file.")


def answer_to(events: List[Any], confirmed: bool, times: int = 1) -> Any:
    """Return the host's message: its answer to the confirmation that these events ask for, so many times."""
    from google.genai import types

    asked = open_call(events)
    if asked is None or asked.name != ASKED:
        raise Refuted("the run did not pause for confirmation")
    reply = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": confirmed})
    return types.Content(role="user", parts=[types.Part(function_response=reply) for _ in range(times)])


def resumable_apps() -> bool:
    """Tell whether this release has apps that can be resumed."""
    try:
        return hasattr(importlib.import_module("google.adk.apps.app"), "ResumabilityConfig")
    except ImportError:
        return False


# --- where the agent is --------------------------------------------------------------------------------

# Calls of each model, and runs of the tool: at the pause, and in all. The actor calls the tool at once; in a LoopAgent
# of two passes it acts once more.
EXPECTED = {
    "agent": ({"actor": 1, "tool": 0}, {"actor": 2, "tool": 1}),
    "sequence": (
        {"planner": 1, "actor": 1, "reporter": 0, "tool": 0},
        {"planner": 1, "actor": 2, "reporter": 1, "tool": 1},
    ),
    "loop_agent": (
        {"planner": 1, "actor": 1, "verifier": 0, "reporter": 0, "tool": 0},
        {"planner": 1, "actor": 3, "verifier": 2, "reporter": 1, "tool": 1},
    ),
    "graph": (
        {"planner": 1, "actor": 1, "reporter": 0, "tool": 0},
        {"planner": 1, "actor": 2, "reporter": 1, "tool": 1},
    ),
}


def _root(place: str, steps: Dict[str, Any]) -> Any:
    if place == "agent":
        return steps["actor"]
    if place == "graph":
        return graph(("START", steps["planner"], steps["actor"], steps["reporter"]))
    from google.adk.agents import LoopAgent, SequentialAgent

    middle = [steps["actor"]]
    if place == "loop_agent":
        middle = [LoopAgent(name="loop", sub_agents=[steps["actor"], steps["verifier"]], max_iterations=2)]
    return SequentialAgent(name="root", sub_agents=[steps["planner"], *middle, steps["reporter"]])


def confirmed_in(place: str, resumable: bool, named: bool) -> Dict[str, Any]:
    """Run the switched tool in a place, and say yes; return the calls at the pause and in all.

    ``named`` gives the run's id with the answer, as resumable apps were first documented.
    """
    if resumable and not resumable_apps():
        raise Absent("this release has no resumable apps")
    remover = Remover()
    scripts: Dict[str, tuple] = {
        "planner": ("plan",),
        "actor": (call("remove"), "acted", "acted again"),
        "verifier": ("not yet",),
        "reporter": ("reported",),
    }
    models = {name: stub(*scripts[name]) for name in EXPECTED[place][0] if name != "tool"}
    steps = {
        name: llm(name, model, tools=[remover.switched()] if name == "actor" else []) for name, model in models.items()
    }
    bench = Bench(_root(place, steps), resumable=resumable)

    def calls() -> Dict[str, int]:
        return {**{name: len(model.requests) for name, model in models.items()}, "tool": len(remover.ran)}

    async def scene() -> Dict[str, Any]:
        events = await bench.turn(bound=80)
        seen: Dict[str, Any] = {"at_the_pause": calls()}
        if open_call(events) is None:
            return {**seen, "asked": None}
        asking = [event.invocation_id for event in events if event.long_running_tool_ids]
        more = {"invocation_id": asking[-1]} if named else {}
        await bench.turn(answer_to(events, True), bound=80, **more)
        return {**seen, "in_all": calls()}

    return play(scene())


def judge_place(claim: Any, place: str, resumable: bool) -> None:
    """Refute the claim unless the tool waits in that place, and one yes runs it once and all that is after it."""
    if resumable:
        # Newer releases find the run by the answer itself.
        try:
            claim.fact("without_the_id_of_the_run", confirmed_in(place, True, named=False))
        except Absent:
            raise
        except Exception as error:
            claim.fact("without_the_id_of_the_run", f"raised {type(error).__name__}")
    with claim.attempt("pausing and going on"):
        seen = confirmed_in(place, resumable, named=resumable)
    claim.fact("seen", seen)
    at_the_pause, in_all = EXPECTED[place]
    claim.equal("calls of the models and runs of the tool at the question", seen["at_the_pause"], at_the_pause)
    claim.equal("calls of the models and runs of the tool after one yes", seen.get("in_all"), in_all)
    claim.note("nothing ran after the question, and a yes ran the tool once and all that follows it")
