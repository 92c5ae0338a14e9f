"""Worlds: the Python module beside a scenario file that stands for what tools act on.

A world has ``reset(**setup)``, which makes it anew, and ``snapshot()``, its state as a JSON value; what else it has are
functions that tools (``import``) and bodies may name. It is plain Python 3.9 of the standard library: the reference
runs it here, and the generated project runs it in the target.
"""

from __future__ import annotations

import json
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from adk_probe.errors import InputError
from adk_probe.files import read_text


class World:
    """A world, loaded.

    Args:
        name: of its module, as tools import it.
        source: its text.
        where: what messages call the file.

    Raises:
        InputError: it is no world.
    """

    def __init__(self, name: str, source: str, where: str) -> None:
        self.name = name
        self.source = source
        self.module = types.ModuleType(name)
        before = sys.modules.get(name)
        sys.modules[name] = self.module  # a dataclass looks its module up
        try:
            exec(compile(source, where, "exec"), self.module.__dict__)  # noqa: S102
        except (Exception, SystemExit) as error:
            text = f"{where}: {type(error).__name__}: {error}"
            raise InputError(text, "A world is Python that can be run.") from None
        finally:
            sys.modules.pop(name)
            if before is not None:
                sys.modules[name] = before
        for needed in ("reset", "snapshot"):
            if not callable(getattr(self.module, needed, None)):
                raise InputError(f"{where}: it has no function {needed}", "A world has reset(**setup) and snapshot().")

    def reset(self, setup: dict[str, Any]) -> None:
        """Make it anew.

        Raises:
            InputError: it does not take this setup.
        """
        try:
            self.module.reset(**setup)
        except Exception as error:
            text = f"the world {self.name} does not take {setup}: {type(error).__name__}: {error}"
            raise InputError(text) from None

    def snapshot(self) -> Any:
        """Its state, as a JSON value.

        Raises:
            InputError: it has none.
        """
        try:
            return json.loads(json.dumps(self.module.snapshot(), allow_nan=False))
        except Exception as error:
            text = f"the world {self.name}: snapshot: {type(error).__name__}: {error}"
            raise InputError(text, "Give a JSON value.") from None

    def function(self, imported: str) -> Callable[..., Any] | None:
        """The function that an ``import`` (``module:callable``) names, if it is of this world.

        Raises:
            InputError: this world has no such function.
        """
        module, _, name = imported.partition(":")
        if module != self.name:
            return None
        function = getattr(self.module, name, None)
        if not callable(function):
            raise InputError(f"the world {self.name} has no function {name}, which a tool imports")
        return cast("Callable[..., Any]", function)


def load_world(folder: Path, name: str) -> World:
    """Load the world of that name from beside a scenario file.

    Raises:
        InputError: it is not there, or is no world.
    """
    path = folder / f"{name}.py"
    if not name.isidentifier() or not os.path.lexists(path):
        raise InputError(f"there is no world {name!a} beside the scenarios", f"Write it in {name}.py there.")
    return World(name, read_text(path, path.name), path.name)
