"""Plain Markdown, as OpenClaw's MEMORY.md: each block a turn of nobody, known again by its words and its heading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bankd.core.markdown.scanner import BlockKind, scan_text
from bankd.core.transcripts.turns import Dialogue, Turn, turn_key

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PASSED_OVER = {BlockKind.BLANK, BlockKind.FRONT_MATTER}


def read_notes(stem: str, text: str) -> Dialogue:
    """A Markdown file by its name without the ending; one whose name is a day is the log of that day."""
    day = _DAY.search(stem)
    name = _DAY.sub("", stem).strip("-_ ")
    return Dialogue(name, name or stem, tuple(_turns(text)), (), day[0] if day else "", is_quoted=False)


def _turns(text: str) -> Iterator[Turn]:
    document, heading, seen = scan_text(text.removeprefix("\ufeff")), "", Counter[str]()
    for block in document.blocks:
        if block.depth or block.kind in _PASSED_OVER:
            continue
        if block.kind is BlockKind.HEADING:
            heading = "".join(document.lines[block.start : block.end]).strip()
            continue
        said = "".join(document.lines[block.start : max(block.end, block.whole_end)]).rstrip()
        key = turn_key(heading, said)
        seen[key] += 1
        yield Turn(heading, None, said, turn_key(key, seen[key]))
