"""Bodies as text: judged as a function's statements, indented without a change of meaning."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_probe.graph.bodies import body_fault, body_function, body_source


@pytest.mark.parametrize(
    "body",
    [
        "return 1",
        "if node_input:\n\treturn 2\nreturn 3",
        'x = """a\n  b"""\nreturn x  # {x}',
        'x = f"""{1}\n  b"""\nreturn x',
        "return [\n1,\n\n2]",
        "x = 'a\\\nb'\nreturn x",
        "def g():\n    yield 1\nreturn list(g())",
        "return (lambda: (yield))",
        'return "\\d"',
        "import json\nreturn json.dumps(node_input)\r\n",
        "return '{{ }} {% raw %} {x}'",
        "zähler = 1\nreturn zähler",
    ],
)
@pytest.mark.filterwarnings("ignore:invalid escape")
def test_good_bodies_keep_their_meaning_when_indented(body: str) -> None:
    assert body_fault(body) is None
    text = "class C:\n    def body(self, node_input):\n" + body_source(body, " " * 8) + "\n"
    method = ast.parse(text).body[0].body[0]  # type: ignore[attr-defined]
    assert [ast.dump(each) for each in method.body] == [ast.dump(each) for each in ast.parse(body).body]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "# only a comment",
        "\0",
        "return 1\0",
        "return (",
        "  return 1",
        "yield 1",
        "x = yield",
        "await node_input",
        "async for x in y: pass",
        "nonlocal x",
        "global node_input",
        "from os import *",
        "from __future__ import annotations",
        "break",
        "class A:\n    return 1",
        "(" * 1000 + ")" * 1000,
        "-" * 50_000 + "1",
        "x = " + "9" * 200_000,
        "return 1\n)\nimport os",
    ],
)
def test_bad_bodies_have_one_line_of_fault(body: str) -> None:
    fault = body_fault(body)
    assert fault
    assert "\n" not in fault


def test_parameters_are_those_of_the_tool() -> None:
    function = body_function("return a + b", "add", ("a", "b"))
    assert [argument.arg for argument in function.args.args] == ["a", "b"]
    assert body_fault("global a", ("a",)) is not None
    assert body_fault("return 1", ()) is None


STRINGS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r\\'\"{}"), max_size=8), min_size=1, max_size=3
)


@given(STRINGS)
def test_strings_over_lines_survive_indenting(parts: list[str]) -> None:
    inner = "\n  ".join(parts)
    body = f"if node_input:\n    x = '''{inner}'''\n    return x\nreturn 0"
    if body_fault(body) is None:
        text = "def body(node_input):\n" + body_source(body)
        namespace: dict[str, object] = {}
        exec(text, namespace)
        assert namespace["body"](1) == inner  # type: ignore[operator]
