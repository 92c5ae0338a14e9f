"""Support code for google-adk, as far as it runs without the engine: what a loop means, how long it may take."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from stand_ins import engines

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def stand_ins() -> Iterator[None]:
    """Let the engine be imported."""
    with engines():
        yield


def module(name: str) -> Any:
    """A support module, imported while engines have stand-ins."""
    return importlib.import_module(f"adk_probe.codegen.google_adk.support.{name}")


def loop(**more: Any) -> Any:
    """The rules of a loop of texts whose critic answers ``{"is_valid": ..., "feedback": ...}``."""
    from pydantic import create_model

    evaluation = create_model("Evaluation", is_valid=(bool, ...), feedback=(str, ...))
    return module("loops").Loop("draft", 2, str, str, evaluation, **more)


def verdict(good: bool, feedback: str = "f") -> Json:
    return {"is_valid": good, "feedback": feedback}


def test_a_loop_revises_until_it_is_approved() -> None:
    state: Json = {}
    rules = loop()
    assert rules.begin(state, "x") == "x"
    assert rules.drafted(state, "d1") == {"request": "x", "draft": "d1"}
    again = rules.judged(state, verdict(False, "more"))
    assert (again.done, again.value) == (False, {"request": "x", "draft": "d1", "feedback": "more"})
    rules.drafted(state, "d2")
    ended = rules.judged(state, verdict(True, "good"))
    assert (ended.done, ended.value, rules.leave(state)) == (True, "d2", "d2")
    assert (state["draft_status"], state["draft_iterations"], state["draft_feedback"]) == ("approved", 2, "good")


@pytest.mark.parametrize("must_pass", [True, False])
def test_a_loop_is_exhausted_after_its_passes(must_pass: bool) -> None:
    state: Json = {}
    rules = loop(must_pass=must_pass)
    rules.begin(state, "x")
    for number in (1, 2):
        rules.drafted(state, f"d{number}")
        if number == 1:
            assert not rules.judged(state, verdict(False)).done
    if must_pass:
        with pytest.raises(module("values").StepError, match="not approved after 2 passes") as failed:
            rules.judged(state, verdict(False))
        assert (failed.value.code, failed.value.step) == ("LOOP_EXHAUSTED", "draft")
    else:
        assert rules.judged(state, verdict(False)).value == "d2"
    assert state["draft_status"] == "exhausted"


def test_the_phrase_of_approval_is_compared_without_white_space() -> None:
    from pydantic import create_model

    evaluation = create_model("Evaluation", status=(str, ...), feedback=(str, ...))
    state: Json = {}
    rules = module("loops").Loop("draft", 3, str, str, evaluation, approval="DONE")
    rules.begin(state, "x")
    rules.drafted(state, "d")
    assert not rules.judged(state, {"status": "done", "feedback": ""}).done
    assert rules.judged(state, {"status": " DONE\n", "feedback": ""}).done


def test_a_critic_that_talks_rubbish_fails_the_loop() -> None:
    state: Json = {}
    rules = loop()
    rules.begin(state, "x")
    rules.drafted(state, "d")
    with pytest.raises(module("values").StepError) as failed:
        rules.judged(state, "fine")
    assert (failed.value.code, failed.value.step) == ("LOOP_BAD_CRITIC", "draft")


def test_the_exit_tool_approves_in_its_own_pass_and_run() -> None:
    state: Json = {}
    rules = loop(exits=True)
    rules.begin(state, "x", "run 1")
    rules.drafted(state, "d")
    assert not rules.exited(state)
    state |= {"draft_exits": 1, "draft_exit_pass": 1}
    assert rules.exited(state)
    assert rules.judged(state, None).value == "d"
    rules.begin(state, "x", "run 1")
    assert rules.exited(state), "a run that is resumed goes through the same pass again"
    rules.begin(state, "x", "run 2")
    assert not rules.exited(state)


@pytest.mark.parametrize(("draft", "must_pass", "fails"), [("d", False, False), ("d", True, True), (None, False, True)])
def test_a_loop_that_is_late_goes_on_with_its_last_draft(draft: str | None, must_pass: bool, fails: bool) -> None:
    state: Json = {}
    rules = loop(must_pass=must_pass, timeout=1.0)
    rules.begin(state, "x")
    if draft is not None:
        rules.drafted(state, draft)
    if fails:
        with pytest.raises(module("values").StepError, match="has not ended within"):
            rules.late(state)
    else:
        rules.late(state)
        assert rules.leave(state) == draft
    assert state["draft_status"] == "timed_out"


def test_what_a_person_said_is_its_text() -> None:
    content = module("content")
    said = content.types.Content()
    said.parts = [type("Part", (), {"text": "a", "thought": None}), type("Part", (), {"text": "b", "thought": True})]
    said.parts.append(type("Part", (), {"text": None, "thought": None}))
    assert content.plain(said) == "a"
    assert content.take(str, said, "step") == "a"
    assert content.plain({"x": (1, 2)}) == {"x": [1, 2]}
    with pytest.raises(module("values").StepError) as failed:
        content.take(int, said, "step")
    assert (failed.value.code, failed.value.step) == ("INPUT_MISFIT", "step")


def test_a_recorder_notes_what_is_written_and_reads_what_was() -> None:
    changes: Json = {}
    state = module("recording").Recorder({"old": 1}, changes)
    state["new"] = 2
    assert (state["old"], state["new"], changes) == (1, 2, {"new": 2})


@pytest.mark.parametrize("late", [True, False])
def test_events_come_within_their_time_or_not_at_all(late: bool) -> None:
    closed = []

    async def events() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.sleep(30 if late else 0)
            yield 2
        finally:
            closed.append(True)

    async def collect() -> list[int]:
        found = []
        try:
            async for item in module("timing").within(0.05, events()):
                found.append(item)  # noqa: PERF401 - what came before the time was up counts
        except asyncio.TimeoutError:  # noqa: UP041 - as Python 3.10 has it
            found.append(-1)
        return found

    assert asyncio.run(collect()) == ([1, -1] if late else [1, 2])
    assert closed == [True]


def test_what_a_stream_raises_is_raised() -> None:
    async def events() -> AsyncIterator[int]:
        yield 1
        raise ValueError("broken")

    async def collect() -> None:
        async for _ in module("timing").within(5.0, events()):
            pass

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(collect())
