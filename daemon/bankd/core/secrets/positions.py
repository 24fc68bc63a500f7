"""Passwords that no word names: their place tells, beside a name or among what a program is given on its command line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankd.core.secrets.values import Joint, is_password, is_reference, is_telling, trimmed

_VALUE = r"[\"']?(?P<value>[^\s\"'-][^\s\"']*)"
_WHO = r"(?:-[uD]|--user(?:name)?)[ =]?[\"']?(?=[^\s:]*[a-z])[^\s\"':]+[\"']?"

# `login kim / abc123!`, `id/pw: admin/admin123`, `계정 kim / qwer1234!`: a name, a stroke, a password.
_PAIR = re.compile(
    r"(?:log[ -]?in|sign[ -]?in|accounts?|credentials?|creds|id\s?/\s?pwd?|로그인|계정|아이디|접속\s?정보)[^\n:=/|]{0,16}?[:=\s]\s*[\"'`*]*"
    r"[\w.@+-]+\s?[/|:]\s?[\"'`*]*(?P<value>(?=[!-~]{0,64}?[\d!@#$%^&*])[!-~]{5,})",
    re.IGNORECASE,
)
_OF_PAIR = ("login", "log in", "log-in", "sign", "account", "cred", "id", "로그인", "계정", "아이디", "접속")

# What stands in each line in which a program is given something, in lower case: a line without it costs some look-ups.
_OF_GIVEN = (" -", "%", "/u:", "/user:", "net use", "identified", "chpasswd")

# Where programs take a password, and pieces of which one stands in every match.
_GIVEN: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (pieces, re.compile(place, re.IGNORECASE | re.MULTILINE))
    for pieces, place in (
        (
            ("curl", "wget", "http"),
            rf"\b(?:curl|wget|http)\b.{{0,200}}?\s(?:-u|--user|-a)[ =]?[\"']?[^\s:\"']+:{_VALUE}",
        ),
        (("%",), rf"\s(?:-U|--user)[ =]?[\"']?(?=[^\s%]{{0,64}}[a-z])[^\s\"'%]{{1,64}}%{_VALUE}"),
        (("lftp",), rf"\blftp\b.{{0,200}}?\s-u ?[\"']?[\w.-]+,{_VALUE}"),
        # A space after -p of mysql starts the name of a database, one after -p of redis-cli a port.
        (("mysql", "mariadb"), rf"\b(?:mysql|mariadb)\w*\b.{{0,200}}?\s(?-i:-p){_VALUE}"),
        (("sshpass", "mongo", "docker"), rf"\b(?:mongo\w*|sshpass|docker\s+login)\b.{{0,200}}?\s(?-i:-p) ?{_VALUE}"),
        (("redis-cli",), rf"\bredis-cli\b.{{0,200}}?\s(?:-a|--pass) ?{_VALUE}"),
        (("sqlcmd",), rf"\bsqlcmd\b.{{0,200}}?\s(?-i:-P) ?{_VALUE}"),
        (
            ("7z", "rar", "zip"),
            rf"\b(?:7z\w?\b.{{0,200}}?\s-p|(?:un)?rar\b.{{0,200}}?\s-h?p|(?:un)?zip\b.{{0,200}}?\s(?-i:-P)) ?{_VALUE}",
        ),
        (("openssl", "security"), rf"\b(?:openssl\b.{{0,200}}?\s-k|security\b.{{0,200}}?\s-[pw]) ?{_VALUE}"),
        (("htpasswd",), rf"\bhtpasswd\s+(?:-\w+\s+)*?-(?=\w{{0,8}}n)(?=\w{{0,8}}b)\w+\s+\S+\s+{_VALUE}"),
        (("htpasswd",), rf"\bhtpasswd\s+(?:-\w+\s+)*?-(?=\w{{0,8}}b)[^\sn]+\s+\S+\s+\S+\s+{_VALUE}"),
        (("chpasswd",), r"(?<![\w.-])[\w.-]{1,64}:(?P<value>[^\s\"':]+)[\"']?\s*\|\s*(?:sudo\s+)?chpasswd"),
        (("net use",), rf"\bnet\s+use\b.{{0,200}}?\s/u(?:ser)?:\S+\s+{_VALUE}"),
        (("net use",), rf"\bnet\s+use\s+(?:\w:\s+)?\\\\\S+\s+{_VALUE}"),
        (("net user",), rf"\bnet\s+user\s+\S+\s+{_VALUE}"),
        (("identified",), rf"\bidentified\s+by\s+{_VALUE}"),
        # An option for who, and beside it one for the password, whatever the program: no port, no path.
        (
            (" -u", " -d", " --user"),
            rf"^(?!.*\b(?:mysql|mariadb)).*?\s{_WHO}\s(?:\S+\s){{0,4}}?-[pwa] (?!\d{{1,5}}\b|\S*/){_VALUE}",
        ),
        (("/u:",), rf"\s/u(?:ser)?:\S+\s(?:\S+\s){{0,4}}?/p:{_VALUE}"),
        # ~/.pgpass: host, port, database, user.
        ((":",), rf"(?<![\w:./*-])[\w.*-]+:(?:\d{{2,5}}|\*):[\w*-]+:[\w*-]+:{_VALUE}"),
    )
)
# `root / hunter2!`, `-p Wint3r!`: nothing says what it is, so only what can be nothing else is one.
_BARE = re.compile(rf"(?:(?<![\w/.~-])[A-Za-z][\w.@+-]{{1,31}}\s/\s|\s-[pPwa]\s?){_VALUE}")


def find_placed(text: str) -> Iterator[tuple[str, int, int]]:
    """Give kind, start and end of each value that stands where a password does."""
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
