"""The page in Debian's Chromium, as people use it: with a mouse, with keys, in Hangul, on a phone, without scripts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

from tests.service.conftest import Manager

VIEWS = ("home", "search", "review", "people", "memory", "timeline", "map", "activity", "health")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


Serve = Callable[[Path], str]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start `bankctl ui` on a workspace; gives the link that it prints."""
    started: list[subprocess.Popen[str]] = []

    def serve(root: Path) -> str:
        command = [str(Path(sys.executable).parent / "bankctl"), "--workspace", str(root), "ui", "--no-browser"]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        started.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    yield serve
    for process in started:
        process.terminate()
        process.communicate()


class Visit:
    """A window of the browser, what it asked of whom, and what went wrong in it."""

    def __init__(self, context: BrowserContext, link: str) -> None:
        self.page: Page = context.new_page()
        self.hosts: set[str] = set()
        self.errors: list[str] = []
        context.on("request", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.home = link.partition("?")[0]
        self.page.goto(link)
        self.page.wait_for_url("**/home")
        self.bank = urlsplit(self.page.url).path.split("/")[1]

    def _note(self, request: Request) -> None:
        self.hosts.add(urlsplit(request.url).netloc)

    def show(self, view: str) -> Page:
        self.page.goto(f"{self.home}{self.bank}/{view}")
        return self.page


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Visit]]:
    contexts: list[BrowserContext] = []

    def visit(link: str, **options: object) -> Visit:
        contexts.append(chromium.new_context(**{"locale": "en-GB", **options}))  # type: ignore[arg-type]
        return Visit(contexts[-1], link)

    yield visit
    for context in contexts:
        context.close()


EACH = (*VIEWS, "search?q=Peter", "map?around=@Peter", "people?who=Peter")


def serious(page: Page) -> list[tuple[str, str]]:
    """What axe finds that shuts somebody out."""
    found = Axe().run(page).response["violations"]
    grave = (one for one in found if one["impact"] in {"serious", "critical"})
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in grave]


@pytest.mark.parametrize(
    ("bank", "colours"),
    [
        ("year", "light"),
        ("empty", "dark"),
        *(pytest.param(*more, marks=pytest.mark.full) for more in (("year", "dark"), ("empty", "light"))),
    ],
)
def test_each_page_opens_for_everybody_and_asks_nobody_else(
    request: pytest.FixtureRequest, serve: Serve, visit: Callable[..., Visit], bank: str, colours: str
) -> None:
    window = visit(serve(request.getfixturevalue(bank)), color_scheme=colours)

    for view in EACH:
        if bank == "empty" and "@" in view:
            continue
        page = window.show(view)
        assert page.locator("h1").inner_text()
        assert serious(page) == [], view
    assert window.hosts == {urlsplit(window.home).netloc}
    assert window.errors == []


def test_hangul_is_typed_and_answered_as_one_types(year: Path, serve: Serve, visit: Callable[..., Visit]) -> None:
    page = visit(serve(year), locale="ko-KR").show("search")
    field, first = page.locator("#q"), page.locator(".hit").first
    expect(field).to_be_focused()
    field.fill("강당 열")  # of keys pressed right after loading a busy browser may lose the first
    expect(first).to_contain_text("강당 열쇠는 경비실에 있다.")
    page.keyboard.type("쇠")
    expect(first.locator("mark")).to_contain_text(["강당", "열쇠"])
    assert parse_qs(urlsplit(page.url).query)["q"] == ["강당 열쇠"]
    page.locator(".hit .said a, .hit .text a").first.click()
    page.wait_for_url("**/memory/m-*")
    assert page.locator(".whole").inner_text().endswith("강당 열쇠는 경비실에 있다.")
    assert page.locator("svg.fig").count() >= 1


@pytest.mark.parametrize("lines", [8, pytest.param(30, marks=pytest.mark.full)])
def test_lines_are_reviewed_with_keys_alone_and_the_focus_never_leaves_the_card(
    year: Path, serve: Serve, visit: Callable[..., Visit], lines: int
) -> None:
    page = visit(serve(year)).show("review?kind=unfiled")
    inbox = year / "bank/_meta/inbox.md"
    seen, queue = set[str](), page.locator(".queue a").count()
    assert queue > lines

    for number in range(lines):
        said = page.locator("#card:focus .said").inner_text()
        assert said not in seen, number
        seen.add(said)
        page.keyboard.press("a" if number % 2 else "s")
        page.wait_for_function("said => document.querySelector('#card .said').innerText !== said", arg=said)
    before = inbox.read_bytes()
    last = page.locator("#card:focus .said").inner_text()
    page.keyboard.press("a")
    page.wait_for_function("said => document.querySelector('#card .said').innerText !== said", arg=last)
    assert inbox.read_bytes() != before
    page.keyboard.press("u")
    page.wait_for_url("**did=undo**")
    assert inbox.read_bytes() == before


def test_a_page_to_place_on_is_asked_for_before_it_is_placed(
    year: Path, serve: Serve, visit: Callable[..., Visit]
) -> None:
    page = visit(serve(year)).show("review")

    page.keyboard.press("p")
    page.keyboard.type("../../x")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    assert page.locator("#page").input_value() == "../../x"
    page.fill("#page", "knowledge/projects")
    page.keyboard.press("Enter")
    page.wait_for_url("**did=place**")
    assert "Filed on knowledge/projects" in page.locator(".done").inner_text()


def test_the_slider_shows_the_bank_as_it_stood(year: Path, serve: Serve, visit: Callable[..., Visit]) -> None:
    page = visit(serve(year)).show("timeline")
    days = page.locator("#results h2").count()
    assert days > 3

    page.locator("#slider").focus()
    page.keyboard.press("Home")
    expect(page.locator("#results h2")).not_to_have_count(days)
    assert page.locator("#as_of").input_value() == page.locator("#slider").get_attribute("data-first")


def test_a_run_is_read_as_a_difference_and_taken_back(year: Path, serve: Serve, visit: Callable[..., Visit]) -> None:
    page = visit(serve(year)).show("activity")

    page.locator(".run .what a").first.click()
    page.wait_for_selector("pre.diff .plus")
    page.get_by_role("button", name=re.compile("Undo")).first.click()
    page.wait_for_url("**did=undo**")


def test_everything_works_without_scripts(year: Path, serve: Serve, visit: Callable[..., Visit]) -> None:
    page = visit(serve(year), java_script_enabled=False).show("search")

    page.fill("#q", "Peter")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    page.goto(page.url.partition("/search")[0] + "/review")
    page.get_by_role("button", name=re.compile("Archive")).first.click()
    page.wait_for_selector(".done")
    page.get_by_role("button", name=re.compile("Undo")).first.click()
    page.wait_for_url("**did=undo**")


def test_nothing_is_wider_than_a_phone(year: Path, serve: Serve, visit: Callable[..., Visit]) -> None:
    window = visit(serve(year), viewport={"width": 360, "height": 740}, locale="ko-KR")

    for view in EACH:
        page = window.show(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, view


def test_the_daemon_may_come_and_go_meanwhile(
    year: Path, tmp_path: Path, serve: Serve, visit: Callable[..., Visit]
) -> None:
    manager = Manager(year, tmp_path)
    try:
        manager.start()
        manager.wait_for("READY=1")
        window = visit(serve(year))
        assert "answered by the daemon" in window.show("search?q=Peter").locator(".fresh").inner_text()
    finally:
        manager.close()
    assert "no daemon runs" in window.show("search?q=Peter").locator(".fresh").inner_text()
    assert window.page.locator(".hit").count() > 0
    assert "no daemon runs" in window.show("health").locator("main").inner_text()


def test_where_the_disk_takes_nothing_it_is_said_and_looking_goes_on(
    year: Path, serve: Serve, visit: Callable[..., Visit]
) -> None:
    page = visit(serve(year)).show("review")
    mounted = subprocess.run(["mount", "--bind", str(year), str(year)], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("needs the right to mount a folder read-only")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(year)], check=True)
        page.get_by_role("button", name=re.compile("Archive")).first.click()
        page.wait_for_selector("[role=alert]")
        assert "read-only" in page.locator("[role=alert]").inner_text().casefold()
        page.goto(page.url.replace("/act", "/search?q=Peter"))
        expect(page.locator(".hit").first).to_be_visible()
    finally:
        subprocess.run(["umount", "--lazy", str(year)], check=True)
