# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "base-install-dev-server"
# claim = "with the base install the dev server is built for a folder of agents, and lists them"
# engine = "google-adk"
# needs = []
# timeout = 120
# ///
"""The environment holds the distribution and what it requires, no extras. The application behind ``adk web`` and
``adk api_server`` is built for a folder with one agent and asked for ``/list-apps``, without a socket.

No symbol is needed: where the server is there and a dependency is not, it is the import that fails.
"""

from __future__ import annotations

import inspect
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from _kit import Claim, Refuted, play, run

AGENT = "from google.adk.agents import LlmAgent\n\nroot_agent = LlmAgent(name='writer', model='none')\n"


async def get(app: Any, path: str) -> dict[str, Any]:
    """Return status and JSON of a GET that an ASGI application is asked in this process."""
    sent: list = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8000")],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in sent)
    return {"status": sent[0]["status"], "body": json.loads(body or b"null")}


def built(folder: str) -> Any:
    from google.adk.cli.fast_api import get_fast_api_app

    # The folder had another name in the first releases.
    name = "agents_dir" if "agents_dir" in inspect.signature(get_fast_api_app).parameters else "agent_dir"
    return get_fast_api_app(**{name: folder}, web=False)


def main(claim: Claim) -> None:
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        # What the server keeps by default goes where it is started.
        os.chdir(folder)
        agents = Path(folder) / "agents"
        (agents / "writer").mkdir(parents=True)
        (agents / "writer" / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
        (agents / "writer" / "agent.py").write_text(AGENT, encoding="utf-8")
        try:
            seen = play(get(built(str(agents)), "/list-apps"), seconds=60)
        except Exception as error:
            what = (str(error).splitlines() or [""])[0].replace(folder, "<folder>").split(" (/")[0]
            raise Refuted(f"building or asking the server raised {type(error).__name__}: {what}") from error
        finally:
            os.chdir(here)
    claim.fact("list_apps", seen)
    claim.equal("the answer to /list-apps", seen, {"status": 200, "body": ["writer"]})
    claim.note("built, and /list-apps answers ['writer']")


if __name__ == "__main__":
    run(__file__, main)
