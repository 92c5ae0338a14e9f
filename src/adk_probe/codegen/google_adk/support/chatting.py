"""The whole graph as a tool of a chat agent."""

from __future__ import annotations

from typing import Any

from google.adk.tools.agent_tool import AgentTool

from . import values


class GraphTool(AgentTool):
    """Runs the graph in a session of its own, whose state is that of the chat; what it writes there the chat keeps."""

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        """Run it. A run that fails is a result too: an exception would lose what the run had put into the journal."""
        try:
            return await super().run_async(args=args, tool_context=tool_context)
        except values.StepError as error:
            return {"error": str(error)}
