"""Secrets that a text names: a word such as `password` or `key`, and after it a value that can be one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from bankd.core.secrets.values import Joint, is_key, is_password, is_reference, trimmed

_PASSWORD = re.compile(
    r"(?<![A-Za-z])(?:password|passwd|passphrase|passcode|(?:store|key|bind|root|user|smtp|db)?pass|pwd?|psk)s?(?![A-Za-z])"
    r"(?!\s(?:managers?|polic|generators?|hash|length|strength))"
    r"|(?<![A-Za-z])pin(?:[ -]?(?:code|number))?(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:alarm|door|gate|safe|unlock|security|recovery|backup)[ -]codes?(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:wpa[23]?|wi-?fi)[ -]key(?![A-Za-z])"
    r"|(?<=[a-z])(?:Password|Passwd|Pwd)\b"
    r"|(?:비밀\s?번호|비번|패스\s?워드|패스\s?코드|암호(?!학|화|\s화폐)|핀\s?번호|(?:복구|백업|출입)\s?코드|(?:금고|현관|자물쇠|사물함|도어락)\s?번호)(?!\s?(?:관리자|정책|길이|강도|규칙))",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"(?<![A-Za-z])(?:api|access|auth|secret|client|service|private|app|rest|refresh)?"
    r"(?:key|token|secret|credential|cookie|auth|seed)s?(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:bearer|basic)(?=[\s:=]+[!-~]{16})"
    r"|(?<=[a-z])(?:Key|Token|Secret)\b"
    r"|(?:인증|서비스|비밀|개인|보안|접근|액세스|시크릿|앱|API|REST)\s?(?:API\s?)?키|키(?=\s*[:=는]|\s[!-~]{16})|토큰|시크릿",
    re.IGNORECASE,
)
# A seed phrase has 12 to 24 words of three to eight letters (BIP 39).
_PHRASE = re.compile(
    r"(?i:seed|mnemonic|recovery|시드|니모닉|복구)[^\n]{0,32}?[:=은는\s]\s*[\"'`]?"
    r"(?P<value>(?:(?:\d{1,2}[.)] ?)?\b[a-z]{3,8}[ ,]+){11,23}(?:\d{1,2}[.)] ?)?[a-z]{3,8}\b)"
)

_OPEN = r"[\"'`*_)\]]*\s*"
_LENGTH = r"(?:\s?(?:\d{1,2}|[가-힣]{1,2})\s?자리(?:\s?숫자)?)?"
_START = r"[ \t\"'`*(\[]*(?:(?:Bearer|Basic|Token)\s+|[\w-]{1,40}=(?=[!-~]{16}))?(?P<value>[!-~]+)"
_JOINTS: tuple[tuple[Joint, re.Pattern[str]], ...] = (
    (Joint.STATED, re.compile(rf"[^\n.;:=!?]{{0,32}}?{_OPEN}(?:[:=]+>?|->|→|⇒){_START}", re.IGNORECASE)),
    (
        Joint.STATED,
        re.compile(rf"{_OPEN}{_LENGTH}(?:은|는|이|가|을|를|\s값[은이]?)\s?(?:이제\s|지금\s)?{_START}"),
    ),
    (
        Joint.SAID,
        re.compile(
            rf"[^\n.;:=!?]{{0,40}}?\b(?:is|was|are|now|from|(?:changed|reset|set|updated|rotated|switched)\s+(?:it\s+)?to){_START}",
            re.IGNORECASE,
        ),
    ),
    (Joint.SAID, re.compile(rf"[^\n.;:=!?]{{0,40}}?\bfrom\s+\S{{1,64}}\s+to{_START}", re.IGNORECASE)),
    (Joint.BARE, re.compile(rf"{_OPEN}{_LENGTH}(?:(?:은|는|이|가|을|를)\s[가-힣]{{1,6}})?\s(?:to\s)?{_START}")),
)
# A number that names a thing, and is no secret: the word just before the value says so.
_IDENTIFIER = re.compile(
    r"(?:commit|sha\d*|hash|digest|checksum|fingerprint|revision|rev|u?uid|(?<!session)id|해시|커밋)(?:\s+is)?\W*$",
    re.IGNORECASE,
)

_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_CELL = re.compile(r"[^|\n]+")

# What stands in every match of each, in lower case: a line without it costs some look-ups.
_OF_PASSWORD = (
    "pass",
    "pw",
    "psk",
    "pin",
    " code",
    "-code",
    "wpa",
    "wifi",
    "wi-fi",
    "비밀",
    "비번",
    "패스",
    "암호",
    "핀",
    "코드",
    "번호",
)
_OF_KEY = ("key", "token", "secret", "credential", "cookie", "bearer", "basic", "auth", "seed", "키", "토큰", "시크릿")
_OF_PHRASE = ("seed", "mnemonic", "recovery", "시드", "니모닉", "복구")
_NAMED: tuple[tuple[str, re.Pattern[str], Callable[[str, str, Joint], bool], tuple[str, ...]], ...] = (
    ("password", _PASSWORD, is_password, _OF_PASSWORD),
    ("key", _KEY, is_key, _OF_KEY),
)


def find_named(text: str) -> Iterator[tuple[str, int, int]]:
    """Give kind, start and end of each value that a text calls a password, a key or a recovery phrase."""
    # Case is ignored as `re` does it, to which the dotted and the dotless i are one.
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
        for joint, pattern in _JOINTS:
            found = pattern.match(text, named.end())
            if found is None or _IDENTIFIER.search(text, named.start(), found.start("value")):
                continue
            value, start = trimmed(found)
            if not is_reference(value) and can_be(value, text[start + len(value) :], joint):
                yield kind, start, start + len(value)


def _in_columns(
    kind: str, word: re.Pattern[str], can_be: Callable[[str, str, Joint], bool], text: str
) -> Iterator[tuple[str, int, int]]:
    """The cells of tables whose column is named by a word for a secret in its first row."""
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
