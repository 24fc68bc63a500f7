"""Finds credentials, resident numbers and card numbers in a text, and masks them where the text is shown.

Values that a text names as secrets (`password: …`) or that stand where a password does (`curl -u kim:…`) count only if they
can be secrets: not a word, not the place where a secret is kept, not a placeholder. Then come keys with the shape that their
issuer documents, numbers with a check digit, and random strings.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from bankd.words.tables import table_rows


def _told(kind: str) -> re.Pattern[str]:
    """The pattern of all rows of a kind in `words.tsv`, whose second column says what a row is for."""
    return re.compile("|".join(shape for of, _, shape in table_rows("words", "secrets") if of == kind), re.IGNORECASE)


_REFERENCE, _PASSWORD, _KEY = map(_told, ("reference", "password", "key"))
"""A value that is no secret, such as the place where one is kept; the words for a password; the words for a key."""
_SIGNS = frozenset("!@#$%^&*+=~?")
_WORD = re.compile(r"[A-Za-z]?[a-z]{3,}|[A-Z]{4,}")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_UNSPOKEN = re.compile(r"[^aeiouy]{4}", re.IGNORECASE)  # no English word of everyday use has four such letters in a row
_COUNTED = re.compile(
    r"\s?(?:%|[년월일시분초개자번회차명원주달글]|days?|weeks?|months?|years?|hours?|min|char|char|times|bits?|bytes?)"
)
_PLACE = re.compile(r"\s?에(?:서|게)?(?![가-힣])")  # what stands before it is where, not what
_KEPT = re.compile(r"[^.,;!?\n]{0,24}?에\s?(?:있|보관|저장|적|둔|뒀|두|넣)")  # `1Password 금고 '서버'에 있다`
_CLAUSE_END = re.compile(
    r"[\"'`*)\]]*\s*(?:$|[.,;!?)\]—–]|(?:and|for|on|in|now|until|since|from|so|but|입|이|임|으|로|야|예|다|라))"
)
# Capitals that digits cut in several places, which no name in a program is (RFC 4648): the seeds of one-time passwords.
_BASE32 = re.compile(r"(?=(?:[A-Z]+[2-7]+){2}[A-Z])[A-Z2-7]{16,}=*$")
# No address, package with its version, or number of an issue: `kim@host2`, `react@18.2`, `PR#1234`.
_TELLING = re.compile(
    r"(?=.*[A-Za-z])(?=.*\d)(?=.*[!@#$%^&])(?![\w.-]*@[\w.-]*$)(?!(?:[A-Z]\w*)?#\d+$)[\w!@#$%^&*.+~?-]{7,}$"
)


class Joint(Enum):
    """What stands between a value and the word that names it: a colon, a verb and so on."""

    STATED = "password: value, 비밀번호는 value"
    SAID = "the password is value, changed to value"
    BARE = "password value"


_JOINED = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CUT = re.compile(r"(?<=[A-Za-z])\d+(?=[A-Za-z])")
_HYPHENED = re.compile(r"[a-z]{3,}(?:-[a-z]{3,})+$")


def is_reference(value: str) -> bool:
    """Whether a value says where a secret is kept, is a placeholder, or is a date, a version or an address."""
    return bool(_REFERENCE.match(value))


def is_password(value: str, rest: str, joint: Joint) -> bool:
    """Whether a value can be a password; `rest` is the text after it."""
    if value.isdigit():
        return len(value) >= 4 and not _COUNTED.match(rest)
    is_phrase = value.count("-") >= 3 or (joint is Joint.STATED and bool(_HYPHENED.match(value)))  # correct-horse
    kinds = _kinds_of(value)
    if len(value) < 5 or _is_place(value, rest):
        return False
    if not (is_phrase or (len(kinds) >= 2 and kinds & {"digit", "sign"})):
        return False
    if joint is Joint.SAID:
        return len(kinds) >= 3 or bool(_CLAUSE_END.match(rest))
    if joint is Joint.BARE:
        digits = sum(c.isdigit() for c in value)
        return len(kinds) >= 3 or (len(value) >= 8 and digits >= (2 if _CLAUSE_END.match(rest) else 3))
    return True


def _is_place(value: str, rest: str) -> bool:
    """Whether a value is where a secret is kept, or a name with the place a little later: `1Password의 금고에 있다`."""
    is_spoken = "sign" not in _kinds_of(value) and is_worded(value)
    return bool(_PLACE.match(rest) or (is_spoken and _KEPT.match(rest)))


def is_telling(value: str) -> bool:
    """Whether a value must be a password, whatever is before it: letters, digits and signs mixed."""
    return bool(_TELLING.match(value))


def trimmed(found: re.Match[str]) -> tuple[str, int]:
    """The value that a pattern matched, without the punctuation after it, and where it starts."""
    return found["value"].rstrip("\"'`*_.,;)]}>"), found.start("value")


def is_key(value: str, rest: str, joint: Joint) -> bool:
    """Whether a value can be a key or a token: letters and digits that make no words; longer after `is`."""
    if joint is Joint.SAID and not _CLAUSE_END.match(rest):
        return False
    kinds = _kinds_of(value)
    if len(value) < 16:
        is_mixed = joint is Joint.STATED and len(kinds) >= 3 and "digit" in kinds
        changes = sum(_kind(one) != _kind(other) for one, other in pairwise(value))
        is_shuffled = 2 * changes >= len(value) and not is_worded(value)  # unlike any name that people write
        return len(value) >= 8 and (is_mixed or is_shuffled) and not _is_place(value, rest)
    is_spoken = is_worded(value, 0.6) and not _CUT.search(value) if joint is Joint.STATED else is_worded(value)
    return bool(_BASE32.match(value)) or (len(kinds - {"sign"}) >= 2 and not is_spoken)


def is_random(token: str) -> bool:
    """Whether a string is random by itself, whatever stands before it: at least 4 bits a character, and no words.

    Words joined by hyphens and paths have less than 4 bits, random keys more.
    """
    if token.count("/") >= 4 or not {"digit", "upper", "lower"} <= _kinds_of(token):
        return False
    bits = -sum(n / len(token) * math.log2(n / len(token)) for n in Counter(token).values())
    is_parted = sum(map(token.count, "-_/")) >= 3
    return bits >= 4.0 and not (is_worded(token, 0.5 if is_parted else 0.6) or is_joined(token))


def is_joined(token: str) -> bool:
    """Whether a string is a name of words without spaces between them: `KimLee2014Makingthegrade`, `EDU_DTG2031_camera`.

    Its runs of letters are longer than those of random strings, of which at most 1 % pass, and digits cut them twice at most.
    """
    runs = [len(run) for run in _JOINED.findall(token)]
    return bool(runs) and sum(runs) >= 3.3 * len(runs) and len(_CUT.findall(token)) <= 2


def is_worded(token: str, share: float = 0.5) -> bool:
    """Whether this share of a string can be spoken: `sk_buff_head_list_lock`, `iPhone15ProMax256GB`.

    At most 2 % of random strings of 24 to 40 letters and digits can be spoken by half; all names in programs can.
    """
    spoken = sum(len(part) for part in _WORD.findall(token) if _VOWEL.search(part) and not _UNSPOKEN.search(part))
    return spoken >= share * sum(c.isalnum() for c in token)


def _kinds_of(value: str) -> set[str]:
    return {_kind(c) for c in value} - {""}


def _kind(c: str) -> str:
    if c.isdigit():
        return "digit"
    if c.isalpha():
        return "upper" if c.isupper() else "lower"
    return "sign" if c in _SIGNS else ""


# A seed phrase has 12 to 24 words of three to eight letters (BIP 39).
_PHRASE = re.compile(
    r"(?i:seed|mnemonic|recovery|시드|니모닉|복구)[^\n]{0,32}?[:=은는\s]\s*[\"'`]?"
    r"(?P<value>(?:(?:\d{1,2}[.)] ?)?\b[a-z]{3,8}[ ,]+){11,23}(?:\d{1,2}[.)] ?)?[a-z]{3,8}\b)"
)
_OPEN = r"[\"'`*_)\]]*\s*"
_LENGTH = r"(?:\s?(?:\d{1,2}|[가-힣]{1,2})\s?자리(?:\s?숫자)?)?"
_START = r"[ \t\"'`*(\[]*(?:(?:Bearer|Basic|Token)\s+|[\w-]{1,40}=(?=[!-~]{16}))?(?P<value>[!-~]+)"
_CHANGED = r"(?:changed|reset|set|updated|rotated|switched)"
_JOINTS: tuple[tuple[Joint, re.Pattern[str]], ...] = (
    (Joint.STATED, re.compile(rf"[^\n.;:=!?]{{0,32}}?{_OPEN}(?:[:=]+>?|->|→|⇒){_START}", re.IGNORECASE)),
    (Joint.STATED, re.compile(rf"{_OPEN}{_LENGTH}(?:은|는|이|가|을|를|\s값[은이]?)\s?(?:이제\s|지금\s)?{_START}")),
    (
        Joint.SAID,
        re.compile(
            rf"[^\n.;:=!?]{{0,40}}?\b(?:(?:is|was|are)(?!\s+{_CHANGED})|now|from|{_CHANGED}\s+(?:it\s+)?to){_START}",
            re.IGNORECASE,
        ),
    ),
    (Joint.SAID, re.compile(rf"[^\n.;:=!?]{{0,40}}?\bto{_START}", re.IGNORECASE)),
    (Joint.BARE, re.compile(rf"{_OPEN}{_LENGTH}(?:(?:은|는|이|가|을|를)\s[가-힣]{{1,6}})?\s(?:to\s)?{_START}")),
)
# Hangul with two digits or a sign after it is a password; with one digit or a word it counts or names something.
_HANGUL = re.compile(
    r"(?:[:=]|[은는이가을를]\s)[^\n.;:=!?]{0,24}?[\s\"'`*]*(?P<value>[A-Za-z]*[가-힣]{2,}[A-Za-z]*(?:\d{2,8}[!-/:-@]{0,3}|[!@#$%^&*]+\d*))"
    r"(?=[\"'`*]*(?:$|[\s.,]|이다|이야|입니다|예요|이에요|으로|로\s))"
)
_TOKEN = re.compile(r"(?<=\s)(?P<value>[!-~]{7,64})(?=[\s가-힣]|$)")
_FAR = 120
"""For this many characters after the word for a password, only a value that must be one counts."""
# Before the value of a public number, such as a commit.
IDENTIFIER = re.compile(
    r"(?:commit|sha\d*|hash|digest|checksum|fingerprint|revision|rev|u?uid|(?<!session)id|해시|커밋)(?:\s+is)?\W*$",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    r"(?:cache|primary|foreign|sort|partition|idempotency|public|hot|short|mon|tur)[ _-]?$", re.IGNORECASE
)
"""Words before `key` that make it no secret: `cache key`, `hotkey`."""
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_CELL = re.compile(r"[^|\n]+")
# Pieces of which each match has one, in lower case: a line without them costs only look-ups.
_OF_PASSWORD = (
    *("pass", "pw", "psk", "pin", "puk", " code", "-code", "wpa", "wifi", "wi-fi"),
    *("비밀", "비번", "패스", "암호", "핀", "코드", "번호"),
)
_OF_KEY = ("key", "token", "secret", "credential", "cookie", "bearer", "basic", "auth", "seed", "키", "토큰", "시크릿")
_OF_PHRASE = ("seed", "mnemonic", "recovery", "시드", "니모닉", "복구")
_NAMED: tuple[tuple[str, re.Pattern[str], Callable[[str, str, Joint], bool], tuple[str, ...]], ...] = (
    ("password", _PASSWORD, is_password, _OF_PASSWORD),
    ("key", _KEY, is_key, _OF_KEY),
)


def find_named(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each value that a text calls a password, a key or a recovery phrase."""
    # Ignore case as `re` does: there the dotted and the dotless i are one letter.
    has = text.replace("\u0130", "i").replace("\u0131", "i").lower().__contains__
    for kind, word, can_be, pieces in _NAMED:
        if any(map(has, pieces)):
            yield from _named(kind, word, can_be, text)
            yield from _in_columns(kind, word, can_be, text) if "|" in text else ()
    for found in _PHRASE.finditer(text) if any(map(has, _OF_PHRASE)) else ():
        yield "recovery phrase", found.start("value"), found.end("value")


def _named(
    kind: str, word: re.Pattern[str], can_be: Callable[[str, str, Joint], bool], text: str
) -> Iterator[tuple[str, int, int]]:
    for named in word.finditer(text):
        if _PUBLIC.search(text, max(0, named.start() - 12), named.start()):
            continue
        for joint, pattern in _JOINTS:
            found = pattern.match(text, named.end())
            if found is None or IDENTIFIER.search(text, named.start(), found.start("value")):
                continue
            value, start = trimmed(found)
            if not is_reference(value) and can_be(value, text[start + len(value) :], joint):
                yield kind, start, start + len(value)
        if kind == "password":
            yield from _further_on(text, named.end())


def _further_on(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Passwords later in a line that has the word for one."""
    if found := _HANGUL.match(text, start):
        yield "password", *found.span("value")
    for found in _TOKEN.finditer(text, start, min(text.find("\n", start) % (len(text) + 1), start + _FAR)):
        value, at = trimmed(found)
        if not is_reference(value) and (len(_kinds_of(value)) == 4 or is_telling(value)):
            yield "password", at, at + len(value)


def _in_columns(
    kind: str, word: re.Pattern[str], can_be: Callable[[str, str, Joint], bool], text: str
) -> Iterator[tuple[str, int, int]]:
    """Values in the columns of a table whose first row has a word for a secret."""
    named: set[int] = set()
    end = -2
    for row in _ROW.finditer(text):
        cells = list(_CELL.finditer(row[0]))
        if row.start() != end + 1:
            named = {n for n, cell in enumerate(cells) if word.search(cell[0])}
        for n, cell in enumerate(cells):
            value = cell[0].strip(" \t\r`*\"'")
            start = row.start() + cell.start() + cell[0].find(value)
            if row.start() == end + 1 and n in named and not is_reference(value) and can_be(value, "", Joint.STATED):
                yield kind, start, start + len(value)
        end = row.end()


_VALUE = r"[\"']?(?P<value>[^\s\"'-][^\s\"']*)"
_WHO = r"(?:-[uD]|--user(?:name)?)[ =]?[\"']?(?=[^\s:]*[a-z])[^\s\"':]+[\"']?"
# A name, a slash or a colon, a password: `login kim / abc123!`, `id/pw: admin/admin123`, `계정 kim / qwer1234!`.
_PAIR = re.compile(
    r"(?:log[ -]?in|sign[ -]?in|accounts?|credentials?|creds|id\s?/\s?pwd?|로그인|계정|아이디|접속\s?정보)[^\n:=/|]{0,16}?[:=\s]\s*[\"'`*]*"
    r"[\w.@+-]+\s?[/|:]\s?[\"'`*]*(?P<value>(?=[!-~]{0,64}?[\d!@#$%^&*])[!-~]{5,})",
    re.IGNORECASE,
)
_OF_PAIR = ("login", "log in", "log-in", "sign", "account", "cred", "id", "로그인", "계정", "아이디", "접속")
# Pieces of which each line with a command line password has one, in lower case.
_OF_GIVEN = (" -", "%", "/u:", "/user:", "net use", "identified", "chpasswd")
# Where programs take a password, and pieces of which each match has one (`given.tsv`). After -p of mysql a space starts
# the name of a database, after -p of redis-cli a port. The last rows: any program with an option for the user and one for
# the password (no port, no path); a line of ~/.pgpass (host, port, database, user, password).
_GIVEN: tuple[tuple[list[str], re.Pattern[str]], ...] = tuple(
    (pieces.split("|"), re.compile(place.replace("VALUE", _VALUE).replace("WHO", _WHO), re.IGNORECASE | re.MULTILINE))
    for pieces, place in table_rows("given", "secrets")
)
# `root / hunter2!`, `-p Wint3r!`: no word says that it is a password, so only a value that can be nothing else counts.
_BARE = re.compile(rf"(?:(?<![\w/.~-])[A-Za-z][\w.@+-]{{1,31}}\s/\s|\s-[pPwa]\s?){_VALUE}")


def find_placed(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each value that stands where a password does."""
    has = text.lower().__contains__
    is_given = any(map(has, _OF_GIVEN)) or text.count(":") > 3
    places = [place for pieces, place in _GIVEN if any(map(has, pieces))] if is_given else []
    if any(map(has, _OF_PAIR)):
        places.append(_PAIR)
    for place in places:
        for found in place.finditer(text):
            value, start = trimmed(found)
            if not is_reference(value) and is_password(value, "", Joint.STATED):
                yield "password", start, start + len(value)
    for found in _BARE.finditer(text) if has(" / ") or has(" -") else ():
        value, start = trimmed(found)
        if not is_reference(value) and is_telling(value):
            yield "password", start, start + len(value)


_ISSUED = tuple((kind, piece, re.compile(shape)) for kind, piece, shape in table_rows("issued", "secrets"))
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

_LONG_TOKEN = re.compile(r"(?<![\w/.:-])[A-Za-z0-9+/_-]{24,}={0,2}")
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
    """All that looks like a credential, in the order of the text.

    Each line is also read by itself: the lines around it never hide what it says.
    """
    found, start = _secrets_in(text, finders), 0
    for line in text.split("\n") if "\n" in text else ():
        found += [Secret(one.kind, start + one.start, start + one.end) for one in _secrets_in(line, finders)]
        start += len(line) + 1
    return tuple(sorted(dict.fromkeys(found), key=lambda secret: (secret.start, -secret.end)))


def _secrets_in(text: str, finders: Sequence[Finder]) -> list[Secret]:
    plain, places = undisguise_text(text)
    spans = (*_find_issued(plain), *find_named(plain), *find_placed(plain), *find_numbers(plain), *_find_random(plain))
    found = [Secret(kind, places[start], places[end]) for kind, start, end in spans]
    found += [Secret("configured pattern", start, end) for finder in finders for start, end in finder(text)]
    return found


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
    return "".join(_screen_paragraph(paragraph, tuple(finders)) for paragraph in _PARAGRAPH.split(text))


@lru_cache(maxsize=1 << 13)
def _screen_paragraph(paragraph: str, finders: Sequence[Finder]) -> str:
    """A paragraph with its credentials masked; kept, because a run and the index read the same logs."""
    lined = []
    for secret in find_secrets(paragraph, finders) if paragraph.strip() else ():
        start = secret.start
        for line in paragraph[secret.start : secret.end].split("\n"):  # a key has several lines
            lined.append(Secret(secret.kind, start, start + len(line)))
            start += len(line) + 1
    return mask_secrets(paragraph, lined)


def _find_issued(text: str) -> Iterator[tuple[str, int, int]]:
    for kind, piece, shape in _ISSUED:
        if piece in text:
            for found in shape.finditer(text):
                body = found.groupdict()
                if not ("random" in body and is_worded(body["random"])):
                    yield kind, *found.span("secret" if "secret" in body else 0)


def _find_random(text: str) -> Iterator[tuple[str, int, int]]:
    tokens = [token for token in _LONG_TOKEN.finditer(text) if is_random(token[0])]
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
