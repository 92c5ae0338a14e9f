# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "tool-plugin-refuses"
# claim = "a plugin whose before_tool_callback returns a dict prevents a tool's run, and the model reads that dict"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.plugins.base_plugin:BasePlugin",
# ]
# timeout = 30
# ///
"""A plugin guards every agent of an app, whoever wrote the agent, so here the tool belongs to a sub-agent of a
sequence. The runner receives the plugin and, if the release's apps accept plugins, so does the app.
"""

# No postponed annotations here, because the first releases do not evaluate the annotations of a tool's parameters.
import importlib
import inspect

from _kit import Bench, Claim, call, llm, play, run, stub


def refused_by(way: str) -> dict:
    from google.adk.agents import SequentialAgent
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.runners import Runner

    ran = []

    def remove(path: str) -> str:
        """Removes a file."""
        ran.append(path)
        return "removed"

    class Guard(BasePlugin):
        async def before_tool_callback(self, *, tool, tool_args, tool_context):  # noqa: ARG002
            return {"error": f"{tool.name} refused"} if tool_args["path"] == "b.txt" else None

    model = stub(call("remove", path="a.txt"), call("remove", path="b.txt"), "done")
    root = SequentialAgent(name="root", sub_agents=[llm("agent", model, tools=[remove])])
    bench = Bench(root)
    plugins = [Guard(name="guard")]
    given = {"agent": root, "app_name": "probe", "plugins": plugins}
    if way == "app":
        from google.adk.apps import App

        # The first releases with apps refuse a name beside one.
        given = {"app": App(name="probe", root_agent=root, plugins=plugins)}
    bench.runner = Runner(session_service=bench.service, **given)
    play(bench.turn(bound=50))
    return {"ran": ran, "read": [request["contents"][-1] for request in model.requests[1:]]}


def ways() -> list[str]:
    """Return the places where this release accepts plugins."""
    from google.adk.runners import Runner

    found = ["runner"] if "plugins" in inspect.signature(Runner.__init__).parameters else []
    try:
        app = importlib.import_module("google.adk.apps").App
    except (ImportError, AttributeError):
        return found
    return [*found, "app"] if "plugins" in app.model_fields else found


def main(claim: Claim) -> None:
    with claim.attempt("running with a plugin"):
        seen = {way: refused_by(way) for way in ways()}
    claim.fact("seen", seen)
    claim.true(seen, "neither the runner nor an app accepts plugins")
    expected = {
        "ran": ["a.txt"],
        "read": [
            'user: <response remove {"result": "removed"}>',
            'user: <response remove {"error": "remove refused"}>',
        ],
    }
    claim.equal("runs of the tool and what the model read", seen, dict.fromkeys(seen, expected))
    claim.note(f"the refused call did not run, and the model read the refusal; plugin given to: {', '.join(seen)}")


if __name__ == "__main__":
    run(__file__, main)
