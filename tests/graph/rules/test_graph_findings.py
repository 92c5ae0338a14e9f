"""One fault in a good graph gives exactly the one finding that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from graph_samples import Json, agent, config, dump, edge, function, graph, loop, named, node, old, rich, schema, var

from adk_probe.graph.rules.validate import check

Spoil = Callable[[Json], Any]


def _set(name: str, *keys: Any, to: Any) -> Spoil:
    """Set something inside a node."""

    def spoil(value: Json) -> None:
        here: Any = named(value, name)
        for key in keys[:-1]:
            here = here[key]
        here[keys[-1]] = to

    return spoil


def _conf(name: str, key: str, to: Any) -> Spoil:
    return _set(name, "config", key, to=to)


def _variable(name: str, **change: Any) -> Spoil:
    def spoil(value: Json) -> None:
        named(value, name)["config"]["instruction"]["segments"][1].update(change)

    return spoil


def _edges(*ways: str) -> Spoil:
    return lambda value: value["edges"].extend(edge(way) for way in ways)


def _edge(index: int, **change: Any) -> Spoil:
    return lambda value: value["edges"][index].update(change)


def _schemas(*more: Json) -> Spoil:
    return lambda value: value["schemas"].extend(more)


def _inner(spoil: Spoil) -> Spoil:
    return lambda value: spoil(named(value, "sub")["config"]["graph"])


def _tool(key: str, to: Any) -> Spoil:
    return lambda value: value["tools"][0].update({key: to})


def _and(*spoils: Spoil) -> Spoil:
    return lambda value: [spoil(value) for spoil in spoils]


def _rename(name: str, to: str) -> Spoil:
    return lambda value: named(value, name).update(name=to)


def _drop_route_edge(value: Json) -> None:
    value["edges"] = [each for each in value["edges"] if each.get("route") != "b"]
    value["nodes"] = [each for each in value["nodes"] if each["name"] != "right"]
    value["edges"] = [each for each in value["edges"] if each["from"] != "right"]


def _terminal_join(value: Json) -> None:
    value["nodes"].append(node("join", "late"))
    value["edges"] = [each for each in value["edges"] if each["to"] != "sub"]
    value["edges"] += [edge("left>late"), edge("right>late"), edge("late>sub")]


def _double_schemas(value: Json) -> None:
    for level in range(11):
        value["schemas"].append(schema(f"L{level}", a=f"L{level + 1}", b=f"L{level + 1}"))
    value["schemas"].append(schema("L11", a="str"))


SENSE: list[tuple[str, str, Spoil]] = [
    # names
    ("INVALID_GRAPH_NAME", "", lambda value: value.update(name="class")),
    ("INVALID_GRAPH_NAME", "sub", _inner(lambda value: value.update(name="1st"))),
    ("INVALID_NODE_NAME", "a-b", _rename("two", "a-b")),
    ("INVALID_NODE_NAME", "lambda", _rename("two", "lambda")),
    ("INVALID_NODE_NAME", "ﬁne", _rename("two", "ﬁne")),
    ("INVALID_NODE_NAME", "nodes[10]", _rename("two", "")),
    ("INVALID_NODE_NAME", "nodes[10]", _rename("two", "a/b")),
    ("INVALID_NODE_NAME", "nodes[10]", _rename("two", "a\nb")),
    ("INVALID_NODE_ID", "two", _and(_set("two", "id", to=""), _edge(10, to=""), _edge(12, **{"from": ""}))),
    ("DUPLICATE_NODE_NAME", "one", _rename("two", "one")),
    ("DUPLICATE_NODE_NAME", "one", _inner(_rename("inner_step", "one"))),
    ("DUPLICATE_NODE_ID", "spare", _set("spare", "id", to="ask")),
    ("START_RESERVED", "START", _rename("two", "START")),
    ("START_RESERVED", "spare", _set("spare", "id", to="START")),
    ("INVALID_SCHEMA_NAME", "", _schemas(schema("two words"))),
    ("INVALID_SCHEMA_NAME", "", _schemas(schema("int"))),
    ("DUPLICATE_SCHEMA_NAME", "", _schemas(schema("Place", city="str"))),
    ("DUPLICATE_SCHEMA_NAME", "sub", _inner(_schemas(schema("Place", city="str")))),
    ("INVALID_FIELD_NAME", "", _schemas(schema("New", _hidden="str"))),
    ("INVALID_FIELD_NAME", "", _schemas(schema("New", **{"def": "str"}))),
    ("DUPLICATE_FIELD_NAME", "", _schemas({"name": "New", "fields": [{"name": "a", "type": "str"}] * 2})),
    ("INVALID_TOOL_NAME", "", lambda value: value["tools"].append({**value["tools"][0], "name": "x y"})),
    ("DUPLICATE_TOOL_NAME", "", lambda value: value["tools"].append(value["tools"][0])),
    ("INVALID_PARAMETER_NAME", "", lambda value: value["tools"][0]["parameters"][0].update(name="in")),
    ("DUPLICATE_PARAMETER_NAME", "", _tool("parameters", [{"name": "x", "type": "int"}] * 2)),
    ("NAME_COLLISION", "", _schemas(schema("left", a="str"))),
    ("NAME_COLLISION", "", lambda value: value["tools"].append({**value["tools"][0], "name": "one"})),
    ("NAME_COLLISION", "", lambda value: value["tools"].append({**value["tools"][0], "name": "Place"})),
    ("LOOP_NAME_COLLISION", "polish", _rename("two", "polish_generator")),
    ("LOOP_NAME_COLLISION", "polish", _rename("two", "polish_reviser")),
    ("LOOP_NAME_COLLISION", "polish", _rename("two", "polish_router")),
    ("LOOP_NAME_COLLISION", "polish", _rename("two", "polish_status")),
    ("LOOP_NAME_COLLISION", "polish", _schemas(schema("polish_CriticEvaluation", a="str"))),
    ("LOOP_NAME_COLLISION", "sub/inner_loop", _rename("two", "inner_loop_critic")),
    # edges
    ("EDGE_FROM_UNKNOWN", "two", _edges("nobody>two")),
    ("EDGE_TO_UNKNOWN", "two", _edges("two>nobody")),
    ("EDGE_TO_START", "gather", _edges("gather>START")),
    ("DUPLICATE_EDGE", "two", _edges("two>gather")),
    ("NO_START_EDGE", "", lambda value: value["edges"].pop(0)),
    ("NO_START_EDGE", "sub", _inner(lambda value: value["edges"].pop(0))),
    ("UNREACHABLE_NODE", "island", lambda value: value["nodes"].append(function("island", "return 1"))),
    ("UNREACHABLE_NODE", "sub/island", _inner(lambda value: value["nodes"].append(function("island")))),
    (
        "UNREACHABLE_NODE",
        "extra",
        lambda value: value["nodes"].append(node("tool", "extra", inputType="str", outputType="str")),
    ),
    (
        "CYCLE_DETECTED",
        "tell",
        lambda value: (
            value["edges"].__setitem__(8, edge("confirm>tell")) or value["edges"].append(edge("polish>confirm"))
        ),
    ),
    (
        "LOOP_ARITY",
        "polish",
        lambda value: [value["nodes"].append(function("end", "return 1")), value["edges"].append(edge("polish>end"))],
    ),
    ("LOOP_ARITY", "polish", _and(_edge(5, to="polish"), _edge(6, to="sub"))),
    ("ROUTER_ROUTE_NO_TARGET", "choose", _conf("choose", "routes", ["a", "b", "c"])),
    ("ROUTER_ROUTE_NO_TARGET", "choose", _drop_route_edge),
    ("ROUTER_EDGE_ROUTE_UNDECLARED", "choose", _edges("choose:c>left")),
    ("ROUTER_UNLABELED_EDGE", "choose", _edges("choose>left")),
    ("ROUTER_DUPLICATE_ROUTE", "choose", _conf("choose", "routes", ["a", "b", "a"])),
    ("NONROUTER_ROUTE_LABEL", "ask", _edge(1, route="a")),
    ("NONROUTER_ROUTE_LABEL", "", _edge(0, route="a")),
    ("NEEDS_JOIN", "one", lambda value: value["edges"].append(edge("two>one"))),
    ("JOIN_FROM_START", "gather", _edges("START>gather")),
    ("JOIN_NEVER_COMPLETES", "late", _terminal_join),
    # types
    ("UNKNOWN_FIELD_TYPE", "", _schemas(schema("New", a="Nowhere"))),
    ("SCHEMA_FIELD_CYCLE", "", _schemas(schema("A", b="B"), schema("B", a="A"))),
    ("SCHEMA_FIELD_CYCLE", "", _schemas(schema("A", a="A"))),
    ("SCHEMA_TOO_LARGE", "", _double_schemas),
    ("BAD_DEFAULT", "", _schemas(schema("New", a={"type": "int", "default": True}))),
    ("BAD_DEFAULT", "", _schemas(schema("New", a={"type": "date", "default": "2020-02-30"}))),
    ("BAD_DEFAULT", "", _schemas(schema("New", a={"type": "Place", "default": {}}))),
    (
        "BAD_DEFAULT",
        "",
        _tool("parameters", [{"name": "x", "type": "int"}, {"name": "y", "type": "int", "default": "1"}]),
    ),
    ("UNKNOWN_OUTPUT_SCHEMA_REF", "left", _conf("left", "outputSchemaRef", "Nowhere")),
    ("UNKNOWN_OUTPUT_SCHEMA_REF", "left", _conf("left", "outputSchemaRef", "int")),
    ("UNKNOWN_OUTPUT_SCHEMA_REF", "polish", _conf("polish", "generator", config("x", outputSchemaRef="Nowhere"))),
    ("UNKNOWN_OUTPUT_SCHEMA_REF", "polish", _conf("polish", "critic", config("x", outputSchemaRef="Nowhere"))),
    ("UNKNOWN_INPUT_SCHEMA_REF", "left", _conf("left", "inputSchemaRef", "Nowhere")),
    ("UNKNOWN_INPUT_SCHEMA_REF", "polish", _conf("polish", "critic", config("x", inputSchemaRef="Nowhere"))),
    ("FUNCTION_UNKNOWN_INPUT_TYPE", "one", _conf("one", "inputType", "Nowhere")),
    ("FUNCTION_UNKNOWN_OUTPUT_TYPE", "one", _conf("one", "outputType", "Nowhere")),
    ("TOOL_UNKNOWN_INPUT_TYPE", "spare", _conf("spare", "inputType", "Nowhere")),
    ("TOOL_UNKNOWN_OUTPUT_TYPE", "spare", _conf("spare", "outputType", "Nowhere")),
    ("TOOL_UNKNOWN_RETURN_TYPE", "", _tool("returns", "Nowhere")),
    ("TOOL_UNKNOWN_PARAMETER_TYPE", "", lambda value: value["tools"][0]["parameters"][0].update(type="Nowhere")),
    ("ROUTER_UNKNOWN_INPUT_TYPE", "choose", _conf("choose", "inputType", "Nowhere")),
    ("HUMAN_UNKNOWN_PAYLOAD_REF", "confirm", _conf("confirm", "payloadRef", "Nowhere")),
    ("HUMAN_UNKNOWN_RESPONSE_REF", "confirm", _conf("confirm", "responseSchemaRef", "Nowhere")),
    ("LOOP_UNKNOWN_INPUT_TYPE", "polish", _conf("polish", "inputType", "Nowhere")),
    # variables
    ("VAR_SOURCE_NOT_NODE", "left", _variable("left", source="nobody")),
    ("VAR_SOURCE_NOT_NODE", "left", _variable("left", source="START")),
    ("VAR_SOURCE_NOT_NODE", "left", _variable("left", source="polish_generator")),
    ("VAR_SOURCE_NOT_STRUCTURED", "tell", _variable("tell", source="left")),
    ("VAR_SOURCE_NOT_STRUCTURED", "tell", _variable("tell", source="gather")),
    ("VAR_UNKNOWN_SCHEMA", "left", _variable("left", schema="Nowhere")),
    ("VAR_FIELD_NOT_FOUND", "left", _variable("left", field="nothing")),
    ("VAR_SCHEMA_MISMATCH_SOURCE", "left", _variable("left", schema="Place", field="city")),
    ("VAR_INPUT_SCHEMA_MISMATCH", "left", _variable("left", via="input")),
    ("VAR_SOURCE_NOT_ANCESTOR", "left", _variable("left", source="confirm")),
    # nodes
    ("LOOP_BAD_MAX_ITERATIONS", "polish", _conf("polish", "maxIterations", 0)),
    ("LOOP_BAD_MAX_ITERATIONS", "polish", _conf("polish", "maxIterations", -3)),
    ("LOOP_BAD_MAX_ITERATIONS", "polish", _conf("polish", "maxIterations", True)),
    ("LOOP_BAD_MAX_ITERATIONS", "polish", _conf("polish", "maxIterations", 2.0)),
    ("LOOP_BAD_MAX_ITERATIONS", "polish", _conf("polish", "maxIterations", "3")),
    ("LOOP_BAD_MAX_ITERATIONS", "polish", _conf("polish", "maxIterations", None)),
    ("LOOP_BAD_TIMEOUT", "polish", _conf("polish", "timeoutSeconds", 0)),
    ("LOOP_CRITIC_OUTPUT", "polish", _conf("polish", "critic", config("x", outputSchemaRef="Topic"))),
    ("BODY_SYNTAX", "one", _conf("one", "body", "return (")),
    ("BODY_SYNTAX", "one", _conf("one", "body", "")),
    ("BODY_SYNTAX", "one", _conf("one", "body", "return 1\0")),
    ("BODY_SYNTAX", "one", _conf("one", "body", "yield 1")),
    ("BODY_SYNTAX", "choose", _conf("choose", "body", "return 'a' 'b' c")),
    ("BODY_SYNTAX", "spare", _conf("spare", "body", "if x:")),
    ("BODY_SYNTAX", "", _tool("body", "return x +")),
    ("TOOL_BODY_AND_IMPORT", "", _tool("import", "math:sqrt")),
    ("TOOL_BAD_IMPORT", "", _and(_tool("body", None), _tool("import", "math.sqrt"))),
    ("TOOL_BAD_IMPORT", "", _and(_tool("body", None), _tool("import", "math:import"))),
    ("TOOL_PARAMETER_ORDER", "", lambda value: value["tools"][0]["parameters"].append({"name": "z", "type": "int"})),
    ("GUARD_BAD_ROLE", "", _tool("guard", {"role": " "})),
    ("GUARD_BAD_ROLE", "", _tool("guard", {"role": " operator"})),
    ("GUARD_BAD_ROLE", "", _tool("guard", {"role": "Operator"})),
    ("GUARD_BAD_ROLE", "spare", _conf("spare", "guard", {"role": ""})),
    ("UNKNOWN_TOOL", "ask", _conf("ask", "tools", ["add", "spare", "nothing"])),
    ("UNKNOWN_TOOL", "ask", _conf("ask", "tools", ["spare", "left"])),
    ("DUPLICATE_TOOL_REF", "ask", _conf("ask", "tools", ["spare", "spare"])),
    ("BAD_MODEL_PARAM", "left", _conf("left", "modelParams", {"topP": 1.5})),
    ("BAD_MODEL_PARAM", "left", _conf("left", "modelParams", {"temperature": -1})),
    ("BAD_MODEL_PARAM", "left", _conf("left", "modelParams", {"topK": 0})),
    ("BAD_MODEL_PARAM", "left", _conf("left", "modelParams", {"maxOutputTokens": 0})),
]

SHAPE: list[tuple[str, str, Spoil]] = [
    ("MISSING_KEY", "", lambda value: value.pop("irVersion")),
    ("MISSING_KEY", "", lambda value: value.pop("schemas")),
    ("MISSING_KEY", "one", lambda value: named(value, "one").pop("id")),
    ("MISSING_KEY", "one", lambda value: named(value, "one").pop("config")),
    ("MISSING_KEY", "one", lambda value: named(value, "one").pop("type")),
    ("MISSING_KEY", "sub", lambda value: named(value, "sub").pop("config")),
    ("MISSING_KEY", "sub", lambda value: named(value, "sub")["config"].pop("graph")),
    ("MISSING_KEY", "nodes[9]", lambda value: named(value, "one").pop("name")),
    ("MISSING_KEY", "polish", lambda value: named(value, "polish")["config"].pop("maxIterations")),
    ("UNKNOWN_KEY", "", lambda value: value.update(extra=1)),
    ("UNKNOWN_KEY", "one", _set("one", "extra", to=1)),
    ("UNKNOWN_KEY", "one", _conf("one", "extra", 1)),
    ("UNKNOWN_KEY", "sub", _conf("sub", "extra", 1)),
    ("UNKNOWN_KEY", "sub/inner_step", _inner(_conf("inner_step", "extra", 1))),
    ("UNKNOWN_KEY", "polish", _conf("polish", "reviser", config("x"))),
    ("WRONG_TYPE", "", lambda value: value.update(nodes={})),
    ("WRONG_TYPE", "", lambda value: value.update(name=3)),
    ("WRONG_TYPE", "", lambda value: value["nodes"].append([])),
    ("WRONG_TYPE", "one", _set("one", "id", to=1)),
    ("WRONG_TYPE", "sub", _conf("sub", "graph", [])),
    ("WRONG_TYPE", "sub", _set("sub", "config", to=[])),
    ("WRONG_TYPE", "left", _conf("left", "tools", "add")),
    ("WRONG_TYPE", "left", _conf("left", "modelParams", {"topK": 2.0})),
    ("WRONG_TYPE", "left", _conf("left", "modelParams", {"temperature": True})),
    ("WRONG_TYPE", "left", _conf("left", "instruction", "text")),
    ("WRONG_TYPE", "polish", _conf("polish", "timeoutSeconds", "5")),
    ("WRONG_TYPE", "polish", _conf("polish", "critic", None)),
    ("WRONG_TYPE", "", _tool("guard", {"confirm": 1})),
    ("BAD_VALUE", "polish", _conf("polish", "onExhausted", "explode")),
    ("BAD_VALUE", "left", _conf("left", "mode", "chat")),
    ("BAD_VALUE", "left", _variable("left", via="air")),
    ("BAD_VALUE", "left", _variable("left", type="image")),
    ("UNKNOWN_NODE_TYPE", "one", _set("one", "type", to="loopy")),
    ("UNKNOWN_NODE_TYPE", "one", _set("one", "type", to=1)),
    ("UNSUPPORTED_VERSION", "", lambda value: value.update(irVersion="0.3.0")),
    ("UNSUPPORTED_VERSION", "", lambda value: value.update(irVersion=0.2)),
    ("UNSUPPORTED_VERSION", "sub", _inner(lambda value: value.update(irVersion="1.0"))),
    ("BAD_TEXT", "one", _conf("one", "body", "return '\ud800'")),
]

OLD: list[tuple[str, str, Spoil]] = [
    ("LOOP_BAD_MAX_ITERATIONS", "write", _conf("write", "maxIterations", 0)),
    ("LOOP_BAD_MAX_ITERATIONS", "write", _conf("write", "maxIterations", True)),
    ("LOOP_BAD_APPROVAL_PHRASE", "write", _conf("write", "approvalPhrase", " ")),
    ("LOOP_UNKNOWN_PAYLOAD_TYPE", "write", _conf("write", "payloadType", "Nowhere")),
    ("LOOP_UNKNOWN_INPUT_TYPE", "write", _conf("write", "inputType", "Nowhere")),
    ("MISSING_KEY", "write", lambda value: named(value, "write")["config"].pop("reviser")),
    ("UNKNOWN_KEY", "write", _conf("write", "onExhausted", "pass")),
    ("UNKNOWN_KEY", "", lambda value: value.update(tools=[])),
    ("UNKNOWN_KEY", "end", _and(_set("end", "type", to="tool"), _conf("end", "guard", {}))),
]


def test_samples_are_good() -> None:
    assert check(dump(rich()), "f")[1] == []
    assert check(dump(old()), "f")[1] == []


@pytest.mark.parametrize(("code", "path", "spoil"), [*SENSE, *SHAPE])
def test_one_fault_one_code(code: str, path: str, spoil: Spoil) -> None:
    value = rich()
    spoil(value)
    _, findings = check(dump(value), "f")
    assert {(each.code, each.path) for each in findings} == {(code, path)}, [str(each) for each in findings]


@pytest.mark.parametrize(("code", "path", "spoil"), OLD)
def test_one_fault_in_an_old_graph(code: str, path: str, spoil: Spoil) -> None:
    value = old()
    spoil(value)
    graph_, findings = check(dump(value), "f")
    assert graph_ is None
    assert {(each.code, each.path) for each in findings} == {(code, path)}, [str(each) for each in findings]


def test_a_router_without_routes() -> None:
    value = graph([node("router", "r", routes=[])], "START>r")
    assert [each.code for each in check(dump(value), "f")[1]] == ["ROUTER_NO_ROUTES"]


def test_an_empty_route() -> None:
    value = graph([node("router", "r", routes=[""]), function("f", "return 1")], "START>r r:>f")
    assert [each.code for each in check(dump(value), "f")[1]] == ["ROUTER_BAD_ROUTE"]


def test_all_findings_at_once_across_unreadable_nodes() -> None:
    value = rich()
    named(value, "polish")["config"]["maxIterations"] = "3"
    named(value, "left")["config"]["mode"] = 7
    named(value, "right")["config"]["body"] = "return ("
    named(value, "sub")["config"]["graph"]["nodes"][0]["config"]["inputType"] = "Nowhere"
    value["edges"].append(edge("two>nobody"))
    found = [(each.path, each.code) for each in check(dump(value), "f")[1]]
    assert found == [
        ("left", "BAD_VALUE"),
        ("right", "BODY_SYNTAX"),
        ("sub/inner_step", "FUNCTION_UNKNOWN_INPUT_TYPE"),
        ("polish", "LOOP_BAD_MAX_ITERATIONS"),
        ("two", "EDGE_TO_UNKNOWN"),
    ]


def test_a_node_that_cannot_be_read_accuses_no_other() -> None:
    value = rich()
    named(value, "ask")["config"] = 7
    found = [(each.path, each.code) for each in check(dump(value), "f")[1]]
    assert found == [("ask", "WRONG_TYPE")]


def test_too_many_nodes() -> None:
    nodes = [function(f"n{index}", "return 1") for index in range(501)]
    value = graph(nodes, "START>n0")
    assert [each.code for each in check(dump(value), "f")[1]] == ["TOO_LARGE"]


def test_ancestors_reach_across_nested_graphs() -> None:
    def inside(source: str) -> Json:
        inner = graph(
            [agent("deep", "On ", var("T", "a", source, "state"), outputSchemaRef="T")], "START>deep", name="inner"
        )
        nodes = [
            agent("first", "x", outputSchemaRef="T"),
            node("workflow", "flow", graph=inner),
            agent("last", "On ", var("T", "a", "deep", "state")),
            agent("aside", "x", outputSchemaRef="T"),
        ]
        return graph(nodes, "START>first first>flow flow>last first>aside", schemas=[schema("T", a="str")])

    assert check(dump(inside("first")), "f")[1] == []
    for wrong in ("aside", "flow", "deep"):
        assert [each.code for each in check(dump(inside(wrong)), "f")[1]] == ["VAR_SOURCE_NOT_ANCESTOR"], wrong


def test_a_variable_may_name_its_source_by_id() -> None:
    nodes = [agent("first", "x", outputSchemaRef="T"), agent("second", var("T", "a", "n1", "state"))]
    nodes[0]["id"] = "n1"
    value = graph(nodes, "START>n1 n1>second", schemas=[schema("T", a="str")])
    assert check(dump(value), "f")[1] == []


def test_loops_may_end_a_graph() -> None:
    assert check(dump(graph([loop("only")], "START>only")), "f")[1] == []


def test_routers_that_part_and_meet_again() -> None:
    nodes = [
        node("router", "r", routes=["a", "b"]),
        node("router", "s", routes=["a", "b"]),
        function("x", "return 1"),
        function("y", "return 1"),
    ]
    apart = graph(nodes, "START>r r:a>s r:b>y s:a>x s:b>y x>y")
    assert check(dump(apart), "f")[1] == []
    beside = graph(nodes, "START>r START>s r:a>x r:b>y s:a>x s:b>y")
    assert [each.code for each in check(dump(beside), "f")[1]] == ["NEEDS_JOIN", "NEEDS_JOIN"]


def test_a_join_that_two_routers_starve_together() -> None:
    nodes = [
        node("router", "r", routes=["a", "b"]),
        node("router", "s", routes=["a", "b"]),
        function("m", "return 1"),
        function("z", "return 1"),
        function("p", "return 1"),
        node("join", "j"),
    ]
    ways = "START>r START>p r:a>m r:b>s s:a>m m>j p>j "
    starved = graph(nodes, ways + "s:b>z")
    assert [(each.path, each.code) for each in check(dump(starved), "f")[1]] == [("j", "JOIN_NEVER_COMPLETES")]
    nodes = [each for each in nodes if each["name"] != "z"]
    assert check(dump(graph(nodes, ways + "s:b>m")), "f")[1] == []
