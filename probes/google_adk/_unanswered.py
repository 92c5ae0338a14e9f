"""What the probes of a step without an answer share: where the step is, and what the step after it is given.

A model that answers nothing raises nothing. Whoever comes next must be able to tell, or must not run: a critic that is
not told judges the draft of the pass before, or the user's own words.
"""

from __future__ import annotations

from typing import Any, Callable

from _kit import Bench, Claim, Refuted, graph, llm, plain, play, stub

SIGNS = ("SAFETY", "the answer was blocked")
REQUEST = "user: the request"
VERDICT = "the verdict"
ANSWER = "a draft"


def model_error() -> Any:
    """Return the answer of a model that reports an error, without content."""
    from google.adk.models.llm_response import LlmResponse

    return LlmResponse(error_code=SIGNS[0], error_message=SIGNS[1])


def no_parts() -> Any:
    """Return the answer of a model that ends well and says nothing."""
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types

    return LlmResponse(content=types.Content(role="model", parts=[]))


def _ran(root: Any) -> dict[str, Any]:
    """Run a root; return what reached the host: the exception, or the error codes of the events."""
    try:
        events = play(Bench(root).turn("the request", bound=60))
    except Refuted:
        raise
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}", "error_codes": []}
    return {"raised": None, "error_codes": [event.error_code for event in events if event.error_code]}


def before_function(answer: Any, signs: tuple = SIGNS) -> dict[str, Any]:
    """Run a graph of the step and a function node; ``given`` lists what that node was given, run by run."""
    given: list = []

    def after(node_input):
        given.append(plain(node_input))

    seen = _ran(graph(("START", llm("step", stub(answer)), after)))
    told = [value for value in given if not value or any(sign in str(value) for sign in signs)]
    return {**seen, "given": given, "told": told == given}


def _before_agent(root_of: Callable[..., Any], script: list, signs: tuple, earlier: int) -> dict[str, Any]:
    """Run a root of the step and a critic; ``given`` is what the critic was sent on the pass of the silence.

    Without signs any words that are new on that pass, beside the request and the critic's own, tell it.
    """
    verdicts = stub(VERDICT)
    step = llm("step", stub(*script), output_key="draft")
    critic = llm("critic", verdicts, instruction="Judge this draft: '{draft?}'")
    seen = _ran(root_of(step, critic))
    if len(verdicts.requests) <= earlier:
        return {**seen, "given": [], "told": True}
    request = verdicts.requests[earlier]
    before = verdicts.requests[earlier - 1]["contents"] if earlier else [REQUEST]
    new = [line for line in request["contents"][len(before) :] if line != f"model: {VERDICT}"]
    whole = "\n".join([request["system"], *new])
    words = [line.partition(": ")[2].strip() for line in new]
    told = any(sign in whole for sign in signs) if signs else any(words)
    # Asked of the draft alone: how the engine introduces another agent's words differs from release to release.
    judged = request["system"].partition("Judge this draft: ")[2].split("\n")[0]
    return {**seen, "given": {"new": new, "judged_draft": judged}, "told": told}


def in_graph(answer: Any, signs: tuple) -> dict[str, Any]:
    """Put the step before an agent node of a Workflow."""
    return _before_agent(lambda *nodes: graph(("START", *nodes)), [answer], signs, 0)


def in_sequence(answer: Any, signs: tuple) -> dict[str, Any]:
    """Put the step before another agent of a SequentialAgent."""
    from google.adk.agents import SequentialAgent

    return _before_agent(lambda *agents: SequentialAgent(name="root", sub_agents=list(agents)), [answer], signs, 0)


def in_loop_agent(answer: Any, signs: tuple) -> dict[str, Any]:
    """Put the step before a critic in a LoopAgent; it is silent on pass 2 of 3."""
    from google.adk.agents import LoopAgent

    def loop(*agents: Any) -> Any:
        return LoopAgent(name="root", sub_agents=list(agents), max_iterations=3)

    return _before_agent(loop, ["draft 1", answer, "draft 3"], signs, 1)


def judge(claim: Claim, what: str, answered: dict[str, Any], seen: dict[str, Any]) -> None:
    """Refute the claim unless the run stopped, or the next step was told; what was seen becomes a fact.

    ``answered`` is what the same place gives when the step does answer: the next step must be told of that, else a run
    that stops for another reason would pass.
    """
    claim.fact(what.replace(" ", "_"), seen)
    claim.true(answered["given"] and answered["told"], f"{what} was not given an answer either: {answered}")
    claim.true(
        seen["raised"] or not seen["given"] or seen["told"],
        f"the run went on, and {what} could not tell that there was no answer: it was given {seen['given']!r}",
    )
    how = f"raised {seen['raised']}" if seen["raised"] else ("told" if seen["given"] else "not run")
    claim.note("; ".join(filter(None, [claim.message, f"{what}: {how}"])))
