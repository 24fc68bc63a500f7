"""Sentence vectors in the shared search: those that the banks made, by a server of embeddings on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path

import pytest

from bankd.fleet import actions
from bankd.fleet.actions import add_bank, answer_from_fleet, share_bank
from bankd.fleet.registry import Fleet
from bankd.wiring.search import make_search, quick_settings, settled
from tests.fake_vectors import EmbeddingServer, embedding_server
from tests.fleet.conftest import MakeBank
from tests.fleet.test_shared_search import NOW, learn
from tests.settings import change_setting

pytest.importorskip("numpy", reason="needs numpy, which comes with Kiwi and with the extra `meaning`")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """A server of embeddings, and no process that goes on after the test."""
    with embedding_server() as found, ExitStack() as doors:
        make = actions._door_of.__wrapped__
        monkeypatch.setattr(actions, "_door_of", cache(lambda model: doors.enter_context(closing(make(model)))))
        yield found


@pytest.fixture
def bank(fleet: Fleet, make_bank: MakeBank, server: EmbeddingServer) -> Path:
    """A bank with vectors that the shared search knows."""
    root = make_bank("home")
    turn_on(root, server)
    learn(root, "W: 자동차는 지하 2층에 세운다.", "W: The kitten sleeps on the sofa.", "W: 커피는 진하게 마신다.")
    add_bank(fleet, root, "home", "default", NOW)
    share_bank(fleet, fleet.find(["home"])[0])
    return root


def turn_on(root: Path, server: EmbeddingServer) -> None:
    settings = root / "bankd.yaml"
    text = settings.read_text("utf-8").replace('  model: "off"\n', "  model: fake\n", 1)
    settings.write_text(text.replace('  url: ""\n', f"  url: {server.url}\n", 1), "utf-8")


def ask(fleet: Fleet, query: str, *names: str) -> tuple[list[tuple[str, float]], str]:
    answer = answer_from_fleet(fleet, {"query": query, "banks": list(names)}, NOW)
    return [(hit["text"], round(hit["score"], 4)) for hit in answer["hits"]], answer["fresh"]["meaning"]


def ask_own(root: Path, query: str) -> tuple[list[tuple[str, float]], str]:
    with closing(make_search(root)) as own:
        answer = own.answer({"query": query, "in": ["bank"], "keep": False}, NOW)
    return [(hit["text"], round(hit["score"], 4)) for hit in answer["hits"]], answer["fresh"]["meaning"]


@pytest.mark.parametrize("query", ["vehicle", "고양이", "espresso 커피", "postgres"])
def test_a_question_in_other_words_finds_what_the_bank_itself_finds(bank: Path, fleet: Fleet, query: str) -> None:
    own = ask_own(bank, query)

    assert ask(fleet, query, "home") == own
    assert own[1] == "on"


def test_it_says_so_where_the_model_cannot_be_asked(bank: Path, fleet: Fleet, server: EmbeddingServer) -> None:
    server.answer_with = b"nonsense"
    found, meaning = ask(fleet, "kitten")

    assert [text for text, _ in found] == ["The kitten sleeps on the sofa."]
    assert meaning.startswith("not now")


def test_only_what_changed_is_written_and_another_model_writes_all_anew(
    bank: Path, fleet: Fleet, server: EmbeddingServer
) -> None:
    def held() -> dict[int, bytes]:
        return {row: bytes(vector) for row, vector in fleet.database.rows("SELECT row, vector FROM shared_vectors")}

    before = held()
    learn(bank, "W: The database is Postgres.", day="2026-05-04")
    share_bank(fleet, fleet.find(["home"])[0])
    after = held()
    assert len(after) == len(before) + 1
    assert before.items() <= after.items()
    change_setting(bank, "model: fake", "model: other")
    share_bank(fleet, fleet.find(["home"])[0])

    assert held() == {}
    assert json.loads(fleet.database.rows("SELECT meaning FROM shared_banks")[0][0])[0] == "other"


def test_banks_of_different_models_are_compared_by_words(
    bank: Path, fleet: Fleet, make_bank: MakeBank, server: EmbeddingServer
) -> None:
    other = make_bank("work")
    learn(other, "W: The vehicle is in the garage.")
    add_bank(fleet, other, "work", "default", NOW)
    share_bank(fleet, fleet.find(["work"])[0])

    found, meaning = ask(fleet, "vehicle")
    assert meaning == "off"
    assert [text for text, _ in found] == ["The vehicle is in the garage."]
    assert settled(quick_settings(other)[0].meaning).model == "off"
