"""A run that has nothing to do says so at once; it shows the matrix only to whoever asked about a part of it."""

from __future__ import annotations

from pathlib import Path

import paper
import pytest


def test_a_run_without_work_is_short(
    fresh: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = (fresh / "matrix.toml").read_text(encoding="utf-8")
    one = declared.replace('releases = ["1.0", "1.1", "newest"]', 'releases = ["newest"]')
    one = one.replace('releases = ["0.9"]', 'releases = ["newest"]').replace('"as-released", ', "")
    (fresh / "matrix.toml").write_text(one, encoding="utf-8")
    first = paper.call(fresh, capsys, monkeypatch, "run", "--no-fetch")
    assert first.code == 0
    assert "fake-engine: " in first.out
    again = paper.call(fresh, capsys, monkeypatch, "run", "--no-fetch")
    assert (again.code, again.out) == (0, "")
    assert again.err == "nothing has changed: no target had to run again\n`adk-probe report` shows the matrix\n"
    narrow = paper.call(fresh, capsys, monkeypatch, "run", "--no-fetch", "--probe", "loop")
    assert narrow.code == 0
    assert "loop" in narrow.out
    assert paper.call(fresh, capsys, monkeypatch, "run", "--no-fetch", "--json").json()["run"]
