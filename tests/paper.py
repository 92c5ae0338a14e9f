"""A project folder whose evidence is written by tests: declared engines, releases and results, and nothing to run."""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adk_probe.cli import app
from adk_probe.evidence import store
from adk_probe.evidence.inputs import code_inputs, environment_inputs
from adk_probe.evidence.layout import to_document
from adk_probe.files import to_json, to_readable_json
from adk_probe.model import (
    CONTROL_FAIL,
    CONTROL_PASS,
    RELEASES_SCHEMA,
    RESULT_SCHEMA,
    CapturedWarning,
    Environment,
    Fault,
    Kind,
    Lane,
    Observation,
    Outcome,
    Release,
    Target,
    TargetResult,
)
from adk_probe.project.folder import Project, open_project

MATRIX = """
[settings]
default-engine = "one"
max-age = 90
pythons = ["3.10", "3.11", "3.12"]

[engines.one]
distribution = "Dist-One"
import = "one"
probes = "probes/one"

[engines.other]
distribution = "other"
import = "other"
probes = "probes/other"

[suites.quick]
description = "a few"
targets = [{ engine = "one", releases = ["newest"], pythons = ["3.11", "3.12"] }]

[features.guarded]
of = "host"
sentence = "with guards"

[features.unheard-of]
of = "host"
sentence = "that no mechanism knows"
requires.one = ["a"]

[mechanisms.loop]
engine = "one"
sentence = "the loop"
requires = ["a", "b"]

[mechanisms.flow]
engine = "one"
sentence = "the flow"
requires = ["a", "c"]
requires-for.guarded = ["b"]

[mechanisms.elsewhere]
engine = "other"
sentence = "of another engine"
requires = ["d"]
"""
HEADER = """# /// script
# [tool.adk-probe]
# id = "{id}"
# claim = "{id} holds"
# engine = "{engine}"
# ///
"""
PROBES = {"one": ("a", "b", "c"), "other": ("d",)}
RELEASES = {
    "one": (
        Release("1.0", "2024-01-01T00:00:00Z", ">=3.10"),
        Release("1.1", "2024-02-01T00:00:00Z", ">=3.10"),
        Release("1.2", "2024-03-01T00:00:00Z", ">=3.10", yanked=True),
        Release("2.0b1", "2024-04-01T00:00:00Z", ">=3.11"),
        Release("2.0", "2024-05-01T00:00:00Z", ">=3.11"),
    ),
    "other": (Release("1.0", "2024-01-01T00:00:00Z"),),
}
SCENARIO = "fidelity/g/flow/s"
"""The scenario of a project in which ``flow`` has one."""
PROJECT, JOB = "1" * 64, "2" * 64
DISTRIBUTIONS = {"one": "dist-one", "other": "other"}


def today() -> str:
    """Return the day (UTC)."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def make(root: Path) -> Path:
    """Write the project below ``root``; return ``root``."""
    for folder, names in {**PROBES, "controls": (CONTROL_PASS, CONTROL_FAIL)}.items():
        (root / "probes" / folder).mkdir(parents=True, exist_ok=True)
        for name in names:
            text = HEADER.format(id=name, engine=folder)
            (root / "probes" / folder / f"{name}.py").write_text(text, encoding="utf-8")
    (root / "matrix.toml").write_text(MATRIX, encoding="utf-8")
    (root / "reports").mkdir(exist_ok=True)
    known = {"schema": RELEASES_SCHEMA, "engines": RELEASES, "asked": today()}
    (root / "reports" / "releases.json").write_bytes(to_json(known))
    return root


def played(root: Path) -> Path:
    """Write the project below ``root``, in which one mechanism has a scenario that is to be played."""
    make(root)
    path = root / "matrix.toml"
    table = 'probes = "probes/one"\n'
    path.write_text(
        path.read_text(encoding="utf-8").replace(table, f'{table}fidelity = "probes/play.py"\n', 1), "utf-8"
    )
    (root / "probes/play.py").write_text("", encoding="utf-8")
    (root / "generated").mkdir()
    graph = {"source": "", "name": "g", "projects": {"flow": PROJECT}, "jobs": {"s": JOB}}
    lock = {"schema": "adk-probe.generated-lock/1", "generator": "", "mechanisms": {}, "graphs": {"g": graph}}
    (root / "generated/generated.lock.json").write_text(json.dumps(lock), encoding="utf-8")
    return root


def target(release: str = "2.0", python: str = "3.12", lane: Lane = Lane.TODAY, engine: str = "one") -> Target:
    """Return a target."""
    return Target(engine, release, python, lane)


def result(
    project: Project,
    at: Target,
    outcomes: dict[str, Outcome] | None = None,
    *,
    deprecated: frozenset[str] = frozenset(),
    resolved: str | None = None,
    fault: Kind | None = None,
    controls: tuple[Outcome, Outcome] = (Outcome.PASS, Outcome.FAIL),
) -> TargetResult:
    """Return what a run of a target's probes would have kept; by default every probe passes, today."""
    environment = Environment(
        f"{at.python}.1", "CPython", "main", "linux", (f"{DISTRIBUTIONS[at.engine]}=={at.release}",)
    )
    catalog = project.catalog

    def seen(probe: Any, outcome: Outcome) -> Observation:
        return Observation(
            probe.id,
            outcome,
            f"{probe.id} said",
            Kind.CRASH if outcome is Outcome.ERROR else None,
            warnings=(CapturedWarning("DeprecationWarning", "gone soon", "probe"),) if probe.id in deprecated else (),
            inputs={**code_inputs(catalog, probe), **environment_inputs(environment)},
        )

    wanted = dict.fromkeys(PROBES[at.engine], Outcome.PASS) if outcomes is None else outcomes
    day = resolved if resolved is not None else datetime.datetime.now(datetime.UTC).date().isoformat()
    return TargetResult(
        RESULT_SCHEMA,
        at,
        environment,
        Fault(Outcome.ERROR, "no", fault) if fault else None,
        () if fault else tuple(seen(*each) for each in zip(catalog.controls, controls, strict=True)),
        () if fault else tuple(seen(catalog.probes[at.engine][name], each) for name, each in sorted(wanted.items())),
        resolved=day,
    )


def keep(root: Path, at: Target, *outcomes: Any, project: Project | None = None, **more: Any) -> Path:
    """Write a target's evidence; return its file. Takes what :func:`result` takes."""
    store.save(root, result(project or open_project(root), at, *outcomes, **more))
    return root / store.path_of(at.key)


def reseal(path: Path, **changes: Any) -> None:
    """Change evidence and give it the digest that fits: only what it says can tell that something is wrong."""
    found = store.read(path)
    assert isinstance(found, TargetResult)
    path.write_bytes(to_readable_json(to_document(store.seal(msgspec.structs.replace(found, **changes)))))


class Call(msgspec.Struct, frozen=True):
    """What a command came to."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return the document that it put out."""
        return msgspec.json.decode(self.out)


def call(root: Path, capture: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> Call:
    """Run a command of ``adk-probe`` in a project, in this process."""
    monkeypatch.setattr(sys, "argv", ["adk-probe", "--root", str(root), *words])
    monkeypatch.setenv("ADK_PROBE_HOME", str(root / "state"))
    code = app.main()
    shown = capture.readouterr()
    return Call(code, shown.out, shown.err)
