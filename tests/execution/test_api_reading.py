"""What is read of a wheel without importing it: public names, lazy ones, signatures and deprecations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fake.wheels import wheel

from adk_probe.evidence.surface import Found, Parameter, Surface
from adk_probe.execution.api_reading import read


def surface(folder: Path, files: Mapping[str, str]) -> Surface:
    made = wheel("made-up", "1.0", files, "2024-01-01T00:00:00Z")
    path = folder / made.filename
    path.write_bytes(made.data)
    return read(path, "top.pack")


def symbols(found: Surface) -> list[str]:
    return [f"{module}:{name}" for module, name in found.symbols()]


def test_public_are_names_of_public_modules_and_of_their_all(tmp_path: Path) -> None:
    found = surface(
        tmp_path,
        {
            "top/pack/__init__.py": "from .shown import Shown\nfrom ._hidden import Inner\nimport os\n_own = 1\n",
            "top/pack/shown.py": "class Shown: pass\nclass _Not: pass\nfrom ._hidden import Inner\n",
            "top/pack/_hidden.py": "class Inner: pass\n",
            "top/pack/listed.py": "__all__ = ['Listed']\nclass Listed: pass\nclass Unlisted: pass\n",
            "top/other/__init__.py": "class Elsewhere: pass\n",
        },
    )
    assert symbols(found) == ["top.pack:Shown", "top.pack:Inner", "top.pack.listed:Listed", "top.pack.shown:Shown"]
    inner = found.find("top.pack", "Inner")
    assert inner is not None
    assert inner.origin == "top.pack._hidden.Inner"
    # not offered, and there all the same
    assert found.find("top.pack.listed", "Unlisted") is not None
    assert found.find("top.pack.listed", "Nothing") is None


def test_names_that_getattr_answers(tmp_path: Path) -> None:
    checking = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  from .a import A\n  from .a import Never\n"
    table = "_MAP = {'A': '.a', 'B': ('..pack.a', 'Other'), 'C': 'a'}\n"
    compared = "def __getattr__(name):\n  if name == 'D':\n    from . import a\n    return a.A\n"
    found = surface(
        tmp_path,
        {
            "top/pack/__init__.py": f"{checking}{table}__all__ = list(_MAP)\n{compared}",
            "top/pack/assigned.py": "_MEMBERS = {'A': 'top.pack.a'}\n__getattr__, __dir__ = make(_MEMBERS)\n",
            "top/pack/a.py": "class A: pass\nclass Other: pass\nclass C: pass\nclass Never: pass\n",
            "top/pack/plain.py": checking,
        },
    )
    assert {"top.pack:A", "top.pack:B", "top.pack:C", "top.pack:D", "top.pack.assigned:A"} <= {*symbols(found)}
    origins = {name: (found.find("top.pack", name) or Found("")).origin for name in "ABCD"}
    assert origins == {"A": "top.pack.a.A", "B": "top.pack.a.Other", "C": "top.pack.a.C", "D": ""}
    # what only type checkers import is not there
    assert found.find("top.pack.plain", "A") is None


def test_signatures_fields_and_deprecations(tmp_path: Path) -> None:
    text = """
from typing import ClassVar
from pydantic import BaseModel, Field
from typing_extensions import deprecated

class Model(BaseModel):
    a: int
    b: int = 1
    c: int = Field(description="x, default none")
    d: int = Field(default=1)
    e: ClassVar[int]

    @property
    def f(self) -> int: ...

    @staticmethod
    def g(one): ...

    def h(self, one, /, two=1, *three, four, **five): ...

@deprecated("use Model")
def old(): ...

Alias = Model
"""
    warns = "import warnings\nwarnings.warn('use top.pack', DeprecationWarning)\n"
    files = {"top/pack/__init__.py": text, "top/pack/warns.py": warns, "top/pack/bad.py": "def (\n"}
    found = surface(tmp_path, files)
    names = found.modules["top.pack"].names
    model = names["Model"]
    assert model.model
    assert [name for name, member in model.members.items() if member.required] == ["a", "c"]
    assert model.members["g"].parameters == (Parameter("one", "either", True),)
    assert model.members["h"].parameters == (
        Parameter("one", "positional", True),
        Parameter("two", "either", False),
        Parameter("three", "args", False),
        Parameter("four", "keyword", True),
        Parameter("five", "kwargs", False),
    )
    assert names["old"].deprecated == "use Model"
    assert (found.find("top.pack", "Alias") or Found("")).origin == "top.pack.Model"
    assert found.modules["top.pack.warns"].deprecated == "use top.pack"
    assert found.modules["top.pack.bad"].fault == "SyntaxError"
    assert [origin for origin, _ in found.lineage("top.pack.Model")] == ["top.pack.Model", "pydantic.BaseModel"]
