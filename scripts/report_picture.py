"""Make the picture of the report: its first screen, in Debian's chromium."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import rankcast as rc
from rankcast.datasets import han

IMAGE = Path(__file__).resolve().parents[1] / "docs" / "img" / "report.png"


def main() -> None:
    """Report the demo's 300 characters, and photograph the top of the page."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "report.html"
        rc.report(han.evidence(), file, rng=0, title="Han characters, one typeface from another")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 1330})
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-charts=live]", timeout=120_000)
        page.screenshot(path=IMAGE)
        browser.close()


if __name__ == "__main__":
    main()
