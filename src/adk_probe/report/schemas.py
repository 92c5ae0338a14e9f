"""The JSON Schemas under ``docs/schema``, made from the types that read and write the documents; pure."""

from __future__ import annotations

from typing import Any

import msgspec

from adk_probe.evidence.bisection import BISECTION_SCHEMA, Bisection
from adk_probe.evidence.layout import ResultDocument
from adk_probe.evidence.timings import TIMINGS_SCHEMA, Timings
from adk_probe.execution.culprit import CULPRIT_SCHEMA, Culprit
from adk_probe.files import to_json
from adk_probe.model import MATRIX_SCHEMA, RESULT_SCHEMA
from adk_probe.report.document import MatrixDocument

FOLDER = "docs/schema"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
# file name → the document's type, the name that its `schema` key holds, and what it is
DOCUMENTS: dict[str, tuple[type, str, str]] = {
    "bisection.schema.json": (Bisection, BISECTION_SCHEMA, "`adk-probe bisect --json`"),
    "culprit.schema.json": (Culprit, CULPRIT_SCHEMA, "`adk-probe culprit --json`"),
    "matrix.schema.json": (MatrixDocument, MATRIX_SCHEMA, "reports/matrix.json, and `adk-probe report --json`"),
    "result.schema.json": (ResultDocument, RESULT_SCHEMA, "reports/results/*.json: the evidence of one target"),
    "timings.schema.json": (
        Timings,
        TIMINGS_SCHEMA,
        "reports/timings.json: dates, seconds, measures",
    ),
}


def schemas() -> dict[str, bytes]:
    """Return the bytes of every schema file, by its name."""
    return {file: to_json(_schema(*document)) for file, document in DOCUMENTS.items()}


def _schema(document: type, name: str, what: str) -> dict[str, Any]:
    (made,), types = msgspec.json.schema_components([document])
    own = types[document.__name__]
    # the types hold any text here, since a reader must tell an old document from a broken one
    own["properties"]["schema"] = {"const": name}
    return {"$schema": DIALECT, "title": f"{name}: {what}", **made, "$defs": types}
