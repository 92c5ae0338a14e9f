"""Values: what fits a type, what text becomes, what bodies see."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from adk_probe.graph.ir import Schema, SchemaField
from adk_probe.graph.reference.running_bodies import BodyError, run_body, to_python
from adk_probe.graph.values import MisfitError, arrive, fit, parse_answer, render

SCHEMAS = {
    "T": Schema(
        name="T",
        fields=(
            SchemaField(name="u", type="U"),
            SchemaField(name="n", type="float", default=1),
            SchemaField(name="o", type="int", optional=True),
        ),
    ),
    "U": Schema(name="U", fields=(SchemaField(name="when", type="datetime"),)),
}
WHEN = {"when": "2020-01-02T03:04:05Z"}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int", True),
        ("int", 2.0),
        ("int", "3"),
        ("int", None),
        ("float", "1"),
        ("float", True),
        ("float", float("nan")),
        ("float", float("inf")),
        ("bool", 1),
        ("str", 1),
        ("str", None),
        ("date", "2020-02-30"),
        ("date", "20200101"),
        ("date", "2020-01-01T00:00:00"),
        ("datetime", "2020-01-01"),
        ("datetime", "2020-01-01 00:00:00"),
        ("datetime", "2020-01-01T25:00:00"),
        ("T", {}),
        ("T", []),
        ("T", {"u": None}),
        ("T", {"u": WHEN, "n": None}),
        ("Nowhere", 1),
    ],
)
def test_what_does_not_fit(kind: str, value: Any) -> None:
    with pytest.raises(MisfitError):
        fit(value, kind, SCHEMAS)


@pytest.mark.parametrize(
    ("kind", "value", "made"),
    [
        ("float", 2, 2.0),
        ("int", 10**30, 10**30),
        ("datetime", "2020-01-01T00:00:00.000+00:00", "2020-01-01T00:00:00Z"),
        ("datetime", "2020-01-01T00:00:00.5", "2020-01-01T00:00:00.500000"),
        ("datetime", "2020-01-01T00:00:00+02:00", "2020-01-01T00:00:00+02:00"),
        ("T", {"o": None, "u": WHEN, "more": 1}, {"u": WHEN, "n": 1.0, "o": None}),
    ],
)
def test_what_fits(kind: str, value: Any, made: Any) -> None:
    assert fit(value, kind, SCHEMAS) == made
    assert fit(made, kind, SCHEMAS) == made


def test_text_and_json() -> None:
    assert render("é {x}") == "é {x}"
    assert render({"a": [True, None, "é"]}) == '{"a": [true, null, "é"]}'
    assert arrive({"a": 1}, "str", {}) == '{"a": 1}'
    assert arrive(" 3 ", "int", {}) == 3
    assert arrive("2020-01-01", "date", {}) == "2020-01-01"
    for bad in ("NaN", "[1,]", "", "```json\n1\n``` x", "```\n```"):
        with pytest.raises(MisfitError):
            parse_answer(bad)


def test_bodies_see_records() -> None:
    value = to_python(fit({"u": WHEN}, "T", SCHEMAS), "T", SCHEMAS)
    assert value.u.when == datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    same = "return T(u=U(when=node_input.u.when)) == node_input"
    assert run_body(same, {"node_input": value}, SCHEMAS) is True
    kinds = "return [isinstance(node_input, T), isinstance(node_input, U), isinstance(1, T)]"
    assert run_body(kinds, {"node_input": value}, SCHEMAS) == [True, False, False]
    assert run_body("return node_input", {"node_input": value}, SCHEMAS) == {"u": WHEN, "n": 1.0, "o": None}
    later = "import datetime\nreturn node_input.u.when.date() + datetime.timedelta(days=1)"
    assert run_body(later, {"node_input": value}, SCHEMAS) == "2020-01-03"


@pytest.mark.parametrize(
    "body",
    [
        "return T()",
        "return T(u=1)",
        "return U(when=node_input, extra=1)",
        "return object()",
        "return {1: 2}",
        "import subprocess",
        "from os import path",
        "return eval('1')",
        "x = []\nx.append(x)\nreturn x",
        "def f(): return f()\nreturn f()",
    ],
)
def test_bodies_that_fail(body: str) -> None:
    with pytest.raises(BodyError):
        run_body(body, {"node_input": "x"}, SCHEMAS)


def test_nothing_lasts_between_calls() -> None:
    body = "global kept\ntry:\n    kept += 1\nexcept NameError:\n    kept = 1\nreturn kept"
    assert [run_body(body, {"node_input": 1}, {}) for _ in range(2)] == [1, 1]
