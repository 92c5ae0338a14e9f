"""Engines that are not there: support code can be imported, as long as nothing of the engine is called."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pytest

ENGINES = ("google", "loopgraph")
"""Top names of what is only in the environments of projects."""


class _Anything(ModuleType):
    """A module that has every name: a class, or a module where the name is one of a module."""

    __path__: list[str] = []  # noqa: RUF012 - a module's own

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = importlib.import_module(f"{self.__name__}.{name}") if name.islower() else type(name, (), {})
        setattr(self, name, made)
        return made


class _Finder:
    """Finds every module of an engine, with nothing behind it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find it."""
        return ModuleSpec(name, self) if name.partition(".")[0] in ENGINES else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make it."""
        return _Anything(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to execute."""


@contextlib.contextmanager
def engines() -> Iterator[None]:
    """Let engines be imported; forget in the end what was imported with them."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(sys, "meta_path", [_Finder(), *sys.meta_path])
        before = dict(sys.modules)
        for name in [name for name in sys.modules if name.partition(".")[0] in ENGINES or ".support." in name]:
            del sys.modules[name]
        try:
            yield
        finally:
            for name in set(sys.modules) - set(before):
                del sys.modules[name]
            sys.modules.update(before)
