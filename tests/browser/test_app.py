"""What holds for the app as a whole, whatever is on the page."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

every_theme = pytest.mark.parametrize("theme", ["light", "dark"])
every_width = pytest.mark.parametrize("width", [1440, 360])


def test_it_opens_on_the_stage(app):
    page = app("/")
    expect(page.get_by_test_id("stage")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Linear attention, step by step")
    assert "Linear attention" in page.title()


def test_no_request_leaves_the_machine(app):
    app("/").get_by_test_id("step").focus()
    assert {urlsplit(url).hostname for url in app.requests} <= {"127.0.0.1", None}
    assert any(url.startswith("ws://127.0.0.1:") for url in app.requests)


@every_theme
@every_width
def test_axe_finds_nothing_serious(app, axe, theme, width):
    page = app("/", theme=theme, width=width)
    expect(page.get_by_test_id("stage")).to_be_visible()
    assert axe(page) == []


def test_a_phone_does_not_scroll_sideways(app):
    page = app("/", width=360)
    expect(page.get_by_test_id("stage")).to_be_visible()
    wide = (
        "[document.documentElement, document.querySelector('[data-testid=stMain]')].map(e => e.scrollWidth)"
    )
    assert max(page.evaluate(wide)) <= 360
