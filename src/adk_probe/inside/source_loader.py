"""Lets a target import this project's files from their source alone, whatever bytecode lies beside them.

Standard library only, Python 3.9 and later; the worker runs this file inside the target. Python believes bytecode whose
modification time and size fit, and a compiled module beside a source file goes before it: either could run code that
no digest covers. So all that is neither the interpreter's nor the environment's is read as source. Its bytecode goes to
a scratch folder, under the hash of what it was compiled from; nothing is written beside the source. What is installed
keeps its own caches.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.machinery
import marshal
import os
import sys
from types import CodeType
from typing import Any


class ScratchLoader(importlib.machinery.SourceFileLoader):
    """Compiles a module from its source, once for all processes that share a scratch folder.

    Attributes:
        scratch: a folder for bytecode of this interpreter, which nothing but this program's own processes write to.
    """

    scratch = ""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the source as it is now."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        # code knows the file that it is from, so the same text elsewhere is compiled again
        name = hashlib.sha256(os.fsencode(path) + b"\0" + source).hexdigest()
        kept = os.path.join(self.scratch, name)
        with contextlib.suppress(OSError, EOFError, ValueError, TypeError), open(kept, "rb") as file:
            found = marshal.load(file)  # noqa: S302 - named after what it was compiled from, in this run
            if isinstance(found, CodeType):
                return found
        code: CodeType = self.source_to_code(source, path)
        with contextlib.suppress(OSError):
            os.makedirs(self.scratch, exist_ok=True)
            part = f"{kept}.{os.getpid()}"
            with open(part, "wb") as file:
                marshal.dump(code, file)
            os.replace(part, kept)
        return code


def install(scratch: str) -> None:
    """Make every later import of what is not on ``sys.path`` yet read source alone.

    Args:
        scratch: where bytecode may be kept.
    """
    installed = [os.path.abspath(entry) for entry in sys.path]
    loader = type("ScratchLoader", (ScratchLoader,), {"scratch": scratch})
    find_source = importlib.machinery.FileFinder.path_hook((loader, importlib.machinery.SOURCE_SUFFIXES))

    def hook(path: str) -> Any:
        folder = os.path.abspath(path)
        if any(folder == entry or folder.startswith(entry + os.sep) for entry in installed):
            raise ImportError("installed: found and cached as usual", path=path)
        return find_source(path)

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()
