"""What a model wrote for statements, in `events/enriched/`: it was paid for, so losing `.bankd/` does not lose it.

    {"key": "4f0c…", "at": "…", "text": "…", "questions": […], "other": […], "gist": "…", "entities": […]}

Append-only, in segments as the events; of a statement that was written about twice the later row counts. `text` is the statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property

from bankd.adapters.storage.events import append_lines, current_segment, parse_row
from bankd.adapters.storage.segments import log_paths, read_unpacked
from bankd.adapters.storage.tree import FileTree
from bankd.core.distil.enrichment import Enrichment, UnaskedStatement, read_enrichment

FOLDER = "events/enriched"


def enriched_rows(data: bytes) -> Iterator[tuple[str, str, Enrichment]]:
    """The key, the time and what was written, of each row that can be read; a torn last line is none."""
    for line in data.split(b"\n")[:-1]:
        row = parse_row(line)
        if row is not None and isinstance(row.get("key"), str):
            yield row["key"], str(row.get("at")), read_enrichment(row)


def fold_enriched(files: Mapping[str, bytes]) -> dict[str, Enrichment]:
    """By key what was written last, of these files by name."""
    rows = [(at, name, key, one) for name, data in sorted(files.items()) for key, at, one in enriched_rows(data)]
    return {key: one for _, _, key, one in sorted(rows, key=lambda row: row[:2])}


class EnrichedLog:
    """The enrichments of a workspace by all its machines; this one appends to its own file."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        """Take the workspace and the name of this machine; files are read when something is asked."""
        self._tree, self._writer = tree, writer

    @cached_property
    def _known(self) -> dict[str, Enrichment]:
        return fold_enriched({path: read_unpacked(self._tree, path) for path in log_paths(self._tree, FOLDER)})

    def of(self, key: str) -> Enrichment | None:
        """What was written for a statement; None when nothing was."""
        return self._known.get(key)

    def keep(self, statement: UnaskedStatement, enrichment: Enrichment, at: datetime) -> None:
        """Keep what was written for a statement; StorageError when the disk does not take that."""
        row = {"key": statement.key, "at": at.isoformat(timespec="seconds"), "text": statement.text}
        path = current_segment(self._tree, FOLDER, self._writer, row["at"])
        append_lines(self._tree, path, [row | enrichment._asdict()])
        self._known[statement.key] = enrichment
