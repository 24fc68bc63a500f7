"""Find credentials, and numbers that identify or pay for a person; mask them wherever a text with one is shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bankd.core.secrets.names import find_named
from bankd.core.secrets.positions import find_placed
from bankd.core.secrets.shapes import ISSUED
from bankd.core.secrets.values import is_random, is_worded

# Two digits each of year, month and day, then sex and century, as the Korean resident registration act numbers people.
_RESIDENT = re.compile(r"(?<![\d-])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?P<gap>[ \-–]?)[1-8]\d{6}(?![\d-])")
_CARD = re.compile(r"(?<![\d.-])(?:[2-69]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5})(?![\d.-])")
_RESIDENT_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_RESIDENT_NAMES = re.compile(r"주민|등록번호|외국인|resident|rrn", re.IGNORECASE)
_CARD_PREFIXES = re.compile(r"4|5[1-5]|2[2-7]|3[457]|6[0245]|9")  # the networks' own ranges; 9 is Korea's own


def find_numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """Give kind, start and end of each resident number and card number in a text."""
    for found in _RESIDENT.finditer(text):
        if _is_resident(_digits(found[0])) or _RESIDENT_NAMES.search(text):
            yield "resident number", found.start(), found.end()
    for found in _CARD.finditer(text):
        if _CARD_PREFIXES.match(found[0]) and is_luhn(_digits(found[0])):
            yield "card number", found.start(), found.end()


def _digits(text: str) -> list[int]:
    return [int(c) for c in text if c.isdigit()]


def _is_resident(digits: list[int]) -> bool:
    """The check digit of residents, or of registered foreigners, whose own is two higher."""
    total = sum(weight * digit for weight, digit in zip(_RESIDENT_WEIGHTS, digits, strict=False))
    return digits[12] in {(11 - total % 11) % 10, (13 - total % 11) % 10}


def is_luhn(digits: list[int]) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1, annex B)."""
    doubled = [digit if i % 2 == 0 else sum(divmod(digit * 2, 10)) for i, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


Finder: TypeAlias = Callable[[str], Sequence[tuple[int, int]]]
"""A user's pattern, compiled elsewhere: gives the spans that it matches."""

_TOKEN = re.compile(r"(?<![\w/.:-])[A-Za-z0-9+/_=-]{24,}")
_PARAGRAPH = re.compile(r"(\n[ \t\r]*\n)")
# What names documents and builds by their random parts, or is random and public: the key that others know one by, a digest.
_LINK = re.compile(
    r"\b[a-z]{2,12}://\S+|(?<![\w/-])(?:[\w-]{1,80}/){1,20}[\w.-]{1,120}\.[a-z]{2,5}\b"
    r"|\b(?:ssh-[a-z\d]+|ecdsa-[a-z\d-]+) AAAA\S+|\bsha\d{1,3}[-:]\S+"
)


# A letter with what is composed with it: a syllable in conjoining jamo, or a letter and its combining marks.
_CLUSTER = re.compile(r"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\s\S][\u0300-\u036f]*")

# What stands for itself, which nearly all lines consist of: ASCII, composed syllables, quotation marks and dashes.
_PLAIN = re.compile(r"[\x00-\x7f가-힣‘’“”–—·→]*")


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a credential stands in a text, and what it looks like."""

    kind: str
    start: int
    end: int


def find_secrets(text: str, finders: Sequence[Finder] = ()) -> tuple[Secret, ...]:
    """Find what looks like a credential, in the order of the text."""
    plain, places = undisguise_text(text)
    spans = (*_find_issued(plain), *find_named(plain), *find_placed(plain), *find_numbers(plain), *_find_random(plain))
    found = [Secret(kind, places[start], places[end]) for kind, start, end in spans]
    found += [Secret("configured pattern", start, end) for finder in finders for start, end in finder(text)]
    return tuple(sorted(found, key=lambda secret: (secret.start, -secret.end)))


def mask_secrets(text: str, secrets: Sequence[Secret]) -> str:
    """Replace each secret by its kind, so that a report can show the line."""
    out, position = [], 0
    for secret in secrets:
        if secret.start >= position:
            out += [text[position : secret.start], f"[{secret.kind}]"]
        position = max(position, secret.end)
    return "".join([*out, text[position:]])


def screen_text(text: str, finders: Sequence[Finder] = ()) -> str:
    """A text of many lines without its credentials; every line stays where it was."""
    return "".join(_screen_paragraph(part, finders) for part in _PARAGRAPH.split(text))


def _screen_paragraph(text: str, finders: Sequence[Finder]) -> str:
    secrets = find_secrets(text, finders) if text.strip() else ()
    lined = [replace(secret, start=start, end=end) for secret in secrets for start, end in _lines_within(text, secret)]
    return mask_secrets(text, lined) if lined else text


def _lines_within(text: str, secret: Secret) -> Iterator[tuple[int, int]]:
    """The spans of a credential line by line: a key has several."""
    start = secret.start
    for line in text[secret.start : secret.end].split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _find_issued(text: str) -> Iterator[tuple[str, int, int]]:
    for kind, piece, shape in ISSUED:
        if piece in text:
            for found in shape.finditer(text):
                body = found.groupdict()
                if not ("random" in body and is_worded(body["random"])):
                    yield kind, *found.span("secret" if "secret" in body else 0)


def _find_random(text: str) -> Iterator[tuple[str, int, int]]:
    tokens = [token for token in _TOKEN.finditer(text) if is_random(token[0])]
    links = [link.span() for link in _LINK.finditer(text)] if tokens else ()
    for token in tokens:
        if not any(start <= token.start() < end for start, end in links):
            yield "random string", *token.span()


def undisguise_text(text: str) -> tuple[str, Sequence[int]]:
    """Give the plain form of a text, and for each of its characters, and its end, the place in the original."""
    if _PLAIN.fullmatch(text):
        return text, range(len(text) + 1)
    plain: list[str] = []
    places: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        if unicodedata.category(cluster[0][0]) == "Cf":  # zero-width spaces and joiners, marks of direction
            continue
        letters = unicodedata.normalize("NFKC", cluster[0])
        plain.append(letters)
        places += [cluster.start()] * len(letters)
    return "".join(plain), [*places, len(text)]
