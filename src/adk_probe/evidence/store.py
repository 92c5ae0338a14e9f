"""The sole reader and writer of ``reports/results``: one JSON file a target, complete or not at all.

What varies from run to run is no part of it; see ``timings``.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from adk_probe.errors import EvidenceError
from adk_probe.evidence import timings
from adk_probe.evidence.layout import ResultDocument, from_document, to_document
from adk_probe.files import digest, files_in, read_file, reason, to_readable_json, write_atomic
from adk_probe.model import RESULT_SCHEMA, RunRecord, Target, TargetResult

FOLDER = "reports/results"


class Damaged(msgspec.Struct, frozen=True):
    """A file that cannot be believed: ``file`` from the project's folder, and ``why`` in words.

    Attributes:
        key: the key of the target that its name stands for; what stood in it is unknown.
    """

    key: str
    file: str
    why: str

    def __str__(self) -> str:
        return f"{self.file}: {self.why}"


class _AnyDocument(msgspec.Struct):
    schema: str


class Loaded(msgspec.Struct, frozen=True):
    """Evidence by target key, and the files that are no evidence."""

    results: dict[str, TargetResult]
    faults: tuple[Damaged, ...]


def seal(result: TargetResult) -> TargetResult:
    """Return the result with the digest over all that does not vary from run to run."""
    return msgspec.structs.replace(result, digest=_digest(to_document(result)))


def _digest(document: ResultDocument) -> str:
    plain = msgspec.to_builtins(document)
    return digest({key: value for key, value in plain.items() if key != "digest"})


def path_of(key: str) -> str:
    """Return the file of a target's evidence, by its key, from the project's folder."""
    return f"{FOLDER}/{key}.json"


def save(root: Path, result: TargetResult) -> str:
    """Write a target's evidence in one step, and its timings; return its digest.

    Raises:
        InfrastructureError: it cannot be written; older evidence stays.
    """
    sealed = seal(result)
    write_atomic(root / path_of(result.target.key), to_readable_json(to_document(sealed)))
    timings.save(root, {result.target.key: result.run})
    return sealed.digest


def load(root: Path) -> Loaded:
    """Read all evidence; a file that is broken, edited or misnamed is named in ``faults`` and left out.

    Raises:
        EvidenceError: the folder cannot be listed, so nobody knows what evidence there is.
    """
    results: dict[str, TargetResult] = {}
    faults: list[Damaged] = []
    known = timings.load(root)
    try:
        paths = files_in(root / FOLDER, "*.json")
    except OSError as error:
        hint = "Make it a folder that you may read; the evidence in it is kept."
        raise EvidenceError(f"{FOLDER}: cannot be read: {reason(error)}", hint) from None
    for path in paths:
        found = read(path)
        if isinstance(found, str):
            faults.append(Damaged(path.stem, path_of(path.stem), found))
        else:
            results[found.target.key] = msgspec.structs.replace(found, run=known.get(found.target.key, RunRecord()))
    return Loaded(results, tuple(faults))


def load_one(root: Path, target: Target) -> TargetResult | None:
    """Return the evidence of one target, or None where there is none that can be believed; without its timings."""
    found = read(root / path_of(target.key))
    return None if isinstance(found, str) else found


def load_timed(root: Path, target: Target) -> TargetResult | None:
    """Return the evidence of one target as :func:`load_one` does, with its timings."""
    found = load_one(root, target)
    if found is None:
        return None
    return msgspec.structs.replace(found, run=timings.load(root).get(target.key, RunRecord()))


def read(path: Path) -> TargetResult | str:
    """Return the evidence in a file, or in a sentence why it is none."""
    try:
        data = read_file(path)
        schema = msgspec.json.decode(data, type=_AnyDocument).schema
        if schema != RESULT_SCHEMA:
            return f"has schema {schema!r}, not {RESULT_SCHEMA!r}"
        document = msgspec.json.decode(data, type=ResultDocument)
        sealed = _digest(document)
        result = from_document(document)
    except OSError as error:
        return f"cannot be read: {reason(error)}"
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        return f"is no evidence: {error}"
    try:
        _ = result.target.order
    except ValueError as error:
        return f"is of no target that could be: {error}"
    if path.stem != result.target.key:
        return f"is the evidence of {result.target.key}"
    if result.digest != sealed:
        return "does not have the digest that its run gave it; it was changed by other means"
    return result
