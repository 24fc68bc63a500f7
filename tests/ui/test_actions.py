"""Decisions on the page: each the same as its command's, and each taken back to the byte."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from bankd.app.init import make_workspace
from bankd.cli import main
from tests.settings import change_setting, place_by_rules_alone, search_by_words
from tests.ui.conftest import Open, post

NOW = "2026-05-12T20:00"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A workspace in which one of everything waits for a person."""
    root = tmp_path / "desk"
    make_workspace(root)
    search_by_words(root)
    place_by_rules_alone(root)
    (root / "bank/knowledge/tools.md").write_text(
        "# Tools\n\n- W: We keep the spare keys in the blue drawer. ^m-aaaaaaaaaaaa\n"
        "- W: We really keep the spare keys in the blue drawer. ^m-bbbbbbbbbbbb\n",
        "utf-8",
    )
    logs = {
        "2026-03-22.md": ["O(c=0.72) @Peter: Prefers tea to coffee."],
        "2026-05-02.md": [
            "W: The production deploy runs at 10:00 on Tuesdays.",
            "W: 해왕성에는 바람이 세다.",
            "X: nobody knows this tag",
        ],
        "2026-05-11.md": ["W: The production deploy runs at 11:00 on Tuesdays."],
    }
    for name, lines in logs.items():
        (root / "memory" / name).write_text("## Retain\n" + "".join(f"- {line}\n" for line in lines), "utf-8")
    (root / "memory/2026-05-10.md").write_text("# day\n\nRemember that the hall key is at the gate.\n", "utf-8")
    main(["--workspace", str(root), "distil", "--rules", "--now", "2026-05-11T20:00"])
    main(["--workspace", str(root), "cycle", "micro", "--now", NOW])
    return root


@pytest.fixture
def client(desk: Path, open_page: Open) -> TestClient:
    return open_page(desk)


def contents(root: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in ("bank", "archive", "memory")
        for path in sorted((root / folder).rglob("*.md"))
    }


def forms_in(client: TestClient, title: str) -> list[dict[str, str]]:
    """The forms in a pile of the desk, each with what it sends."""
    text = client.get("/desk/desk").text
    pile = next((part for part in text.split("<section>")[1:] if f"<h2>{title} (" in part), "")
    forms = re.findall(r"<form.*?</form>", pile, re.S)
    return [dict(re.findall(r'name="(\w+)" value="([^"]*)"', form)) for form in forms]


def choose(client: TestClient, title: str, number: int, **typed: str) -> str:
    """Press a button of a pile; gives the run that can be taken back."""
    went = post(client, "desk", **{**forms_in(client, title)[number], **typed})
    assert went.startswith("/desk/desk?did="), went
    assert 'class="done"' in client.get(went).text
    return went.partition("run=")[2]


@pytest.mark.parametrize(
    ("title", "number", "typed"),
    [
        ("Unfiled", 0, {"page": "knowledge/sky.md#Planets"}),
        ("Unfiled", 1, {}),
        ("Proposals", 0, {}),
        ("Proposals", 1, {}),
        ("Contradictions", 0, {}),
        ("Contradictions", 1, {}),
        ("Contradictions", 2, {}),
        ("Near-copies", 1, {}),
        ("Near-copies", 2, {}),
        ("Fading", 0, {}),
        ("Fading", 1, {}),
        ("Not taken in", 0, {}),
    ],
)
def test_each_decision_is_done_and_taken_back(
    desk: Path, client: TestClient, title: str, number: int, typed: dict[str, str]
) -> None:
    before, forms = contents(desk), forms_in(client, title)
    assert forms, title

    run = choose(client, title, number, **typed)
    assert forms_in(client, title) != forms
    went = post(client, "desk", do="undo", run=run, view="desk")
    assert "did=undo" in went
    assert contents(desk) == before
    assert forms_in(client, title) == forms


def test_an_import_is_confirmed_and_taken_back(desk: Path, client: TestClient, tmp_path: Path) -> None:
    notes = tmp_path / "notes/MEMORY.md"
    notes.parent.mkdir()
    notes.write_text("# Notes\n\n- W: The bicycle stands in the cellar.\n", "utf-8")
    change_setting(desk, "watch: []", f"watch: [{notes.parent}]")
    before, forms = contents(desk), forms_in(client, "Imports to confirm")

    run = choose(client, "Imports to confirm", 0)
    assert forms_in(client, "Imports to confirm") == []
    assert any(b"bicycle" in data for data in contents(desk).values())
    post(client, "desk", do="undo", run=run, view="desk")
    assert contents(desk) == before
    assert forms_in(client, "Imports to confirm") == forms != []


def test_what_models_or_rules_proposed_stands_beside_its_source(client: TestClient) -> None:
    text = client.get("/desk/desk").text

    assert "<figcaption>memory/2026-05-10.md:3</figcaption>" in text
    assert '<span class="meant">3  Remember that the hall key is at the gate.</span>' in text


def test_a_decision_after_another_does_not_wait_for_its_page_to_rest(desk: Path, client: TestClient) -> None:
    naps: list[float] = []
    for path in desk.rglob("*.md"):
        os.utime(path, (path.stat().st_mtime - 60,) * 2)  # what stands there rests
    choose(client, "Near-copies", 1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bankd.app.workspace.Waiter", lambda: SimpleNamespace(wait=naps.append))
        choose(client, "Fading", 0)
        choose(client, "Contradictions", 0)
    assert naps == []


@pytest.mark.parametrize(
    "form",
    [
        {}, {"do": "nothing"}, {"do": "place", "id": "m-aaaaaaaaaaaa"}, {"do": "place", "id": "m-x", "page": "../../x.md"},
        {"do": "accept", "place": "memory/../../x.md:1"}, {"do": "dismiss", "place": "nowhere"}, {"do": "archive", "id": "m-x"},
        {"do": "importance", "id": "m-aaaaaaaaaaaa", "value": "11"}, {"do": "undo", "run": "20200101T000000-micro"}, {"do": "pin", "id": ""},
    ],
)  # fmt: skip
def test_a_decision_that_makes_no_sense_is_refused_and_changes_nothing(
    desk: Path, client: TestClient, form: dict[str, str]
) -> None:
    before = contents(desk)

    assert 'role="alert"' in post(client, "desk", **form)
    assert contents(desk) == before


@pytest.mark.parametrize("view", ["//evil.example", "https://evil.example", "../..", "nothing"])
def test_a_decision_leads_back_to_a_page_of_ours(client: TestClient, view: str) -> None:
    went = post(client, "desk", do="importance", id="m-aaaaaaaaaaaa", value="7", view=view, what="//evil.example")

    assert re.match(r"/desk/desk/%2F%2Fevil\.example\?did=importance&run=\S+-importance", went)


@pytest.mark.parametrize("break_it", [lambda root: (root / "bankd.yaml").write_text("nonsense: [", "utf-8")])
def test_where_nothing_can_be_decided_it_is_said_and_looking_goes_on(
    desk: Path, client: TestClient, break_it: Callable[[Path], object]
) -> None:
    break_it(desk)

    assert 'role="alert"' in post(client, "desk", do="pin", id="m-aaaaaaaaaaaa")
    assert client.get("/desk/search?q=keys").status_code == 200
    assert "cannot" in client.get("/desk/health").text or "bankd.yaml" in client.get("/desk/health").text
