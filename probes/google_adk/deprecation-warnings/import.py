# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "deprecation-warnings/import"
# claim = "importing the engine's agents, runners and (if it has one) workflow package raises no DeprecationWarning"
# engine = "google-adk"
# needs = []
# timeout = 120
# isolated = true
# ///
"""The probe runs in an interpreter that has not imported the engine. Therefore it is ``isolated`` and has no ``needs``.
The facts record every warning with the line that it blames.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _kit import Claim, caught, import_engine, run, undeprecated


def main(claim: Claim) -> None:
    if "google.adk" in sys.modules:
        raise RuntimeError("the engine was imported before the probe began, so the probe cannot test the claim")
    with caught() as warned, claim.attempt("importing the engine"):
        import_engine()
    undeprecated(claim, "importing the engine", warned)


if __name__ == "__main__":
    run(__file__, main)
