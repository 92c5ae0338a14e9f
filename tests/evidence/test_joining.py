"""Evidence of several machines is joined in any order to the same whole, and what contradicts itself is refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import msgspec
import paper
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper import Call, keep, target

from adk_probe.errors import EvidenceError
from adk_probe.evidence import joining, store
from adk_probe.model import (
    Environment,
    Fault,
    Kind,
    Lane,
    Measured,
    Observation,
    Outcome,
    RunRecord,
    Target,
    TargetResult,
)

Ask = Callable[..., Call]
ENVIRONMENT = Environment("3.12.1", "CPython", "main", "linux", ("one==1.0",))


def result(release: str, probes: tuple[str, ...], day: int, when: str) -> TargetResult:
    cells = tuple(
        Observation(probe, Outcome.PASS, f"{probe} said", inputs={"probe": probe}) for probe in sorted(probes)
    )
    run = RunRecord(when, cells={probe: Measured(0.5) for probe in probes})
    at = Target("one", release, "3.12", Lane.TODAY)
    return TargetResult("s", at, ENVIRONMENT, None, (), cells, run, f"2026-01-0{day}")


parts = st.builds(
    result,
    st.sampled_from(["1.0", "1.1"]),
    st.lists(st.sampled_from("abcd"), unique=True).map(tuple),
    st.integers(1, 5),
    st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]),
)
sets = st.lists(parts, max_size=3).map(lambda found: {each.target.key: each for each in found})


@given(sets, sets, sets)
def test_order_and_repetition_mean_nothing(one: dict, two: dict, three: dict) -> None:  # type: ignore[type-arg]
    whole = joining.join([one, two, three])
    assert joining.join([joining.join([one, two]), three]) == whole
    assert joining.join([one, joining.join([two, three])]) == whole
    assert joining.join([whole, whole]) == whole
    for order in itertools.permutations([one, two, three]):
        assert joining.join(order) == whole
    for each in (one, two, three):
        for key, part in each.items():
            assert {cell.probe for cell in part.cells} <= {cell.probe for cell in whole[key].cells}


def changed(what: str) -> TargetResult:
    one = result("1.0", ("a", "b"), 1, "")
    (first, second) = one.cells
    match what:
        case "outcome":
            return msgspec.structs.replace(one, cells=(first, msgspec.structs.replace(second, outcome=Outcome.FAIL)))
        case "files":
            return msgspec.structs.replace(one, cells=(first, msgspec.structs.replace(second, inputs={"probe": "x"})))
        case "pins":
            return msgspec.structs.replace(
                one, environment=msgspec.structs.replace(ENVIRONMENT, pins=("one==1.0", "x==1"))
            )
        case "controls":
            return msgspec.structs.replace(one, controls=(first,))
    fault = Fault(Outcome.ERROR, "no", Kind.IMPORT)
    return msgspec.structs.replace(one, fault=fault, cells=())


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("outcome", "b: pass (b said) and fail (b said)"),
        ("files", "b: was made from other files"),
        ("pins", "was made in two environments"),
        ("controls", "its controls came out in two ways"),
        ("fault", "could be asked on one machine and not on the other"),
    ],
)
def test_a_contradiction_is_named_whatever_the_order(what: str, told: str) -> None:
    one, other = result("1.0", ("a", "b"), 1, ""), changed(what)
    for pair in ((one, other), (other, one)):
        with pytest.raises(EvidenceError, match="contradicts itself in 1 place") as caught:
            joining.join([{each.target.key: each} for each in pair])
        assert caught.value.faults[0].startswith("one-1.0-py3.12-today: ")
        if pair[0] is one:
            assert told in caught.value.faults[0]


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    root = paper.make(tmp_path / "whole")
    return lambda *words: paper.call(root, capsys, monkeypatch, *words)


def test_shards_give_the_bytes_of_one_machine(tmp_path: Path, ask: Ask) -> None:
    alone = paper.make(tmp_path / "alone")
    for number, release in enumerate(("1.0", "1.1", "2.0")):
        keep(alone, target(release))
        keep(paper.make(tmp_path / f"shard{number % 2}"), target(release))
    folders = [str(tmp_path / name) for name in ("shard0", "shard1", "shard0")]
    assert ask("merge", *folders).code == 0
    whole = tmp_path / "whole" / store.FOLDER
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == {
        path.name: path.read_bytes() for path in (alone / store.FOLDER).iterdir()
    }
    assert ask("allowed", "--release", "2.0", "--python", "3.12").code == 0


def test_nothing_is_written_where_shards_contradict_each_other_or_are_damaged(tmp_path: Path, ask: Ask) -> None:
    one, two = (paper.make(tmp_path / name) for name in ("shard0", "shard1"))
    keep(one, target())
    path = keep(two, target(), {"a": Outcome.FAIL, "b": Outcome.PASS, "c": Outcome.PASS})
    answer = ask("merge", str(one), str(two))
    assert (answer.code, "a: pass (a said) and fail (a said)" in answer.err) == (3, True)
    path.write_text("{", encoding="utf-8")
    assert ask("merge", str(one), str(two)).code == 3
    assert ask("merge", str(one), str(tmp_path / "nowhere")).code == 2
    assert not (tmp_path / "whole" / store.FOLDER).exists()


def test_a_folder_does_not_overrule_what_this_project_saw(tmp_path: Path, ask: Ask) -> None:
    whole, other = tmp_path / "whole", paper.make(tmp_path / "other")
    own = keep(whole, target(), {"a": Outcome.FAIL, "b": Outcome.PASS, "c": Outcome.PASS})
    keep(other, target())
    before = own.read_bytes()
    answer = ask("merge", str(other))
    assert (answer.code, "a: fail here, pass there" in answer.err) == (3, True)
    assert own.read_bytes() == before
    # of other pins, what is newer counts, and the other is named
    found = store.read(own)
    assert isinstance(found, TargetResult)
    assert found.environment is not None
    paper.reseal(own, environment=msgspec.structs.replace(found.environment, pins=("dist-one==2.0", "x==1")))
    keep(other, target(), resolved="2026-01-01")
    answer = ask("merge", str(other), "--json")
    assert (answer.code, answer.json()["kept"], answer.json()["targets"]) == (0, ["one-2.0-py3.12-today"], [])
    assert ask("merge", "").code == 2


def test_a_plan_is_a_matrix_for_ci(ask: Ask) -> None:
    told = ask("plan", "--suite", "quick", "--shards", "3", "--json").json()
    assert [part["shard"] for part in told["include"]] == ["1/3", "2/3"]
    assert sorted(key for part in told["include"] for key in part["targets"]) == [
        "one-2.0-py3.11-today",
        "one-2.0-py3.12-today",
    ]
