"""Two environments are mixed so that everything finds what it requires."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.markers import default_environment
from packaging.requirements import Requirement

from adk_probe.execution.dependencies import Mixture, Package

MARKERS = {key: str(value) for key, value in default_environment().items()}


def environment(**packages: str) -> dict[str, Package]:
    """Return an environment; ``api="2.0 helper, other>=2"`` is a package with what it requires."""
    found = {}
    for name, text in packages.items():
        version, _, requires = text.partition(" ")
        found[name] = Package(name, version, tuple(each.strip() for each in requires.split(",") if each.strip()))
    return found


def mixture(old: dict[str, Package], new: dict[str, Package], root: str = "engine") -> Mixture:
    return Mixture(old, new, [root], MARKERS)


def test_what_is_bound_together_moves_together_and_what_nobody_requires_goes() -> None:
    old = environment(engine="1 sdk, other", sdk="1 api==1", api="1 helper", helper="1 deep", deep="1", other="1")
    new = environment(engine="1 sdk, other", sdk="2 api==2", api="2 fresh", fresh="5", other="2")
    both = mixture(old, new)
    assert both.changes == ("api", "other", "sdk")
    assert both.needs == {"api": {"api", "sdk"}, "sdk": {"api", "sdk"}, "other": {"other"}}
    assert both.pins(frozenset(["api", "sdk"])) == ("api==2", "engine==1", "fresh==5", "other==1", "sdk==2")
    assert both.pins(frozenset(["other"])) == (*("api==1", "deep==1", "engine==1", "helper==1", "other==2", "sdk==1"),)
    assert both.requirers("helper", old) == ("api",)


def test_a_lower_bound_binds_one_way() -> None:
    old = environment(engine="1 a, b", a="1 b", b="1")
    new = environment(engine="1 a, b", a="2 b>=2", b="2")
    assert mixture(old, new).needs == {"a": {"a", "b"}, "b": {"b"}}


def test_what_goes_is_bound_to_what_requires_its_old_partner() -> None:
    # while `gone` is there it needs b 1, so b cannot move unless a, which requires `gone`, moves too
    old = environment(engine="1 a, b", a="1 gone", b="1", gone="1 b<2")
    new = environment(engine="1 a, b", a="2", b="2")
    assert mixture(old, new).needs == {"a": {"a"}, "b": {"a", "b"}}


def test_extras_and_markers_bind_only_where_they_hold() -> None:
    old = environment(engine="1 a[x], b, c", a="1", b="1", c="1")
    new = environment(engine="1 a[x], b, c", a='2 b>=2; extra == "x", c>=2; python_version < "3"', b="2", c="2")
    assert mixture(old, new).needs["a"] == {"a", "b"}


def test_two_releases_differ_by_the_engine_too() -> None:
    old = environment(engine="1 a", a="1", b="1")
    new = environment(engine="2 a>=2", a="2", b="2")
    both = mixture(old, new)
    assert both.needs["engine"] == {"engine", "a"}
    assert both.pins(both.needs["engine"]) == ("a==2", "b==1", "engine==2")


NAMES = ("a", "b", "c", "d", "e")


@st.composite
def environments(draw: st.DrawFn) -> tuple[dict[str, Package], dict[str, Package]]:
    """Return two environments that a resolver could give: consistent, and nothing in them that nobody requires."""

    def one(versions: dict[str, int]) -> dict[str, Package]:
        wanted = {name: draw(st.sets(st.sampled_from(NAMES), max_size=3)) - {name} for name in NAMES}
        bounds = {0: "", 1: "=={}", 2: ">={}", 3: "<={}"}
        found, left = {}, ["engine"]
        while left:
            name = left.pop()
            if name in found:
                continue
            others = (
                sorted(wanted[name]) if name != "engine" else sorted(draw(st.sets(st.sampled_from(NAMES), min_size=1)))
            )
            lines = (f"{each}{bounds[draw(st.integers(0, 3))].format(versions[each])}" for each in others)
            found[name] = Package(name, str(versions[name]), tuple(lines))
            left += others
        return found

    versions = st.fixed_dictionaries({name: st.integers(1, 2) for name in NAMES})
    old, new = one({**draw(versions), "engine": 1}), one({**draw(versions), "engine": 2})
    # the same version has the same requirements everywhere
    for name in old.keys() & new.keys():
        if old[name].version == new[name].version and old[name] != new[name]:
            new[name] = Package(name, f"{new[name].version}.post1", new[name].requires)
    return old, new


@settings(deadline=None)
@given(environments())
def test_every_mixture_is_consistent_and_holds_nothing_that_nobody_requires(
    drawn: tuple[dict[str, Package], dict[str, Package]],
) -> None:
    old, new = drawn
    both = mixture(old, new)
    for count in range(len(both.changes) + 1):
        for some in itertools.combinations(both.changes, count):
            moved = frozenset().union(*(both.needs[name] for name in some))
            mixed = both.packages(moved)
            for name in both.changes:
                assert name not in mixed or mixed[name] == (new if name in moved else old)[name]
            for package in mixed.values():
                for line in package.requires:
                    wanted = Requirement(line)
                    assert wanted.name in mixed, (sorted(moved), package)
                    if consistent(old) and consistent(new):
                        assert wanted.specifier.contains(mixed[wanted.name].version), (sorted(moved), package)


def consistent(packages: dict[str, Package]) -> bool:
    """Whether an environment fits itself, as one that a resolver gave does."""
    return all(
        Requirement(line).specifier.contains(packages[Requirement(line).name].version)
        for package in packages.values()
        for line in package.requires
    )


@pytest.mark.parametrize("line", ["not a requirement at all !", "a @ file:///somewhere"])
def test_a_line_that_says_nothing_of_versions_binds_nothing(line: str) -> None:
    old = environment(engine="1 a, b", a="1", b="1")
    new = {**environment(engine="1 a, b", b="2"), "a": Package("a", "2", (line,))}
    assert mixture(old, new).needs == {"a": {"a"}, "b": {"b"}}
