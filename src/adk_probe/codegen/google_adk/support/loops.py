"""What a loop means: generate, criticise, revise or pass. How it is run is not told here.

The loop's place is in session state, so that it starts anew each time it is entered and no two sessions share it:
``<name>_status``, ``<name>_iterations`` and ``<name>_feedback`` for whoever comes after; ``<name>_loop`` for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

from . import content, values


@dataclass(frozen=True)
class Verdict:
    """What follows from the critic's evaluation: ``value`` goes downstream when ``done``, else to the next pass."""

    done: bool
    value: Any


@dataclass(frozen=True)
class Loop:
    """The rules of one loop.

    Attributes:
        name: of the loop's node.
        max_passes: after so many it ends, approved or not.
        request: type of what enters it.
        draft: type of its drafts, so of its output.
        evaluation: type of the critic's answer.
        approval: None when the critic's ``is_valid`` decides; else the ``status`` that approves.
        must_pass: whether it is an error to end without approval.
        timeout: in seconds; None for all the time.
        exits: whether the critic may end it by the tool ``exit_loop``, which approves.
        kept: whether a workflow leaves its output in session state, where an instruction reads it later.
    """

    name: str
    max_passes: int
    request: Any
    draft: Any
    evaluation: Any
    approval: Optional[str] = None
    must_pass: bool = False
    timeout: Optional[float] = None
    exits: bool = False
    kept: bool = False

    def begin(self, state: Any, request: Any, run: str = "") -> Any:
        """Enter the loop; return what the generator sees on pass 1.

        Args:
            state: session state.
            request: what enters it.
            run: names this run of the loop, where it may be entered again when the run is resumed.
        """
        request = content.plain(content.take(self.request, request, self.name))
        state[f"{self.name}_loop"] = {"request": request, "draft": None}
        state[f"{self.name}_status"] = "running"
        state[f"{self.name}_iterations"] = 1
        state[f"{self.name}_feedback"] = ""
        if self.exits and not (run and state.get(f"{self.name}_begun") == run):
            state[f"{self.name}_exits_before"] = state.get(f"{self.name}_exits", 0)
            state[f"{self.name}_begun"] = run
        return request

    def drafted(self, state: Any, draft: Any) -> Any:
        """Take a draft; return what the critic sees."""
        draft = content.plain(content.take(self.draft, draft, f"{self.name}_generator", "AGENT_BAD_OUTPUT"))
        state[f"{self.name}_loop"] = {**self.place(state), "draft": draft}
        return self.place(state)

    def place(self, state: Any) -> dict[str, Any]:
        """The request and the last draft. Read as their types: some session stores leave nulls out."""
        kept = state[f"{self.name}_loop"]
        request = content.plain(content.take(self.request, kept["request"], self.name))
        draft = kept.get("draft")
        if draft is not None:
            draft = content.plain(content.take(self.draft, draft, self.name))
        return {"request": request, "draft": draft}

    def judged(self, state: Any, evaluation: Any) -> Verdict:
        """Take the critic's evaluation; say what follows.

        Raises:
            StepError: the loop ends without the approval that it needs.
        """
        if self.exited(state):
            self._end(state, "approved")
            return Verdict(True, self.place(state)["draft"])
        found = content.take(self.evaluation, evaluation, self.name, "LOOP_BAD_CRITIC")
        place, passes = self.place(state), state[f"{self.name}_iterations"]
        state[f"{self.name}_feedback"] = found.feedback
        approved = found.is_valid if self.approval is None else found.status.strip() == self.approval.strip()
        if not approved and passes < self.max_passes:
            state[f"{self.name}_iterations"] = passes + 1
            return Verdict(False, {**place, "feedback": found.feedback})
        self._end(state, "approved" if approved else "exhausted")
        if not approved and self.must_pass:
            text = f"the loop is not approved after {passes} passes; last feedback: {found.feedback}"
            raise values.StepError("LOOP_EXHAUSTED", self.name, text)
        return Verdict(True, place["draft"])

    def late(self, state: Any) -> None:
        """The loop's time is up.

        Raises:
            StepError: there is none, or the loop needs an approval.
        """
        self._end(state, "timed_out")
        if self.must_pass or self.place(state)["draft"] is None:
            raise values.StepError("LOOP_TIMED_OUT", self.name, f"the loop has not ended within {self.timeout} s")

    def exited(self, state: Any) -> bool:
        """Whether the critic has called the exit tool in this pass of this run of the loop.

        The tool counts and nobody sets back: a step that had written the key itself would not see the tool's change.
        The pass counts too: a run that is resumed may go through earlier passes again.
        """
        if not self.exits or state.get(f"{self.name}_exit_pass") != state[f"{self.name}_iterations"]:
            return False
        return bool(state.get(f"{self.name}_exits", 0) > state[f"{self.name}_exits_before"])

    def stopped(self, state: Any) -> None:
        """The engine has stopped the passes; if it was for the exit tool, the loop is approved."""
        if state[f"{self.name}_status"] == "running" and self.exited(state):
            self._end(state, "approved")

    def leave(self, state: Any) -> Any:
        """Go on downstream; return the loop's output, its last draft."""
        place = self.place(state)
        values.report(self.name, place["request"], place["draft"])
        return place["draft"]

    def _end(self, state: Any, end: str) -> None:
        state[f"{self.name}_status"] = end
        passes, feedback = state[f"{self.name}_iterations"], state[f"{self.name}_feedback"]
        ended = {"loop": self.name, "end": end, "passes": passes, "feedback": feedback}
        values.logger.debug("%s ended: %s", self.name, end, extra=ended)
