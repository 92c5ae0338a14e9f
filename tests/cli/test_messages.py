"""What a command says of a file that is wrong names that file, and the place in it."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake import project
from fake.commands import command

from adk_probe.cli import releases
from adk_probe.errors import EvidenceError, GateError, InfrastructureError, InputError
from adk_probe.execution import run
from adk_probe.generate import building
from adk_probe.project import config

GRAPHS = project.REPOSITORY / "probes" / "graphs"
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Say:
    """Return what runs a command here and gives its exit code and what it said."""
    monkeypatch.chdir(tmp_path)
    # what the entry sets for its process stays out of this one
    monkeypatch.setattr("_signal.signal", lambda *_: None)
    monkeypatch.setattr("sys.unraisablehook", None)
    monkeypatch.setattr("sys.argv", [])

    def told(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = command(arguments)
        return code, *capfd.readouterr()

    return told


def test_validate_names_the_file_in_each_line(say: Say, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    value = json.loads((GRAPHS / "critic-loop.ir.json").read_text(encoding="utf-8"))
    good = tmp_path / "sub" / "my.ir.json"
    good.write_text(json.dumps(value), encoding="utf-8")
    assert say("validate", "sub/my.ir.json") == (0, "sub/my.ir.json: valid\n", "")
    for node in value["nodes"]:
        node["id"] = node["name"] = "not a name"
    good.write_text(json.dumps(value), encoding="utf-8")
    code, out, err = say("validate", "sub/my.ir.json")
    assert (code, err) == (2, "")
    lines = out.splitlines()
    assert len(lines) > 1
    for line in lines:
        file, path, found, _ = line.split(": ", 3)
        assert file == "sub/my.ir.json"
        assert path
        assert found.isupper()
    good.write_text("{", encoding="utf-8")
    code, out, _ = say("validate", "sub/my.ir.json")
    assert (code, out[:36]) == (2, "sub/my.ir.json: (graph): NOT_JSON: m")
    refusal = (
        "adk-probe: none: cannot be read: No such file or directory\n  Check its path, and that you may read it.\n"
    )
    assert say("validate", "none") == (2, "", refusal)


def test_generate_names_the_file_that_it_refuses(say: Say, tmp_path: Path) -> None:
    (tmp_path / "my.ir.json").write_text('{"irVersion": "0.2.0"}', encoding="utf-8")
    code, out, err = say("generate", "my.ir.json")
    assert (code, out) == (2, "")
    assert err.startswith("adk-probe: my.ir.json: 4 finding(s)\n  - (graph): MISSING_KEY: ")
    (tmp_path / "my.ir.json").unlink()
    shutil.copy(GRAPHS / "critic-loop.ir.json", tmp_path / "my.ir.json")
    project.make(tmp_path / "project", "3.12")
    code, out, err = say("--root", "project", "generate", "my.ir.json", "--out", "made")
    assert (code, out) == (1, "")
    assert err.startswith("adk-probe: my.ir.json: no mechanism may be used")


# --------------------------------------------------------------------------------------- scenario files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with one graph that has a world, and scenarios of it."""
    root = tmp_path / "root"
    (root / "probes" / "graphs").mkdir(parents=True)
    shutil.copy(project.REPOSITORY / "matrix.toml", root)
    for name in ("remediation.ir.json", "remediation.scenarios.json", "cluster_model.py"):
        shutil.copy(GRAPHS / name, root / "probes" / "graphs")
    return root


def refused(root: Path, change: Callable[[dict[str, Any]], None]) -> InputError:
    path = root / "probes" / "graphs" / "remediation.scenarios.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        building.make(root, config.load(root / "matrix.toml"))
    assert caught.value.message.startswith("remediation.scenarios.json: ")
    return caught.value


def test_missing_answers_name_the_scenario_file(root: Path) -> None:
    def change(value: dict[str, Any]) -> None:
        for scenario in value["scenarios"][:2]:
            scenario["turns"][0]["answers"] = {}

    error = refused(root, change)
    assert error.message == "remediation.scenarios.json: 2 scenario(s) cannot be played"
    names = [each["name"] for each in json.loads((GRAPHS / "remediation.scenarios.json").read_bytes())["scenarios"]]
    for name, fault in zip(names, error.faults, strict=False):
        assert fault.startswith(f"{name} turn 1: answers.")
        assert "the run asks for one more: Add another entry to answers." in fault


def test_setup_that_the_world_does_not_take_names_scenario_and_file(root: Path) -> None:
    error = refused(root, lambda value: value["scenarios"][3].update(world={"unknown": 1}))
    name = json.loads((GRAPHS / "remediation.scenarios.json").read_bytes())["scenarios"][3]["name"]
    assert error.faults[0].startswith(f"{name}: the world cluster_model does not take {{'unknown': 1}}")


@pytest.mark.parametrize("name", ["", "a b", "../up", "a/b", "a\0b", "a--b", "é"])
def test_scenario_whose_name_is_no_file_s(root: Path, name: str) -> None:
    error = refused(root, lambda value: value["scenarios"][0].update(name=name))
    assert f"{name!a} must be letters and digits" in error.faults[0]


def test_world_that_is_not_there_names_the_scenario_file(root: Path) -> None:
    error = refused(root, lambda value: value.update(world="other"))
    assert error.message == "remediation.scenarios.json: there is no world 'other' beside the scenarios"
    (root / "probes" / "graphs" / "other.py").write_bytes(b"\xff")
    error = refused(root, lambda value: None)
    assert error.message == "remediation.scenarios.json: other.py: not UTF-8 at byte 0"
    (root / "probes" / "graphs" / "other.py").write_text("1 / 0", encoding="utf-8")
    error = refused(root, lambda value: None)
    assert error.message.startswith("remediation.scenarios.json: other.py: ZeroDivisionError")


# ------------------------------------------------------------------------------------- mistakes of ours


def test_answer_that_cannot_be_shown(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project.make(tmp_path / "project", "3.12")

    def broken(*_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(releases, "releases_text", broken)
    code, out, err = say("--root", "project", "releases")
    assert (code, out) == (3, "")
    assert err.startswith("adk-probe: the answer: cannot be made: KeyError: 'x' (test_messages.py, line ")
    assert "please report it" in err
    assert say("--root", "project", "releases", "--json")[0] == 0


def test_reader_that_has_seen_enough(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project.make(tmp_path / "project", "3.12")
    (tmp_path / "project" / "reports" / "results").mkdir()
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as nobody:
        monkeypatch.setattr("sys.stdout", nobody)
        # its exit code answers what was asked all the same
        code, _, err = say("--root", "project", "allowed", "--engine", "fake-engine", "--release", "2.0")
    assert (code, err) == (3, "")


def test_engine_that_puts_a_pipe_in_the_place_of_its_output(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "output")
    watch: Any = SimpleNamespace(code=lambda: 3)
    job: Any = SimpleNamespace(redact={})
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(run._died_importing(watch, job, tmp_path)), daemon=True)
    thread.start()
    thread.join(20)
    assert [each.message for each in found] == ["importing the engine ended the interpreter (exit code 3)"]


@pytest.mark.parametrize(
    "words",
    [
        ("allowed", "--release", "2.0.0", "--release", "2.1.0"),
        ("allowed", "--release=2.0.0", "--python", "3.12", "--python=3.12"),
        ("run", "--lane", "today", "--engine", "loopgraph", "--lane", "today"),
        ("--root", ".", "--root", "..", "releases"),
    ],
)
def test_an_option_with_one_value_is_named_once(say: Say, words: tuple[str, ...]) -> None:
    code, out, err = say(*words)
    assert (code, out) == (2, "")
    assert "is there more than once" in err
    # behind an argument too
    assert "is there more than once" in say("explain", "import", "--release", "1", "--release", "2")[2]


def test_an_option_that_may_be_repeated_is_no_fault(say: Say) -> None:
    _, _, err = say("allowed", "--release", "2.0.0", "--mechanism", "a", "--mechanism", "b", "--json", "--json")
    assert "no matrix.toml" in err


@pytest.mark.parametrize(
    ("installed", "expected"),
    [("1.2", "1.2"), (None, "unknown: it is run from its source and not installed")],
)
def test_version_is_shown_installed_or_not(
    say: Say, monkeypatch: pytest.MonkeyPatch, installed: str | None, expected: str
) -> None:
    def version(name: str) -> str:
        if installed is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert say("--version") == (0, f"adk-probe, version {expected}\n", "")


def test_every_refusal_says_what_to_do_next() -> None:
    package = project.REPOSITORY / "src" / "adk_probe"
    kinds = {kind.__name__ for kind in (InputError, EvidenceError, GateError, InfrastructureError)}
    silent = []
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds:
                hint = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "hint")]
                if not hint or (isinstance(hint[0], ast.Constant) and not hint[0].value):
                    silent.append(f"{file.relative_to(package)}:{node.lineno}")
    assert silent == []
