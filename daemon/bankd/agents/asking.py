"""When an agent is asked for notes, and in which words.

A turn of the user counts when it tells something. The counts are kept with what a session was shown, so that they
outlive the process of a hook: a mark for each turn and each request. A note, however it was written, starts the
count again. The words of the requests stand in `asking.json`.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from bankd.briefing.shown import Shown, mark_of, read_mark_moment
from bankd.words.analysis import has_hangul

FIRST_LINE = 3
"""After this many telling turns without a note, the recall of a prompt asks for one, in one line."""
BLOCKS = (6, 12)
"""After this many, the Stop hook asks for notes before the agent may stop."""
MOST_BLOCKS = 3
"""The Stop hook does this at most this often in a session, however long it is."""
_LEAST_WORDS = 4
_ASKS = re.compile(r"[?？]\s*$")
_SENTENCE = re.compile(r"[^.!?？。\n]+[.!?？。]*")
_TURN, _LINE, _BLOCK = "turn", "line", "block"


class Asking(NamedTuple):
    """The words of a request, and the mark that records that it was made."""

    words: str
    mark: str


def reader_of(session: str) -> str:
    """The reader under which the turns of a session are kept."""
    return f"notes of {session}"


def tells_something(prompt: str) -> bool:
    """Whether a turn may tell something worth a note: a sentence of some words that does not ask."""
    return any(
        len(sentence.split()) >= _LEAST_WORDS and not _ASKS.search(sentence) for sentence in _SENTENCE.findall(prompt)
    )


def mark_of_turn(prompt: str) -> str:
    """The mark of a telling turn, with the language of its user."""
    return mark_of(f"{_TURN} {'ko' if has_hangul(prompt) else 'en'}", prompt)


def line_due(shown: Shown, session: str, noted: datetime | None) -> Asking | None:
    """The line that asks for notes, if it is due; else None. `noted` is when a note was last written."""
    turns, asked = _since(shown, session, noted)
    if len(turns) < FIRST_LINE or any(mark.startswith(_LINE) for mark in asked):
        return None
    return Asking(_words(_LINE, turns[-1]), f"{_LINE}:{len(turns)}")


def block_due(shown: Shown, session: str, noted: datetime | None) -> Asking | None:
    """What the agent is told instead of stopping; None if it may stop."""
    turns, asked = _since(shown, session, noted)
    made = [mark for mark in asked if mark.startswith(_BLOCK)]
    every = [mark for mark in shown.get(reader_of(session), {}) if mark.startswith(_BLOCK)]
    if len(every) >= MOST_BLOCKS or len(made) >= len(BLOCKS) or len(turns) < BLOCKS[len(made)]:
        return None
    return Asking(_words(_BLOCK, turns[-1]), f"{_BLOCK} {len(every)}:{len(turns)}")


def _words(kind: str, turn: str) -> str:
    """The words of a request, in the language of the last turn."""
    words = json.loads(Path(__file__).with_name("asking.json").read_text("utf-8"))
    return str(words["ko" if turn.startswith(f"{_TURN} ko") else "en"][kind])


def _since(shown: Shown, session: str, noted: datetime | None) -> tuple[list[str], list[str]]:
    """The marks of turns, oldest first, and of requests, since the last note."""
    rows = shown.get(reader_of(session), {})
    later = [mark for mark, at in rows.items() if noted is None or ((then := read_mark_moment(at)) and then > noted)]
    return [mark for mark in later if mark.startswith(_TURN)], [mark for mark in later if not mark.startswith(_TURN)]
