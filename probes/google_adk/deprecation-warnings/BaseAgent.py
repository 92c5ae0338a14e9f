# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "deprecation-warnings/BaseAgent"
# claim = "constructing a subclass of BaseAgent raises no DeprecationWarning"
# engine = "google-adk"
# needs = ["google.adk.agents:BaseAgent"]
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
    from google.adk.agents import BaseAgent

    class Loop(BaseAgent):
        async def _run_async_impl(self, ctx):
            for agent in self.sub_agents:
                async for event in agent.run_async(ctx):
                    yield event

    return Loop(name="loop", sub_agents=[llm("writer", stub("draft"))])


def main(claim: Claim) -> None:
    quiet(claim, "constructing a subclass of BaseAgent", build)


if __name__ == "__main__":
    run(__file__, main)
