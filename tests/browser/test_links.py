"""The address bar in a browser: it says where one is, and whoever opens it sees exactly the same."""

import json
import subprocess
import sys

import pytest
import serving
from conftest import ROOT, Visits
from playwright.sync_api import expect

TRIPLE = "/?example=article&phi=elu1&v=2_0~0_3~1%2F3_7&t=2&op=read"
LONG = "/?example=random&tokens=60&d_k=8&d_v=8"


def snapshot(page):
    """Everything a reader sees or can take away: choices, numbers, step, operation, tokens to the bit."""
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    serving.settle(page)
    return seen(page) | {"file": json.loads(download.value.path().read_text())}


def seen(page):
    """The same without the file, which takes a second: what stands on the page, with every number's bits."""
    page.get_by_test_id("stage").wait_for()
    return page.evaluate(SEEN)


def wait_for(page, state):
    """Until the page shows this, five seconds at most: the stage is painted after the rerun that sent it."""
    for _ in range(50):
        if seen(page) == state:
            break
        page.wait_for_timeout(100)


SEEN = """() => {
  const roots = [...document.querySelectorAll('*')].map((e) => e.shadowRoot).filter(Boolean);
  const all = (css) => [document, ...roots].flatMap((root) => [...root.querySelectorAll(css)]);
  const texts = (css) => all(css).map((e) => e.textContent);
  return {
    cells: all('[data-cell]').map((e) => [e.dataset.cell, e.dataset.value]),
    step: all('[data-testid=stage]').map((e) => [e.dataset.step, e.dataset.reached]),
    chosen: all('[data-testid=stSidebar] input').map((e) => [e.value, e.checked]),
    said: texts('[data-testid=caption], [data-testid=stAlert], .katex-display annotation'),
    menus: texts('[data-testid=stSidebar] [data-testid=stSelectbox]'),
  };
}"""


def step_to(page, step):
    """Step with the stage's own control, and wait until the address says so."""
    page.get_by_test_id("step").fill(str(step))
    page.wait_for_timeout(300)
    serving.settle(page)


def choose(page, label, option):
    if label == "Example":
        page.get_by_role("combobox", name=label).first.click()
        page.get_by_role("option", name=option).first.click()
    else:
        page.get_by_role("radiogroup", name=label).get_by_text(option).first.click()
    serving.settle(page)


def at(page):
    return page.evaluate("document.location.search")


def length(page):
    return page.evaluate("history.length")


def test_an_untouched_page_writes_nothing(app):
    page = app("/", own=True)
    assert (at(page), length(page)) == ("", 2)  # a blank tab, and this page


def test_a_step_is_one_entry_and_a_short_link(app):
    page = app("/", own=True)
    step_to(page, 2)
    assert (at(page), length(page)) == ("?example=article&t=2", 3)
    step_to(page, 3)
    assert (at(page), length(page)) == ("?example=article", 4)


def test_two_browsers_open_each_others_links(app):
    ours, theirs = app(TRIPLE), app("/?example=sentence&rule=decay&gamma=0.25&decimals=5")
    choose(ours, "Write rule", "decay")
    step_to(theirs, 7)
    first, second = snapshot(ours), snapshot(theirs)
    assert first != second
    assert snapshot(app("/" + at(theirs))) == second
    assert snapshot(app("/" + at(ours))) == first
    assert snapshot(ours) == first  # nobody else's visit changed anything here


def test_reload_shows_the_same(app):
    page = app(TRIPLE, own=True)
    before = snapshot(page)
    assert before["file"]["tokens"]["v"][2] == [1 / 3, 7]
    assert before["step"] == [["2", "write add read"]]
    page.reload()
    serving.settle(page)
    assert snapshot(page) == before
    assert length(page) == 2


def test_back_and_forward_ten_times(app):
    page = app("/", own=True)
    visited = [(at(page), seen(page))]
    moves = [lambda n=n: step_to(page, n) for n in (2, 1, 3)]
    moves += [lambda: choose(page, "Example", "Twelve words"), lambda: step_to(page, 5)]
    moves += [lambda: choose(page, "Write rule", "decay"), lambda: choose(page, "Feature map", "exp")]
    moves += [lambda: step_to(page, 12), lambda: choose(page, "Example", "One key"), lambda: step_to(page, 0)]
    for move in moves:
        move()
        visited.append((at(page), seen(page)))
    assert len({address for address, _ in visited}) == 11
    back, ahead = (
        [(page.go_back, there) for there in visited[-2::-1]],
        [(page.go_forward, there) for there in visited[1:]],
    )
    for go, (address, state) in back + ahead:
        go()
        serving.settle(page)
        assert at(page) == address
        wait_for(page, state)
        assert seen(page) == state


def test_quick_back_and_forward_end_where_they_should(app):
    page = app("/", own=True)
    for step in (2, 1, 0, 3, 1):
        step_to(page, step)
    before = snapshot(page)
    for way in (*["back"] * 4, *["forward"] * 4):
        page.evaluate(f"history.{way}()")
        page.wait_for_timeout(30)
    serving.settle(page)
    page.wait_for_timeout(500)
    serving.settle(page)
    assert snapshot(page) == before
    assert length(page) == 7


def test_edits_survive_a_reload_and_go_back_and_forward(app):
    page = app("/", height=2000)
    canvas = page.get_by_test_id("stDataFrame").locator("canvas").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    where = box["x"] + box["width"] - 30, box["y"] + 35 * 3 + 17  # v b of the last token
    page.mouse.dblclick(*where)
    page.locator("#portal textarea").wait_for()
    page.keyboard.press("Control+a")
    page.keyboard.type("2/7", delay=60)
    page.keyboard.press("Enter")
    expect(page.locator('[data-cell="u[1]"]')).to_have_attribute("data-value", repr(2 / 7))
    serving.settle(page)
    edited = snapshot(page)
    assert at(page) == "?example=article&v=2_0~0_3~1_2%2F7"
    page.go_back()
    serving.settle(page)
    assert snapshot(page)["file"]["tokens"]["v"][2] == [1, 1]
    page.go_forward()
    serving.settle(page)
    assert snapshot(page) == edited
    page.reload()
    serving.settle(page)
    assert snapshot(page) == edited


def test_copy_link(app):
    page = app(TRIPLE, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied", exact=True)).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_without_a_clipboard_the_link_stands_there_selected(app):
    page = app(TRIPLE)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_label("Link to this page")
    expect(field).to_have_value(page.url)
    assert field.evaluate("f => f.value.slice(f.selectionStart, f.selectionEnd)") == page.url


def test_nonsense_is_said_as_text_and_the_page_opens(app):
    page = app("/?phi=<img src=x onerror=alert(1)>&**red**=1&t=99&own=AAAA")
    said = page.get_by_text("Ignored in this link:")
    expect(said).to_contain_text('phi "<img src=x onerror=aler…" (identity is used)')
    expect(said).to_contain_text('t "99" (3 is used)')
    assert page.get_by_test_id("stAlert").locator("img, strong").count() == 0
    step_to(page, 1)
    expect(said).to_have_count(0)


def test_tokens_too_long_for_a_link_are_said_and_found_by_back(app):
    page = app(LONG, height=2000)
    expect(page.get_by_text("more than a link can carry")).to_have_count(0)
    page.get_by_label("Tokens", exact=True).last.fill("59")
    page.keyboard.press("Enter")
    expect(page.get_by_text("more than a link can carry (2,000)")).to_be_visible()
    serving.settle(page)
    edited = snapshot(page)
    assert len(edited["file"]["tokens"]["v"]) == 59
    page.go_back()
    serving.settle(page)
    assert len(snapshot(page)["file"]["tokens"]["v"]) == 60
    page.go_forward()
    serving.settle(page)
    assert snapshot(page) == edited
    page = app("/" + at(page))
    expect(page.get_by_text("This link could not carry its own tokens")).to_be_visible()


@pytest.fixture
def restartable(chromium, tmp_path):
    """start(port) -> process; all of them end with the test."""
    running = []

    def start(port):
        flags = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
        command = [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            "app.py",
            *flags,
            "--server.fileWatcherType=none",
        ]
        with (tmp_path / "log.txt").open("a") as log:
            process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        running.append(process)
        assert serving._healthy(f"http://127.0.0.1:{port}", process)
        return process

    yield start
    for process in running:
        serving._stop(process)
    assert "Traceback" not in (tmp_path / "log.txt").read_text()


def test_a_server_that_was_restarted_shows_the_same(restartable, new_context):
    port = serving.free_port()
    first = restartable(port)
    visits = Visits(f"http://127.0.0.1:{port}", new_context)
    page = visits(TRIPLE)
    step_to(page, 1)
    before = snapshot(page)
    serving._stop(first)
    page.locator("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])").wait_for(state="attached")
    restartable(port)
    page.locator(serving.AT_REST).wait_for(state="attached", timeout=60_000)
    serving.settle(page)
    assert snapshot(page) == before
    step_to(page, 3)
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "3")
