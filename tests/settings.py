"""Settings of a workspace, changed as a user does in an editor."""

from __future__ import annotations

from pathlib import Path

from bankd.app.init import make_workspace


def change_setting(root: Path, was: str, now: str) -> None:
    """Put other words into bankd.yaml, which must have the first."""
    settings = root / "bankd.yaml"
    text = settings.read_text("utf-8")
    assert was in text
    settings.write_text(text.replace(was, now), "utf-8")


def search_by_words(root: Path) -> None:
    """Read Korean by the lexicon and make no vectors: the models take seconds to load, and are tested where they matter."""
    change_setting(root, "analyser: kiwi", "analyser: lexicon")
    change_setting(root, "  model: auto", '  model: "off"')


def make_quick_workspace(root: Path) -> None:
    """A new workspace in which no model is loaded."""
    make_workspace(root)
    search_by_words(root)


def place_by_rules_alone(root: Path) -> None:
    """Leave to the inbox what no rule claims, whatever it is like or about."""
    rules = root / "routing.yaml"
    text = rules.read_text("utf-8")
    assert "similar: true" in text
    rules.write_text(text.replace("similar: true", "similar: false"), "utf-8")
