"""Text of an IR is data: whatever it holds, the generated code holds the same literal and compiles."""

from __future__ import annotations

import ast
import json
import tomllib
from typing import Any

import pytest
from codegen_samples import MECHANISMS, agent, can, critic_loop, graph_of, one_node, project, text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.codegen import mechanism
from adk_probe.codegen.source.literals import docstring, literal, markdown_text, one_line, toml_text, tuple_literal

NASTY = [
    "{x}",
    "'",
    '"',
    "'''",
    '"""',
    "\\",
    "\\n",
    "\n",
    "\r\n",
    "\t",
    "\x00",
    "\x7f",
    "\u2028",
    "é",
    "日本",
    "🙂",
    "{{ name }}",
    "{% raw %}",
    "# ",
    "-->",
    "]]>",
    "return",
    "%s",
    "$(ls)",
    "\ufeff",
]
TEXTS = st.lists(
    st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)), max_size=6
).map("".join)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
FEW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(JSONS)
def test_a_literal_means_its_value(value: Any) -> None:
    assert ast.literal_eval(literal(value)) == value
    assert "\n" not in literal(value)


@given(st.lists(TEXTS, max_size=4))
def test_a_tuple_means_its_values(values: list[str]) -> None:
    assert ast.literal_eval(tuple_literal(tuple(values))) == tuple(values)


@given(TEXTS)
def test_a_docstring_means_its_text(value: str) -> None:
    assert ast.literal_eval(docstring(value)) == value
    assert "\n" not in docstring(value)


@given(TEXTS)
def test_toml_means_its_text(value: str) -> None:
    assert tomllib.loads(f"key = {toml_text(value)}")["key"] == value


@given(TEXTS)
def test_one_line_is_one_printable_line(value: str) -> None:
    assert len(one_line(value).splitlines()) <= 1
    assert one_line(value).isprintable()
    assert "<" not in markdown_text(value).replace("\\<", "")


def test_only_json_values_become_literals() -> None:
    with pytest.raises(TypeError, match="set"):
        literal({1})


def _constants(source: str) -> list[Any]:
    return [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]


@FEW
@given(TEXTS, TEXTS, TEXTS)
@pytest.mark.parametrize("name", [name for name in MECHANISMS if can(mechanism(name), graph_of(critic_loop()))])
def test_texts_of_a_loop_arrive_whole(name: str, told: str, about: str, model: str) -> None:
    generator = agent([text(told), text(told)]) | {"model": model}
    value = critic_loop(generator=generator, description=about) | {"description": about}
    files = project(graph_of(value), name)
    assert _constants(files["instructions.py"]).count(told) >= 2
    assert model in _constants(files["agents.py"])
    if about and "workflow.py" in files:
        assert about in _constants(files["workflow.py"])
    tomllib.loads(files["pyproject.toml"])
    for path, source in files.items():
        if path.endswith(".py"):
            compile(source, path, "exec")


@FEW
@given(TEXTS, TEXTS, st.lists(TEXTS.filter(bool), min_size=1, max_size=3, unique=True))
def test_texts_of_other_nodes_arrive_whole(message: str, about: str, routes: list[str]) -> None:
    step = {"inputType": "str", "outputType": "str", "description": about}
    value = one_node("humanInput", {"message": message}, "ask")
    value["nodes"].append(
        {"id": "r", "type": "router", "name": "way", "config": {"routes": routes, "description": about}}
    )
    value["edges"].append({"from": "n", "to": "r"})
    for index, route in enumerate(routes):
        value["nodes"].append({"id": f"s{index}", "type": "function", "name": f"step{index}", "config": step})
        value["edges"].append({"from": "r", "to": f"s{index}", "route": route})
    graph = graph_of(value)
    able = [name for name in MECHANISMS if can(mechanism(name), graph)]
    assert able
    for name in able:
        files = project(graph, name)
        found = _constants(files.get("workflow.py") or files["graph.py"])
        assert message in found
        assert all(route in found for route in routes)
        compile(files["functions.py"], "functions.py", "exec")


@FEW
@given(TEXTS, TEXTS)
def test_texts_of_tools_arrive_whole(about: str, default: str) -> None:
    tool = {
        "name": "look",
        "description": about,
        "parameters": [{"name": "what", "type": "str", "default": default}],
        "returns": "str",
    }
    value = one_node("agent", agent([text("t")], tools=["look"]), "only", tools=[tool])
    found = _constants(project(graph_of(value), "dynamic-workflow")["tools.py"])
    assert about in found or about.strip() in found
    assert default in found


@FEW
@given(st.dictionaries(st.sampled_from(["str", "date", "datetime", "json", "Any", "x", "é"]), TEXTS, min_size=1))
def test_defaults_of_fields_arrive_whole(defaults: dict[str, str]) -> None:
    fields: list[dict[str, Any]] = [{"name": name, "type": "str", "default": value} for name, value in defaults.items()]
    fields += [
        {"name": "day", "type": "date", "default": "2020-01-01"},
        {"name": "other", "type": "str", "optional": True},
    ]
    config = {"inputType": "str", "outputType": "Thing"}
    value = one_node("function", config, "only", schemas=[{"name": "Thing", "fields": fields}])
    found = _constants(project(graph_of(value), "loop-agent")["schemas.py"])
    assert all(text in found for text in defaults.values())


def test_defaults_are_python_values_of_their_types() -> None:
    inner = {"name": "Inner", "fields": [{"name": "a", "type": "int", "default": 1}]}
    fields = [
        {"name": "day", "type": "date", "default": "2020-02-29"},
        {"name": "moment", "type": "datetime", "default": "2020-01-01T00:00:00Z"},
        {"name": "inner", "type": "Inner", "default": {"a": 2}},
        {"name": "none", "type": "date", "optional": True, "default": None},
        {"name": "date", "type": "date"},
    ]
    outer = {"name": "Outer", "fields": fields}
    config = {"inputType": "str", "outputType": "Outer"}
    value = one_node("function", config, schemas=[outer, inner])
    source = project(graph_of(value), "custom-agent")["schemas.py"]
    assert source.index("class Inner") < source.index("class Outer")
    assert "day: datetime.date = datetime.date(2020, 2, 29)" in source
    assert 'fromisoformat("2020-01-01T00:00:00+00:00")' in source
    assert "default_factory=lambda: Inner.model_validate_json('{\"a\": 2}')" in source
    assert "none: Optional[datetime.date] = None" in source


def test_a_field_does_not_hide_the_type_of_another() -> None:
    fields = [{"name": "str", "type": "str"}, {"name": "datetime", "type": "datetime"}, {"name": "x", "type": "str"}]
    config = {"inputType": "str", "outputType": "Odd"}
    value = one_node("function", config, schemas=[{"name": "Odd", "fields": fields}])
    source = project(graph_of(value), "custom-agent")["schemas.py"]
    assert "_Odd_str = str\n" in source
    assert "x: _Odd_str\n" in source
    assert "datetime: _Odd_datetime.datetime\n" in source


BODIES = [
    "return node_input",
    'text = """one\n  two\n"""\nreturn text',
    "if node_input:\n  return 'a'\nreturn 'b'",
    "'a docstring of its own'\nreturn f'''{node_input}\n'''",
    "return '''\\\n  x'''",
    "# a comment\nx = 1  # two\nreturn str(x)",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_keeps_its_meaning(body: str) -> None:
    value = one_node("function", {"inputType": "str", "outputType": "str", "body": body})
    tree = ast.parse(project(graph_of(value), "custom-agent")["functions.py"])
    [function] = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    wanted = [ast.dump(node) for node in ast.parse(body).body]
    assert [ast.dump(node) for node in function.body[1:]] == wanted


def test_hostile_text_does_not_leave_a_comment() -> None:
    value = critic_loop()
    graph = graph_of(value)
    from adk_probe.codegen import emit

    files = emit(graph, "0" * 64, "evil\nimport os\r\u2028.json", "cyclic-workflow", ">=2", ">=3.10")
    for path, source in files.items():
        assert len(source.splitlines()[0]) < 200, path
        if path.endswith(".py"):
            assert "import os\n" not in source or path == "test_smoke.py"
    json.dumps(files)
