"""The report of 5,000 classes: time to make it, its size, and its first paint beside other pages in one browser."""

import shutil
import tempfile
import time
from pathlib import Path

import plotly.graph_objects as go
from playwright.sync_api import Browser, sync_playwright

import rankcast as rc
from rankcast.datasets import gaussian

CLASSES = 5000
TIMES = 5
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
EMPTY = "<!doctype html><title>empty</title><p>Nothing.</p>"
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"


def _visit(browser: Browser, page: Path) -> dict[str, float]:
    """Seconds to the first paint, and until the charts are there."""
    view = browser.new_page(viewport={"width": 1100, "height": 900})
    view.goto(page.as_uri(), timeout=120_000)
    place = {"report": "html[data-charts=live]", "plotly": ".main-svg"}.get(page.stem, "p")
    view.wait_for_selector(place, timeout=120_000, state="attached")
    complete = view.evaluate("performance.now() / 1000")
    while not view.evaluate("performance.getEntriesByName('first-contentful-paint').length"):
        view.wait_for_timeout(20)
    found = {"first_paint": view.evaluate(_PAINT), "complete": complete}
    view.close()
    return found


def run() -> dict[str, object]:
    evidence = gaussian.simulate(CLASSES, 0.12, rng=1)
    with tempfile.TemporaryDirectory() as folder:
        pages = {name: Path(folder) / f"{name}.html" for name in ("empty", "plotly", "report")}
        clock, started = time.perf_counter(), time.process_time()
        rc.report(evidence, pages["report"], rng=0)
        made = {"seconds": time.perf_counter() - clock, "cpu_seconds": time.process_time() - started}
        pages["empty"].write_text(EMPTY)
        go.Figure(go.Scatter(x=[2, 3], y=[1, 2])).write_html(pages["plotly"], include_plotlyjs=True)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            # in turns, so that a busy moment hits all alike; the first turn fills the caches and is not counted
            turns = [{name: _visit(browser, page) for name, page in pages.items()} for _ in range(TIMES + 1)][1:]
            version = browser.version
            browser.close()
        best = {
            name: {key: min(turn[name][key] for turn in turns) for key in ("first_paint", "complete")}
            | {"bytes": page.stat().st_size}
            for name, page in pages.items()
        }
    return {"classes": CLASSES, "chromium": version, "made": made, "pages": best}


def page(result: dict[str, object]) -> str:
    words = {
        "empty": "an empty page",
        "plotly": "one line by plotly's own `write_html`",
        "report": f"report of {result['classes']:,} classes",
    }
    made = result["made"]
    lines = [
        "# The report",
        "",
        f"A report of {result['classes']:,} classes with scores (four metrics by five methods with intervals, the",
        f"back-test and the diagnosis) took {made['cpu_seconds']:.0f} CPU seconds on one core.",
        "Goals: a file under 6 MB, a first paint under 2 s.",
        "",
        f"Pages in headless Chromium {result['chromium']}, best of {TIMES}, in turns; seconds on the clock:",
        "",
        "| page | MB | first paint, s | charts drawn, s |",
        "|---|---|---|---|",
    ]
    for name, each in result["pages"].items():
        drawn = "" if name == "empty" else f"{each['complete']:.2f}"
        lines.append(f"| {words[name]} | {each['bytes'] / 1e6:.1f} | {each['first_paint']:.2f} | {drawn} |")
    return "\n".join(lines)
