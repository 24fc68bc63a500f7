"""Credentials are found before they reach the bank; and in which forms a text that is purged is looked for."""

from __future__ import annotations

import json
import random
import re
import string
import unicodedata
import uuid

import pytest

from bankd.memory.undo import (
    PURGED,
    encoded_forms,
    holds_form,
    scrub_bytes,
    scrub_record,
    scrub_text,
    text_forms,
)
from bankd.secrets.screening import find_secrets, is_luhn, is_resident, mask_secrets, undisguise_text
from tests.examples import texts

_seeded = random.Random(2026)
_LETTERS = {
    "hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "digits": string.digits, "mixed": string.ascii_letters + string.digits,
    "base64": string.ascii_letters + string.digits + "+/", "upper": string.ascii_uppercase + "234567",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}  # fmt: skip
_BEGUN = {"mixed": "aZ7", "base64": "b/Q4", "digits": "1"}
"""How such a text begins, so that it never looks like a word or a small number by chance."""


_OTHER_LETTERS = {
    "alnum": string.ascii_lowercase + string.digits, "ALNUM": string.ascii_uppercase + string.digits, "lower": string.ascii_lowercase,
    "UPPER": string.ascii_uppercase, "letters": string.ascii_letters,
}  # fmt: skip


def drawn(place: re.Match[str], chance: random.Random) -> str:
    """So many letters of a sort; a password, a number with its check digit, a UUID."""
    kind, count = place[1], int(place[2])
    if letters := {**_LETTERS, **_OTHER_LETTERS}.get(kind):
        return "".join(chance.choice(letters) for _ in range(count))
    if kind == "password":
        more = [chance.choice(string.ascii_uppercase), *chance.choices(string.digits, k=2), chance.choice("!@#$%&*+=?")]
        rest = chance.sample([*more, *chance.choices(string.ascii_lowercase, k=count - 5)], count - 1)
        return chance.choice(string.ascii_lowercase) + "".join(rest)
    if kind == "uuid":
        return str(uuid.UUID(int=chance.getrandbits(128), version=4))
    begun = "870623" if kind == "resident" else "4"
    body = (
        begun + "1" * (kind == "resident") + "".join(chance.choices(string.digits, k=5 if kind == "resident" else 14))
    )
    check = is_resident if kind == "resident" else is_luhn
    whole = next(body + digit for digit in string.digits if check([int(c) for c in body + digit]))
    if kind == "resident":
        return {6: whole[:6], 7: whole[6:], 14: f"{whole[:6]}-{whole[6:]}"}[count]
    return {16: "", 19: " ", 20: "-"}[count].join(whole[at : at + 4] for at in range(0, 16, 4))


def ours(section: str) -> list[str]:
    """The examples of a section with what is drawn for them; all draws of a line differ from those of every other."""
    lines = enumerate(texts("credentials", section))
    fill = re.compile(r"\{([a-zA-Z0-9]+) (\d+)\}")
    return [
        fill.sub(lambda place, n=n: drawn(place, random.Random(f"1:{n}:{place.start()}")), line) for n, line in lines
    ]


def test_of_two_hundred_credentials_at_most_two_are_missed() -> None:
    given = ours("given")
    missed = []
    for line in given:
        plain = line.replace("«", "").replace("»", "")
        masked = mask_secrets(plain, find_secrets(plain))
        missed += [line] if any(part in masked for part in re.findall("«(.*?)»", line)) else []

    assert len(given) == 200
    assert len(missed) <= 2, missed


def test_of_two_hundred_other_lines_at_most_two_are_masked() -> None:
    lines = ours("beside them")
    masked = [line for line in lines if find_secrets(line)]

    assert len(lines) >= 200
    assert len(masked) <= 2, masked


def test_a_resident_number_is_known_by_its_check_digit() -> None:
    number = ours("resident")[0]
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)

    assert [secret.kind for secret in find_secrets(f"{number} lives here")] == ["resident number"]
    assert find_secrets(f"{wrong} lives here") == ()
    assert find_secrets(f"주민번호 {wrong}")


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
    assert text[secrets[0].start : secrets[0].end] not in mask_secrets(text, secrets)


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


TEXT = "보라색 우산"
PLAIN = TEXT.encode()
DECOMPOSED = unicodedata.normalize("NFD", TEXT).encode()
ESCAPED = json.dumps(TEXT).encode()


@pytest.mark.parametrize("data", [PLAIN, DECOMPOSED, ESCAPED])
def test_a_text_is_found_and_taken_out_composed_decomposed_and_escaped(data: bytes) -> None:
    forms = encoded_forms(text_forms(TEXT))

    assert holds_form(data, forms)
    assert not holds_form(scrub_bytes(data, forms), forms)


def test_a_text_is_looked_for_line_by_line_and_not_by_less_than_four_letters() -> None:
    assert text_forms("the lamp\n  in the hall \nabc") == ("in the hall", "the lamp")
    assert text_forms("abc") == ()


def test_three_syllables_of_hangul_are_looked_for_in_every_form_and_two_in_none() -> None:
    assert set(text_forms("김민지")) == {"김민지", unicodedata.normalize("NFD", "김민지")}
    assert text_forms(unicodedata.normalize("NFD", "김민지")) == text_forms("김민지")
    assert text_forms("한국") == text_forms(unicodedata.normalize("NFD", "한국")) == ()


def test_every_string_of_a_json_value_is_cleaned() -> None:
    value = {"text": f"is {TEXT}.", "list": [TEXT, 1, None, {"deep": TEXT}]}

    assert scrub_record(value, text_forms(TEXT)) == {
        "text": f"is {PURGED}.",
        "list": [PURGED, 1, None, {"deep": PURGED}],
    }


@pytest.mark.parametrize(
    "text", ["umbrella ^m-kept2222kept", "O(c=0.70@2026-05-02): umbrella", "sha:" + "fade" * 6, "m-kept2222kept"]
)
def test_ids_names_of_blocks_and_days_of_an_opinion_are_no_words(text: str) -> None:
    words = ("kept", "2026", "fade")

    assert scrub_text(text, words) == text
    assert scrub_text(f"kept {text} kept", words) == f"{PURGED} {text} {PURGED}"


def test_what_a_record_goes_by_stays_and_its_words_do_not() -> None:
    event = {"id": "kept:m-1@2026", "type": "kept", "at": "2026-05-02", "log": "2026.md", "reason": "kept since 2026"}

    assert scrub_record(event, ("kept", "2026")) == event | {"reason": f"{PURGED} since {PURGED}"}
    said = {"other": ["kept?", r'{"text": "\nkept\u00a0kept"}'], "text": "kept"}
    clean = [f"{PURGED}?", rf'{{"text": "\n{PURGED}\u00a0{PURGED}"}}']
    assert scrub_record(said, ("kept",)) == {"other": clean, "text": PURGED}
    longer = "unkept, kepts and 안보라색"
    assert scrub_text(f"{longer} 보라색은", ("kept", "보라색")) == f"{longer} {PURGED}은"


@pytest.mark.parametrize("length", [16, 32, 40, 64])
def test_a_credential_that_looks_like_a_digest_is_purged_wherever_it_is_said(length: int) -> None:
    secret = ("7f3a9c1e" * 8)[:length]
    record = {
        "text": f"the key is {secret}",
        "old": secret,
        "reason": secret,
        "digests": ["7f3a9c1e"],
        "key": "7f3a9c1e",
    }

    assert secret not in json.dumps(scrub_record(record, (secret,)))
    assert scrub_record(record, ("7f3a",)) | {"text": "", "old": "", "reason": ""} == record | {
        "text": "", "old": "", "reason": "",
    }  # fmt: skip
