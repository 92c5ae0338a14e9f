"""Read the names that a wheel offers, without importing or unpacking it: griffe parses each of its modules."""

from __future__ import annotations

import zipfile
from collections.abc import Container, Iterator
from pathlib import Path, PurePosixPath

import griffe

from adk_probe.evidence.surface import Definition, Module, Parameter, Surface
from adk_probe.execution.lazy_names import import_warning, lazy_names

KINDS = {
    griffe.ParameterKind.positional_only: "positional",
    griffe.ParameterKind.positional_or_keyword: "either",
    griffe.ParameterKind.keyword_only: "keyword",
    griffe.ParameterKind.var_positional: "args",
    griffe.ParameterKind.var_keyword: "kwargs",
}
FIELDS = ("Field", "field")
MODELS = ("BaseModel", "BaseSettings", "RootModel")


def read(wheel: Path, package: str) -> Surface:
    """Return what a wheel's modules below ``package`` bind.

    Raises:
        zipfile.BadZipFile: it is no wheel.
    """
    with zipfile.ZipFile(wheel) as archive:
        sources = {dotted: (file, archive.read(file)) for file, dotted in _modules(archive, package)}
    folders: dict[str, griffe.Module] = {}
    return Surface({dotted: _module(dotted, *sources[dotted], folders) for dotted in sorted(sources)})


def _modules(archive: zipfile.ZipFile, package: str) -> Iterator[tuple[str, str]]:
    """Yield the files of modules and their dotted paths."""
    for file in archive.namelist():
        path = PurePosixPath(file)
        if path.suffix == ".py":
            dotted = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
            if f"{dotted}.".startswith(f"{package}."):
                yield file, dotted


def _module(dotted: str, file: str, data: bytes, folders: dict[str, griffe.Module]) -> Module:
    above, _, name = dotted.rpartition(".")
    try:
        text = data.decode("utf-8-sig")
        parsed = griffe.visit(name, Path(file), text, parent=_folder(above, folders))
        lazy = lazy_names(text)
        warning = import_warning(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        return Module(fault=type(error).__name__)
    if file.endswith("__init__.py"):
        folders[dotted] = parsed
    names, imports, stars = _bound(parsed, lazy)
    sources = {each: _source(dotted, file, each, said) for each, said in lazy.items()}
    return Module(
        names=names,
        exports=_exports(parsed, lazy),
        imports={**{each: path for each, path in sources.items() if path}, **imports},
        stars=stars,
        lazy=tuple(lazy),
        deprecated=warning,
        package=file.endswith("__init__.py"),
    )


def _folder(dotted: str, folders: dict[str, griffe.Module]) -> griffe.Module | None:
    """Return the package that a module is in, from which griffe tells relative imports."""
    if not dotted:
        return None
    if dotted not in folders:
        above, _, name = dotted.rpartition(".")
        folders[dotted] = griffe.Module(name, filepath=[Path(name)], parent=_folder(above, folders))
    return folders[dotted]


def _bound(
    parsed: griffe.Module, lazily: Container[str]
) -> tuple[dict[str, Definition], dict[str, str], tuple[str, ...]]:
    """Return what a module defines, what it imports when it runs, and of what it imports everything.

    What only type checkers import counts where ``__getattr__`` answers it.
    """
    names, imports, stars = {}, {}, []
    for name, member in parsed.members.items():
        if isinstance(member, griffe.Alias):
            if member.wildcard:
                stars.append(member.target_path)
            elif member.runtime or name in lazily:
                imports[name] = member.target_path
        elif member.runtime and not name.startswith("__"):
            names[name] = _definition(member, parsed.path, {*parsed.members})
    return names, imports, tuple(stars)


def _exports(parsed: griffe.Module, lazy: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    if not parsed.exports or not all(isinstance(name, str) for name in parsed.exports):
        return tuple(lazy) if parsed.exports == [] and lazy else None
    return tuple(str(name) for name in parsed.exports)


def _source(dotted: str, file: str, name: str, said: tuple[str, ...]) -> str:
    """Return where a lazily answered name comes from, by the strings of its table; empty where that is not said."""
    if not said:
        return ""
    module, attribute = (said[0], said[1]) if len(said) > 1 and said[1].isidentifier() else (said[-1], name)
    here = dotted if file.endswith("__init__.py") else dotted.rpartition(".")[0]
    path = module.lstrip(".")
    levels = len(module) - len(path)
    if not levels and path.split(".")[0] == dotted.split(".")[0]:
        return f"{path}.{attribute}"
    base = here.split(".")[: len(here.split(".")) - max(levels - 1, 0)]
    return ".".join([*base, *([path] if path else []), attribute])


def _definition(member: griffe.Object, scope: str, siblings: set[str]) -> Definition:
    match member:
        case griffe.Class():
            return _class(member, scope)
        case griffe.Function():
            return Definition("function", _parameters(member), _deprecated(member))
        case griffe.Attribute():
            value = str(member.value) if member.value is not None else ""
            target = f"{scope}.{value}" if value.split(".")[0] in siblings and value.isidentifier() else ""
            return Definition("attribute", required=_is_required(member, value), target=target)
    return Definition("module")


def _class(member: griffe.Class, scope: str) -> Definition:
    bases = tuple(base.canonical_path if isinstance(base, griffe.Expr) else str(base) for base in member.bases)
    decorated = any(each.callable_path.endswith("dataclass") for each in member.decorators)
    members = {
        name: _definition(each, f"{scope}.{member.name}", set())
        for name, each in member.members.items()
        if isinstance(each, griffe.Object) and (not name.startswith("_") or name in ("__init__", "__call__"))
    }
    model = decorated or any(base.split("[")[0].rsplit(".", 1)[-1] in MODELS for base in bases)
    return Definition("class", None, _deprecated(member), bases, model, members=members)


def _is_required(member: griffe.Attribute, value: str) -> bool:
    """Whether an attribute is a field without a default; a ``Field(...)`` may give none."""
    # griffe takes a ClassVar apart, and leaves the label
    if member.annotation is None or "instance-attribute" not in member.labels:
        return False
    if not isinstance(member.value, griffe.ExprCall) or value.split("(")[0].rsplit(".", 1)[-1] not in FIELDS:
        return not value
    given = member.value.arguments
    named = {str(each.name) for each in given if isinstance(each, griffe.ExprKeyword)}
    first = [str(each) for each in given if not isinstance(each, griffe.ExprKeyword)][:1]
    return first == ["..."] or not (first or named & {"default", "default_factory"})


def _parameters(member: griffe.Function) -> tuple[Parameter, ...]:
    every = list(member.parameters)
    bound = isinstance(member.parent, griffe.Class) and "staticmethod" not in member.labels
    return tuple(
        Parameter(each.name.lstrip("*"), KINDS[each.kind or griffe.ParameterKind.positional_or_keyword], each.required)
        for each in every[1 if bound else 0 :]
    )


def _deprecated(member: griffe.Class | griffe.Function) -> str:
    for decorator in member.decorators:
        if decorator.callable_path.rsplit(".", 1)[-1] == "deprecated":
            return _message(decorator.value)
    return ""


def _message(value: str | griffe.Expr) -> str:
    arguments = value.arguments if isinstance(value, griffe.ExprCall) else []
    first = str(arguments[0]) if arguments else ""
    return " ".join(first.strip("'\"").split()) or "deprecated"
