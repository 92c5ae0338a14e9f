# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "readme-events"
# claim = "each event that the README names as available is one that the engine knows"
# engine = "loopgraph"
# needs = ["loopgraph.core.types:EventType"]
# timeout = 30
# ///
"""The README's sentence "Available events: ..." is read from the distribution's metadata and compared with
EventType.

False in every release so far: NODE_STARTED is promised, but EventType (core/types.py) has never had it.
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
