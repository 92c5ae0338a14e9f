"""A package index of PEP 691 on loopback, with upload times, so that ``--exclude-newer`` works offline."""

from __future__ import annotations

import base64
import hashlib
import threading
from collections.abc import Iterable
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import msgspec

from fake.wheels import Dist

JSON = "application/vnd.pypi.simple.v1+json"


class Trick(Enum):
    """How an index breaks an answer.

    Attributes:
        CUT: it promises the whole length and closes the connection after a tenth.
        SHORT: it sends a tenth, as if that were all.
        STALL: it sends a tenth, and then nothing until it is stopped.
        EMPTY: a page without a file.
        GARBAGE: bytes that are nothing.
        OTHER: as many bytes as there should be, and one of them is another one.
    """

    CUT = "cut"
    SHORT = "short"
    STALL = "stall"
    EMPTY = "empty"
    GARBAGE = "garbage"
    OTHER = "other"


class Index:
    """Serves files until it is stopped.

    Attributes:
        answers: replaces the page of a project by other bytes.
        tricks: breaks the answer for a path, or answers it with a status instead.
        side_metadata: whether metadata is to be had beside a wheel, or only from within.
        hashes: whether pages tell the hashes of files.
        password: user and password that it asks for, if any.
        metadata_hashes: whether they tell those of metadata that is beside a wheel.
    """

    def __init__(self, dists: Iterable[Dist]) -> None:
        self.dists = {dist.filename: dist for dist in dists}
        self.answers: dict[str, tuple[str, bytes]] = {}
        self.tricks: dict[str, Trick | int] = {}
        self.side_metadata = True
        self.hashes = self.metadata_hashes = True
        self.password: tuple[str, str] | None = None
        self.stopped = threading.Event()
        self.requests: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        """The address that UV_DEFAULT_INDEX takes."""
        return f"http://127.0.0.1:{self.server.server_port}/simple/"

    @property
    def authorization(self) -> str:
        """The header by which a client shows that it knows the password; empty where it need not."""
        return f"Basic {base64.b64encode(':'.join(self.password).encode()).decode()}" if self.password else ""

    def stop(self) -> None:
        """Stop serving; the port is closed."""
        self.stopped.set()
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

    def _core_metadata(self, dist: Dist) -> bool | dict[str, str]:
        if not self.side_metadata or not dist.metadata:
            return False
        return _sha256(dist.metadata) if self.metadata_hashes else True

    def _page(self, name: str) -> bytes:
        files: list[dict[str, Any]] = [
            {
                "filename": dist.filename,
                "url": f"/files/{dist.filename}",
                "hashes": _sha256(dist.data) if self.hashes else {},
                "upload-time": dist.uploaded,
                "requires-python": dist.requires_python or None,
                "yanked": dist.yanked,
                "core-metadata": self._core_metadata(dist),
            }
            for dist in self.dists.values()
            if dist.name == name
        ]
        if not files:
            return b""
        return msgspec.json.encode({"meta": {"api-version": "1.1"}, "name": name, "files": files})


def _sha256(data: bytes) -> dict[str, str]:
    return {"sha256": hashlib.sha256(data).hexdigest()}


def _changed(data: bytes, trick: Trick | int | None) -> bytes:
    """Return the bytes that a trick puts in the place of ``data``."""
    tenth = len(data) // 10
    match trick:
        case Trick.SHORT:
            return data[:tenth]
        case Trick.EMPTY:
            return msgspec.json.encode({**msgspec.json.decode(data), "files": []})
        case Trick.GARBAGE:
            return b"\x00\xffgarbage" * 20
        case Trick.OTHER:
            return data[:tenth] + bytes([data[tenth] ^ 0xFF]) + data[tenth + 1 :]
    return data


def _handler(index: Index) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, data = index.reply(self.path)
            if index.authorization not in ("", self.headers.get("Authorization")):
                status, kind, data = 401, "text/plain", b"who are you?"
            trick = index.tricks.get(self.path)
            sent = data = _changed(data, trick)
            if isinstance(trick, int):
                status, kind = trick, "text/plain"
            if trick in (Trick.CUT, Trick.STALL):
                sent = data[: len(data) // 10]
                self.close_connection = True
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(sent)
                self.wfile.flush()
            if trick is Trick.STALL:
                index.stopped.wait(60)

        do_HEAD = do_GET  # noqa: N815 - http.server's name

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
            pass

    return Handler
