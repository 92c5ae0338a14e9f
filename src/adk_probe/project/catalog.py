"""Read the headers of probes as text; a probe is never imported here.

A header is the ``[tool.adk-probe]`` table of the PEP 723 block at the top of a probe. Files whose names
start with ``_`` are helpers, part of the kit.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec

from adk_probe.errors import Faults, InputError
from adk_probe.files import digest, digest_of, files_in, read_file, reason
from adk_probe.model import CONTROL_FAIL, CONTROL_PASS, Probe
from adk_probe.project.config import Config, Engine
from adk_probe.project.fidelity_cells import PREFIX, cells
from adk_probe.project.helpers import Imports, kit_files, runner_files
from adk_probe.project.tables import convert

CONTROLS = "probes/controls"
BLOCK = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")


class Header(msgspec.Struct, frozen=True):
    """The ``[tool.adk-probe]`` table as people write it."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*(/[A-Za-z0-9]+(-[A-Za-z0-9]+)*)*$")]
    claim: Annotated[str, msgspec.Meta(min_length=1)]
    engine: Annotated[str, msgspec.Meta(min_length=1)]
    needs: tuple[Annotated[str, msgspec.Meta(pattern=r"^[\w.]+(:\w+)?$")], ...] = ()
    timeout: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 30.0
    memory: Annotated[int, msgspec.Meta(ge=64, le=65536)] = 2048
    isolated: bool = False


class Catalog(msgspec.Struct, frozen=True):
    """All probes there are.

    Attributes:
        probes: by engine, then by id.
        controls: the two that come first in every target.
        kits: SHA-256 of the helper files that a probe imports, by the path of the probe's file.
        bytes: SHA-256 of each probe's file, by its path.
    """

    probes: dict[str, dict[str, Probe]]
    controls: tuple[Probe, Probe]
    kits: dict[str, str]
    bytes: dict[str, str]

    def probe(self, probe: str, engine: str | None = None) -> Probe:
        """Return a probe by its id.

        Raises:
            InputError: there is none of that id.
        """
        for name, probes in sorted(self.probes.items()):
            if probe in probes and engine in (None, name):
                return probes[probe]
        known = [key for name, probes in self.probes.items() if engine in (None, name) for key in probes]
        raise InputError(f"no probe {probe!r}", suggestion(probe, known))


def suggestion(wanted: str, known: Iterable[str]) -> str:
    """Return a hint for a name that is none: those like it, or all but the many fidelity cells."""
    names = sorted(set(known))
    if close := difflib.get_close_matches(wanted, names, n=4):
        return f"Did you mean {', '.join(close)}?"
    plain = ", ".join(name for name in names if not name.startswith(PREFIX))
    return f"There are: {plain}; and {PREFIX}GRAPH/MECHANISM/SCENARIO. A pattern like '*-run' fits many."


def load(root: Path, config: Config) -> Catalog:
    """Read every probe of the matrix's engines.

    Raises:
        InputError: with every fault of every header, and every claim that a mechanism requires and no probe makes.
    """
    reader = _Reader(root, config)
    probes = {name: reader.engine(name, engine) for name, engine in sorted(config.engines.items())}
    folder = root / CONTROLS
    controls = [reader.probe(folder / f"{name}.py", folder, None) for name in (CONTROL_PASS, CONTROL_FAIL)]
    for name, engine in sorted(config.engines.items()):
        probes[name] |= {cell.id: cell for cell in cells(root, config, name, engine)}
        if engine.fidelity:
            where = f"matrix.toml: [engines.{name}] fidelity: {engine.fidelity!r}"
            reader.sums[engine.fidelity] = digest_of(root / engine.fidelity, where, reader.faults)
    kits = reader.kits()
    reader.faults.extend(_unknown_claims(config, probes))
    reader.faults.refuse("probes", "Fix each of them; nothing was run.")
    passing, failing = controls
    assert passing is not None
    assert failing is not None
    return Catalog(probes, (passing, failing), kits, reader.sums)


def _unknown_claims(config: Config, probes: dict[str, dict[str, Probe]]) -> Iterable[str]:
    """Yield a fault for each claim that is required and that no probe of the engine makes."""
    for name, mechanism in sorted(config.mechanisms.items()):
        for key, wanted in (("requires", mechanism.requires), *_prefixed("requires-for", mechanism.requires_for)):
            yield from _unknown(f"[mechanisms.{name}] {key}", mechanism.engine, wanted, probes)
    for name, feature in sorted(config.features.items()):
        for engine, claims in sorted(feature.requires.items()):
            yield from _unknown(f"[features.{name}] requires.{engine}", engine, claims, probes)


def _prefixed(key: str, table: dict[str, tuple[str, ...]]) -> list[tuple[str, tuple[str, ...]]]:
    return [(f"{key}.{name}", claims) for name, claims in sorted(table.items())]


def _unknown(where: str, engine: str, claims: Iterable[str], probes: dict[str, dict[str, Probe]]) -> Iterable[str]:
    for claim in claims:
        if not fnmatch.filter(probes.get(engine, {}), claim):
            yield f"matrix.toml: {where}: no probe {claim!r} of {engine}"


class _Reader:
    """Reads the probes of a project; ``sums`` are the digests of their files, ``faults`` all that is wrong."""

    def __init__(self, root: Path, config: Config) -> None:
        self.root = root
        self.config = config
        self.faults = Faults()
        self.sums: dict[str, str] = {}

    def engine(self, name: str, engine: Engine) -> dict[str, Probe]:
        """Return the probes of an engine by their ids."""
        found: dict[str, Probe] = {}
        folder = self.root / engine.probes
        if not folder.is_dir():
            self.faults.add(f"matrix.toml: [engines.{name}] probes: no folder {engine.probes!r}")
        for path in self._files(folder, engine.probes):
            if path.name.startswith("_"):
                continue
            if (probe := self.probe(path, folder, name)) is not None:
                found[probe.id] = probe
        return found

    def _files(self, folder: Path, name: str) -> list[Path]:
        try:
            return files_in(folder, "*.py", deep=True)
        except OSError as error:
            self.faults.add(f"{name}: cannot be read: {reason(error)}")
            return []

    def probe(self, path: Path, folder: Path, engine: str | None) -> Probe | None:
        """Return a probe of a folder, which is that of an engine or of all; None if its header cannot be read."""
        file = path.relative_to(self.root).as_posix()
        try:
            data = read_file(path)
            table = _table(data.decode("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            self.faults.add(f"{file}: {reason(error)}")
            return None
        self.sums[file] = digest(data)
        header = convert(table, Header, f"{file}: [tool.adk-probe]", self.faults)
        if header is None:
            return None
        name = path.relative_to(folder).with_suffix("").as_posix()
        self.faults.extend(f"{file}: [tool.adk-probe] {fault}" for fault in _misplaced(header, name, engine))
        return Probe(
            header.id, header.claim, header.engine, file, header.needs, header.timeout, header.memory, header.isolated
        )

    def kits(self) -> dict[str, str]:
        """Return the digest of the helpers of each program that was read, by its file."""
        engines = self.config.engines.values()
        helpers = _HelperDigests(self.root, self.faults)
        runners = {engine.fidelity: runner_files(self.root, engine) for engine in engines if engine.fidelity}
        found = {}
        for file in sorted(self.sums):
            if file in runners:
                found[file] = helpers.of(file, runners[file])
            else:
                engine = next((each for each in engines if file.startswith(f"{each.probes}/")), None)
                shared = kit_files(self.root, engine) if engine else sorted((self.root / "probes").glob("*.py"))
                found[file] = helpers.of(file, shared)
        return found


def _misplaced(header: Header, name: str, engine: str | None) -> Iterable[str]:
    """Yield what of a header does not fit the place of its file."""
    if header.id.startswith(PREFIX):
        yield f"id: names that begin with {PREFIX!r} are those of generated projects"
    if header.id != name:
        yield f"id: {header.id!r} must be the file's name, {name!r}"
    if engine is not None and header.engine != engine:
        yield f"engine: {header.engine!r}, but the folder is that of {engine!r}"


def _table(text: str) -> dict[str, Any]:
    match = BLOCK.search(text)
    if match is None:
        raise ValueError("no PEP 723 block (# /// script … # ///) at the top")
    lines = (line[2:] if line.startswith("# ") else line[1:] for line in match["content"].splitlines())
    tool = tomllib.loads("\n".join(lines)).get("tool")
    table = tool.get("adk-probe") if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        raise ValueError("its PEP 723 block has no [tool.adk-probe] table")
    return table


class _HelperDigests:
    """Digests of the helpers that programs import; a helper that cannot be read is named in ``faults``."""

    def __init__(self, root: Path, faults: Faults) -> None:
        self.root = root
        self.faults = faults
        self.sums: dict[Path, str] = {}
        self.imports = Imports()

    def of(self, file: str, files: list[Path]) -> str:
        """Return the digest of all helpers that a program imports."""
        return digest({self._name(path): self._sum(path) for path in self.imports.of(self.root / file, files)})

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _sum(self, path: Path) -> str:
        if path not in self.sums:
            self.sums[path] = digest_of(path, self._name(path), self.faults)
        return self.sums[path]
