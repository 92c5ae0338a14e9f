"""Counts calls of Python functions: what work costs, in a number that the load of the machine does not change.

Time does not say it: on a machine with other work the same code takes twice as long, CPU time included.
"""

from __future__ import annotations

import asyncio
import concurrent
import contextlib
import cProfile
import functools
import gc
import importlib
import os
import selectors
import threading
import warnings
from pathlib import Path
from typing import Any, Iterator, Optional


def _folder(package: Any) -> str:
    return f"{Path(package.__file__).resolve().parent}{os.sep}"


def _file(function: Any) -> str:
    return str(Path(function.__code__.co_filename).resolve())


# How often these are called depends on the moment: how often the event loop looks, which thread comes first, whether a
# module has its bytecode yet.
_FICKLE = (
    "<frozen importlib",
    *map(_folder, (asyncio, concurrent, importlib)),
    *map(_file, (selectors.DefaultSelector.__init__, threading.Thread.__init__, warnings.formatwarning)),
)
_HERE = Path(__file__).resolve().parent


@functools.lru_cache(maxsize=None)
def _counts(file: str) -> bool:
    """Whether calls of a file's functions count: what a probe does itself is no cost of the engine."""
    path = Path(file) if file.startswith("<") else Path(file).resolve()
    return not str(path).startswith(_FICKLE) and _HERE not in list(path.parents)[:2]


class Calls:
    """Counts stretch by stretch; ``stretches`` holds the calls of those that ended.

    What runs inside a single call of a built-in function is not seen: that ``list.index`` looks at a thousand items is
    one call, unless comparing them is a function in Python.
    """

    def __init__(self) -> None:
        self.stretches: list[int] = []
        self._profile: Optional[cProfile.Profile] = None

    def mark(self) -> None:
        """End the stretch that goes on, if one does, and begin the next."""
        self.stop()
        self._profile = cProfile.Profile(builtins=False)
        self._profile.enable()

    def stop(self) -> None:
        """End the stretch that goes on, if one does."""
        if self._profile is None:
            return
        self._profile.disable()
        functions = [item for item in self._profile.getstats() if not isinstance(item.code, str)]
        self._profile = None
        self.stretches.append(sum(item.callcount for item in functions if _counts(item.code.co_filename)))


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the garbage collector out: when it comes depends on all that was made before."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
