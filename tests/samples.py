"""Small values that the tests of pure modules share."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec

from adk_probe.evidence.inputs import code_inputs, environment_inputs
from adk_probe.evidence.store import seal
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
    Probe,
    Release,
    Target,
    TargetResult,
)
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Engine, Group, Mechanism, Suite, Waiver
from adk_probe.project.releases import Releases

PROBES = ("a", "b", "c")
TODAY = datetime.date(2026, 1, 15)
ENVIRONMENT = Environment("3.12.1", "CPython", "main", "linux-x86_64", ("one==1.0",))


def probe(name: str, engine: str = "one", **more: Any) -> Probe:
    """Return a probe."""
    return Probe(name, f"{name} holds", engine, f"probes/{engine}/{name}.py", **more)


CONTROLS = (
    Probe(CONTROL_PASS, "passes", "any", "probes/controls/control-pass.py"),
    Probe(CONTROL_FAIL, "fails", "any", "probes/controls/control-fail.py"),
)


def catalog(**sums: str) -> Catalog:
    """Return a catalog of three probes; ``sums`` replaces the digest of a probe's file, or ``kit`` the kit's."""
    probes = {name: probe(name) for name in PROBES}
    every = {each.file: sums.get(each.id, f"sum of {each.id}") for each in (*probes.values(), *CONTROLS)}
    return Catalog({"one": probes}, CONTROLS, dict.fromkeys(every, sums.get("kit", "sum of kit")), every)


def config(waivers: tuple[Waiver, ...] = (), **mechanisms: tuple[str, ...]) -> Config:
    """Return a matrix with one engine; ``mechanisms`` gives what each requires, in order of preference."""
    return Config(
        {"one": Engine("one", "one", "probes/one")},
        {"quick": Suite("a few", (Group("one", ("1.0", "2.0"), ("3.11", "3.12"), (Lane.AS_RELEASED, Lane.TODAY)),))},
        {
            name: Mechanism("one", f"{name} it is", requires)
            for name, requires in (mechanisms or {"loop": ("a", "b")}).items()
        },
        waivers=waivers,
    )


def target(release: str = "1.0", python: str = "3.12", lane: Lane = Lane.TODAY) -> Target:
    """Return a target of the engine."""
    return Target("one", release, python, lane)


def observation(
    name: str,
    outcome: Outcome = Outcome.PASS,
    deprecated: bool = False,
    kind: Kind | None = None,
    known: Catalog | None = None,
) -> Observation:
    """Return what a run with this catalog would have seen."""
    known = known or catalog()
    asked = next((each for each in known.controls if each.id == name), None) or known.probes["one"][name]
    return Observation(
        name,
        outcome,
        f"{name} said",
        kind,
        warnings=(CapturedWarning("DeprecationWarning", "gone soon", "probe"),) if deprecated else (),
        inputs={**code_inputs(known, asked), **environment_inputs(ENVIRONMENT)},
    )


def environment(at: Target) -> Environment:
    """Return an environment in which a target's evidence could have been made."""
    return msgspec.structs.replace(ENVIRONMENT, python=f"{at.python}.1", pins=(f"one=={at.release}",))


def result(
    at: Target,
    *cells: Observation,
    fault: Fault | None = None,
    controls: tuple[Outcome, Outcome] | None = None,
    resolved: datetime.date = TODAY,
) -> TargetResult:
    """Return the evidence of a target, its cells observed in the target's own environment."""
    first, second = controls or (Outcome.PASS, Outcome.FAIL)
    seen = (observation(CONTROL_PASS, first), observation(CONTROL_FAIL, second))
    own = environment_inputs(environment(at))
    moved = tuple(msgspec.structs.replace(cell, inputs={**cell.inputs, **own}) for cell in cells)
    made = TargetResult(RESULT_SCHEMA, at, environment(at), fault, () if fault else seen, moved)
    return seal(msgspec.structs.replace(made, resolved=resolved.isoformat()))


def releases(*versions: str) -> Releases:
    """Return releases of the engine."""
    rows = tuple(Release(version, "2024-01-01T00:00:00Z") for version in versions or ("1.0", "1.1", "2.0"))
    return Releases(RELEASES_SCHEMA, {"one": rows})
