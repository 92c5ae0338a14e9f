"""What of a public API is gone, moved, called otherwise or deprecated, told on surfaces that are written down."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_probe.evidence.affected import affected
from adk_probe.evidence.api_changes import Comparison, Kind, changes
from adk_probe.evidence.signatures import Parameters, parameter_changes
from adk_probe.evidence.surface import Definition, Module, Parameter, Surface
from adk_probe.project.uses import Use

KINDS = ("positional", "either", "args", "keyword", "kwargs")


def a(*parameters: Parameter) -> Definition:
    return Definition("function", parameters)


def needed(name: str, kind: str = "either") -> Parameter:
    return Parameter(name, kind, True)


def a_class(*bases: str, model: bool = False, **members: Definition) -> Definition:
    return Definition("class", bases=bases, model=model, members=members)


def told(old: dict[str, Module], new: dict[str, Module]) -> list[tuple[str, str, str]]:
    return [(str(each.kind), each.symbol, each.detail) for each in changes(Surface(old), Surface(new))]


TOP = Module(imports={"Thing": "top.one.Thing"}, package=True)
ONE = Module({"Thing": a_class(run=a(needed("x")))})


def test_gone_is_said_once_of_all_paths() -> None:
    (found,) = changes(Surface({"top": TOP, "top.one": ONE}), Surface({"top": Module(package=True)}))
    assert (found.kind, found.symbol, found.also) == (Kind.GONE, "top:Thing", ("top.one:Thing",))


def test_a_path_that_is_dropped_while_another_stays() -> None:
    new = {"top": Module(package=True), "top.one": ONE}
    assert told({"top": TOP, "top.one": ONE}, new) == [("moved", "top:Thing", "top.one:Thing")]


def test_what_stays_in_a_private_module_only() -> None:
    old = {"top": Module(imports={"Thing": "top._one.Thing"}, package=True), "top._one": ONE}
    new = {"top": Module(package=True), "top._one": ONE}
    assert told(old, new) == [("moved", "top:Thing", "top._one:Thing, which is private")]


def test_another_module_counts_as_a_move_if_the_object_is_alike() -> None:
    old = {"top": Module(), "top.one": ONE}
    assert told(old, {"top": Module(), "top.two": ONE}) == [("moved", "top.one:Thing", "top.two:Thing")]
    other = Module({"Thing": a_class(other=a(), things=a())})
    words = "top.two:Thing has the same name, and little else"
    assert told(old, {"top": Module(), "top.two": other}) == [("gone", "top.one:Thing", words)]


def test_lazy_names_and_other_modules_are_there() -> None:
    new = Module(lazy=("Thing",), package=True)
    assert told({"top": TOP, "top.one": ONE}, {"top": new, "top.one": ONE}) == []


def test_members_are_inherited() -> None:
    old = {"top": Module({"Base": a_class(run=a(), go=a()), "Sub": a_class("top.Base", stop=a())})}
    new = {"top": Module({"Base": a_class(run=a(), stop=a()), "Sub": a_class("top.Base")})}
    assert told(old, new) == [("gone", "top:Base.go", "")]


def test_a_member_that_a_foreign_base_may_have_is_doubt() -> None:
    old = {"top": Module({"Thing": a_class(run=a())})}
    new = {"top": Module({"Thing": a_class("elsewhere.Base")})}
    words = "run: may come from elsewhere.Base, which is not looked into"
    assert told(old, new) == [("unclear", "top:Thing", words)]


def test_a_module_that_cannot_be_read_is_doubt() -> None:
    new = {"top": TOP, "top.one": Module(fault="SyntaxError")}
    assert {kind for kind, _, _ in told({"top": TOP, "top.one": ONE}, new)} == {"unclear"}


def test_a_field_without_a_default_is_a_required_parameter() -> None:
    plain, must = Definition("attribute"), Definition("attribute", required=True)
    old = {"top": Module({"Model": a_class(model=True, kept=plain)})}
    new = {"top": Module({"Model": a_class(model=True, kept=must, added=must)})}
    assert {words for _, _, words in told(old, new)} == {
        "parameter kept is required now",
        "parameter added is new and required",
    }


def test_deprecated_is_told_of_objects_members_and_modules() -> None:
    old = {"top": Module({"go": a(), "Thing": a_class(run=a())})}
    gone = msgspec.structs.replace(a(), deprecated="no more")
    new = {"top": Module({"go": gone, "Thing": a_class(run=gone)}, deprecated="nowhere")}
    assert told(old, new) == [
        ("deprecated", "top", "nowhere"),
        ("deprecated", "top:go", "no more"),
        ("deprecated", "top:Thing.run", "no more"),
    ]
    assert told(new, new) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ((), (needed("x"),), "parameter x is new and required"),
        ((needed("x"),), (needed("y"),), "parameter x is called y"),
        ((needed("x"),), (), "parameter x is gone"),
        ((Parameter("x", "either", False),), (needed("x"),), "parameter x is required now"),
        ((needed("x"),), (needed("x", "keyword"),), "parameter x must be given by name"),
        ((needed("x"),), (needed("x", "positional"),), "parameter x cannot be given by name any more"),
        ((needed("x"), needed("y")), (needed("y"), needed("x")), "parameter x has another place"),
        ((Parameter("more", "kwargs", False),), (), "parameter **more is gone"),
        ((needed("x"),), (Parameter("more", "kwargs", False),), "parameter x must be given by name"),
    ],
)
def test_parameters(old: Parameters, new: Parameters, words: str) -> None:
    assert list(parameter_changes(old, new)) == [words]


def test_what_calls_do_not_notice_is_no_change() -> None:
    more = Parameter("more", "kwargs", False)
    assert list(parameter_changes((needed("x", "keyword"),), (more,))) == []
    assert list(parameter_changes((needed("x"),), (needed("x"), Parameter("y", "either", False)))) == []


names = st.sampled_from(["p", "q", "r", "s"])


@st.composite
def signatures(draw: st.DrawFn) -> Parameters:
    every = draw(
        st.lists(st.builds(Parameter, names, st.sampled_from(KINDS), st.booleans()), unique_by=lambda p: p.name)
    )
    once = {each.kind: each for each in every if each.kind in ("args", "kwargs")}
    kept = [each for each in every if once.get(each.kind, each) is each]
    return tuple(sorted(kept, key=lambda each: KINDS.index(each.kind)))


functions = st.builds(lambda parameters: Definition("function", parameters), signatures())
classes = st.builds(
    lambda members, bases: Definition("class", bases=tuple(bases), members=members),
    st.dictionaries(names, functions, max_size=3),
    st.lists(st.sampled_from(["top.one.p", "top.two.q", "elsewhere.X"]), max_size=2, unique=True),
)
modules = st.builds(
    Module,
    names=st.dictionaries(names, functions | classes, max_size=3),
    imports=st.dictionaries(names, st.sampled_from(["top.one.p", "top.two.q", "top.p", "elsewhere.X"]), max_size=2),
    stars=st.lists(st.sampled_from(["top.one", "top.two"]), max_size=1).map(tuple),
    exports=st.none() | st.lists(names, max_size=2, unique=True).map(tuple),
    package=st.booleans(),
)
surfaces = st.fixed_dictionaries({"top": modules, "top.one": modules, "top.two": modules}).map(Surface)


@given(surfaces)
def test_a_release_compared_with_itself_has_no_change_of_what_is_there(surface: Surface) -> None:
    # an `__all__` may name what is not there, in both alike
    found = changes(surface, surface)
    assert [each for each in found if surface.at(each.origin) is not None] == []


@given(surfaces, surfaces)
def test_any_two_can_be_compared_and_kept(old: Surface, new: Surface) -> None:
    found = changes(old, new)
    assert found == changes(msgspec.json.decode(msgspec.json.encode(old), type=Surface), new)
    assert [each.kind for each in found] == sorted((each.kind for each in found), key=list(Kind).index)


@given(signatures(), st.data())
def test_a_parameter_under_another_name_is_found(old: Parameters, data: st.DataObject) -> None:
    by_name = [place for place, each in enumerate(old) if each.kind in ("either", "keyword")]
    if not by_name:
        return
    place = data.draw(st.sampled_from(by_name))
    new = tuple(
        msgspec.structs.replace(each, name="other") if index == place else each for index, each in enumerate(old)
    )
    swallowed = {each.kind for each in old} >= ({"args", "kwargs"} if old[place].kind == "either" else {"kwargs"})
    words = f"parameter {old[place].name} is called other"
    assert swallowed or words in list(parameter_changes(old, new))


def test_only_what_probes_use_is_cited() -> None:
    old = {"top": Module({"Thing": a_class(run=a(needed("x")), stop=a()), "go": a(needed("x")), "_own": a()})}
    new = {"top": Module({"Thing": a_class(run=a(needed("y"))), "go": a(needed("z"))})}
    comparison = Comparison(Surface(old), Surface(new))
    found = affected(
        comparison,
        [
            Use("one", ("top:Thing", "top:_own", "top:never"), frozenset({"stop"})),
            Use("two", ("top:Thing", "top:go"), frozenset({"run", "x", "stop"})),
            Use("three", ("top:go",)),
        ],
    )
    assert [(each.change.symbol, each.probes) for each in found] == [
        ("top:Thing.stop", ("one", "two")),
        ("top:_own", ("one",)),
        ("top:Thing.run", ("two",)),
        ("top:go", ("two",)),
    ]
