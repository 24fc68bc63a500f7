"""Whether what follows a word such as `password` can be a secret: not a word, a reference or a placeholder."""

from __future__ import annotations

import math
import re
from collections import Counter
from enum import Enum
from itertools import pairwise

_SIGNS = frozenset("!@#$%^&*+=~?")
_WORD = re.compile(r"[A-Za-z]?[a-z]{3,}|[A-Z]{4,}")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_UNSPOKEN = re.compile(r"[^aeiouy]{4}", re.IGNORECASE)  # no English word of everyday use has four such letters in a row
_REFERENCE = re.compile(
    r"[/~$<{%\[]|\.{1,2}/|https?:|www\.|env\b|os\.|process\.|config\.|vault:|op:"  # where it is kept, not what it is
    r"|[^\s@]+@[^\s@]+\.[a-z]{2,}$"  # an address
    r"|\d{4}[-./]\d{1,2}(?:[-./]\d{1,2})?$|\d{1,2}:\d{2}(?::\d{2})?$|v?\d+(?:\.\d+)+$"  # a date, a time, a version
    r"|[\w./-]+\.(?:md|py|js|ts|ya?ml|json|toml|txt|sh|pem|env|com|org|net|io|kr)\b"  # a file or a host
    r"|(?:[\w.-]{1,80}/){1,20}[\w.-]{1,80}\.[a-z]\w{1,4}$"  # a path
    r"|0x[\da-f]{1,16}$"  # a number of a program, of at most 64 bits
    r"|(.)\1*$|[xX*•.…]{3,}",  # a mask
    re.IGNORECASE,
)
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

_MIN_ENTROPY = 4.0  # bits a character; words joined by hyphens and paths lie below it, random keys above


class Joint(Enum):
    """How a value is joined to the word before it."""

    STATED = "password: value, 비밀번호는 value"
    SAID = "the password is value, changed to value"
    BARE = "password value"


def is_reference(value: str) -> bool:
    """Whether a value says where a secret is kept, stands for one, or is a date, a version or an address."""
    return bool(_REFERENCE.match(value))


def is_password(value: str, rest: str, joint: Joint) -> bool:
    """Whether a value can be a password; `rest` is the text after it."""
    if value.isdigit():
        return len(value) >= 4 and not _COUNTED.match(rest)
    kinds, is_phrase = _kinds_of(value), value.count("-") >= 3  # correct-horse-battery-staple
    if len(value) < 5 or _is_place(value, rest) or not (is_phrase or (len(kinds) >= 2 and kinds & {"digit", "sign"})):
        return False
    if joint is Joint.SAID:
        return len(kinds) >= 3 or bool(_CLAUSE_END.match(rest))
    if joint is Joint.BARE:
        digits = sum(c.isdigit() for c in value)
        return len(kinds) >= 3 or (len(value) >= 8 and digits >= (2 if _CLAUSE_END.match(rest) else 3))
    return True


def is_telling(value: str) -> bool:
    """Whether a value can be nothing but a password, whatever stands before it: letters, digits and signs in one."""
    return bool(_TELLING.match(value))


def trimmed(found: re.Match[str]) -> tuple[str, int]:
    """What a pattern took for a value, and where it starts, without the signs of the sentence around it."""
    return found["value"].rstrip("\"'`*_.,;)]}>"), found.start("value")


def _is_place(value: str, rest: str) -> bool:
    """Whether a value says where the password is; one that can be spoken may be named farther from the words for it."""
    is_spoken = "sign" not in _kinds_of(value) and is_worded(value)
    return bool(_PLACE.match(rest) or (is_spoken and _KEPT.match(rest)))


def is_key(value: str, rest: str, joint: Joint) -> bool:
    """Whether a value can be a key or a token: letters and digits that make no words, longer where less is said."""
    if joint is Joint.SAID and not _CLAUSE_END.match(rest):
        return False
    kinds = _kinds_of(value)
    if len(value) < 16:
        is_mixed = joint is Joint.STATED and len(kinds) >= 3 and "digit" in kinds
        return len(value) >= 8 and (is_mixed or _is_shuffled(value))
    is_spoken = is_worded(value, share=0.6 if joint is Joint.STATED else 0.5)
    return bool(_BASE32.match(value)) or (len(kinds - {"sign"}) >= 2 and not is_spoken)


def _is_shuffled(value: str) -> bool:
    """Whether the kind of character changes at every other place or oftener, as in no name that people write."""
    changes = sum(_kind(one) != _kind(other) for one, other in pairwise(value))
    return 2 * changes >= len(value) and not is_worded(value)


def is_random(token: str) -> bool:
    """Whether a string is random by itself: no other text looks so, whatever stands before it."""
    return (
        token.count("/") < 4
        and {"digit", "upper", "lower"} <= _kinds_of(token)
        and _entropy(token) >= _MIN_ENTROPY
        and not is_worded(token)
    )


def is_worded(token: str, share: float = 0.5) -> bool:
    """Whether so much of a string is made of what can be spoken: `sk_buff_head_list_lock`, `iPhone15ProMax256GB`.

    Of random strings of 24 to 40 letters and digits at most 2 % are half spoken, of names in programs all.
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


def _entropy(token: str) -> float:
    """Bits a character."""
    counts = Counter(token).values()
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts)
