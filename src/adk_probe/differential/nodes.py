"""Random nodes, schemas and tools, with names that are unique in the file."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from adk_probe.differential.dice import Dice, Json
from adk_probe.differential.python import function_body, router_body
from adk_probe.graph.flow import DICT
from adk_probe.graph.ir import SCALARS

MAX_PASSES = 3
_NAMES = [
    "self",
    "ask",
    "list",
    "match",
    "type",
    "été",
    "json",
    "agents",
    "functions",
    "workflow",
    "root",
    "schemas",
    "ctx",
    "Any",
    "node_input",
    "print",
    "classic",
    "loops",
    "Workflow",
    "LlmAgent",
    "state",
    "result",
    "x",
    "event",
]
_FIELDS = ["title", "self", "n", "note", "été", "json", "copy", "model_name", "schema", "place", "items", "default"]
_ROUTES = ("yes", "no", "a b", "it's", 'say "x"', "雪", "{r}", "5", "\\", "DEFAULT_ROUTE")


class Known(Struct, frozen=True):
    """A node that came before, the type of its output, and ``ref``, the name or id by which variables refer to it."""

    name: str
    ref: str
    kind: str


class Nodes:
    """Makes the nodes of one file.

    Attributes:
        names: every name in use.
        schemas: every schema by name.
        tools: the names of all tools that agents may call.
    """

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.names: set[str] = set()
        self.schemas: dict[str, Json] = {}
        self.tools: list[str] = []

    # ------------------------------------------------------------------ names and types

    def name(self, stem: str, plain: bool = False) -> str:
        """Return a new name; sometimes one that has a meaning in Python or in the generated code."""
        if not plain and self.dice.chance(12):
            wanted = self.dice.one(_NAMES)
            if wanted not in self.names:
                self.names.add(wanted)
                return wanted
        made = f"{stem}{len(self.names)}"
        self.names.add(made)
        return made

    def schema(self) -> Json:
        """Make a new schema, which may contain earlier ones."""
        dice = self.dice
        fields: list[Json] = []
        for name in dict.fromkeys(dice.one(_FIELDS) for _ in range(dice.number(1, 3))):
            kind = dice.one(("str", "str", *SCALARS, *self.schemas))
            field: Json = {"name": name, "type": kind}
            if dice.chance(25):
                field["optional"] = True
            if dice.chance(20):
                empty = field.get("optional") and dice.chance(40)
                field["default"] = None if empty else dice.value(kind, self.schemas)
            fields.append(field)
        schema: Json = {"name": self.name("S"), "fields": fields}
        self.schemas[schema["name"]] = schema
        return schema

    def kind(self, schemas: int = 50) -> str:
        """Return a type: a schema in the given percentage of draws, if there is one."""
        if self.schemas and self.dice.chance(schemas):
            return self.dice.one(tuple(self.schemas))
        return self.dice.one(("str", "str", "str", *SCALARS))

    def words(self, schemas: int = 35) -> str:
        """Return the type of an agent's answer: text, or a schema in the given percentage of draws."""
        named = self.schemas and self.dice.chance(schemas)
        return self.dice.one(tuple(self.schemas)) if named else "str"

    def taking(self, arrives: str) -> str:
        """Return a type that a step may take if its input has the type ``arrives``."""
        if arrives in self.schemas or arrives in SCALARS:
            if self.dice.chance(6):
                return self.kind()
            return "str" if self.dice.chance(15) else arrives
        return "str"

    # ------------------------------------------------------------------ nodes

    def node(self, kind: str, stem: str, config: Json) -> Json:
        """Make a node of that type."""
        name = self.name(stem)
        more = {"ui": {"x": 1, "y": 2.5}} if self.dice.chance(5) else {}
        return {"id": f"#{len(self.names)}" if self.dice.chance(30) else name, "type": kind, "name": name} | {
            "config": config,
            **more,
        }

    def described(self, config: Json) -> Json:
        """Return the config, sometimes with a description."""
        return {**config, "description": self.dice.text()} if self.dice.chance(20) else config

    def function(self, arrives: str, kind: str = "function") -> tuple[Json, str]:
        """Make a function, or a tool on an edge, and return it with the type of its output."""
        dice = self.dice
        takes, gives = self.taking(arrives), self.kind(35)
        seen = DICT if arrives == DICT and takes in SCALARS else takes
        config: Json = {"inputType": takes, "outputType": gives, "body": function_body(dice, seen, gives, self.schemas)}
        if kind == "function" and dice.chance(20):
            config["emits"] = "message"
        return self.node(kind, "f" if kind == "function" else "t", self.described(config)), gives

    def router(self, arrives: str) -> Json:
        """Make a router."""
        dice = self.dice
        routes = list(dict.fromkeys(dice.one(_ROUTES) for _ in range(dice.number(1, 3))))
        config: Json = {"routes": routes}
        seen = arrives
        if dice.chance(40):
            takes = config["inputType"] = self.taking(arrives)
            seen = DICT if arrives == DICT and takes in SCALARS else takes
        config["body"] = router_body(dice, seen, routes, self.schemas)
        return self.node("router", "r", self.described(config))

    def human(self, arrives: str) -> tuple[Json, str]:
        """Make a question to a person, and return it with the type of the answer."""
        config: Json = {"message": self.dice.text()}
        if self.dice.chance(40):
            config["payloadRef"] = self.taking(arrives)
        if self.dice.chance(60):
            config["responseSchemaRef"] = self.kind()
        return self.node("humanInput", "h", config), config.get("responseSchemaRef") or "str"

    def agent(self, arrives: str, known: tuple[Known, ...], graph: Json) -> tuple[Json, str]:
        """Make an agent, and return it with the type of its output."""
        takes = arrives if arrives in self.schemas and self.dice.chance(60) else None
        if takes is None and self.dice.chance(20):
            takes = "str"
        config = self.config(takes, known, graph)
        if self.dice.chance(4):
            config["mode"] = self.dice.one(("single_turn", "task"))
        return self.node("agent", "a", config), config["outputSchemaRef"]

    def config(self, takes: str | None, known: tuple[Known, ...], graph: Json, gives: str | None = None) -> Json:
        """Make the config of an agent that takes that type."""
        dice = self.dice
        segments = [self._segment(takes, known) for _ in range(dice.number(1, 2))]
        config: Json = {"model": dice.one(("m", "gemini-2.5-flash")), "instruction": {"segments": segments}}
        config["outputSchemaRef"] = gives or self.words()
        if takes is not None:
            config["inputSchemaRef"] = takes
        if dice.chance(8):
            config["modelParams"] = dice.one(({"temperature": 0.5, "topK": 3}, {"topP": 1, "maxOutputTokens": 9}))
        if dice.chance(20):
            config["tools"] = [self._tool(graph)]
        return config

    def _segment(self, takes: str | None, known: tuple[Known, ...]) -> Json:
        sources = [each for each in known if each.kind in self.schemas and self.schemas[each.kind]["fields"]]
        if sources and self.dice.chance(60):
            source = self.dice.one(sources)
            field = self.dice.one(self.schemas[source.kind]["fields"])["name"]
            via = "input" if source.kind == takes and self.dice.chance(60) else "state"
            return {"type": "var", "schema": source.kind, "field": field, "source": source.ref, "via": via}
        return {"type": "text", "value": self.dice.text()}

    # ------------------------------------------------------------------ loops

    def loop(self, arrives: str, known: tuple[Known, ...], graph: Json) -> tuple[Json, str]:
        """Make a loop in the form of the graph's version, and return it with the type of its drafts."""
        old = graph["irVersion"].startswith("0.1")
        takes = arrives if arrives in SCALARS or arrives in self.schemas else "str"
        takes = "str" if self.dice.chance(15) else takes
        config: Json = {"maxIterations": self.dice.number(1, MAX_PASSES)}
        name = self.name("loop")
        payload = self._old_loop(config, takes) if old else self._new_loop(config, name, takes, known, graph)
        return {"id": name, "name": name, "type": "loop", "config": self.described(config)}, payload

    def _old_loop(self, config: Json, takes: str) -> str:
        payload = config["payloadType"] = self.words()
        config["inputType"] = takes
        config["approvalPhrase"] = self.dice.text().strip() or "OK"
        for role in ("generator", "critic", "reviser"):
            config[role] = {"model": "m", "instruction": self.dice.text()}
        return payload

    def _new_loop(self, config: Json, name: str, takes: str, known: tuple[Known, ...], graph: Json) -> str:
        dice = self.dice
        if takes not in self.schemas or dice.chance(50):
            config["inputType"] = takes
        generator = config["generator"] = self.config(takes if takes in self.schemas else None, known, graph)
        verdict = dice.one(("str", f"{name}_CriticEvaluation"))
        sees = takes if takes in self.schemas and dice.chance(50) else None
        config["critic"] = self.config(sees, known, graph, gives=verdict)
        if dice.chance(25):
            config["onExhausted"] = dice.one(("pass", "fail"))
        if dice.chance(20):
            config["timeoutSeconds"] = dice.one((3.5, 8.5))
        return str(generator["outputSchemaRef"])

    # ------------------------------------------------------------------ tools

    def _tool(self, graph: Json) -> str:
        if self.tools and self.dice.chance(40):
            return self.dice.one(self.tools)
        old = graph["irVersion"].startswith("0.1")
        name = self._tool_node(graph, old) if old or self.dice.chance(40) else self._top_level(graph)
        self.tools.append(name)
        return name

    def _tool_node(self, graph: Json, old: bool) -> str:
        node = self.function(self.kind(), "tool")[0]
        if not old and self.dice.chance(15):
            node["config"]["guard"] = self._guard()
        graph["nodes"].append(node)
        return str(node["name"])

    def _top_level(self, graph: Json) -> str:
        dice = self.dice
        parameters: list[Json] = []
        for name in ("word", "n")[: dice.number(0, 2)]:
            parameter: Json = {"name": name, "type": self.kind(25)}
            if (parameters and "default" in parameters[-1]) or dice.chance(30):
                empty = dice.chance(40)
                parameter["default"] = None if empty else dice.value(parameter["type"], self.schemas)
            parameters.append(parameter)
        tool: Json = {"name": self.name("tool"), "description": dice.text(), "parameters": parameters}
        returns = tool["returns"] = self.kind(35)
        first = parameters[0] if parameters else None
        if dice.chance(20):
            tool["import"] = f"outside_tools:{tool['name']}"
        elif first is None or first.get("default", 0) is None:
            # this body reads nothing, because its first argument may be missing
            tool["body"] = function_body(dice, "str", returns, self.schemas, "'fixed'")
        else:
            tool["body"] = function_body(dice, first["type"], returns, self.schemas, first["name"])
        if dice.chance(15):
            tool["guard"] = self._guard()
        graph.setdefault("tools", []).append(tool)
        return str(tool["name"])

    def _guard(self) -> dict[str, Any]:
        return self.dice.one(({"role": "editor"}, {"destructive": True}, {"confirm": True}))
