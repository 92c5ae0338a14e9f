"""Generated LoopGraph projects on the real engine: smoke tests, a pause, a process that is killed, a failed turn."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from codegen_samples import FILES, graph_file, project

from adk_probe.codegen import write

pytestmark = pytest.mark.real

RELEASE = "0.5.1"
PLAY = """
import asyncio, contextlib, json, os, sys
from pathlib import Path

name, folder, what = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])
agent = __import__(f"{name}.agent", fromlist=["agent"])
models = __import__(f"{name}.models", fromlist=["models"])


class Script:
    async def answer(self, request):
        with (folder / "calls.txt").open("a") as calls:
            calls.write(request.agent + chr(10))
        answer = what["answers"].pop(0)
        if answer == "die":
            os.kill(os.getpid(), 9)
        if answer == "hang":
            await asyncio.sleep(3600)
        if answer == "raise":
            raise ConnectionError("the line is dead")
        if answer == "any":
            answer = json.dumps({"is_valid": True, "feedback": "f"}) if request.agent.endswith("critic") else "d"
        if isinstance(answer, dict):
            return models.Answer(calls=(models.Call(**answer),))
        return models.Answer(text=answer)


made = agent.conversation(folder / "sessions", Script())
order = what["do"]
if order == "turn":
    going = made.turn("s", what["text"])
elif order == "cancelled turn":

    async def cut_off():
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(made.turn("s", what["text"]), 0.5)
        assert len(asyncio.all_tasks()) == 1, "something of the first turn still runs"
        return await made.turn("s", what["text"])

    going = cut_off()
elif order == "answer":
    going = made.answer("s", what["given"])
else:
    going = made.resume("s")
try:
    reply = asyncio.run(going)
except Exception as error:
    print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
else:
    asked = [question.node for question in reply.questions]
    print(json.dumps({"output": reply.output, "asked": asked, "state": made.state("s")}))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the engine and pytest."""
    folder = tmp_path_factory.mktemp("loopgraph") / "env"
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    wanted = [f"loopgraph=={RELEASE}", "pydantic>=2", "pytest"]
    found = folder / "bin" / "python"
    try:
        subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(folder)], check=True, timeout=120)
        subprocess.run([uv, "pip", "install", "-q", "--python", str(found), *wanted], check=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"the environment cannot be made here: {error}")
    return found


def made(name: str, folder: Path) -> str:
    """Write the project of a graph; return its name."""
    [path] = [path for path in FILES if path.name == f"{name}.ir.json"]
    graph = graph_file(path)
    write(folder / graph.name, project(graph, "loopgraph"))
    return graph.name


def play(python: Path, name: str, folder: Path, do: str, *answers: object, **more: object) -> dict[str, object] | None:
    """Do something in a process of its own; None if it was killed."""
    what = json.dumps({"do": do, "answers": answers, **more})
    command = [str(python), "-c", textwrap.dedent(PLAY), name, str(folder), what]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == -9:
        return None
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def calls(folder: Path) -> list[str]:
    return (folder / "calls.txt").read_text(encoding="utf-8").split()


def verdict(good: bool) -> str:
    return json.dumps({"is_valid": good, "feedback": "f"})


def test_every_project_passes_its_smoke_test(python: Path, tmp_path: Path) -> None:
    for path in FILES:
        folder = tmp_path / path.name.removesuffix(".ir.json")
        name = made(folder.name, folder)
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, f"{folder.name}: {done.stdout[-2000:]}"


def test_a_run_that_was_killed_goes_on_where_it_stopped(python: Path, tmp_path: Path) -> None:
    name = made("critic-loop", tmp_path)
    assert play(python, name, tmp_path, "turn", "d1", verdict(False), "d2", "die", text="Tides") is None
    found = play(python, name, tmp_path, "resume", verdict(False), "d3", verdict(False))
    assert found is not None
    generator, critic = "draft_loop_generator", "draft_loop_critic"
    # the call in which it died is made again, and no other
    assert calls(tmp_path) == [generator, critic, generator, critic, critic, generator, critic]
    assert found["state"] == {"draft_loop_status": "exhausted", "draft_loop_iterations": 3, "draft_loop_feedback": "f"}
    again = play(python, name, tmp_path, "resume")
    assert again == {"error": "SessionError: session 's' has no run to go on with; it is done"}


def test_what_a_tool_did_before_the_process_was_killed_is_in_the_journal(python: Path, tmp_path: Path) -> None:
    name = made("tools", tmp_path)
    root = {"tool": "root", "arguments": {"n": 9}}
    assert play(python, name, tmp_path, "turn", root, "die", text="How much?") is None
    found = play(python, name, tmp_path, "resume", root, "3", "d", verdict(True))
    assert found is not None
    state = found["state"]
    assert isinstance(state, dict)
    entries = [json.loads(state[key]) for key in sorted(state) if key.startswith("journal/")]
    # the agent is called again, so the tool has run twice, as the journal says
    assert [(entry["user"], entry["tool"], entry["decision"], entry["result"]) for entry in entries] == [
        ("s", "root", "ran", 3)
    ] * 2


def test_a_turn_that_failed_is_over_and_the_next_one_is_whole(python: Path, tmp_path: Path) -> None:
    name = made("critic-loop", tmp_path)
    assert play(python, name, tmp_path, "turn", "d1", "raise", text="Tides") == {
        "error": "ConnectionError: the line is dead"
    }
    refused = play(python, name, tmp_path, "resume")
    assert refused == {"error": "SessionError: session 's' has no run to go on with; it is failed"}
    found = play(python, name, tmp_path, "turn", "e1", verdict(False), "e2", verdict(True), text="Ebb")
    assert found is not None
    assert found["state"] == {"draft_loop_status": "approved", "draft_loop_iterations": 2, "draft_loop_feedback": "f"}


def test_a_question_ends_the_process_and_the_answer_goes_on(python: Path, tmp_path: Path) -> None:
    name = made("human", tmp_path)
    asked = play(python, name, tmp_path, "turn", text="Go")
    assert asked is not None
    assert asked["asked"] == ["ask_brief"]
    wrong = play(python, name, tmp_path, "answer", given={"nobody": 1})
    assert wrong == {"error": "SessionError: session 's' does not ask 'nobody'"}
    asked = play(python, name, tmp_path, "answer", "d1", verdict(True), given={"ask_brief": "On frost"})
    assert asked is not None
    assert asked["asked"] == ["sign_off"]
    found = play(python, name, tmp_path, "answer", given={"sign_off": {"approved": False}})
    assert found is not None
    assert (found["output"], found["asked"]) == ("Published: dropped: -", [])
    assert calls(tmp_path) == ["draft_loop_generator", "draft_loop_critic"]


@pytest.mark.parametrize("name", ["critic-loop", "nested"])
def test_nothing_of_a_turn_that_was_cut_off_goes_on(python: Path, tmp_path: Path, name: str) -> None:
    name = made(name, tmp_path)
    found = play(python, name, tmp_path, "cancelled turn", "hang", *["any"] * 8, text="Tides")
    assert found is not None
    assert "error" not in found
    assert found["output"]


def test_the_command_line_says_what_is_wrong(python: Path, tmp_path: Path) -> None:
    name = made("critic-loop", tmp_path)
    command = [str(python), "-m", f"{name}.main", "--resume", "--folder", str(tmp_path / "sessions")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: session 'default' has no run to go on with; it is new\n"
