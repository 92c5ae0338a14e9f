"""The generator: a Graph IR in, an agent project out.

``emit`` makes the files (pure), ``write`` puts them on disk or says how the disk differs, ``mechanisms`` knows the
ways to generate a loop.
"""

from adk_probe.codegen.emit import emit, emit_all
from adk_probe.codegen.findings import CANNOT_EXPRESS
from adk_probe.codegen.mechanism import Mechanism, mechanism, mechanisms
from adk_probe.codegen.spec import MARK, Proof, Spec
from adk_probe.codegen.write import Drift, check, diff, write

__all__ = [
    "CANNOT_EXPRESS",
    "MARK",
    "Drift",
    "Mechanism",
    "Proof",
    "Spec",
    "check",
    "diff",
    "emit",
    "emit_all",
    "mechanism",
    "mechanisms",
    "write",
]
