"""Credentials are found before they reach the bank; ordinary sentences are not."""

from __future__ import annotations

import pytest

from bankd.core.secrets import find_secrets, mask


@pytest.mark.parametrize(
    "text",
    [
        "key is AKIAIOSFODNN7EXAMPLE",
        "token ghp_" + "aB3" * 12,
        "use sk-ant-" + "a1B2c3D4" * 4,
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        "postgres://bank:hunter2secret@db/prod",
        "비밀번호는 hunter2!pass 이다",
        "password: Tr0ub4dor&3",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "xoxb-123456789012-abcdefGHIJKL",
        "secret value wJalrXUtnFEMI7K7MDENGbPxRfiCYEXAMPLEKEY",
    ],
)
def test_credentials_are_found_and_masked(text: str) -> None:
    secrets = find_secrets(text)

    assert secrets
    masked = mask(text, secrets)
    assert text[secrets[0].start : secrets[0].end] not in masked


@pytest.mark.parametrize(
    "text",
    [
        "가치관: 정직을 최우선으로 한다.",
        "password rotation: every 90 days",
        "토큰은 매주 바꾼다",
        "the secret is patience",
        "see https://example.com/docs/getting-started/installation-guide",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it",
        "Prefers tokio::sync::Mutex over std::sync::Mutex in async code",
        "bank/knowledge/tools/kubernetes-cluster-autoscaler.md",
    ],
)
def test_ordinary_sentences_are_not(text: str) -> None:
    assert find_secrets(text) == ()


def test_a_configured_pattern_is_found() -> None:
    found = find_secrets("badge ACME-1234 lost", [lambda text: [(text.index("ACME"), text.index("ACME") + 9)]])

    assert mask("badge ACME-1234 lost", found) == "badge [configured pattern] lost"
