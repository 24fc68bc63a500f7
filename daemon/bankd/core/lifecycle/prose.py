"""What a line of a log is that no Retain line begins on, and what could be done with it."""

from __future__ import annotations

from collections.abc import Sequence

from bankd.core.lifecycle.provenance import Trace
from bankd.core.lifecycle.retain import LogReading
from bankd.core.markdown.scanner import BlockKind, scan_text
from bankd.core.secrets.screening import Finder, find_secrets, mask_secrets

_PROSE = (
    "not taken in, found by search; to have it remembered: bankctl add 'W: …', or tag it `- W: …` below `## Retain`"
)
_SENTENCES = {
    BlockKind.BLANK: ("empty", "nothing stands there"),
    BlockKind.HEADING: (
        "heading",
        "search reads it along with what is below; below `## Retain` stand lines to remember",
    ),
    BlockKind.COMMENT: ("comment", "neither taken in nor searched"),
    BlockKind.FRONT_MATTER: ("front matter", "neither taken in nor searched"),
    BlockKind.RULE: ("rule", "neither taken in nor searched"),
    BlockKind.REFERENCE: ("link", "neither taken in nor searched"),
    BlockKind.FENCE: ("code", "not taken in, found by search"),
    BlockKind.CODE: ("code", "not taken in, found by search"),
}


def describe_line(trace: Trace, text: str, reading: LogReading, finders: Sequence[Finder] = ()) -> Trace:
    """The trace of a line that is no Retain line, with what it is in the text of its log."""
    document, number, place = scan_text(text), trace.place.line, trace.place
    if not 0 < number <= len(document.lines):
        return Trace(place, "nothing", None, "", f"the log has {len(document.lines)} lines")
    block = next((one for one in reversed(document.blocks) if one.start < number <= one.end), None)
    first = block.start + 1 if block else number
    if any(line.place.line == first for line in reading.lines):
        return Trace(place, "part", None, "", f"belongs to the line above: bankctl show memory/{reading.log}:{first}")
    outcome, sentence = _SENTENCES.get(block.kind, ("prose", _PROSE)) if block else _SENTENCES[BlockKind.BLANK]
    own = document.lines[number - 1].strip()
    return Trace(place, outcome, None, mask_secrets(own, find_secrets(own, finders)), sentence)
