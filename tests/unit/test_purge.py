"""In which forms a text that is purged is looked for, and what stays in its place."""

from __future__ import annotations

import json
import unicodedata

import pytest

from bankd.memory.provenance import (
    PURGED,
    encoded_forms,
    holds_form,
    scrub_bytes,
    scrub_record,
    scrub_text,
    text_forms,
    without_marks,
)

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
    assert not any(word in without_marks(text) for word in words)
    assert scrub_text(f"kept {text} kept", words) == f"{PURGED} {text} {PURGED}"


def test_what_a_record_goes_by_stays_and_its_words_do_not() -> None:
    event = {"id": "kept:m-1@2026", "type": "kept", "at": "2026-05-02", "log": "2026.md", "reason": "kept since 2026"}

    assert scrub_record(event, ("kept", "2026")) == event | {"reason": f"{PURGED} since {PURGED}"}
    assert scrub_record({"other": ["kept?"], "text": "kept"}, ("kept",)) == {"other": [f"{PURGED}?"], "text": PURGED}


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

    cleaned = scrub_record(record, (secret,))

    assert secret not in json.dumps(cleaned)
    assert secret in without_marks(f"- W: the key is {secret}. ^m-aaaaaaaaaaaa")
    assert scrub_record(record, ("7f3a",)) | {"text": "", "old": "", "reason": ""} == record | {
        "text": "", "old": "", "reason": "",
    }  # fmt: skip
