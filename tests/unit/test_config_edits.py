"""Our part in the settings files of agents."""

from __future__ import annotations

import json

import pytest

from bankd.agents.connect import add_block, add_to_json, remove_block, remove_from_json

OURS = {"plugins": {"bankd": {"path": "/p"}}, "enabled": {"bankd@bankd": True}}


@pytest.mark.parametrize("text", ["", "a = 1\n", "a = 1\n\n[b]\nc = 2\n"])
def test_lines_between_marks_come_and_go_without_a_trace(text: str) -> None:
    added = add_block(text, "[ours]\nd = 3")

    assert "[ours]\nd = 3\n" in added
    assert remove_block(added) == text
    assert add_block(added, "[ours]\nd = 3") == added
    assert "d = 3" not in add_block(added, "[ours]\nd = 4")


def test_what_was_written_after_our_lines_stays() -> None:
    added = add_block("a = 1\n", "[ours]") + "[later]\n"

    assert remove_block(added) == "a = 1\n[later]\n"


def test_marks_that_do_not_belong_together_are_left_alone() -> None:
    assert remove_block("# >>> bankd >>>\na = 1\n") == "# >>> bankd >>>\na = 1\n"


def test_keys_are_put_beside_those_that_are_there() -> None:
    held = {"theme": "어둡게", "enabled": {"other@x": True}}
    text = json.dumps(held, ensure_ascii=False, indent=4) + "\n"

    added = add_to_json(text, OURS)

    assert json.loads(added)["enabled"] == {"other@x": True, "bankd@bankd": True}
    assert '    "theme": "어둡게"' in added
    assert add_to_json(added, OURS) == added
    assert remove_from_json(added, OURS) == text


def test_settings_that_do_not_exist_yet_are_begun() -> None:
    assert json.loads(add_to_json("", OURS)) == OURS


@pytest.mark.parametrize("text", ["{", "[]", "// comment\n{}"])
def test_settings_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        add_to_json(text, OURS)
