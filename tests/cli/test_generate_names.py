"""A project must not be imported in the place of a package that it needs."""

from __future__ import annotations

import json
from pathlib import Path

import paper
import pytest
from fake.project import REPOSITORY


@pytest.mark.parametrize("name", ["one", "other", "__init__", "__main__"])
def test_a_name_that_is_taken_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    root = paper.make(tmp_path / "project")
    graph = json.loads((REPOSITORY / "probes/graphs/critic-loop.ir.json").read_text(encoding="utf-8"))
    file = tmp_path / "my.ir.json"
    file.write_text(json.dumps({**graph, "name": name}), encoding="utf-8")
    answer = paper.call(root, capsys, monkeypatch, "generate", str(file), "--out", str(tmp_path / "out"))
    assert answer.code == 2
    assert f"my.ir.json: the graph's name {name!r} is that of a package" in answer.err
    assert not (tmp_path / "out").exists()
