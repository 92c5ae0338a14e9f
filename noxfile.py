# /// script
# requires-python = ">=3.11"
# dependencies = ["nox[uv]>=2026.8", "msgspec>=0.20", "packaging>=25"]
# ///
"""The front door: every session is thin, what it does is in the package. ``nox -l`` lists them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import nox

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from adk_probe.errors import ProbeError  # noqa: E402 - the harness is read from here, not installed
from adk_probe.project.nox_sessions import Pair, pairs  # noqa: E402

nox.needs_version = ">=2026.8"
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["lint", "tests"]


def _install(session: nox.Session, *groups: str) -> None:
    session.install("-e", ".", *(option for group in groups for option in ("--group", group)))


@nox.session(default=False)
def probe(session: nox.Session) -> None:
    """Run the quick suite and show the matrix: the main job. `-- --release newest` and the like narrow it down."""
    _install(session)
    session.run("adk-probe", "run", *session.posargs)


@nox.session(default=False)
def sweep(session: nox.Session) -> None:
    """Probe every release: hours at first, then only what is new. Can be stopped at any time and goes on later."""
    _install(session)
    session.run("adk-probe", "run", "--suite", "releases", *session.posargs)


@nox.session(default=False)
def report(session: nox.Session) -> None:
    """Write reports/matrix.* again from the existing evidence, and show it."""
    _install(session)
    session.run("adk-probe", "report", *session.posargs)


@nox.session(default=False)
def gate(session: nox.Session) -> None:
    """Compare the evidence with what was accepted. `-- --update --reason "…"` accepts it."""
    _install(session)
    session.run("adk-probe", "gate", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Run ruff, mypy and the contract of layers."""
    _install(session, "tests", "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, those on the real engine included. `-- -m "not real"` leaves these out."""
    _install(session, "tests")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(default=False)
def codegen(session: nox.Session) -> None:
    """Generate projects and jobs from probes/graphs, and generated/ with them. `-- --check` only looks."""
    _install(session)
    session.run("adk-probe", "codegen", *session.posargs)


@nox.session(default=False)
def fidelity(session: nox.Session) -> None:
    """Run the generated projects on the real engine, against the reference semantics."""
    _install(session)
    session.run("adk-probe", "run", "--probe", "fidelity/*", *session.posargs)


@nox.session(default=False)
def differential(session: nox.Session) -> None:
    """Random graphs by every mechanism on a real release, against the reference. `-- --examples 300`."""
    _install(session, "tests")
    session.run("adk-probe", "differential", *session.posargs)


@nox.session(default=False)
def benchmark(session: nox.Session) -> None:
    """Measure this harness against plain Nox and plain uv, side by side."""
    _install(session)
    session.install("nox[uv]>=2026.8")
    session.run("python", "benchmarks/against_plain.py", *session.posargs)


def _target(pair: Pair) -> Callable[[nox.Session], None]:
    def target(session: nox.Session) -> None:
        _install(session)
        session.run("adk-probe", "run", *pair.options, *session.posargs)

    target.__doc__ = f"Probe {pair.engine} {pair.release} on Python {pair.python}."
    return target


try:
    for each in pairs(ROOT):
        nox.session(name=each.session, default=False)(_target(each))
except ProbeError as error:
    # the other sessions still serve; running the probes reports it again, with the exit code
    print(error, file=sys.stderr)
