"""The names that a release offers for import, as they were read from its wheel without importing it; pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

SURFACE_FORMAT = 1
"""Part of the name under which surfaces are kept; counted up when what is read of a wheel changes."""


class Parameter(msgspec.Struct, frozen=True, array_like=True):
    """A parameter; its kind is ``positional``, ``either``, ``keyword``, ``args`` or ``kwargs``."""

    name: str
    kind: str
    required: bool


class Definition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A class, a function or an attribute where it is defined.

    Attributes:
        parameters: of a function, without ``self`` or ``cls``; None where they cannot be told, as of an attribute.
        deprecated: what its decorator says; empty where it has none.
        bases: of a class, the dotted paths of what it is derived from.
        model: of a class, whether its annotated attributes are its constructor's parameters.
        required: of such an attribute, whether it has no default.
        target: of an attribute, the dotted path of what it is another name for.
    """

    kind: str
    parameters: tuple[Parameter, ...] | None = None
    deprecated: str = ""
    bases: tuple[str, ...] = ()
    model: bool = False
    required: bool = False
    target: str = ""
    members: dict[str, Definition] = {}


class Module(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a module binds.

    Attributes:
        exports: its ``__all__``; None where it has none that can be read.
        imports: the dotted path of each name that it imports.
        stars: modules of which it imports everything.
        lazy: names that its ``__getattr__`` answers; where they come from, if that is known, stands in ``imports``.
        package: whether it is an ``__init__``.
        fault: why it could not be read; nothing is known of it then.
    """

    names: dict[str, Definition] = {}
    exports: tuple[str, ...] | None = None
    imports: dict[str, str] = {}
    stars: tuple[str, ...] = ()
    lazy: tuple[str, ...] = ()
    deprecated: str = ""
    package: bool = False
    fault: str = ""


class Found(msgspec.Struct, frozen=True):
    """What a name leads to.

    Attributes:
        origin: the dotted path of its definition; empty where nobody can tell.
        definition: None where it is a module, comes from elsewhere, or nobody can tell.
    """

    origin: str
    definition: Definition | None = None


class Surface(msgspec.Struct, frozen=True):
    """All modules of a release below the engine's package, by dotted path."""

    modules: dict[str, Module]

    def find(self, module: str, name: str, seen: frozenset[str] = frozenset()) -> Found | None:
        """Return what ``from module import name`` gives; None where there is no such name."""
        path, bound = f"{module}.{name}", self.modules.get(module)
        if bound is None or path in seen:
            return None
        seen |= {path}
        if name in bound.names:
            definition = bound.names[name]
            other = self.at(definition.target, seen) if definition.target else None
            return other or Found(path, definition)
        if name in bound.imports:
            return self.at(bound.imports[name], seen)
        if path in self.modules:
            return Found(path)
        for star in bound.stars:
            if name in self.public(star) and (found := self.find(star, name, seen)):
                return found
        return Found("") if name in bound.lazy or bound.fault else None

    def at(self, path: str, seen: frozenset[str] = frozenset()) -> Found | None:
        """Return what a dotted path leads to; None where it should be here and is not."""
        if path in self.modules:
            return Found(path)
        module, _, name = path.rpartition(".")
        if module in self.modules:
            return self.find(module, name, seen)
        # what other distributions have is not looked into
        return None if path.split(".")[0] == self.top else Found(path)

    @property
    def top(self) -> str:
        """The first part of every path."""
        return next(iter(self.modules), "").split(".")[0]

    def public(self, module: str, seen: frozenset[str] = frozenset()) -> list[str]:
        """Return the names that a module offers: those of ``__all__``, else all that it makes and that are not private.

        Without an ``__all__``, a package offers also what it imports from its own modules.
        """
        bound = self.modules.get(module, Module())
        if bound.exports is not None:
            return list(dict.fromkeys(bound.exports))
        own = [name for name, path in bound.imports.items() if bound.package and path.startswith(f"{module}.")]
        seen |= {module}
        stars = [name for star in bound.stars if star not in seen for name in self.public(star, seen)]
        return [name for name in dict.fromkeys([*bound.names, *bound.lazy, *own, *stars]) if not name.startswith("_")]

    def symbols(self) -> Iterator[tuple[str, str]]:
        """Yield the module and the name of every public symbol, in a stable order."""
        for module in sorted(self.modules):
            if not is_private(module):
                yield from ((module, name) for name in self.public(module))

    def lineage(self, path: str) -> Iterator[tuple[str, Definition | None]]:
        """Yield a class and what it is derived from, by dotted path; None for what comes from elsewhere."""
        todo, seen = [path], set()
        while todo:
            current = todo.pop(0)
            if current in seen:
                continue
            seen.add(current)
            found = self.at(current)
            definition = found.definition if found else None
            yield (found.origin if found else current), definition
            todo += definition.bases if definition else ()


def is_private(module: str) -> bool:
    """Whether a part of a module's path has a leading underscore."""
    return any(part.startswith("_") for part in module.split("."))
