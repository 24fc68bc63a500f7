"""What splitting real trees of Markdown must keep: every link, every byte outside links, every memory."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

from bankd.layouts.links import Relinked, Source, relink_layout
from bankd.layouts.merge import Layout, combine_layouts, placed_pieces, plan_merge
from bankd.layouts.split import Limits, is_due, plan_split, size_of
from bankd.pages.names import Names, path_key
from bankd.pages.page import part_lines, read_page
from bankd.pages.references import LinkKind, Reference, definitions_of, references_of
from bankd.pages.resolve import WIKI_KINDS, Outline, Target, find_place, outline_of, resolve_reference
from bankd.pages.scanner import decode_text, encode_text, scan_text

STEPS = tuple(Limits(size // 2, size) for size in (15_360, 12_000, 9_000, 7_000, 5_000))  # bytes
NAMES = ("shdkej-wiki", "vue-docs-ko", "ms-engineering-playbook")


class Bank:
    """Pages by path, with their references."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.names = Names(files)
        self.documents = {path: scan_text(text) for path, text in files.items()}
        self.references = {path: references_of(document) for path, document in self.documents.items()}

    def after(self, layout: Layout) -> tuple[Bank, Relinked]:
        """The bank with a layout carried out."""
        sources = {path: Source(self.documents[path].lines, self.references[path]) for path in self.files}
        done = relink_layout(layout, sources, self.names)
        kept = {path: text for path, text in self.files.items() if path not in layout.gone}
        return Bank(kept | dict(done.texts)), done

    def resolve(self, path: str, reference: Reference) -> Target | None:
        """What a reference leads to."""
        return resolve_reference(reference, path, self.names)

    def masked(self, path: str, line: int) -> str:
        """A line without its targets."""
        text = self.documents[path].lines[line]
        for reference in sorted(self._on_line(path, line), key=lambda reference: -reference.start):
            text = text[: reference.start] + "…" + text[reference.end :]
        return text.rstrip("\r\n")

    def _on_line(self, path: str, line: int) -> list[Reference]:
        return self._by_line.get((path, line), [])

    @cached_property
    def _by_line(self) -> dict[tuple[str, int], list[Reference]]:
        found: dict[tuple[str, int], list[Reference]] = {}
        for path, references in self.references.items():
            for reference in references:
                found.setdefault((path, reference.line), []).append(reference)
        return found


@dataclass(frozen=True)
class Split:
    """A vault after a split: the thresholds, the layout, the pages without a seam, the new bank, what was rewritten."""

    limits: Limits
    layout: Layout
    seamless: list[str]
    after: Bank
    relinked: Relinked


@dataclass(frozen=True)
class Vault:
    """A vault as a bank, its links as another tool reads them, and its bank after a split of all large pages."""

    name: str
    bank: Bank
    rows: tuple[dict[str, str], ...]

    def split(self, limits: Limits) -> Split:
        """Split every page that is due."""
        layouts, seamless = [], []
        for path, document in self.bank.documents.items():
            if is_due(document, limits):
                layout = plan_split(path, document, limits, self.is_taken)
                if layout:
                    layouts.append(layout)
                else:
                    seamless.append(path)
        combined = combine_layouts(tuple(layouts))
        return Split(limits, combined, seamless, *self.bank.after(combined))

    def due(self, limits: Limits) -> int:
        """How many pages are to be split."""
        return sum(is_due(document, limits) for document in self.bank.documents.values())

    @cached_property
    def _dangling(self) -> set[str]:
        return {
            path_key(reference.target.partition("#")[0].rpartition("/")[2].removesuffix(".md"))
            for path, references in self.bank.references.items()
            for reference in references
            if reference.kind in WIKI_KINDS and self.bank.resolve(path, reference) is None
        }

    @property
    def is_taken(self) -> Callable[[str], bool]:
        """Whether a part may not have this name: a page has it, or a link that leads nowhere waits for it."""

        def taken(path: str) -> bool:
            name = path.rpartition("/")[2]
            return bool(self.bank.names.named(name)) or path_key(name.removesuffix(".md")) in self._dangling

        return taken


def merged(bank: Bank, hubs: list[str]) -> Bank:
    """The bank with the parts of these hubs put back."""
    layouts = [plan_merge(hub, bank.documents) for hub in hubs]
    assert all(isinstance(layout, Layout) for layout in layouts)
    return bank.after(combine_layouts(tuple(layout for layout in layouts if isinstance(layout, Layout))))[0]


def pairs(before: Bank, after: Bank, layout: Layout) -> Iterator[tuple[str, Reference, str, Reference]]:
    """Every reference of the old bank with what it is in the new one, once for each page on which it stands now."""
    for new_page, piece, first in placed_pieces(layout):
        for old in before.references.get(piece.source or "", ()):
            if piece.start <= old.line < piece.end:
                yield (
                    piece.source or "",
                    old,
                    new_page.path,
                    _same(before, after, old, piece.source or "", new_page.path, first + old.line - piece.start),
                )
    for path in before.files:
        if path not in layout.sources:
            for old in before.references[path]:
                yield path, old, path, _same(before, after, old, path, path, old.line)


def _same(before: Bank, after: Bank, old: Reference, path: str, new_page: str, line: int) -> Reference:
    there = [reference for reference in after.references[new_page] if reference.line == line]
    here = [reference for reference in before.references[path] if reference.line == old.line]
    assert [reference.kind for reference in there] == [reference.kind for reference in here], (path, old, new_page)
    return there[here.index(old)]


@pytest.fixture(scope="session", params=NAMES)
def vault(request: pytest.FixtureRequest, shared: Path) -> Vault:
    """Each vault in turn; what its source had and the copy here has not counts as there."""
    root = shared / "vaults" / str(request.param)
    files = {
        "bank/" + path.relative_to(root).as_posix(): decode_text(path.read_bytes())
        for path in sorted(root.rglob("*.md"))
    }
    with (root.parent / f"{request.param}.links.tsv").open(encoding="utf-8", newline="") as rows:
        table = tuple(csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))
    return Vault(str(request.param), Bank(files), table)


@pytest.fixture(scope="session")
def done(vault: Vault) -> Split:
    """The thresholds are lowered until a third of the pages is due."""
    due = (limits for limits in STEPS if vault.due(limits) * 3 >= len(vault.bank.files))
    return vault.split(next(due))


def meaning(bank: Bank, path: str, reference: Reference) -> tuple[str, ...] | None:
    """What a reader finds behind a reference: a page, or the words at a place and the lines below them."""
    target = bank.resolve(path, reference)
    if target is None:
        return None
    if not target.fragment or target.path not in bank.documents:
        return ("page", target.path)
    place = find_place(outline(bank, target.path), target.fragment, is_wiki=reference.kind in WIKI_KINDS)
    if place is None:
        return ("no such place", target.path, target.fragment)
    lines = range(place.line, min(place.line + 6, len(bank.documents[target.path].lines)))
    return ("place", *(bank.masked(target.path, line) for line in lines))


@cache
def outline(bank: Bank, path: str) -> Outline:
    return outline_of(bank.documents[path])


def test_a_third_of_the_pages_is_split(vault: Vault, done: Split) -> None:
    layout, seamless = done.layout, done.seamless

    assert len(layout.sources) * 3 >= len(vault.bank.files) - len(seamless)
    assert all(definitions_of(vault.bank.documents[path]) for path in seamless)


def test_every_link_that_resolved_leads_to_the_same_words(vault: Vault, done: Split) -> None:
    layout, after, relinked = done.layout, done.after, done.relinked
    counts: Counter[str] = Counter()
    for path, old, new_page, new in pairs(vault.bank, after, layout):
        was, now = meaning(vault.bank, path, old), meaning(after, new_page, new)
        if was is None or was[0] == "no such place":
            counts["broken"] += 1
            is_rebased = was is not None and now == was  # its page is there: only the anchor is broken
            assert old.target == new.target or is_rebased, (path, old, new)
            continue
        counts[was[0]] += 1
        assert now is not None, (path, old, new_page, new)
        assert now[:2] == was[:2], (path, old, new_page, new)
        if was[0] == "place":
            assert_same_below(was, now)

    assert relinked.lost == ()
    assert counts["page"] + counts["place"] > 100


def assert_same_below(was: tuple[str, ...], now: tuple[str, ...]) -> None:
    """Below the words the same lines follow, up to where the page goes on in a part."""
    for old, new in zip(was[2:], now[2:], strict=False):
        if new.startswith(("- [", "* [")) and new != old:
            return
        assert old == new or not new, (was, now)


def test_all_else_is_the_same_to_the_byte(vault: Vault, done: Split) -> None:
    layout, after = done.layout, done.after
    before = vault.bank
    for path in before.files:
        if path not in layout.sources:
            count = len(before.documents[path].lines)
            assert count == len(after.documents[path].lines)
            assert all(before.masked(path, n) == after.masked(path, n) for n in range(count))
    moved: Counter[tuple[str, int]] = Counter()
    for new_page, piece, first in placed_pieces(layout):
        for n in range(piece.start, piece.end if piece.source else 0):
            assert before.masked(piece.source or "", n) == after.masked(new_page.path, first + n - piece.start)
            moved[piece.source or "", n] += 1

    everything = {(path, n) for path in layout.sources for n in range(len(before.documents[path].lines))}
    assert set(moved) == everything
    assert set(moved.values()) == {1}


def test_a_merge_gives_the_original_back_but_for_the_style_of_links(vault: Vault, done: Split) -> None:
    layout, after, before = done.layout, done.after, vault.bank

    back = merged(after, sorted(layout.sources))

    assert back.files.keys() == before.files.keys()
    for path, document in before.documents.items():
        lines = range(len(document.lines))
        assert [back.masked(path, n) for n in lines] == [before.masked(path, n) for n in lines]
        for old, new in zip(before.references[path], back.references[path], strict=True):
            assert meaning(back, path, new) == meaning(before, path, old), (path, old, new)


def test_every_memory_is_there_once_and_in_order(vault: Vault, done: Split) -> None:
    layout, after = done.layout, done.after
    for path in sorted(layout.sources):
        was = memories(vault.bank, path)
        now = [text for part in reading_order(after, path) for text in memories(after, part)]
        assert Counter(now) == Counter(was), path
        assert now == was, path


def memories(bank: Bank, path: str) -> list[str]:
    page = read_page(path, encode_text(bank.files[path]))
    return [
        "\n".join(bank.masked(path, line).strip() for line in range(entry.start, entry.end)) for entry in page.entries
    ]


def reading_order(bank: Bank, path: str) -> list[str]:
    parts = part_lines(bank.documents[path], path).values()
    return [path] + [page for part in parts for page in reading_order(bank, part)]


def test_no_part_over_the_limit_has_a_seam(vault: Vault, done: Split) -> None:
    layout, after = done.layout, done.after
    over = []
    for path in set(layout.new_paths) - layout.sources:
        document = after.documents[path]
        if size_of(document, 0, len(document.lines)) > done.limits.warn * 5 // 4:  # links to other folders are longer
            over += [path] if plan_split(path, document, done.limits, lambda _: False) else []

    assert over == []


def test_every_difference_to_the_other_reading_is_explained(vault: Vault) -> None:
    """`NAME.links.tsv` reads the same links, but for the classes that are counted here."""
    absent = {"bank/" + row["resolves_to"] for row in vault.rows if row["status"] == "not-kept"}
    names = Names([*vault.bank.files, *absent])
    ours = Counter[tuple[str, int, str]]()
    classes: Counter[str] = Counter()
    found: dict[tuple[str, int, str], tuple[str, Reference]] = {}
    for path, references in vault.bank.references.items():
        for reference in references:
            key = (path.removeprefix("bank/"), reference.line + 1, reference.target)
            ours[key] += 1
            found[key] = (path, reference)
    for row in vault.rows:
        key = (row["source"], int(row["line"]), row["target_as_written"])
        if not ours[key]:
            classes["only there: " + row["target_as_written"]] += 1
            continue
        ours[key] -= 1
        path, reference = found[key]
        target = resolve_reference(reference, path, names)
        there = "bank/" + row["resolves_to"].rstrip("/") if row["status"] != "broken" else None
        if (target.path if target else None) != there:
            classes["leads elsewhere: " + row["target_as_written"]] += 1
    for key, count in ours.items():
        path, reference = found[key]
        if count and ":" not in reference.target.partition("#")[0]:
            is_own = reference.kind is LinkKind.INLINE and reference.target.startswith("#")
            classes["only here: " + ("own anchor" if is_own else reference.kind)] += count

    assert dict(classes) == EXPLAINED[vault.name]


# own anchor: `[x](#y)` leads to a place of its own page, which the other reading leaves out. html: it does not look at
# attributes. bare: nor at paths in text and code spans. [[My_space]] could be either of two pages, in different folders:
# the other reading takes the first, we leave it alone and say so.
EXPLAINED = {
    "shdkej-wiki": {"leads elsewhere: My_space": 1, "only here: own anchor": 1},
    "vue-docs-ko": {"only here: own anchor": 96, "only here: html": 26},
    "ms-engineering-playbook": {"only here: own anchor": 79, "only here: bare": 5, "only here: html": 1},
}
