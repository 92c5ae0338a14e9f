"""The form in which the observed and the expected run are compared."""

from __future__ import annotations

from typing import Any

PARTS = ("steps", "calls", "toolUses", "loops")


def owner(path: str, job: dict[str, Any]) -> str:
    """Return the path of the node that a path belongs to: for a loop's member, the loop."""
    for about in job["agents"].values():
        if about["loop"] and about["path"] == path:
            return path.rpartition("/")[0]
    return path


def canonical_turn(turn: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Return an observed or expected turn, sorted by the places of nodes, without what cannot be observed.

    The steps of nested workflows are left out. The steps inside them are kept, and the next steps show their output.
    Of a failed turn, only what had to happen before the failing node is kept.
    """
    failed = turn["error"]["path"] if turn["error"] else None
    concerned = None if failed is None else job["concerns"].get(owner(failed, job))
    workflows = {about["path"] for about in job["nodes"].values() if about["type"] == "workflow"}

    def kept(name: str) -> list[dict[str, Any]]:
        parts = [part for part in turn[name] if concerned is None or owner(part["path"], job) in concerned]
        if name == "steps":
            parts = [part for part in parts if part["path"] not in workflows]
        return sorted(parts, key=lambda part: _place(part, job))

    made = {name: kept(name) for name in PARTS}
    counts: dict[str, int] = {}
    for call in made["calls"]:
        counts[call["agent"]] = counts.get(call["agent"], 0) + 1
    return {
        "session": turn["session"],
        "input": turn["input"],
        **made,
        "callsPerAgent": dict(sorted(counts.items())),
        "output": None if turn["error"] else turn["output"],
        "error": turn["error"],
        "state": {} if turn["error"] else turn["state"],
        # branches that run side by side write in any order
        "journal": [] if turn["error"] else sorted(turn["journal"], key=lambda entry: _entry_place(entry, job)),
    }


def _entry_place(entry: dict[str, Any], job: dict[str, Any]) -> tuple[Any, ...]:
    """Return the sort key of a journal entry. For a guarded step, the tool's name is that of the node."""
    about = job["agents"].get(entry["agent"]) or job["nodes"].get(entry["tool"], {})
    return _place({"path": about.get("path", ""), "pass": entry["pass"]}, job)


def _place(part: dict[str, Any], job: dict[str, Any]) -> tuple[Any, ...]:
    passes = part.get("pass")
    critic = any(about["path"] == part["path"] and about["role"] == "critic" for about in job["agents"].values())
    rank = job["order"].get(owner(part["path"], job), len(job["order"]))
    return rank, float("inf") if passes is None else float(passes), int(critic)


def parted(seen: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Return the first difference between the two, with the value of each; empty if they are equal."""
    for name in PARTS:
        for index in range(max(len(seen[name]), len(expected[name]))):
            one = seen[name][index] if index < len(seen[name]) else None
            other = expected[name][index] if index < len(expected[name]) else None
            if one != other:
                path = (other or one or {}).get("path")
                passes = (other or one or {}).get("pass")
                at = f"{path}, pass {passes}" if passes is not None else f"{path}"
                error = "" if name != "steps" or not seen["error"] else f" (the run failed: {seen['error']})"
                return {"where": f"{name}[{index}] ({at}){error}", "seen": one, "expected": other}
    for name in ("error", "output", "journal", "state", "session", "input"):
        if seen[name] != expected[name]:
            return {"where": name, "seen": seen[name], "expected": expected[name]}
    return {}
