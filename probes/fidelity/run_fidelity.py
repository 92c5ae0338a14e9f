# /// script
# requires-python = ">=3.9"
# dependencies = ["google-adk"]
#
# [tool.adk-probe]
# id = "fidelity"
# claim = "A generated project, run on the engine, shows what the graph's reference semantics say."
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 120
# isolated = true
# ///
"""Runs a generated project through one scenario on the real engine and compares what is seen with the reference.

    python run_fidelity.py --project FOLDER --job JOB.json [--trace OUT.json]

The job is what ``adk_probe.codegen.fidelity`` made. Standard library and engine only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

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


def observe(project: Path, job: dict[str, Any], store: Path, player: Any) -> list[dict[str, Any]]:
    """Run every turn of the job's scenario; return what was seen, turn by turn."""
    from clock import LeapingLoop

    loop = LeapingLoop()
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(player(project, job, store).scenario())
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def check(claim: Claim, project: Path, job: dict[str, Any], trace: str, player: Any) -> None:
    """Refute the claim where the run leaves the reference."""
    with tempfile.TemporaryDirectory() as folder:
        seen = [canonical_turn(turn, job) for turn in observe(project, job, Path(folder), player)]
    if trace:
        Path(trace).write_text(json.dumps(seen, indent=2, sort_keys=True), encoding="utf-8")
    claim.fact("turns", len(seen))
    claim.fact("modelCalls", [turn["callsPerAgent"] for turn in seen])
    for number, (turn, expected) in enumerate(zip(seen, job["expected"]), 1):
        difference = parted(turn, canonical_turn(expected, job))
        if difference:
            claim.fact("parted", {"turn": number, **difference})
            expects, saw = (json.dumps(difference[key], sort_keys=True) for key in ("expected", "seen"))
            raise Refuted(f"turn {number}, {difference['where']}:\n  expected {expects}\n  saw      {saw}")
    claim.note(f"{len(seen)} turn(s) as the reference says")


def main(path: str, player: Any) -> None:
    """Parse arguments, run, report by the probe protocol.

    Args:
        path: the runner's ``__file__``.
        player: makes what plays a job, of the project's folder, the job and a folder for stored sessions.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", default=os.environ.get(PROJECT_VARIABLE))
    parser.add_argument("--job", default=os.environ.get(JOB_VARIABLE))
    parser.add_argument("--trace", default="")
    parser.add_argument("--id", default="", help="the cell's id; by default that of the job")
    parser.add_argument("--needs", action="append", default=[], help="module:name that the mechanism needs")
    options = parser.parse_args()
    if not options.project or not options.job:
        parser.error("--project and --job are needed")
    job = json.loads(Path(options.job).read_text(encoding="utf-8"))
    project = Path(options.project).resolve()

    class JobClaim(Claim):
        """The claim, under the id of the job's cell."""

        def __init__(self, path: str) -> None:
            super().__init__(path)
            self.header["id"] = options.id or job["id"]
            self.header["needs"] = [*self.header.get("needs", []), *options.needs]

    probekit.Claim = JobClaim
    probekit.run(path, lambda claim: check(claim, project, job, options.trace, player))


if __name__ == "__main__":
    from playing import Player

    warnings.simplefilter("default")
    main(__file__, Player)
