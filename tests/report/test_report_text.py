"""What a terminal shows."""

from __future__ import annotations

import msgspec
from report_samples import DRIFTED, HOSTILE, check_golden, judgement, view

from adk_probe.evidence.reasons import few
from adk_probe.report.findings import drift, findings
from adk_probe.report.text import render
from adk_probe.report.view import View


def without_notes() -> View:
    return msgspec.structs.replace(view(), judgement=msgspec.structs.replace(judgement(), notes=()))


def test_the_whole_report() -> None:
    check_golden("matrix.txt", render(view()))


def test_the_same_input_gives_the_same_text() -> None:
    assert render(view()) == render(view())


def test_tables_fit_the_terminal_and_none_loses_a_column() -> None:
    wide, narrow = render(view(), 400).split("\n"), render(view(), 60).split("\n")
    assert sum(line.startswith("release") for line in wide) == 1
    tables = [line for line in narrow if line.startswith(("release", "Python ", "lane ", "import ", "---"))]
    assert max(map(len, tables)) <= 60
    assert sum(line.count("✓") for line in narrow if line.startswith("import")) == next(
        line for line in wide if line.startswith("import")
    ).count("✓")


def test_text_of_an_engine_cannot_steer_the_terminal() -> None:
    assert "\x1b" in HOSTILE
    assert not set(render(view())) & {"\x1b", "\x00", "\u202e"}


def test_a_drifted_target_is_told_as_drift_and_not_as_a_surprise() -> None:
    shown = view()
    (sheet,) = shown.sheets
    assert [group.targets for group in drift(shown, sheet)] == [(DRIFTED,)]
    assert all(DRIFTED not in found.targets for found in findings(shown, sheet))


def test_a_claim_that_splits_names_where_it_is_true() -> None:
    (sheet,) = view().sheets
    loop = [found for found in findings(view(), sheet) if found.probe == "loop"]
    assert [found.where for found in loop] == ["2.4 on Python 3.12, today"]
    assert loop[0].holds == "2.0 – 2.1, 2.3 on Python 3.11 – 3.12, today; 2.4 on Python 3.11, today"


def test_a_target_that_could_not_be_asked_is_one_finding() -> None:
    judged = msgspec.structs.replace(judgement(), drift=())
    (sheet,) = view().sheets
    found = findings(msgspec.structs.replace(view(), judgement=judged), sheet)
    assert [(each.probe, each.word) for each in found if DRIFTED in each.targets] == [("", "error: import")]
    assert found[0].command.endswith("probes/toy/import.py")


def test_a_command_asks_for_the_release_its_companions_and_the_time_of_the_lane() -> None:
    (sheet,) = view().sheets
    crash = next(found for found in findings(view(), sheet) if found.word == "error: crash")
    assert crash.command == (
        "uv run --no-project --python 3.11 --with toy-engine==1.0 --with 'helper>=1,<2' "
        "--exclude-newer 2024-01-02T10:00:00Z probes/toy/sub/Thing.py"
    )


def test_few_names_all_or_counts_the_rest() -> None:
    assert few("abcde") == "a, b, c, d, e"
    assert few("abcdef") == "a, b, c, d and 2 more"
