"""What the page shows, of a year's bank, an empty one, and one that means harm; looking leaves no trace."""

from __future__ import annotations

import json
import os
import re
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from urllib.parse import quote

import pytest

import bankd.ui
from bankd.ui.application import VIEWS
from bankd.ui.views import _soon
from tests.stories.conftest import tree_state
from tests.ui.conftest import Open

HOME = Path(bankd.ui.__file__).parent
HARM = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class Elements(HTMLParser):
    """The elements of a page, and their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


EACH = [view for view in VIEWS if view != "page"]
PAGES = [*EACH, "search?q=Peter", "timeline?about=@Peter&since=2026-01-01", "map?around=@Peter"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_each_page_of_a_year_says_something_changes_nothing_and_asks_nothing_of_another_host(
    year: Path, open_page: Open, language: str
) -> None:
    before, client = tree_state(year), open_page(year)
    texts = [path.read_text("utf-8") for path in (HOME / "static").iterdir()]

    for page in PAGES:
        answer = client.get(f"/year/{page}", headers={"Accept-Language": language})
        assert answer.status_code == 200, page
        assert f'<html lang="{language}">' in answer.text
        assert Elements(answer.text).text.strip()
        assert page not in EACH or len(answer.content) <= 100_000, page
        texts.append(answer.text)
    named = {found for text in texts for found in re.findall(r"(?:https?:)?//[\w.-]+\.\w+", text)}
    assert named <= {"http://www.w3.org"}
    assert tree_state(year) == before


def test_the_pages_of_a_korean_have_no_english(empty: Path, open_page: Open) -> None:
    client, english = open_page(empty), {}
    typed = r"bankctl [^\n]*|[\w./@-]*[./]\S*|bankd?|micro|reflect|English|@\w+|Markdown|JSON|\b(?:empty|c=\S+)\b"
    for view in [*EACH, "page?at=bank/entities/people.md", "nosuch"]:
        said = Elements(client.get(f"/empty/{view}", headers={"Accept-Language": "ko"}).text).text
        english[view] = re.findall(r"[A-Za-z]{3,}", re.sub(typed, " ", said))

    names = {"ChatGPT", "Claude", "Code", "Codex", "claude", "code", "connect", "import", "empty"}
    typed_in_settings = {"timezone", "off", "workspace"}
    assert {word for words in english.values() for word in words} <= names | typed_in_settings, english
    strange = client.get("/empty/home", headers={"Accept-Language": "ko", "Host": "elsewhere"})
    assert strange.text == "이 페이지는 제 주소로만 답합니다\n"


def test_each_page_of_an_empty_bank_says_that_there_is_nothing(empty: Path, open_page: Open) -> None:
    client = open_page(empty)
    said = {view: Elements(client.get(f"/empty/{view}").text).text for view in EACH}

    assert "Your bank is ready" in said["home"]
    assert "No run yet." in said["activity"]
    assert "Nothing waits for you" in said["review"]
    assert "No memory is about anybody yet" in said["people"]
    assert "Nothing of these days." in said["timeline"]
    assert "The bank is empty." in said["map"]
    assert "no daemon runs" in said["health"]
    assert "Nothing relevant" in client.get("/empty/search?q=anything").text


def test_search_shows_its_hits_marked_with_their_places_and_why(year: Path, open_page: Open) -> None:
    text = open_page(year).get("/year/search?q=wifi of the cabin").text

    assert "<mark>wifi</mark>" in text
    assert re.search(r'href="/year/memory/m-[a-z0-9]{12}"', text)
    assert re.search(r'href="/year/page\?path=bank%2F[^"]+&amp;line=\d+#L\d+"', text)
    assert '<meter class="bar" min="0" max="1"' in text


def test_a_search_is_narrowed_to_a_kind_a_folder_and_somebody(year: Path, open_page: Open) -> None:
    client = open_page(year)

    def found(narrowed: str) -> str:
        return Elements(client.get(f"/year/search?q=desk floor{narrowed}&weak=1").text).text

    assert "Rents desk" in found("")
    assert "Rents desk" in found("&who=@Peter&tag=W&in=bank")
    assert "Rents desk" not in found("&who=@Minho")
    assert "Rents desk" not in found("&tag=B")
    assert "Only in the logs" not in found("&in=bank")


def test_a_month_is_shaded_and_two_days_of_it_make_a_range(year: Path, open_page: Open) -> None:
    client = open_page(year)
    month = client.get("/year/timeline?month=2026-05").text
    first = re.search(r'<a class="d[1-3]" href="([^"]+)" aria-label="(2026-05-\d\d), (\d+)"', month)
    assert first is not None
    day = client.get(f"/year/timeline{first[1].replace('&amp;', '&')}").text

    assert "May 2026" in month
    assert f'aria-label="{first[2]}, {first[3]}" aria-current="date"' in day
    assert re.search(rf"since={first[2]}&amp;until=2026-05-2\d", day)


def test_the_home_tells_ages_and_health_what_may_be_taken_along(
    year: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client = open_page(year)
    markdown, rows = (client.get(f"/year/export?as={kind}") for kind in ("md", "json"))

    assert re.search(r'<figure class="ages"><svg[^>]+><rect class="a\d"', client.get("/year/home").text)
    assert "강당 열쇠는 경비실에 있다." in markdown.text
    assert "강당 열쇠는 경비실에 있다." in {json.loads(row)["text"] for row in rows.text.splitlines()}
    assert rows.headers["content-disposition"] == "attachment; filename*=UTF-8''year.json"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "bankctl connect claude-code" in client.get("/year/health").text
    monkeypatch.delenv("HOME")
    assert "No agent is known here" in client.get("/year/health").text


def test_what_comes_is_what_has_not_begun() -> None:
    hits = [{"when": "2026-09-01…2026-11-30"}, {"when": "2026-11-30"}, {"when": "2026-11-28"}]
    soon = _soon(hits, date(2026, 11, 28), SimpleNamespace(is_korean=False))  # type: ignore[arg-type]

    assert [(month, day) for month, day, _ in soon] == [("Nov", 30)]


def test_a_memory_shows_its_line_its_curve_and_what_is_newer(year: Path, open_page: Open) -> None:
    client = open_page(year)
    older = re.search(
        r'/year/memory/(m-\w+)">(?:<mark>)?[^<]*', client.get("/year/search?q=standup of the Seoul office").text
    )
    assert older
    text = client.get(f"/year/memory/{older[1]}").text

    assert "The standup of the" in text
    assert '<figure class="source">' in text
    assert '<polyline class="strength"' in text
    assert "newer" in text


def test_a_run_shows_its_chapters_and_the_difference_of_each_page(year: Path, open_page: Open) -> None:
    client = open_page(year)
    runs = re.findall(r'href="/year/activity/([^"]+)"', client.get("/year/activity").text)
    text = client.get(f"/year/activity/{runs[-1]}").text

    assert "<h3>Learned " in text
    assert '<span class="ln plus"><b>+</b><span>- ' in text


def test_all_banks_answer_as_one_and_one_that_is_gone_is_named(year: Path, empty: Path, open_page: Open) -> None:
    client = open_page(year, empty, year.with_name("gone"))
    text = client.get("/year/search?q=Peter&all=1").text

    assert "<b>year</b>" in text
    assert '<p class="note bad warning">gone: ' in text
    assert client.get("/nobody/search").status_code == 409


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd", "/etc/passwd", "bank/../../secret.md", "bank/../bankd.yaml", "bankd.yaml", ".bankd/ledger.md",
        "events/x.md", "bank/link.md", "memory/../../secret.md", "bank/%2e%2e/x.md", "bank/\x00.md", "",
    ],
)  # fmt: skip
def test_no_file_outside_the_pages_is_shown(year: Path, open_page: Open, path: str) -> None:
    (year.parent / "secret.md").write_text("TOP SECRET", "utf-8")
    (year / "bank/link.md").symlink_to(year.parent / "secret.md")
    answer = open_page(year).get("/year/file", params={"path": path})

    assert answer.status_code != 200
    assert "TOP SECRET" not in answer.text


def test_markup_in_memories_names_and_questions_is_text(year: Path, open_page: Open) -> None:
    page = year / "bank/world" / f"{HARM.replace('/', '|')}.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"# {HARM}\n\n- W: harmful {HARM} ^m-aaaaaaaaaaaa\n", "utf-8")
    os.utime(page, (page.stat().st_mtime - 60,) * 2)  # it rests
    (year / "memory/2026-05-19.md").write_text(f"## Retain\n- X: {HARM}\n", "utf-8")
    client = open_page(year)

    harm, name = quote(HARM), quote(HARM, safe="")
    pages = [*PAGES, f"search?q=harmful+{harm}", f"search?as_of={harm}&q=x", f"timeline?about={harm}"]
    pages += ["memory/m-aaaaaaaaaaaa", f"memory/{name}", f"night/{name}", f"map?around={harm}"]
    pages += [f"desk?did={harm}&run={harm}", f"desk?did=place&run={harm}", f"page?path={harm}"]
    for address in pages:
        found = Elements(client.get(f"/year/{address}").text).tags
        assert [attributes for tag, attributes in found if tag == "script"] == [
            {"src": "/static/page.js", "defer": None}
        ], address
        assert not [
            tag for tag, attributes in found if tag == "img" or any(name.startswith("on") for name in attributes)
        ]
    assert "alert(1)" in Elements(client.get("/year/memory/m-aaaaaaaaaaaa").text).text


def test_a_bug_is_named_on_a_page_too(year: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    client = open_page(year)
    monkeypatch.setattr("bankd.ui.views.read_status", fail)
    client._transport.raise_server_exceptions = False  # type: ignore[attr-defined]  # as a browser sees it

    answer = client.get("/year/health")
    assert answer.status_code == 500
    assert "this is a bug in bankd (ZeroDivisionError())" in Elements(answer.text).text


def test_what_cannot_be_read_is_said_on_a_page(year: Path, open_page: Open) -> None:
    client = open_page(year)

    for address in ("memory/m-nothing", "activity/20200101T000000-micro", "map?around=@Nobody", "timeline?since=x"):
        answer = client.get(f"/year/{address}")
        assert answer.status_code in {400, 409}, address
        assert 'role="alert"' in answer.text
    for address in ("/year/nothing", "/review", "/strange/review"):
        lost = client.get(address)
        assert lost.status_code in {404, 409}
        assert {"/year/home", "/year/review"} <= {*re.findall(r'href="([^"]*)"', lost.text)}


def test_what_is_saved_meanwhile_is_found_by_the_next_question(year: Path, open_page: Open) -> None:
    client = open_page(year)
    assert "Nothing relevant" in client.get("/year/search?q=xylophone").text
    page = year / "bank/knowledge/tools.md"
    page.write_text(page.read_text("utf-8") + "- W: The xylophone is in the cellar.\n", "utf-8")

    asked = (client.get("/year/search?q=xylophone").text for _ in range(60) if not Event().wait(0.05))
    assert any("<mark>xylophone</mark>" in text for text in asked)  # the files are looked at once a second
