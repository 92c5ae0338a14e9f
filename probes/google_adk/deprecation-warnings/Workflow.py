# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "deprecation-warnings/Workflow"
# claim = "constructing a Workflow raises no DeprecationWarning"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
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


def router(node_input):
    return node_input


def publish(node_input):
    return node_input


def build():
    from google.adk.workflow import Workflow

    writer = llm("writer", stub("draft"))
    return Workflow(name="wf", edges=[("START", writer, router), (router, {"REVISE": writer, "PASS": publish})])


def main(claim: Claim) -> None:
    quiet(claim, "constructing a Workflow", build)


if __name__ == "__main__":
    run(__file__, main)
