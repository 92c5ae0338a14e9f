"""A package index of PEP 691 on loopback, with upload times, so that ``--exclude-newer`` works offline."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import msgspec

from fake.wheels import Dist

JSON = "application/vnd.pypi.simple.v1+json"


class Index:
    """Serves files until it is stopped; ``answers`` replaces the page of a project by other bytes."""

    def __init__(self, dists: Iterable[Dist]) -> None:
        self.dists = {dist.filename: dist for dist in dists}
        self.answers: dict[str, tuple[str, bytes]] = {}
        self.requests: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        """The address that UV_DEFAULT_INDEX takes."""
        return f"http://127.0.0.1:{self.server.server_port}/simple/"

    def stop(self) -> None:
        """Stop serving; the port is closed."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()

    def reply(self, path: str) -> tuple[int, str, bytes]:
        """Return status, content type and bytes for a path."""
        self.requests.append(path)
        parts = path.strip("/").split("/")
        if parts[0] == "simple" and len(parts) == 2:
            if parts[1] in self.answers:
                return 200, *self.answers[parts[1]]
            page = self._page(parts[1])
            return (200, JSON, page) if page else (404, "text/plain", b"no such project")
        if parts[0] == "files" and len(parts) == 2:
            name = parts[1].removesuffix(".metadata")
            if name in self.dists:
                dist = self.dists[name]
                return 200, "application/octet-stream", dist.metadata if name != parts[1] else dist.data
        return 404, "text/plain", b"no such file"

    def _page(self, name: str) -> bytes:
        files: list[dict[str, Any]] = [
            {
                "filename": dist.filename,
                "url": f"/files/{dist.filename}",
                "hashes": {"sha256": hashlib.sha256(dist.data).hexdigest()},
                "upload-time": dist.uploaded,
                "requires-python": dist.requires_python or None,
                "yanked": dist.yanked,
                "core-metadata": bool(dist.metadata),
            }
            for dist in self.dists.values()
            if dist.name == name
        ]
        if not files:
            return b""
        return msgspec.json.encode({"meta": {"api-version": "1.1"}, "name": name, "files": files})


def _handler(index: Index) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, data = index.reply(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        do_HEAD = do_GET  # noqa: N815 - http.server's name

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
            pass

    return Handler
