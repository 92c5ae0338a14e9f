"""The script that runs probes again under load: what it says of probes that differ from run to run, and of others."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from fake import probes
from fake.project import REPOSITORY

import adk_probe


@pytest.fixture(scope="module")
def repeat() -> ModuleType:
    spec = importlib.util.spec_from_file_location("repeat_script", REPOSITORY / "benchmarks" / "repeat.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def command(repeat: ModuleType, fresh: Path, python: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], int]:
    """Return what runs the script once idle and once under load, in a project of the fake engine."""
    texts = {
        "steady": "claim.measure('pid', __import__('os').getpid())\nclaim.fact('same', 1)\n",
        "changing": "claim.fact('pid', __import__('os').getpid())\n",
    }
    for name, body in texts.items():
        text = probes.probe(name, "fake-engine", body)
        (fresh / "probes" / "fake" / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(Path(adk_probe.__file__).parents[1]))

    def run(probe: str, release: str) -> int:
        arguments = [probe, "--engine", "fake-engine", "--release", release, "--python", python, "--root", str(fresh)]
        monkeypatch.setattr(sys, "argv", ["repeat.py", *arguments, "--times", "1", "--load", "1"])
        return int(repeat.main())

    return run


def test_a_probe_whose_measures_differ_is_steady(
    command: Callable[[str, str], int], capsys: pytest.CaptureFixture[str], fresh: Path
) -> None:
    assert command("steady", "1.1") == 0
    assert "pass each time in 2 runs" in capsys.readouterr().out
    # the project's own evidence and environments are left alone
    assert sorted(path.name for path in (fresh / "reports").iterdir()) == ["releases.json"]
    assert not (fresh / ".adk-probe").exists()


def test_a_probe_whose_facts_differ_is_named(
    command: Callable[[str, str], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("[cs]*ing", "1.1") == 1
    said = capsys.readouterr().out
    assert "changing on fake-engine-1.1" in said
    assert "DIFFERS" in said
    assert 'facts, 1 of 2: {"pid": ' in said


@pytest.mark.parametrize(
    ("probe", "release", "code", "words"),
    [
        ("no-such-probe", "1.1", 2, "no probe no-such-probe"),
        ("steady", "99", 2, "99"),
        ("steady", "1.2", 3, "the engine is broken"),
    ],
)
def test_what_cannot_be_run_is_no_answer(
    command: Callable[[str, str], int],
    capsys: pytest.CaptureFixture[str],
    probe: str,
    release: str,
    code: int,
    words: str,
) -> None:
    assert command(probe, release) == code
    assert words in capsys.readouterr().err


def test_each_value_is_counted(repeat: ModuleType) -> None:
    passes, fails = {"outcome": "pass", "message": "m"}, {"outcome": "fail", "message": "m"}
    runs = [{"a": passes, "b": passes}, {"a": fails, "b": passes}, {"a": passes}]
    assert repeat.differences(runs) == {
        "a": ['outcome, 2 of 3: "pass"', 'outcome, 1 of 3: "fail"'],
        "b": [
            'message, 2 of 3: "m"',
            "message, 1 of 3: null",
            'outcome, 2 of 3: "pass"',
            'outcome, 1 of 3: "missing"',
        ],
    }
