# /// script
# requires-python = ">=3.9"
# dependencies = ["google-adk"]
#
# [tool.adk-probe]
# id = "fidelity"
# claim = "A generated project behaves on the engine as the graph's reference semantics say."
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 120
# isolated = true
# ///
"""Runs a generated project through one scenario on the real engine, and compares the run with the reference.

    python run_fidelity.py --project FOLDER --job JOB.json [--trace OUT.json]

``adk_probe.generate.jobs`` makes the job. This script uses only the standard library and the engine. ``prepare`` and
``rehearse`` are for the worker, which runs all scenarios of one project in children of one process.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Iterator, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

os.environ["OTEL_SDK_DISABLED"] = "true"
for _name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT"):
    os.environ.pop(_name, None)

import probekit  # noqa: E402
from comparing import canonical_turn, parted  # noqa: E402
from probekit import Claim, Refuted  # noqa: E402

PROJECT_VARIABLE = "ADK_PROBE_PROJECT"
JOB_VARIABLE = "ADK_PROBE_JOB"


def observe(played: Any) -> list[dict[str, Any]]:
    """Run every turn of a scenario, and return what was observed in each.

    Args:
        played: a player with its job.
    """
    from clock import LeapingLoop

    loop = LeapingLoop()
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(played.scenario())
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def check(claim: Claim, project: Path, job: dict[str, Any], options: argparse.Namespace, player: Any) -> None:
    """Refute the claim if the run differs from the reference, or if random models break a rule."""
    trace = options.trace
    if job.get("random"):
        check_random(claim, project, job, player, options.examples)
        return
    with tempfile.TemporaryDirectory() as folder:
        played = player(project, job, Path(folder))
        with world_of(job) as world:
            seen = [canonical_turn(turn, job) for turn in observe(played)]
            left = world.snapshot() if world else None
    if trace:
        Path(trace).write_text(json.dumps(seen, indent=2, sort_keys=True), encoding="utf-8")
    expected, expected_world = job["expected"], (job.get("world") or {}).get("expected")
    if "unasked" in job:
        claim.fact("confirmation", "asked" if played.asks() else "refused")
        if not played.asks():
            expected, expected_world = job["unasked"]["turns"], job["unasked"]["world"]
    for number, (turn, wanted) in enumerate(zip(seen, expected), 1):
        difference = parted(turn, canonical_turn(wanted, job))
        if difference:
            # of a run that is as the reference says there is nothing to tell that the reference does not say
            claim.fact("modelCalls", [turn["callsPerAgent"] for turn in seen])
            claim.fact("parted", {"turn": number, **difference})
            expects, saw = (json.dumps(difference[key], sort_keys=True) for key in ("expected", "seen"))
            raise Refuted(f"turn {number}, {difference['where']}:\n  expected {expects}\n  saw      {saw}")
    if left != expected_world:
        expects, saw = (json.dumps(item, sort_keys=True) for item in (expected_world, left))
        raise Refuted(f"the world after the last turn:\n  expected {expects}\n  saw      {saw}")
    claim.note("as the reference says")


def check_random(claim: Claim, project: Path, job: dict[str, Any], player: Any, most: Optional[int]) -> None:
    """Refute the claim if a random model breaks a rule.

    Args:
        most: how many examples to play, of those that the job asks for; None plays all of them, or as many as
            ``ADK_PROBE_EXAMPLES`` says.
    """
    from random_models import play

    every = int(os.environ.get("ADK_PROBE_EXAMPLES") or job["random"]["examples"])
    examples = every if most is None else min(every, most)
    claim.fact("examples", examples)
    claim.fact("of", every)
    with world_of(job) as world:
        for number in range(examples):
            seed = f"{os.environ.get('ADK_PROBE_SEED') or job['random']['seed']}/{number}"
            with tempfile.TemporaryDirectory() as folder:
                broken = play(job, project, Path(folder), player, observe, world, seed)
            if broken:
                claim.fact("example", seed)
                raise Refuted(f"example {seed}: {'; '.join(broken)}")
    claim.note(f"{examples} random models broke no rule")


@contextlib.contextmanager
def world_of(job: dict[str, Any]) -> Iterator[Any]:
    """Yield the world that the tools act on, set up again and importable by name; None if there is none."""
    if not job.get("world"):
        yield None
        return
    folder, name = job["folder"], job["world"]["module"]
    sys.path.insert(0, folder)
    try:
        world = importlib.import_module(name)
    finally:
        sys.path.remove(folder)
    world.reset(**job["scenario"].get("world", {}))
    yield world


def prepare(_arguments: list[str]) -> None:
    """Load what every scenario needs, the engine left out."""
    for name in ("clock", "playing", "random_models"):
        importlib.import_module(name)


def rehearse(arguments: list[str]) -> None:
    """Play a scenario so that the engine has done its first-time work, and throw away what was seen."""
    from playing import Player

    rehearse_by(arguments, Player)


def rehearse_by(arguments: list[str], player: Any) -> None:
    """Play a scenario by a player, and leave nothing of the project and its world behind.

    Stored sessions leave threads, so the process neither dies nor restarts in a rehearsal.
    """
    project, job, _ = parsed(arguments)
    turns = [
        {key: value for key, value in turn.items() if key not in ("crash", "restart")}
        for turn in job["scenario"]["turns"]
    ]
    job["scenario"] = {**job["scenario"], "turns": turns}
    own = {project.name, (job.get("world") or {}).get("module")}
    own |= {about["import"].partition(":")[0] for about in job["tools"].values() if about["import"]}
    before = set(sys.modules)
    try:
        with tempfile.TemporaryDirectory() as folder, world_of(job):
            observe(player(project, job, Path(folder)))
    finally:
        for name in set(sys.modules) - before:
            if name in own or name.partition(".")[0] == project.name:
                del sys.modules[name]


def parsed(arguments: Optional[list[str]] = None) -> tuple[Path, dict[str, Any], argparse.Namespace]:
    """Return the project's folder, the job, and all options; by default those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", default=os.environ.get(PROJECT_VARIABLE))
    parser.add_argument("--job", default=os.environ.get(JOB_VARIABLE))
    parser.add_argument("--trace", default="")
    parser.add_argument("--id", default="", help="the cell's id; by default the job's id")
    parser.add_argument("--examples", type=int, help="how many random models play, at most")
    parser.add_argument("--needs", action="append", default=[], help="module:name that the mechanism needs")
    options = parser.parse_args(arguments)
    if not options.project or not options.job:
        parser.error("give both --project and --job")
    job = json.loads(Path(options.job).read_text(encoding="utf-8"))
    job.setdefault("folder", str(Path(options.job).resolve().parent))
    return Path(options.project).resolve(), job, options


def main(path: str, player: Any) -> None:
    """Parse the arguments, run the job, and report by the probe protocol.

    Args:
        path: the runner's ``__file__``.
        player: makes a player from the project's folder, the job and a folder for stored sessions.
    """
    project, job, options = parsed()

    class JobClaim(Claim):
        """The claim, with the id of the job's cell."""

        def __init__(self, path: str) -> None:
            super().__init__(path)
            self.header["id"] = options.id or job["id"]
            self.header["needs"] = [*self.header.get("needs", []), *options.needs]

    probekit.Claim = JobClaim
    probekit.run(path, lambda claim: check(claim, project, job, options, player))


if __name__ == "__main__":
    from playing import Player

    warnings.simplefilter("default")
    main(__file__, Player)
