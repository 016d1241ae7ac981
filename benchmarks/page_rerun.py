"""What a rerun of each page costs the server with 64 tokens of 16 components, and how large its figures are.

    python benchmarks/page_rerun.py [--rounds 9]

Each page is opened without a browser (Streamlit's AppTest) and run again, in turns with the others. The time
is that of the whole script with its figures, tables and the messages they become. Goals: 150 ms and 400 kB.
"""

import argparse
import logging
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

TOKENS = {"example": "random", "tokens": "64", "d_k": "16", "d_v": "16"}
MS, KB = 150, 400


def opened(path):
    """A page over the tokens, run once: what is computed once and kept is kept by now."""
    from streamlit.testing.v1 import AppTest

    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, text in TOKENS.items():
        at.query_params[name] = text
    at.switch_page(path).run()
    assert not at.exception, at.exception
    return at


def figures_kb(at):
    """Size of the figures on the page as they are sent."""
    return sum(len(chart.proto.spec.encode()) for chart in at.get("plotly_chart")) / 1000


def rerun_ms(at):
    """One rerun with nothing changed."""
    start = time.perf_counter()
    at.run()
    return 1000 * (time.perf_counter() - start)


def main():
    """One line a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    logging.disable(logging.WARNING)  # AppTest has no browser to talk to, and says so at every run
    pages = {path.name: str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("pages/*.py"))}
    visitors = {name: opened(path) for name, path in pages.items()}
    times = {name: [] for name in visitors}
    for _ in range(rounds):
        for name, at in visitors.items():
            times[name].append(rerun_ms(at))
    print(f"{'page':24} {'median ms':>10} {'slowest':>8} {'figures kB':>11}")
    for name, at in visitors.items():
        median, size = statistics.median(times[name]), figures_kb(at)
        missed = [word for word, bad in (("time", median > MS), ("size", size > KB)) if bad]
        print(
            f"{name:24} {median:10.1f} {max(times[name]):8.1f} {size:11.1f}", *missed and ["missed:", *missed]
        )


if __name__ == "__main__":
    main()
