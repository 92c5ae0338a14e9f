"""What the probes of sessions in SQLite share: a turn that is kept in a file, and read again by a service made new."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Callable

from _kit import Bench, Claim, llm, play, stub, texts

EXPECTED = {"state": "the answer", "said": ["user: go", "agent: the answer"]}


def judge_kept(claim: Claim, service_of: Callable[[str], Any]) -> None:
    """Refute the claim unless a turn's state and events are in the file; ``service_of`` takes its path."""

    def bench(file: str) -> Bench:
        return Bench(llm("agent", stub("the answer"), output_key="draft"), service_of(file))

    async def scene(file: str) -> dict[str, Any]:
        await bench(file).turn(bound=50)
        again = bench(file)
        return {"state": (await again.state()).get("draft"), "said": texts((await again.session()).events)}

    with tempfile.TemporaryDirectory() as folder:
        try:
            seen: Any = play(scene(str(Path(folder) / "sessions.db")))
        except Exception as error:
            # The file is in a folder of this machine, whose name must not be told.
            what = (str(error).splitlines() or [""])[0].replace(folder, "<folder>").split(" (/")[0]
            seen = f"raised {type(error).__name__}: {what[:200]}"
    claim.fact("seen", seen)
    claim.equal("what a service made new found in the file", seen, EXPECTED)
    claim.note("a service made new finds the state and the events")
