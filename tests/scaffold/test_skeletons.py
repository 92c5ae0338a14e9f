"""Skeletons are good as they are, but for what their authors have to write; nothing is written over."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from paper import Call, call, keep, make, target

from adk_probe.project import config
from adk_probe.project.folder import open_project
from adk_probe.scaffold import skeleton

REPOSITORY = Path(__file__).parents[2]
CLAIM = 'a "loop" of \\ passes – ends'


class Ask:
    """Asks a command in a project, in this process."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.capture, self.monkeypatch = root, capture, monkeypatch

    def __call__(self, *words: str) -> Call:
        return call(self.root, self.capture, self.monkeypatch, *words)


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    return Ask(make(tmp_path / "project"), capsys, monkeypatch)


def files(root: Path) -> dict[str, bytes]:
    paths = (path for path in root.rglob("*") if path.is_file() and "state" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def test_a_probe_is_in_the_catalog_with_its_claim(ask: Ask) -> None:
    done = ask("new", "probe", "ends", "--engine", "other", "--claim", CLAIM, "--json")
    assert (done.code, done.err) == (0, "")
    told = done.json()
    assert (told["schema"], told["kind"], told["name"]) == ("adk-probe.skeleton/1", "probe", "ends")
    assert told["written"] == ["probes/other/ends.py"]
    assert any("adk-probe run --probe ends" in line for line in told["next"])
    probe = open_project(ask.root).catalog.probe("ends")
    assert (probe.claim, probe.engine) == (CLAIM, "other")
    assert [place.partition(":")[0] for place in skeleton.unfinished(ask.root)] == ["probes/other/ends.py"]
    assert "wrote probes/one/again.py" in ask("new", "probe", "again").out
    # the default engine's
    assert open_project(ask.root).catalog.probe("again").engine == "one"


def test_a_probe_that_is_not_written_gives_no_answer(ask: Ask) -> None:
    ask("new", "probe", "ends", "--claim", CLAIM)
    shutil.copy(REPOSITORY / "probes/probekit.py", ask.root / "probes/one/_kit.py")
    done = subprocess.run(
        [sys.executable, "probes/one/ends.py"], cwd=ask.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"NotImplementedError: {skeleton.NOT_WRITTEN}" in done.stderr
    assert "PASS" not in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("probe", "a"),
        ("probe", "kept"),
        ("probe", "No"),
        ("probe", "a/b"),
        ("probe", "fidelity/x"),
        ("probe", "../x"),
        ("probe", "x" * 61),
        ("probe", "new", "--engine", "none"),
        ("probe", "new", "--claim", "x" * 200),
        ("probe", "new", "--claim", " "),
        ("probe", "new", "--claim", "one", "--claim", "two"),
        ("probe", "new", "other"),
        ("probe",),
        ("nothing", "new"),
        ("probe", "new", "--claim", "two\nlines"),
        ("probe", "new", "--claim", "\udc80"),
        ("graph", "kept"),
        ("graph", "class"),
        ("graph", "2-loops"),
        ("mechanism", "loop"),
        ("mechanism", "new", "--engine", "none"),
        ("mechanism", "new"),  # what runs is not the project's own
        ("engine", "one"),
        ("engine", "quick"),
        ("engine", "kept"),
        ("engine", "new", "--distribution", "a/b"),
        ("engine", "new", "--import", "not a name"),
    ],
)
def test_what_is_wrong_or_there_is_refused_and_nothing_is_written(ask: Ask, words: tuple[str, ...]) -> None:
    (ask.root / "probes/one/kept.py").symlink_to("nowhere")
    (ask.root / "probes/graphs").mkdir()
    (ask.root / "probes/graphs/kept.scenarios.json").write_text("{}", encoding="utf-8")
    (ask.root / "probes/kept").write_text("", encoding="utf-8")
    if words != ("probe", "kept"):
        (ask.root / "probes/one/kept.py").unlink()
    before = files(ask.root)
    done = ask("new", *words)
    assert (done.code, done.out) == (2, ""), done
    assert done.err
    assert "Traceback" not in done.err
    assert files(ask.root) == before


def test_what_cannot_be_written_leaves_nothing_behind(ask: Ask) -> None:
    (ask.root / "probes/new").symlink_to("/proc/nowhere")
    before = files(ask.root)
    assert ask("new", "engine", "new").code == 2
    (ask.root / "probes/graphs").write_text("", encoding="utf-8")
    done = ask("new", "graph", "new")
    assert done.code == 3
    assert "probes/graphs/new" in done.err
    assert files(ask.root) == before | {"probes/graphs": b""}


def test_an_engine_is_declared_and_has_its_first_probe(ask: Ask) -> None:
    done = ask("new", "engine", "new-one", "--distribution", "Dist-New", "--import", "new.one")
    assert (done.code, done.err) == (0, "")
    project = open_project(ask.root)
    engine = project.config.engines["new-one"]
    assert (engine.distribution, engine.import_, engine.probes) == ("Dist-New", "new.one", "probes/new_one")
    assert {group.engine for group in project.config.suites["new-one"].targets} == {"new-one"}
    assert list(project.catalog.probes["new-one"]) == ["import"]
    assert 'NAME = "new.one"' in (ask.root / "probes/new_one/import.py").read_text(encoding="utf-8")


def test_what_is_new_turns_no_check_red_and_opens_no_gate(ask: Ask) -> None:
    for python in ("3.11", "3.12"):
        keep(ask.root, target("2.0", python))
    keep(ask.root, target("1.0", engine="other"))
    assert ask("gate", "--update", "--reason", "first").code == 0
    assert ask("report").code == 0
    question = ("allowed", "--release", "2.0", "--python", "3.12", "--mechanism", "loop")
    assert ask(*question).code == 0
    for kind in ("probe", "graph", "engine"):
        assert ask("new", kind, f"new-{kind}").code == 0
    for command in (("report", "--check"), ("gate",), ("report",), ("report", "--check")):
        done = ask(*command)
        assert done.code == 0, done
        assert "not run yet: engine new-engine; probe new-probe" in done.err
    assert "? not run" in ask("report").out
    assert ask("explain", "new-probe").out.endswith("? not run there yet\n")
    # a mechanism that requires it is no longer proven, and what was accepted stays as it was
    matrix = ask.root / "matrix.toml"
    matrix.write_text(matrix.read_text(encoding="utf-8").replace('["a", "b"]', '["a", "b", "new-probe"]', 1))
    done = ask(*question)
    assert done.code == 3
    assert "new-probe: never run here" in done.out
    assert (ask("gate").code, ask("report", "--check").code) == (0, 0)
    # what was run once is drift as ever
    probe = ask.root / "probes/one/a.py"
    probe.write_text(probe.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert (ask("gate").code, ask("report", "--check").code) == (1, 1)


# ------------------------------------------------------------------ in a copy of this repository


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code and what is declared, in which one of each is new."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("src", "probes", "generated"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=ignored)
    for name in ("matrix.toml", "pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / name, root)
    (root / "reports").mkdir()
    shutil.copy(REPOSITORY / "reports/releases.json", root / "reports")
    for words in (
        ("probe", "new-probe"),
        ("engine", "new-engine"),
        ("graph", "new-graph"),
        ("mechanism", "new-mechanism"),
        ("mechanism", "other-mechanism", "--engine", "loopgraph", "--claim", "import-alone"),
    ):
        done = command(root, "new", *words)
        assert done.returncode == 0, done.stderr
    return root


def command(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(root, sys.executable, "-m", "adk_probe", "--root", str(root), *words)


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    return subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, check=False)


def test_skeletons_are_clean(copy: Path) -> None:
    for words in (("check", "."), ("format", "--check", ".")):
        done = run(copy, sys.executable, "-m", "ruff", *words)
        assert done.returncode == 0, done.stdout


def test_skeletons_are_typed(copy: Path) -> None:
    pytest.importorskip("mypy")
    new = [f"src/adk_probe/codegen/{name}_mechanism.py" for name in ("google_adk/new", "loopgraph/other")]
    done = run(copy, sys.executable, "-m", "mypy", *new)
    assert done.returncode == 0, done.stdout


def test_skeletons_are_declared_and_generated(copy: Path) -> None:
    declared = config.load(copy / "matrix.toml")
    assert list(declared.mechanisms)[-2:] == ["new-mechanism", "other-mechanism"]
    # what every mechanism of the engine requires
    assert declared.mechanisms["new-mechanism"].requires == ("import", "model-stub")
    assert declared.mechanisms["other-mechanism"].requires == ("import-alone",)
    done = command(copy, "codegen", "--check", "--json")
    assert done.returncode == 0, done.stdout
    catalog = open_project(copy).catalog.probes
    played = {probe.mechanism for probe in catalog["google-adk"].values() if probe.graph == "new-graph"}
    assert "cyclic-workflow" in played
    assert "new-mechanism" not in played
    assert (catalog["google-adk"]["new-probe"].claim, list(catalog["new-engine"])) == (skeleton.NOT_WRITTEN, ["import"])


def test_each_skeleton_says_where_it_is_not_written(copy: Path) -> None:
    places = {place.partition(":")[0] for place in skeleton.unfinished(copy)}
    assert places == {
        "matrix.toml",
        "probes/google_adk/new-probe.py",
        "probes/graphs/new-graph.ir.json",
        "probes/new_engine/import.py",
        "src/adk_probe/codegen/google_adk/new_mechanism.py",
        "src/adk_probe/codegen/loopgraph/other_mechanism.py",
    }


def test_a_mechanism_is_not_written_over(copy: Path) -> None:
    before = files(copy / "src") | {"matrix.toml": (copy / "matrix.toml").read_bytes()}
    for words, told in (
        (("new-mechanism",), "there is a mechanism 'new-mechanism'"),
        (("workflow",), "src/adk_probe/codegen/google_adk/workflow.py exists"),
        (("more", "--claim", "nothing"), "--claim nothing: no probe of google-adk"),
        (("more", "--engine", "new-engine"), "nothing is generated for new-engine yet; only for google-adk, loopgraph"),
    ):
        done = command(copy, "new", "mechanism", *words)
        assert done.returncode == 2
        assert told in done.stderr
    after = files(copy / "src") | {"matrix.toml": (copy / "matrix.toml").read_bytes()}
    assert {path for path in after if ".pyc" not in path} == {path for path in before if ".pyc" not in path}
    assert all(after[path] == data for path, data in before.items() if ".pyc" not in path)
