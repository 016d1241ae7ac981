"""Key press to paint, in headless Chromium, for the stage and for the smallest page that goes through Python.

    python benchmarks/step_latency.py [--rounds 5] [--presses 8]

All pages are measured in turns in one run, so a busy machine is busy for all of them: the ratio says most.
A latency runs from the keydown of ArrowRight to the first task after the frame that shows the new numbers.
"""

import argparse
import base64
import os
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "browser"))
import serving  # noqa: E402  shared with the tests, which are no package

STAGE = """
import numpy as np
import streamlit as st
from linattn_core import Tokens, run
from linattn_ui.stage import show

st.set_page_config(layout="wide")
T, d = (int(st.query_params[name]) for name in "Td")
show(run(Tokens(*np.random.default_rng(0).standard_normal((3, T, d)))))
"""
BASELINE = """
import streamlit as st

st.write(f"Value {st.slider('Value', 0, 1000)}")
"""
STEP, CELLS = "[data-testid=step]", ['[data-cell="S_after[0,0]"]', '[data-cell="y[0]"]']
SLIDER, TEXT = "input[type=range]", ["[data-testid=stMarkdown]"]
REST_MS = 350  # longer than the stage waits before it tells Python where it is
RATIO, FIRST_LOAD_KB = 0.3, 150  # goals

# A frame's callbacks run before it is painted, a message posted by one of them after. So each frame after the
# keydown posts a message, and the first one that finds all of `cells` changed marks the end.
WATCH = """([control, cells]) => {
    const find = (within, selector) => within.querySelector(selector) ?? [...within.querySelectorAll('*')]
        .filter(e => e.shadowRoot).map(e => find(e.shadowRoot, selector)).find(Boolean);
    const input = find(document, control);
    const home = find(document, cells[0]).getRootNode();
    const read = () => cells.map(c => home.querySelector(c)).map(e => e?.dataset.value ?? e?.textContent);
    input.focus();
    window.latency = null;
    window.addEventListener('keydown', () => {
        const start = performance.now(), before = read(), channel = new MessageChannel();
        const frame = () => {
            channel.port2.postMessage(0);
            if (window.latency === null) requestAnimationFrame(frame);
        };
        channel.port1.onmessage = () => {
            if (window.latency !== null || !read().every((now, i) => now !== before[i])) return;
            window.latency = performance.now() - start;
        };
        requestAnimationFrame(frame);
    }, {capture: true, once: true});
}"""


class Pages:
    """Two servers and a browser: `stage(T, d)` and `baseline()` open a page of their own."""

    def __init__(self, stack):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        playwright = stack.enter_context(sync_playwright())
        path = serving.chromium() or sys.exit(serving.MISSING)
        self.browser = playwright.chromium.launch(executable_path=path, args=serving.QUIET)
        stack.callback(self.browser.close)
        self.stage_url = self._serve(stack, folder / "stage", STAGE, cwd=ROOT)  # with the app's own settings
        self.baseline_url = self._serve(
            stack, folder / "baseline", BASELINE, cwd=folder
        )  # with the default ones

    def _serve(self, stack, folder, script, cwd):
        folder.mkdir()
        (folder / "page.py").write_text(script)
        search = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        log = folder / "log.txt"
        return stack.enter_context(serving.serve(folder / "page.py", cwd=cwd, log=log, PYTHONPATH=search))

    def _open(self, url, control, before=lambda page: None):
        page = self.browser.new_context(viewport={"width": 1440, "height": 780}).new_page()
        before(page)
        page.goto(url)
        page.locator(control).wait_for()
        serving.settle(page)
        return page

    def stage(self, T, d, before=lambda page: None):
        """The stage over T random tokens of d components."""
        return self._open(f"{self.stage_url}/?T={T}&d={d}", STEP, before)

    def baseline(self):
        """One slider and one line of text."""
        return self._open(self.baseline_url, SLIDER)


def press(page, control, cells, times):
    """Milliseconds of `times` steps forward from the first token, each begun at rest."""
    page.bring_to_front()
    for key in ("Home", "ArrowRight"):
        page.locator(control).press(key)
        page.wait_for_timeout(REST_MS)
    return [one_press(page, control, cells) for _ in range(times)]


def one_press(page, control, cells):
    """Milliseconds from keydown to paint."""
    page.evaluate(WATCH, [control, cells])
    page.keyboard.press("ArrowRight")
    latency = page.wait_for_function("window.latency").json_value()
    page.wait_for_timeout(REST_MS)
    serving.settle(page)
    return latency


def first_load_bytes(pages, T, d):
    """Bytes that the websocket brings until a new visitor's page rests."""
    sizes = []

    def listen(page):
        devtools = page.context.new_cdp_session(page)
        devtools.send("Network.enable")
        devtools.on("Network.webSocketFrameReceived", lambda event: sizes.append(_size(event["response"])))

    pages.stage(T, d, listen)
    return sum(sizes)


def _size(frame):
    text = frame["payloadData"]
    return len(base64.b64decode(text)) if frame["opcode"] == 2 else len(text.encode())


def report(name, latencies, baseline, goal=None):
    """One line of the table: median, 95th percentile, ratio to the baseline's median, and the goals."""
    median = statistics.median(latencies)
    p95 = statistics.quantiles(latencies, n=20, method="inclusive")[-1]
    ratio = median / statistics.median(baseline)
    verdict = ""
    if goal:
        met = median <= goal and ratio <= RATIO
        verdict = f"<= {goal} ms and {RATIO}: {'met' if met else 'MISSED'}"
    print(f"{name:24}{len(latencies):5}{median:11.1f}{p95:9.1f}{ratio:9.2f}   {verdict}")


def main():
    """Measure all pages in turns and print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--presses", type=int, default=8)
    given = options.parse_args()
    with ExitStack() as stack:
        pages = Pages(stack)
        turns = {
            "slider and one line": (pages.baseline(), SLIDER, TEXT, None),
            "stage, T=32, d=8": (pages.stage(32, 8), STEP, CELLS, 16.7),
            "stage, T=64, d=12": (pages.stage(64, 12), STEP, CELLS, 33.3),
        }
        latencies = {name: [] for name in turns}
        for _ in range(given.rounds):
            for name, (page, control, cells, _) in turns.items():
                latencies[name] += press(page, control, cells, given.presses)
        print(f"{'':24}{'n':>5}{'median ms':>11}{'p95 ms':>9}{'ratio':>9}   goal")
        baseline = latencies["slider and one line"]
        for name, (*_, goal) in turns.items():
            report(name, latencies[name], baseline, goal)
        loaded = first_load_bytes(pages, 64, 16) / 1000
        met = "met" if loaded <= FIRST_LOAD_KB else "MISSED"
        print(f"first load, T=64, d=16: {loaded:.0f} kB by websocket   <= {FIRST_LOAD_KB} kB: {met}")


if __name__ == "__main__":
    main()
