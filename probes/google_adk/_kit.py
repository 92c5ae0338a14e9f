"""What the google-adk probes share: a model that plays a script, and a bench that runs agents and graphs.

Only functions import the engine, so that each probe decides when. Where releases spell something differently, the code
here checks what exists and never compares versions.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import inspect
import json
import linecache
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from probekit import Absent, Claim, Refuted, run

__all__ = [
    "CALL_BOUND",
    "ENTRY_MODULES",
    "Absent",
    "Bench",
    "Claim",
    "Refuted",
    "call",
    "caught",
    "content",
    "critic_schema",
    "fed",
    "graph",
    "heard_logs",
    "import_engine",
    "llm",
    "open_call",
    "plain",
    "play",
    "quiet",
    "rerunning",
    "run",
    "stub",
    "texts",
    "undeprecated",
]

# A probe must not send anything from the machine, or depend on who runs it.
os.environ["OTEL_SDK_DISABLED"] = "true"
for _name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT"):
    os.environ.pop(_name, None)
# Without a handler, Python prints the warnings and errors of every logger to stderr.
logging.getLogger().addHandler(logging.NullHandler())

# What a generated project imports: names as well as modules, because newer releases load a name's module on first use.
ENTRY_MODULES = {
    "google.adk.agents": ("BaseAgent", "LlmAgent", "LoopAgent", "ParallelAgent", "SequentialAgent"),
    "google.adk.runners": ("Runner",),
    "google.adk.workflow": ("FunctionNode", "JoinNode", "Workflow"),
}
EVENT_BOUND = 400
CALL_BOUND = 150


def import_engine() -> list[str]:
    """Import what a generated project imports, and return the modules that this release has."""
    importlib.import_module("google.adk")
    found = [name for name in ENTRY_MODULES if importlib.util.find_spec(name)]
    for name in found:
        module = importlib.import_module(name)
        for member in ENTRY_MODULES[name]:
            getattr(module, member, None)
    return found


# --- the model -----------------------------------------------------------------------------------------


def call(tool: str, **args: Any) -> dict[str, Any]:
    """Return the line of a script with which the model calls a tool."""
    return {"call": tool, "args": args}


def _part_text(part: Any) -> str:
    if part.function_call:
        return f"<call {part.function_call.name} {json.dumps(part.function_call.args or {}, sort_keys=True)}>"
    if part.function_response:
        return (
            f"<response {part.function_response.name}"
            f" {json.dumps(part.function_response.response or {}, sort_keys=True, default=repr)}>"
        )
    return part.text or ""


def _recorded(request: Any) -> dict[str, Any]:
    """Return what a model received, as JSON values that do not change when the engine changes its own objects."""
    config = request.config
    system = getattr(config, "system_instruction", None)
    return {
        "contents": [
            f"{item.role}: {' '.join(_part_text(part) for part in item.parts or [])}" for item in request.contents or []
        ],
        "system": system if isinstance(system, str) else str(system or ""),
        "tools": sorted(getattr(request, "tools_dict", None) or {}),
        "schema": bool(getattr(config, "response_schema", None) or getattr(config, "response_json_schema", None)),
    }


def stub(*script: Any) -> Any:
    """Return a model that answers with the script's lines in turn, and then repeats the last line.

    A line is a text, a ``call(...)``, any other dict (the answer is its JSON), or a function of the number of the call,
    from 1, that returns one of these. ``requests`` holds what the model received in each call.
    """
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types
    from pydantic import PrivateAttr

    class StubModel(BaseLlm):
        _script: list = PrivateAttr(default_factory=list)
        _requests: list = PrivateAttr(default_factory=list)
        _on_call: Any = PrivateAttr(default=None)

        @property
        def requests(self) -> list[dict[str, Any]]:
            return self._requests

        def watch(self, on_call: Callable[[], None]) -> None:
            self._on_call = on_call

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:  # noqa: ARG002
            self._requests.append(_recorded(llm_request))
            if self._on_call:
                self._on_call()
            count = len(self._requests)
            if count > CALL_BOUND:
                raise RuntimeError(f"the model was called more than {CALL_BOUND} times")
            line = self._script[min(count, len(self._script)) - 1]
            if callable(line):
                line = line(count)
            if isinstance(line, dict) and set(line) == {"call", "args"}:
                part = types.Part(function_call=types.FunctionCall(name=line["call"], args=line["args"]))
            else:
                part = types.Part(text=line if isinstance(line, str) else json.dumps(line))
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    model = StubModel(model="stub")
    model._script = list(script)
    return model


def llm(name: str, model: Any, **fields: Any) -> Any:
    """Return an ``LlmAgent`` that calls the given model."""
    from google.adk.agents import LlmAgent

    fields.setdefault("instruction", f"You are the {name}.")
    return LlmAgent(name=name, model=model, **fields)


def critic_schema() -> Any:
    """Return the schema of a critic's answers."""
    from pydantic import BaseModel

    class CriticEvaluation(BaseModel):
        is_valid: bool
        feedback: str

    return CriticEvaluation


# --- graphs --------------------------------------------------------------------------------------------


def graph(*edges: Any, name: str = "wf", **fields: Any) -> Any:
    """Return a ``Workflow`` with the given edges."""
    from google.adk.workflow import Workflow

    return Workflow(name=name, edges=list(edges), **fields)


def rerunning(function: Callable[..., Any]) -> Any:
    """Return a function node that may run other nodes. The engine requires that a resume runs such a node again."""
    from google.adk.workflow import FunctionNode

    return FunctionNode(func=function, rerun_on_resume=True)


# --- running -------------------------------------------------------------------------------------------


def content(text: str) -> Any:
    """Return a user's message."""
    from google.genai import types

    return types.Content(role="user", parts=[types.Part(text=text)])


def open_call(events: list[Any]) -> Any:
    """Return the function call with which the last pausing event asks for input, or None."""
    for event in reversed(events):
        waiting = event.long_running_tool_ids or ()
        for item in event.get_function_calls():
            if item.id in waiting:
                return item
    return None


async def _settled(value: Any) -> Any:
    """Return the result of a session service. Early releases return it directly, later ones as an awaitable."""
    return await value if inspect.isawaitable(value) else value


class Bench:
    """One root agent and one session service, with a runner between them."""

    def __init__(self, root: Any, service: Any = None, resumable: bool = False) -> None:
        from google.adk.runners import Runner
        from google.adk.sessions import InMemorySessionService

        self.service = service or InMemorySessionService()
        given: dict[str, Any] = {"agent": root}
        if resumable:
            from google.adk.apps import App
            from google.adk.apps.app import ResumabilityConfig

            config = ResumabilityConfig(is_resumable=True)
            given = {"app": App(name="probe", root_agent=root, resumability_config=config)}
        self.runner = Runner(app_name="probe", session_service=self.service, **given)

    async def session(self, name: str = "s") -> Any:
        """Return the session of that name as the service stores it. It is created on first use."""
        key = {"app_name": "probe", "user_id": "u", "session_id": name}
        found = None
        # Some services return None for a missing session, others raise.
        with contextlib.suppress(KeyError, ValueError):
            found = await _settled(self.service.get_session(**key))
        return found or await _settled(self.service.create_session(**key))

    async def state(self, name: str = "s") -> dict[str, Any]:
        """Return the session's current state."""
        state = (await self.session(name)).state
        return dict(state.to_dict() if hasattr(state, "to_dict") else state)

    async def turn(self, message: Any = "go", name: str = "s", bound: int = EVENT_BOUND, **more: Any) -> list:
        """Run one turn of a session, and return its events. More events than the bound refute the claim."""
        await self.session(name)
        message = content(message) if isinstance(message, str) else message
        events: list[Any] = []
        stream = self.runner.run_async(user_id="u", session_id=name, new_message=message, **more)
        async with _closing(stream):
            async for event in stream:
                events.append(event)
                if len(events) >= bound:
                    raise Refuted(f"the run did not end within {bound} events")
        return events

    async def answer(self, events: list[Any], reply: Any, name: str = "s", **more: Any) -> list:
        """Answer the open question of these events, which resumes the run, and return the events that follow."""
        from google.genai import types

        asked = open_call(events)
        if asked is None:
            raise Refuted("the run did not pause for human input")
        response = types.FunctionResponse(id=asked.id, name=asked.name, response={"result": reply})
        message = types.Content(role="user", parts=[types.Part(function_response=response)])
        return await self.turn(message, name, **more)


@contextlib.asynccontextmanager
async def _closing(stream: Any) -> Any:
    """Close an async generator at the end. ``contextlib.aclosing`` does not exist before Python 3.10."""
    try:
        yield stream
    finally:
        await stream.aclose()


def play(scene: Any, seconds: float = 20) -> Any:
    """Run a coroutine to its end. If it takes longer than the given seconds, the claim is refuted."""

    async def bounded() -> Any:
        return await asyncio.wait_for(scene, seconds)

    try:
        return asyncio.run(bounded())
    except asyncio.TimeoutError as error:
        raise Refuted(f"the run did not end within {seconds} s") from error


# --- looking -------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return a node's input as a JSON value: the text of a message, or the dict of a model."""
    if hasattr(value, "parts"):
        return " ".join(_part_text(part) for part in value.parts or [])
    if hasattr(value, "model_dump"):
        return value.model_dump()
    return value


def texts(events: list[Any]) -> list[str]:
    """Return ``author: text`` for every event with content."""
    return [
        f"{event.author}: {' '.join(_part_text(part) for part in event.content.parts)}"
        for event in events
        if event.content and event.content.parts
    ]


def fed(request: dict[str, Any], *needles: str) -> list[str]:
    """Return those needles that are in what a model received, including its instruction."""
    whole = "\n".join([request["system"], *request["contents"]])
    return [needle for needle in needles if needle in whole]


class _Ear(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname}: {record.getMessage()}")


@contextlib.contextmanager
def heard_logs() -> Iterator[list[str]]:
    """Collect log records of level warning and above."""
    ear = _Ear()
    logging.getLogger().addHandler(ear)
    try:
        yield ear.lines
    finally:
        logging.getLogger().removeHandler(ear)


def _line_blamed(filename: str, number: int) -> str:
    """Return the place of a line, without the parts that differ between machines, and the line's code."""
    parts = Path(filename).parts
    for root in ("site-packages", "google_adk"):
        if root in parts:
            parts = parts[parts.index(root) + 1 :]
            break
    else:
        parts = parts[-1:]
    return f"{'/'.join(parts)}:{number}: {linecache.getline(filename, number).strip()}"


@contextlib.contextmanager
def caught() -> Iterator[list[dict[str, Any]]]:
    """Collect the distinct warnings of a block: category, text, the line blamed, and whether it is a deprecation."""
    rows: list[dict[str, Any]] = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield rows
    for item in seen:
        row = {
            "category": item.category.__name__,
            "text": " ".join(str(item.message).split()),
            "line": _line_blamed(item.filename, item.lineno),
            "deprecation": issubclass(item.category, DeprecationWarning),
        }
        if row not in rows:
            rows.append(row)
    # The order of a release's import warnings depends on earlier imports; the order of the rows must not.
    rows.sort(key=lambda row: json.dumps(row, sort_keys=True))
    for item in seen:
        # Issued again, so that the kit's own record of the run's warnings is complete.
        warnings.warn_explicit(item.message, item.category, item.filename, item.lineno)


def quiet(claim: Claim, what: str, build: Callable[[], Any]) -> None:
    """Refute the claim if ``build`` raises a DeprecationWarning. Every warning becomes a fact."""
    with warnings.catch_warnings(), claim.attempt(what):
        # Many modules are imported on first use, and another probe checks the warnings of imports.
        warnings.simplefilter("ignore")
        build()
    with caught() as warned, claim.attempt(what):
        build()
    undeprecated(claim, what, warned)


def undeprecated(claim: Claim, what: str, warned: list[dict[str, Any]]) -> None:
    """Refute the claim if there is a DeprecationWarning among the given warnings. All of them become a fact."""
    claim.fact("warnings", warned)
    found = [f"{row['category']}: {row['text']}" for row in warned if row["deprecation"]]
    claim.true(not found, f"{what} raised {'; '.join(found)}")
    claim.note(f"{what} raised no DeprecationWarning, and {len(warned)} other warnings")
