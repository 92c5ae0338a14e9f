"""What several commands show on a terminal: the matrix, and texts cut to what a screen holds."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.reasons import Reason
from adk_probe.project.folder import Project
from adk_probe.report.text import render
from adk_probe.report.view import project_view

REASONS_SHOWN = 5
WORDS = 240


def matrix_text(project: Project, judgement: Judgement) -> str:
    """Return what a terminal shows of the matrix."""
    columns = max(80, shutil.get_terminal_size((120, 40)).columns)
    return render(project_view(project, judgement), columns).rstrip("\n")


def reason_lines(reasons: Iterable[Reason], more: str) -> list[str]:
    """Return a line a reason, of many only the first; ``more`` is the command that has all of them."""
    every = list(reasons)
    lines = [f"    {short(str(reason))}" for reason in every[:REASONS_SHOWN]]
    rest = len(every) - REASONS_SHOWN
    return [*lines, *([f"    and {rest} more reasons: `{more} --json`"] if rest > 0 else [])]


def short(text: str) -> str:
    """Return the first line of a text, cut where it is too long for a screen."""
    line = " ".join(text.split())
    return line if len(line) <= WORDS else f"{line[: WORDS - 1]}…"
