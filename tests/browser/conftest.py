"""A server, a browser, and three things for a test: `app` opens a page, `settle` waits, `axe` judges.

    def test_sentence(app, axe):
        page = app("/", theme="dark", width=360)
        assert axe(page) == []

Every test fails if its pages raised, logged an error or asked for anything outside this machine.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BROWSERS = (
    os.environ.get("CHROMIUM", ""),
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
MISSING = "Chromium is missing: install it, or set CHROMIUM to its path"
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
)
AT_REST = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"


def pytest_collection_modifyitems(items):
    """Browser tests come last: what is quick to fail fails first."""
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.fixture(scope="session")
def chromium():
    """The browser's path. Without a browser tests are skipped; where CI is set they fail."""
    found = next(filter(None, map(shutil.which, filter(None, BROWSERS))), None)
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
    return found


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, chromium):
    return {**browser_type_launch_args, "executable_path": chromium, "args": list(QUIET)}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "reduced_motion": "reduce", "locale": "en-US", "timezone_id": "UTC"}


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _healthy(url, process):
    """True once the server answers; False if it ended, or said nothing for 90 seconds."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + 90
    while time.monotonic() < end and process.poll() is None:
        try:
            with direct.open(f"{url}/_stcore/health", timeout=1) as answer:
                return answer.read() == b"ok"
        except OSError:
            time.sleep(0.1)
    return False


def _start(log):
    """(url, process) of a server whose output goes into the file `log`."""
    port = _free_port()
    flags = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    env = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, *(f"--{name}={value}" for name, value in flags.items())],
            cwd=ROOT,
            env={**env, "HOME": str(log.parent)},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    return f"http://127.0.0.1:{port}", process


def _stop(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def server(chromium, tmp_path_factory):
    """The address of the running app. Its log may not hold a traceback when all tests are done."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    for _ in range(3):  # somebody else may take the port between the look and the start
        url, process = _start(log)
        if _healthy(url, process):
            break
        _stop(process)
    else:
        pytest.fail(f"the server did not start:\n{log.read_text()}")
    yield url
    _stop(process)
    assert "Traceback" not in log.read_text(), log.read_text()[-4000:]


def _settle(page, timeout=30_000):
    """Wait until the script is idle, and still is a moment later, and nothing is a placeholder."""
    for _ in range(2):
        page.locator(AT_REST).wait_for(state="attached", timeout=timeout)
        page.wait_for_timeout(150)
    page.locator("[data-testid=stSkeleton]").wait_for(state="detached", timeout=timeout)


@pytest.fixture(scope="session")
def settle():
    """settle(page): wait until a rerun is over."""
    return _settle


class Visits:
    """Calling it opens a path as a new visitor; `requests` and `faults` gather over all visits of a test."""

    def __init__(self, server, new_context):
        self.server, self.new_context = server, new_context
        self.requests, self.faults = [], []

    def __call__(self, path="/", *, theme="light", width=1440, height=780, **context):
        """The settled page of `path`; more keywords go to the browser context (has_touch=True, …)."""
        visitor = self.new_context(color_scheme=theme, viewport={"width": width, "height": height}, **context)
        visitor.route(re.compile(r"^https?://(?!127\.0\.0\.1[:/])"), lambda route: route.abort())
        page = visitor.new_page()
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))
        page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        page.on("console", self._said)
        page.goto(self.server + path, wait_until="domcontentloaded")
        _settle(page)
        return page

    def _asked(self, url):
        self.requests.append(url)
        if urlsplit(url).hostname not in {"127.0.0.1", None}:  # data: and blob: have no host
            self.faults.append(f"asked for {url}")

    def _said(self, message):
        if message.type == "error":
            self.faults.append(f"console: {message.text}")


@pytest.fixture
def app(server, new_context):
    """app(path="/", *, theme="light", width=1440, height=780) -> the settled page."""
    visits = Visits(server, new_context)
    yield visits
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
        ]

    return judge
