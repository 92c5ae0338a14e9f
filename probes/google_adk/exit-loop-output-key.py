# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "exit-loop-output-key"
# claim = "an agent that calls exit_loop keeps what it wrote under its output_key in the pass before"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:SequentialAgent",
#   "google.adk.tools:exit_loop",
# ]
# timeout = 30
# ///
"""The refiner of the documentation's own example: it writes a better draft under the key of the draft, or calls
``exit_loop`` when there is nothing to do. After the call the draft must still be there, in the session and for the
step after the loop: a call written over it as an empty text loses the loop's whole work.
"""

from __future__ import annotations

from _kit import Claim, run
from _refining import judge_refined


def main(claim: Claim) -> None:
    judge_refined(claim, None)


if __name__ == "__main__":
    run(__file__, main)
