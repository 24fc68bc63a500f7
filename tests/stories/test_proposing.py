"""Prose that asks to be remembered is proposed with its source, let in or declined, and never proposed twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.conftest import Run

NOW = "2026-05-03T03:00"
PROSE = """# 2026-05-02

Quiet day. We decided to keep the queue on SQLite. Does it never lock?

- From now on write release notes in Korean.
- The token is password: hunter2-Zx81pQ, remember that.

```
Never push this to main.
```
"""
LOG = "memory/proposed/2026-05-02.md"


@pytest.fixture
def notes(root: Path) -> Path:
    """A workspace with a log of prose."""
    settings = root / "bankd.yaml"
    settings.write_text(settings.read_text("utf-8").replace("settle_seconds: 5", "settle_seconds: 0"), "utf-8")
    (root / "memory" / "2026-05-02.md").write_text(PROSE, "utf-8")
    return root


def proposed(bankctl: Run, *more: str) -> list[str]:
    return [one["text"] for one in bankctl("propose", "--now", NOW, "--json", *more).json["proposed"]]


def test_what_asks_to_be_remembered_waits_in_the_inbox_with_its_source(notes: Path, bankctl: Run) -> None:
    assert len(proposed(bankctl, "--dry-run")) == 2
    assert not (notes / LOG).exists()
    assert proposed(bankctl) == [
        "We decided to keep the queue on SQLite.",
        "From now on write release notes in Korean.",
    ]
    assert bankctl("cycle", "micro", "--now", NOW).code == 0
    inbox = bankctl("inbox").out
    assert "We decided to keep the queue on SQLite." in inbox
    assert "proposed: it says what was decided" in inbox
    assert "memory/2026-05-02.md:3" in (notes / LOG).read_text("utf-8")
    assert all("queue" not in page.read_text("utf-8") for page in (notes / "bank").rglob("*.md"))
    assert "hunter2" not in (notes / LOG).read_text("utf-8")


def test_a_line_is_taken_in_when_its_note_is_taken_off(notes: Path, bankctl: Run) -> None:
    proposed(bankctl)
    text = (notes / LOG).read_text("utf-8")
    (notes / LOG).write_text(text.replace(" <!-- proposed: it says what was decided -->", ""), "utf-8")
    bankctl("cycle", "micro", "--now", NOW)
    (hit,) = bankctl("search", "queue SQLite", "--in", "bank", "--json").json["hits"]
    assert hit["text"] == "We decided to keep the queue on SQLite."
    assert proposed(bankctl) == []


def test_what_was_declined_is_not_proposed_again_even_if_its_log_is_gone(notes: Path, bankctl: Run) -> None:
    proposed(bankctl)
    bankctl("cycle", "micro", "--now", NOW)
    line = 1 + next(n for n, said in enumerate((notes / LOG).read_text("utf-8").split("\n")) if "SQLite" in said)
    assert bankctl("inbox", "dismiss", f"{LOG}:{line}", "--now", NOW).code == 0
    assert proposed(bankctl) == []
    (notes / LOG).unlink()
    assert proposed(bankctl) == ["From now on write release notes in Korean."]


def test_what_the_bank_says_already_and_old_logs_are_not_proposed(notes: Path, bankctl: Run) -> None:
    (notes / "memory" / "2026-05-01.md").write_text(
        "## Retain\n- W: We decided to keep the queue on SQLite.\n", "utf-8"
    )
    (notes / "memory" / "2026-01-01.md").write_text("We decided to call it bankd for now.\n", "utf-8")
    bankctl("cycle", "micro", "--now", NOW)
    assert proposed(bankctl) == ["From now on write release notes in Korean."]
    assert "We decided to call it bankd for now." in proposed(bankctl, "--days", "200")
