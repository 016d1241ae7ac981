"""Stepping: keys, buttons, play, by operation; and what Python hears of it, and when."""

import pytest
from playwright.sync_api import expect

pytest_plugins = ["stage_server"]


# Keys


def test_keys_step_while_nothing_has_the_focus(bare):
    stage = bare("article")
    stage.at(3)
    for key, step in (
        ("ArrowLeft", 2), ("ArrowLeft", 1), ("ArrowRight", 2), ("Home", 0), ("ArrowLeft", 0), ("End", 3),
        ("ArrowRight", 3),
    ):  # fmt: skip
        stage.press(key)
        stage.at(step)
    stage.part("softmax").focus()
    stage.press("Home", "ArrowRight")
    stage.at(1)
    expect(stage.root.locator(".where")).to_have_text("S₁ of 3")
    expect(stage.part("step")).to_have_attribute("aria-valuetext", "S₁ of 3, 1 written")
    stage.page.get_by_label("Case").focus()
    stage.press("ArrowRight", "End", "Space", "Home")
    stage.at(1)
    expect(stage.part("play")).to_have_attribute("aria-label", "Play")


def test_keys_with_alt_or_control_are_the_browsers(stage):
    stage.show("article")
    stage.press("Alt+ArrowUp", "Control+Home", "Shift+ArrowLeft")
    stage.at(3)


def test_range_and_film_and_buttons_step(stage):
    stage.show("article")
    stage.part("step").fill("1")
    stage.at(1)
    stage.part("next").click()
    stage.at(2)
    stage.part("previous").click()
    stage.part("previous").click()
    stage.at(0)
    stage.root.get_by_role("button", name="S₂: 2 tokens written").click()
    stage.at(2)
    expect(stage.root.get_by_role("button", name="S₁: 1 token written", exact=True)).to_be_attached()
    current = stage.root.locator("[data-map] tr.current th")
    expect(current).to_have_text(["q₁", "q₁"])
    stage.root.locator("[data-map=linear] tbody tr").nth(0).click()
    stage.at(1)
    expect(current).to_have_text(["q₀", "q₀"])


@pytest.mark.parametrize(("step", "back"), [(3, 0), (0, 0), (2, 1), (2, 2), (2, 3)])
def test_tab_reaches_a_number_at_every_step_and_operation(stage, step, back):
    stage.show("article")
    stage.go(step)
    stage.part("by-operation").click()
    stage.press(*["ArrowLeft"] * back)
    assert stage.tab() in stage.seen()


def test_arrows_walk_through_all_numbers_that_show(stage):
    stage.show("decayed")
    seen = stage.seen()
    stage.part("softmax").focus()
    assert stage.tab() == "y[0]"
    stage.press(*["ArrowUp"] * len(seen))
    walked = [stage.focused]
    for _ in seen[1:]:
        stage.press("ArrowDown")
        walked.append(stage.focused)
    assert walked == seen
    assert walked[0].startswith("S_decayed")
    stage.at(3)


def test_the_keys_are_on_the_screen(stage):
    stage.show("article")
    for key in ("← →", "Home", "End", "Space", "Tab", "↑ ↓", "Enter", "Esc"):
        expect(stage.root.locator(".keys")).to_contain_text(key)


def test_the_other_state_shows_while_a_button_is_held(stage):
    stage.show("sentence")
    other, hold = (
        stage.cell("S_before[0,0]"),
        stage.root.get_by_role("button", name="hold: S before the write"),
    )
    expect(other).to_be_hidden()
    hold.hover()
    stage.page.mouse.down()
    expect(other).to_be_visible()
    expect(stage.cell("S_after[0,0]")).to_be_hidden()
    stage.page.mouse.up()
    expect(other).to_be_hidden()
    hold.focus()
    stage.page.keyboard.down("Space")
    expect(other).to_be_visible()
    stage.page.keyboard.up("Space")
    expect(other).to_be_hidden()
    stage.at(12)


# Play


def test_play_stops_at_the_end(stage):
    stage.show("article")
    stage.go(2)
    stage.press("Space")
    expect(stage.part("play")).to_have_attribute("aria-label", "Pause")
    stage.at(3)
    expect(stage.part("play")).to_have_attribute("aria-label", "Play")


def test_play_can_be_stopped_at_once(stage):
    stage.show("article")
    stage.press("Space")
    stage.at(0)
    stage.press("Space")
    expect(stage.part("play")).to_have_attribute("aria-label", "Play")
    stage.page.wait_for_timeout(1000)
    stage.at(0)


# By operation

REACHED = {  # operation: a number that first shows with it
    "write": {"write[0,0]", "S_before[0,0]", "k[0]", "u[0]"},
    "add": {"S_after[0,0]"},
    "read": {"q[0]", "read[0]", "score[0]", "term[0,0]", "sum_score"},
    "divide": {"y[0]", "z_before[0]", "write_z[0]", "z_after[0]", "norm", "weight[0]", "sum_share"},
}


def shown(stage, reached=REACHED):
    """Which of the numbers in `reached` are visible."""
    return set().union(*reached.values()) & set(stage.seen())


def test_by_operation_hides_what_is_not_reached(stage):
    stage.show("article")
    stage.part("by-operation").click()
    expect(stage.root.locator(".where")).to_have_text("S₃ of 3 · divide")
    for operation in ("read", "add", "write"):
        stage.press("ArrowLeft")
        expect(stage.root.locator(".where")).to_have_text(f"S₃ of 3 · {operation}")
        names = list(REACHED)[: list(REACHED).index(operation) + 1]
        assert shown(stage) == set().union(*(REACHED[name] for name in names))
        assert ("÷" in stage.text("caption"), "reads" in stage.text("caption")) == (False, "read" in names)
        assert stage.root.locator(".divide").inner_text().count("y₂") == 0
    stage.press("ArrowLeft")
    stage.at(2)
    expect(stage.root.locator(".where")).to_have_text("S₂ of 3 · divide")
    stage.press("ArrowRight")
    stage.at(3)
    expect(stage.root.locator(".where")).to_have_text("S₃ of 3 · write")
    stage.part("by-operation").click()
    assert shown(stage) == set().union(*REACHED.values())


def test_reading_first_shows_the_state_that_is_read(stage):
    reached = {
        "read": {"S_before[0,0]", "q[0]", "read[0]", "score[0]"},
        "divide": {"y[0]", "norm", "z_before[0]"},
        "write": {"write[0,0]", "k[0]"},
        "add": {"S_after[0,0]"},
    }
    stage.show("reads_first")
    stage.part("by-operation").click()
    for count in (3, 2, 1):
        stage.press("ArrowLeft")
        assert shown(stage, reached) == set().union(*list(reached.values())[:count])


def test_an_operation_that_the_run_lacks_is_left(stage):
    stage.show("article")
    stage.part("by-operation").click()
    expect(stage.root.locator(".where")).to_have_text("S₃ of 3 · divide")
    stage.change("undivided")
    expect(stage.root.locator(".where")).to_have_text("S₃ of 3 · read")
    assert {"y[0]", "read[0]", "S_after[0,0]"} <= set(stage.seen())


def test_python_sets_step_operation_and_highlight(bare):
    stage = bare("article", step=2, operation="read", highlight="read[1]")
    stage.at(2)
    expect(stage.root.locator(".where")).to_have_text("S₂ of 3 · read")
    expect(stage.part("by-operation")).to_have_attribute("aria-pressed", "true")
    assert stage.text("arithmetic") == "numerator b = 3 = 0·0 + 1·3"
    stage.part("by-operation").click()
    stage.go(1)
    stage.change("elu1")
    stage.at(1)
    stage.show("elu1")
    stage.at(2)
    expect(stage.root.locator(".where")).to_have_text("S₂ of 3 · read")
    expect(stage.part("by-operation")).to_have_attribute("aria-pressed", "true")


def test_a_place_that_does_not_exist_is_the_nearest_that_does(bare):
    stage = bare("article", step=99, operation="dance", highlight="y[7]")
    stage.at(3)
    expect(stage.root.locator(".where")).to_have_text("S₃ of 3")
    assert stage.text("arithmetic") == ""


# Rest


def frames(page):
    """Sizes of the websocket's messages from now on: sent, received."""
    devtools, sizes = page.context.new_cdp_session(page), ([], [])
    devtools.send("Network.enable")
    for kind, name in enumerate(("webSocketFrameSent", "webSocketFrameReceived")):
        devtools.on(f"Network.{name}", lambda event, kind=kind: sizes[kind].append(size(event["response"])))
    return sizes


def size(frame):
    """Bytes of a message, which the protocol gives as base64 where it is binary."""
    text = frame["payloadData"]
    return len(text) * 3 // 4 if frame["opcode"] == 2 else len(text.encode())


@pytest.mark.parametrize("name", ["long", "sentence"])
def test_holding_a_key_tells_python_once_at_rest(stage, settle, name):
    stage.show(name)
    stage.go(0)
    expect(stage.page.get_by_text("At rest:")).to_have_text("At rest: (0, None)")
    settle(stage.page)
    sent, received = frames(stage.page)
    stage.hold(12)
    expect(stage.page.get_by_text("At rest:")).to_have_text("At rest: (12, None)")
    settle(stage.page)
    assert len(sent) <= 2  # not one for each of the twelve
    assert 0 < sum(received) < 5000


GO_AND_FORGET = """(stage) => {
    window.realTimeout = window.setTimeout;
    stage.querySelector('[data-testid=step]').value = 0;
    window.setTimeout = (act, ms) => (ms === 200 ? 0 : window.realTimeout(act, ms));
    stage.querySelector('[data-testid=step]').dispatchEvent(new Event('input'));
}"""


def test_a_click_elsewhere_tells_python_at_once(stage):
    stage.show("article")
    stage.root.evaluate(GO_AND_FORGET)  # the timer of the rest never rings
    stage.press("ArrowRight")
    stage.page.get_by_text("At rest:").click()
    expect(stage.page.get_by_text("At rest:")).to_have_text("At rest: (1, None)")
    stage.page.evaluate("window.setTimeout = window.realTimeout")


# In the app


def test_keys_are_left_to_the_grid_and_the_boxes_of_the_app(app, settle):
    page = app("/")
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", "3")
    page.get_by_test_id("stSidebar").get_by_text("decay, then add").click()
    settle(page)
    for control in (
        page.get_by_test_id("stSidebar").get_by_role("slider"),
        page.locator("[data-testid=stMain] [data-testid=stNumberInput] input").first,
    ):
        control.focus()
        for key in ("ArrowLeft", "Home", "ArrowRight"):
            page.keyboard.press(key)
        expect(stage).to_have_attribute("data-step", "3")
    grid = page.get_by_test_id("stDataFrame").locator("canvas").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 200, box["y"] + 52)
    for key in ("ArrowLeft", "ArrowRight", "Home"):
        page.keyboard.press(key)
    expect(stage).to_have_attribute("data-step", "3")
