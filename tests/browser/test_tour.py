"""The tour in a browser: it moves the stage, lights a number, and each stop is an address."""

import serving
from playwright.sync_api import expect


def press(page, name):
    page.get_by_role("button", name=name).click()
    serving.settle(page)


def test_a_stop_asks_then_shows_and_survives_reload_and_back(app):
    page = app("/?tour=4")
    press(page, "Next stop ►")
    stage = page.get_by_test_id("stage")
    expect(page.get_by_text("Which cells will k vᵀ fill?")).to_be_visible()
    expect(stage).to_have_attribute("data-step", "2")
    press(page, "Show it")
    for look in ("shown", "loaded anew"):
        expect(page.get_by_text("Row a gets 1 × [1, 1] = [1, 1]")).to_be_visible()
        expect(stage).to_have_attribute("data-step", "3")
        expect(stage).to_have_attribute("data-reached", "write")
        expect(page.get_by_test_id("arithmetic")).to_have_text("write of p₂ at [a,a] = k·v = 1·1 = 1")
        if look == "shown":
            page.reload(wait_until="domcontentloaded")
            serving.settle(page)
    page.go_back()
    expect(page.get_by_text("Which cells will k vᵀ fill?")).to_be_visible()
    expect(stage).to_have_attribute("data-step", "2")


def test_the_tour_can_be_taken_on_a_phone(app, axe):
    page = app("/?tour=9", theme="dark", width=360)
    expect(page.get_by_text("By 2, not by the number of tokens 3.")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 360
    press(page, "Leave the tour")
    press(page, "Resume the tour (9 of 10)")
    expect(page.get_by_text("Is [3, 1] divided by 3?")).to_be_visible()
