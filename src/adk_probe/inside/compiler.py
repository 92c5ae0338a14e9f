"""Compiles files of installed distributions from their source, for the harness.

Standard library only, Python 3.9 and later. The interpreter that an environment was made from runs this file, in
isolated mode, and not that of the environment, so that nothing installed runs. It reads a JSON job from standard input:
``store``, a folder, and ``sources``, pairs of a path and the SHA-256 that the file must have. For each file it writes
bytecode into the folder, under that SHA-256: 32 bytes of SHA-256 over the rest, then a ``.pyc`` that is never checked
against its source (PEP 552). A file that has another SHA-256, or that cannot be compiled, is left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import marshal
import os
import sys
import warnings

UNCHECKED_HASH = (1).to_bytes(4, "little")
# the importer puts the file's own path there
FILENAME = "<installed>"


def bytecode(source: bytes) -> bytes:
    """Return a ``.pyc`` of a source.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it cannot be compiled.
    """
    code = compile(source, FILENAME, "exec", dont_inherit=True)
    return importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(source) + marshal.dumps(code)


def keep(path: str, expected: str, store: str) -> None:
    """Compile one file into the store, unless it is there or is not the expected one."""
    kept = os.path.join(store, expected)
    if os.path.exists(kept):
        return
    with open(path, "rb") as file:
        source = file.read()
    if hashlib.sha256(source).hexdigest() != expected:
        return
    data = bytecode(source)
    part = "{}.{}.part".format(kept, os.getpid())
    try:
        with open(part, "wb") as file:
            file.write(hashlib.sha256(data).digest() + data)
        os.replace(part, kept)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def main() -> None:
    """Do the job that standard input holds."""
    warnings.simplefilter("ignore")
    job = json.load(sys.stdin)
    os.makedirs(job["store"], exist_ok=True)
    for path, expected in job["sources"]:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError, OSError):
            keep(path, expected, job["store"])


if __name__ == "__main__":
    main()
