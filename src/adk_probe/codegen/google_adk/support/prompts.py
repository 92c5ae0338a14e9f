"""What a model is told and shown, and what is made of its answer: the callbacks of every agent."""

from __future__ import annotations

import json
from typing import Any, Callable, Optional

from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import TypeAdapter

from . import values


def told(
    agent: str,
    instruction: Callable[[Any, Any], str],
    takes: Any,
    *,
    arrives: Any = str,
    loop: Optional[str] = None,
    in_state: bool = False,
    guard: Any = None,
    gives: Any = str,
) -> Callable[..., Optional[LlmResponse]]:
    """Make the callback that tells an agent its instruction and shows it its input and nothing else.

    Not ``instruction=``: a string there is a template, in which ``{x}`` names a state variable, a function's
    result was one too until 1.0, and neither is given the agent's own input.

    Args:
        agent: the agent's name.
        instruction: makes the text, of the agent's input and of state.
        takes: type of the input.
        arrives: type of what the step before hands on; the engine shows it as text.
        loop: the loop that the agent belongs to: its input is then the loop's request.
        in_state: the step before has put the input into state; else it is what the engine shows first.
        guard: of an agent that has tools.
        gives: type of the answer, where the model must be told of it: not every release takes an ``output_schema`` and
            tools together, and those that do ask for it by a tool of their own.
    """

    def before_model(callback_context: Any, llm_request: Any) -> Optional[LlmResponse]:
        state = callback_context.state
        if guard is not None and guard.left(agent, state):
            # the exit tool was called beside a call that had to wait; not every release keeps that over the wait
            return LlmResponse(content=types.Content(role="model", parts=[]))
        exchange = _tool_exchange(llm_request.contents or _own_contents(callback_context))
        if not in_state and not exchange:
            # the first request of a run; at later ones the engine may show the input of a branch beside this one
            state[f"{agent}_input"] = _handed(callback_context, llm_request.contents)
        shown = state[f"{agent}_input"]
        if loop is None:
            if arrives in (bool, Any) and shown in ("True", "False"):
                shown = shown.lower()  # the engine shows Python's own word for it
            given = shown = values.plain(values.take(takes, values.take(arrives, shown, agent), agent))
        else:
            given = state[f"{loop}_loop"]["request"]
            if isinstance(shown, str) and (state[f"{loop}_iterations"] > 1 or agent == f"{loop}_critic"):
                shown = json.loads(shown)  # with a draft the input is an object, which the engine shows in ASCII
        part = types.Part(text=values.show(shown))
        llm_request.contents = [types.Content(role="user", parts=[part]), *exchange]
        if guard is not None:
            llm_request.tools_dict = guard.tools_of(agent, llm_request.tools_dict)
        if gives is not str:
            schema = json.dumps(TypeAdapter(gives).json_schema(), sort_keys=True)
            llm_request.append_instructions([f"Answer with JSON of this schema and nothing else: {schema}"])
        text = instruction(given, state)
        if text:
            llm_request.append_instructions([text])
        return None

    return before_model


def part_of(record: Any, field: str, agent: str) -> str:
    """A field of an input or of an output in state, as text."""
    if not isinstance(record, dict):
        raise values.StepError("VAR_NOT_SET", agent, f"{field} is read, and nothing has given it")
    return values.show(record.get(field))  # some session stores leave nulls out


def _tool_exchange(contents: list[Any]) -> list[Any]:
    """The agent's own tool calls and their results, with which the contents end: they must stay."""
    place = len(contents)
    while place and any(part.function_call or part.function_response for part in contents[place - 1].parts or []):
        place -= 1
    return list(contents[place:])


def _own_contents(callback_context: Any) -> list[Any]:
    """What the agent itself said and was told last; old releases keep even that from an agent without history."""
    context = callback_context._invocation_context
    contents: list[Any] = []
    for event in reversed(context.session.events):
        # results of several tools at once come with an invocation of their own there
        own = event.invocation_id == context.invocation_id or event.get_function_responses()
        if not own or event.author != callback_context.agent_name:
            break
        if event.content is not None:
            contents.insert(0, event.content)
    return contents


def _handed(callback_context: Any, contents: list[Any]) -> str:
    """What the workflow handed to the agent: the last words of a user in its branch.

    They may be empty, and what is empty the engine leaves out of ``contents``.
    """
    context = callback_context._invocation_context
    for event in reversed(context.session.events):
        if event.author == "user" and event.branch in (None, context.branch) and event.content:
            texts = [part.text for part in event.content.parts or [] if part.text is not None]
            if texts:
                return "".join(texts)
    return "".join(part.text or "" for part in contents[-1].parts or []) if contents else ""


def answers(agent: str, kind: Any, code: str = "AGENT_BAD_OUTPUT") -> Callable[..., Any]:
    """Make the callback that holds an agent to its output schema: fenced JSON is accepted, rubbish is an error.

    Args:
        agent: name of the step that fails.
        kind: type of the answer.
        code: how it fails.
    """

    def after_model(callback_context: Any, llm_response: Any) -> Any:
        content = llm_response.content
        if getattr(llm_response, "partial", None) or content is None:
            return None
        parts = content.parts or []
        if any(part.function_call for part in parts):
            return None
        text = "".join(part.text or "" for part in parts if not getattr(part, "thought", None))
        value = values.plain(values.take(kind, text, agent, code))
        answer = types.Content(role="model", parts=[types.Part(text=values.show(value))])
        return llm_response.model_copy(update={"content": answer})

    return after_model


def once(key: str, loop: Optional[str] = None, phase: str = "") -> Callable[..., Optional[types.Content]]:
    """Make the callback that keeps an agent from answering again when a run is resumed.

    The engine runs an agent again whose answer it has but whose end it has not noted.

    Args:
        key: the agent's ``output_key``; the step before the agent sets it to False.
        loop: the loop that the agent belongs to.
        phase: of the loop, in which it is the agent's turn.
    """

    def before_agent(callback_context: Any) -> Optional[types.Content]:
        state = callback_context.state
        answered = state.get(key, False) is not False
        elsewhere = loop is not None and state[f"{loop}_phase"] != phase
        return types.Content(role="model", parts=[]) if answered or elsewhere else None

    return before_agent
