"""Lets one harness at a time read, merge and write a reports folder, so that none loses what another saved."""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from adk_probe.errors import InfrastructureError
from adk_probe.files import RETRY

REPORTS = "reports/.lock"
WAIT_SECONDS = 60.0
LOOK_SECONDS = 0.02


def take(handle: IO[Any]) -> bool:
    """Lock an open file if nobody else holds it; the kernel unlocks it when its holder ends, however that ends."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def reports(root: Path) -> Iterator[None]:
    """Hold a project's reports folder; meant for moments, and not to be taken twice by one thread.

    Raises:
        InfrastructureError: it cannot be written, or another harness does not let go of it.
    """
    path = root / REPORTS
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("a")
    except OSError as error:
        raise InfrastructureError(f"{REPORTS}: cannot be written: {error.strerror}", RETRY) from None
    with handle:
        deadline = time.monotonic() + WAIT_SECONDS
        while not take(handle):
            if time.monotonic() > deadline:
                hint = "Is a harness stopped in the middle of its work? End it, and run again."
                raise InfrastructureError(f"{REPORTS}: another harness holds it for {WAIT_SECONDS:g} s", hint)
            time.sleep(LOOK_SECONDS)
        yield
