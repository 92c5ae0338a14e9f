"""The page in a real browser: nothing runs but its own script, the filters work, a link opens its evidence."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright
from report_samples import results, view

from adk_probe.report.html import render

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    file: Path = tmp_path_factory.mktemp("page") / "matrix.html"
    file.write_text(render(view(), results()), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        found = browser.new_page(viewport={"width": 390, "height": 800})
        complaints: list[str] = []
        found.on("console", lambda message: complaints.append(message.text))
        found.on("pageerror", lambda error: complaints.append(str(error)))
        found.goto(file.as_uri())
        yield found
        assert complaints == []
        browser.close()


def test_page_fits_a_phone(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_filter_hides_the_other_claims(page: Page) -> None:
    form = page.locator("form.filters").first
    rows = page.locator("#" + str(form.get_attribute("data-table")) + " tbody tr")
    before = rows.count()
    name = str(rows.first.locator("code").text_content())
    form.locator("input[name=text]").fill(name)
    shown = [index for index in range(before) if rows.nth(index).is_visible()]
    assert 0 in shown
    assert all(name in str(rows.nth(index).locator("th").text_content()) for index in shown)
    assert len(shown) < before
    form.locator("input[name=text]").fill("")
    assert all(rows.nth(index).is_visible() for index in range(before))


def test_cell_leads_to_its_evidence(page: Page) -> None:
    link = page.locator("td a.mark").first
    target = str(link.get_attribute("href")).removeprefix("#")
    place = page.locator(f'[id="{target}"]')
    link.click()
    place.wait_for(state="visible")
    assert place.is_visible()
