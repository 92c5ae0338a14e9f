"""``reports/matrix.md`` and the excerpt for the README."""

from __future__ import annotations

import re

import pytest
from report_samples import check_golden, view

from adk_probe.errors import InputError
from adk_probe.report.markdown import BEGIN, END, anchor, excerpt, put_excerpt, render


def test_the_whole_matrix() -> None:
    check_golden("matrix.md", render(view()))


def test_the_excerpt() -> None:
    check_golden("excerpt.md", excerpt(view()))


@pytest.mark.parametrize("text", [render(view()), excerpt(view())])
def test_every_row_of_a_table_has_as_many_cells_as_its_head(text: str) -> None:
    tables = [block for block in text.split("\n\n") if block.startswith("| ")]
    assert tables
    for table in tables:
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in table.rstrip("\n").split("\n")}
        assert len(counts) == 1


def test_every_link_leads_to_a_heading() -> None:
    text = render(view())
    headings = {anchor(line.lstrip("# ").replace("\\", "")) for line in text.split("\n") if line.startswith("#")}
    links = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert "subthing" in links
    assert links <= headings


def test_no_text_of_an_engine_becomes_html_outside_of_a_fence() -> None:
    outside = "".join(re.split(r"(?ms)^(`{3,}).*?^\1$", render(view()))[::2])
    assert "<script" not in outside
    assert "claim of \\`code\\`" in outside


def test_no_path_of_the_machine_is_shown() -> None:
    assert "/home/ann" not in render(view())


def test_an_excerpt_is_put_between_its_markers_and_putting_it_again_changes_nothing() -> None:
    readme = f"# Title\n\n{BEGIN}\nold\n{END}\n\nrest\n"
    once = put_excerpt(readme, "| new |\n")
    assert once == f"# Title\n\n{BEGIN}\n| new |\n{END}\n\nrest\n"
    assert put_excerpt(once, "| new |\n") == once


@pytest.mark.parametrize("readme", ["", BEGIN, f"{END}\n{BEGIN}\n", f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n"])
def test_a_readme_without_one_place_for_it_is_refused(readme: str) -> None:
    with pytest.raises(InputError, match=r"README\.md"):
        put_excerpt(readme, "x\n")
