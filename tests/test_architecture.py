"""The house stands as it is drawn: contracts, folders and the table of ``docs/architecture.md`` say the same."""

from __future__ import annotations

import ast
import itertools
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "adk_probe"
PAGE = "docs/architecture.md"
# support code: data here, modules in the projects that it is copied into
COPIED = "support"


def contracts() -> list[dict[str, object]]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found: list[dict[str, object]] = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    return found


def wings() -> list[str]:
    """Return the names of the contract of layers, from top to bottom."""
    (layers,) = (each["layers"] for each in contracts() if each.get("containers") == ["adk_probe"])
    assert isinstance(layers, list)
    return [name.strip() for layer in layers for name in layer.split("|")]


def packages(folder: Path) -> list[Path]:
    """Return a package and those in it, each before what is inside it; not those that are copied into projects."""
    inner = [path for path in sorted(folder.iterdir()) if (path / "__init__.py").is_file() and path.name != COPIED]
    return [folder, *(package for each in inner for package in packages(each))]


def modules(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")


def idea(file: Path) -> str:
    """Return the first line of a module's docstring, as the table has it."""
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    assert told, f"{file.relative_to(ROOT)} does not say its idea"
    return told.splitlines()[0].rstrip(".").replace("``", "`").replace("|", "\\|")


def table() -> list[str]:
    """Return the lines of the table that the contract of layers and the folders make."""
    lines = ["| wing | idea | modules |", "| --- | --- | --- |"]
    for name in wings():
        if (PACKAGE / f"{name}.py").is_file():
            lines.append(f"| `{name}` | {idea(PACKAGE / f'{name}.py')} | |")
            continue
        for package in packages(PACKAGE / name):
            within = ", ".join(f"`{module}`" for module in modules(package))
            place = package.relative_to(PACKAGE).as_posix()
            lines.append(f"| `{place}/` | {idea(package / '__init__.py')} | {within} |")
    return lines


def test_the_contract_names_every_wing() -> None:
    there = {path.stem for path in PACKAGE.glob("*.py")} | {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(wings()) == sorted(there - {"__init__", "adk_probe"})


def test_the_page_says_what_the_contract_and_the_folders_say() -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8").splitlines()
    start = page.index("| wing | idea | modules |")
    told = list(itertools.takewhile(lambda line: line.startswith("|"), page[start:]))
    assert told == table(), f"write this table into {PAGE}:\n" + "\n".join(table())


def test_what_runs_in_a_target_may_import_no_wing() -> None:
    (contract,) = (each for each in contracts() if each.get("source_modules") == ["adk_probe.inside"])
    forbidden = contract["forbidden_modules"]
    assert isinstance(forbidden, list)
    assert {f"adk_probe.{name}" for name in wings() if name not in ("inside", "__main__")} <= set(forbidden)


def test_every_folder_of_modules_says_its_idea() -> None:
    for file in PACKAGE.rglob("*.py"):
        if COPIED not in file.relative_to(PACKAGE).parts:
            assert idea(file.parent / "__init__.py")


def test_tests_mirror_the_package() -> None:
    """A folder of tests is a package's, or one of the repository's own, such as ``probes``."""
    folders = {file.parent.relative_to(ROOT / "tests") for file in (ROOT / "tests").rglob("test_*.py")}
    assert [each for each in folders if not ((PACKAGE / each).is_dir() or (ROOT / each).is_dir())] == []
