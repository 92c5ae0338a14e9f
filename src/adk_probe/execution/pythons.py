"""An interpreter for each Python that targets name: the one of before, one that is here, or one that uv fetches.

A fetch that failed is not tried again for a day. An interpreter that is here always wins over that memory.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterable

import msgspec

from adk_probe.execution import interpreters, uv
from adk_probe.files import to_json, write_atomic
from adk_probe.machine.state import Local, State, stamp
from adk_probe.model import Interpreter
from adk_probe.project.config import Settings

FILE = "unfetched.json"
REMEMBERED = datetime.timedelta(days=1)
NONE_HERE = "no such Python on this machine"


class Unfetched(msgspec.Struct, frozen=True):
    """A Python that uv could not fetch.

    Attributes:
        when: when it tried (UTC, ISO 8601).
        uv: size and modification time of the uv that tried; another one knows other Pythons.
        reason: what it said.
    """

    when: str
    uv: tuple[int, int]
    reason: str

    def holds(self, now: datetime.datetime, uv: tuple[int, int]) -> bool:
        """Whether trying again would be in vain, as far as is known."""
        try:
            age = now - datetime.datetime.fromisoformat(self.when)
        except (ValueError, TypeError):
            return False
        return self.uv == uv and datetime.timedelta() <= age < REMEMBERED


class Gathered(msgspec.Struct, frozen=True):
    """An interpreter a Python, and for each other Python in words why there is none."""

    found: dict[str, Interpreter]
    missing: dict[str, str]


def gather(
    local: Local, settings: Settings, wanted: set[str], states: Iterable[State], *, fetch: bool, refresh: bool
) -> Gathered:
    """Return interpreters for the Pythons that are wanted.

    Args:
        states: what is known of targets; an interpreter of theirs that is unchanged is not looked for.
        fetch: whether uv may fetch what is missing; it does so in one try.
        refresh: whether it tries although it could not do so lately.
    """
    found = _of_before(states)
    if wanted - found.keys():
        found |= interpreters.find(wanted - found.keys())
    missing = sorted(wanted - found.keys())
    if not (missing and fetch and settings.fetch_pythons):
        return Gathered(found, dict.fromkeys(missing, NONE_HERE))
    now, program = datetime.datetime.now(datetime.UTC), stamp(uv.program())
    known = {} if refresh else _load(local)
    known = {name: each for name, each in known.items() if each.holds(now, program)}
    if untried := [name for name in missing if name not in known]:
        fetched, reasons = _fetch(untried, settings.fetch_seconds)
        found |= fetched
        when = now.isoformat(timespec="seconds")
        known |= {name: Unfetched(when, program, reason) for name, reason in reasons.items()}
        write_atomic(local.folder / FILE, to_json(known))
    unfetched = f"{NONE_HERE}, and uv could not fetch one"
    return Gathered(found, dict.fromkeys((name for name in missing if name not in found), unfetched))


def _fetch(pythons: list[str], seconds: float) -> tuple[dict[str, Interpreter], dict[str, str]]:
    """Have uv fetch Pythons; return those that are here now, and why the others are not."""
    until = time.monotonic() + seconds
    failure = interpreters.fetch(pythons, seconds)
    found = interpreters.find(pythons)
    reasons = dict.fromkeys(pythons, failure)
    if failure and len(pythons) > 1:
        # one that uv does not know keeps the others from being fetched with it
        for name in [name for name in pythons if name not in found and until > time.monotonic()]:
            reasons[name] = interpreters.fetch([name], until - time.monotonic())
        found |= interpreters.find(set(pythons) - found.keys())
    missing = (name for name in pythons if name not in found)
    return found, {name: reasons[name] or "uv fetched one, but none is found" for name in missing}


def _of_before(states: Iterable[State]) -> dict[str, Interpreter]:
    found: dict[str, Interpreter] = {}
    for state in states:
        known = state.interpreter
        if known is not None and stamp(known.path) == state.stamp != (0, 0):
            found.setdefault(known.python, known)
    return found


def _load(local: Local) -> dict[str, Unfetched]:
    try:
        return msgspec.json.decode((local.folder / FILE).read_bytes(), type=dict[str, Unfetched])
    except (OSError, msgspec.DecodeError):
        return {}
