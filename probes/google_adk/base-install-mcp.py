# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "base-install-mcp"
# claim = "the base install has what the documentation's MCP page imports: a toolset and its connection parameters"
# engine = "google-adk"
# needs = []
# timeout = 60
# ///
"""The environment holds the distribution and what it requires, no extras. The toolset goes by two names, and its
parameters came later; each spelling is tried, and one of the toolset must do. Nothing is connected.

No symbol is needed: where the package of these tools is there and its dependency is not, it is the import that fails.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Optional

from _kit import Absent, Claim, run

TOOLSETS = (
    "google.adk.tools.mcp_tool:McpToolset",
    "google.adk.tools.mcp_tool:MCPToolset",
    "google.adk.tools.mcp_tool.mcp_toolset:MCPToolset",
)
PARAMETERS = ("google.adk.tools.mcp_tool.mcp_session_manager:StdioConnectionParams",)


def missing(symbol: str) -> Optional[str]:
    """Return why a symbol does not import, or None; without the place, which an ImportError's text has in brackets."""
    module, _, name = symbol.partition(":")
    try:
        getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        return f"{type(error).__name__}: {str(error).split(' (')[0]}"
    return None


def main(claim: Claim) -> None:
    if importlib.util.find_spec("google.adk.tools.mcp_tool") is None:
        raise Absent("this release has no MCP tools")
    why = {symbol: missing(symbol) for symbol in (*TOOLSETS, *PARAMETERS)}
    claim.fact("missing", why)
    found = [symbol for symbol in TOOLSETS if not why[symbol]]
    # 2.0 made MCP an extra; the package stays, and logs that it cannot import its own modules.
    claim.true(found, f"no toolset imports: {why[TOOLSETS[-1]]}")
    claim.note(f"imports {', '.join(found)}")


if __name__ == "__main__":
    run(__file__, main)
