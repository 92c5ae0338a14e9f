# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "control-fail"
# claim = "the environment holds release 0.dev0 of the engine, which does not exist"
# engine = "any"
# timeout = 30
# ///
"""The control that must fail. It would expose a harness that reports every claim as true."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from probekit import Claim, run


def main(claim: Claim) -> None:
    """Compare the installed version with one that does not exist."""
    found = importlib.metadata.version(os.environ["ADK_PROBE_DISTRIBUTION"])
    claim.equal("release", found, "0.dev0")


if __name__ == "__main__":
    run(__file__, main)
