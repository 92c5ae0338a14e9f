"""Support code: it is real Python here, imports without an engine, and is copied as it is with what it needs."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from codegen_samples import corpus
from stand_ins import engines

from adk_probe import codegen
from adk_probe.codegen import mechanisms
from adk_probe.codegen.emit import SUPPORT_HEADER
from adk_probe.codegen.source.support import Support

PACKAGES = {way.engine: type(way).__module__.rpartition(".")[0] for way in mechanisms().values()}
"""By engine, the package here that generates for it."""

MODULES = [
    f"{package}.support.{name}"
    for package in PACKAGES.values()
    for name in sorted(Support(Path(str(importlib.import_module(package).__file__)).parent).names)
]


@pytest.mark.parametrize("name", MODULES)
def test_a_support_module_can_be_imported_here(name: str) -> None:
    with engines():
        module = importlib.import_module(name)
    assert module.__doc__
    ast.parse(Path(str(module.__file__)).read_bytes(), feature_version=(3, 9))


def test_what_is_copied_is_byte_for_byte_what_is_here() -> None:
    head = f"# {SUPPORT_HEADER}\n".encode()
    shared = Path(str(codegen.__file__)).parent / "support"
    for (_, name), files in corpus().items():
        engine = Path(str(importlib.import_module(PACKAGES[mechanisms()[name].engine]).__file__)).parent / "support"
        for path, text in files.items():
            if path.startswith("support/"):
                file = Path(path).name
                source = shared / file if (shared / file).is_file() else engine / file
                assert text.encode() == head + source.read_bytes(), path


def test_a_project_has_all_that_its_modules_import() -> None:
    known = {name.rpartition(".")[2] for name in MODULES}
    for (stem, name), files in corpus().items():
        for path, text in files.items():
            if path.endswith(".py"):
                found = known & set(_from_support(ast.parse(text), inside=path.startswith("support/")))
                assert {f"support/{each}.py" for each in found} <= set(files), f"{stem}, {name}: {path}"


def _from_support(tree: ast.Module, *, inside: bool) -> Iterator[str]:
    """The names that a module of a project takes from the package ``support``, modules or not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            module = (node.module or "") if inside else (node.module or "").partition("support")[2].removeprefix(".")
            yield from [module] if module else [alias.name for alias in node.names]


def test_modules_come_with_what_they_import(tmp_path: Path) -> None:
    (tmp_path / "support").mkdir()
    for name, text in {
        "a": "from . import b\n",
        "b": "from .c import thing, other\nfrom . import thing_of_the_package\n",
        "c": "import json\n",
        "d": "from . import a\n",
    }.items():
        (tmp_path / "support" / f"{name}.py").write_text(text, encoding="utf-8")
    support = Support(tmp_path)
    assert {"a", "b", "c", "d", "values", "guarding"} <= support.names
    found = support.files("a")
    assert list(found) == ["support/__init__.py", "support/a.py", "support/b.py", "support/c.py"]
    assert found["support/c.py"] == "import json\n"
    with pytest.raises(KeyError):
        support.files("nonsense")
