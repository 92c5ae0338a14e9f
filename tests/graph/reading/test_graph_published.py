"""The published JSON Schema: up to date, a schema, and of one mind with the reader about good files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graph_samples import FILES, ROOT, Json, named, old, rich
from jsonschema import Draft202012Validator

from adk_probe.graph.reading.published import json_schema, schema_bytes

FILE = ROOT / "docs" / "schema" / "graph-ir.schema.json"
COMMAND = (
    'python -c "from adk_probe.graph.reading.published import *; import sys; sys.stdout.buffer.write(schema_bytes())"'
)

VALIDATOR = Draft202012Validator(json_schema())


def test_the_file_is_what_the_types_say() -> None:
    assert FILE.read_bytes() == schema_bytes(), f"generate it again: {COMMAND} > docs/schema/graph-ir.schema.json"


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_example_files_are_of_the_schema(path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(json.loads(path.read_bytes()))] == []


def test_samples_are_of_the_schema() -> None:
    for value in (rich(), old()):
        assert [error.message for error in VALIDATOR.iter_errors(value)] == []


def _bad() -> list[Json]:
    bad = [rich() for _ in range(9)]
    bad[0]["extra"] = 1
    bad[1]["irVersion"] = "0.3"
    named(bad[2], "one")["config"]["extra"] = 1
    named(bad[3], "polish")["config"]["maxIterations"] = 0
    named(bad[4], "polish")["config"]["approvalPhrase"] = "OK"
    named(bad[5], "inner_step")["type"] = "nothing"
    named(bad[6], "choose")["config"]["routes"] = []
    bad[7]["irVersion"] = "0.1.0"
    del named(bad[8], "left")["config"]["model"]
    older = old()
    older["tools"] = []
    return [*bad, older]


@pytest.mark.parametrize("value", _bad(), ids=range(10))
def test_bad_files_are_not(value: Json) -> None:
    assert list(VALIDATOR.iter_errors(value))
