"""Credentials in a text: found before it reaches the bank, and masked wherever it is shown.

It cannot know every secret; it knows the shapes of keys that are pasted into logs most often, and the words before them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Finder: TypeAlias = Callable[[str], Sequence[tuple[int, int]]]
"""A user's pattern, compiled elsewhere: gives the spans that it matches."""

# The shapes are those that the issuers document for their own keys.
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END[A-Z ]*-----|\Z)")),
    ("AWS key", re.compile(r"(?<![A-Z0-9])(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Z0-9])")),
    ("GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})")),
    ("GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}")),
    ("Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}")),
    ("Slack webhook", re.compile(r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}")),
    ("API key", re.compile(r"\b(?:sk|rk|pk)[-_](?:ant|live|test|proj|or)?[-_]?[A-Za-z0-9_-]{16,}")),
    ("Google key", re.compile(r"\bAIza[A-Za-z0-9_-]{35}")),
    ("npm token", re.compile(r"\bnpm_[A-Za-z0-9]{36}")),
    ("PyPI token", re.compile(r"\bpypi-[A-Za-z0-9_-]{16,}")),
    ("Hugging Face token", re.compile(r"\bhf_[A-Za-z0-9]{30,}")),
    ("JSON web token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*")),
    ("password in a URL", re.compile(r"(?<=://)[^\s/:@]*:(?P<secret>[^\s/@]{3,})(?=@)")),
    (
        "password",
        re.compile(
            r"(?:password|passwd|pwd|passphrase|secret|token|api[_ -]?key|access[_ -]?key|bearer|비밀번호|비번|암호|토큰|인증키)"
            r"[\"'`]?\s*(?:[:=]|은|는|이|is)\s*[\"'`]?(?P<secret>[^\s\"'`,;]{6,})",
            re.IGNORECASE,
        ),
    ),
)
_TOKEN = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
_MIN_ENTROPY = 4.0  # bits a character; below it lie words joined by hyphens and paths, above it random keys


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a credential stands in a text, and what it looks like."""

    kind: str
    start: int
    end: int


def find_secrets(text: str, finders: Sequence[Finder] = ()) -> tuple[Secret, ...]:
    """Find what looks like a credential, in the order of the text."""
    found = [secret for kind, shape in _SHAPES for secret in _matches(kind, shape, text)]
    found += [Secret("configured pattern", start, end) for finder in finders for start, end in finder(text)]
    found += [Secret("random string", m.start(), m.end()) for m in _TOKEN.finditer(text) if _is_random(m[0])]
    return tuple(sorted(found, key=lambda secret: (secret.start, -secret.end)))


def mask(text: str, secrets: Sequence[Secret]) -> str:
    """Replace each secret by its kind, so that a report can show the line."""
    out, position = [], 0
    for secret in secrets:
        if secret.start >= position:
            out += [text[position : secret.start], f"[{secret.kind}]"]
        position = max(position, secret.end)
    return "".join([*out, text[position:]])


def _matches(kind: str, shape: re.Pattern[str], text: str) -> list[Secret]:
    group = "secret" if "secret" in shape.groupindex else 0
    found = [(m[group], Secret(kind, m.start(group), m.end(group))) for m in shape.finditer(text)]
    return [secret for value, secret in found if kind != "password" or _is_password(value)]


def _is_password(value: str) -> bool:
    """`token: rotated weekly` names no secret; a secret mixes letters with digits or signs."""
    has_letter = any(c.isascii() and c.isalpha() for c in value)
    has_other = any(c.isdigit() or c in "!@#$%^&*+=_~?" for c in value)
    return value.isascii() and has_letter and has_other


def _is_random(token: str) -> bool:
    if not (any(c.isdigit() for c in token) and any(c.isupper() for c in token) and any(c.islower() for c in token)):
        return False
    counts = Counter(token)
    entropy = -sum(n / len(token) * math.log2(n / len(token)) for n in counts.values())
    return entropy >= _MIN_ENTROPY and "/" not in token.strip("/")
