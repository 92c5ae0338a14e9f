"""The published schemas are those of the code, and real evidence fits them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from report_samples import results

from adk_probe.evidence.store import seal
from adk_probe.files import to_json
from adk_probe.report import schemas

ROOT = Path(__file__).parents[2]
EVIDENCE = sorted((ROOT / "reports" / "results").glob("*.json"))


@pytest.mark.parametrize("name", sorted(schemas.DOCUMENTS))
def test_a_published_schema_is_that_of_the_code(name: str) -> None:
    published = (ROOT / schemas.FOLDER / name).read_bytes()
    assert published == schemas.schemas()[name], (
        f"write adk_probe.report.schemas.schemas()[{name!r}] to {schemas.FOLDER}"
    )
    jsonschema.Draft202012Validator.check_schema(json.loads(published))


def test_evidence_fits_its_schema() -> None:
    schema = json.loads(schemas.schemas()["result.schema.json"])
    for result in results().values():
        jsonschema.validate(json.loads(to_json(seal(result))), schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**json.loads(to_json(result)), "schema": "adk-probe.result/0"}, schema)


@pytest.mark.skipif(not EVIDENCE, reason="no evidence is checked in")
def test_the_evidence_that_is_checked_in_fits_its_schema() -> None:
    schema = json.loads(schemas.schemas()["result.schema.json"])
    for path in EVIDENCE:
        jsonschema.validate(json.loads(path.read_bytes()), schema)
