"""Evidence is run again in fresh environments, what differs is named, and nothing is changed."""

from __future__ import annotations

from pathlib import Path

import msgspec
from fake import project
from fake.project import evidence

from adk_probe.cli.verify import verification_text
from adk_probe.evidence import store
from adk_probe.evidence.cells import Cell
from adk_probe.execution import verification
from adk_probe.execution.verification import Verification, VerifiedCell
from adk_probe.model import Lane, Outcome, Target
from adk_probe.project.plan import Choice

GOOD = Choice(engine="fake-engine", release="2.0", probes=("import", "loop", "workflow"))


def verified(root: Path, choice: Choice | None = None, count: int | None = None) -> Verification:
    opened = project.opened(root)
    planned = opened.plan(choice) if choice else None
    cells = verification.candidates(project.judged(root), planned, None)
    chosen = verification.sample(cells, count, seed=1)
    told: list[tuple[Target, str]] = []
    made = verification.verify(opened, chosen, 1, lambda target, probe: told.append((target, probe)))
    return Verification(verification.VERIFY_SCHEMA, 1, len(cells), tuple(made))


def content(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def reseal(root: Path, probe: str, **changes: object) -> None:
    """Change a cell of the evidence as somebody would who knows how it is sealed."""
    found = evidence(root, "2.0")
    cells = tuple(msgspec.structs.replace(cell, **changes) if cell.probe == probe else cell for cell in found.cells)
    store.save(root, msgspec.structs.replace(found, cells=cells))


def test_true_evidence_is_confirmed_and_nothing_is_changed(fresh: Path) -> None:
    project.run(fresh, GOOD)
    before = content(fresh)
    found = verified(fresh)
    assert [cell.probe for cell in found.cells] == ["import", "loop", "workflow"]
    assert (found.differing, found.unknown) == ((), ())
    assert content(fresh) == before
    assert "3 of 3 cells came out as recorded, 0 differ" in verification_text(found)


def test_what_differs_is_named_with_what_was_seen(fresh: Path) -> None:
    project.run(fresh, GOOD)
    (cell,) = (each for each in evidence(fresh, "2.0").cells if each.probe == "loop")
    reseal(fresh, "loop", outcome=Outcome.FAIL, facts={"passes": 99}, message="it does not loop")
    found = verified(fresh, GOOD)
    (differs,) = found.differing
    assert differs.probe == "loop"
    assert {each.what: (each.recorded, each.seen) for each in differs.differences} == {
        "outcome": ("fail", str(cell.outcome)),
        "message": ("it does not loop", cell.message),
        "facts": ({"passes": 99}, cell.facts),
    }
    shown = verification_text(found)
    assert "differs: loop on fake-engine 2.0" in shown
    assert 'recorded {"passes":99}' in shown


def test_what_is_stale_or_no_answer_is_not_run(fresh: Path) -> None:
    project.run(fresh, GOOD)
    reseal(fresh, "workflow", outcome=Outcome.ERROR)
    path = fresh / "probes" / "fake" / "loop.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    assert [cell.probe for cell in verified(fresh).cells] == ["import"]


def test_a_python_that_is_not_here_leaves_a_doubt(fresh: Path) -> None:
    project.run(fresh, GOOD)
    found = evidence(fresh, "2.0")
    opened = project.opened(fresh)
    elsewhere = msgspec.structs.replace(found.target, python="3.99")
    assert found.environment is not None
    moved = msgspec.structs.replace(
        found, target=elsewhere, environment=msgspec.structs.replace(found.environment, python="3.99.1")
    )
    store.save(fresh, moved)
    (cell,) = verification.verify(opened, {elsewhere: ["loop"]}, 1, lambda *_: None)
    assert cell == VerifiedCell(elsewhere, "loop", unknown="no Python 3.99 on this machine")


def test_a_sample_is_drawn_by_its_seed() -> None:
    def cell(number: int) -> Cell:
        at = Target("one", f"1.{number % 7}", "3.12", Lane.TODAY)
        return Cell(f"probe-{number}", at, Outcome.PASS, "")

    cells = [cell(number) for number in range(60)]
    first, again, other = (verification.sample(cells, 10, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert sum(map(len, first.values())) == 10
    assert sum(len(names) for names in verification.sample(cells, None, 1).values()) == 60
