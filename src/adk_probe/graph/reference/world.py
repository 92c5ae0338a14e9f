"""Worlds: the Python module beside a scenario file on which the graph's tools act.

A world has ``reset(**setup)``, which sets it up again, and ``snapshot()``, which returns its state as a JSON value.
Tools (``import``) and bodies may use its other functions. It is plain Python 3.9 and uses only the standard library,
because the reference runs it here and the generated project runs it in the target.
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
    """A loaded world.

    Args:
        name: the name by which tools import its module.
        source: its text.
        where: the file's name in messages.

    Raises:
        InputError: it cannot be run, or lacks ``reset`` or ``snapshot``.
    """

    def __init__(self, name: str, source: str, where: str) -> None:
        self.name = name
        self.source = source
        self.module = types.ModuleType(name)
        before = sys.modules.get(name)
        sys.modules[name] = self.module  # dataclasses look up their module
        try:
            exec(compile(source, where, "exec"), self.module.__dict__)  # noqa: S102
        except (Exception, SystemExit) as error:
            text = f"{where}: {type(error).__name__}: {error}"
            raise InputError(text, "Correct the file: a world must be Python that runs without an error.") from None
        finally:
            sys.modules.pop(name)
            if before is not None:
                sys.modules[name] = before
        for needed in ("reset", "snapshot"):
            if not callable(getattr(self.module, needed, None)):
                text = f"{where}: it has no function {needed}"
                raise InputError(text, "Add it: a world has reset(**setup) and snapshot().")

    def reset(self, setup: dict[str, Any]) -> None:
        """Set the world up again.

        Raises:
            InputError: ``reset`` raised for this setup.
        """
        try:
            self.module.reset(**setup)
        except Exception as error:
            text = f"the world {self.name} does not take {setup}: {type(error).__name__}: {error}"
            raise InputError(text, "Correct the scenario's world, or the function reset.") from None

    def snapshot(self) -> Any:
        """Return the world's state as a JSON value.

        Raises:
            InputError: ``snapshot`` raised, or did not return a JSON value.
        """
        try:
            return json.loads(json.dumps(self.module.snapshot(), allow_nan=False))
        except Exception as error:
            text = f"the world {self.name}: snapshot: {type(error).__name__}: {error}"
            raise InputError(text, "Let snapshot() return a JSON value.") from None

    def function(self, imported: str) -> Callable[..., Any] | None:
        """Return the function that an ``import`` (``module:callable``) names, or None if the module is not this world.

        Raises:
            InputError: the module is this world, but it has no such function.
        """
        module, _, name = imported.partition(":")
        if module != self.name:
            return None
        function = getattr(self.module, name, None)
        if not callable(function):
            text = f"the world {self.name} has no function {name}, which a tool imports"
            raise InputError(text, "Add the function, or change the tool's import.")
        return cast("Callable[..., Any]", function)


def load_world(folder: Path, name: str) -> World:
    """Load the world of that name from the folder of a scenario file.

    Raises:
        InputError: the file is missing, or is not a world.
    """
    path = folder / f"{name}.py"
    if not name.isidentifier() or not os.path.lexists(path):
        raise InputError(f"there is no world {name!a} beside the scenarios", f"Write it to {name}.py in that folder.")
    return World(name, read_text(path, path.name), path.name)
