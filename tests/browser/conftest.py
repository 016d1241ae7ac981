"""A server, a browser, and three things for a test: `app` opens a page, `settle` waits, `axe` judges.

    def test_sentence(app, axe):
        page = app("/", theme="dark", width=360)
        assert axe(page) == []

Every test fails if its pages raised, logged an error or asked for anything outside this machine.
"""

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import serving
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

expect.set_options(timeout=20_000)  # ms: a page that is drawn late on a busy machine is not a wrong one


def pytest_collection_modifyitems(items):
    """Browser tests come last: what is quick to fail fails first."""
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.fixture(scope="session")
def chromium():
    """The browser's path. Without a browser tests are skipped; where CI is set they fail."""
    found = serving.chromium()
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(serving.MISSING)
    return found


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, chromium):
    return {**browser_type_launch_args, "executable_path": chromium, "args": serving.QUIET}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "reduced_motion": "reduce", "locale": "en-US", "timezone_id": "UTC"}


@pytest.fixture(scope="session")
def server(chromium, tmp_path_factory):
    """The address of the running app. Its log may not hold a traceback when all tests are done."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with serving.serve("app.py", cwd=ROOT, log=log) as url:
        yield url
    assert "Traceback" not in log.read_text(), log.read_text()[-4000:]


@pytest.fixture(scope="session")
def settle():
    """settle(page): wait until a rerun is over."""
    return serving.settle


@pytest.fixture(scope="session")
def tab(browser, browser_context_args):
    """A tab that stays open: with nothing to compile it is filled anew in half the time of a first visit."""
    context = browser.new_context(**browser_context_args)
    yield context.new_page()
    context.close()


class Visits:
    """Calling it opens a path as a new visitor; `requests` and `faults` gather over all visits of a test.

    The first visit of a test takes the tab that is open, emptied, unless it asks for one of its own.
    """

    def __init__(self, server, new_context, tab=None):
        self.server, self.new_context, self.tab = server, new_context, tab
        self.requests, self.faults, self.heard = [], [], []

    def __call__(self, path="/", *, theme="light", width=1440, height=780, own=False, **context):
        """The settled page of `path`; more keywords go to the browser context (has_touch=True, …)."""
        size = {"width": width, "height": height}
        if own or context or self.tab is None:
            page = self.new_context(color_scheme=theme, viewport=size, **context).new_page()
        else:
            page, self.tab = self.tab, None
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size(size)
        self._listen(page)
        page.goto(self.server + path, wait_until="domcontentloaded")
        page.locator("[data-testid=stMain] [data-testid=stElementContainer]").first.wait_for()
        serving.settle(page)
        return page

    def _listen(self, page):
        listeners = {
            "request": lambda request: self._asked(request.url),
            "websocket": lambda socket: self._asked(socket.url),
            "pageerror": lambda error: self.faults.append(f"page error: {error}"),
            "console": self._said,
        }
        for event, listener in listeners.items():
            page.on(event, listener)
        self.heard.append((page, listeners))

    def leave(self):
        """Forget everything: the next visitor is somebody else."""
        for page, listeners in self.heard:
            for event, listener in listeners.items():
                page.remove_listener(event, listener)
            page.evaluate("[localStorage, sessionStorage].forEach((kept) => kept.clear())")

    def _asked(self, url):
        self.requests.append(url)
        if urlsplit(url).hostname not in {"127.0.0.1", None}:  # data: and blob: have no host
            self.faults.append(f"asked for {url}")

    def _said(self, message):
        asks_first = re.search(r"/\w+/_stcore/", message.location["url"])  # a page's folder, before the root
        if message.type == "error" and not asks_first:
            self.faults.append(f"console: {message.text}")


@pytest.fixture
def app(server, new_context, tab):
    """app(path="/", *, theme="light", width=1440, height=780, own=False) -> the settled page."""
    visits = Visits(server, new_context, tab)
    yield visits
    visits.leave()
    assert not visits.faults


@pytest.fixture(scope="session")
def axe():
    """axe(page) -> the serious and critical faults, one sentence for each element."""

    def judge(page):
        found = Axe().run(page).response["violations"]
        return [
            f"{fault['id']} ({fault['help']}): {node['target']}"
            for fault in found
            if fault["impact"] in {"serious", "critical"}
            for node in fault["nodes"]
            if not _wide_formula(fault, node)
        ]

    return judge


def _wide_formula(fault, node):
    """A formula of st.latex that scrolls: Tab does reach it, as browsers focus a scroller by themselves."""
    return fault["id"] == "scrollable-region-focusable" and ".katex-display" in node["target"][-1]
