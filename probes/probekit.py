"""What every probe shares: how it reports, and when its claim holds.

It uses only the standard library of Python 3.9 and later, and no engine. Under the harness, it writes JSON Lines to the
file that ``ADK_PROBE_OUT`` names: one ``hello``, any number of ``fact``, one ``done``. By hand, it prints one line.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import json
import os
import platform
import re
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator

PROTOCOL = 1
OUT_VARIABLE = "ADK_PROBE_OUT"


# Parts of an engine's messages that vary from run to run (addresses, generated ids) or that add nothing.
_VARYING = (
    (re.compile(r"0x[0-9a-fA-F]{6,}"), "0x..."),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"For further information visit https://errors\.pydantic\.dev/\S+"), ""),
)


def steady(text: str) -> str:
    """Return an engine's message on one line, at most 600 characters, without what varies from run to run."""
    for varying, stand_in in _VARYING:
        text = varying.sub(stand_in, text)
    return " ".join(text.split())[:600]


class Refuted(Exception):
    """The claim is false here. The message says what was observed instead."""


class Absent(Exception):
    """The engine lacks what the claim is about, so the claim does not apply."""


def read_header(path: str) -> dict[str, Any]:
    """Return the ``[tool.adk-probe]`` table of the PEP 723 block of a probe.

    It reads the subset that the catalog allows: ``key = value`` with values that are also valid JSON, including arrays
    over several lines. ``tomllib`` does not exist before Python 3.11.
    """
    table: dict[str, Any] = {}
    inside = pending = ""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line == "# ///":
            break
        text = line[2:].strip() if line.startswith("# ") else ""
        if text.startswith("[") and not pending:
            inside = text
        elif inside == "[tool.adk-probe]" and text:
            pending = f"{pending} {text}".strip()
            key, _, value = pending.partition("=")
            with contextlib.suppress(ValueError):
                table[key.strip()] = json.loads(value.replace(", ]", "]").replace(",]", "]"))
                pending = ""
    return table


class Claim:
    """Collects what a probe observes. The probe's function receives it."""

    def __init__(self, path: str) -> None:
        self.header = read_header(path)
        self.path = path
        self.message = ""
        self.facts: dict[str, Any] = {}
        self.warnings: list[dict[str, str]] = []
        self._out = os.environ.get(OUT_VARIABLE)

    def send(self, record: dict[str, Any]) -> None:
        """Append one record for the harness immediately, so that a killed probe loses no earlier record."""
        if self._out:
            with Path(self._out).open("a", encoding="utf-8") as out:
                out.write(json.dumps(record, default=repr, sort_keys=True) + "\n")

    def fact(self, name: str, value: Any) -> None:
        """Record an observation that does not vary from run to run; any JSON value."""
        self.facts[name] = value
        self.send({"type": "fact", "name": name, "value": value, "measured": False})

    def measure(self, name: str, value: Any) -> None:
        """Record an observation that varies from run to run, such as a time. Put its unit in the name."""
        self.facts[name] = value
        self.send({"type": "fact", "name": name, "value": value, "measured": True})

    def note(self, message: str) -> None:
        """Set the sentence that is shown if the claim holds."""
        self.message = message

    def equal(self, what: str, seen: Any, expected: Any) -> None:
        """Refute the claim unless ``seen == expected``."""
        if seen != expected:
            raise Refuted(f"{what}: expected {expected!r}, saw {seen!r}")

    def true(self, condition: object, otherwise: str) -> None:
        """Refute the claim with the message ``otherwise`` unless the condition holds."""
        if not condition:
            raise Refuted(otherwise)

    @contextlib.contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        """Mark a block in which an exception is the engine's answer and refutes the claim.

        Outside of such a block, an exception counts as a fault of the probe and is reported as a crash.
        """
        try:
            yield
        except (Refuted, Absent, MemoryError):
            raise
        except Exception as error:
            raise Refuted(f"{what} raised {type(error).__name__}: {steady(str(error))}") from error

    def require(self) -> None:
        """Raise Absent unless every symbol of the header's ``needs`` (``module:name``) exists."""
        for need in self.header.get("needs", []):
            module, _, name = need.partition(":")
            try:
                found = importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name and (module == error.name or module.startswith(error.name + ".")):
                    raise Absent(f"{self._engine()} has no module {module}") from error
                raise
            if name and not hasattr(found, name):
                raise Absent(f"{self._engine()} has no {module}.{name}")

    def _engine(self) -> str:
        name = str(self.header.get("engine", ""))
        try:
            return f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            return name

    def heard(self, seen: list[warnings.WarningMessage]) -> None:
        """Keep the distinct warnings of a run, each with its origin: the probe's own lines or other code."""
        here = str(Path(self.path).resolve().parent)
        rows = set()
        for item in seen:
            origin = "probe" if str(Path(item.filename).resolve()).startswith(here) else "other"
            rows.add((item.category.__name__, steady(str(item.message)), origin))
        self.warnings = [dict(zip(("category", "message", "origin"), row)) for row in sorted(rows)]


def _judge(claim: Claim, function: Callable[[Claim], Any]) -> dict[str, Any]:
    """Run the probe's function and return the closing record."""
    try:
        claim.require()
        function(claim)
    except Refuted as error:
        return {"outcome": "fail", "message": str(error)}
    except Absent as error:
        return {"outcome": "absent", "message": str(error)}
    except MemoryError:
        return {"outcome": "error", "kind": "memory", "message": "ran out of its memory limit"}
    except ImportError as error:
        return {"outcome": "error", "kind": "import", "message": f"{type(error).__name__}: {error}"}
    return {"outcome": "pass", "message": claim.message}


def run(path: str, function: Callable[[Claim], Any]) -> None:
    """Check one claim: call ``function(claim)`` and report. ``path`` is the probe's ``__file__``.

    The claim holds if the function returns, and is false if it raises Refuted. Raises SystemExit: with status 0 under
    the harness; by hand with status 0 if the claim holds, else 1.
    """
    claim = Claim(path)
    claim.send({"type": "hello", "protocol": PROTOCOL, "id": claim.header["id"]})
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        done = _judge(claim, function)
        claim.heard(list(seen))
    claim.send({"type": "done", "warnings": claim.warnings, **done})
    if os.environ.get(OUT_VARIABLE):
        raise SystemExit(0)
    name = done["outcome"].upper() + (f" ({done['kind']})" if "kind" in done else "")
    where = f"{claim._engine()}, Python {platform.python_version()}"
    print(f"{name} {claim.header['id']} on {where}: {done['message'] or claim.header['claim']}")
    raise SystemExit(0 if done["outcome"] == "pass" else 1)


if __name__ == "__main__":
    sys.exit("probekit is a helper of the probes; run one of the probes beside it instead")
