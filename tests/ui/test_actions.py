"""Decisions on the page: each the same as its command's, and each taken back to the byte."""

from __future__ import annotations

import json
import os
import re
import shutil
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from bankd.cli import main
from tests.examples import examples, texts
from tests.settings import change_setting, make_quick_workspace, place_by_rules_alone
from tests.ui.conftest import Open, post

NOW = "2026-05-12T20:00"
DEPLOY = "W: The production deploy runs at 10:00 on Tuesdays."


@pytest.fixture(scope="module")
def made_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which one of everything waits for a person."""
    root = tmp_path_factory.mktemp("made") / "desk"
    make_quick_workspace(root)
    place_by_rules_alone(root)
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    (root / "bank/knowledge/tools.md").write_text(
        "# Tools\n\n- W: We keep the spare keys in the blue drawer. ^m-aaaaaaaaaaaa\n"
        "- W: We really keep the spare keys in the blue drawer. ^m-bbbbbbbbbbbb\n"
        "- W: 서버 포트는 8080이다. ^m-cccccccccccc\n- W: 서버 포트는 8081이다. ^m-dddddddddddd\n",
        "utf-8",
    )
    logs = {
        "2026-03-22.md": ["O(c=0.72) @Peter: Believes that tea is overrated."],
        "2026-05-02.md": [DEPLOY, "W: 해왕성에는 바람이 세다.", "X: nobody knows this tag"],
        "2026-05-11.md": [DEPLOY.replace("10", "11")],
    }
    for name, lines in logs.items():
        (root / "memory" / name).write_text("## Retain\n" + "".join(f"- {line}\n" for line in lines), "utf-8")
    (root / "memory/2026-05-10.md").write_text("# day\n\nRemember that the hall key is at the gate.\n", "utf-8")
    main(["--workspace", str(root), "distil", "--rules", "--now", "2026-05-11T20:00"])
    main(["--workspace", str(root), "cycle", "micro", "--now", NOW])
    return root


@pytest.fixture
def desk(made_desk: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_desk, tmp_path / "desk"))


@pytest.fixture
def client(desk: Path, open_page: Open) -> TestClient:
    return open_page(desk)


def contents(root: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in ("bank", "archive", "memory")
        for path in sorted((root / folder).rglob("*.md"))
    }


def forms_in(client: TestClient, kind: str) -> list[dict[str, str]]:
    """The forms of the first card of a kind, each with what it sends."""
    deck = client.get(f"/desk/review?kind={kind}").text.partition('<div class="deck">')[2].partition("</article>")[0]
    forms = re.findall(r"<form.*?</form>", deck, re.S)
    return [{name: unescape(text) for name, text in re.findall(r'name="(\w+)" value="([^"]*)"', one)} for one in forms]


def choose(client: TestClient, kind: str, do: str, number: int = 0, **typed: str) -> str:
    """Take a decision on the first card of a kind; gives the run that can be taken back, empty for none."""
    form = [form for form in forms_in(client, kind) if form["do"] == do][number]
    went = post(client, "desk", **{**form, **typed})
    assert went.startswith("/desk/review?did="), went
    assert 'class="toast done"' in client.get(went).text
    return parse_qs(urlsplit(went).query).get("run", [""])[0]


def test_what_is_placed_where_it_is_stays_and_is_said_to_be_there(desk: Path, client: TestClient) -> None:
    page = desk / "bank/patterns/workflows.md"
    before, (id_, *_) = page.read_bytes(), re.findall(r"\^(m-\w+)", page.read_text("utf-8"))

    went = post(client, "desk", do="place", id=id_, page="patterns/workflows", view="home")

    assert "did=there" in went
    assert "Already on" in client.get(went).text
    assert page.read_bytes() == before


@pytest.mark.parametrize(("kind", "do", "number", "typed"), examples("arguments", "decisions"))
def test_each_decision_is_done_and_taken_back(
    desk: Path, client: TestClient, kind: str, do: str, number: str, typed: str
) -> None:
    before, forms = contents(desk), forms_in(client, kind)
    assert forms, kind

    run = choose(client, kind, do, int(number), **json.loads(typed))
    assert forms_in(client, kind) != forms
    assert "did=undo" in post(client, "desk", do="undo", run=run, view="review")
    assert contents(desk) == before
    if (kind, do) != ("fading", "archive"):  # what was brought back stays a month
        assert forms_in(client, kind) == forms


def test_an_import_is_confirmed(desk: Path, client: TestClient, tmp_path: Path) -> None:
    notes = tmp_path / "notes/MEMORY.md"
    notes.parent.mkdir()
    notes.write_text("# Notes\n\n- W: The bicycle stands in the cellar.\n", "utf-8")
    change_setting(desk, "watch: []", f"watch: [{notes.parent}]")

    assert choose(client, "imports", "import") == "", "there is no undo"
    assert forms_in(client, "imports") == []
    assert any(b"bicycle" in data for data in contents(desk).values())


def test_what_models_or_rules_proposed_stands_beside_its_source(client: TestClient) -> None:
    text = client.get("/desk/review?kind=proposed").text

    assert "memory/2026-05-10.md:3 <a" in text
    assert '<span class="ln meant"><b>3</b><span>Remember that the hall key is at the gate.</span>' in text


def test_a_decision_after_another_does_not_wait_for_its_page_to_rest(desk: Path, client: TestClient) -> None:
    change_setting(desk, "settle_seconds: 0", "settle_seconds: 5")
    naps: list[float] = []
    for path in desk.rglob("*.md"):
        os.utime(path, (path.stat().st_mtime - 60,) * 2)  # what stands there rests
    choose(client, "near", "keep")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bankd.app.workspace.Waiter", lambda: SimpleNamespace(wait=naps.append))
        choose(client, "fading", "pin")
        choose(client, "contradictions", "archive")
    assert naps == []


@pytest.mark.parametrize("form", texts("arguments", "no decisions"))
def test_a_decision_that_makes_no_sense_is_refused_and_changes_nothing(
    desk: Path, client: TestClient, form: str
) -> None:
    before = contents(desk)

    assert 'role="alert"' in post(client, "desk", **json.loads(form))
    assert contents(desk) == before


@pytest.mark.parametrize("view", ["//evil.example", "https://evil.example", "../..", "nothing"])
def test_a_decision_leads_back_to_a_page_of_ours(client: TestClient, view: str) -> None:
    went = post(client, "desk", do="importance", id="m-aaaaaaaaaaaa", value="7", view=view, what="//evil.example")

    assert re.match(r"/desk/review/%2F%2Fevil\.example\?did=importance&run=\S+-importance", went)


def test_where_nothing_can_be_decided_it_is_said_and_looking_goes_on(desk: Path, client: TestClient) -> None:
    (desk / "bankd.yaml").write_text("nonsense: [", "utf-8")

    assert 'role="alert"' in post(client, "desk", do="pin", id="m-aaaaaaaaaaaa")
    assert client.get("/desk/search?q=keys").status_code == 200
    assert "cannot" in client.get("/desk/health").text or "bankd.yaml" in client.get("/desk/health").text


def test_what_is_typed_wrongly_is_kept_and_what_is_wrong_stands_beside_it(desk: Path, client: TestClient) -> None:
    forms = forms_in(client, "unfiled")
    refused = post(client, "desk", **{**forms[-2], "do": "place", "page": "../../x"})
    assert 'value="../../x" aria-describedby="problem"' in refused
    assert 'role="alert" id="problem"' in refused
    assert forms[-1]["id"] in refused, "the same card"

    memory = re.search(r'data-row>.*?/desk/memory/(m-\w+)"', client.get("/desk/home").text, re.S)
    assert memory
    sent = {"do": "edit", "view": "memory", "what": memory[1], "id": memory[1], "tag": "W"}
    refused = post(client, "desk", **sent, text="another text", shown="what stood there before")
    assert "Changed meanwhile" in refused
    assert ">another text</textarea>" in refused


def test_a_memory_is_added_edited_undone_and_forgotten_on_the_page(desk: Path, client: TestClient) -> None:
    added = post(client, "desk", do="add", view="home", what="", tag="W", text="The spare tyre lies behind the shed.")
    assert added.startswith("/desk/home?did=add")
    page = client.get("/desk/search?q=spare tyre shed").text
    found = re.search(r'/desk/memory/(m-\w+)">The <mark>spare', page)
    assert found
    shown = "The spare tyre lies behind the shed."
    edit = {"do": "edit", "view": "memory", "what": found[1], "id": found[1], "tag": "B", "about": "Nadia"}

    went = post(client, "desk", **edit, shown=shown, text="The spare tyre lies in the shed.")
    assert went.startswith("/desk/memory/"), re.findall(r"role=.alert.*", went)
    line = next(data for data in contents(desk).values() if found[1].encode() in data and b"Nadia" in data)
    assert f"- B @Nadia: The spare tyre lies in the shed. ^{found[1]}\n".encode() in line
    assert "Nadia" in client.get("/desk/people").text
    post(client, "desk", do="undo", view="memory", what=found[1], run=parse_qs(urlsplit(went).query)["run"][0])
    assert shown in client.get(f"/desk/memory/{found[1]}").text
    post(client, "desk", do="forget", view="memory", what=found[1], id=found[1])
    assert not any(found[1].encode() in data for name, data in contents(desk).items() if "/bank/" in name)


def test_a_setting_and_a_rule_are_written_and_a_bad_value_is_named_at_its_field(desk: Path, client: TestClient) -> None:
    refused = post(client, "desk", do="set", view="health", what="", name="decay.floor", value="7")
    assert 'value="7" aria-invalid="true"' in refused
    assert "must be a number from 0 to 1" in refused
    assert "did=set" in post(client, "desk", do="set", view="health", what="", name="decay.floor", value="0.25")
    assert "floor: 0.25" in (desk / "bankd.yaml").read_text("utf-8")
    assert "match: &#39;telescope&#39;" in client.get("/desk/review?teach=telescope&tag=W&page=knowledge/sky.md").text
    post(client, "desk", do="teach", view="review", what="", tag="W", words="telescope", page="knowledge/sky.md")
    assert "match: 'telescope'" in (desk / "routing.yaml").read_text("utf-8")
