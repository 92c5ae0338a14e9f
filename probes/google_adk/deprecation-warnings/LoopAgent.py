# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "deprecation-warnings/LoopAgent"
# claim = "constructing a LoopAgent raises no DeprecationWarning"
# engine = "google-adk"
# needs = ["google.adk.agents:LoopAgent"]
# timeout = 30
# ///
"""It is constructed twice, and only the second time counts, so that imports cannot cause the warnings. The facts record
every warning with the line that it blames.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _kit import Claim, llm, quiet, run, stub


def build():
    from google.adk.agents import LoopAgent

    return LoopAgent(name="root", sub_agents=[llm("writer", stub("draft"))])


def main(claim: Claim) -> None:
    quiet(claim, "constructing a LoopAgent", build)


if __name__ == "__main__":
    run(__file__, main)
