"""No bytecode that lies beside a project's files is ever run, and none is written there."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest
from fake import probes, project
from fake.project import cells, evidence

from adk_probe.execution import interpreters
from adk_probe.inside import source_loader, worker
from adk_probe.model import Outcome
from adk_probe.project.plan import Choice

GOOD = Choice(engine="fake-engine", release="2.0")
PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
LOAD = """
import json, runpy, sys
folder, scratch, name = sys.argv[1:]
runpy.run_path({loader!r}, run_name="source_loader")["install"](scratch)
sys.path.insert(0, folder)
try:
    module = __import__(name, fromlist=["x"])
except ImportError as error:
    print(json.dumps(type(error).__name__))
else:
    print(json.dumps([module.WORD, module.word.__code__.co_filename]))
"""


def load(folder: Path, name: str, python: str = sys.executable, scratch: str = "scratch") -> list[str] | str:
    """Import a module of a folder in another interpreter; return its word and the file that its code names."""
    code = LOAD.format(loader=source_loader.__file__)
    command = [python, "-s", "-c", code, str(folder), str(folder.parent / scratch), name]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    found: list[str] | str = json.loads(done.stdout)
    return found


def module(path: Path, word: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"WORD = {word!r}\n\n\ndef word():\n    return WORD\n", encoding="utf-8")
    return path


def plant(path: Path, word: str) -> None:
    """Put bytecode of another text beside a file, so that Python believes it without a look at the source."""
    other = module(path.with_name("other.py"), word)
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(other), importlib.util.cache_from_source(str(path)), invalidation_mode=unchecked)
    other.unlink()


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(source_loader.__file__).read_text(encoding="utf-8"), feature_version=(3, 9))
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name.name for node in named if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module or "" for node in named if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.parametrize("python", PYTHONS)
def test_source_is_what_runs(tmp_path: Path, python: str) -> None:
    found = interpreters.find([python])
    if python not in found:
        pytest.skip(f"no Python {python} is found here")
    folder = tmp_path / "code"
    path = module(folder / "helper.py", "one")
    assert load(folder, "helper", found[python].path) == ["one", str(path)]
    # another text of the same size and with the same modification time
    before = path.stat()
    module(path, "two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert load(folder, "helper", found[python].path) == ["two", str(path)]
    assert files(folder) == {"helper.py"}


def test_planted_bytecode_is_not_looked_at(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    path = module(folder / "helper.py", "mine")
    plant(path, "planted")
    # Python itself would believe it
    assert importlib.util.cache_from_source(str(path)) in {str(each) for each in folder.rglob("*.pyc")}
    assert load(folder, "helper") == ["mine", str(path)]


@pytest.mark.parametrize("name", ["helper.pyc", "helper.so", "helper.abi3.so"])
def test_what_has_no_source_is_not_found(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "code"
    other = module(tmp_path / "other.py", "planted")
    folder.mkdir()
    py_compile.compile(str(other), str(folder / name))
    assert load(folder, "helper") == "ModuleNotFoundError"
    # nor does it go before what has
    path = module(folder / "helper.py", "mine")
    assert load(folder, "helper") == ["mine", str(path)]


def test_packages_and_their_relative_imports(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    module(folder / "made" / "support" / "deep.py", "deep")
    (folder / "made" / "__init__.py").touch()
    # a folder without __init__.py is a package too
    (folder / "made" / "agent.py").write_text("from .support.deep import WORD, word\n", encoding="utf-8")
    plant(folder / "made" / "support" / "deep.py", "planted")
    assert load(folder, "made.agent") == ["deep", str(folder / "made" / "support" / "deep.py")]


def test_bytecode_is_kept_under_the_hash_of_its_source(tmp_path: Path) -> None:
    folder, scratch = tmp_path / "code", tmp_path / "scratch"
    path = module(folder / "helper.py", "one")
    assert load(folder, "helper") == ["one", str(path)]
    (kept,) = scratch.iterdir()
    written = kept.stat().st_mtime_ns
    assert load(folder, "helper") == ["one", str(path)]
    assert [each.stat().st_mtime_ns for each in scratch.iterdir()] == [written]
    # the same text in another file is other code: it names another file
    copy = module(tmp_path / "elsewhere" / "helper.py", "one")
    assert load(tmp_path / "elsewhere", "helper") == ["one", str(copy)]
    assert len(list(scratch.iterdir())) == 2
    for broken in (b"", b"rubbish", kept.read_bytes()[:20]):
        kept.write_bytes(broken)
        assert load(folder, "helper") == ["one", str(path)]
        assert kept.read_bytes() != broken


def test_scratch_that_cannot_be_written(tmp_path: Path) -> None:
    path = module(tmp_path / "code" / "helper.py", "one")
    (tmp_path / "scratch").write_text("a file")
    assert load(path.parent, "helper") == ["one", str(path)]


# --- in targets ------------------------------------------------------------------------------------------------


def plant_everywhere(root: Path, text: str) -> None:
    """Plant bytecode of another text beside every helper of a project."""
    for name in ("probekit.py", "fake/_kit.py"):
        path = root / "probes" / name
        other = path.with_name("other.py")
        other.write_text(text, encoding="utf-8")
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(other), importlib.util.cache_from_source(str(path)), invalidation_mode=unchecked)
        other.unlink()


@pytest.mark.parametrize("fork", ["1", "0"])
def test_targets_run_source(fresh: Path, monkeypatch: pytest.MonkeyPatch, fork: str) -> None:
    monkeypatch.setenv("ADK_PROBE_FORK", fork)
    folder = fresh / "probes" / "fake"
    body = "import _kit\nclaim.fact('shared', _kit.SHARED)\nclaim.fact('code', _kit.word.__code__.co_filename)"
    for name, header in {"asks": {}, "asks-alone": {"isolated": True}}.items():
        (folder / f"{name}.py").write_text(probes.probe(name, "fake-engine", body, **header), encoding="utf-8")
    kit = folder / "_kit.py"
    kit.write_text("SHARED = 1\n\n\ndef word():\n    pass\n", encoding="utf-8")
    before = kit.stat()
    # who imports the planted helper ends without a word
    plant_everywhere(fresh, "import os\nos._exit(0)\n")
    planted = files(fresh / "probes")
    chosen = Choice(engine="fake-engine", release="2.0", probes=("asks*", "loop", "refuted"))
    project.run(fresh, chosen)
    seen = cells(evidence(fresh, "2.0"))
    assert {name: cell.outcome for name, cell in seen.items()} == {
        "asks": Outcome.PASS,
        "asks-alone": Outcome.PASS,
        "loop": Outcome.PASS,
        "refuted": Outcome.FAIL,
    }
    for name in ("asks", "asks-alone"):
        assert seen[name].facts == {"shared": 1, "code": "<project>/probes/fake/_kit.py"}
    kit.write_text("SHARED = 2\n\n\ndef word():\n    pass\n", encoding="utf-8")
    os.utime(kit, ns=(before.st_atime_ns, before.st_mtime_ns))
    project.run(fresh, chosen)
    seen = cells(evidence(fresh, "2.0"))
    assert {seen[name].facts["shared"] for name in ("asks", "asks-alone")} == {2}
    assert files(fresh / "probes") == planted


def test_runs_leave_no_bytecode_in_the_checkout(big: Path) -> None:
    assert not [path for path in (big / "probes").rglob("*") if path.name == "__pycache__" or path.suffix == ".pyc"]


def test_engine_keeps_its_own_caches(fresh: Path) -> None:
    body = """
    import fake_engine, fake_engine.flow
    claim.fact("loaders", [type(each.__loader__).__name__ for each in (fake_engine, fake_engine.flow, json)])
    import probekit
    claim.fact("own", type(probekit.__loader__).__name__)
    """
    text = probes.probe("caches", "fake-engine", body).replace("import sys\n", "import json\nimport sys\n", 1)
    (fresh / "probes" / "fake" / "caches.py").write_text(text, encoding="utf-8")
    project.run(fresh, Choice(engine="fake-engine", release="2.0", probes=("caches",)))
    assert cells(evidence(fresh, "2.0"))["caches"].facts == {
        "loaders": ["SourceFileLoader"] * 3,
        "own": "ScratchLoader",
    }


def test_worker_itself_is_read_from_source(tmp_path: Path) -> None:
    """The server of the differential test runs the worker's functions, and the worker the loader's."""
    here = Path(worker.__file__).parent
    inside = tmp_path / "inside"
    inside.mkdir(parents=True)
    for name in ("worker.py", "source_loader.py", "zygote.py", "server.py"):
        (inside / name).write_bytes((here / name).read_bytes())
    for name in ("worker.py", "source_loader.py", "zygote.py"):
        plant(inside / name, "planted")
    read, write = os.pipe()
    command = [sys.executable, "-s", str(inside / "server.py"), str(write), "json"]
    environment = {"PATH": os.defpath, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, pass_fds=(write,), input=b"", env=environment, check=False, capture_output=True)
    os.close(write)
    with os.fdopen(read) as events:
        assert json.loads(events.readline())["fault"] is None, done.stderr
