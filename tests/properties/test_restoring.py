"""Out of a page into the archive and back: the memory to the byte on any page, the whole page on a tidy one."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from bankd.edits.inserting import outdent_lines, unix_text
from bankd.edits.transaction import Transaction, replay_transaction
from bankd.memory.archive import Archived, plan_restoring
from bankd.memory.ledger import make_event
from bankd.pages.page import MemoryLines, PageLines, read_page
from tests.properties.test_operations import SCALE, page_bytes

NOW = datetime(2026, 6, 10, 3, tzinfo=UTC)
PAGE, ARCHIVE = "bank/p.md", "archive/p.md"


def held(path: str, data: bytes | None) -> dict[str, MemoryLines]:
    """Every memory with an id of its own and nothing nested with one, as the catalog give it."""
    page = read_page(path, data or b"")
    ids = [entry.memory.id for entry in page.entries if entry.memory.id]
    standing = PageLines(page)
    found = {e.memory.id: standing.of(e) for e in page.entries if e.memory.id and ids.count(e.memory.id) == 1}
    return {id_: lines for id_, lines in found.items() if not lines.inside and id_.startswith("m-")}


def there_and_back(data: bytes, ids: list[str]) -> tuple[bytes, bytes]:
    """The page without these memories, and with them again."""
    before = {PAGE: data, ARCHIVE: None}
    lines = held(PAGE, data)
    out = [Archived(id_, lines[id_], "faded") for id_ in ids]
    gone = replay_transaction(
        Transaction("r", "", tuple(op for item in out for op in item.operations)), before, before.get
    )
    without = gone[PAGE] or b""
    stones = {item.id: make_event("archived", item.id, NOW, **item.tombstone) for item in out}
    stored = held(ARCHIVE, gone[ARCHIVE])
    standing = {PAGE: read_page(PAGE, gone[PAGE] or b"")}
    for id_ in ids:
        if id_ in stored:
            back = plan_restoring(id_, stored[id_], stones[id_], standing)
            gone = replay_transaction(Transaction("b", "", back.operations), gone, gone.get)
    return without, gone[PAGE] or b""


@st.composite
def tidy_pages(draw: st.DrawFn) -> bytes:
    """A page as people keep them: headings, lists that are tight or loose, one line ending."""
    number = iter(range(1000))
    rows = ["# Title", "", "> What it is for.", ""]
    for section in range(draw(st.integers(1, 3))):
        rows += [f"## Section {section}", ""] if section else []
        gap = [""] if draw(st.booleans()) else []
        for _ in range(draw(st.integers(1, 5))):
            more = draw(st.sampled_from([[], ["  continued"], ["  - nested line"]]))
            id_ = f"^m-{next(number):012}"
            first = "- O(c=0.40@2026-05-02) @Peter: Prefers 차 한 잔."
            own = [f"{first} {id_}"] if more[:1] != ["  continued"] else [first, f"  continued {id_}"]
            rows += [*own, *(more if more[:1] == ["  - nested line"] else []), *gap]
        rows += [] if gap else [""]
    return draw(st.sampled_from(["\n", "\r\n"])).join(rows).encode()


@given(tidy_pages(), st.data())
@settings(max_examples=150 * SCALE)
def test_a_tidy_page_gets_its_bytes_back(data: bytes, draw: st.DataObject) -> None:
    ids = sorted(held(PAGE, data))
    chosen = draw.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=3, unique=True))

    without, back = there_and_back(data, chosen)

    assert all(id_.encode() not in without for id_ in chosen)
    assert back == data


def test_the_byte_order_mark_of_a_page_is_no_part_of_its_first_memory() -> None:
    data = "\ufeff- W: first ^m-000000000000\n- W: second ^m-000000000001\n".encode()

    without, back = there_and_back(data, ["m-000000000000"])

    assert held(PAGE, data)["m-000000000000"].text == "- W: first ^m-000000000000"
    assert without == "\ufeff- W: second ^m-000000000001\n".encode()
    assert back == data


@given(page_bytes(), st.data())
@settings(max_examples=200 * SCALE)
def test_on_any_page_no_memory_is_lost_and_each_reads_as_before(data: bytes, draw: st.DataObject) -> None:
    lines = held(PAGE, data)
    if not lines:
        return
    chosen = draw.draw(st.lists(st.sampled_from(sorted(lines)), min_size=1, max_size=3, unique=True))

    _, back = there_and_back(data, chosen)

    now = held(PAGE, back)
    assert all(unix_text(now[id_].text) == outdent_lines(unix_text(lines[id_].text)) for id_ in chosen if id_ in now)
    assert all(id_ in now or id_.encode() in data for id_ in chosen)
