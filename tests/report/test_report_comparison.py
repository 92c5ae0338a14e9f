"""A comparison of engines in words."""

from __future__ import annotations

from pathlib import Path

import msgspec
from samples import target
from test_comparison import FAIL, PASS, compared, evidence

from adk_probe.evidence.comparison import Comparison
from adk_probe.project.config import Compared
from adk_probe.report.comparison import render_markdown, render_text


def test_it_is_shown_as_text_and_as_markdown(tmp_path: Path) -> None:
    by = (Compared("a | b", claims={"one": ("a", "b")}), Compared("size", record="size"))
    document = compared(tmp_path, evidence(target(), ("a", PASS), ("b", FAIL)), by=by)
    text = render_text(document)
    assert "no (1 of 2 false)" in text
    assert "b (fail on 1): b holds: b said" in text
    assert "reports/results/one-1.0-py3.12-today.json" in text
    shown = render_markdown(document)
    assert "| a \\| b | no (1 of 2 false) [1](#note-1) |" in shown
    assert '1. <a id="note-1"></a>a (pass on 1): a holds; b (fail on 1)' in shown
    assert "[3.12](reports/results/one-1.0-py3.12-today.json)" in shown
    assert msgspec.json.decode(msgspec.json.encode(document), type=Comparison) == document
