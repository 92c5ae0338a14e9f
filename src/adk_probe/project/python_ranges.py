"""Which Pythons a text means: evidence stands for a whole minor version, so a text must not divide one; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from adk_probe.errors import InputError
from adk_probe.model import python_order
from adk_probe.project.specifiers import bounded_below, clauses_of

LAST_PATCH = 99
HOW = "Write 3.12, '>=3.11', '<3.14', '!=3.12.*' or several of these with commas between them."


def pythons_in(text: str, declared: Sequence[str]) -> tuple[str, ...]:
    """Return the Pythons that a text means: ``3.12`` that one, a PEP 440 specifier the declared ones that fit.

    Raises:
        InputError: it is neither, means none, or means only some patch releases of one.
    """
    text = text.strip()
    names = f"matrix.toml names {', '.join(declared)}; a new one goes into [settings] pythons."
    if text in declared:
        return (text,)
    try:
        clauses = clauses_of(text)
    except InvalidSpecifier:
        clauses = ()
    if not clauses:
        raise InputError(f"--python {text}: neither a declared Python like 3.12 nor a PEP 440 specifier", names)
    for clause in clauses:
        if divided := next((each for each in declared if _divides(clause, each)), None):
            raise InputError(
                f"--python {text}: {clause} means only some patch releases of Python {divided}, "
                "and evidence stands for all of them",
                HOW,
            )
    chosen = SpecifierSet(text)
    found = tuple(each for each in declared if chosen.contains(f"{each}.0"))
    if not found:
        raise InputError(f"--python {text}: no declared Python fits", names)
    return found


def _divides(clause: Specifier, python: str) -> bool:
    """Whether a clause holds for some patch releases of a Python and not for others."""
    patches = {0, 1, LAST_PATCH}
    try:
        micro = Version(clause.version.removesuffix(".*")).micro
        patches |= {max(0, micro - 1), micro, micro + 1}
    except InvalidVersion:
        pass
    return len({clause.contains(f"{python}.{patch}") for patch in patches}) > 1


def specifier_of(text: str, found: Iterable[str]) -> str:
    """Return what a project's ``requires-python`` says for a text and the Pythons that it means.

    A bare Python means all of its patch releases; what is open below starts at the oldest that was meant.
    """
    oldest = min(found, key=python_order)
    text = text.strip()
    if text[:1].isdigit():
        return f"=={text}.*"
    return str(bounded_below(SpecifierSet(text), oldest))
