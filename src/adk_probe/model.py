"""Frozen value types and enums that every other module speaks in; no I/O."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

RESULT_SCHEMA = "adk-probe.result/2"
MATRIX_SCHEMA = "adk-probe.matrix/1"
RELEASES_SCHEMA = "adk-probe.releases/1"
LOCK_SCHEMA = "adk-probe.gate/1"

CONTROL_PASS = "control-pass"
CONTROL_FAIL = "control-fail"
TARGET_KEY = re.compile(r"(?P<engine>.+)-(?P<release>[^-]+)-py(?P<python>3\.\d+)-(?P<lane>as-released|today)")


class Lane(StrEnum):
    """How the dependencies of a release are resolved."""

    AS_RELEASED = "as-released"
    TODAY = "today"


class Outcome(StrEnum):
    """What running a cell showed."""

    PASS = "pass"
    FAIL = "fail"
    ABSENT = "absent"
    ERROR = "error"
    UNSUPPORTED = "unsupported"
    UNAVAILABLE = "unavailable"


class Kind(StrEnum):
    """What sort of error kept a cell from an answer."""

    RESOLVE = "resolve"
    INSTALL = "install"
    IMPORT = "import"
    CRASH = "crash"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    PROTOCOL = "protocol"
    INFRASTRUCTURE = "infrastructure"


class Verdict(StrEnum):
    """What the judge makes of a mechanism on a target, from best to worst."""

    ALLOWED = "allowed"
    DEPRECATED = "deprecated"
    UNPROVEN = "unproven"
    DENIED = "denied"


VERDICT_RANK = (Verdict.ALLOWED, Verdict.DEPRECATED, Verdict.UNPROVEN, Verdict.DENIED)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict that decides where all of them must hold: a clear no before a doubt, a doubt before a warning.

    Raises:
        ValueError: there are none.
    """
    return max(verdicts, key=VERDICT_RANK.index)


def best(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict that decides where any of them will do: a yes before a doubt, a doubt before the noes.

    Raises:
        ValueError: there are none.
    """
    return min(verdicts, key=(Verdict.ALLOWED, Verdict.UNPROVEN, Verdict.DEPRECATED, Verdict.DENIED).index)


class Target(msgspec.Struct, frozen=True):
    """One isolated environment: engine, release, Python (``3.12``) and lane."""

    engine: str
    release: str
    python: str
    lane: Lane

    @property
    def key(self) -> str:
        """The name of the target in file names; unique and stable."""
        return f"{self.engine}-{self.release}-py{self.python}-{self.lane}"

    @classmethod
    def parse(cls, key: str) -> Target | None:
        """Return the target whose :attr:`key` this is, or None where it is the key of none."""
        match = TARGET_KEY.fullmatch(key)
        if match is None:
            return None
        try:
            Version(match["release"])
        except InvalidVersion:
            return None
        return cls(match["engine"], match["release"], match["python"], Lane(match["lane"]))

    @property
    def label(self) -> str:
        """The name of the target for people."""
        return f"{self.engine} {self.release}, Python {self.python}, {self.lane}"

    @property
    def order(self) -> tuple[str, Version, tuple[int, ...], str]:
        """Sort key: engine, then release and Python by version, then lane."""
        return self.engine, Version(self.release), python_order(self.python), self.lane

    @property
    def command(self) -> str:
        """The options of ``adk-probe run`` that choose only this target."""
        return f"--engine {self.engine} --release {self.release} --python {self.python} --lane {self.lane}"


def python_order(python: str) -> tuple[int, ...]:
    """Return a Python like ``3.12`` as numbers to sort by."""
    return tuple(int(part) for part in python.split("."))


class CapturedWarning(msgspec.Struct, frozen=True):
    """A warning that a probe caught; origin ``probe`` when it was about the probe's own lines, else ``other``."""

    category: str
    message: str
    origin: str

    @property
    def deprecates(self) -> bool:
        """Whether the engine warned the caller that what it used is deprecated."""
        return self.origin == "probe" and self.category in ("DeprecationWarning", "FutureWarning")


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a target could not be made or asked; every cell of it shares the fault.

    Attributes:
        inputs: SHA-256 of each thing the fault depends on, by name, as an observation has it.
    """

    outcome: Outcome
    message: str
    kind: Kind | None = None
    inputs: dict[str, str] = {}


class Observation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What running one cell showed.

    Attributes:
        inputs: the first digits of the SHA-256 of each thing the observation depends on, by name.
    """

    probe: str
    outcome: Outcome
    message: str = ""
    kind: Kind | None = None
    facts: dict[str, Any] = {}
    warnings: tuple[CapturedWarning, ...] = ()
    inputs: dict[str, str] = {}

    @property
    def deprecations(self) -> tuple[str, ...]:
        """The distinct messages by which the engine deprecated what the probe used."""
        return tuple(sorted({warning.message for warning in self.warnings if warning.deprecates}))


class Interpreter(msgspec.Struct, frozen=True):
    """A Python found on this machine; ``path`` never leaves it."""

    path: str
    version: str
    implementation: str
    build: str
    platform: str

    @property
    def python(self) -> str:
        """Major and minor version, as targets name it."""
        return ".".join(self.version.split(".")[:2])


class Environment(msgspec.Struct, frozen=True):
    """What an observation was made in: the digested part of an environment."""

    python: str
    implementation: str
    build: str
    platform: str
    pins: tuple[str, ...]


class Measured(msgspec.Struct, frozen=True, omit_defaults=True):
    """What varies from run to run in one cell: seconds of wall time and the probe's own measures."""

    seconds: float = 0.0
    facts: dict[str, Any] = {}


class RunRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What varies from run to run in one target; never digested.

    Attributes:
        when: UTC date and time of the run's end, ISO 8601.
        seconds: wall time of ``resolve``, ``install``, ``import`` and ``probes``.
        size_bytes: sum of the sizes of the environment's files, before bytecode.
        modules: modules in memory once the engine was imported.
        network: how the network was kept away (``namespace`` or ``audit-hook``).
    """

    when: str = ""
    seconds: dict[str, float] = {}
    size_bytes: int = 0
    modules: int = 0
    network: str = ""
    cells: dict[str, Measured] = {}


class TargetResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The evidence of one target, one file under ``reports/results``.

    Attributes:
        resolved: the day (UTC, ISO 8601) on which the index last gave these pins; the age of the evidence counts
            from it, so it is under the digest.
    """

    schema: str
    target: Target
    environment: Environment | None = None
    fault: Fault | None = None
    controls: tuple[Observation, ...] = ()
    cells: tuple[Observation, ...] = ()
    run: RunRecord = RunRecord()
    resolved: str = ""
    digest: str = ""

    @property
    def controlled(self) -> bool:
        """Whether both controls had the expected outcome; without that, no cell counts."""
        seen = {control.probe: control.outcome for control in self.controls}
        return seen == {CONTROL_PASS: Outcome.PASS, CONTROL_FAIL: Outcome.FAIL}


class Release(msgspec.Struct, frozen=True, omit_defaults=True):
    """One version of an engine on the package index; ``uploaded`` is UTC, ISO 8601."""

    version: str
    uploaded: str
    requires_python: str = ""
    yanked: bool = False

    @property
    def final(self) -> bool:
        """Whether a user would be given this release without asking for it by name."""
        parsed = Version(self.version)
        return not (self.yanked or parsed.is_prerelease or parsed.is_devrelease)

    def admits(self, python: str) -> bool:
        """Whether the release's own metadata lets it be installed on a patch release of a Python (``3.12``)."""
        allowed = SpecifierSet(self.requires_python)
        # the last patch release that there could be: metadata like >=3.9.2 does not rule 3.9 out
        return any(allowed.contains(f"{python}.{patch}") for patch in (0, 99))


def is_day(text: str) -> bool:
    """Whether a text is a day as this project writes it, ``YYYY-MM-DD``."""
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


class Probe(msgspec.Struct, frozen=True):
    """A probe as its header describes it; ``file`` is relative to the project's folder.

    Attributes:
        timeout: seconds of wall time a cell may take.
        memory: MiB that a cell may take on top of the warm interpreter.
        arguments: what the file is called with; ``{root}`` stands for the project's folder, ``{generated}`` for that of
            the projects and jobs that are built on this machine.
        inputs: SHA-256 of what it reads beside its own file and the kit, by name.
        mechanism: of a fidelity cell the mechanism that made its project; empty for a claim.
        graph: of a fidelity cell the graph that the project was made from.
        features: of a fidelity cell the features of that graph.
        family: cells of one script that share a family are forked from one process that has loaded what they share;
            empty where a cell shares nothing.
        examples: how many random models play, at most; None stands for as many as the job asks for.
    """

    id: str
    claim: str
    engine: str
    file: str
    needs: tuple[str, ...] = ()
    timeout: float = 30.0
    memory: int = 2048
    isolated: bool = False
    arguments: tuple[str, ...] = ()
    inputs: dict[str, str] = {}
    mechanism: str = ""
    graph: str = ""
    features: tuple[str, ...] = ()
    family: str = ""
    examples: int | None = None
