"""The shapes of keys that their issuers document: a prefix that nothing else has, and a body of a known alphabet.

Each shape comes with a piece of text that stands in every match, so that a line without it costs one look-up.
Bodies are taken a little shorter than documented, since issuers lengthen them from time to time.
"""

from __future__ import annotations

import re

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
