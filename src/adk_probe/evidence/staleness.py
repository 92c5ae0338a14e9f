"""Which cells of a target must run again, and why; pure."""

from __future__ import annotations

from collections.abc import Mapping

from adk_probe.evidence.inputs import changed, code_inputs, environment_inputs, fault_inputs
from adk_probe.files import digest
from adk_probe.machine.state import WHOLE
from adk_probe.model import Environment, Kind, Probe, TargetResult
from adk_probe.project.catalog import Catalog
from adk_probe.project.fidelity_cells import too_few

Why = dict[str, tuple[str, ...]]
ELSEWHERE = "evidence not made on this machine"
INFRASTRUCTURE_ERROR = "it ended with an infrastructure error"
FEW = "fewer random models played than are asked for"


def why(
    catalog: Catalog,
    probes: tuple[Probe, ...],
    environment: Environment | None,
    result: TargetResult | None,
    observed: Mapping[str, str],
) -> Why:
    """Return for each probe that must run what changed since it last did.

    Args:
        environment: what the target resolves to now; None where it cannot be resolved.
        result: the evidence there is.
        observed: the SHA-256 of what was observed of the target on this machine, by probe, as ``Local.observed``
            has it: what another machine saw is not taken for this one's.
    """

    reason = _whole_target(catalog, environment, result, observed)
    if reason or result is None or result.fault is not None:
        return dict.fromkeys((probe.id for probe in probes), reason) if reason else {}
    surroundings = environment_inputs(environment) if environment is not None else {}
    seen = {cell.probe: cell for cell in result.cells}
    found: Why = {}
    for probe in probes:
        if probe.id not in seen:
            found[probe.id] = ("no evidence yet",)
        elif seen[probe.id].kind is Kind.INFRASTRUCTURE:
            found[probe.id] = (INFRASTRUCTURE_ERROR,)
        elif observed.get(probe.id) != digest(seen[probe.id]):
            found[probe.id] = (ELSEWHERE,)
        elif names := changed(seen[probe.id], {**code_inputs(catalog, probe), **surroundings}):
            found[probe.id] = names
        elif too_few(probe, seen[probe.id].facts):
            found[probe.id] = (FEW,)
    return found


def _whole_target(
    catalog: Catalog, environment: Environment | None, result: TargetResult | None, observed: Mapping[str, str]
) -> tuple[str, ...]:
    """Return why every probe of a target must run; empty where that depends on each."""
    if result is None:
        return ("no evidence yet",)
    if result.fault is None:
        return () if result.controlled else ("the controls did not have their expected outcomes",)
    if result.fault.kind is Kind.INFRASTRUCTURE:
        return (INFRASTRUCTURE_ERROR,)
    if observed.get(WHOLE) != digest(result.fault):
        return (ELSEWHERE,)
    return changed(result.fault, fault_inputs(catalog, environment))
