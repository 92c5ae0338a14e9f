# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "readme-events"
# claim = "the engine has each event that the README names as available"
# engine = "loopgraph"
# needs = ["loopgraph.core.types:EventType"]
# timeout = 30
# ///
"""The probe reads the README's sentence "Available events: ..." from the distribution's metadata, and compares it with
EventType.

False in every release so far: the README promises NODE_STARTED, but EventType (core/types.py) has never had it.
"""

from __future__ import annotations

import importlib.metadata
import re

from _kit import Absent, Claim, run


def main(claim: Claim) -> None:
    from loopgraph.core.types import EventType

    match = re.search(r"Available events: ([^.]*)\.", importlib.metadata.metadata("loopgraph").get_payload())
    if match is None:
        raise Absent("the README names no available events")
    named = re.findall(r"`(\w+)`", match[1])
    claim.fact("named", named)
    claim.fact("known", sorted(item.name for item in EventType))
    missing = [name for name in named if not hasattr(EventType, name)]
    claim.true(not missing, f"EventType has no {', '.join(missing)}")
    claim.note(f"{', '.join(named)}")


if __name__ == "__main__":
    run(__file__, main)
