"""``reports/matrix.json`` is what the issue promises, and what its schema says."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest
from report_samples import DRIFTED, check_golden, judgement

from adk_probe.files import to_json
from adk_probe.model import MATRIX_SCHEMA
from adk_probe.report import schemas
from adk_probe.report.document import matrix_json


def document() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(to_json(matrix_json(judgement())))
    return loaded


def test_the_whole_document() -> None:
    check_golden("matrix.json", to_json(matrix_json(judgement())).decode())


def test_a_plain_cell_has_these_keys_and_no_others() -> None:
    made = document()
    assert made["schema"] == MATRIX_SCHEMA
    plain = next(cell for cell in made["cells"] if cell["outcome"] == "pass" and cell["probe"] == "loop")
    assert sorted(plain) == ["engine", "facts", "lane", "message", "outcome", "probe", "python", "release"]


def test_kind_stale_and_warnings_are_there_only_where_they_say_something() -> None:
    for cell in document()["cells"]:
        assert ("kind" in cell) == (cell["outcome"] == "error")
        assert cell.get("stale", True) is True
        assert cell.get("warnings", ["some"]) != []
    assert sum("stale" in cell for cell in document()["cells"]) == 1
    assert any("warnings" in cell for cell in document()["cells"])


def test_targets_come_in_order_by_version_and_probes_by_name() -> None:
    cells = document()["cells"]
    places = list(dict.fromkeys((cell["release"], cell["lane"], cell["python"]) for cell in cells))
    assert places[:4] == [
        ("1.0", "as-released", "3.11"),
        ("1.0", "today", "3.11"),
        ("2.0", "today", "3.11"),
        ("2.0", "today", "3.12"),
    ]
    assert [cell["probe"] for cell in cells[:4]] == ["import", "loop", "old-way", "sub/Thing"]


def test_drift_names_its_target() -> None:
    assert document()["drift"] == [msgspec.to_builtins(DRIFTED)]


@pytest.mark.parametrize("shuffled", [True, False])
def test_the_order_of_the_judgement_does_not_matter(shuffled: bool) -> None:
    given = judgement()
    if shuffled:
        given = msgspec.structs.replace(given, cells=tuple(reversed(given.cells)))
    assert to_json(matrix_json(given)) == to_json(matrix_json(judgement()))


def test_the_document_fits_its_schema() -> None:
    schema = json.loads(schemas.schemas()["matrix.schema.json"])
    jsonschema.validate(document(), schema)
    for spoil in ({"schema": "adk-probe.matrix/2"}, {"cells": [{"probe": "x"}]}, {"mechanisms": None}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**document(), **spoil}, schema)
