"""``api`` compares two releases by their wheels, and ``upgrade`` cites it for what probes use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import paper
import pytest
from fake.server import Index, Trick
from fake.wheels import Dist, wheel
from paper import keep, target

from adk_probe.cli import newest
from adk_probe.model import Outcome
from adk_probe.project.folder import open_project
from adk_probe.project.plan import Choice

OLD = "def go(x): ...\ndef gone(): ...\ndef moved(a, b): ...\n"
NEW = "from typing_extensions import deprecated\n@deprecated('use stay')\ndef go(y): ...\nfrom one.other import moved\n"
USING = "from one import go, gone\ngo(x=1)\n"


def dists() -> list[Dist]:
    rows = {"1.0": OLD, "1.1": OLD, "2.0": NEW}
    other = {"one/other.py": "def moved(a, b): ...\n"}
    return [
        wheel("dist-one", version, {"one/__init__.py": text, **(other if text is NEW else {})}, "2024-01-01T00:00:00Z")
        for version, text in rows.items()
    ]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    for name in ("UV_INDEX_URL", "PIP_INDEX_URL", "UV_OFFLINE", "ADK_PROBE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with Index(dists()) as found:
        monkeypatch.setenv("UV_DEFAULT_INDEX", found.address)
        yield found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return paper.make(tmp_path)


def run(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[int, str, str]:
    done = paper.call(root, capsys, monkeypatch, *words)
    return done.code, done.out, done.err


def test_worst_first_and_each_wheel_is_fetched_once(
    served: Index, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(root, capsys, monkeypatch, "api", "--from", "1.0", "--to", "2.0")
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "one 1.0 → 2.0: 3 public symbols, then 3",
        "  1 gone, 1 called otherwise, 1 deprecated",
        "gone",
        "  one:gone",
        "called otherwise",
        "  one:go: parameter x is called y",
        "deprecated",
        "  one:go: use stay",
    ]
    asked = len(served.requests)
    code, out, _ = run(root, capsys, monkeypatch, "api", "--from", "1.0", "--to", "newest", "--json")
    assert (code, json.loads(out)["changes"][0]["symbol"]) == (1, "one:gone")
    assert len(served.requests) == asked
    assert run(root, capsys, monkeypatch, "api", "--from", "1.0", "--to", "1.1")[:2] == (
        0,
        "one 1.0 → 1.1: 3 public symbols, then 3\n  nothing is gone or called otherwise\n",
    )


def test_a_kept_wheel_that_was_damaged_is_fetched_again(
    served: Index, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(root, capsys, monkeypatch, "api", "--from", "1.0", "--to", "2.0")
    for path in (root / ".adk-probe" / "wheels").glob("*/*.whl"):
        path.write_bytes(b"nothing")
    assert run(root, capsys, monkeypatch, "api", "--from", "1.0", "--to", "2.0")[0] == 1


@pytest.mark.parametrize("trick", [Trick.CUT, Trick.SHORT, Trick.OTHER, 500, 404])
def test_a_wheel_that_does_not_arrive_cannot_tell(
    served: Index, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, trick: Trick | int
) -> None:
    served.tricks["/files/dist_one-2.0-py3-none-any.whl"] = trick
    code, out, err = run(root, capsys, monkeypatch, "api", "--from", "1.0", "--to", "2.0")
    assert (code, out) == (3, "")
    assert "the wheel of Dist-One 2.0 cannot be had" in err
    assert served.address not in err


def test_wrong_input_and_no_network(
    served: Index, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(root, capsys, monkeypatch, "api", "--from", ">=1", "--to", "2.0")[0] == 2
    assert run(root, capsys, monkeypatch, "api", "--from", "7.0", "--to", "2.0")[0] == 2
    monkeypatch.setenv("UV_OFFLINE", "1")
    code, _, err = run(root, capsys, monkeypatch, "api", "--from", "1.0", "--to", "2.0")
    assert code == 3
    assert "UV_OFFLINE forbids the network" in err


def test_upgrade_cites_what_probes_use(
    served: Index, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        path = root / "probes" / "one" / f"{name}.py"
        path.write_text(path.read_text(encoding="utf-8") + USING, encoding="utf-8")
    for release in ("1.0", "2.0"):
        keep(root, target(release), dict.fromkeys("abc", Outcome.PASS))
    words = "upgrade", "--from", "1.0", "--to", "2.0"
    code, out, err = run(root, capsys, monkeypatch, *words)
    assert (code, err) == (0, "")
    assert out.split("symbols that probes use")[1].splitlines() == [
        ", by the wheels of both (`adk-probe api` has all symbols)",
        "  gone",
        "    one:gone [a, b]",
        "  called otherwise",
        "    one:go: parameter x is called y [a, b]",
        "  deprecated",
        "    one:go: use stay [a, b]",
    ]
    assert "| one:gone | gone |  | a, b |" in run(root, capsys, monkeypatch, *words, "--format", "markdown")[1]
    told = json.loads(run(root, capsys, monkeypatch, *words, "--json")[1])
    assert told["api"]["changes"][0]["probes"] == ["a", "b"]


def test_upgrade_answers_without_the_wheels(
    served: Index, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    served.tricks["/simple/dist-one/"] = 500
    keep(root, target("1.0"), dict.fromkeys("abc", Outcome.PASS))
    keep(root, target("2.0"), {"a": Outcome.PASS, "b": Outcome.FAIL, "c": Outcome.PASS})
    code, out, _ = run(root, capsys, monkeypatch, "upgrade", "--from", "1.0", "--to", "2.0")
    assert code == 1
    assert out.startswith("one 1.0, Python 3.12, today → 2.0")
    assert "symbols that probes use: not compared, since the wheel of Dist-One 1.0 cannot be had (HTTPError)" in out


@pytest.mark.parametrize(("trick", "order"), [(0, ["c", "a", "b"]), (500, ["a", "b", "c"])])
def test_what_uses_a_changed_symbol_runs_first(
    served: Index, root: Path, capsys: pytest.CaptureFixture[str], trick: int, order: list[str]
) -> None:
    path = root / "probes" / "one" / "c.py"
    path.write_text(path.read_text(encoding="utf-8") + USING, encoding="utf-8")
    keep(root, target("1.0"))
    if trick:
        served.tricks["/simple/dist-one/"] = trick
    project = open_project(root)
    planned = newest.untested(project, project.plan(Choice(release=">=1", engine="one", python="3.12")))
    found = newest.changed_first(project, planned)
    names = {item.target.release: [probe.id for probe in item.probes] for item in found}
    assert names == {"1.1": ["a", "b", "c"], "2.0": order}
