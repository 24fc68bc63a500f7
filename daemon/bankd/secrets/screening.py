"""Finds credentials, resident numbers and card numbers in a text, and masks them where the text is shown.

What a text names as a secret, or where a password stands, is decided in `values`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bankd.secrets.values import IDENTIFIER, find_named, find_placed, is_random, is_worded, shape_rows

_ISSUED = tuple((kind, piece, re.compile(shape)) for kind, piece, shape in shape_rows("issued"))
"""The shapes of keys that their issuers document: a prefix that nothing else has, and a body of a known alphabet.

A row is the kind, a piece of text that each match has (so a line without it costs one look-up), and the shape. A group
`secret` is what is masked; a group `random` must not be words. Bodies are a little shorter than documented, because
issuers lengthen them from time to time.
"""

# Korean resident registration number: two digits each for year, month and day, then one for sex and century.
_RESIDENT = re.compile(r"(?<![\d-])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?P<gap>[ \-–]?)[1-8]\d{6}(?![\d-])")
_PARTED = re.compile(r"(?<!\d)\d{6}\D{1,16}[1-8]\d{6}(?!\d)")
"""A resident number whose two parts are named: its front and its rear."""
_CARD = re.compile(
    r"(?<![A-Za-z\d./_-])(?:[2-69]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5})(?![\d.-])"
)
_RESIDENT_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_RESIDENT_NAMES = re.compile(r"주민|등록번호|외국인|resident|rrn", re.IGNORECASE)
_CARD_NAMES = re.compile(r"card|visa|amex|credit|expir|cvc|cvv|카드|결제|유효", re.IGNORECASE)
_CARD_PREFIXES = re.compile(r"4|5[1-5]|2[2-7]|3[457]|6[0245]|9")  # the networks' own ranges; 9 is Korea's own


def find_numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each resident number and card number."""
    for found in _RESIDENT.finditer(text):
        if is_resident(_digits(found[0])) or _RESIDENT_NAMES.search(text):
            yield "resident number", found.start(), found.end()
    for found in _PARTED.finditer(text) if _RESIDENT_NAMES.search(text) else ():
        yield "resident number", found.start(), found.end()
    for found in _CARD.finditer(text):
        if not (found[1] or found[2] or _CARD_NAMES.search(text)):
            continue  # the number of an order, an invoice, an article
        if _CARD_PREFIXES.match(found[0]) and is_luhn(_digits(found[0])):
            yield "card number", found.start(), found.end()


def _digits(text: str) -> list[int]:
    return [int(c) for c in text if c.isdigit()]


def is_resident(digits: list[int]) -> bool:
    """Whether the check digit is that of a resident, or of a registered foreigner (two higher)."""
    total = sum(weight * digit for weight, digit in zip(_RESIDENT_WEIGHTS, digits, strict=False))
    return digits[12] in {(11 - total % 11) % 10, (13 - total % 11) % 10}


def is_luhn(digits: list[int]) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1, annex B)."""
    doubled = [digit if i % 2 == 0 else sum(divmod(digit * 2, 10)) for i, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


Finder: TypeAlias = Callable[[str], Sequence[tuple[int, int]]]
"""A pattern of the user, compiled: a function that gives the spans that it matches."""

_TOKEN = re.compile(r"(?<![\w/.:-])[A-Za-z0-9+/_-]{24,}={0,2}")
_PARAGRAPH = re.compile(r"(\n[ \t\r]*\n)")
# Random but public: addresses of documents and builds, public keys, digests.
_LINK = re.compile(
    r"\b[a-z]{2,12}://\S+|(?<![\w/-])(?:[\w-]{1,80}/){0,20}[\w-][\w.-]{0,120}\.[a-z][a-z\d]{1,4}\b"
    r"|\b(?:ssh-[a-z\d]+|ecdsa-[a-z\d-]+) AAAA\S+|\b(?i:sha)\d{1,3}[-:]\S+"
)


# A letter with what belongs to it: a syllable in conjoining jamo, or a letter with combining marks.
_CLUSTER = re.compile(r"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\s\S][\u0300-\u036f]*")

# Characters that need no normalising; nearly all lines have only these.
_PLAIN = re.compile(r"[\x00-\x7f가-힣‘’“”–—·→]*")


@dataclass(frozen=True, slots=True)
class Secret:
    """What a credential looks like, and its span in the text."""

    kind: str
    start: int
    end: int


def find_secrets(text: str, finders: Sequence[Finder] = ()) -> tuple[Secret, ...]:
    """All that looks like a credential, in the order of the text."""
    plain, places = undisguise_text(text)
    spans = (*_find_issued(plain), *find_named(plain), *find_placed(plain), *find_numbers(plain), *_find_random(plain))
    found = [Secret(kind, places[start], places[end]) for kind, start, end in spans]
    found += [Secret("configured pattern", start, end) for finder in finders for start, end in finder(text)]
    return tuple(sorted(found, key=lambda secret: (secret.start, -secret.end)))


def mask_secrets(text: str, secrets: Sequence[Secret]) -> str:
    """The text with each secret replaced by its kind in brackets."""
    out, position = [], 0
    for secret in secrets:
        if secret.start >= position:
            out += [text[position : secret.start], f"[{secret.kind}]"]
        position = max(position, secret.end)
    return "".join([*out, text[position:]])


def screen_text(text: str, finders: Sequence[Finder] = ()) -> str:
    """A text of many lines with its credentials masked. The number of lines stays the same."""

    def screened(paragraph: str) -> str:
        lined = []
        for secret in find_secrets(paragraph, finders) if paragraph.strip() else ():
            start = secret.start
            for line in paragraph[secret.start : secret.end].split("\n"):  # a key has several lines
                lined.append(Secret(secret.kind, start, start + len(line)))
                start += len(line) + 1
        return mask_secrets(paragraph, lined)

    return "".join(map(screened, _PARAGRAPH.split(text)))


def _find_issued(text: str) -> Iterator[tuple[str, int, int]]:
    for kind, piece, shape in _ISSUED:
        if piece in text:
            for found in shape.finditer(text):
                body = found.groupdict()
                if not ("random" in body and is_worded(body["random"])):
                    yield kind, *found.span("secret" if "secret" in body else 0)


def _find_random(text: str) -> Iterator[tuple[str, int, int]]:
    tokens = [token for token in _TOKEN.finditer(text) if is_random(token[0])]
    links = [link.span() for link in _LINK.finditer(text)] if tokens else ()
    for token in tokens:
        is_public = any(start <= token.start() < end for start, end in links)
        if not is_public and not IDENTIFIER.search(text, max(0, token.start() - 40), token.start()):
            yield "random string", *token.span()


def undisguise_text(text: str) -> tuple[str, Sequence[int]]:
    """The plain form of a text (NFKC, no invisible characters), and for each character and the end its place in the text."""
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
