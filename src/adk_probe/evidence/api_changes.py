"""What of a release's public API another release does not offer in the same way; pure.

A symbol is written ``module:name`` or ``module:Class.member``. An object that several modules offer is one object: what
changed of it is said once, under its shortest symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from adk_probe.evidence.signatures import parameter_changes
from adk_probe.evidence.surface import Definition, Found, Surface, is_private

ALIKE = 0.5
"""How much of the members or parameters of two objects of one name must be the same, for them to count as one."""


class Kind(StrEnum):
    """What became of a symbol; the worst first."""

    GONE = "gone"
    MOVED = "moved"
    CALLED = "called otherwise"
    DEPRECATED = "deprecated"
    UNCLEAR = "unclear"


ORDER = tuple(Kind)
BREAKING = (Kind.GONE, Kind.MOVED, Kind.CALLED)


class Change(msgspec.Struct, frozen=True):
    """One difference.

    Attributes:
        detail: what changed, or where the object is now.
        origin: the dotted path of the object's definition in the old release.
        also: other symbols of which the same is true.
    """

    kind: Kind
    symbol: str
    detail: str
    origin: str
    also: tuple[str, ...] = ()


def changes(old: Surface, new: Surface) -> list[Change]:
    """Return every difference that whoever uses the old release's public API may meet, the worst first."""
    return Comparison(old, new).run()


class Comparison:
    """Two surfaces, and the objects that each of them offers in public."""

    def __init__(self, old: Surface, new: Surface) -> None:
        self.old, self.new = old, new
        self.offered = _by_origin(old)
        self.offers = _by_origin(new)

    def run(self) -> list[Change]:
        """Return the differences, the worst first."""
        found = [change for origin, symbols in self.offered.items() for change in self.of(origin, symbols)]
        found += self._modules()
        return sorted(found, key=lambda change: (ORDER.index(change.kind), change.symbol.count("."), change.symbol))

    def of(self, origin: str, symbols: Iterable[str]) -> Iterator[Change]:
        """Yield what changed of one object that has these symbols in the old release."""
        kept: dict[str, Found] = {}
        missing: list[str] = []
        unclear: list[str] = []
        for symbol in sorted(symbols, key=_length):
            module, _, name = symbol.partition(":")
            found = self.new.find(module, name)
            if found is not None:
                kept[symbol] = found
            (unclear if self._fault(module) else missing if found is None else []).append(symbol)
        if unclear:
            yield Change(Kind.UNCLEAR, unclear[0], "its module cannot be read", origin, tuple(unclear[1:]))
            return
        now = next(iter(kept.values()), None)
        if missing:
            where, now = (next(iter(kept)), now) if now else self._elsewhere(origin)
            kind = Kind.MOVED if now else Kind.GONE
            yield Change(kind, missing[0], _place(where, kind), origin, tuple(missing[1:]))
        before = self.old.at(origin)
        if before and before.definition and now and now.definition:
            shown = next(iter(kept), missing[0] if missing else origin)
            yield from self._definitions(shown, before, now)

    def _fault(self, module: str) -> str:
        return self.new.modules[module].fault if module in self.new.modules else ""

    def _elsewhere(self, origin: str) -> tuple[str, Found | None]:
        """Return where the new release has an object; nothing is found where only its name is the same."""
        found = self.new.at(origin)
        if found is not None:
            return next(iter(self.offers.get(found.origin, [])), _symbol(origin)), found
        name, before = origin.rpartition(".")[2], self.old.at(origin)
        same = [path for path in self.offers if path.rpartition(".")[2] == name and self.old.at(path) is None]
        if len(same) != 1 or before is None:
            return "", None
        found = self.new.at(same[0])
        return self.offers[same[0]][0], found if found and _alike(before.definition, found.definition) else None

    def _definitions(self, symbol: str, before: Found, now: Found) -> Iterator[Change]:
        old, new = before.definition, now.definition
        assert old is not None
        assert new is not None
        if new.deprecated and not old.deprecated:
            yield Change(Kind.DEPRECATED, symbol, new.deprecated, before.origin)
        if {old.kind, new.kind} == {"class", "function"}:
            yield Change(Kind.CALLED, symbol, f"was a {old.kind}, is a {new.kind}", before.origin)
        elif old.kind == new.kind == "class":
            yield from self._members(symbol, before.origin, now.origin)
        elif old.parameters is not None and new.parameters is not None:
            for words in parameter_changes(old.parameters, new.parameters):
                yield Change(Kind.CALLED, symbol, words, before.origin)

    def _members(self, symbol: str, old: str, new: str) -> Iterator[Change]:
        before, after = Members(self.old, old), Members(self.new, new)
        gone = [name for name in before.all if name not in after.all and not self._said_above(before, old, name)]
        # a class that has no `__init__` of its own inherits one
        missing = [name for name in gone if name != "__init__"]
        if missing and after.foreign - before.foreign:
            bases = ", ".join(sorted(after.foreign - before.foreign))
            words = f"{', '.join(missing[:5])}: may come from {bases}, which is not looked into"
            yield Change(Kind.UNCLEAR, symbol, words, old)
        else:
            yield from (Change(Kind.GONE, f"{symbol}.{name}", "", old) for name in missing)
        for name, (definer, member) in before.all.items():
            other = after.all.get(name)
            # what is inherited is said of the class that has it
            if other is None or (definer != old and definer in self.offered and other[0] != new):
                continue
            shown = symbol if name == "__init__" else f"{symbol}.{name}"
            yield from self._member(shown, old, member, other[1])
        if before.fields is not None and after.fields is not None:
            yield from (Change(Kind.CALLED, symbol, words, old) for words in _fields(before.fields, after.fields))

    def _said_above(self, before: Members, old: str, name: str) -> bool:
        """Whether a class that is gone from its base, too, is missing for that reason and is named there."""
        definer = before.all[name][0]
        if definer == old or definer not in self.offered:
            return False
        found = self.new.at(definer)
        return found is not None and name not in Members(self.new, found.origin).all

    def _member(self, symbol: str, origin: str, old: Definition, new: Definition) -> Iterator[Change]:
        if new.deprecated and not old.deprecated:
            yield Change(Kind.DEPRECATED, symbol, new.deprecated, origin)
        if old.parameters is not None and new.parameters is not None:
            for words in parameter_changes(old.parameters, new.parameters):
                yield Change(Kind.CALLED, symbol, words, origin)

    def _modules(self) -> Iterator[Change]:
        """Yield the modules whose import warns now."""
        for path, module in self.new.modules.items():
            if module.deprecated and path in self.old.modules and not self.old.modules[path].deprecated:
                yield Change(Kind.DEPRECATED, path, module.deprecated, path)


class Members:
    """The members of a class with what it inherits: its definer's path and the definition, by name.

    Attributes:
        foreign: the bases that are defined elsewhere.
        fields: of a model without an ``__init__``, whether each of its constructor's parameters is required.
    """

    def __init__(self, surface: Surface, path: str) -> None:
        self.all: dict[str, tuple[str, Definition]] = {}
        self.foreign: set[str] = set()
        model = False
        for origin, definition in surface.lineage(path):
            if definition is None:
                self.foreign.add(origin)
                continue
            model = model or definition.model
            for name, member in definition.members.items():
                self.all.setdefault(name, (origin, member))
        plain = {name: member for name, (_, member) in self.all.items() if member.kind == "attribute"}
        made = model and "__init__" not in self.all
        self.fields = {name: member.required for name, member in plain.items()} if made else None


def _fields(old: dict[str, bool], new: dict[str, bool]) -> Iterator[str]:
    for name, required in new.items():
        if required and name not in old:
            yield f"parameter {name} is new and required"
        elif required and not old[name]:
            yield f"parameter {name} is required now"


def _by_origin(surface: Surface) -> dict[str, list[str]]:
    """Return the public symbols of each object, the shortest first."""
    found: dict[str, list[str]] = {}
    for module, name in surface.symbols():
        symbol = f"{module}:{name}"
        reached = surface.find(module, name)
        found.setdefault((reached.origin if reached else "") or f"{module}.{name}", []).append(symbol)
    return {origin: sorted(symbols, key=_length) for origin, symbols in found.items()}


def _length(symbol: str) -> tuple[int, str]:
    return symbol.count("."), symbol


def _symbol(path: str) -> str:
    module, _, name = path.rpartition(".")
    return f"{module}:{name}"


def _place(where: str, kind: Kind) -> str:
    if not where:
        return ""
    if kind is Kind.GONE:
        return f"{where} has the same name, and little else"
    private = is_private(where.partition(":")[0]) or where.partition(":")[2].startswith("_")
    return f"{where}{', which is private' if private else ''}"


def _alike(old: Definition | None, new: Definition | None) -> bool:
    """Whether two objects of one name have most of their parts in common."""
    if old is None or new is None or old.kind != new.kind:
        return False
    one, two = ({*each.members, *(part.name for part in each.parameters or ())} for each in (old, new))
    return len(one & two) >= ALIKE * max(len(one | two), 1)
