"""The sole reader and writer of ``reports/results``: one JSON file a target, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import msgspec

from adk_probe.files import digest, read_file, reason, to_json, write_atomic
from adk_probe.model import RESULT_SCHEMA, Target, TargetResult

FOLDER = "reports/results"


class Loaded(msgspec.Struct, frozen=True):
    """Evidence by target key, and one line for each file that is no evidence."""

    results: dict[str, TargetResult]
    faults: tuple[str, ...]


def seal(result: TargetResult) -> TargetResult:
    """Return the result with the digest over all that does not vary from run to run."""
    return msgspec.structs.replace(result, digest=_digest(result))


def _digest(result: TargetResult) -> str:
    plain = msgspec.to_builtins(result)
    return digest({key: value for key, value in plain.items() if key not in ("run", "digest")})


def save(root: Path, result: TargetResult) -> str:
    """Write a target's evidence in one step; return its digest.

    Raises:
        InfrastructureError: it cannot be written; older evidence stays.
    """
    sealed = seal(result)
    write_atomic(root / FOLDER / f"{result.target.key}.json", to_json(sealed))
    return sealed.digest


def load(root: Path) -> Loaded:
    """Read all evidence; a file that is broken, edited or misnamed is named in ``faults`` and left out."""
    results: dict[str, TargetResult] = {}
    faults: list[str] = []
    for path in sorted((root / FOLDER).glob("*.json")):
        found = read(path)
        if isinstance(found, str):
            faults.append(f"{FOLDER}/{path.name}: {found}")
        else:
            results[found.target.key] = found
    return Loaded(results, tuple(faults))


def load_one(root: Path, target: Target) -> TargetResult | None:
    """Return the evidence of one target, or None where there is none that can be believed."""
    found = read(root / FOLDER / f"{target.key}.json")
    return None if isinstance(found, str) else found


def read(path: Path) -> TargetResult | str:
    """Return the evidence in a file, or in a sentence why it is none."""
    try:
        result = msgspec.json.decode(read_file(path), type=TargetResult)
        sealed = _digest(result)
    except OSError as error:
        return f"cannot be read: {reason(error)}"
    except (msgspec.DecodeError, RecursionError) as error:
        return f"is no evidence: {error}"
    if result.schema != RESULT_SCHEMA:
        return f"has schema {result.schema!r}, not {RESULT_SCHEMA!r}"
    try:
        _ = result.target.order
    except ValueError as error:
        return f"is of no target that could be: {error}"
    if path.stem != result.target.key:
        return f"is the evidence of {result.target.key}"
    if result.digest != sealed:
        return "does not have the digest that its run gave it; it was changed by other means"
    return result
