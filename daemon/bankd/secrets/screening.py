"""The shapes of keys that their issuers document: a prefix that nothing else has, and a body of a known alphabet.

Each shape comes with a piece of text that stands in every match, so that a line without it costs one look-up.
Bodies are taken a little shorter than documented, since issuers lengthen them from time to time.

Find credentials, and numbers that identify or pay for a person; mask them wherever a text with one is shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bankd.secrets.values import find_named, find_placed, is_random, is_worded

_BODY = r"[A-Za-z0-9_-]"

ISSUED: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (kind, piece, re.compile(shape))
    for kind, piece, shape in (
        (
            "private key",
            "PRIVATE KEY",
            r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END[A-Z ]*-----|\Z)",
        ),
        ("private key", "PuTTY-User-Key", r"PuTTY-User-Key-File-\d[\s\S]*"),
        ("age key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
        ("AWS key", "A", r"(?<![A-Z0-9])(?:AKIA|ASIA|AGPA|AIDA|AROA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
        ("Alibaba key", "LTAI", r"\bLTAI[A-Za-z0-9]{12,}"),
        ("Azure key", "AccountKey=", r"AccountKey=(?P<secret>[A-Za-z0-9+/=]{40,})"),
        ("Azure secret", "8Q~", r"\b[A-Za-z0-9_.~-]{3}8Q~[A-Za-z0-9_.~-]{30,}"),
        ("signed URL", "sig=", r"[?&]sig=(?P<secret>[A-Za-z0-9%+/=_-]{30,})"),
        ("signed URL", "X-Amz-Signature=", r"X-Amz-Signature=(?P<secret>[0-9a-f]{40,})"),
        ("Google key", "AIza", r"\bAIza[A-Za-z0-9_-]{30,}"),
        ("Google client secret", "GOCSPX-", rf"\bGOCSPX-{_BODY}{{20,}}"),
        ("Google token", "ya29.", r"\bya29\.[A-Za-z0-9._-]{20,}"),
        ("Google refresh token", "1//", rf"\b1//0{_BODY}{{20,}}"),
        ("GitHub token", "gh", r"\bgh[pousr]_[A-Za-z0-9]{30,}"),
        ("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
        ("GitLab token", "gl", rf"\bgl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|soat|oas)-{_BODY}{{20,}}"),
        ("Bitbucket or Jira token", "AT", rf"\bAT(?:ATT3x|BB|CTT3x){_BODY}{{20,}}"),
        ("Slack token", "xox", r"\bxox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
        ("Slack token", "xapp-", r"\bxapp-\d-[A-Za-z0-9-]{10,}"),
        ("webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/]{20,}"),
        ("webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
        ("webhook", "webhook.office.com", r"webhook\.office\.com/webhookb2/\S{20,}"),
        ("Discord token", ".", r"\b[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}"),
        ("Telegram token", ":AA", r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,}"),
        (
            "API key",
            "sk",
            rf"\b(?:sk|rk|pk)[-_](?:ant|live|test|proj|or|svcacct|admin|lf)[-_](?P<random>{_BODY}{{12,}})",
        ),
        ("API key", "sk-", r"\bsk-(?P<random>[A-Za-z0-9]{20,})"),
        ("Mapbox token", "sk.eyJ", rf"\bsk\.eyJ{_BODY}{{10,}}\.{_BODY}{{16,}}"),
        ("Firebase key", ":APA91b", rf"\b{_BODY}{{8,}}:APA91b{_BODY}{{30,}}"),
        ("signing secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{20,}"),
        ("API key", "_", rf"\b(?:gsk|r8|xai|pplx|fw|nvapi|jina|csk|tgp|co)[-_](?P<random>{_BODY}{{20,}})"),
        ("API key", "xai-", r"\bxai-[A-Za-z0-9]{20,}"),
        ("API key", "pplx-", r"\bpplx-[A-Za-z0-9]{20,}"),
        ("API key", "nvapi-", rf"\bnvapi-{_BODY}{{20,}}"),
        ("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,}"),
        ("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{30,}"),
        ("PyPI token", "pypi-", r"\bpypi-(?P<random>[A-Za-z0-9_-]{16,})"),
        ("registry token", "_", r"\b(?:rubygems_[0-9a-f]{30,}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,})"),
        ("Databricks token", "dapi", r"\bdapi[0-9a-f]{30,}"),
        ("DigitalOcean token", "_v1_", r"\bdo[opr]_v1_[0-9a-f]{40,}"),
        ("Supabase key", "sb", r"\b(?:sbp_[0-9a-f]{32,}|sb_secret_[A-Za-z0-9_-]{16,})"),
        ("Shopify token", "shp", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{24,}"),
        ("Mailgun key", "key-", r"\bkey-[0-9a-f]{24,}"),
        ("Mailgun key", "-", r"\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b"),
        ("Mailchimp key", "-us", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
        ("SendGrid key", "SG.", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}"),
        ("Twilio key", "SK", r"\bSK[0-9a-f]{32}\b"),
        ("Airtable token", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{32,}"),
        ("Airtable key", "key", r"\bkey(?P<random>[A-Za-z0-9]{14})\b"),
        ("Notion token", "_", r"\b(?:ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,})"),
        ("Linear key", "lin_", r"\blin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
        ("Figma token", "fig", rf"\bfig[dor]_{_BODY}{{30,}}"),
        ("Postman key", "PMAK-", r"\bPMAK-[0-9a-f]{20,}-[0-9a-f]{30,}"),
        ("Grafana token", "gl", r"\bgl(?:sa|c)_[A-Za-z0-9+/=_]{30,}"),
        ("Sentry token", "sntry", r"\bsntry[su]_[A-Za-z0-9+/=_-]{30,}"),
        ("New Relic key", "NRAK-", r"\bNRAK-[A-Z0-9]{20,}"),
        ("Doppler token", "dp.", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}"),
        ("Vault token", "hv", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
        ("Terraform token", ".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}"),
        ("PlanetScale token", "pscale_", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{20,}"),
        ("Netlify token", "nfp_", r"\bnfp_[A-Za-z0-9]{30,}"),
        ("Heroku key", "HRKU-", rf"\bHRKU-{_BODY}{{30,}}"),
        ("Fly token", "fm2_", r"\bfm2_[A-Za-z0-9+/=]{30,}"),
        ("Tailscale key", "tskey-", rf"\btskey-[a-z]+-{_BODY}{{16,}}"),
        ("Square token", "sq0", rf"\bsq0[a-z]{{3}}-{_BODY}{{20,}}"),
        ("Meta token", "EAA", r"\bEAA[A-Za-z0-9]{30,}"),
        ("Dropbox token", "sl.", rf"\bsl\.{_BODY}{{60,}}"),
        ("1Password token", "ops_eyJ", r"\bops_eyJ[A-Za-z0-9+/=_-]{30,}"),
        ("1Password key", "A3-", r"\bA3-[A-Z0-9]{6}-[A-Z0-9]{5,}(?:-[A-Z0-9]{5,}){3,}"),
        ("Toss key", "_sk_", r"\b(?:test|live)_g?sk_[A-Za-z0-9]{16,}"),
        ("JSON web token", "eyJ", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
        ("password in a URL", "://", r"(?<=://)[^\s/:@]*:(?P<secret>[^\s/@$<{*][^\s/@]{2,})(?=@)"),
        ("token in a URL", "://", r"(?<=://)(?P<random>[A-Za-z0-9_-]{20,})(?=@)"),
        ("password", "sudo", r"\becho\s+[\"']?(?P<secret>[^\s\"'|$]{4,})[\"']?\s*\|\s*sudo\s+-S"),
    )
)
"""Kind, a piece of every match, and the shape; a group `secret` is what is masked, a group `random` must not be words."""


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
