"""`make pictures`: the page as it looks, for the README and the documentation; needs chromium and a font with Hangul.

A year's bank of our own, at a fixed size, light and dark.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from tests.year import make_year

TO = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SIZE = {"width": 1120, "height": 700}
PICTURES = (
    ("search", "search?q=강당 열쇠는 어디에 있지", "ko-KR", "light"),
    ("home", "home", "en-GB", "light"),
    ("review", "review?kind=unfiled", "en-GB", "dark"),
    ("memory", "search?q=Believes that calls are right", "en-GB", "light"),
    ("map", "map", "en-GB", "dark"),
)


def main() -> None:
    """Make a bank, open the page on it, and take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("needs Debian's chromium and a font with Hangul: apt-get install chromium fonts-nanum")
    TO.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder) / "notes"
        make_year(root)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, address, language, colours in PICTURES:
            process = subprocess.Popen(
                [Path(sys.executable).parent / "bankctl", "--workspace", root, "ui", "--no-browser"],
                stdout=subprocess.PIPE,
                text=True,
            )
            assert process.stdout is not None
            link = process.stdout.readline().strip()
            page = browser.new_page(viewport=SIZE, locale=language, color_scheme=colours)
            page.goto(link)
            page.wait_for_url("**/home")
            page.goto(f"{link.partition('?')[0]}notes/{address}")
            _take(page, name)
            process.terminate()
            process.communicate()
        browser.close()


def _take(page: Page, name: str) -> None:
    if name == "memory":
        page.locator(".hit .said a, .hit .text a").first.click()
        page.wait_for_url(re.compile("/memory/m-"))
    if name == "search":
        page.locator("summary").first.click()
    page.screenshot(path=TO / f"{name}.png")


if __name__ == "__main__":
    main()
