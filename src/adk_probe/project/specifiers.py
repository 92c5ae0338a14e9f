"""Versions and PEP 440 specifiers as people write them, and what is wrong with one; pure."""

from __future__ import annotations

from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

NEWEST = "newest"
# no version is as long; beyond some thousand digits Python does not even read a number
LONGEST = 200


def clauses_of(text: str) -> tuple[Specifier, ...]:
    """Return the clauses of a PEP 440 specifier, in a stable order.

    Raises:
        InvalidSpecifier: it is none, has no clause, or compares texts (``===``), which says nothing of versions.
    """
    if len(text) > LONGEST:
        raise InvalidSpecifier("longer than any specifier")
    clauses = tuple(sorted(SpecifierSet(text), key=str))
    if not clauses:
        raise InvalidSpecifier("empty")
    if any(clause.operator == "===" for clause in clauses):
        raise InvalidSpecifier("=== compares texts; write ==")
    return clauses


def specifier(text: str) -> SpecifierSet:
    """Return a PEP 440 specifier; a bare version means only that version.

    Raises:
        InvalidSpecifier: it is neither.
    """
    text = text.strip()
    if text[:1].isdigit():
        text = f"=={text}"
    clauses_of(text)
    return SpecifierSet(text)


def release_fault(text: str) -> str | None:
    """Return what is wrong with a release choice (``newest`` or a PEP 440 version or specifier), if anything."""
    if text.strip() == NEWEST:
        return None
    try:
        specifier(text)
    except InvalidSpecifier:
        shown = repr(text) if len(text) <= LONGEST else f"a text of {len(text)} characters"
        return f"{shown} is neither {NEWEST!r} nor a PEP 440 version or specifier (=== is not understood)"
    return None


def bounded_below(chosen: SpecifierSet, lowest: str) -> SpecifierSet:
    """Return a specifier with a lower end: its own, or else ``lowest``."""
    has_one = any(clause.operator in (">=", ">", "~=", "==") for clause in chosen)
    return chosen if has_one else chosen & SpecifierSet(f">={lowest}")


def exact(chosen: SpecifierSet) -> Version | None:
    """Return the one version that a specifier names; None where it is a range."""
    parts = list(chosen)
    if len(parts) == 1 and parts[0].operator == "==" and not parts[0].version.endswith(".*"):
        return Version(parts[0].version)
    return None


def reaches_beyond(chosen: SpecifierSet, newest: Version) -> bool:
    """Whether a specifier holds for a version that comes after another one."""
    clauses = list(chosen)
    # where it ends or has a hole, the next version after that; and as many steps as there can be holes
    bases = [newest]
    for clause in clauses:
        try:
            bases.append(Version(clause.version.removesuffix(".*")))
        except InvalidVersion:
            continue
    steps = range(1, len(clauses) + 2)
    following = [Version(f"{newest.major + 1000}"), *bases]
    for base in bases:
        following += [Version(f"{base.major}.{base.minor}.{base.micro + step}") for step in steps]
        following += [Version(f"{base.major}.{base.minor + step}") for step in steps]
        following += [Version(f"{base.major + step}") for step in steps]
        following.append(Version(f"{base.base_version}.post{(base.post or 0) + 1}"))
    return any(version > newest and chosen.contains(version) for version in following)
