"""Tables go behind the last one of their kind, and nothing else of the file changes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from paper import MATRIX

from adk_probe.errors import InputError
from adk_probe.scaffold.matrix import added

REPOSITORY = Path(__file__).parents[2]
ENGINE = '[engines.new]\ndistribution = "new"\nimport = "new"\nprobes = "probes/new"\n'
SUITE = '[suites.new]\ndescription = "new"\n\n[[suites.new.targets]]\nengine = "new"\nreleases = ["newest"]\n'
TABLES = f'{ENGINE}\n{SUITE}pythons = ["3.12"]\n'
MECHANISM = '[mechanisms.new]\nengine = "one"\nsentence = "new"\nrequires = ["a"]\n'


def test_tables_stand_behind_those_of_their_kind_and_before_the_next_comment() -> None:
    text = (REPOSITORY / "matrix.toml").read_text(encoding="utf-8")
    made = added(text, TABLES)
    lines = made.splitlines()
    assert [line for line in lines if line.startswith("[engines.")][-1] == "[engines.new]"
    assert lines.index("[engines.new]") < lines.index("[suites.quick]") < lines.index("[suites.new]")
    assert lines.index("[[suites.new.targets]]") < lines.index("[features.guarded-tools]")
    # what was there is there, in the same order, and comments are where they were
    rest = made.replace(f"{ENGINE}\n", "").replace(TABLES.removeprefix(f"{ENGINE}\n") + "\n", "")
    assert rest == text
    document = tomllib.loads(made)
    assert document["engines"].pop("new")
    assert document["suites"].pop("new")
    assert document == tomllib.loads(text)


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "\n# the end"])
def test_the_last_table_of_the_file_gets_one_behind_it(end: str) -> None:
    text = MATRIX.rstrip("\n") + end
    made = added(text, MECHANISM)
    assert made.startswith(text.rstrip())
    assert made.endswith(f"\n\n{MECHANISM}")


def test_text_that_looks_like_a_table_is_none() -> None:
    """Then the new table goes to the end, where it is right too."""
    looks = '"""a few\n[suites.none]\n[mechanisms.none]\n"""'
    text = MATRIX.replace('description = "a few"', f"description = {looks}")
    made = added(
        text + '\n[[waivers]]\nmechanism = "loop"\nclaim = "a"\nreason = "r"\nlink = "https://x"\n'
        "expiry = 2030-01-01\n",
        MECHANISM,
    )
    document = tomllib.loads(made)
    assert document["suites"]["quick"]["description"] == "a few\n[suites.none]\n[mechanisms.none]\n"
    assert list(document["mechanisms"])[-1] == "new"


@pytest.mark.parametrize("tables", [MECHANISM.replace('"one"', '"nothing"'), ENGINE.replace("probes/new", "../x")])
def test_what_would_be_no_good_file_is_refused(tables: str) -> None:
    with pytest.raises(InputError, match=r"matrix\.toml: 1 fault"):
        added(MATRIX, tables)
