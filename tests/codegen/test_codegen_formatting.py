"""What people wrote in a body stays, imports for what they do included; what a template offers and nobody uses goes."""

from __future__ import annotations

import ast

import pytest

from adk_probe.codegen.source.formatting import format_python

HEAD = "import datetime\nfrom typing import Any, Optional\n\n\n"


def inner(source: str) -> list[str]:
    """The modules that functions import, in order."""
    names = []
    for function in ast.parse(source).body:
        if isinstance(function, ast.FunctionDef):
            found = (node for node in ast.walk(function) if isinstance(node, ast.Import))
            names += [alias.name for node in found for alias in node.names]
    return names


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_imports_in_bodies_stay(end: str) -> None:
    body = end.join(
        ["def step(node_input: Any) -> str:", "    import zlib, json", "    import abc; x = 1", "    return 'a'"]
    )
    made = format_python({"functions.py": f"{HEAD}{body}\n"})["functions.py"]
    assert sorted(inner(made)) == ["abc", "json", "zlib"]
    assert "import datetime" not in made
    assert "Optional" not in made
    assert "from typing import Any" in made


def test_other_modules_lose_what_nothing_uses() -> None:
    made = format_python({"workflow.py": f"{HEAD}def step(node_input: Any) -> str:\n    return 'a'\n"})["workflow.py"]
    assert made.splitlines()[0] == "from typing import Any"
