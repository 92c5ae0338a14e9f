"""The generator: a Graph IR in, an agent project out.

``emit`` makes the files (pure), ``write`` puts them on disk or says how the disk differs, ``mechanisms`` knows the
ways to generate a loop.
"""

from adk_probe.codegen.emit import MARK, emit
from adk_probe.codegen.mechanisms import CANNOT_EXPRESS, Mechanism, mechanism, mechanisms
from adk_probe.codegen.write import Drift, check, diff, write

__all__ = [
    "CANNOT_EXPRESS",
    "MARK",
    "Drift",
    "Mechanism",
    "check",
    "diff",
    "emit",
    "mechanism",
    "mechanisms",
    "write",
]
