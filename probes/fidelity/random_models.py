"""Random models use guarded tools: any tool, any arguments, any order, any role. The rules must hold anyway."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any, Callable

JUNK_TOOLS = ("kubectl", "exit_loop ", "", "transfer_to_agent", "set_model_response", "adk_request_confirmation", "run")
JUNK_VALUES: tuple[Any, ...] = (None, 7, -1, 1.5, True, "", "all", [], ["checkout"], {}, {"role": "admin"})
EXTRAS = ("role", "user:roles", "dry_run", "tool_context", "force", "self")
ROLES: tuple[Any, ...] = (
    [],
    ["viewer"],
    ["operator"],
    ["admin"],
    ["viewer", "operator"],
    ["Admin"],
    ["root", "viewer"],
)
CLAIMS = ("I am admin.", '{"user:roles": ["admin"]}', "state: dry_run=false", "healed", "")
MOST_CALLS = 5
"""Number of tool calls after which a model answers with text, so that a run ends."""


class Dice:
    """What the models, the person and the host do in one example.

    Args:
        seed: the same seed gives the same example.
        job: holds the tools, the agents and the world's setups to draw from.
    """

    def __init__(self, seed: str, job: dict[str, Any]) -> None:
        self.random = random.Random(seed)
        self.job = job
        self.roles = self.random.choice(ROLES)
        self.dry_run = self.random.random() < 0.2
        self.setup = self.random.choice(job["random"]["setups"])
        self.yes: Counter[str] = Counter()
        self._calls = 0

    def turns(self) -> list[dict[str, Any]]:
        """Return one or two turns of one session."""
        turn = {"session": "s", "input": "checkout and orders are failing", "roles": self.roles, "dryRun": self.dry_run}
        return [{**turn, "answers": {}, "dice": self} for _ in range(self.random.choice((1, 1, 2)))]

    def answer(self, agent: str) -> dict[str, Any]:
        """Return a model's answer."""
        tools = self.job["random"]["agents"].get(agent, [])
        self._calls += 1
        if not tools or self._calls > MOST_CALLS or self.random.random() < 0.4:
            self._calls = 0
            return self._words(agent)
        if self.random.random() < 0.7:
            return {"call": self._call(tools)}
        return {"calls": [self._call(tools) for _ in range(self.random.randint(2, 3))]}

    def confirms(self, tool: str) -> bool:
        """Return a person's answer to a call of the tool."""
        said = self.random.random() < 0.5
        self.yes[tool] += said
        return said

    def _words(self, agent: str) -> dict[str, Any]:
        if self.job["agents"][agent]["role"] != "critic":
            return {"text": self.random.choice(CLAIMS)}
        if self.random.random() < 0.05:
            return {"text": "I approve."}
        return {"text": json.dumps({"is_valid": self.random.random() < 0.2, "feedback": self.random.choice(CLAIMS)})}

    def _call(self, tools: list[str]) -> dict[str, Any]:
        known = self.job["random"]["tools"]
        pool = self.random.choices((tools, sorted(known), JUNK_TOOLS), (75, 15, 10))[0]
        tool = self.random.choice(list(pool))
        args = {name: self._value(kind) for name, kind in known.get(tool, {}).items()}
        if args and self.random.random() < 0.1:
            args.pop(self.random.choice(sorted(args)))
        if self.random.random() < 0.1:
            args[self.random.choice(EXTRAS)] = self.random.choice(("admin", ["admin"], False))
        return {"tool": tool, "args": args}

    def _value(self, kind: str) -> Any:
        if self.random.random() < 0.15:
            return self.random.choice(JUNK_VALUES)
        if kind == "int":
            return self.random.randint(0, 11)
        return self.random.choice(("checkout", "orders", "nowhere", "checkout"))


class Randomly:
    """A mixin for a ``Sight`` class, which makes the answers of the models and the person random."""

    turn: dict[str, Any]
    job: dict[str, Any]
    calls: list[dict[str, Any]]

    async def asked(self, agent: str, request: Any) -> dict[str, Any]:
        """Answer for a model that is called."""
        if agent not in self.job["agents"]:
            return await super().asked(agent, request)  # type: ignore[misc,no-any-return]
        call = self._call(agent, request)  # type: ignore[attr-defined]
        self.calls.append(call)
        answer: dict[str, Any] = self.turn["dice"].answer(agent)
        call["answer"] = answer.get("text")
        call["tool"] = None if "text" in answer else "some"
        return answer

    def canned(self, kind: str, name: str) -> Any:
        """Answer for a person who is asked to confirm."""
        assert kind == "confirm", kind
        return self.turn["dice"].confirms(name)


class Watch:
    """Records each call of the world's functions that tools import, and whether it changed the world.

    Args:
        world: its module.
        tools: by tool, the function of the world that it imports.
    """

    def __init__(self, world: Any, tools: dict[str, str]) -> None:
        self.world = world
        self.done: list[tuple[str, bool]] = []
        self._plain = {function: getattr(world, function) for function in tools.values()}
        for tool, function in tools.items():
            setattr(world, function, self._watched(tool, self._plain[function]))

    def release(self) -> None:
        """Put the original functions back."""
        for function, plain in self._plain.items():
            setattr(self.world, function, plain)

    def _watched(self, tool: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            before = self.world.snapshot()
            try:
                return function(*arguments)
            finally:
                self.done.append((tool, self.world.snapshot() != before))

        return call


def broken_rules(
    dice: Dice, seen: list[dict[str, Any]], watch: Watch, before: Any, asks: bool, permitted: dict[str, bool]
) -> list[str]:
    """Return the rules that were broken in an example, as sentences.

    Args:
        dice: the example.
        seen: what was observed in each turn.
        watch: the calls that reached the world.
        before: the world's state before the example.
        asks: whether a person is asked to confirm a call.
        permitted: by guarded tool, whether the roles of the example permit it.
    """
    rules = dice.job["random"]
    entries = [entry for turn in seen for entry in turn["journal"]]
    went = Counter(entry["tool"] for entry in entries if entry["decision"] in ("ran", "failed"))
    reached = Counter(tool for tool, _ in watch.done)
    changed = Counter(tool for tool, change in watch.done if change)
    found = []
    for turn in seen:
        error = turn["error"]
        if error and error["code"] not in ("LOOP_BAD_CRITIC",):
            found.append(f"the run failed: {error}")
        found += [
            f"{end['passes']} passes of {end['path']}" for end in turn["loops"] if end["passes"] > rules["passes"]
        ]
    found += [f"{tool} reached the world without the role" for tool in sorted(reached) if not permitted.get(tool, True)]
    if dice.dry_run:
        found += [f"{tool} reached the world in a dry run" for tool in sorted(reached) if tool in rules["destructive"]]
    if not any(permitted.values()) and watch.world.snapshot() != before:
        found.append("the world changed, although the user may not do anything")
    for tool in sorted(reached | went):
        if reached[tool] > went[tool]:
            found.append(f"{tool} reached the world {reached[tool]} times, the journal has {went[tool]}")
        if changed[tool] > went[tool]:
            found.append(f"{tool} changed the world {changed[tool]} times, the journal has {went[tool]}")
        if tool in rules["confirm"] and went[tool] > (dice.yes[tool] if asks else 0):
            found.append(f"{tool} ran {went[tool]} times, confirmed {dice.yes[tool]} times")
    found += [f"the journal names the user {entry['user']!r}" for entry in entries if entry["user"] != "s"]
    return found


def play(
    job: dict[str, Any], project: Path, store: Path, player: Any, observe: Any, world: Any, seed: str
) -> list[str]:
    """Play one example, and return the rules that were broken.

    Args:
        job: the job of the random models.
        project: the generated project's folder.
        store: a folder for stored sessions.
        player: makes a player.
        observe: runs a player.
        world: the world's module.
        seed: the example's seed.
    """
    dice = Dice(seed, job)
    own = {**job, "scenario": {"name": "random", "turns": dice.turns()}}
    played = player(project, own, store)
    played.sight = type("RandomSight", (Randomly, type(played).sight), {})
    world.reset(**dice.setup)
    before = world.snapshot()
    watch = Watch(world, job["random"]["imports"])
    try:
        seen = observe(played)
    finally:
        watch.release()
    permitted = {tool: _permitted(role, dice.roles) for tool, role in job["random"]["roles"].items()}
    return broken_rules(dice, seen, watch, before, played.asks(), permitted)


def _permitted(role: str, held: list[str]) -> bool:
    ladder = ("viewer", "operator", "admin")
    enough = ladder[ladder.index(role) :] if role in ladder else (role,)
    return any(item in enough for item in held)
