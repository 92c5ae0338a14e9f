"""An interruption at any moment ends in one message and exit code 130, never in a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from fake.project import REPOSITORY

from adk_probe.__main__ import INTERRUPTED, KEPT

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# what the interpreter runs before anything of ours: sends itself real signals at moments that a test chooses
HOOK = """
import json, os, signal, sys

job = json.loads(os.environ["ADK_PROBE_TEST_HOOK"])
# a shell that starts the tests in the background lets it be ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
seen = 0
begun = False

def count():
    global seen
    seen += 1
    # once, or from there on at every moment
    if seen in job["at"] or (job["again"] and seen > job["at"][0]):
        signal.raise_signal(job["signal"])

def audit(event, arguments):
    global begun
    if event == "import":
        # from the first that the entry asks for; it cannot be ready before it is itself imported
        begun = begun or arguments[0].startswith("adk_probe.") and arguments[0] != "adk_probe.__main__"
        if begun:
            count()

def lines(frame, event, argument):
    if os.path.basename(frame.f_code.co_filename) not in job["files"]:
        return None
    if event == "line" and signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        count()
    return lines

class Falling:
    def __del__(self):
        signal.raise_signal(job["signal"])

def falls(frame, event, argument):
    # a destructor is where Python cannot let an exception out
    if frame.f_code.co_name == "releases_text" and job["at"]:
        job["at"] = []
        Falling()

match job["what"]:
    case "imports":
        sys.addaudithook(audit)
    case "lines":
        sys.settrace(lines)
    case "destructor":
        sys.setprofile(falls)
    case "exit":
        import atexit
        atexit.register(count)

if job["count"]:
    import atexit
    @atexit.register
    def tell():
        sys.settrace(None)
        with open(job["count"], "w") as out:
            out.write(str(seen))
"""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def module() -> list[str]:
    return [sys.executable, "-m", "adk_probe"]


def script() -> list[str]:
    """Return how an installer's script runs the entry point that the project declares."""
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    place, _, name = declared["project"]["scripts"]["adk-probe"].partition(":")
    return [sys.executable, "-c", f"import sys\nfrom {place} import {name}\nsys.exit({name}())"]


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    """Return a folder in which Python finds the hook."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    return tmp_path / "hook"


def run(
    hook: Path,
    command: Sequence[str],
    what: str,
    at: Sequence[int] = (),
    sent: int = signal.SIGINT,
    files: Sequence[str] = (),
    again: bool = False,
    count: str = "",
) -> Ended:
    job = {
        "what": what,
        "at": list(at),
        "signal": int(sent),
        "files": list(files),
        "again": again,
        "count": count,
    }
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(hook), str(REPOSITORY / "src")]),
        "ADK_PROBE_TEST_HOOK": json.dumps(job),
    }
    done = subprocess.run(
        [*command, "--root", str(REPOSITORY), "releases"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def moments(hook: Path, what: str, files: Sequence[str] = ()) -> int:
    """Return how many moments there are in a command that is left alone."""
    ended = run(hook, module(), what, files=files, count=str(hook / "count"))
    assert (ended.code, ended.err) == (0, "")
    return int((hook / "count").read_text(encoding="ascii"))


def interrupted(ended: Ended) -> bool:
    """Whether a command ended as an interrupted one: click ends the line of a ``^C`` before our message."""
    return ended.code == INTERRUPTED and ended.err.lstrip("\n") == KEPT


def spread(total: int, count: int) -> list[int]:
    """Return moments from the first to the last, the first ones close to each other."""
    assert total > count
    return sorted({*range(1, 6), *(1 + number * (total - 1) // (count - 1) for number in range(count))})


def test_at_any_import(hook: Path) -> None:
    total = moments(hook, "imports")
    assert total > 100
    for number, at in enumerate(spread(total, 12)):
        start = (module, script)[number % 2]
        ended = run(hook, start(), "imports", [at], SIGNALS[number // 2 % 2])
        assert interrupted(ended), (at, ended)
        assert ended.out == ""


def test_at_any_line_of_ours(hook: Path) -> None:
    files = ("__main__.py", "app.py", "shared.py")
    total = moments(hook, "lines", files)
    assert total > 40
    for number, at in enumerate(spread(total, 16)):
        ended = run(hook, module(), "lines", [at], SIGNALS[number % 2], files)
        # once the answer is out there is nothing left to interrupt
        assert interrupted(ended) or (ended.code == 0 and ended.out and not ended.err), (at, ended)


def test_told_twice_at_once(hook: Path) -> None:
    files = ("__main__.py", "app.py", "shared.py")
    total = moments(hook, "lines", files)
    for number, at in enumerate(spread(total, 8)):
        ended = run(hook, module(), "lines", [at, at + 1], files=files, again=bool(number % 2))
        assert interrupted(ended) or (ended.code == 0 and ended.out and not ended.err), (at, ended)


def test_where_python_cannot_let_it_out(hook: Path) -> None:
    assert interrupted(run(hook, module(), "destructor", [1]))


def test_when_all_is_done(hook: Path) -> None:
    ended = run(hook, module(), "exit", [1])
    assert (ended.code, ended.err) == (0, "")
    assert "releases" in ended.out


@pytest.mark.parametrize("sent", SIGNALS)
def test_what_is_ignored_stays_ignored(sent: signal.Signals) -> None:
    program = f"import signal; signal.signal({int(sent)}, signal.SIG_IGN); from adk_probe import __main__ as entry\n"
    program += f"import sys; sys.argv[1:] = ['--help']; signal.raise_signal({int(sent)}); entry.main()"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_entry_imports_nothing_before_it_is_ready() -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\nimport adk_probe.__main__\n"
        "print(sorted(set(sys.modules) - before - {'adk_probe', 'adk_probe.__main__'}))"
    )
    command = [sys.executable, "-I", "-c", program, str(REPOSITORY / "src")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_standard_error_the_message_goes_nowhere(hook: Path, tmp_path: Path) -> None:
    # the descriptor 2 is then that of any file which is opened
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *module()]
    total = moments(hook, "imports")
    ended = run(hook, command, "imports", [total - 1])
    # the line of a ``^C`` is ended by click
    assert (ended.code, ended.out.strip(), ended.err) == (INTERRUPTED, "", "")
