"""Which Pythons a text means, and what a project says for it."""

from __future__ import annotations

import pytest

from adk_probe.errors import InputError
from adk_probe.project.python_ranges import pythons_in, specifier_of

DECLARED = ("3.9", "3.10", "3.11", "3.12", "3.13")


@pytest.mark.parametrize(
    ("text", "found", "said"),
    [
        ("3.12", ("3.12",), "==3.12.*"),
        (" 3.12 ", ("3.12",), "==3.12.*"),
        ("==3.12.*", ("3.12",), "==3.12.*"),
        (">=3.12", ("3.12", "3.13"), ">=3.12"),
        (">=3", DECLARED, ">=3"),
        ("<3.11", ("3.9", "3.10"), "<3.11,>=3.9"),
        (">=3.10,!=3.12.*", ("3.10", "3.11", "3.13"), "!=3.12.*,>=3.10"),
        ("!=3.9.*", ("3.10", "3.11", "3.12", "3.13"), "!=3.9.*,>=3.10"),
        ("~=3.12", ("3.12", "3.13"), "~=3.12"),
    ],
)
def test_whole_pythons(text: str, found: tuple[str, ...], said: str) -> None:
    assert pythons_in(text, DECLARED) == found
    assert specifier_of(text, found) == said


@pytest.mark.parametrize(
    ("text", "clause", "divided"),
    [
        (">=3.12.5,<3.13", ">=3.12.5", "3.12"),
        ("<3.12.1", "<3.12.1", "3.12"),
        ("==3.12", "==3.12", "3.12"),
        ("!=3.12", "!=3.12", "3.12"),
        (">3.12", ">3.12", "3.12"),
        ("<=3.12", "<=3.12", "3.12"),
        ("==3.12.7", "==3.12.7", "3.12"),
        ("~=3.11.4", "~=3.11.4", "3.11"),
        (">=3.9,!=3.10.50", "!=3.10.50", "3.10"),
    ],
)
def test_evidence_stands_for_no_part_of_a_python(text: str, clause: str, divided: str) -> None:
    with pytest.raises(InputError, match=rf"(?s){clause} means only some patch releases of Python {divided},.*Write 3"):
        pythons_in(text, DECLARED)


@pytest.mark.parametrize("text", ["", "3.8", "three", ">=4", "===3.12", ",", ">=" + "9" * 5000])
def test_what_means_no_python(text: str) -> None:
    with pytest.raises(InputError, match=r"matrix\.toml names 3\.9, 3\.10"):
        pythons_in(text, DECLARED)
