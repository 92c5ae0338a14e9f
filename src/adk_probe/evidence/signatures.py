"""How the parameters of a function changed, as far as whoever calls it must know; pure."""

from __future__ import annotations

from collections.abc import Iterator

from adk_probe.evidence.surface import Parameter

Parameters = tuple[Parameter, ...]
ANY = ("args", "kwargs")
BY_PLACE = ("positional", "either")


def parameter_changes(old: Parameters, new: Parameters) -> Iterator[str]:
    """Yield in words what of a call that was right may be wrong now."""
    before, after = ({each.name: each for each in some} for some in (old, new))
    removed = [each for each in old if each.name not in after and not _swallowed(each, new)]
    added = [each for each in new if each.name not in before and each.kind not in ANY]
    renamed = {each.name: other for each in removed if (other := _renamed(each, old, new, added))}
    for each in removed:
        if each.name in renamed:
            yield f"parameter {each.name} is called {renamed[each.name].name}"
        else:
            named = each.kind == "either" and any(other.kind == "kwargs" for other in new)
            yield f"parameter {_shown(each)} {'must be given by name' if named else 'is gone'}"
    taken = {other.name for other in renamed.values()}
    yield from (
        f"parameter {each.name} is new and required" for each in added if each.required and each.name not in taken
    )
    for name, each in before.items():
        if name in after:
            yield from _changed(each, after[name])
    if not removed and (moved := _moved(old, new)):
        yield f"parameter {moved} has another place"


def _shown(parameter: Parameter) -> str:
    return {"args": "*", "kwargs": "**"}.get(parameter.kind, "") + parameter.name


def _swallowed(parameter: Parameter, new: Parameters) -> bool:
    """Whether what is passed for a parameter that is gone is still taken, by ``*args`` or ``**kwargs``."""
    kinds = {each.kind for each in new}
    match parameter.kind:
        case "either":
            return kinds >= {"args", "kwargs"}
        case "keyword" | "kwargs":
            return "kwargs" in kinds
        case _:
            return "args" in kinds


def _renamed(parameter: Parameter, old: Parameters, new: Parameters, added: list[Parameter]) -> Parameter | None:
    """Return the new parameter in the place of one that is gone, if it is passed in the same way."""
    place = old.index(parameter)
    other = new[place] if place < len(new) and parameter.kind not in ANY else None
    return other if other in added and other is not None and other.kind == parameter.kind else None


def _changed(old: Parameter, new: Parameter) -> Iterator[str]:
    if new.required and not old.required:
        yield f"parameter {old.name} is required now"
    if old.kind in BY_PLACE and new.kind == "keyword":
        yield f"parameter {old.name} must be given by name"
    if old.kind in ("either", "keyword") and new.kind == "positional":
        yield f"parameter {old.name} cannot be given by name any more"


def _moved(old: Parameters, new: Parameters) -> str:
    """Return the first parameter that a call by place would no longer reach; empty where there is none."""
    places = [each.name for each in new if each.kind in BY_PLACE]
    for place, each in enumerate(each for each in old if each.kind in BY_PLACE):
        if each.name in places and places.index(each.name) != place:
            return each.name
    return ""
