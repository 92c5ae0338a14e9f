"""Probes that bring about every outcome, and hostile ones that try to take others down with them."""

from __future__ import annotations

import json
import textwrap
from typing import Any

KIT = """import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from probekit import Claim, run
"""
TAIL = """

if __name__ == "__main__":
    run(__file__, main)
"""


def probe(name: str, engine: str, body: str, raw: bool = False, **header: Any) -> str:
    """Return a probe's text: ``body`` is the claim's function, or with ``raw`` all that follows the header."""
    table = {"id": name, "claim": f"{name} holds", "engine": engine, "timeout": 30, **header}
    keys = "".join(f"# {key} = {json.dumps(value)}\n" for key, value in table.items())
    top = f'# /// script\n# requires-python = ">=3.9"\n# dependencies = []\n#\n# [tool.adk-probe]\n{keys}# ///\n'
    body = textwrap.dedent(body)
    if raw:
        return f"{top}{body}"
    return f"{top}{KIT}\n\ndef main(claim: Claim) -> None:\n{textwrap.indent(body, '    ')}{TAIL}"


PLAIN: dict[str, tuple[str, dict[str, Any]]] = {
    "import": ("import fake_engine\nclaim.note('it imports')\n", {"isolated": True}),
    "loop": ("import fake_engine\nclaim.equal('loops', fake_engine.loop(), 3)\n", {}),
    "refuted": ("import fake_engine\nclaim.equal('loops', fake_engine.loop(), 4)\n", {}),
    "workflow": (
        "import fake_engine\nclaim.true(fake_engine.Workflow(), 'no workflow')\n",
        {"needs": ["fake_engine:Workflow"]},
    ),
    "late-import": ("import module_that_is_not_there\n", {}),
    # everything that differs from machine to machine and from run to run, said in every way there is
    "places": (
        """
        import os, sys, tempfile, uuid, fake_engine
        claim.fact("id", f"run-{uuid.uuid4()}-{str(uuid.uuid4()).upper()}")
        seen = [fake_engine.__file__, os.getcwd(), tempfile.gettempdir(), os.environ["HOME"], sys.prefix, __file__]
        claim.fact("seen", seen)
        claim.measure("measured", seen)
        import warnings
        warnings.warn("in " + " ".join(seen), UserWarning)
        claim.true(False, "saw " + " ".join(seen))
        """,
        {},
    ),
    "places-crash": (
        """
        import fake_engine
        claim.fact("seen", fake_engine.__file__)
        claim.measure("measured", __file__)
        raise ValueError(fake_engine.__file__ + " " + __file__)
        """,
        {},
    ),
}

HELLO = """import json, os
out = open(os.environ["ADK_PROBE_OUT"], "a")


def say(**record):
    out.write(json.dumps(record) + "\\n")
    out.flush()


def hello(name):
    say(type="hello", protocol=1, id=name)


"""
FORKED = """
import os, time


def leave_behind(name, session, act):
    pids = Path(__file__).resolve().parents[2] / "pids"
    pids.mkdir(exist_ok=True)
    if os.fork():
        deadline = time.monotonic() + 10
        while not (pids / name).exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return
    if session:
        os.setsid()
        if os.fork():
            os._exit(0)
    part = pids / (name + ".part")
    part.write_text(str(os.getpid()))
    part.rename(pids / name)
    while True:
        act()


"""
SLEEP = "lambda: time.sleep(1)"
KILL = "import signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)"

HOSTILE: dict[str, tuple[str, dict[str, Any]]] = {
    "crash-exception": ("raise ValueError('boom')", {}),
    "crash-exit": ("import os\nos._exit(7)", {}),
    "crash-words": ("sys.exit('words at the end')", {}),
    "crash-signal": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", {}),
    "hang": ("import time\nclaim.fact('before', 1)\ntime.sleep(600)", {"timeout": 1}),
    "hang-deaf": (
        """
        import signal, time
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            pass
        """,
        {"timeout": 1},
    ),
    "memory-kit": ("kept = []\nwhile True:\n    kept.append(bytearray(1 << 24))", {"memory": 64}),
    "flood-stdout": ("while True:\n    print('x' * 1000)", {"timeout": 1}),
    "flood-then-pass": ("for _ in range(20000):\n    print('x' * 1000)", {}),
    "closes-fds": ("import os\nos.closerange(0, 4096)", {}),
    "writes-fds": (
        """
        import os
        for number in range(256):
            try:
                os.write(number, b'rubbish {"event": 3} [] \\xff' + bytes(9))
            except OSError:
                pass
        """,
        {},
    ),
    "writes-worker-fds": (
        """
        import os
        for number in range(256):
            try:
                handle = os.open(f"/proc/{os.getppid()}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK)
                for line in (b'rubbish', b'[1]', b'{}', b'3', b'{"event": [1]}', b'{"event": "start", "id": []}',
                             b'{"event": "end", "id": {}}', b'{"event": "warm"}', b'{"event": "warm", "fault": 3}',
                             b'[' * 5000):
                    os.write(handle, b'\\n' + line + b'\\n')
            except OSError:
                pass
        """,
        {},
    ),
    "kills-worker": ("import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)", {}),
    "stops-worker": (
        "import os, signal, time\nos.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(60)",
        {"timeout": 1},
    ),
    "fork-storm": (
        """
        import os, time
        for _ in range(40):
            if not os.fork():
                os.setsid()
                time.sleep(600)
        """,
        {},
    ),
    "network": (
        """
        import socket
        port = int((Path(__file__).resolve().parents[2] / "port").read_text())
        reached = []
        for address in (("127.0.0.1", port), ("192.0.2.1", 80), ("10.0.0.1", 53)):
            try:
                socket.create_connection(address, timeout=1).close()
                reached.append(address[0])
            except OSError:
                pass
        claim.fact("reached", reached)
        with socket.create_server(("127.0.0.1", 0)) as own:
            socket.create_connection(own.getsockname(), timeout=5).close()
        """,
        {},
    ),
    "environment": (
        """
        import os
        claim.fact("names", sorted(os.environ))
        claim.fact("home", sorted(os.listdir(os.environ["HOME"])))
        claim.fact("here", sorted(os.listdir(".")))
        claim.fact("writes-bytecode", not sys.dont_write_bytecode)
        claim.fact("stdin", sys.stdin.read())
        claim.fact("harness", [name for name in sys.modules if name.startswith(("adk_probe", "worker"))])
        claim.true(b"unsaid" not in Path("/proc/self/environ").read_bytes(), "a secret is in the environment")
        claim.true("unsaid" not in str(os.environ), "a secret is in the environment")
        """,
        {},
    ),
    "big-numbers": (
        "claim.fact('big', 2**70)\nclaim.fact('odd', ['\\u2028', '\\x00', '\\N{GRINNING FACE}'])",
        {},
    ),
}

RAW: dict[str, tuple[str, dict[str, Any]]] = {
    "memory-raw": ("kept = []\nwhile True:\n    kept.append(bytearray(1 << 24))\n", {"memory": 64}),
    "memory-children": (
        """
        import os, time
        for _ in range(6):
            if not os.fork():
                kept = bytearray(os.urandom(1 << 20) * 40)
                time.sleep(600)
        time.sleep(600)
        """,
        {"memory": 100, "timeout": 20},
    ),
    "protocol-silent": ("", {}),
    "protocol-no-done": (HELLO + "hello('protocol-no-done')\nsay(type='fact', name='a', value=1)\n", {}),
    "protocol-rubbish": (HELLO + "hello('protocol-rubbish')\nout.write('\\x00 rubbish')\nout.flush()\n", {}),
    "protocol-binary": (
        "import os\nopen(os.environ['ADK_PROBE_OUT'], 'wb').write(b'\\xff\\xfe\\n')\n",
        {},
    ),
    "protocol-two-hellos": (
        HELLO + "hello('protocol-two-hellos')\nhello('protocol-two-hellos')\nsay(type='done', outcome='pass')\n",
        {},
    ),
    "protocol-wrong-id": (HELLO + "hello('other')\nsay(type='done', outcome='pass')\n", {}),
    "protocol-wrong-version": (
        HELLO + "say(type='hello', protocol=2, id='protocol-wrong-version')\nsay(type='done', outcome='pass')\n",
        {},
    ),
    "protocol-after-done": (
        HELLO + "hello('protocol-after-done')\nsay(type='done', outcome='pass')\nsay(type='fact', name='a', value=1)\n",
        {},
    ),
    "protocol-no-kind": (HELLO + "hello('protocol-no-kind')\nsay(type='done', outcome='error')\n", {}),
    "protocol-outcome": (HELLO + "hello('protocol-outcome')\nsay(type='done', outcome='unsupported')\n", {}),
    "protocol-flood": (
        HELLO
        + "hello('protocol-flood')\nwhile out.tell() < 5 << 20:\n    say(type='fact', name='a', value='x' * 9999)\n",
        {},
    ),
    "protocol-huge": (
        "import os\nout = open(os.environ['ADK_PROBE_OUT'], 'ab')\nwhile True:\n    out.write(b'x' * (1 << 24))\n",
        {},
    ),
    "protocol-deep": (
        HELLO
        + "hello('protocol-deep')\nvalue = 1\nfor _ in range(300):\n    value = [value]\n"
        + "say(type='fact', name='a', value=value)\nsay(type='done', outcome='pass')\n",
        {},
    ),
    "protocol-nan": (
        HELLO
        + "hello('protocol-nan')\nsay(type='fact', name='a', value=float('nan'))\nsay(type='done', outcome='pass')\n",
        {},
    ),
    "protocol-fifo": ("import os\nos.mkfifo(os.environ['ADK_PROBE_OUT'])\n", {}),
    "protocol-folder": ("import os\nos.mkdir(os.environ['ADK_PROBE_OUT'])\n", {}),
    "protocol-link": ("import os\nos.symlink('/dev/zero', os.environ['ADK_PROBE_OUT'])\n", {}),
}

LEFT_BEHIND: dict[str, tuple[str, dict[str, Any]]] = {
    "stays-behind": (f"leave_behind('stays-behind', False, {SLEEP})", {}),
    "stays-behind-session": (f"leave_behind('stays-behind-session', True, {SLEEP})", {}),
    "stays-behind-flooding": (
        "leave_behind('stays-behind-flooding', True, lambda: os.write(1, bytes(65536)))",
        {"timeout": 5},
    ),
    "kills-worker-and-stays": (
        f"leave_behind('kills-worker-and-stays', True, {SLEEP})\n{KILL}",
        {},
    ),
}


def plain(engine: str) -> dict[str, str]:
    """Return the probes that behave: every outcome that an engine can bring about."""
    return {name: probe(name, engine, body, **header) for name, (body, header) in PLAIN.items()}


def hostile(engine: str) -> dict[str, str]:
    """Return the probes that do not, each with a neighbour that must pass all the same."""
    found = {}
    for name, (body, header) in HOSTILE.items():
        found[name] = probe(name, engine, body, **header)
    for name, (body, header) in RAW.items():
        found[name] = probe(name, engine, body, raw=True, **header)
    for name, (body, header) in LEFT_BEHIND.items():
        found[name] = probe(name, engine, body, **header).replace("\ndef main", FORKED + "\ndef main")
    body = "import fake_engine, os\nclaim.equal('loops', fake_engine.loop(), 3)\nclaim.equal('here', os.listdir(), [])"
    for name in list(found):
        neighbour = f"{name}-next"
        found[neighbour] = probe(neighbour, engine, body)
    return found
