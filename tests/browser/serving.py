"""What tests and benchmarks share: a server that runs, a browser that asks for nothing, a page at rest."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

BROWSERS = (
    os.environ.get("CHROMIUM", ""),
    "chromium-headless-shell",  # the same engine without a window: a sixth less work
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
MISSING = "Chromium is missing: install it, or set CHROMIUM to its path"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing leaves this machine
]
AT_REST = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"


def chromium():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, filter(None, BROWSERS))), None)


def settle(page, timeout=30_000):
    """Wait until the script is idle, and still is a moment later, and nothing is a placeholder."""
    for _ in range(2):
        page.locator(AT_REST).wait_for(state="attached", timeout=timeout)
        page.wait_for_timeout(150)
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')", timeout=timeout)


@contextmanager
def serve(script, *, cwd, log, **environment):
    """The address of a Streamlit server that runs `script` and writes into the file `log`."""
    for _ in range(3):  # somebody else may take the port between the look and the start
        url, process = _start(script, cwd, log, environment)
        if _healthy(url, process):
            break
        _stop(process)
    else:
        raise RuntimeError(f"the server did not start:\n{log.read_text()}")
    try:
        yield url
    finally:
        _stop(process)


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _start(script, cwd, log, environment):
    port = free_port()
    flags = ["--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"]
    flags += ["--server.fileWatcherType=none", "--browser.gatherUsageStats=false"]
    direct = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(script), *flags],
            cwd=cwd,
            env=direct | {"HOME": str(log.parent)} | environment,  # nobody's own settings
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    return f"http://127.0.0.1:{port}", process


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


def _stop(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
