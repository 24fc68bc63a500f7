"""Writes turns as text of logs, one log per conversation and day, with keys that tell which turns a log already has.

Conversations are quoted: they can be found, and a line that looks like a Retain line is not taken as one. Notes are copied
as they are: their Retain lines are meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from bankd.briefing.recalled import strip_memories
from bankd.edits.inserting import is_item
from bankd.memory.retain import project_mark
from bankd.pages.scanner import BlockKind, scan_text
from bankd.pages.text import make_visible, show_line
from bankd.transcripts.formats import Dialogue, Turn

_KEYS = re.compile(r"^<!-- imported((?: [0-9a-f]{12})+) -->$", re.MULTILINE)
_WIDTH = 4000
"""Characters of a line in a log. Longer lines are cut, because the reader of logs skips lines that no person writes."""
_KEYS_A_LINE = 50
_CHILD = re.compile(r"\n(?=[ \t]+(?:[-*+]|\d+[.)])[ \t])")
"""Before a list item within another."""
_SENTENCE = re.compile(r"[.!?…。](?=\s)")
_CHUNK = 200
"""The number of turns that are written at once, followed by their keys. After a crash at most these are written twice."""

Mask = Callable[[str], str]


def log_name(conversation: Dialogue, day: str) -> str:
    """The name of the log of a conversation on a day. Of a session's long name only the end is used."""
    name = re.sub(r"[^\w]+", "-", conversation.name).strip("-")
    short = name if not conversation.is_quoted else re.sub(r"\W|_", "", name)[-8:]
    return f"{day}-{short[:60]}.md" if short else f"{day}.md"


def is_log_of(conversation: Dialogue, log: str) -> bool:
    """Whether a log may have turns of a conversation, by its name."""
    if conversation.day:
        return log == log_name(conversation, conversation.day)
    return log[10:] == log_name(conversation, "")


def keys_in_log(text: str) -> set[str]:
    """The keys of the turns that were written to a log."""
    return {key for found in _KEYS.finditer(text) for key in found[1].split()}


def new_turns(
    conversation: Dialogue, known: Set[str], moment: Callable[[datetime | None], datetime]
) -> Mapping[str, Sequence[tuple[datetime, Turn]]]:
    """By day, the turns that no log has yet, each with its local time. `moment` gives that time, also for None."""
    days: dict[str, list[tuple[datetime, Turn]]] = {}
    seen = set(known)  # a branched session has a row twice
    for turn in conversation.turns:
        if turn.key in seen or not _clean(turn.text):
            continue
        seen.add(turn.key)
        at = moment(turn.at)
        days.setdefault(conversation.day or f"{at:%Y-%m-%d}", []).append((at, turn))
    return days


def without_held(
    turns: Sequence[tuple[datetime, Turn]], others: Iterable[Turn], log: str, mask: Mask
) -> Sequence[tuple[datetime, Turn]]:
    """New turns of notes, without what `log` has of them from before the notes grew; turns of which nothing is left go.

    `others` are turns of the same notes that the log has: their lines are not taken for older forms of the new turns.
    """
    held = Counter(log.split("\n")) - Counter(line for one in others for line in _lines(mask(_clean(one.text))))
    cut = ((at, replace(turn, text=_without_held(mask(_clean(turn.text)), held))) for at, turn in turns)
    return [(at, turn) for at, turn in cut if turn.text]


def _without_held(text: str, held: Counter[str]) -> str:
    """What is not held of a paragraph or quote, or of an item or table below its first lines; any other block whole."""
    kind = scan_text(text).blocks[0].kind if text else BlockKind.BLANK
    lines = text.split("\n")
    if kind in {BlockKind.PARAGRAPH, BlockKind.QUOTE}:
        head, pieces = "", lines
    elif kind is BlockKind.TABLE:
        head, pieces = "\n".join(lines[:2]), lines[2:]
    elif kind is BlockKind.ITEM:
        head, *pieces = _CHILD.split(text)
    else:
        return text
    new = list(filter(None, (_beyond(one, held, kind) for one in pieces)))
    held_head = Counter(head.split("\n")) <= held
    return "\n".join(([head] if head and (new or not held_head) else []) + new)


def _beyond(piece: str, held: Counter[str], kind: BlockKind) -> str:
    """What a piece says beyond an equal one that is held, which it uses up; prose also beyond the sentences before it."""
    ends = reversed([found.end() for found in _SENTENCE.finditer(piece)]) if kind is BlockKind.PARAGRAPH else ()
    for end in [len(piece), *ends]:
        lines = Counter(_lines(piece[:end]))
        if lines <= held:
            held.subtract(lines)
            return piece[end:].strip()
    return piece


def _clean(text: str) -> str:
    """The text of a turn, without memories that bankd added and without control characters."""
    return make_visible(strip_memories(text.replace("\r\n", "\n"))).strip()


def chunks(turns: Sequence[tuple[datetime, Turn]], is_quoted: bool, mask: Mask) -> Iterator[str]:
    """The text to append to a log, piece by piece."""
    for start in range(0, len(turns), _CHUNK):
        some = turns[start : start + _CHUNK]
        said = "".join(_quoted(some, mask) if is_quoted else _copied(some, mask))
        keys = [turn.key for _, turn in some]
        rows = [keys[at : at + _KEYS_A_LINE] for at in range(0, len(keys), _KEYS_A_LINE)]
        yield said + "".join(f"<!-- imported {' '.join(row)} -->\n" for row in rows)


def opening(agent: str, conversation: Dialogue, day: str, project: str) -> str:
    """The first lines of a new log; `project` is the folder of the project of a session."""
    title = conversation.title or conversation.name
    mark = f"{project_mark(project)}\n\n" if project_mark(project) else ""
    return f"# {day} {agent}: {make_visible(' '.join(title.split()))[:120]}\n\n{mark}{origin_line(conversation)}"


def origin_line(conversation: Dialogue) -> str:
    """The line of a log that names its file of notes; empty for a session."""
    path = show_line(conversation.origin).replace("-->", "-- >")
    return f"<!-- from {path} -->\n\n" if path else ""


def _quoted(turns: Sequence[tuple[datetime, Turn]], mask: Mask) -> Iterator[str]:
    for (clock, speaker), run in groupby(turns, lambda item: (f"{item[0]:%H:%M}", item[1].speaker)):
        said = "\n".join(mask(_clean(turn.text)) for _, turn in run)
        yield f"## {clock} {speaker}\n\n" + "".join(f"> {line}".rstrip() + "\n" for line in _lines(said)) + "\n"


def _copied(turns: Sequence[tuple[datetime, Turn]], mask: Mask) -> Iterator[str]:
    for heading, run in groupby(turns, lambda item: item[1].speaker):
        yield f"{heading}\n\n" if heading else ""
        previous = ""
        for _, turn in run:
            yield "\n" if previous and not (is_item(previous) and is_item(turn.text)) else ""
            yield "\n".join(_lines(mask(_clean(turn.text)))) + "\n"
            previous = turn.text
        yield "\n"


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield from (line[at : at + _WIDTH] for at in range(0, max(len(line), 1), _WIDTH))
