"""Models: what an agent asks of one, and Gemini as one that answers.

Any object with ``async def answer(request) -> Answer`` is a model; tests use one that plays a script.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Call:
    """A model's wish to call a tool."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a model answers: text, or calls of tools. ``raw`` is what it said in its own form, to be shown again."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    raw: Any = None


@dataclass(frozen=True)
class Exchange:
    """Calls of tools and their results, in the same order."""

    answer: Answer
    results: tuple[Any, ...]


@dataclass(frozen=True)
class Request:
    """One call of a model.

    Attributes:
        agent: which agent asks.
        model: name of the model.
        instruction: what the model is told.
        text: what it is shown.
        exchanges: calls of tools that it made for this answer already.
        gives: type of the answer: ``str`` or a pydantic model, whose JSON the answer is.
        tools: the tools that it may call, each with ``name``, ``description`` and ``schema``.
        params: ``temperature``, ``top_p``, ``top_k``, ``max_output_tokens``.
    """

    agent: str
    model: str
    instruction: str
    text: str
    exchanges: tuple[Exchange, ...] = ()
    gives: Any = str
    tools: tuple[Any, ...] = ()
    params: dict[str, Any] = field(default_factory=dict)


class Model(Protocol):
    """What answers agents."""

    async def answer(self, request: Request) -> Answer:
        """Answer once."""


class Gemini:
    """Gemini by way of ``google-genai``, which is imported when the first question is asked.

    Args:
        client: a ``google.genai.Client``; by default one that reads its key from the environment.
    """

    def __init__(self, client: Any = None) -> None:
        self._client = client

    async def answer(self, request: Request) -> Answer:
        """Ask Gemini."""
        if self._client is None:
            self._client = self._default()
        response = await self._client.aio.models.generate_content(
            model=request.model, contents=self._contents(request), config=self._config(request)
        )
        content = response.candidates[0].content if response.candidates else None
        parts = (content.parts if content else None) or []
        calls = tuple(
            Call(part.function_call.name or "", dict(part.function_call.args or {}))
            for part in parts
            if part.function_call
        )
        text = "".join(part.text or "" for part in parts if not part.thought)
        return Answer(text, calls, content)

    @staticmethod
    def _default() -> Any:
        try:
            from google import genai
        except ImportError as error:
            raise ImportError('Gemini needs google-genai: pip install "google-genai>=1.30"') from error
        return genai.Client()

    @staticmethod
    def _contents(request: Request) -> list[Any]:
        from google.genai import types

        contents = [types.Content(role="user", parts=[types.Part(text=request.text)])]
        for exchange in request.exchanges:
            contents.append(exchange.answer.raw)
            parts = []
            for call, result in zip(exchange.answer.calls, exchange.results):
                response = result if isinstance(result, dict) else {"result": result}
                parts.append(types.Part.from_function_response(name=call.tool, response=response))
            contents.append(types.Content(role="user", parts=parts))
        return contents

    @staticmethod
    def _config(request: Request) -> Any:
        from google.genai import types

        more: dict[str, Any] = dict(request.params)
        instruction = request.instruction
        if request.tools:
            functions = [
                types.FunctionDeclaration(
                    name=tool.name, description=tool.description, parameters_json_schema=tool.schema
                )
                for tool in request.tools
            ]
            more["tools"] = [types.Tool(function_declarations=functions)]
        if request.gives is not str:
            schema = request.gives.model_json_schema()
            if request.tools:  # not every Gemini takes a schema and tools in one request
                instruction += f"\n\nAnswer with JSON of this schema and nothing else: {schema}"
            else:
                more |= {"response_mime_type": "application/json", "response_json_schema": schema}
        return types.GenerateContentConfig(system_instruction=instruction or None, **more)
