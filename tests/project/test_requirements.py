"""What a mechanism must have proven, alone and for a feature, and what that makes of observations."""

from __future__ import annotations

import msgspec
import pytest
import samples
from samples import TODAY, observation, result, target

from adk_probe.evidence.judge import Evidence, Judged, judge
from adk_probe.model import Outcome, Verdict
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Feature
from adk_probe.project.requirements import requirements

PASS, FAIL, ABSENT = Outcome.PASS, Outcome.FAIL, Outcome.ABSENT
SCENARIOS = {"plain": (), "guarded": ("guards",), "other": ("other",)}


def catalog(*scenarios: str) -> Catalog:
    """Return a catalog in which the mechanism `loop` has a scenario of each of these graphs."""
    known = samples.catalog()
    cells = {
        f"fidelity/{graph}/loop/one": samples.probe(
            f"fidelity/{graph}/loop/one", mechanism="loop", graph=graph, features=SCENARIOS[graph]
        )
        for graph in scenarios
    }
    files = {cell.file: f"sum of {cell.id}" for cell in cells.values()}
    return msgspec.structs.replace(
        known,
        probes={"one": {**known.probes["one"], **cells}},
        kits={**known.kits, **files},
        bytes={**known.bytes, **files},
    )


def matrix(of: str = "graph", **requires: tuple[str, ...]) -> Config:
    """Return a matrix of which the mechanism `loop` requires `a`, and for the feature `guards` what is given."""
    declared = samples.config(loop=("a",))
    loop = msgspec.structs.replace(declared.mechanisms["loop"], requires_for=requires)
    features = {"guards": Feature("it guards", of, {"one": ("c",)})}  # type: ignore[arg-type]
    return msgspec.structs.replace(declared, mechanisms={"loop": loop}, features=features)


def rows(known: Catalog, declared: Config, **outcomes: Outcome) -> dict[str, Judged]:
    """Return the verdicts by row; a scenario's outcome is given by its graph's name."""
    names = {name if name in samples.PROBES else f"fidelity/{name}/loop/one": each for name, each in outcomes.items()}
    seen = [observation(name, each, known=known) for name, each in names.items()]
    at = target()
    found = judge(declared, known, (), Evidence({at.key: result(at, *seen)}), TODAY, None)
    return {row.name: row for row in found.mechanisms}


def test_graphs_without_features_count_for_the_mechanism_and_those_with_one_for_both() -> None:
    alone, guarded = requirements(matrix(guards=("b",)), catalog("plain", "guarded", "other"))
    assert (alone.name, alone.claims, alone.scenarios) == ("loop", ("a",), ("fidelity/plain/loop/one",))
    assert (guarded.name, guarded.claims) == ("loop+guards", ("a", "b", "c"))
    assert guarded.scenarios == ("fidelity/plain/loop/one", "fidelity/guarded/loop/one")


def test_a_mechanism_has_a_row_only_for_features_of_which_it_knows_something() -> None:
    assert [each.name for each in requirements(matrix(), catalog("plain"))] == ["loop"]
    assert [each.name for each in requirements(matrix(), catalog("guarded"))] == ["loop", "loop+guards"]
    assert [each.name for each in requirements(matrix(guards=()), catalog())] == ["loop", "loop+guards"]


@pytest.mark.parametrize(
    ("plain", "guarded", "alone", "both"),
    [
        (PASS, PASS, Verdict.ALLOWED, Verdict.ALLOWED),
        (PASS, FAIL, Verdict.ALLOWED, Verdict.DENIED),
        (FAIL, PASS, Verdict.DENIED, Verdict.DENIED),
        (PASS, ABSENT, Verdict.ALLOWED, Verdict.UNPROVEN),
        (ABSENT, PASS, Verdict.UNPROVEN, Verdict.ALLOWED),
        (ABSENT, ABSENT, Verdict.UNPROVEN, Verdict.UNPROVEN),
    ],
)
def test_scenarios_that_all_do_not_apply_prove_nothing(
    plain: Outcome, guarded: Outcome, alone: Verdict, both: Verdict
) -> None:
    found = rows(catalog("plain", "guarded"), matrix(), a=PASS, b=PASS, c=PASS, plain=plain, guarded=guarded)
    assert (found["loop"].verdict, found["loop+guards"].verdict) == (alone, both)


def test_a_mechanism_whose_graphs_all_have_a_feature_is_not_proven_without_it() -> None:
    found = rows(catalog("guarded"), matrix(), a=PASS, b=PASS, c=PASS, guarded=PASS)
    assert (found["loop"].verdict, found["loop+guards"].verdict) == (Verdict.UNPROVEN, Verdict.ALLOWED)
    assert "none of the scenarios that decide on loop applies here" in found["loop"].reasons[0]


def test_what_a_host_asks_for_needs_no_graph_of_its_own() -> None:
    declared = matrix(of="host", guards=("b",))
    for outcomes, verdict in (
        ({"b": PASS, "c": PASS}, Verdict.ALLOWED),
        ({"b": PASS, "c": FAIL}, Verdict.DENIED),
        ({"b": FAIL, "c": PASS}, Verdict.DENIED),
    ):
        found = rows(catalog("plain"), declared, a=PASS, plain=PASS, **outcomes)
        assert (found["loop"].verdict, found["loop+guards"].verdict) == (Verdict.ALLOWED, verdict)
