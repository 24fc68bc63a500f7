"""Secrets that a text names: a word such as `password` or `key`, and after it a value that can be one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from bankd.core.secrets.values import Joint, is_key, is_password, is_reference

_PASSWORD = re.compile(
    r"(?<![A-Za-z])(?:password|passwd|passphrase|passcode|pass|pwd?|psk)s?(?![A-Za-z])"
    r"(?!\s(?:managers?|polic|generators?|hash|length|strength))"
    r"|(?<![A-Za-z])pin(?:[ -]?(?:code|number))?(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:alarm|door|gate|safe|unlock|security|recovery|backup)[ -]codes?(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:wpa[23]?|wi-?fi)[ -]key(?![A-Za-z])"
    r"|(?<=[a-z])(?:Password|Passwd|Pwd)\b"
    r"|(?:비밀\s?번호|비번|패스\s?워드|패스\s?코드|암호(?!학|화|\s화폐)|핀\s?번호|(?:복구|백업|출입)\s?코드|(?:금고|현관|자물쇠|사물함)\s?번호)(?!\s?(?:관리자|정책|길이|강도|규칙))",
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
# `login kim / abc123!`, `id/pw: admin/admin123`, `계정 kim / qwer1234!`: a name, a stroke, a password.
_PAIR = re.compile(
    r"(?:log[ -]?in|sign[ -]?in|accounts?|credentials?|creds|id\s?/\s?pwd?|로그인|계정|아이디|접속\s?정보)[^\n:=/|]{0,16}?[:=\s]\s*[\"'`*]*"
    r"[\w.@+-]+\s?[/|:]\s?[\"'`*]*(?P<value>(?=[!-~]{0,64}?[\d!@#$%^&*])[!-~]{5,})",
    re.IGNORECASE,
)
# The options by which programs take a password on their command line.
_OPTION = re.compile(
    r"\b(?:curl|wget|http)\b.{0,200}?\s(?:-u|--user|-a)[ =]?[\"']?[^\s:\"']+:(?P<user>[^\s\"']+)"
    r"|\b(?:mysql\w*|mariadb\w*|mongo\w*|sshpass|docker\s+login|redis-cli|smbclient|sqlcmd)\b.{0,200}?\s-[pPaw] ?[\"']?(?P<option>[^\s\"'-][^\s\"']{3,})"
    r"|\b(?:7z\w?\b.{0,200}?\s-p|(?:un)?rar\b.{0,200}?\s-h?p|(?:un)?zip\b.{0,200}?\s(?-i:-P)|openssl\b.{0,200}?\s-[kK]|security\b.{0,200}?\s-[pw])"
    r" ?[\"']?(?P<packed>[^\s\"'-][^\s\"']{3,})",
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
_OF_PAIR = ("login", "log in", "log-in", "sign", "account", "cred", "id", "로그인", "계정", "아이디", "접속")
_OF_OPTION = (
    "curl",
    "wget",
    "http",
    "mysql",
    "mariadb",
    "mongo",
    "sshpass",
    "docker",
    "redis",
    "smbclient",
    "sqlcmd",
    "7z",
    "rar",
    "zip",
    "openssl",
    "security",
)
_OF_PHRASE = ("seed", "mnemonic", "recovery", "시드", "니모닉", "복구")


def find_named(text: str) -> Iterator[tuple[str, int, int]]:
    """Give kind, start and end of each value that a text calls a password, a key or a recovery phrase."""
    # Case is ignored as `re` does it, to which the dotted and the dotless i are one.
    has = text.replace("\u0130", "i").replace("\u0131", "i").lower().__contains__
    if any(map(has, _OF_PASSWORD)):
        yield from _named("password", _PASSWORD, is_password, text)
    if any(map(has, _OF_KEY)):
        yield from _named("key", _KEY, is_key, text)
    pairs = _PAIR.finditer(text) if any(map(has, _OF_PAIR)) else ()
    options = _OPTION.finditer(text) if any(map(has, _OF_OPTION)) else ()
    for found in (*pairs, *options):
        value, start = _trimmed(found)
        if not is_reference(value) and is_password(value, "", Joint.STATED):
            yield "password", start, start + len(value)
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
            value, start = _trimmed(found)
            if not is_reference(value) and can_be(value, text[start + len(value) :], joint):
                yield kind, start, start + len(value)


def _trimmed(found: re.Match[str]) -> tuple[str, int]:
    group = found.lastgroup or ""
    return found[group].rstrip("\"'`*_.,;)]}>"), found.start(group)
