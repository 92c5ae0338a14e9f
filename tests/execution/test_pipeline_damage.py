"""Environments that are damaged, and indexes that fail, under a project with good evidence."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from fake import engine, probes, project
from fake.project import cells, evidence
from fake.server import Index, Trick

from adk_probe.evidence import store
from adk_probe.execution import env
from adk_probe.machine.state import Local
from adk_probe.model import Kind, Lane, Outcome
from adk_probe.project.plan import Choice

Clone = Callable[[], Path]
GOOD = Choice(engine="fake-engine", release="2.0")


def environment(root: Path, release: str = "2.0") -> Path:
    (found,) = (root / ".adk-probe" / "envs").glob(f"fake-engine-{release}-*-today")
    return found


def packages(root: Path, release: str = "2.0") -> Path:
    (found,) = environment(root, release).glob("lib/*/site-packages")
    return found


def append(path: Path, text: str = "\n# changed\n") -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def result_file(root: Path, release: str = "2.0") -> Path:
    (found,) = (root / store.FOLDER).glob(f"fake-engine-{release}-*-today.json")
    return found


def broken_probe(root: Path, body: str, name: str = "loop") -> None:
    (root / "probes" / "fake" / f"{name}.py").write_text(probes.probe(name, "fake-engine", body), encoding="utf-8")


# --- damaged before a run ----------------------------------------------------------------------------------

DAMAGES: dict[str, Callable[[Path], object]] = {
    "package": lambda place: shutil.rmtree(place / "fake_engine"),
    "submodule": lambda place: (place / "fake_engine" / "flow.py").unlink(),
    "metadata": lambda place: shutil.rmtree(place / "fake_engine-2.0.dist-info"),
    "interpreter": lambda place: (place.parents[2] / "bin" / "python").unlink(),
    # neither fails a control, so that only the files tell
    "code": lambda place: append(place / "fake_engine" / "__init__.py", "\n\ndef loop():\n    return 4\n"),
    "shadow": lambda place: (place / "zz.pth").write_text("import sys; sys.modules['fake_engine.flow'] = sys"),
    "dependency": lambda place: (place / "fake_dep.py").write_text("OLD = True\n"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_environment_is_made_again(clone: Clone, damage: str) -> None:
    root = clone()
    before = cells(evidence(root, "2.0"))
    DAMAGES[damage](packages(root))
    for name in ("loop", "workflow"):
        append(root / "probes" / "fake" / f"{name}.py")
    done = project.run(root, GOOD)
    assert (done.states, done.probes) == ({"ran"}, {"loop", "workflow"})
    (ended,) = done.ended.values()
    assert ended.message.startswith("its environment was damaged and is made again: ")
    after = cells(evidence(root, "2.0"))
    assert {name: (cell.outcome, cell.message) for name, cell in after.items()} == {
        name: (cell.outcome, cell.message) for name, cell in before.items()
    }
    assert not (packages(root) / "zz.pth").exists()
    assert not (packages(root) / "fake_dep.py").exists()


def test_environment_that_is_not_needed_is_left_alone(clone: Clone) -> None:
    root = clone()
    shutil.rmtree(packages(root) / "fake_engine")
    assert project.run(root, GOOD).states == {"current"}


def test_environment_of_which_nothing_is_known_is_made_again(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    root = clone()
    local, target = Local(root), evidence(root, "2.0").target
    local.keep(target, msgspec.structs.replace(local.state(target), seal=None))
    made: list[Path] = []
    install = env.install

    def counting(folder: Path, *arguments: object) -> env.Built:
        made.append(folder)
        return install(folder, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(env, "install", counting)
    for _ in range(2):
        append(root / "probes" / "fake" / "loop.py")
        assert project.run(root, GOOD).states == {"ran"}
    assert made == [environment(root)]


# --- damaged while it runs ---------------------------------------------------------------------------------

APPENDS = """
import fake_engine
with open(fake_engine.__file__, "a") as out:
    out.write("raise ImportError('never')\\n")
claim.note("appended")
"""
REMOVES = """
import pathlib, shutil, fake_engine
shutil.rmtree(pathlib.Path(fake_engine.__file__).parent)
claim.note("removed")
"""
ADDS = """
import pathlib, fake_engine
(pathlib.Path(fake_engine.__file__).parents[1] / "added.py").write_text("")
claim.note("added")
"""
COMPILES = """
import fake_engine
with open(fake_engine.__cached__, "ab") as out:
    out.write(b"more")
claim.note("compiled")
"""
WHAT = {
    "compiles": (COMPILES, "/fake_engine/__pycache__/__init__."),
    "appends": (APPENDS, "/fake_engine/__init__.py is not what its RECORD says"),
    "removes": (REMOVES, "/fake_engine/__init__.py is missing, and 1 more"),
    "adds": (ADDS, "/site-packages/added.py was not installed with the rest"),
}


@pytest.mark.parametrize("what", WHAT)
def test_damage_under_running_cells_is_our_infrastructure_error_and_names_the_file(clone: Clone, what: str) -> None:
    body, words = WHAT[what]
    root = clone()
    before = result_file(root).read_bytes()
    broken_probe(root, body)
    append(root / "probes" / "fake" / "workflow.py")
    done = project.run(root, GOOD)
    (ended,) = done.ended.values()
    assert ended.state == "trouble"
    assert "the environment was damaged while its cells ran: lib/" in ended.message
    assert words in ended.message
    assert "the evidence from before is kept" in ended.message
    assert result_file(root).read_bytes() == before
    # the next run makes the environment again, and its cells are believed
    broken_probe(root, "import fake_engine\nclaim.equal('loops', fake_engine.loop(), 3)\n")
    assert project.run(root, GOOD).states == {"ran"}
    after = cells(evidence(root, "2.0"))
    assert {after[name].outcome for name in ("loop", "workflow")} == {Outcome.PASS}


def test_damage_under_the_first_run_is_not_the_engine_s_fault(fresh: Path) -> None:
    broken_probe(fresh, APPENDS)
    assert project.run(fresh, GOOD).states == {"trouble"}
    found = [result for result in store.load(fresh).results.values() if result.cells]
    assert found == []


def test_refresh_repairs_and_no_other_environment_is_touched(fresh: Path) -> None:
    choice = Choice(engine="fake-engine", release=">=1.0,<1.2")
    project.run(fresh, choice)
    before = {
        release: (packages(fresh, release) / "fake_engine" / "flow.py").read_bytes() for release in ("1.0", "1.1")
    }
    append(packages(fresh, "1.0") / "fake_engine" / "flow.py", "READY = False\n")
    assert (packages(fresh, "1.1") / "fake_engine" / "flow.py").read_bytes() == before["1.1"]
    assert project.run(fresh, choice, refresh=True).states == {"ran"}
    for release, data in before.items():
        assert (packages(fresh, release) / "fake_engine" / "flow.py").read_bytes() == data


# --- an index that fails -----------------------------------------------------------------------------------


@pytest.fixture
def failing(offline: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Index]:
    """Serve the fake engine to a uv without a cache that asks once; tests break what it serves."""
    with Index(engine.dists()) as found:
        monkeypatch.setenv("UV_DEFAULT_INDEX", found.address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")
        monkeypatch.setenv("UV_HTTP_TIMEOUT", "1")
        yield found


DEP, OWN = "/files/fake_dep-1.0-py3-none-any.whl", "/files/fake_engine-0.9-py3-none-any.whl"
FAILURES: dict[str, tuple[str, Trick | int]] = {
    "wheel cut off while resolving": (f"{OWN} inside", Trick.CUT),
    "dependency cut off while resolving": (f"{DEP} inside", Trick.CUT),
    "metadata garbage": (f"{DEP}.metadata", Trick.GARBAGE),
    "wheel cut off while installing": (OWN, Trick.CUT),
    "dependency cut off while installing": (DEP, Trick.CUT),
    "dependency shortened": (DEP, Trick.SHORT),
    "other bytes": (DEP, Trick.OTHER),
    "stalled": (DEP, Trick.STALL),
    "no files any more": ("/simple/fake-dep/", Trick.EMPTY),
    "gone": ("/simple/fake-dep/", 404),
    "locked": ("/simple/fake-dep/", 401),
    "broken": ("/simple/fake-engine/", 500),
    "page cut off": ("/simple/fake-engine/", Trick.CUT),
    "no release": ("/simple/fake-engine/", Trick.EMPTY),
}


@pytest.mark.parametrize("how", FAILURES)
def test_failing_index_overwrites_no_good_evidence(clone: Clone, failing: Index, how: str) -> None:
    path, trick = FAILURES[how]
    root = clone()
    # its evidence is good, and it has a dependency
    choice = Choice(engine="fake-engine", release="0.9", lane=Lane.AS_RELEASED)
    (good,) = (root / store.FOLDER).glob("fake-engine-0.9-*-as-released.json")
    before = good.read_bytes()
    failing.side_metadata = not path.endswith(" inside")
    failing.tricks[path.removesuffix(" inside")] = trick
    done = project.run(root, choice, refresh=True)
    (ended,) = done.ended.values()
    assert ended.state == "trouble", ended.message
    assert "the evidence from before is kept" in ended.message
    assert "127.0.0.1" not in ended.message
    assert good.read_bytes() == before
    # and when the index is well again, nothing is left of it
    failing.tricks.clear()
    assert project.run(root, choice, refresh=True).states == {"ran"}


def test_release_without_a_solution_is_still_its_own_fault(clone: Clone, failing: Index) -> None:
    root = clone()
    done = project.run(root, Choice(engine="fake-engine", release="1.5"), refresh=True)
    assert done.states == {"fault"}
    fault = evidence(root, "1.5").fault
    assert fault is not None
    assert fault.kind is Kind.RESOLVE
