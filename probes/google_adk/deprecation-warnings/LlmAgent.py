# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "deprecation-warnings/LlmAgent"
# claim = "constructing an LlmAgent raises no DeprecationWarning"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""It is constructed twice, and only the second time counts, so that imports cannot cause the warnings. The facts record
every warning with the line that it blames.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _kit import Claim, quiet, run, stub


def build():
    from google.adk.agents import LlmAgent

    return LlmAgent(name="writer", model=stub("draft"), instruction="Write.", output_key="draft")


def main(claim: Claim) -> None:
    quiet(claim, "constructing an LlmAgent", build)


if __name__ == "__main__":
    run(__file__, main)
