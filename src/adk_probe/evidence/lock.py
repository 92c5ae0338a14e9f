"""``reports/gate.lock.json``: the verdicts that people accepted, the file's sole reader and writer.

Targets of neighbouring releases and Pythons hardly differ, so each says only what it has otherwise than one before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from adk_probe.errors import EvidenceError
from adk_probe.files import read_file, reason, to_json, write_atomic
from adk_probe.model import LOCK_SCHEMA, Target

FILE = "reports/gate.lock.json"
HINT = "Restore it from version control, or delete it and accept again with `adk-probe gate --update --reason …`."
Words = dict[str, str]


class Lock(msgspec.Struct, frozen=True):
    """Accepted verdicts, by target key and then by name, and the reason of the last change."""

    reason: str = ""
    cells: dict[str, Words] = {}
    mechanisms: dict[str, Words] = {}


class _Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One target: what it has otherwise than the target ``like``; an empty word stands for what it lacks."""

    like: str = ""
    cells: Words = {}
    mechanisms: Words = {}


class _Document(msgspec.Struct, frozen=True):
    schema: str
    reason: str
    targets: dict[str, _Entry]


class _AnyDocument(msgspec.Struct, frozen=True):
    schema: str


def load(path: Path) -> Lock:
    """Read the lock; an empty one where there is none.

    Raises:
        EvidenceError: the file is broken.
    """
    try:
        data = read_file(path)
        schema = msgspec.json.decode(data, type=_AnyDocument).schema
        if schema != LOCK_SCHEMA:
            raise EvidenceError(f"{FILE}: schema is {schema!r}, not {LOCK_SCHEMA!r}", HINT)
        document = msgspec.json.decode(data, type=_Document)
    except FileNotFoundError:
        return Lock()
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise EvidenceError(f"{FILE}: cannot be read: {reason(error)}", HINT) from None
    return Lock(
        document.reason,
        _unfolded({key: (entry.like, entry.cells) for key, entry in document.targets.items()}),
        _unfolded({key: (entry.like, entry.mechanisms) for key, entry in document.targets.items()}),
    )


def save(path: Path, lock: Lock) -> None:
    """Write the lock in one step.

    Raises:
        InfrastructureError: it cannot be written; the old one stays.
    """
    write_atomic(path, to_json(_Document(LOCK_SCHEMA, lock.reason, _folded(lock))))


def _folded(lock: Lock) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    earlier: dict[str, list[str]] = {}
    for key in sorted(lock.cells.keys() | lock.mechanisms.keys(), key=_place):
        target = Target.parse(key)
        candidates = earlier.setdefault(target.engine, []) if target is not None else []
        # of those that come before it, the one that differs least, and of several the nearest
        made = [
            _Entry(like, _differing(lock.cells, key, like), _differing(lock.mechanisms, key, like))
            for like in ("", *candidates)
        ]
        entries[key] = min(reversed(made), key=lambda entry: len(entry.cells) + len(entry.mechanisms))
        candidates.append(key)
    return entries


def _place(key: str) -> tuple[bool, object, str]:
    target = Target.parse(key)
    return target is None, target.order if target is not None else (), key


def _differing(words: Mapping[str, Words], key: str, like: str) -> Words:
    own, other = words.get(key, {}), words.get(like, {})
    return {name: own.get(name, "") for name in sorted(own.keys() | other.keys()) if own.get(name) != other.get(name)}


def _unfolded(entries: Mapping[str, tuple[str, Words]]) -> dict[str, Words]:
    """Return the words of each target; those of one that has none are left out."""
    found: dict[str, Words] = {}
    for key in entries:
        chain: list[str] = []
        step = key
        while step and step not in found:
            if step in chain or step not in entries:
                raise EvidenceError(f"{FILE}: {chain[-1]} is like {step}, which is itself, or is not there", HINT)
            chain.append(step)
            step = entries[step][0]
        words = found.get(step, {})
        for name in reversed(chain):
            words = {each: word for each, word in {**words, **entries[name][1]}.items() if word}
            found[name] = words
    return {key: dict(sorted(words.items())) for key, words in found.items() if words}
