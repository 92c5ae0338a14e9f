# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "state-delta-workflow-root"
# claim = "run_async(state_delta=...) reaches the first step of a Workflow, and the session"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""A host gives each request's user, tenant or budget this way. An instruction that lacks its key raises, so the key is
optional there: ``{topic?}``.
"""

from __future__ import annotations

from _hosting import judge_given_state, workflow_root
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_given_state(claim, workflow_root())


if __name__ == "__main__":
    run(__file__, main)
