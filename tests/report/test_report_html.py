"""The page stands alone, can be read by everybody, and is not fooled by the text it shows."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from report_samples import HOSTILE, results, view

from adk_probe.report.html import render, slug

VOID = {"meta", "input", "link", "br"}


class Page(HTMLParser):
    """Collects tags with their attributes, and the text of scripts and styles; refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]].append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def text() -> str:
    return render(view(), results())


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_the_same_input_gives_the_same_page(text: str) -> None:
    assert render(view(), results()) == text
    assert "\r" not in text


def test_it_needs_nothing_from_elsewhere(text: str, page: Page) -> None:
    addresses = [value for _, attributes in page.tags for key, value in attributes.items() if key in ("src", "href")]
    assert addresses
    assert all(address and address.startswith("#") for address in addresses)
    assert "url(" not in text
    assert "@import" not in text


def test_every_link_leads_to_one_place(page: Page) -> None:
    places = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(places) == len(set(places))
    links = {(attributes["href"] or "")[1:] for attributes in page.of("a")}
    assert links <= set(places)


def test_every_cell_of_the_matrix_leads_to_its_evidence(page: Page) -> None:
    (sheet,) = view().sheets
    marks = [a for a in page.of("a") if (a.get("class") or "").startswith("mark ")]
    assert len(marks) == len(sheet.rows) * len(sheet.columns)
    assert all((mark["href"] or "").startswith("#e-") for mark in marks)


def test_tables_have_captions_and_scopes(page: Page) -> None:
    assert len(page.of("table")) == len(page.of("caption")) == 2
    assert all(head.get("scope") in ("row", "col") for head in page.of("th"))
    assert page.of("html")[0]["lang"] == "en"


def test_every_sign_has_its_word(text: str) -> None:
    for sign in "✓✗‼–":
        assert re.search(rf'<span aria-hidden="true">{sign}</span> \w', text)


def test_hostile_text_is_shown_and_not_obeyed(text: str, page: Page) -> None:
    assert len(page.of("script")) == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "\x1b" in HOSTILE
    assert not {"\x1b", "\x00", "\u202e"} & set(text)


def test_the_policy_lets_only_the_pages_own_script_and_style_run(page: Page) -> None:
    policy = next(meta["content"] or "" for meta in page.of("meta") if "http-equiv" in meta)
    assert policy.startswith("default-src 'none'; ")
    for kind in ("script", "style"):
        digest = hashlib.sha256("".join(page.raw[kind]).encode()).digest()
        assert f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy


def test_pins_and_times_are_those_of_the_evidence(text: str) -> None:
    assert "toy-engine==2.4" in text
    assert "main, &lt;now&gt;, GCC" in text
    assert "2030-01-01T00:00:00Z" in text


def test_no_path_of_the_machine_is_shown(text: str) -> None:
    assert "/home/ann" not in text
    assert "site-packages/toy/loop.py" in text


def test_different_names_have_different_anchors() -> None:
    assert slug("a/b") != slug("a_b") != slug("a b") != slug("a/b")
