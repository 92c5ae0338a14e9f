"""The sole reader and writer of ``reports/results``: one JSON file a target, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import msgspec

from adk_probe.files import digest, read_file, reason, to_json, write_atomic
from adk_probe.model import RESULT_SCHEMA, Target, TargetResult

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


class Loaded(msgspec.Struct, frozen=True):
    """Evidence by target key, and the files that are no evidence."""

    results: dict[str, TargetResult]
    faults: tuple[Damaged, ...]


def seal(result: TargetResult) -> TargetResult:
    """Return the result with the digest over all that does not vary from run to run."""
    return msgspec.structs.replace(result, digest=_digest(result))


def _digest(result: TargetResult) -> str:
    plain = msgspec.to_builtins(result)
    return digest({key: value for key, value in plain.items() if key not in ("run", "digest")})


def path_of(key: str) -> str:
    """Return the file of a target's evidence, by its key, from the project's folder."""
    return f"{FOLDER}/{key}.json"


def save(root: Path, result: TargetResult) -> str:
    """Write a target's evidence in one step; return its digest.

    Raises:
        InfrastructureError: it cannot be written; older evidence stays.
    """
    sealed = seal(result)
    write_atomic(root / path_of(result.target.key), to_json(sealed))
    return sealed.digest


def load(root: Path) -> Loaded:
    """Read all evidence; a file that is broken, edited or misnamed is named in ``faults`` and left out."""
    results: dict[str, TargetResult] = {}
    faults: list[Damaged] = []
    for path in sorted((root / FOLDER).glob("*.json")):
        found = read(path)
        if isinstance(found, str):
            faults.append(Damaged(path.stem, path_of(path.stem), found))
        else:
            results[found.target.key] = found
    return Loaded(results, tuple(faults))


def load_one(root: Path, target: Target) -> TargetResult | None:
    """Return the evidence of one target, or None where there is none that can be believed."""
    found = read(root / path_of(target.key))
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
