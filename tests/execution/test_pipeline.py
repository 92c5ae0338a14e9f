"""One run through every outcome and every kind of error, and what it left as evidence."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from fake import probes, project
from fake.project import cells, evidence

from adk_probe.evidence import store
from adk_probe.model import Kind, Outcome, Verdict

HOSTILE = sorted(probes.hostile("hostile"))
ATTACKS = [name for name in HOSTILE if not name.endswith("-next")]

TARGETS = [
    ("1.2", Kind.IMPORT, "import fake_engine raised ImportError: the engine is broken at <env>/"),
    ("1.3", Kind.TIMEOUT, "importing the engine took longer than 6 s"),
    ("1.4", Kind.IMPORT, "importing the engine ended the interpreter (killed by SIGSEGV)"),
    ("1.5", Kind.RESOLVE, "no-such-distribution was not found in the package registry"),
    ("1.6", Kind.RESOLVE, "fake-dep==1.0 and fake-dep==2.0"),
    ("1.9", Kind.RESOLVE, "has no usable wheels"),
    ("1.10", Kind.INSTALL, "Bad CRC"),
    ("1.11", Kind.IMPORT, "importing the engine ended the interpreter (exit code 7): no words left"),
]

CELLS = {
    "big-numbers": (Outcome.PASS, None, ""),
    "closes-fds": (Outcome.PASS, None, ""),
    "crash-exception": (Outcome.ERROR, Kind.CRASH, "exit code 1: ValueError: boom"),
    "crash-exit": (Outcome.ERROR, Kind.CRASH, "exit code 7"),
    "crash-signal": (Outcome.ERROR, Kind.CRASH, "killed by SIGSEGV"),
    "crash-words": (Outcome.ERROR, Kind.CRASH, "exit code 1: words at the end"),
    "environment": (Outcome.PASS, None, ""),
    "flood-stdout": (Outcome.ERROR, Kind.TIMEOUT, "ran longer than its 1 s"),
    "flood-then-pass": (Outcome.PASS, None, ""),
    "fork-storm": (Outcome.PASS, None, ""),
    "hang": (Outcome.ERROR, Kind.TIMEOUT, "ran longer than its 1 s"),
    "hang-deaf": (Outcome.ERROR, Kind.TIMEOUT, "ran longer than its 1 s"),
    "kills-worker": (Outcome.ERROR, Kind.CRASH, "brought its worker down (killed by SIGKILL)"),
    "kills-worker-and-stays": (Outcome.ERROR, Kind.CRASH, "brought its worker down (killed by SIGKILL)"),
    "memory-children": (Outcome.ERROR, Kind.MEMORY, "took more than its 100 MiB"),
    "memory-kit": (Outcome.ERROR, Kind.MEMORY, "ran out of its memory limit"),
    "memory-raw": (Outcome.ERROR, Kind.MEMORY, "took more than its 64 MiB"),
    "network": (Outcome.PASS, None, ""),
    "protocol-after-done": (Outcome.ERROR, Kind.PROTOCOL, "record 3 comes after `done`"),
    "protocol-binary": (Outcome.ERROR, Kind.PROTOCOL, "record 1 is broken"),
    "protocol-deep": (Outcome.ERROR, Kind.PROTOCOL, "record 2: fact 'a' is nested deeper than 64"),
    "protocol-fifo": (Outcome.ERROR, Kind.PROTOCOL, "put something else in the place of its file of records"),
    "protocol-flood": (Outcome.ERROR, Kind.PROTOCOL, "wrote more than 4 MiB of records"),
    "protocol-folder": (Outcome.ERROR, Kind.PROTOCOL, ""),
    "protocol-huge": (Outcome.ERROR, Kind.CRASH, "File too large"),
    "protocol-link": (Outcome.ERROR, Kind.PROTOCOL, "wrote no record at all"),
    "protocol-nan": (Outcome.ERROR, Kind.PROTOCOL, "record 2 is broken"),
    "protocol-no-done": (Outcome.ERROR, Kind.PROTOCOL, "ended well but never said that it was done"),
    "protocol-no-kind": (Outcome.ERROR, Kind.PROTOCOL, "an error, and only an error, has a kind"),
    "protocol-outcome": (Outcome.ERROR, Kind.PROTOCOL, "a probe cannot find unsupported"),
    "protocol-rubbish": (Outcome.ERROR, Kind.PROTOCOL, "record 2 is broken"),
    "protocol-silent": (Outcome.ERROR, Kind.PROTOCOL, "wrote no record at all"),
    "protocol-two-hellos": (Outcome.ERROR, Kind.PROTOCOL, "record 2: `hello` comes first and once"),
    "protocol-wrong-id": (Outcome.ERROR, Kind.PROTOCOL, "speaks protocol 1 as 'other'"),
    "protocol-wrong-version": (Outcome.ERROR, Kind.PROTOCOL, "speaks protocol 2"),
    "stays-behind": (Outcome.PASS, None, ""),
    "stays-behind-flooding": (Outcome.PASS, None, ""),
    "stays-behind-session": (Outcome.PASS, None, ""),
    "stops-worker": (Outcome.ERROR, Kind.TIMEOUT, "ran longer than its 1 s and stopped the worker too"),
    "writes-fds": (Outcome.PASS, None, ""),
    "writes-worker-fds": (Outcome.PASS, None, ""),
}


def test_table_of_attacks_is_whole() -> None:
    assert sorted(CELLS) == ATTACKS


def test_all_evidence_can_be_read(big: Path) -> None:
    loaded = store.load(big)
    assert loaded.faults == ()
    # every target but the unsupported and the unavailable one
    assert len(loaded.results) == 5 + len(project.BROKEN) - 1 + 1


def test_good_release(big: Path) -> None:
    result = evidence(big, "2.0")
    seen = {name: (cell.outcome, cell.kind) for name, cell in cells(result).items()}
    assert seen == {
        "import": (Outcome.PASS, None),
        "late-import": (Outcome.ERROR, Kind.IMPORT),
        "loop": (Outcome.PASS, None),
        "places": (Outcome.FAIL, None),
        "places-crash": (Outcome.ERROR, Kind.CRASH),
        "refuted": (Outcome.FAIL, None),
        "workflow": (Outcome.PASS, None),
    }
    assert cells(result)["refuted"].message == "loops: expected 4, saw 3"
    assert cells(result)["import"].message == "it imports"
    assert result.controlled
    assert result.environment is not None
    assert result.environment.pins == ("fake-engine==2.0",)
    assert set(result.run.seconds) == {"resolve", "install", "import", "probes"}
    assert result.run.size_bytes > 0
    assert result.run.modules > 0
    assert set(result.run.cells) >= set(cells(result))


def test_absent_where_the_release_lacks_the_symbol(big: Path) -> None:
    cell = cells(evidence(big, "1.0"))["workflow"]
    assert cell.outcome is Outcome.ABSENT
    assert cell.message == "fake-engine 1.0 has no fake_engine.Workflow"


def test_deprecation_told_to_the_caller_is_kept(big: Path) -> None:
    told = cells(evidence(big, "1.1"))["loop"]
    assert told.outcome is Outcome.PASS
    assert told.deprecations == ("loop is deprecated; use Workflow",)
    assert cells(evidence(big, "1.0"))["loop"].deprecations == ()


@pytest.mark.parametrize(("release", "kind", "words"), TARGETS)
def test_target_that_cannot_be_asked(big: Path, release: str, kind: Kind, words: str) -> None:
    result = evidence(big, release)
    assert result.fault is not None
    assert (result.fault.outcome, result.fault.kind) == (Outcome.ERROR, kind)
    assert words in result.fault.message
    assert result.cells == ()
    assert not result.controlled
    judged = [cell for cell in project.judged(big).cells if cell.target == result.target]
    assert {cell.probe for cell in judged} == set(probes.plain(""))
    assert {(cell.outcome, cell.kind) for cell in judged} == {(Outcome.ERROR, kind)}


def test_states_of_targets(big: Path) -> None:
    states = dict(line.rsplit(" ", 1) for line in (big / "broken.states").read_text().splitlines())
    faults = dict.fromkeys((f"{release} today" for release, _, _ in TARGETS), "fault")
    rest = {"1.7 today": "unsupported", "2.0 today": "unavailable", "1.8 today": "ran", "2.0a1 today": "ran"}
    assert states == faults | rest
    states = dict(line.rsplit(" ", 1) for line in (big / "quick.states").read_text().splitlines())
    assert states.pop("0.9 today") == "fault"
    assert set(states.values()) == {"ran"}


def test_yanked_and_pre_release_are_run_when_named(big: Path) -> None:
    assert cells(evidence(big, "1.8"))["loop"].outcome is Outcome.PASS
    assert cells(evidence(big, "2.0a1"))["workflow"].outcome is Outcome.PASS


def test_unsupported_and_unavailable_are_judged(big: Path) -> None:
    outcomes = {
        (cell.target.release, cell.target.python, cell.outcome)
        for cell in project.judged(big, "broken").cells
        if cell.outcome in (Outcome.UNSUPPORTED, Outcome.UNAVAILABLE)
    }
    assert {(release, outcome) for release, _, outcome in outcomes} == {
        ("1.7", Outcome.UNSUPPORTED),
        ("2.0", Outcome.UNAVAILABLE),
    }
    assert ("2.0", "3.99", Outcome.UNAVAILABLE) in outcomes


def test_dependency_drift_is_no_fault_of_the_release(big: Path) -> None:
    then, now = evidence(big, "0.9", lane="as-released"), evidence(big, "0.9")
    assert then.environment is not None
    assert then.environment.pins == ("fake-dep==1.0", "fake-engine==0.9")
    assert now.environment is not None
    assert now.environment.pins == ("fake-dep==2.0", "fake-engine==0.9")
    assert cells(then)["loop"].outcome is Outcome.PASS
    assert now.fault is not None
    assert now.fault.kind is Kind.IMPORT
    assert [target.key for target in project.judged(big).drift] == [now.target.key]


def test_verdicts(big: Path) -> None:
    rows = project.judged(big).mechanisms
    found = {
        (row.mechanism, row.target.release, str(row.target.lane)): row.verdict
        for row in rows
        if row.target.release in ("0.9", "1.0", "1.1", "2.0") and row.target.python != "3.99"
    }
    assert found == {
        ("loop", "0.9", "as-released"): Verdict.ALLOWED,
        ("loop", "0.9", "today"): Verdict.UNPROVEN,
        ("loop", "1.0", "today"): Verdict.ALLOWED,
        ("loop", "1.1", "today"): Verdict.DEPRECATED,
        ("loop", "2.0", "today"): Verdict.ALLOWED,
        ("workflow", "0.9", "as-released"): Verdict.DENIED,
        ("workflow", "0.9", "today"): Verdict.UNPROVEN,
        ("workflow", "1.0", "today"): Verdict.DENIED,
        ("workflow", "1.1", "today"): Verdict.DENIED,
        ("workflow", "2.0", "today"): Verdict.ALLOWED,
    }


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_costs_its_own_cell_alone(big: Path, name: str) -> None:
    seen = cells(evidence(big, "2.0", engine="hostile"))
    outcome, kind, words = CELLS[name]
    assert (seen[name].outcome, seen[name].kind) == (outcome, kind), seen[name].message
    assert words in seen[name].message
    after = seen[f"{name}-next"]
    assert after.outcome is Outcome.PASS, after.message


def test_every_attack_left_a_cell(big: Path) -> None:
    result = evidence(big, "2.0", engine="hostile")
    assert sorted(cells(result)) == HOSTILE
    assert result.controlled


def test_what_is_said_before_a_hang_is_kept(big: Path) -> None:
    assert cells(evidence(big, "2.0", engine="hostile"))["hang"].facts == {"before": 1}


@pytest.mark.parametrize("name", sorted(probes.LEFT_BEHIND))
def test_what_stays_behind_is_dead(big: Path, name: str) -> None:
    pid = int((big / "pids" / name).read_text())
    assert not project.alive(pid)


def test_no_network(big: Path) -> None:
    result = evidence(big, "2.0", engine="hostile")
    assert result.run.network in ("namespace", "audit-hook")
    if result.run.network == "audit-hook":
        pytest.skip("the kernel grants no network namespace here; Python's own sockets are refused instead")
    assert cells(result)["network"].facts == {"reached": []}


def test_environment_of_a_probe(big: Path) -> None:
    facts = cells(evidence(big, "2.0", engine="hostile"))["environment"].facts
    names = {
        "ADK_PROBE_DISTRIBUTION",
        "ADK_PROBE_OUT",
        "ADK_PROBE_RELEASE",
        "HOME",
        "LANG",
        "PATH",
        "PYTHONHASHSEED",
        "TMPDIR",
    }
    assert set(facts["names"]) - {"LD_LIBRARY_PATH", "LC_CTYPE"} == names
    assert facts["writes-bytecode"] is True
    assert facts["home"] == facts["here"] == []
    assert facts["stdin"] == ""
    assert facts["harness"] == []


def test_evidence_holds_nothing_of_the_machine(big: Path, shared: Path) -> None:
    home = Path.home()
    for path in (big / store.FOLDER).glob("*.json"):
        text = path.read_text(encoding="utf-8")
        for secret in (str(shared), str(big), tempfile.gettempdir() + "/", str(home) + "/", "127.0.0.1", "unsaid"):
            assert secret not in text, f"{secret} in {path.name}"
        for place in ("/home/", "/root/", "/Users/", "/proc/", "site-packages/adk_probe"):
            assert place not in text, f"{place} in {path.name}"


def test_places_have_names(big: Path) -> None:
    cell = cells(evidence(big, "2.0"))["places"]
    assert cell.facts["seen"][0].startswith("<env>/lib/")
    assert cell.facts["id"] == "run-<uuid>-<uuid>"
    assert cell.facts["seen"][1:] == [
        "<scratch>/cell-places",
        "<scratch>/cell-places",
        "<scratch>/cell-places",
        "<env>",
        "<project>/probes/fake/places.py",
    ]
    assert evidence(big, "2.0").run.cells["places"].facts["measured"] == cell.facts["seen"]
    assert "<scratch>/cell-places" in cell.message
    assert "<scratch>/cell-places" in next(heard.message for heard in cell.warnings if heard.category == "UserWarning")
    assert cells(evidence(big, "2.0"))["places-crash"].facts["seen"].startswith("<env>/lib/")


def test_bytecode_was_written_in_spite_of_the_caller(big: Path) -> None:
    compiled = list((big / ".adk-probe" / "envs").glob("fake-engine-2.0-*/lib/*/site-packages/fake_engine/__pycache__"))
    assert compiled
    assert list(compiled[0].glob("*.pyc"))


def test_environment_holds_nothing_of_ours(big: Path) -> None:
    folder = next((big / ".adk-probe" / "envs").glob("fake-engine-2.0-*/lib/*/site-packages"))
    names = {path.name for path in folder.iterdir()} - {"__pycache__", "_virtualenv.py", "_virtualenv.pth"}
    assert names == {"fake_engine", "fake_engine-2.0.dist-info"}


def test_evidence_survives_reading_and_writing(big: Path, tmp_path: Path) -> None:
    for result in store.load(big).results.values():
        store.save(tmp_path, result)
        name = f"{store.FOLDER}/{result.target.key}.json"
        assert (tmp_path / name).read_bytes() == (big / name).read_bytes()
