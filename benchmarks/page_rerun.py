"""What a rerun of each page costs the server with 64 tokens of 16 components, and how large its figures are.

    python benchmarks/page_rerun.py [--rounds 9]

Each page is opened without a browser (Streamlit's AppTest) and run again, in turns with the others: as it
is, and after another feature map was chosen, so that no run can be kept. The time is that of the whole script
with its figures, tables and the messages they become. Goals: 150 ms and 400 kB.
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
MAPS = ("elu1", "relu")
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


def rerun_ms(at, phi=None):
    """One rerun: with nothing changed, or under another feature map."""
    if phi is not None:
        at.session_state["phi"] = phi
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
    same, other = ({name: [] for name in visitors} for _ in range(2))
    for n in range(rounds):
        for name, at in visitors.items():
            other[name].append(rerun_ms(at, MAPS[n % 2]))
            same[name].append(rerun_ms(at))
    print(f"{'page':20} {'as it is, ms':>13} {'other map, ms':>14} {'slowest':>8} {'figures kB':>11}")
    for name, at in visitors.items():
        medians, size = [statistics.median(times[name]) for times in (same, other)], figures_kb(at)
        missed = [word for word, bad in (("time", max(medians) > MS), ("size", size > KB)) if bad]
        slowest = max(same[name] + other[name])
        row = f"{name:20} {medians[0]:13.1f} {medians[1]:14.1f} {slowest:8.1f} {size:11.1f}"
        print(row, *missed and ["missed:", *missed])


if __name__ == "__main__":
    main()
