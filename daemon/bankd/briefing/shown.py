"""A record of what each reader was shown: nobody sees a thing twice within a day, unless it changed.

Also how many tokens a text has at most, without a tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from math import ceil
from zlib import crc32

_ASCII_TOKENS, _OTHER_TOKENS = 0.34, 1.0
"""Tokens per character. English has about four characters a token, ids and paths three; Hangul at most a token a syllable."""


def count_tokens(text: str) -> int:
    """An upper bound of the tokens of a text, in the tokenizers in use."""
    ascii_ = sum(character.isascii() for character in text)
    return ceil(ascii_ * _ASCII_TOKENS + (len(text) - ascii_) * _OTHER_TOKENS)


def cut_to_tokens(text: str, most: int) -> str:
    """As much of a text as fits, with an ellipsis if it was cut."""
    if count_tokens(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle] + "…") <= most else (low, middle - 1)
    return text[:low].rstrip() + "…"


def lines_within(lines: list[str], most: int) -> list[str]:
    """The first lines that fit together."""
    kept: list[str] = []
    for line in lines:
        most -= count_tokens(line + "\n")
        if most < 0:
            break
        kept.append(line)
    return kept


REMEMBERED = timedelta(hours=24)
LAST_SEEN = "last seen"
"""Not a reader: this row has the time at which each reader was last seen, which is remembered longer."""
_READERS = 1_000

Shown = Mapping[str, Mapping[str, str]]
"""For each reader the marks of what it was shown, each with the moment in ISO form."""


def mark_of(key: str, text: str) -> str:
    """A mark for a thing as it is now: its id or place, and a checksum of its words."""
    return f"{key}:{crc32(' '.join(text.split()).encode('utf-8', 'surrogatepass')):08x}"


def is_shown(shown: Shown, reader: str, mark: str, now: datetime) -> bool:
    """Whether a reader saw this within a day. A moment in the future does not count."""
    at = read_mark_moment(shown.get(reader, {}).get(mark, ""))
    return at is not None and timedelta(0) <= now - at < REMEMBERED


def add_shown(shown: Shown, reader: str, marks: Iterable[str], now: datetime) -> Shown:
    """A copy in which these marks are shown now, without marks older than a day."""
    kept = {
        who: {mark: at for mark, at in seen.items() if (then := read_mark_moment(at)) and abs(now - then) < REMEMBERED}
        for who, seen in shown.items()
    }
    kept[reader] = {**kept.get(reader, {}), **dict.fromkeys(marks, now.isoformat(timespec="seconds"))}
    kept[LAST_SEEN] = dict(shown.get(LAST_SEEN, {}))
    return {who: seen for who, seen in kept.items() if seen}


def last_seen(shown: Shown, reader: str) -> datetime | None:
    """When a reader was last seen."""
    return read_mark_moment(shown.get(LAST_SEEN, {}).get(reader, ""))


def note_seen(shown: Shown, reader: str, now: datetime) -> Shown:
    """A copy in which a reader was seen now. The last thousand readers are remembered."""
    rows = {**shown.get(LAST_SEEN, {}), reader: now.isoformat(timespec="seconds")}
    return {**shown, LAST_SEEN: dict(sorted(rows.items(), key=lambda row: row[1])[-_READERS:])}


def read_mark_moment(text: str) -> datetime | None:
    """The moment of a mark; None if it cannot be read."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
