"""A bank made of a test set, to judge search by: documents as memories on pages, as a bank would hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from bankd.core.language.analysis import split_sentences
from bankd.core.lifecycle.events import KEPT, make_event
from bankd.core.markdown.memory import memory_id

_PARAGRAPH = 200
"""Characters from which on the next sentence is a paragraph of its own."""
_NO_SLUG = re.compile(r"[^\w-]+")


class TrialBank(NamedTuple):
    """Pages by path, and for each memory, by path and 1-based line, the document it is."""

    pages: Mapping[str, str]
    documents: Mapping[tuple[str, int], str]
    events: Sequence[Mapping[str, object]] = ()
    """What tells the days of documents that have one."""
    by_page: bool = False
    """Whether each document is a page of paragraphs, and pages are asked for."""


def bank_of(documents: Iterable[Mapping[str, Any]], group: str | None) -> TrialBank:
    """Put documents on pages: one page a session of a group, else a title, each document an item under its title.

    `group`, if any, names the field whose value becomes a folder, so that a query can be kept inside it.
    """
    pages: dict[str, list[str]] = {}
    names: dict[tuple[str, str], str] = {}
    titles: dict[str, str] = {}
    places: dict[tuple[str, int], str] = {}
    events: list[Mapping[str, object]] = []
    for document in documents:
        folder = group_folder(document.get(group) if group else None)
        key = (folder, str(document.get("session") or document.get("title") or ""))
        path = names.setdefault(key, f"{folder}/{len(names):05d}.md")
        lines = pages.setdefault(path, [])
        title = _one_line(document.get("title")).replace("_", " ")
        if title and titles.get(path) != title:
            lines += [f"# {title}", ""]
            titles[path] = title
        lines.append(f"- {_head(document)}{_one_line(document['text'])} ^{id_of(document)}")
        places[path, len(lines)] = str(document["id"])
        events += [_kept(document)] if document.get("day") else []
    return TrialBank({path: "\n".join(lines) + "\n" for path, lines in pages.items()}, places, events)


def pages_of(documents: Iterable[Mapping[str, Any]], group: str | None) -> TrialBank:
    """Make a page of each document, with a paragraph for each of its lines, or each few sentences of a long one."""
    pages: dict[str, str] = {}
    places: dict[tuple[str, int], str] = {}
    for number, document in enumerate(documents):
        path = f"{group_folder(document.get(group) if group else None)}/{number:05d}.md"
        title = _one_line(document.get("title")).replace("_", " ")
        lines = [f"# {title}", ""] if title else []
        for paragraph in _paragraphs(str(document["text"])):
            lines += [paragraph, ""]
        pages[path] = "\n".join(lines)
        places |= {(path, line): str(document["id"]) for line in range(1, len(lines) + 1)}
    return TrialBank(pages, places, by_page=True)


def _paragraphs(text: str) -> Iterator[str]:
    held = ""
    for line in filter(None, map(_one_line, text.splitlines())):
        for sentence in split_sentences(line):
            held = f"{held} {sentence}".strip()
            if len(held) >= _PARAGRAPH:
                yield held
                held = ""
        if held:
            yield held
        held = ""


def group_folder(value: object) -> str:
    """The folder of a group."""
    return _NO_SLUG.sub("-", str(value)) if value else "all"


def _head(document: Mapping[str, Any]) -> str:
    about = f" @{_NO_SLUG.sub('-', str(document['speaker']))}" if document.get("speaker") else ""
    return f"{document.get('tag') or 'W'}{about}: " if about or document.get("tag") else ""


def id_of(document: Mapping[str, Any]) -> str:
    """The id of the memory that a document becomes."""
    return memory_id(f"{document.get('day', 'undated')}.md", str(document["id"]), 1)


def _kept(document: Mapping[str, Any]) -> Mapping[str, object]:
    """The event of a line of the log of that day; it was taken in the day after."""
    at = datetime.fromisoformat(str(document["day"])).replace(tzinfo=UTC) + timedelta(days=1)
    return make_event(KEPT, id_of(document), at, memory=id_of(document), log=f"{document['day']}.md", line=1)


def _one_line(value: object) -> str:
    return " ".join(str(value or "").split())
