"""The releases of the fake engine: each one goes wrong in its own way, or not at all."""

from __future__ import annotations

import msgspec

from fake.wheels import Dist, sdist, wheel

NAME = "fake-engine"
GOOD = "LOOPS = 3\n\n\ndef loop():\n    return LOOPS\n"
WORKFLOW = GOOD + "\n\nclass Workflow:\n    pass\n"
DEPRECATING = """import warnings


def loop():
    warnings.warn("loop is deprecated; use Workflow", DeprecationWarning, stacklevel=2)
    return 3
"""
BROKEN = "raise ImportError('the engine is broken at ' + __file__)\n"
HANGING = "import time\ntime.sleep(600)\n"
KILLING = "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"
EXITING = "import os, sys\nprint('no words left', file=sys.stderr, flush=True)\nos._exit(7)\n"
DEPENDING = "import fake_dep\n" + GOOD


def _release(version: str, month: int, code: str, **more: object) -> Dist:
    described = {"requires": (), "requires_python": "", "yanked": False, **more}
    files = {"fake_engine/__init__.py": code, "fake_engine/flow.py": "READY = True\n"}
    return wheel(NAME, version, files, f"2024-{month:02}-10T12:00:00.000000Z", **described)  # type: ignore[arg-type]


def _damaged(dist: Dist) -> Dist:
    """Return the file with bytes of a member turned over; its metadata is still to be had on the side."""
    data = bytearray(dist.data)
    place = data.index(b"LOOPS")
    data[place : place + 5] = b"\x00\xff\x00\xff\x00"
    return msgspec.structs.replace(dist, data=bytes(data))


def dists() -> list[Dist]:
    """Return all files that the fake index serves."""
    dependency = {"fake_dep/__init__.py": "OLD = True\n"}
    newer = {"fake_dep/__init__.py": "raise ImportError('fake_dep 2 has no OLD')\n"}
    return [
        wheel("fake-dep", "1.0", dependency, "2024-01-01T00:00:00.000000Z"),
        wheel("fake-dep", "2.0", newer, "2024-11-01T00:00:00.000000Z"),
        _release("0.9", 1, DEPENDING, requires=("fake-dep",)),
        _release("1.0", 2, GOOD),
        _release("1.1", 3, DEPRECATING),
        _release("1.2", 4, BROKEN),
        _release("1.3", 4, HANGING),
        _release("1.4", 4, KILLING),
        _release("1.5", 5, GOOD, requires=("no-such-distribution",)),
        _release("1.6", 5, GOOD, requires=("fake-dep==1.0", "fake-dep==2.0")),
        _release("1.7", 5, GOOD, requires_python="==2.7.*"),
        _release("1.8", 5, GOOD, yanked=True),
        sdist(NAME, "1.9", "2024-06-10T12:00:00.000000Z"),
        _damaged(_release("1.10", 6, GOOD)),
        _release("1.11", 6, EXITING),
        _release("2.0a1", 7, WORKFLOW),
        _release("2.0", 8, WORKFLOW),
    ]
