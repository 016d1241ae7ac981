"""The pages one after another, as somebody walks through them by the links in the sidebar."""

import pytest
import serving
from conftest import ROOT
from playwright.sync_api import expect

from linattn_ui.frame import title_of

PAGES = [title_of(path) for path in sorted(ROOT.glob("pages/[0-9]*_*.py"))]
WALKS = {
    "the article's tokens": ("/?example=article", {"theme": "light", "width": 1440}),
    "64 tokens on a phone": (
        "/?example=random&tokens=64&d_k=16&d_v=16&t=40",
        {"theme": "dark", "width": 360},
    ),
}
WIDE = "[document.documentElement, document.querySelector('[data-testid=stMain]')].map(e => e.scrollWidth)"


def follow(page, title):
    """A link of the sidebar, which a phone opens first and closes over the page afterwards."""
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True)
    folded = page.get_by_test_id("stExpandSidebarButton")
    if folded.is_visible():
        folded.click()
    link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    serving.settle(page)


@pytest.mark.parametrize("walk", WALKS)
def test_every_page_can_be_read_by_everybody(app, axe, walk):
    path, screen = WALKS[walk]
    page = app(path, **screen)
    for title in PAGES:
        follow(page, title)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert axe(page) == [], title
        assert max(page.evaluate(WIDE)) <= screen["width"], title


def test_pages_carry_tokens_settings_and_step_there_and_back(app):
    page = app("/?example=article&phi=elu1&v=2_0~0_3~1%2F3_7&t=2")
    seen = page.get_by_test_id("stage").get_attribute("data-step")
    follow(page, PAGES[0])
    assert "v=2_0" in page.url
    page.get_by_role("slider", name="Query").press("Home")
    serving.settle(page)
    expect(page.get_by_text("Look at query p₀").or_(page.get_by_text("For query p₀"))).to_be_visible()
    page.get_by_test_id("stSidebar").get_by_role("link", name="Step through").click()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "1")
    serving.settle(page)
    assert seen == "2"
    assert page.get_by_test_id("stage").locator('[data-cell="v_typed[0]"]').get_attribute("data-value") == "2"
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text(PAGES[0])
    serving.settle(page)
    page.go_forward()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "1")


def test_what_is_typed_and_chosen_is_not_lost_on_the_way(app):
    """Links are drawn before the last edit and the last choice are known; the session knows them."""
    page = app("/?example=article")
    page.get_by_role("radiogroup", name="Feature map φ").get_by_text("ELU + 1").click()
    serving.settle(page)
    page.get_by_role("button", name="Give p₂ the key [2, 2]").click()
    serving.settle(page)
    for title in (*PAGES[:2], "Step through", PAGES[-1]):
        page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True).click()
        serving.settle(page)
    follow(page, PAGES[0])
    assert page.get_by_role("radio", name="ELU + 1").is_checked()
    page.get_by_test_id("stSidebar").get_by_role("link", name="Step through").click()
    key = page.get_by_test_id("stage").locator('[data-cell="k_typed[0]"]')
    expect(key).to_have_attribute("data-value", "2")
    assert "phi=elu1" in page.url


def test_a_part_and_what_was_chosen_come_back_by_link_history_and_other_pages(app):
    """Every choice here differs from the least one that its box could hold."""
    chosen = {"rule=decay", "gamma=0.7", "decimals=5", "eps=0.25", "later=yes"}
    page = app(f"/Mixing?example=article&{'&'.join(sorted(chosen))}&part=ask", own=True)

    def shows(text):
        menu = page.get_by_role("radiogroup", name="What to look at")
        expect(menu.get_by_role("radio", checked=True)).to_have_text(text, timeout=30_000)
        serving.settle(page)

    shows("Ask any query")
    page.get_by_text("Read keys back", exact=True).click()
    shows("Read keys back")
    page.go_back()
    shows("Ask any query")
    page.reload()
    shows("Ask any query")
    for title in ("Write rules", "What a fixed-size state mixes"):
        follow(page, title)
        assert chosen <= set(page.url.partition("?")[2].split("&")), title
    shows("Ask any query")
