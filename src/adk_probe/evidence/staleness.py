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
TROUBLE = "it met trouble of ours"
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

    def all_because(reason: str) -> Why:
        return {probe.id: (reason,) for probe in probes}

    if result is None:
        return all_because("no evidence yet")
    surroundings = environment_inputs(environment) if environment is not None else {}
    if result.fault is not None:
        if result.fault.kind is Kind.INFRASTRUCTURE:
            return all_because(TROUBLE)
        if observed.get(WHOLE) != digest(result.fault):
            return all_because(ELSEWHERE)
        names = changed(result.fault, fault_inputs(catalog, environment))
        return dict.fromkeys((probe.id for probe in probes), names) if names else {}
    if not result.controlled:
        return all_because("the controls did not come out")
    seen = {cell.probe: cell for cell in result.cells}
    found: Why = {}
    for probe in probes:
        if probe.id not in seen:
            found[probe.id] = ("no evidence yet",)
        elif seen[probe.id].kind is Kind.INFRASTRUCTURE:
            found[probe.id] = (TROUBLE,)
        elif observed.get(probe.id) != digest(seen[probe.id]):
            found[probe.id] = (ELSEWHERE,)
        elif names_ := changed(seen[probe.id], {**code_inputs(catalog, probe), **surroundings}):
            found[probe.id] = names_
        elif too_few(probe, seen[probe.id].facts):
            found[probe.id] = (FEW,)
    return found
