# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "control-pass"
# claim = "the environment holds exactly the release of the engine that the target names"
# engine = "any"
# timeout = 30
# ///
"""The control that must pass. It shows that the harness reaches the right environment and reads its answer."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from probekit import Claim, run


def main(claim: Claim) -> None:
    """Compare the installed version with the target's release."""
    found = importlib.metadata.version(os.environ["ADK_PROBE_DISTRIBUTION"])
    claim.equal("release", found, os.environ["ADK_PROBE_RELEASE"])


if __name__ == "__main__":
    run(__file__, main)
