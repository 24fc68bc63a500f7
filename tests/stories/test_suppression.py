"""With `search.suppression`, what was ignored where another memory was used comes later when the same is asked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.settings import change_setting
from tests.stories.conftest import Run, learn

NOW = "2026-06-10T03:00"
QUESTION = "deploy day of the shop"
LINES = ("W: The deploy day of the shop is Tuesday.", "W: The deploy day of the shop was Monday in spring.")


def ids_found(bankctl: Run, question: str = QUESTION) -> list[str]:
    return [str(hit["id"]) for hit in bankctl("search", question, "--json", "--now", NOW).json["hits"]]


def asked_in_events(root: Path) -> list[str]:
    lines = [line for file in (root / "events").glob("*.jsonl") for line in file.read_text("utf-8").splitlines()]
    return [event["asked"] for line in lines if "asked" in (event := json.loads(line))]


def tell_that_second_was_used(root: Path, bankctl: Run) -> None:
    response = root / "response.txt"
    response.write_text("It was on Monday, in spring.", "utf-8")
    said = bankctl("feedback", "--from-response", str(response), "--json", "--now", NOW).json
    assert (len(said["used"]), len(said["ignored"])) == (1, 1)


@pytest.mark.parametrize("is_on", [True, False])
def test_what_was_beaten_steps_back_only_where_the_settings_say_so(root: Path, bankctl: Run, is_on: bool) -> None:
    settings = root / "bankd.yaml"
    written = settings.read_text("utf-8")
    settings.write_text(written.replace("suppression: false", f"suppression: {str(is_on).lower()}"), "utf-8")
    learn(root, bankctl, "2026-05-02.md", *LINES)
    first, second = ids_found(bankctl)[:2]

    tell_that_second_was_used(root, bankctl)

    assert asked_in_events(root) == ([QUESTION] if is_on else [])
    assert ids_found(bankctl)[:2] == ([second, first] if is_on else [first, second])
    assert ids_found(bankctl, "when is the shop closed on Tuesday?")[0] == first


def test_a_question_is_kept_without_its_secrets(root: Path, bankctl: Run) -> None:
    change_setting(root, "suppression: false", "suppression: true")
    learn(root, bankctl, "2026-05-02.md", *LINES)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2
    ids_found(bankctl, f"{QUESTION} {secret}")

    tell_that_second_was_used(root, bankctl)

    assert asked_in_events(root)
    assert secret not in asked_in_events(root)[0]
