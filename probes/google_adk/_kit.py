"""What the google-adk probes share: a model that plays a script, and a bench that runs agents and graphs.

The engine is imported inside functions only, so that a probe decides when it is imported. Where releases
differ in spelling the difference is felt for here, by looking, never by comparing versions.
"""

from __future__ import annotations

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

from counting import Calls, undisturbed
from probekit import Absent, Claim, Refuted, run
from waiting import play, turns, until

__all__ = [
    "CALL_BOUND",
    "ENTRY_MODULES",
    "Absent",
    "Bench",
    "Calls",
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
    "turns",
    "undeprecated",
    "undisturbed",
    "until",
]

# Nothing of a probe may leave the machine or depend on who runs it.
os.environ["OTEL_SDK_DISABLED"] = "true"
for _name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT"):
    os.environ.pop(_name, None)
# Without a handler Python prints warnings and errors of any logger to stderr.
logging.getLogger().addHandler(logging.NullHandler())

# What a generated project imports. Names as well as modules: newer releases load a name's module on first use.
ENTRY_MODULES = {
    "google.adk.agents": ("BaseAgent", "LlmAgent", "LoopAgent", "ParallelAgent", "SequentialAgent"),
    "google.adk.runners": ("Runner",),
    "google.adk.workflow": ("FunctionNode", "JoinNode", "Workflow"),
}
EVENT_BOUND = 400
CALL_BOUND = 150


def import_engine() -> list[str]:
    """Import what a generated project starts from; return the modules that this release has."""
    importlib.import_module("google.adk")
    found = [name for name in ENTRY_MODULES if importlib.util.find_spec(name)]
    for name in found:
        module = importlib.import_module(name)
        for member in ENTRY_MODULES[name]:
            getattr(module, member, None)
    return found


# --- the model -----------------------------------------------------------------------------------------


def call(tool: str, **args: Any) -> dict[str, Any]:
    """Return the line of a script at which the model calls a tool."""
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
    """Return what a model was sent, as JSON values that do not change when the engine changes its own."""
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
    """Return a model that answers with the script's lines in turn, and with the last one ever after.

    A line is a text, a ``call(...)``, any other dict (answered as its JSON), an ``LlmResponse`` (answered as it
    is), or a function of the number of the call, from 1, that returns one of these. ``requests`` holds what the
    model was sent, call by call.
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
            if isinstance(line, LlmResponse):
                yield line.model_copy(deep=True)
                return
            if isinstance(line, dict) and set(line) == {"call", "args"}:
                part = types.Part(function_call=types.FunctionCall(name=line["call"], args=line["args"]))
            else:
                part = types.Part(text=line if isinstance(line, str) else json.dumps(line))
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    model = StubModel(model="stub")
    model._script = list(script)
    return model


def llm(name: str, model: Any, **fields: Any) -> Any:
    """Return an ``LlmAgent`` that asks the given model."""
    from google.adk.agents import LlmAgent

    fields.setdefault("instruction", f"You are the {name}.")
    return LlmAgent(name=name, model=model, **fields)


def critic_schema() -> Any:
    """Return the schema by which a critic answers."""
    from pydantic import BaseModel

    class CriticEvaluation(BaseModel):
        is_valid: bool
        feedback: str

    return CriticEvaluation


# --- graphs --------------------------------------------------------------------------------------------


def graph(*edges: Any, name: str = "wf", **fields: Any) -> Any:
    """Return a ``Workflow`` of the given edges."""
    from google.adk.workflow import Workflow

    return Workflow(name=name, edges=list(edges), **fields)


def rerunning(function: Callable[..., Any]) -> Any:
    """Return a function node that may run other nodes: the engine wants it to be run again on resume."""
    from google.adk.workflow import FunctionNode

    return FunctionNode(func=function, rerun_on_resume=True)


# --- running -------------------------------------------------------------------------------------------


def content(text: str) -> Any:
    """Return a user's message."""
    from google.genai import types

    return types.Content(role="user", parts=[types.Part(text=text)])


def open_call(events: list[Any]) -> Any:
    """Return the function call by which the last of the pausing events asks for input, or None."""
    for event in reversed(events):
        waiting = event.long_running_tool_ids or ()
        for item in event.get_function_calls():
            if item.id in waiting:
                return item
    return None


async def _settled(value: Any) -> Any:
    """Return what a session service gives, which early releases give at once and later ones to be awaited."""
    return await value if inspect.isawaitable(value) else value


class Bench:
    """One root and one session service, with a runner between them."""

    def __init__(self, root: Any, service: Any = None, resumable: bool = False) -> None:
        from google.adk.runners import Runner
        from google.adk.sessions import InMemorySessionService

        self.service = service or InMemorySessionService()
        given: dict[str, Any] = {"agent": root, "app_name": "probe"}
        if resumable:
            from google.adk.apps import App
            from google.adk.apps.app import ResumabilityConfig

            config = ResumabilityConfig(is_resumable=True)
            # The first releases with apps refuse a name beside one.
            given = {"app": App(name="probe", root_agent=root, resumability_config=config)}
        self.runner = Runner(session_service=self.service, **given)

    async def session(self, name: str = "s") -> Any:
        """Return the session of that name as the service holds it; it is made on first use."""
        key = {"app_name": "probe", "user_id": "u", "session_id": name}
        found = None
        # Some services answer None for a session that is not there, others raise.
        with contextlib.suppress(KeyError, ValueError):
            found = await _settled(self.service.get_session(**key))
        return found or await _settled(self.service.create_session(**key))

    async def state(self, name: str = "s") -> dict[str, Any]:
        """Return the session's state after what ran so far."""
        state = (await self.session(name)).state
        return dict(state.to_dict() if hasattr(state, "to_dict") else state)

    async def turn(self, message: Any = "go", name: str = "s", bound: int = EVENT_BOUND, **more: Any) -> list:
        """Run one turn of a session; return its events. More events than the bound refute the claim."""
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
        """Answer the open question of these events, which resumes the run; return the events that follow."""
        from google.genai import types

        asked = open_call(events)
        if asked is None:
            raise Refuted("the run did not pause for human input")
        response = types.FunctionResponse(id=asked.id, name=asked.name, response={"result": reply})
        message = types.Content(role="user", parts=[types.Part(function_response=response)])
        return await self.turn(message, name, **more)


@contextlib.asynccontextmanager
async def _closing(stream: Any) -> Any:
    """Close an async generator at the end; ``contextlib.aclosing`` came with Python 3.10."""
    try:
        yield stream
    finally:
        await stream.aclose()


# --- looking -------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return a node's input as a JSON value: a message becomes its text, a model its dict."""
    if hasattr(value, "parts"):
        return " ".join(_part_text(part) for part in value.parts or [])
    if hasattr(value, "model_dump"):
        return value.model_dump()
    return value


def texts(events: list[Any]) -> list[str]:
    """Return ``author: text`` of every event that says something."""
    return [
        f"{event.author}: {' '.join(_part_text(part) for part in event.content.parts)}"
        for event in events
        if event.content and event.content.parts
    ]


def fed(request: dict[str, Any], *needles: str) -> list[str]:
    """Return which of the needles are in what a model was sent, instruction included."""
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
    """Collect what is logged as a warning or worse."""
    ear = _Ear()
    logging.getLogger().addHandler(ear)
    try:
        yield ear.lines
    finally:
        logging.getLogger().removeHandler(ear)


def _line_blamed(filename: str, number: int) -> str:
    """Return a place without what differs from machine to machine, and the code that is there."""
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
    """Collect the warnings of a stretch, each once: category, text, the line blamed, and whether it deprecates."""
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
    # What a release warns of on import depends on what was imported before; order must not.
    rows.sort(key=lambda row: json.dumps(row, sort_keys=True))
    for item in seen:
        # Told again, so that the kit's own record of the run's warnings is complete.
        warnings.warn_explicit(item.message, item.category, item.filename, item.lineno)


def quiet(claim: Claim, what: str, build: Callable[[], Any]) -> None:
    """Refute the claim if building something raises a DeprecationWarning; every warning becomes a fact."""
    with warnings.catch_warnings(), claim.attempt(what):
        # What importing warns of is another claim's, and much is imported only when it is first used.
        warnings.simplefilter("ignore")
        build()
    with caught() as warned, claim.attempt(what):
        build()
    undeprecated(claim, what, warned)


def undeprecated(claim: Claim, what: str, warned: list[dict[str, Any]]) -> None:
    """Refute the claim if a DeprecationWarning is among the warnings caught; all of them become a fact."""
    claim.fact("warnings", warned)
    found = [f"{row['category']}: {row['text']}" for row in warned if row["deprecation"]]
    claim.true(not found, f"{what} raised {'; '.join(found)}")
    claim.note(f"{what} raised no DeprecationWarning, and {len(warned)} other warnings")
