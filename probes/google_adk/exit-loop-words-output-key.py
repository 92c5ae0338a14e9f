# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "exit-loop-words-output-key"
# claim = "words beside a call of exit_loop do not replace what is under the agent's output_key"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:SequentialAgent",
#   "google.adk.tools:exit_loop",
# ]
# timeout = 30
# ///
"""Models say something beside a call now and then: "Nothing to do." The refiner of the documentation's own example then
has said something and called ``exit_loop`` in one answer. The draft of the pass before must still be under its key, in
the session and for the step after the loop: the remark is no draft.
"""

from __future__ import annotations

from _kit import Claim, run
from _refining import call_with_words, judge_refined


def main(claim: Claim) -> None:
    # Newer releases gather all the text of a run, calls included, and write it under the key.
    judge_refined(claim, call_with_words())


if __name__ == "__main__":
    run(__file__, main)
