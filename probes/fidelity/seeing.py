"""Records what can be observed of a run: the models' requests, the steps that the project reports, the events."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import json
import logging
from typing import Any

from clock import sleeping

CURRENT: contextvars.ContextVar[Any] = contextvars.ContextVar("sight")
LOGGER = "adk_project.steps"
JOURNAL = "journal/"
PAUSES = ("adk_request_input", "adk_request_confirmation")


class Unanswered(Exception):
    """The run asks for an answer that the scenario does not have."""


def listen() -> None:
    """Receive the reports that projects log about their steps."""

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            sight = CURRENT.get(None)
            if sight is not None:
                sight.reported(record)

    logger = logging.getLogger(LOGGER)
    logger.handlers[:] = [Ear()]
    logger.setLevel(logging.DEBUG)
    logger.propagate = False


def stub_models() -> None:
    """Replace the model of every agent by one that plays the scenario."""
    from google.adk.agents import LlmAgent
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.adk.models.registry import LLMRegistry
    from google.genai import types

    class Stub(BaseLlm):
        agent: str = ""

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:  # noqa: ARG002
            answer = await CURRENT.get().asked(self.agent, llm_request)
            parts = [
                types.Part(function_call=types.FunctionCall(name=call["tool"], args=call.get("args") or {}))
                for call in wishes(answer)
            ]
            parts = parts or [types.Part(text=answer["text"])]
            yield LlmResponse(content=types.Content(role="model", parts=parts))

    # the engine also looks up a model's name in places that never call the model
    LLMRegistry.resolve = staticmethod(lambda _model: Stub)
    LlmAgent.canonical_model = property(lambda agent: Stub(model="stub", agent=agent.name))


def listen_inside() -> None:
    """Receive the events of inner runs too: an agent that is a tool has a runner of its own."""
    from google.adk.runners import Runner

    plain = Runner.run_async
    if hasattr(plain, "listens"):
        # once is enough, however many scenarios this process plays
        return

    @functools.wraps(plain)
    async def run_async(self: Any, *arguments: Any, **named: Any) -> Any:
        async for event in plain(self, *arguments, **named):
            if not getattr(self, "_outermost", False):
                CURRENT.get().event(event)
            yield event

    run_async.listens = True
    Runner.run_async = run_async


def wishes(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tool calls in a scenario's answer."""
    return [answer["call"]] if answer.get("call") else list(answer.get("calls") or [])


def journalled(state: Any) -> list[Any]:
    """Return the journal that a project keeps in session state, in order."""
    return [json.loads(state[key]) for key in sorted(key for key in state if key.startswith(JOURNAL))]


class Sight:
    """Everything that is observed of one turn.

    Args:
        job: the job that is played.
        turn: the turn of its scenario.
        before: the session's journal before the turn.
    """

    def __init__(self, job: dict[str, Any], turn: dict[str, Any], before: Any = ()) -> None:
        self.job = job
        self._before = list(before)
        self.turn = turn
        self.steps: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.uses: list[dict[str, Any]] = []
        self.loops: list[dict[str, Any]] = []
        self.error: Any = None
        self.invocation = ""
        self._used: dict[tuple[str, str], int] = {}
        self._passes: dict[str, int] = {}
        self._outputs: dict[str, Any] = {}
        self._crash = turn.get("crash")
        self._due = self._stored = False

    # ------------------------------------------------------------------ answers

    def canned(self, kind: str, name: str) -> Any:
        """Return the scenario's next entry for a name."""
        entries = self.turn.get(kind, {}).get(name, [])
        index = self._used.get((kind, name), 0)
        self._used[kind, name] = index + 1
        if index >= len(entries):
            raise Unanswered(f"{kind}.{name} has {len(entries)} entries, but the run asks for one more")
        return entries[index]

    async def asked(self, agent: str, request: Any) -> dict[str, Any]:
        """Record what a called model sees, wait as long as the scenario says, and return the answer."""
        if agent not in self.job["agents"]:
            return self._chat(request)
        call = self._call(agent, request)
        self.calls.append(call)
        canned = self.canned("answers", agent)
        answer = {"text": canned} if isinstance(canned, str) else dict(canned)
        if "json" in answer:
            answer["text"] = json.dumps(answer["json"], ensure_ascii=False)
        if answer.get("delaySeconds"):
            with sleeping():
                await asyncio.sleep(answer["delaySeconds"])
        if wishes(answer):
            call["tool"] = ", ".join(wish["tool"] for wish in wishes(answer))
        else:
            call["answer"] = answer["text"] = answer.get("text") or ""
        return answer

    def _chat(self, request: Any) -> dict[str, Any]:
        """Answer for the model of a chat agent, which has the graph as its tool and is not part of the graph."""
        last = request.contents[-1].parts[0].function_response if request.contents else None
        if last is not None:
            return {"text": f"Done: {(last.response or {}).get('result')}"}
        return {"call": {"tool": next(iter(request.tools_dict)), "args": {"request": self.turn["input"]}}}

    def answer(self, call: Any) -> dict[str, Any]:
        """Return a person's answer to a question of the engine."""
        if call.name != PAUSES[0]:
            asked = (call.args or {}).get("originalFunctionCall") or {}
            return {"confirmed": self.canned("confirm", asked.get("name", ""))}
        for name, about in self.job["nodes"].items():
            last = call.id.rpartition("/")[2].partition("@")[0]
            if about["type"] == "humanInput" and (call.id.startswith(f"{name}:") or last == name):
                answer = self.canned("human", name)
                return answer if isinstance(answer, dict) else {"result": answer}
        raise Unanswered(f"no human input of the graph matches the question {call.id}")

    # ------------------------------------------------------------------ what a model sees

    def _call(self, agent: str, request: Any) -> dict[str, Any]:
        about = self.job["agents"][agent]
        shown = "".join(part.text or "" for part in request.contents[0].parts) if request.contents else ""
        draft = feedback = None
        loop = about["loop"]
        number = None
        if loop:
            number = self._passes.get(loop, 0) + (about["role"] != "critic")
        if loop and (about["role"] == "critic" or number > 1):
            seen = _parsed(shown)
            seen = seen if isinstance(seen, dict) else {"request": seen}
            given, draft, feedback = seen.get("request"), seen.get("draft"), seen.get("feedback")
        else:
            given = shown if about["textIn"] else _parsed(shown)
        return {
            "path": about["path"],
            "pass": number,
            "agent": agent,
            "instruction": self._instruction(agent, request),
            "request": given,
            "draft": draft,
            "feedback": feedback,
            "tool_results": self._results(request.contents[1:]),
            "answer": None,
            "tool": None,
        }

    def _instruction(self, agent: str, request: Any) -> str:
        """Return the agent's own instruction, without the text that the engine puts before it."""
        system = getattr(request.config, "system_instruction", None) or ""
        system = system if isinstance(system, str) else str(system)
        wanted = [
            call["instruction"] for turn in self.job["expected"] for call in turn["calls"] if call["agent"] == agent
        ]
        for text in sorted(set(wanted), key=len, reverse=True):
            if system == text or (text and system.endswith(f"\n\n{text}")):
                return text
        return "" if "" in wanted else system

    def _results(self, contents: list[Any]) -> list[Any]:
        found = []
        for content in contents:
            for part in content.parts or []:
                if part.function_response:
                    name, response = part.function_response.name, part.function_response.response
                    whole = self.job["tools"].get(name, {}).get("object")
                    found.append(response if whole or set(response or {}) != {"result"} else response["result"])
        return found

    # ------------------------------------------------------------------ what is done

    def reported(self, record: logging.LogRecord) -> None:
        """Record a step, a loop's end or a tool's use that the project reports."""
        if hasattr(record, "end"):
            path = self.job["nodes"][record.loop]["path"]
            ended = {"path": path, "pass": None, "end": record.end, "passes": record.passes}
            self.loops.append({**ended, "feedback": record.feedback})
            self._passes.pop(record.loop, None)
        elif hasattr(record, "tool"):
            called = next((call for call in reversed(self.calls) if call["agent"] == record.agent), {})
            use = {key: called.get(key) for key in ("path", "pass", "agent")}
            self.uses.append({**use, "tool": record.tool, "args": record.arguments, "result": record.result})
        elif getattr(record, "step", None) in self.job["nodes"]:
            path = self.job["nodes"][record.step]["path"]
            self._step(record.step, path, None, record.given, record.output, record.route)

    def event(self, event: Any) -> list[Any]:
        """Record an event of the engine, and return the questions in it."""
        self.invocation = event.invocation_id or self.invocation
        calls = event.get_function_calls()
        about = self.job["agents"].get(event.author)
        if about and event.content and event.content.parts and not getattr(event, "partial", None):
            texts = [part.text for part in event.content.parts if part.text is not None]
            if texts and not calls and not event.get_function_responses():
                self._said(event.author, about, "".join(texts))
        content = event.content and event.content.parts
        # the engine's own bookkeeping events do not store what was done
        self._stored = bool(getattr(event, "output", None) is not None or event.actions.state_delta or content)
        pending = set(event.long_running_tool_ids or ())
        return [call for call in calls if call.id in pending and call.name in PAUSES]

    def _said(self, agent: str, about: dict[str, Any], text: str) -> None:
        call = next((call for call in reversed(self.calls) if call["agent"] == agent), None)
        given: Any = None
        if call is not None:
            given = call["request"]
            if about["loop"]:
                given = {"request": given}
                if about["role"] == "critic" or call["pass"] > 1:
                    given["draft"] = call["draft"]
                if about["role"] != "critic" and call["pass"] > 1:
                    given["feedback"] = call["feedback"]
        if about["loop"] and about["role"] != "critic":
            self._passes[about["loop"]] = self._passes.get(about["loop"], 0) + 1
        output = text if about["textOut"] else _parsed(text)
        self._step(agent, about["path"], call["pass"] if call else None, given, output, None)

    def _step(self, name: str, path: str, number: Any, given: Any, output: Any, route: Any) -> None:
        self.steps.append({"path": path, "pass": number, "input": given, "output": output, "route": route})
        self._outputs[name] = output
        if self._crash and (self._crash["after"], self._crash.get("pass")) == (name, number):
            self._due, self._crash = True, None

    def crashing(self) -> bool:
        """Whether the process must die now: the last step is done and stored."""
        if not (self._due and self._stored):
            return False
        self._due = False
        return True

    # ------------------------------------------------------------------ the end

    def failed(self, error: BaseException) -> None:
        """Record how the run failed, and at which node."""
        known = next((item for item in _chain(error) if hasattr(item, "code") and hasattr(item, "step")), None)
        if known is None:
            self.error = {"code": f"UNEXPECTED {type(error).__name__}: {str(error)[:300]}", "path": ""}
            return
        about = self.job["agents"].get(known.step) or self.job["nodes"].get(known.step)
        path = about["path"] if about else known.step
        if known.code == "TOOL_FAILED":
            path = next((call["path"] for call in reversed(self.calls) if call["tool"] == known.step), path)
        self.error = {"code": known.code, "path": path}

    def done(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return everything that was observed, in the form of the reference's turns."""
        loops = [name for name, about in self.job["nodes"].items() if about["type"] == "loop"]
        keys = [f"{name}_{key}" for name in loops for key in ("status", "iterations", "feedback")]
        return {
            "session": self.turn["session"],
            "input": self.turn["input"],
            "steps": self.steps,
            "calls": self.calls,
            "toolUses": self.uses,
            "loops": self.loops,
            "output": self._output(self.job["ends"]),
            "error": self.error,
            "state": {key: state[key] for key in sorted(keys) if key in state},
            "journal": journalled(state)[len(self._before) :],
        }

    def _output(self, ends: list[dict[str, Any]]) -> Any:
        found = {}
        for end in ends:
            if end["name"] in self._outputs:
                found[end["name"]] = self._outputs[end["name"]]
            elif end["ends"]:
                inner = self._output(end["ends"])
                if inner != {}:
                    found[end["name"]] = inner
        return next(iter(found.values())) if len(found) == 1 else found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    todo: list[Any] = [error]
    while todo:
        item = todo.pop(0)
        if isinstance(item, BaseException) and item not in found:
            found.append(item)
            todo += [getattr(item, "error", None), item.__cause__, item.__context__]
            todo += list(getattr(item, "exceptions", ()))
    return found
