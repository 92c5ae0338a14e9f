"""Over generated histories ``allowed`` says yes exactly where a naive, independent reading of the rule does."""

from __future__ import annotations

import datetime
import hashlib
import json
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paper
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from adk_probe.evidence import allowed, lock, store
from adk_probe.evidence.allowed import Question
from adk_probe.evidence.judging import judge_project, today
from adk_probe.evidence.lock import Lock
from adk_probe.model import Kind, Lane, Outcome, Target
from adk_probe.project.folder import Project, open_project
from adk_probe.project.plan import Choice

PYTHONS = ("3.10", "3.11", "3.12")
PLAYED = {
    "good": Outcome.PASS,
    "bad": Outcome.FAIL,
    "lost": Outcome.ERROR,
    "absent": Outcome.ABSENT,
    "aside": Outcome.PASS,
}
DAYS = {"fresh": 0, "young": 80, "old": 200, "future": -5}


def history(root: Path, project: Project, at: Target, state: str, played: str) -> None:
    """Leave the evidence of a target in a state, with its scenario played or not."""
    path = root / store.path_of(at.key)
    day = (today() - datetime.timedelta(DAYS.get(state, 0))).isoformat()

    def keep(at: Target, outcomes: dict[str, Outcome] | None = None, **more: Any) -> None:
        claims = outcomes or dict.fromkeys(("a", "b", "c"), Outcome.PASS)
        scenario = {paper.SCENARIO: PLAYED[played]} if played in PLAYED else {}
        paper.keep(root, at, {**claims, **scenario}, project=project, **more)

    made: dict[str, Callable[[], Any]] = {
        "refuted": lambda: keep(at, {"a": Outcome.PASS, "b": Outcome.FAIL, "c": Outcome.PASS}),
        "absent": lambda: keep(at, {"a": Outcome.PASS, "b": Outcome.PASS, "c": Outcome.ABSENT}),
        "crashed": lambda: keep(at, {"a": Outcome.ERROR, "b": Outcome.PASS, "c": Outcome.PASS}),
        "half": lambda: keep(at, {"a": Outcome.PASS, "b": Outcome.PASS}),
        "deprecated": lambda: keep(at, deprecated=frozenset("c")),
        "undated": lambda: keep(at, resolved=""),
        "infrastructure": lambda: keep(at, fault=Kind.INFRASTRUCTURE),
        "no import": lambda: keep(at, fault=Kind.IMPORT),
        "uncontrolled": lambda: keep(at, controls=(Outcome.PASS, Outcome.PASS)),
    }
    made.get(state, lambda: keep(at, resolved=day))()
    if state == "missing":
        path.unlink()
    elif state == "cut":
        path.write_bytes(path.read_bytes()[:-40])
    elif state == "edited":
        path.write_bytes(path.read_bytes().replace(b'"a said"', b'"a sang"', 1))
    elif state == "other release":
        other = next(each.version for each in paper.RELEASES["one"] if each.version != at.release)
        keep(paper.target(other, at.python))
        _as(root, path, paper.target(other, at.python), at)
    elif state == "other Python":
        other = next(each for each in PYTHONS if each != at.python)
        keep(paper.target(at.release, other))
        _as(root, path, paper.target(at.release, other), at)
    elif state == "stale":
        found = json.loads(path.read_bytes())
        for cell in found["claims"].values():
            cell["inputs"]["probe"] = "0" * 16
        _seal(path, found)
    if played == "aside" and path.is_file() and state not in ("cut", "edited"):
        # played once, of a project that is another one today
        found = json.loads(path.read_bytes())
        for graph in found.get("fidelity", {}).values():
            graph["projects"]["flow"] = "0" * 16
        _seal(path, found)


def _as(root: Path, path: Path, was: Target, at: Target) -> None:
    """Make a target's file of another target's evidence, well sealed."""
    found = json.loads((root / store.path_of(was.key)).read_bytes())
    found["target"] |= {"release": at.release, "python": at.python}
    _seal(path, found)


def _seal(path: Path, found: dict[str, Any]) -> None:
    path.write_text(json.dumps({**found, "digest": _digest(found)}), encoding="utf-8")


def _digest(found: dict[str, Any]) -> str:
    plain = {key: value for key, value in found.items() if key != "digest"}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


STATES = (
    *DAYS,
    *("refuted", "absent", "crashed", "half", "deprecated", "undated", "infrastructure", "no import", "uncontrolled"),
    *("missing", "cut", "edited", "other release", "other Python", "stale"),
)
TARGETS = [
    paper.target(release.version, python)
    for release in paper.RELEASES["one"]
    for python in PYTHONS
    if release.admits(python)
]


def naive(root: Path, question: Question, max_age: int) -> bool:
    """Read the rule off the files once more, trusting nothing of the harness."""
    declared = tomllib.loads((root / "matrix.toml").read_text(encoding="utf-8"))
    rows = json.loads((root / "reports/releases.json").read_bytes())["engines"]["one"]
    finals = [row for row in rows if not row.get("yanked") and not Version(row["version"]).is_prerelease]
    if question.release == "newest":
        chosen = [max(finals, key=lambda row: Version(row["version"]))]
    elif question.release[0].isdigit():
        chosen = [row for row in rows if row["version"] == question.release]
    else:
        chosen = [row for row in finals if row["version"] in SpecifierSet(question.release)]
    wanted = [
        (row["version"], python)
        for row in chosen
        for python in PYTHONS
        if (python == question.python or (question.python[0] in "<>" and python in SpecifierSet(question.python)))
        and f"{python}.5" in SpecifierSet(row["requires_python"])
    ]
    tables = declared["mechanisms"]
    names = question.mechanisms or [name for name in tables if tables[name]["engine"] == "one"]
    good = [name for name in names if _good(root, name, tables[name], question, wanted, max_age)]
    return len(good) == len(names) if question.mechanisms else bool(good)


def _good(root: Path, name: str, table: Any, question: Question, wanted: list[tuple[str, str]], max_age: int) -> bool:
    more = table.get("requires-for", {})
    if any(feature not in more for feature in question.features):
        return False
    claims = {*table["requires"], *(claim for feature in question.features for claim in more[feature])}
    found = [_read(root, release, python) for release, python in wanted]
    tested = [each for each in found if each is not None]
    if not tested or (len(tested) < len(found) and not question.accept_untested):
        return False
    # the engine plays projects, and of the other mechanism there is none
    return name == "flow" and all(
        _passed(root, each, claims, max_age) and _played(root, each, max_age) for each in tested
    )


def _played(root: Path, found: Any, max_age: int) -> bool:
    """Whether the scenario holds: as it was played here, else as it was on every other Python of the same release."""
    own, release = found["target"]["python"], found["target"]["release"]
    others = [_read(root, release, python) for python in PYTHONS if python != own]
    good = [each for each in others if each is not None and "fault" not in each and _young(each, max_age)]
    here = _scenario(found)
    seen = [here] if here else [outcome for each in good if (outcome := _scenario(each))]
    return "pass" in seen and not {"fail", "error"} & set(seen)


def _scenario(found: Any) -> str:
    """Return how the scenario came out; empty where it was not played, or with another project."""
    graph = found.get("fidelity", {}).get("g")
    if graph is None or graph["projects"]["flow"] != paper.PROJECT[:16]:
        return ""
    return str(graph["observations"][0]["outcome"])


def _read(root: Path, release: str, python: str) -> Any:
    """Return a target's evidence, or None where nobody tested it."""
    try:
        found = json.loads((root / f"reports/results/one-{release}-py{python}-today.json").read_bytes())
    except (OSError, ValueError):
        return None
    said = found["target"], found["environment"]
    if said[0] != {"engine": "one", "release": release, "python": python, "lane": "today"}:
        return None
    if found["digest"] != _digest(found) or not said[1]["python"].startswith(f"{python}."):
        return None
    if said[1]["pins"] != [f"dist-one=={release}"]:
        return None
    if "fault" in found:
        return None if found["fault"]["kind"] == "infrastructure" else found
    controls = {name: each["outcome"] for name, each in found["controls"].items()}
    return found if controls == {"control-pass": "pass", "control-fail": "fail"} else None


def _young(found: Any, max_age: int) -> bool:
    try:
        day = datetime.date.fromisoformat(found.get("resolved", ""))
    except ValueError:
        return False
    return -1 <= (datetime.datetime.now(datetime.UTC).date() - day).days <= max_age


def _passed(root: Path, found: Any, claims: set[str], max_age: int) -> bool:
    cells = found.get("claims", {})
    for claim in claims:
        cell = cells.get(claim)
        if "fault" in found or cell is None or cell["outcome"] != "pass" or cell.get("warnings"):
            return False
        if cell["inputs"]["probe"] != hashlib.sha256((root / f"probes/one/{claim}.py").read_bytes()).hexdigest()[:16]:
            return False
    return _young(found, max_age)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    usual=st.sampled_from(("fresh", "young", "deprecated", "missing", "refuted")),
    states=st.dictionaries(st.sampled_from(TARGETS), st.sampled_from(STATES), max_size=5),
    plays=st.fixed_dictionaries({at: st.sampled_from(("good", "never", *PLAYED)) for at in TARGETS}),
    usually=st.sampled_from(("", "good", "never")),
    accepted=st.lists(st.sampled_from(TARGETS), unique=True, max_size=4),
    release=st.sampled_from(("newest", "1.0", "1.2", "2.0b1", ">=1.0", ">1.0", "<2", ">=1.0,<2", ">=2.0b1", ">=2")),
    python=st.sampled_from(("3.11", "3.12", ">=3", ">=3.11", ">=3.12", "<3.12")),
    mechanisms=st.sampled_from(((), ("loop",), ("flow",), ("loop", "flow"))),
    features=st.sampled_from(((), ("guarded",))),
    accept_untested=st.booleans(),
    max_age=st.sampled_from((0, 79, 80, 90, 1000)),
)
def test_yes_exactly_where_a_naive_reading_says_yes(
    usual: str,
    states: dict[Target, str],
    plays: dict[Target, str],
    usually: str,
    accepted: list[Target],
    release: str,
    python: str,
    mechanisms: tuple[str, ...],
    features: tuple[str, ...],
    accept_untested: bool,
    max_age: int,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = paper.played(Path(folder))
        project = open_project(root)
        # the special ones last: the state of one target may have to write the file of another
        for at in sorted(TARGETS, key=lambda each: (each in states, each.order)):
            history(root, project, at, states.get(at, usual), usually or plays[at])
        cells = {at.key: {"a": "pass"} for at in accepted}
        lock.save(root / lock.FILE, Lock(reason="so it was", cells=cells))
        question = Question(release, python, Lane.TODAY, None, mechanisms, features, accept_untested)
        answer = allowed.ask(project, judge_project(project, Choice(), max_age), question, today())
        assert (allowed.exit_code(answer) == 0) is naive(root, question, max_age)
        assert answer.allowed is (allowed.exit_code(answer) == 0)
