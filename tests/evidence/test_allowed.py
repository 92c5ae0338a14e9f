"""The gate's answer about a range: a yes only where everything in it was tested, and told apart from a no."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import paper
import pytest
from paper import Call, keep, reseal, target

from adk_probe.evidence import store
from adk_probe.model import Environment, Kind, Lane, Outcome, Target

Ask = Callable[..., Call]
ENVIRONMENT = Environment("3.12.1", "CPython", "main", "linux", ("dist-one==2.0",))
PYTHONS = ("3.10", "3.11", "3.12")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return paper.make(tmp_path)


@pytest.fixture
def ask(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    return lambda *words: paper.call(root, capsys, monkeypatch, *words)


def days_ago(days: int) -> str:
    return (datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days)).isoformat()


def test_no_engine_answers_for_another(root: Path, ask: Ask) -> None:
    keep(root, target("1.0", engine="other"))
    answer = ask("allowed", "--release", "newest", "--python", "3.12", "--json")
    assert (answer.code, answer.json()["engine"], answer.json()["allowed"]) == (3, "one", False)
    assert {row["mechanism"] for row in answer.json()["mechanisms"]} == {"loop", "flow"}
    assert ask("allowed", "--release", "newest", "--python", "3.12", "--engine", "other").code == 0
    # a mechanism implies its engine
    assert ask("allowed", "--release", "1.0", "--python", "3.12", "--mechanism", "elsewhere").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--mechanism", "elsewhere", "--engine", "one"), "elsewhere is a mechanism of other, not of one"),
        (("--mechanism", "elsewhere", "--mechanism", "loop"), "loop is a mechanism of one, not of other"),
        (("--mechanism", "lop"), "no mechanism 'lop'"),
        (("--engine", "three"), "no engine 'three'"),
        (("--python", "3.99"), "--python 3.99: neither a declared Python like 3.12 nor a PEP 440 specifier"),
        (("--python", ">=4"), "--python >=4: no declared Python fits"),
        (("--python", ""), "neither a declared Python"),
        (("--release", "3.0"), "no release of one is 3.0"),
        (("--release", "1" * 5000), "a text of 5000 characters is neither 'newest' nor"),
        (("--release", "==1.2,>=1.1"), "no release of one is ==1.2,>=1.1\n  1.2 is yanked"),
        (("--release", "==="), "is neither 'newest' nor a PEP 440 version or specifier"),
        (("--python", ">=3.12.5,<3.13"), "means only some patch releases of Python 3.12"),
        (("--mechanism", "flow+nothing"), "no feature nothing"),
    ],
)
def test_a_question_about_what_is_not_there_is_refused(ask: Ask, words: tuple[str, ...], told: str) -> None:
    release = () if "--release" in words else ("--release", "2.0")
    answer = ask("allowed", *release, *words)
    assert answer.code == 2
    assert told in answer.err


def test_a_range_is_allowed_only_where_each_release_was_tested_on_each_python_it_admits(root: Path, ask: Ask) -> None:
    question = ("allowed", "--release", ">=1.0", "--python", ">=3.11", "--mechanism", "loop")
    wanted = [target(release, python) for release in ("1.0", "1.1", "2.0") for python in ("3.11", "3.12")]
    for number, at in enumerate(wanted):
        answer = ask(*question, "--json")
        assert answer.code == 3
        told = answer.json()
        assert [each["release"] for each in told["tested"]] == [each.release for each in wanted[:number]]
        assert len(told["untested"]) == len(wanted) - number
        assert told["command"] == "adk-probe run --engine one --release '>=1.0' --python '>=3.11' --lane today"
        keep(root, at)
    assert ask(*question).code == 0
    # 3.10 is admitted by 1.0 and 1.1 alone; 2.0 rules it out
    assert ask("allowed", "--release", ">=1.0", "--mechanism", "loop").code == 3
    keep(root, target("1.0", "3.10"))
    keep(root, target("1.1", "3.10"))
    assert ask("allowed", "--release", ">=1.0", "--mechanism", "loop").code == 0


def test_yanked_and_pre_releases_belong_to_no_range(root: Path, ask: Ask) -> None:
    keep(root, target("1.1"))
    keep(root, target("2.0"))
    assert ask("allowed", "--release", ">1.0", "--python", "3.12").code == 0
    assert ask("allowed", "--release", "1.2", "--python", "3.12").code == 3
    assert ask("allowed", "--release", "2.0b1", "--python", "3.12").code == 3


def test_gaps_are_accepted_only_on_request_and_named(root: Path, ask: Ask) -> None:
    keep(root, target("1.0"))
    question = ("allowed", "--release", "<2", "--python", "3.12")
    assert ask(*question).code == 3
    answer = ask(*question, "--accept-untested", "--json")
    assert answer.code == 0
    assert [each["release"] for each in answer.json()["untested"]] == ["1.1"]
    assert "not tested, and accepted so" in ask(*question, "--accept-untested").out
    # nothing at all was tested, so there is nothing that could stand for the rest
    assert ask("allowed", "--release", "2.0", "--python", "3.12", "--accept-untested").code == 3


def test_a_no_that_was_seen_is_no_doubt(root: Path, ask: Ask) -> None:
    keep(root, target(), {"a": Outcome.FAIL, "b": Outcome.PASS, "c": Outcome.PASS})
    assert ask("allowed", "--release", "2.0", "--python", "3.12").code == 1
    # also where the rest of the range was never tested
    assert ask("allowed", "--release", ">=1", "--python", "3.12").code == 1
    keep(root, target(), {"a": Outcome.PASS, "b": Outcome.FAIL})
    # flow was not asked all of its claims, so whether any mechanism is allowed is not known
    assert ask("allowed", "--release", "2.0", "--python", "3.12").code == 3
    assert ask("allowed", "--release", "2.0", "--python", "3.12", "--mechanism", "loop").code == 1


def test_a_deprecated_one_is_no_yes(root: Path, ask: Ask) -> None:
    keep(root, target(), deprecated=frozenset({"b", "c"}))
    assert ask("allowed", "--release", "2.0", "--python", "3.12").code == 1


def test_every_mechanism_that_is_named_must_be_allowed(root: Path, ask: Ask) -> None:
    keep(root, target(), {"a": Outcome.PASS, "b": Outcome.PASS, "c": Outcome.FAIL})
    question = ("allowed", "--release", "2.0", "--python", "3.12")
    assert ask(*question).code == 0
    assert ask(*question, "--mechanism", "loop").code == 0
    assert ask(*question, "--mechanism", "loop", "--mechanism", "flow").code == 1


def test_a_feature_is_at_best_as_good_as_its_mechanism(root: Path, ask: Ask) -> None:
    question = ("allowed", "--release", "2.0", "--python", "3.12", "--mechanism", "flow")
    keep(root, target(), {"a": Outcome.PASS, "b": Outcome.PASS, "c": Outcome.FAIL})
    assert ask(*question, "--feature", "guarded").code == 1
    keep(root, target(), {"a": Outcome.PASS, "b": Outcome.FAIL, "c": Outcome.PASS})
    assert ask(*question).code == 0
    answer = ask(*question, "--feature", "guarded", "--json")
    assert (answer.code, answer.json()["mechanisms"][0]["verdict"]) == (1, "denied")
    keep(root, target())
    assert ask(*question, "--feature", "guarded").code == 0


def test_a_row_may_be_named_as_the_matrix_shows_it(root: Path, ask: Ask) -> None:
    question = ("allowed", "--release", " 2.0 ", "--python", " 3.12 ", "--json")
    keep(root, target(), {"a": Outcome.PASS, "b": Outcome.FAIL, "c": Outcome.PASS})
    assert ask(*question, "--mechanism", "flow").code == 0
    answer = ask(*question, "--mechanism", "flow+guarded", "--feature", "guarded")
    assert (answer.code, answer.json()["features"]) == (1, ["guarded"])


def test_evidence_of_an_interpreter_that_the_release_rules_out_is_none(root: Path, ask: Ask) -> None:
    keep(root, target())
    question = ("allowed", "--release", "2.0", "--python", "3.12")
    assert ask(*question).code == 0
    path = root / "reports/releases.json"
    path.write_text(path.read_text(encoding="utf-8").replace(">=3.11", ">=3.12.5"), encoding="utf-8")
    answer = ask(*question)
    assert answer.code == 3
    assert "was made on Python 3.12.1, which the release rules out (>=3.12.5)" in answer.err


def test_what_no_claim_is_about_is_a_doubt(root: Path, ask: Ask) -> None:
    keep(root, target())
    question = ("allowed", "--release", "2.0", "--python", "3.12")
    answer = ask(*question, "--feature", "guarded", "--feature", "unheard-of")
    assert answer.code == 3
    assert "no claim and no scenario is about unheard-of" in answer.out
    # flow knows the feature, loop does not
    assert ask(*question, "--feature", "guarded").code == 0
    assert ask(*question, "--feature", "guarded", "--mechanism", "loop").code == 3
    assert "no feature nothing" in ask(*question, "--feature", "nothing").err


def test_what_the_metadata_rules_out_is_not_tested(ask: Ask) -> None:
    answer = ask("allowed", "--release", "2.0", "--python", "3.10")
    assert answer.code == 3
    assert "not for this Python: 2.0, which requires Python >=3.11" in answer.out
    assert "this would test it" not in answer.out


@pytest.mark.parametrize("damage", ["gone", "cut", "edited", "empty", "folder"])
def test_damaged_evidence_never_turns_a_no_into_a_yes(root: Path, ask: Ask, damage: str) -> None:
    keep(root, target("1.1"))
    path = keep(root, target("2.0"), {"a": Outcome.FAIL, "b": Outcome.PASS, "c": Outcome.PASS})
    question = ("allowed", "--release", ">1.0", "--python", "3.12")
    assert ask(*question).code == 1
    text = path.read_text(encoding="utf-8")
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage != "gone":
        changed = {"cut": text[:300], "edited": text.replace('"fail"', '"fai1"', 1), "empty": ""}[damage]
        path.write_text(changed, encoding="utf-8")
    answer = ask(*question)
    assert answer.code == 3
    if damage != "gone":
        assert f"adk-probe: reports/results/{path.name}: " in answer.err
        assert "its evidence " in answer.out


def test_what_was_accepted_and_is_gone_is_missing(root: Path, ask: Ask) -> None:
    path = keep(root, target("2.0"))
    keep(root, target("1.1"))
    assert ask("run", "--explain").code == 0
    assert ask("gate", "--update", "--reason", "first").code == 3  # the quick suite has 3.11 too
    keep(root, target("2.0", "3.11"))
    assert ask("gate", "--update", "--reason", "first").code == 0
    path.unlink()
    answer = ask("gate", "--json")
    assert answer.code == 1
    assert {change["what"] for change in answer.json()["changes"]} == {"missing"}
    shown = ask("report").out
    assert "2.0" in shown
    assert "not run" in shown


def test_old_evidence_is_a_doubt(root: Path, ask: Ask) -> None:
    question = ("allowed", "--release", "2.0", "--python", "3.12")
    # the last one is a day, but not as this project writes it
    doubtful = (days_ago(91), "2020-01-01", days_ago(-3), "", "x", days_ago(5).replace("-", ""))
    for day, code in ((days_ago(90), 0), *((day, 3) for day in doubtful)):
        keep(root, target(), resolved=day)
        assert ask(*question).code == code, day
    keep(root, target(), resolved=days_ago(10))
    assert ask(*question, "--max-age", "9").code == 3
    answer = ask(*question, "--max-age", "10", "--json")
    assert (answer.code, answer.json()["oldest"]["day"], answer.json()["oldest"]["days"]) == (0, days_ago(10), 10)
    assert f"oldest evidence: {days_ago(10)}, 10 days ago" in ask(*question).out
    # an old no is a doubt, too: it may have been fixed by a dependency since
    keep(root, target(), {"a": Outcome.FAIL}, resolved="2020-01-01")
    assert ask(*question).code == 3


def test_what_is_resolved_as_released_does_not_age(root: Path, ask: Ask) -> None:
    keep(root, target(lane=Lane.AS_RELEASED), resolved="2020-01-01")
    assert ask("allowed", "--release", "2.0", "--python", "3.12", "--lane", "as-released").code == 0


def test_old_evidence_fails_the_gate(root: Path, ask: Ask) -> None:
    for python in ("3.11", "3.12"):
        keep(root, target("2.0", python))
    assert ask("gate", "--update", "--reason", "first").code == 0
    assert ask("gate").code == 0
    keep(root, target("2.0", "3.11"), resolved="2020-01-01")
    answer = ask("gate")
    assert answer.code == 1
    assert "stale" in answer.out
    assert ask("gate", "--update", "--reason", "again").code == 3


@pytest.mark.parametrize(
    ("at", "told"),
    [(target("1.0"), "was made with Dist-One 1.1"), (target("1.1", "3.11"), "was made on Python 3.12.1")],
)
def test_a_copy_that_says_it_is_of_another_target_is_no_evidence(root: Path, ask: Ask, at: Target, told: str) -> None:
    path = keep(root, target("1.1"))
    reseal(path, target=at)
    path.rename(root / store.path_of(at.key))
    answer = ask("allowed", "--release", at.release, "--python", at.python)
    assert answer.code == 3
    assert told in answer.err


def test_evidence_without_an_environment_is_none(root: Path, ask: Ask) -> None:
    for changes, told in (
        ({"environment": None}, "names no environment"),
        ({"environment": msgspec.structs.replace(ENVIRONMENT, pins=())}, "names no pins"),
        ({"environment": msgspec.structs.replace(ENVIRONMENT, pins=("dist-one-more==2.0",))}, "Dist-One not installed"),
    ):
        reseal(keep(root, target("2.0")), **changes)
        answer = ask("allowed", "--release", "2.0", "--python", "3.12")
        assert answer.code == 3
        assert told in answer.err


def test_a_clean_copy_of_another_targets_file_is_no_evidence(root: Path, ask: Ask) -> None:
    shutil.copy(keep(root, target("1.1")), root / "reports/results/one-1.0-py3.12-today.json")
    answer = ask("allowed", "--release", "1.0", "--python", "3.12")
    assert answer.code == 3
    assert "is the evidence of one-1.1-py3.12-today" in answer.err


def test_infrastructure_error_of_ours_is_no_test(root: Path, ask: Ask) -> None:
    question = ("allowed", "--release", "2.0", "--python", "3.12", "--json")
    for more in ({"fault": Kind.INFRASTRUCTURE}, {"controls": (Outcome.FAIL, Outcome.FAIL)}):
        keep(root, target(), **more)
        answer = ask(*question)
        assert (answer.code, answer.json()["tested"]) == (3, [])
    keep(root, target(), fault=Kind.IMPORT)
    answer = ask(*question)
    assert [each["release"] for each in answer.json()["tested"]] == ["2.0"]
    assert answer.code == 3


def test_an_open_range_says_up_to_which_release_and_as_of_when(root: Path, ask: Ask) -> None:
    for release, until in (("newest", "2.0"), (">=1.1", "2.0"), ("<3", "2.0"), ("<=2.0", ""), ("2.0", ""), ("<2", "")):
        told = ask("allowed", "--release", release, "--json").json()
        assert (told["until"], told["asked"]) == (until, days_ago(0)), release
    assert f"the index named on {days_ago(0)}, up to 2.0" in ask("allowed", "--release", "newest").out


@pytest.mark.parametrize("asked", ["", days_ago(91)])
def test_an_open_range_is_in_doubt_where_the_index_was_not_asked_for_long(root: Path, ask: Ask, asked: str) -> None:
    keep(root, target())
    path = root / "reports/releases.json"
    path.write_text(path.read_text(encoding="utf-8").replace(days_ago(0), asked), encoding="utf-8")
    for release, code in (("newest", 3), (">=2.0", 3), ("2.0", 0), ("<=2.0,>1.2", 0)):
        assert ask("allowed", "--release", release, "--python", "3.12").code == code, release
    assert "`adk-probe releases --update` asks it" in ask("allowed", "--release", "newest", "--python", "3.12").out
    assert ask("allowed", "--release", "newest", "--python", "3.12", "--accept-untested").code == 0


def test_explaining_needs_no_engine(root: Path, ask: Ask) -> None:
    keep(root, target("1.0", engine="other"))
    for name in ("elsewhere", "d"):
        answer = ask("explain", name, "--release", "1.0")
        assert (answer.code, answer.err) == (0, "")
        assert "1.0 on Python 3.12, today" in answer.out
    assert "no release of one is 9" in ask("explain", "a", "--release", "9").err
    assert ask("explain", "d", "--engine", "one").code == 2
    assert ask("explain", "nothing").code == 2
    assert ask("evidence", "d", "--release", "1.0").code == 0


def test_an_explanation_is_about_the_engine_that_is_meant(root: Path, ask: Ask) -> None:
    text = (root / "probes/one/a.py").read_text(encoding="utf-8")
    text = text.replace('"one"', '"other"').replace("a holds", "a holds elsewhere")
    (root / "probes/other/a.py").write_text(text, encoding="utf-8")
    keep(root, target("1.0", engine="other"))
    told = ask("explain", "a", "--engine", "other", "--json").json()
    assert (told["claim"], told["file"], told["required_by"]) == ("a holds elsewhere", "probes/other/a.py", [])
    assert ask("explain", "a", "--json").json()["file"] == "probes/one/a.py"


def test_an_explanation_says_each_thing_once(root: Path, ask: Ask) -> None:
    for release in ("1.0", "1.1", "2.0"):
        for python in PYTHONS[1:]:
            keep(root, target(release, python), fault=Kind.IMPORT)
    shown = ask("explain", "loop").out
    assert shown.count("error (import): no") == 1
    assert "a, b: error (import): no" in shown
    assert "1.0 – 2.0 on Python 3.11 – 3.12, today" in shown
    assert ask("explain", "a").out.count("error: import") == 1


def test_running_what_can_never_be_run_is_refused(ask: Ask) -> None:
    answer = ask("run", "--release", "2.0", "--python", "3.10")
    assert answer.code == 2
    assert "one 2.0 requires Python >=3.11" in answer.err
    assert ask("run", "--python", "3.99").code == 2


def test_rows_of_a_mechanism_are_explained_by_their_names(root: Path, ask: Ask) -> None:
    keep(root, target(), {"a": Outcome.PASS, "b": Outcome.FAIL, "c": Outcome.PASS})
    told = ask("explain", "flow+guarded", "--json").json()
    assert {row["feature"] for row in told["verdicts"]} == {"guarded"}
    assert set(told["requires"]) == {"a", "b", "c"}
    assert {row["feature"] for row in ask("explain", "flow", "--json").json()["verdicts"]} == {"", "guarded"}
    answer = ask("explain", "loop+guarded")
    assert (answer.code, "There are: flow+guarded." in answer.err) == (2, True)
    answer = ask("evidence", "flow+guarded", "--release", "2.0")
    assert (answer.code, "`adk-probe explain flow+guarded` names the claims" in answer.err) == (2, True)
