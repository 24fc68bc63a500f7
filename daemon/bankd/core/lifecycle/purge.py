"""Taking a text out of everything that remembers it: which forms of it to look for, and what stays in its place."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from typing import Any

from bankd.core.language.analysis import has_hangul

PURGED = "[purged]"
_SHORTEST, _SHORTEST_HANGUL = 4, 3  # characters: a shorter line would be found in half of all texts


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


def scrub_text(text: str, words: Iterable[str]) -> str:
    """The text with every occurrence replaced."""
    for word in words:
        text = text.replace(word, PURGED)
    return text


def scrub_bytes(data: bytes, forms: Iterable[bytes]) -> bytes:
    """The same of bytes that are not read."""
    for form in forms:
        data = data.replace(form, PURGED.encode())
    return data


def scrub_json(value: Any, words: tuple[str, ...]) -> Any:
    """A JSON value with the text taken out of every string in it."""
    match value:
        case str():
            return scrub_text(value, words)
        case dict():
            return {key: scrub_json(item, words) for key, item in value.items()}
        case list() | tuple():
            return [scrub_json(item, words) for item in value]
        case _:
            return value
