"""The tree of errors; each class owns the exit code that the command ends with.

ProbeError
├── GateError           1   the gate says no
├── InputError          2   a file, an option or a release that the user gave is wrong
├── EvidenceError       3   evidence is missing, broken or incomplete
└── InfrastructureError 3   the machine or the index failed us (a full disk, a dead index)
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Self


class ProbeError(Exception):
    """A failure with one clear message.

    Args:
        message: what is wrong, naming the file and the place.
        hint: what to do about it, a sentence; empty when nothing helps.
        faults: everything that was found, not only the first; empty where the message says it all.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, hint: str = "", faults: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.faults = faults

    def of(self, name: str) -> Self:
        """Return the error with ``name`` in front of its message, unless the message names it already."""
        if name not in self.message:
            self.message = f"{name}: {self.message}"
        return self

    def __str__(self) -> str:
        hint = [f"  {self.hint}"] if self.hint else []
        return "\n".join([self.message, *(f"  - {fault}" for fault in self.faults), *hint])


class GateError(ProbeError):
    """The gate says no: a verdict changed, or no mechanism is allowed."""

    exit_code = 1


class InputError(ProbeError):
    """The user's input is wrong."""

    exit_code = 2


class Faults:
    """Collects what is wrong with an input, so that one look shows all there is to fix."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, line: str) -> None:
        """Add a fault; the line names its place."""
        self._lines.append(line)

    def extend(self, lines: Iterable[str]) -> None:
        """Add several faults."""
        self._lines.extend(lines)

    def refuse(self, subject: str, hint: str) -> None:
        """Refuse the input if there is a fault; one that was found twice is named once.

        Args:
            subject: what is wrong, such as a file's name.

        Raises:
            InputError: with every fault.
        """
        if self._lines:
            found = tuple(dict.fromkeys(self._lines))
            raise InputError(f"{subject}: {len(found)} fault(s)", hint, found)


class EvidenceError(ProbeError):
    """Evidence that is needed is missing, unreadable or incomplete."""

    exit_code = 3


class InfrastructureError(ProbeError):
    """The machine, the disk or the package index failed; says nothing about an engine."""

    exit_code = 3


OURS = "That is a mistake in adk-probe; please report it."


def own_fault(what: str, error: Exception) -> InfrastructureError:
    """Return the error for an exception that can only be a mistake in adk-probe.

    Args:
        what: what could not be made, such as a report's path.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    words = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    hint = f"{OURS} The evidence and all else that was made is kept."
    return InfrastructureError(f"{what}: cannot be made: {words}{place}", hint)
