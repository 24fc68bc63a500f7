"""Taking a text out of everything that remembers it: which forms of it to look for, and what stays in its place.

What bankd itself goes by stays as it is, though the text is part of it: the day of a run, an id, the path of a page. None
of it is said by anybody, and a record without it is none.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from bankd.core.language.analysis import has_hangul
from bankd.core.language.word_lists import split_words

PURGED = "[purged]"
_SHORTEST, _SHORTEST_HANGUL = 4, 3  # characters: a shorter line would be found in half of all texts
_CONFIDENCE = r"\([ \t]*c[ \t]*=[ \t]*\d(?:\.\d+)?(?:@\d{4}-\d\d-\d\d)?[ \t]*\)"
_MARKS = re.compile(rf"(\^?\bm-[a-z2-7]{{12}}\b|{_CONFIDENCE}|\bsha:[0-9a-f]{{24}}\b)")
"""In a text: the id of a memory, how sure it is and since when, and the name of a block without an id. No other digits:
many credentials look like digests."""
_OWN_FIELDS = split_words(
    "at by call cycle day due elsewhere id job key kind log memory of op other outcome page path planned_at reply run slot",
    "to type undoes was",
)
_OWN_LISTS = split_words("digests needs")
"""The fields of events, journals, replies and the ledger of runs whose strings, or lists, bankd itself goes by."""


def text_forms(text: str) -> tuple[str, ...]:
    """The lines of a text in the forms in which a disk may hold them, the longest first."""
    lines = {unicodedata.normalize("NFC", line.strip()) for line in text.split("\n")}
    long = [line for line in lines if len(line) >= (_SHORTEST_HANGUL if has_hangul(line) else _SHORTEST)]
    forms = {unicodedata.normalize(form, line) for line in long for form in ("NFC", "NFD")}
    return tuple(sorted(forms, key=lambda line: (-len(line), line)))


def encoded_forms(words: Iterable[str]) -> tuple[bytes, ...]:
    """The same as bytes: in UTF-8, and as JSON escapes them."""
    found = {word.encode("utf-8", "surrogateescape") for word in words}
    found |= {json.dumps(word)[1:-1].encode() for word in words}
    return tuple(sorted(found, key=len, reverse=True))


def holds_form(data: bytes, wanted: Iterable[bytes]) -> bool:
    """Whether any form of the text is in these bytes."""
    return any(form in data for form in wanted)


def without_marks(text: str) -> str:
    """What somebody says in lines of a page."""
    return _MARKS.sub("", text)


def scrub_text(text: str, words: Iterable[str]) -> str:
    """The text with every occurrence replaced, but in marks of our own."""
    parts = _MARKS.split(text)  # every second is a mark
    for word in words:
        parts[::2] = [part.replace(word, PURGED) for part in parts[::2]]
    return "".join(parts)


def scrub_bytes(data: bytes, forms: Iterable[bytes]) -> bytes:
    """The same of bytes that are not read."""
    for form in forms:
        data = data.replace(form, PURGED.encode())
    return data


def scrub_record(value: Any, words: tuple[str, ...]) -> Any:
    """A record, or part of one, with the text taken out of every string that bankd does not go by."""
    match value:
        case str():
            return scrub_text(value, words)
        case dict():
            return {key: item if _is_own(key, item) else scrub_record(item, words) for key, item in value.items()}
        case list() | tuple():
            return [scrub_record(item, words) for item in value]
        case _:
            return value


def _is_own(field: str, value: object) -> bool:
    return field in (_OWN_FIELDS if isinstance(value, str) else _OWN_LISTS)
