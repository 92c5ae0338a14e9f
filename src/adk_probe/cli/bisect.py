"""``adk-probe bisect``: find the release on which a claim, a mechanism or a fact turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import msgspec
from rich.console import Console
from tabulate import tabulate

from adk_probe.cli.progress import Shown
from adk_probe.cli.screen import short
from adk_probe.cli.shared import GOOD, INCOMPLETE, REFUSED, Context, check_release, complained, noted, options, put
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.evidence import bisection, store
from adk_probe.evidence.answers import Answer, Subject, answers, fact_fault, subject_of
from adk_probe.evidence.bisect import Span
from adk_probe.evidence.bisection import Bisection, History, Turn
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project
from adk_probe.execution import schedule
from adk_probe.execution.target import TargetOutcome
from adk_probe.generate import building
from adk_probe.machine.state import Local
from adk_probe.model import Lane, Outcome
from adk_probe.project.fidelity_cells import graphs_of
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice
from adk_probe.report import files

EXIT_CODES = {"found": GOOD, "no change": REFUSED, "cannot tell": INCOMPLETE}
WORDS = 100
"""How much of what a probe said a line of the table shows."""

MOST_TROUBLE = 3
"""How many releases in a row may meet trouble of ours before the search ends."""


@click.command()
@click.argument("name")
@options("engine", "python", "json", "max-age")
@click.option("--fact", default="", help="Compare this fact of the probe, not its verdict; a.b is a key in a fact.")
@click.option("--good", help="The end with the old answer; default: the nearest release with another one.")
@click.option("--bad", help="The end with the new answer; default: the newest release.")
@click.option("--lane", type=click.Choice([str(lane) for lane in Lane]), default=str(Lane.TODAY), show_default=True)
@click.option("--no-run", is_flag=True, help="Use only evidence.")
@click.option("--fetch/--no-fetch", default=True, help="Let uv fetch a Python that is missing.")
@click.pass_obj
def bisect(context: Context, /, name: str, as_json: bool, no_run: bool, fetch: bool, **wanted: Any) -> int:
    """Find the release on which a probe, a fidelity cell or a mechanism gives another answer.

    Looks at fresh evidence first and runs only the releases that are needed. Exit 0 if the turn is found, 1 if nothing
    that was looked at differs, 3 if nobody can tell.
    """
    for end in ("good", "bad"):
        if wanted[end] is not None:
            check_release(f"--{end}", wanted[end])
    project = context.project()
    max_age = project.max_age(wanted["max_age"])
    judgement = noted(judge_project(project, Choice(), max_age))
    subject = subject_of(project, name, wanted["engine"], wanted["fact"])
    releases, where = _searched(project, subject, judgement, wanted)
    known = _known(project, releases, judgement)
    asker = _Asker(project, releases, max_age, fetch)
    found = bisection.search(releases, where, known, None if no_run else asker.ask)
    faulty = asker.finish()
    put(found, as_json, lambda: bisection_text(found))
    return faulty or EXIT_CODES[found.result]


def _searched(project: Project, subject: Subject, judgement: Judgement, wanted: dict[str, Any]) -> tuple[History, Span]:
    """Return the releases that are meant and where to search among them; raises InputError for what makes no sense."""
    lane = Lane(wanted["lane"])
    if subject.fact and (fault := fact_fault(subject, store.load(project.root).results.values())):
        raise InputError(f"--fact {subject.fact}: {fault}", f"`adk-probe explain {subject.name}` shows its facts.")
    tested = [target for target in judgement.targets if target.key in judgement.resolved]
    python = bisection.python_of(project, subject.engine, lane, wanted["python"], tested)
    ends = {
        end: bisection.release_of(project, subject.engine, f"--{end}", wanted[end]) if wanted[end] else None
        for end in ("bad", "good")
    }
    releases = bisection.history(project, subject, python, lane, [end for end in ends.values() if end])
    return releases, bisection.span(releases, **ends)


def _known(project: Project, releases: History, judgement: Judgement) -> dict[str, Answer]:
    targets = [releases.target(release) for release in releases.releases]
    results = store.load(project.root).results if releases.subject.fact else {}
    return {target.release: answer for target, answer in answers(releases.subject, judgement, results, targets).items()}


class _Asker:
    """Runs the releases that the search asks about; what it finds is kept as any run keeps it."""

    def __init__(self, project: Project, releases: History, max_age: int, fetch: bool) -> None:
        self.project = project
        self.releases = releases
        self.max_age = max_age
        self.fetch = fetch
        self.local = Local(project.root)
        self.asked = self.trouble = 0

    def ask(self, release: str) -> Answer:
        """Return the answer of a release; raises InfrastructureError where trouble of ours does not end."""
        self.asked += 1
        ended = self._run(release)
        judgement = judge_project(self.project, Choice(), self.max_age)
        known = _known(self.project, self.releases, judgement).get(release)
        if ended.state in ("trouble", Outcome.UNAVAILABLE):
            look = "error (infrastructure)" if ended.state == "trouble" else ended.state
            known = Answer(look, words=ended.message, ours=True)
        answer = known or Answer("unknown", words=ended.message or "it ran, and still there is no fresh answer")
        self.trouble = self.trouble + 1 if answer.ours else 0
        if self.trouble == MOST_TROUBLE:
            hint = "What was found is kept, and the same command goes on from there."
            raise InfrastructureError(f"{self.trouble} releases in a row cannot be asked: {answer.words}", hint)
        return answer

    def _run(self, release: str) -> TargetOutcome:
        subject = self.releases.subject
        choice = Choice(
            engine=subject.engine,
            release=release,
            python=self.releases.python,
            lane=self.releases.lane,
            probes=subject.probes,
        )
        with self.local.lock():
            work = schedule.sort(self.project, self.project.plan(choice), False, self.fetch)
            building.ready(
                self.project.root,
                self.project.config,
                graphs_of(probe for todo in work.pending for probe in todo.why),
            )
            with Shown(Console(stderr=True)) as shown:
                (ended,) = schedule.execute(self.project, work, 1, False, shown)
        return ended

    def finish(self) -> int:
        """Write the reports if evidence was made; return the exit code that calls for."""
        if not self.asked:
            return GOOD
        with self.local.lock():
            _, faults = files.write_reports(self.project, Choice())
            if not faults:
                self.local.reports_are_made()
        return complained(faults)


def bisection_text(found: Bisection) -> str:
    """Return what a bisection came to: a sentence, each turn that is known, and what was looked at."""
    return "\n".join([*_sentence(found), *_turns(found), *_table(found)])


def _sentence(found: Bisection) -> Iterator[str]:
    what = f"{found.name}, fact {found.fact}," if found.fact else found.name
    where = f"{what} on {found.engine}, Python {found.python}, {found.lane}"
    if found.turn is None:
        told = [each.answer for each in found.looked if each.answer.told]
        said = {_value(found, answer) for answer in told}
        if found.result == "no change":
            yield f"{where}: no release that was looked at differs: {', '.join(sorted(said))}"
        elif len(told) > 1:
            yield f"{where}: the evidence does not tell; without --no-run, the releases that are needed are run"
        else:
            yield f"{where}: cannot tell, since {'only one release' if told else 'no release'} that is known answers"
        return
    turn = found.turn
    exact = f"since {turn.newer}"
    vague = f"somewhere after {turn.older}, and in {turn.newer} at the latest"
    yield f"{where}: {_since(found, turn)} {exact if found.result == 'found' else vague}"
    for release, answer in ((turn.older, turn.before), (turn.newer, turn.after)):
        yield "  " + short(f"{release}: {_value(found, answer)}{f': {answer.words}' if answer.words else ''}")
    if turn.unclear:
        looks = {each.release: each.answer.look for each in found.looked}
        yield f"  between them, and cannot tell: {', '.join(f'{each} ({looks[each]})' for each in turn.unclear)}"
    if turn.unseen:
        yield f"  between them, and not looked at: {', '.join(turn.unseen)}"


def _since(found: Bisection, turn: Turn) -> str:
    words = {("pass", "fail"): "broken", ("fail", "pass"): "fixed"}
    return "changed" if found.fact else words.get((turn.before.value, turn.after.value), "changed")


def _value(found: Bisection, answer: Answer) -> str:
    if not (found.fact and answer.told):
        return answer.look
    return msgspec.json.encode(answer.value).decode()


def _turns(found: Bisection) -> Iterator[str]:
    others = [turn for turn in found.turns if turn != found.turn]
    if not others:
        return
    yield f"the history is not monotonic: what is known of it turns {len(found.turns)} times"
    for turn in found.turns:
        between = len(turn.unclear) + len(turn.unseen)
        more = f", {between} between them" if between else ""
        values = f"{_value(found, turn.before)} → {_value(found, turn.after)}"
        yield "  " + short(f"{turn.older} → {turn.newer}: {values}{more}")


def _table(found: Bisection) -> Iterator[str]:
    rows = [
        ("", each.release, short(_value(found, each.answer)), each.source, short(each.answer.words)[:WORDS])
        for each in found.looked
    ]
    yield "looked at:"
    yield tabulate(rows, tablefmt="plain", disable_numparse=True)
    if found.unseen:
        yield f"not looked at: {len(found.unseen)} of {len(found.unseen) + len(rows)} releases"
