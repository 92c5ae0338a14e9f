"""Whatever was judged, every renderer makes its output, and the same one twice."""

from __future__ import annotations

import ast
import itertools
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import jinja2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_samples import GOLDEN, HOSTILE, PATHS
from test_report_html import Page

import adk_probe
from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence.cells import Cell
from adk_probe.evidence.comparison import Backing, Comparison, Entry, Row, Side
from adk_probe.evidence.judge import Judged, Judgement
from adk_probe.files import to_json
from adk_probe.model import (
    RELEASES_SCHEMA,
    RESULT_SCHEMA,
    CapturedWarning,
    Environment,
    Fault,
    Kind,
    Lane,
    Outcome,
    Probe,
    Release,
    RunRecord,
    Target,
    TargetResult,
    Verdict,
)
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Engine, Group, Mechanism, Suite
from adk_probe.project.releases import Releases
from adk_probe.report import comparison, document, evidence, html, junit, markdown, text
from adk_probe.report.view import View, build

ANY = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
VERSIONS = ("0.9", "1.0", "1.0.post1", "1.1", "2.0rc1", "2.0", "1!0.1")
PYTHONS = ("3.9", "3.12", "3.13")
PROBES = ("import", "loop", "sub/Thing", "fidelity/g/loop/s1", "fidelity/g/loop/s2", "fidelity/h/other/s1")
NASTY = (
    HOSTILE,
    PATHS,
    "",
    " ",
    "\n",
    "{{ 7 * 7 }}",
    "{% raise %}",
    "]]>",
    "</script><!--",
    "\ufeff\u2028\x0c\x85",
    "é" * 999,
)

words = st.sampled_from(NASTY) | st.text(max_size=30)
facts = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
warnings = st.builds(
    CapturedWarning,
    st.sampled_from(["DeprecationWarning", "FutureWarning", "<b>"]),
    words,
    st.sampled_from(["probe", "other"]),
)


def few(what: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(what, max_size=most).map(tuple)


@st.composite
def targets(draw: st.DrawFn) -> tuple[Target, ...]:
    """Return some targets: of one engine mostly, and few releases on several Pythons, so that columns hold several."""
    engines = draw(st.sampled_from([("one",), ("one", "two"), ()]))
    releases = draw(st.sampled_from([("1.0",), ("0.9", "1.0.post1"), ("1.0", "1.1", "2.0rc1", "1!0.1")]))
    pythons = draw(st.sampled_from([("3.12",), ("3.12", "3.13"), ("3.9", "3.12", "3.13")]))
    lanes = draw(st.sampled_from([(Lane.TODAY,), tuple(Lane)]))
    every = [Target(*each) for each in itertools.product(engines, releases, pythons, lanes)]
    gone = draw(st.sets(st.sampled_from(every), max_size=2)) if every else set()
    return tuple(sorted(set(every) - gone, key=lambda each: each.order))


class Looks(NamedTuple):
    """What decides into which column a cell falls; of each probe drawn once, so that columns hold several cells.

    Attributes:
        tells: what of its target it tells, so that the cells of a column say different things.
    """

    outcome: Outcome
    kind: Kind
    changed: tuple[str, ...]
    tells: str


looks = st.builds(
    Looks,
    st.sampled_from(Outcome),
    st.sampled_from(Kind),
    few(st.sampled_from(["kit", "pins"]), 1),
    st.sampled_from(["", "python", "release", "key"]),
)


class Pool(NamedTuple):
    """What cells are made of; drawn once, since Hypothesis throws examples away that take too many draws."""

    words: list[str]
    facts: list[dict[str, Any]]
    warnings: list[tuple[CapturedWarning, ...]]


pools = st.builds(
    Pool,
    st.lists(words, min_size=1, max_size=3),
    st.lists(st.dictionaries(words, facts, max_size=2), min_size=1, max_size=2),
    st.lists(few(warnings, 2), min_size=1, max_size=2),
)


def cell(probe: str, target: Target, seen: Looks, pool: Pool, number: int) -> Cell:
    heard = pool.warnings[number % len(pool.warnings)]
    told = getattr(target, seen.tells) if seen.tells else ""
    return Cell(
        probe,
        target,
        seen.outcome,
        f"{pool.words[number % len(pool.words)]}{told}",
        seen.kind if seen.outcome is Outcome.ERROR else None,
        facts=pool.facts[number % len(pool.facts)],
        warnings=heard,
        deprecations=tuple(sorted({each.message for each in heard if each.deprecates})),
        changed=seen.changed,
    )


@st.composite
def judgements(draw: st.DrawFn, probes: tuple[str, ...]) -> Judgement:
    known = draw(targets())
    missing = draw(st.sets(st.sampled_from(known), max_size=2)) if known else set()
    pool, usual = draw(pools), {probe: draw(looks) for probe in probes}
    even, other = draw(st.booleans()), draw(looks)
    # by one draw, since Hypothesis throws examples away that take too many
    dice = random.Random(draw(st.integers(0, 2**32)))
    made = []
    for target in known:
        for probe in probes:
            number = dice.randrange(10)
            if target not in missing and (even or number != 9):
                made.append(cell(probe, target, usual[probe] if even or number < 7 else other, pool, number))
    verdicts = {name: draw(st.sampled_from(Verdict)) for name in ("loops", "old", "second")}
    named = few(st.sampled_from(probes), 1) if probes else st.just(())
    because, waived = draw(named), draw(named)
    ruled = [
        Judged(name, target, verdict, because, tuple(pool.words), waived)
        for target in known
        for name, verdict in verdicts.items()
        if even or dice.randrange(3)
    ]
    return Judgement(
        targets=known,
        cells=tuple(made),
        mechanisms=tuple(ruled),
        drift=tuple(each for each in known if each not in missing and draw(st.booleans())),
        missing=tuple(each for each in known if each in missing),
        notes=tuple(pool.words),
    )


@st.composite
def views(draw: st.DrawFn) -> View:
    engines = {name: Engine(name, name, f"probes/{name}", requires=("helper>=1",)) for name in ("one", "two")}
    claim, sentence = draw(words), draw(words)
    known = tuple(sorted(draw(st.sets(st.sampled_from(PROBES), max_size=4))))
    probes = {
        name: {
            each: Probe(each, claim, name, f"probes/{name}/{each}.py", arguments=("--x",) if "/s" in each else ())
            for each in known
        }
        for name in engines
    }
    pythons = draw(st.sampled_from([("3.12",), ("3.11", "3.13")]))
    config = Config(
        engines,
        {"quick": Suite("few", (Group("one", ("newest",), pythons),))},
        {
            "loops": Mechanism("one", sentence, ("import", "loop")),
            "old": Mechanism("one", "old", ("import",)),
            "second": Mechanism("two", sentence, ("loop",)),
        },
    )
    uploads = st.sampled_from(["", "2024-02-29T23:59:59Z", "0001-01-01T00:00:00Z"])
    rows = tuple(
        Release(version, draw(uploads), yanked=draw(st.booleans()))
        for version in draw(st.sets(st.sampled_from(VERSIONS)))
    )
    catalog = Catalog(probes, (Probe("control-pass", "", "any", ""), Probe("control-fail", "", "any", "")), {}, {})
    return build(config, catalog, Releases(RELEASES_SCHEMA, {"one": rows}), draw(judgements(known)))


@st.composite
def results(draw: st.DrawFn, view: View) -> dict[str, TargetResult]:
    found = {}
    for target in view.judgement.targets:
        if draw(st.booleans()):
            environment = Environment("3.12.1", "CPython", draw(words), draw(words), draw(few(words)))
            fault = Fault(Outcome.ERROR, draw(words), draw(st.sampled_from(Kind)))
            run = RunRecord(draw(words), {"install": 0.5, "import": 0.1} if draw(st.booleans()) else {}, 7)
            found[target.key] = TargetResult(
                RESULT_SCHEMA,
                target,
                draw(st.none() | st.just(environment)),
                draw(st.none() | st.just(fault)),
                run=run,
            )
    return found


def split_column() -> View:
    """Two Pythons share one column, and each says something else of the same false claim."""
    both = [Target("one", "1.0", python, Lane.TODAY) for python in ("3.12", "3.13")]
    engines = {"one": Engine("one", "one", "probes/one")}
    catalog = Catalog(
        {"one": {"loop": Probe("loop", "a loop ends", "one", "probes/one/loop.py")}},
        (Probe("control-pass", "", "any", ""), Probe("control-fail", "", "any", "")),
        {},
        {},
    )
    seen = tuple(Cell("loop", each, Outcome.FAIL, f"refuted on Python {each.python}") for each in both)
    judgement = Judgement(tuple(both), seen, (), (), ())
    return build(Config(engines, {}, {}), catalog, Releases(RELEASES_SCHEMA, {}), judgement)


def test_more_groups_in_a_column_than_there_are_columns() -> None:
    page = html.render(split_column(), {})
    for python in ("3.12", "3.13"):
        assert f"<pre>refuted on Python {python}</pre>" in page
        assert f"<p><strong>1.0 on Python {python}, today</strong></p>" in page


@given(data=st.data(), view=views())
@ANY
def test_page(data: st.DataObject, view: View) -> None:
    known = data.draw(results(view))
    page = html.render(view, known)
    assert html.render(view, known) == page
    page.encode()
    read = Page(page)
    anchors = [tag["id"] for _, tag in read.tags if "id" in tag]
    assert len(anchors) == len(set(anchors))
    assert {str(tag["href"])[1:] for tag in read.of("a")} <= set(anchors) | {
        # claims that a mechanism hangs on and that no row shows, since they are as they should be
        f"p-{engine}-{html.slug(probe)}"
        for engine in view.config.engines
        for probe in PROBES
    }


@given(view=views(), width=st.integers(1, 300))
@ANY
def test_lines(view: View, width: int) -> None:
    makers: list[Callable[[], str]] = [
        lambda: text.render(view, width),
        lambda: markdown.render(view),
        lambda: markdown.excerpt(view),
    ]
    for make in makers:
        made = make()
        assert made == make()
        assert made.endswith("\n")
        made.encode()
        assert "\x1b" not in made


@given(view=views())
@ANY
def test_documents(view: View) -> None:
    made = junit.render(view)
    assert made == junit.render(view)
    suites = ElementTree.fromstring(made)
    assert len(suites.findall("testsuite")) == len(view.judgement.targets)
    plain = to_json(document.matrix_json(view.judgement))
    assert plain == to_json(document.matrix_json(view.judgement))
    assert len(json.loads(plain)["cells"]) == len(view.judgement.cells)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a file for each probe."""
    folder = tmp_path_factory.mktemp("root")
    for engine in ("one", "two"):
        for probe in PROBES:
            path = folder / "probes" / engine / f"{probe}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("import kit\nprint(kit)\n", encoding="utf-8")
    (folder / "probes" / "kit.py").write_text("x = '''\\n'''\n", encoding="utf-8")
    return folder


@given(data=st.data(), view=views(), form=st.sampled_from([evidence.ISSUE, evidence.ADR]))
@ANY
def test_text_to_paste(root: Path, data: st.DataObject, view: View, form: str) -> None:
    known = data.draw(results(view))
    for cell in view.judgement.cells:
        target = cell.target
        other = data.draw(st.none() | st.sampled_from(VERSIONS))
        try:
            about = evidence.subject(
                root, view, known, cell.probe, target.release, other, target.python, target.lane, target.engine
            )
        except (InputError, EvidenceError):
            # a release that the index does not know, or one to compare with that was not run
            continue
        made = evidence.render(about, form)
        assert made == evidence.render(about, form)
        made.encode()


outcomes = st.dictionaries(words, st.integers(0, 9), max_size=2)
backings = st.builds(Backing, words, words, outcomes, words, st.booleans())
entries = st.builds(Entry, words, few(backings), few(words))
some = few(st.sampled_from(PYTHONS))
sides = st.builds(Side, words, words, some, st.sampled_from(Lane), words, words, st.sampled_from(Verdict))


@given(data=st.data(), both=st.lists(sides, min_size=1, max_size=2), count=st.integers(0, 3))
@ANY
def test_engines_side_by_side(data: st.DataObject, both: list[Side], count: int) -> None:
    rows = tuple(Row(data.draw(words), tuple(data.draw(st.tuples(*(entries for _ in both))))) for _ in range(count))
    made = Comparison("adk-probe.comparison/1", data.draw(words), tuple(both), rows)
    for render in (comparison.render_text, comparison.render_markdown):
        assert render(made) == render(made)
        render(made).encode()
    to_json(made)


def test_another_order_of_sets_gives_the_same_bytes() -> None:
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from report_samples import results, view\n"
        "from adk_probe.report import html, junit, markdown, text\n"
        "shown = view()\n"
        "print(html.render(shown, results()), junit.render(shown), markdown.render(shown), text.render(shown))\n"
    )
    folders = [str(GOLDEN.parent), str(Path(adk_probe.__file__).parents[1])]
    command = [sys.executable, "-c", program, *folders]
    outs = [
        subprocess.run(
            command, capture_output=True, check=True, env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
        )
        for seed in ("1", "2", "3")
    ]
    assert outs[0].stdout == outs[1].stdout == outs[2].stdout


def test_no_template_passes_over_what_is_not_there() -> None:
    """Every environment of jinja2 in the package is strict, so that a slip is an error and not an empty space."""
    found = []
    for path in Path(adk_probe.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("jinja2.Environment", "Environment"):
                given_ = {each.arg: ast.unparse(each.value) for each in node.keywords}
                if "loader" in given_:
                    found.append(given_.get("undefined", "").removeprefix("jinja2."))
    assert found == ["StrictUndefined"] * 3
    with pytest.raises(jinja2.UndefinedError):
        html.environment().from_string("{{ nothing }}").render()
