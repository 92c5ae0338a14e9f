"""The commands that anyone can use to reproduce an observation; pure."""

from __future__ import annotations

import shlex

from adk_probe.model import Lane, Target
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Engine
from adk_probe.project.releases import Releases, cutoff

BUILT = "build/generated"
"""Where the command for a fidelity cell builds its project and its job."""


def requirement(engine: Engine, release: str) -> str:
    """Return what an installer is asked for to get one release."""
    return f"{engine.distribution}=={release}"


def newest_upload(releases: Releases, target: Target) -> str:
    """Return the time after which nothing may have been uploaded in the target's lane; empty where any may."""
    if target.lane is not Lane.AS_RELEASED:
        return ""
    for release in releases.engines.get(target.engine, ()):
        if release.version == target.release and release.uploaded:
            return cutoff(release.uploaded)
    return ""


def by_hand(config: Config, catalog: Catalog, releases: Releases, target: Target, probe: str) -> str:
    """Return the command that runs one probe's own file in a target, from the project's folder.

    What the file needs beside itself and is not committed, the command builds first.
    """
    engine = config.engines[target.engine]
    time = newest_upload(releases, target)
    options = [
        part for wanted in (requirement(engine, target.release), *engine.requires) for part in ("--with", wanted)
    ]
    options += ["--exclude-newer", time] if time else []
    made = catalog.probes[target.engine][probe]
    # from the project's folder, so the paths in it are as they are
    told = [argument.replace("{root}/", "").replace("{generated}", BUILT) for argument in made.arguments]
    run = shlex.join(["uv", "run", "--no-project", "--python", target.python, *options, made.file, *told])
    return f"adk-probe codegen --out {BUILT} && {run}" if any("{generated}" in each for each in made.arguments) else run
