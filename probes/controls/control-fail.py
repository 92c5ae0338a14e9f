# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "control-fail"
# claim = "the environment holds release 0.dev0 of the engine, which there has never been"
# engine = "any"
# timeout = 30
# ///
"""The control that must fail: a harness that calls everything true would show here."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from probekit import Claim, run


def main(claim: Claim) -> None:
    """Compare the installed version with one that never was."""
    found = importlib.metadata.version(os.environ["ADK_PROBE_DISTRIBUTION"])
    claim.equal("release", found, "0.dev0")


if __name__ == "__main__":
    run(__file__, main)
