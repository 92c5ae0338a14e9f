"""Which Python name stands for which name of an IR.

A name of an IR is an identifier and is used as it is, unless the generated module needs that name itself
(``Any``, ``str``): then an underscore is put behind it. The engine still sees the name as it was written.
"""

from __future__ import annotations

import builtins
import keyword
import unicodedata
from collections.abc import Iterable

RESERVED = frozenset(dir(builtins)) | frozenset(keyword.kwlist)
"""Names that no module can do without."""

SHARED = frozenset({"Any", "Callable", "Mapping", "Optional", "annotations", "datetime", "json", "logging"}) | {
    *("BaseModel", "ConfigDict", "Field", "Model"),
    *("agents", "functions", "instructions", "schemas", "support", "tools"),
    *("given", "state", "node_input", "run", "self"),
}
"""Names that the generated modules of every engine use for themselves."""


class Symbols:
    """Hands out the Python names of one module.

    Args:
        taken: names that the module has already, beside ``RESERVED``.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(RESERVED) | {unicodedata.normalize("NFKC", name) for name in taken}
        self._names: dict[str, str] = {}

    def spare(self, wanted: str) -> str:
        """A name that stands for nothing of the IR, as near to the wanted one as can be."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted

    def __getitem__(self, name: str) -> str:
        if name not in self._names:
            symbol = unicodedata.normalize("NFKC", name)  # as Python itself reads an identifier
            while symbol in self._taken:
                symbol += "_"
            self._taken.add(symbol)
            self._names[name] = symbol
        return self._names[name]
