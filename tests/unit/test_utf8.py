"""Text that was not UTF-8: what is searched and shown of it, and that nothing else of it changes."""

from __future__ import annotations

import json

import pytest

from bankd.pages.scanner import decode_text
from bankd.pages.text import decode_wide, is_utf8, lines_not_utf8, readable_bytes, readable_text, shown_path, to_json


def test_undecodable_bytes_become_replacement_characters_on_their_lines() -> None:
    data = b"# a\n- bad \xff\xfe byte\n- \xea\xb0\x80 fine\n"

    assert readable_text(decode_text(data)) == "# a\n- bad \ufffd\ufffd byte\n- 가 fine\n"
    assert lines_not_utf8(data) == [2]
    assert readable_bytes(data).decode() == "# a\n- bad \ufffd\ufffd byte\n- 가 fine\n"


@pytest.mark.parametrize("text", ["plain", "가치관", "😀", "\ufffd"])
def test_text_that_was_utf8_stays_as_it_was(text: str) -> None:
    assert is_utf8(text)
    assert readable_text(text) == text
    assert readable_bytes(text.encode()) == text.encode()
    assert shown_path(text) == text


def test_a_path_that_is_not_utf8_is_shown_escaped() -> None:
    assert shown_path("bank/pic\udcff.png") == r"bank/pic\xff.png"


def test_json_for_others_has_no_half_characters() -> None:
    half = "\udcff"
    written = to_json({"text": f"{half} 😀 가", half: [1.5, None]})

    assert json.loads(written) == {"text": "\ufffd 😀 가", "\ufffd": [1.5, None]}
    assert "😀 가" in written


def test_json_escapes_what_would_act_on_a_terminal_and_nothing_else() -> None:
    acting = "user\u202egnp.exe \x9b31m \u2028 \U000e0041"

    written = to_json(f"정직 é {acting}")

    assert written == '"정직 é user\\u202egnp.exe \\u009b31m \\u2028 \\udb40\\udc41"'
    assert json.loads(written) == f"정직 é {acting}"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_wide_text_is_read_only_as_a_whole(encoding: str) -> None:
    text = "\ufeff- W: 가치관 😀\r\n"
    data = text.encode(encoding)

    assert decode_wide(data) == text[1:]
    assert decode_wide(data[:-1]) is None
    assert decode_wide(data + "- W: 덧붙인 줄\n".encode() + b"\n" * 3) is None
