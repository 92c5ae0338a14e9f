"""What the probes of a host share: roots of each kind, run by a runner that was given what hosts give.

Releases run an ``LlmAgent``, the other agents and a ``Workflow`` by different code, so each kind is asked by itself.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
from typing import Any, Callable

from _kit import Absent, Bench, Claim, content, fed, graph, llm, play, stub, texts

SAID = "said by the model"


class Hosted:
    """One root with a step that asks a model, on a bench of its own."""

    def __init__(self, build: Callable[[Any], Any], plugins: Any = (), compaction: Any = None, **fields: Any) -> None:
        self.model = stub(SAID)
        self.bench = Bench(build(llm("step", self.model, **fields)))
        given = _given(self.bench.runner.agent, list(plugins), compaction)
        if given:
            from google.adk.runners import Runner

            self.bench.runner = Runner(session_service=self.bench.service, **given)


def _given(root: Any, plugins: list, compaction: Any) -> dict[str, Any]:
    """Return what a runner is to be given; an app where the release has those that take it."""
    wanted = {"plugins": plugins, "events_compaction_config": compaction}
    wanted = {name: value for name, value in wanted.items() if value}
    if not wanted:
        return {}
    try:
        app = importlib.import_module("google.adk.apps").App
    except (ImportError, AttributeError):
        app = None
    if app and set(wanted) <= set(app.model_fields):
        # The first releases with apps refuse a name beside one.
        return {"app": app(name="probe", root_agent=root, **wanted)}
    if compaction:
        raise Absent("this release has no app that compacts events")
    return {"agent": root, "app_name": "probe", "plugins": plugins}


def agent_root() -> dict[str, Callable[[Any], Any]]:
    """Return how to make a root of the step itself, by name."""
    return {"LlmAgent": lambda step: step}


def other_roots() -> dict[str, Callable[[Any], Any]]:
    """Return how to make each kind of agent around the step, by name."""
    from google.adk.agents import BaseAgent, LoopAgent, SequentialAgent

    class InTurn(BaseAgent):
        async def _run_async_impl(self, ctx: Any) -> Any:
            for agent in self.sub_agents:
                async for event in agent.run_async(ctx):
                    yield event

    return {
        "SequentialAgent": lambda step: SequentialAgent(name="root", sub_agents=[step]),
        "LoopAgent": lambda step: LoopAgent(name="root", sub_agents=[step], max_iterations=1),
        "BaseAgent": lambda step: InTurn(name="root", sub_agents=[step]),
    }


def workflow_root() -> dict[str, Callable[[Any], Any]]:
    """Return how to make a Workflow with the step as its node, by name."""
    return {"Workflow": lambda step: graph(("START", step))}


def _plugin(**callbacks: Callable[..., Any]) -> Any:
    """Return a plugin with these callbacks."""
    from google.adk.plugins.base_plugin import BasePlugin

    return type("Host", (BasePlugin,), callbacks)(name="host")


# --- a run that is refused -----------------------------------------------------------------------------


def _refused_run(build: Callable[[Any], Any], refuses: bool) -> dict[str, Any]:
    from google.genai import types

    async def before_run_callback(self, *, invocation_context):  # noqa: ARG001
        return types.Content(role="model", parts=[types.Part(text="refused")]) if refuses else None

    hosted = Hosted(build, [_plugin(before_run_callback=before_run_callback)])

    async def scene() -> dict[str, Any]:
        events = await hosted.bench.turn(bound=60)
        said = [line.partition(": ")[2] for line in texts(events)]
        in_session = [line.partition(": ")[2] for line in texts((await hosted.bench.session()).events)]
        return {"model_calls": len(hosted.model.requests), "host_got": said, "in_session": in_session}

    return play(scene())


def judge_refused_run(claim: Claim, roots: dict[str, Callable[[Any], Any]]) -> None:
    """Refute the claim unless the plugin's content ends the run of each root before its model is called."""
    with claim.attempt("running"):
        let_run = {name: _refused_run(build, refuses=False) for name, build in roots.items()}
        refused = {name: _refused_run(build, refuses=True) for name, build in roots.items()}
    claim.fact("let_run", let_run)
    claim.fact("refused", refused)
    ran = {"model_calls": 1, "host_got": [SAID], "in_session": ["go", SAID]}
    claim.equal("a run that the plugin lets run", let_run, dict.fromkeys(roots, ran))
    # The first releases with workflows call the plugin and drop what it returns.
    stopped = {name: {key: seen[key] for key in ("model_calls", "host_got")} for name, seen in refused.items()}
    expected = {"model_calls": 0, "host_got": ["refused"]}
    claim.equal("a refused run", stopped, dict.fromkeys(roots, expected))
    claim.note(f"the model was not called, and the host got the plugin's content: {', '.join(roots)}")


# --- a run that is closed ------------------------------------------------------------------------------


def _closed_runs(build: Callable[[Any], Any]) -> list[str]:
    trace: list[str] = []

    async def after_run_callback(self, *, invocation_context):  # noqa: ARG001
        trace.append("after_run")

    hosted = Hosted(build, [_plugin(after_run_callback=after_run_callback)])

    async def scene() -> None:
        for _ in range(2):
            await hosted.bench.session()
            run = hosted.bench.runner.run_async(user_id="u", session_id="s", new_message=content("go"))
            async for event in run:
                trace.extend(line.partition(": ")[2] for line in texts([event]))

    play(scene())
    return trace


def judge_closed_runs(claim: Claim, roots: dict[str, Callable[[Any], Any]]) -> None:
    """Refute the claim unless each of two runs of each root ends with one call of the plugin."""
    with claim.attempt("running"):
        seen = {name: _closed_runs(build) for name, build in roots.items()}
    claim.fact("seen", seen)
    claim.equal("what was said and called in two runs", seen, dict.fromkeys(roots, [SAID, "after_run"] * 2))
    claim.note(f"called once after each of two runs: {', '.join(roots)}")


# --- a session that is compacted -----------------------------------------------------------------------


def _compacted(build: Callable[[Any], Any]) -> dict[str, Any]:
    from google.adk.apps.app import EventsCompactionConfig
    from google.adk.apps.llm_event_summarizer import LlmEventSummarizer

    summaries = stub("the summary")
    config = EventsCompactionConfig(summarizer=LlmEventSummarizer(llm=summaries), compaction_interval=2, overlap_size=0)
    hosted = Hosted(build, compaction=config)
    # Newer releases drop a summary that is no shorter than what it stands for.
    long = " and so on, at length" * 20

    async def scene() -> dict[str, Any]:
        for turn in ("first turn", "second turn", "third turn"):
            await hosted.bench.turn(turn + long, bound=60)
            # The first releases compact in a task of its own, which needs turns of the loop and no time.
            for _ in range(200):
                await asyncio.sleep(0)
        events = (await hosted.bench.session()).events
        compactions = [event.actions.compaction for event in events if event.actions.compaction]
        found = [item.model_dump() if hasattr(item, "model_dump") else dict(item) for item in compactions]
        return {
            "summaries": [(item["compacted_content"]["parts"] or [{}])[0].get("text") for item in found],
            "summarizer_calls": len(summaries.requests),
            "sent_on_turn_3": fed(hosted.model.requests[-1], "first turn", "second turn", "third turn", "the summary"),
        }

    return play(scene())


def judge_compacted(claim: Claim, roots: dict[str, Callable[[Any], Any]]) -> None:
    """Refute the claim unless the session of each root holds one summary of the first two turns."""
    with claim.attempt("running three turns"):
        seen = {name: _compacted(build) for name, build in roots.items()}
    # What the model reads of it on turn 3 is no part of the claim: a node of a workflow may see its own turn only.
    claim.fact("seen", seen)
    summaries = {name: item["summaries"] for name, item in seen.items()}
    expected = ["the summary"]
    claim.equal("summaries in the session after three turns", summaries, dict.fromkeys(roots, expected))
    claim.note(f"one summary in the session after three turns: {', '.join(roots)}")


# --- state that the host gives -------------------------------------------------------------------------


def _given_state(build: Callable[[Any], Any]) -> dict[str, Any]:
    hosted = Hosted(build, instruction="The topic is '{topic?}'.")

    async def scene() -> dict[str, Any]:
        await hosted.bench.turn(bound=60, state_delta={"topic": "apollo"})
        return await hosted.bench.state()

    state = play(scene())
    read = hosted.model.requests[0]["system"].partition("The topic is ")[2].partition(".")[0]
    return {"instruction_read": read, "in_session": state.get("topic")}


def judge_given_state(claim: Claim, roots: dict[str, Callable[[Any], Any]]) -> None:
    """Refute the claim unless the state is there for the first step of each root, and in the session."""
    from google.adk.runners import Runner

    if "state_delta" not in inspect.signature(Runner.run_async).parameters:
        raise Absent("this release's run_async takes no state_delta")
    with claim.attempt("running with a state_delta"):
        seen = {name: _given_state(build) for name, build in roots.items()}
    claim.fact("seen", seen)
    expected = {"instruction_read": "'apollo'", "in_session": "apollo"}
    # The first releases with workflows take the argument and drop it.
    claim.equal("where the state arrived", seen, dict.fromkeys(roots, expected))
    claim.note(f"the first step reads it, and it is in the session: {', '.join(roots)}")
