"""A bank made of a test set, to judge search by: documents as memories on pages, as a bank would hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_NO_SLUG = re.compile(r"[^\w-]+")


class TrialBank(NamedTuple):
    """Pages by path, and for each memory, by path and 1-based line, the document it is."""

    pages: Mapping[str, str]
    documents: Mapping[tuple[str, int], str]


def bank_of(documents: Iterable[Mapping[str, Any]], group: str | None) -> TrialBank:
    """Put documents on pages: one page a session of a group, else a title, each document an item under its title.

    `group`, if any, names the field whose value becomes a folder, so that a query can be kept inside it.
    """
    pages: dict[str, list[str]] = {}
    names: dict[tuple[str, str], str] = {}
    titles: dict[str, str] = {}
    places: dict[tuple[str, int], str] = {}
    for document in documents:
        folder = group_folder(document.get(group) if group else None)
        key = (folder, str(document.get("session") or document.get("title") or ""))
        path = names.setdefault(key, f"{folder}/{len(names):05d}.md")
        lines = pages.setdefault(path, [])
        title = _one_line(document.get("title")).replace("_", " ")
        if title and titles.get(path) != title:
            lines += [f"# {title}", ""]
            titles[path] = title
        lines.append(f"- {_speaker(document)}{_one_line(document['text'])}")
        places[path, len(lines)] = str(document["id"])
    return TrialBank({path: "\n".join(lines) + "\n" for path, lines in pages.items()}, places)


def group_folder(value: object) -> str:
    """The folder of a group."""
    return _NO_SLUG.sub("-", str(value)) if value else "all"


def _speaker(document: Mapping[str, Any]) -> str:
    return f"W @{_NO_SLUG.sub('-', str(document['speaker']))}: " if document.get("speaker") else ""


def _one_line(value: object) -> str:
    return " ".join(str(value or "").split())
