"""Credentials are found before they reach the bank; ordinary sentences are not."""

from __future__ import annotations

import random
import re
import string
import unicodedata

import pytest

from bankd.secrets.screening import find_secrets, is_luhn, mask_secrets, undisguise_text
from tests.examples import texts

_seeded = random.Random(2026)
_LETTERS = {
    "hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "digits": string.digits, "mixed": string.ascii_letters + string.digits,
    "base64": string.ascii_letters + string.digits + "+/", "upper": string.ascii_uppercase + "234567",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}  # fmt: skip
_BEGUN = {"mixed": "aZ7", "base64": "b/Q4", "digits": "1"}
"""How such a text begins, so that it never looks like a word or a small number by chance."""


def filled(section: str) -> list[str]:
    """The examples of a section, `{hex 32}` in them replaced by so many letters of that sort."""

    def drawn(place: re.Match[str]) -> str:
        begun = _BEGUN.get(place[1], "")
        return begun + "".join(_seeded.choice(_LETTERS[place[1]]) for _ in range(int(place[2]) - len(begun)))

    return [re.sub(r"\{([a-zA-Z0-9]+) (\d+)\}", drawn, text) for text in texts("credentials", section)]


@pytest.mark.parametrize("text", [*filled("issued"), *filled("named"), *filled("spelt in other ways")])
def test_credentials_are_found_and_masked(text: str) -> None:
    secrets = find_secrets(text)

    assert secrets
    masked = mask_secrets(text, secrets)
    assert text[secrets[0].start : secrets[0].end] not in masked


@pytest.mark.parametrize("text", filled("harmless"))
def test_ordinary_sentences_are_not(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize("text", filled("missed"))
def test_what_nothing_tells_from_other_text_is_missed(text: str) -> None:
    assert find_secrets(text) == (), "a token whose second part is no JSON, a number without a checksum, a date"


def test_a_changed_password_is_masked_and_the_one_before_it_too() -> None:
    text = "changed the root password from Old!1111 to New!2222"

    assert mask_secrets(text, find_secrets(text)) == "changed the root password from [password] to [password]"


def test_a_configured_pattern_is_found() -> None:
    found = find_secrets("badge ACME-1234 lost", [lambda text: [(text.index("ACME"), text.index("ACME") + 9)]])

    assert mask_secrets("badge ACME-1234 lost", found) == "badge [configured pattern] lost"


def test_every_letter_is_read_as_its_plain_form() -> None:
    for code in [*range(0xD800), *range(0xE000, 0x10000)]:
        letter = chr(code)
        seen = "" if unicodedata.category(letter) == "Cf" else unicodedata.normalize("NFKC", letter)
        assert undisguise_text(letter)[0] == seen, hex(code)


def test_the_mask_covers_a_disguised_secret_where_it_stands() -> None:
    text = "ｐａｓｓｗｏｒｄ：ｈｕｎｔｅｒ２！ 였다"

    assert mask_secrets(text, find_secrets(text)) == "ｐａｓｓｗｏｒｄ：[password] 였다"


def test_a_card_number_is_known_by_its_check_digit() -> None:
    assert is_luhn([int(c) for c in "4111111111111111"])
    assert not is_luhn([int(c) for c in "4111111111111112"])
