"""Several banks of one user: a list of them, and one answer out of all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from bankd.app.init import make_workspace
from bankd.system.files import banks_path
from bankd.wiring import banks as pool
from tests.settings import make_quick_workspace
from tests.stories.conftest import Run, write_log

SAID = {
    "home": ["W: 베란다에 커피나무 화분을 두었다.", "W: The boiler is serviced every October."],
    "work": ["W: 회의실 커피머신은 화요일에 청소한다.", "W: The staging server moved to Busan."],
    "club": ["W: 동호회 커피 시음회는 매월 셋째 토요일이다."],
}


@pytest.fixture(autouse=True)
def _own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def make_bank(folder: Path, said: list[str], bankctl: Run) -> None:
    """A workspace that has learned what is said, on the list."""
    make_quick_workspace(folder)
    write_log(folder, "2026-05-02.md", *said)
    bankctl("--workspace", str(folder), "cycle", "micro", "--now", "2026-05-02T20:00")
    assert bankctl("banks", "add", str(folder)).code == 0


@pytest.fixture
def banks(tmp_path: Path, bankctl: Run) -> dict[str, Path]:
    """Three workspaces, all on the list."""
    found = {name: tmp_path / name for name in SAID}
    for name, folder in found.items():
        make_bank(folder, SAID[name], bankctl)
    return found


def key(hit: dict[str, Any]) -> tuple[str, str, str, float]:
    return hit["group"], hit["path"], hit["text"], hit["score"]


def test_one_answer_out_of_all_has_the_hits_of_each_merged_by_their_scores(
    banks: dict[str, Path], bankctl: Run
) -> None:
    alone = [
        (*key(hit), name)
        for name, folder in banks.items()
        for hit in bankctl("--workspace", str(folder), "search", "--json", "커피").json["hits"]
    ]
    merged = bankctl("search", "--all", "--json", "커피").json

    assert [(*key(hit), hit["bank"]) for hit in merged["hits"]] == sorted(alone, key=lambda hit: -hit[3])
    assert {hit["bank"] for hit in merged["hits"]} == {"home", "work", "club"}
    assert merged["problems"] == {}


def test_each_hit_is_printed_with_its_bank_and_a_path_that_opens(banks: dict[str, Path], bankctl: Run) -> None:
    lines = bankctl("search", "--all", "boiler").out.splitlines()

    place = lines[0].split("\t")[0]
    assert "home: " in bankctl("search", "--all", "--no-plain", "boiler").out
    assert "boiler" in Path(place.rpartition(":")[0]).read_text("utf-8")


def test_what_was_not_shown_was_not_recalled(banks: dict[str, Path], bankctl: Run) -> None:
    bankctl("search", "--all", "커피")

    assert [*banks["club"].glob("recall/*")] == []


def test_a_bank_that_is_gone_is_named_and_the_others_answer(banks: dict[str, Path], bankctl: Run) -> None:
    banks["work"].rename(banks["work"].with_name("elsewhere"))

    answer = bankctl("search", "--all", "--json", "커피").json
    assert {hit["bank"] for hit in answer["hits"]} == {"home", "club"}
    assert "no workspace is there" in answer["problems"]["work"]
    assert "work: " in bankctl("search", "--all", "커피").err
    listed = bankctl("banks")
    assert listed.code == 3
    assert "no workspace is there (now)" in listed.out


def test_a_question_that_is_wrong_is_refused_as_of_one_bank(banks: dict[str, Path], bankctl: Run) -> None:
    result = bankctl("search", "--all", "--since", "nonsense", "커피")

    assert result.code == 2
    assert "nonsense" in result.err


def test_the_list_is_a_file_to_edit_and_keeps_the_comments_of_its_head(banks: dict[str, Path], bankctl: Run) -> None:
    file = Path(banks_path())
    file.write_text("# mine\n" + f'"home": "{banks["home"]}"\n\nwork: {banks["work"]}\n', "utf-8")

    assert bankctl("banks", "remove", "work").code == 0
    assert file.read_text("utf-8") == f"# mine\nhome: {banks['home']}\n"
    assert bankctl("banks", "--json").json == {"banks": [{"name": "home", "root": str(banks["home"]), "problem": ""}]}


@pytest.mark.parametrize("by", [lambda folder: "home", str])
def test_taking_one_off_the_list_touches_nothing_in_it(
    banks: dict[str, Path], bankctl: Run, by: Callable[[Path], str]
) -> None:
    assert "is off the list" in bankctl("banks", "remove", by(banks["home"])).out
    assert (banks["home"] / "bankd.yaml").is_file()
    assert bankctl("banks", "remove", "home").code == 3


def test_the_same_name_is_not_given_twice(banks: dict[str, Path], tmp_path: Path, bankctl: Run) -> None:
    other = tmp_path / "other" / "home"
    make_workspace(other)

    refused = bankctl("banks", "add", str(other))
    assert refused.code == 3
    assert "--name" in refused.err
    assert bankctl("banks", "add", str(other), "--name", "second").code == 0
    assert bankctl("banks", "add", str(other)).code == 0
    assert [row["name"] for row in bankctl("banks", "--json").json["banks"]] == ["home", "work", "club", "second"]


@pytest.mark.parametrize("name", ["a:b", "#a", " ", "a\nb"])
def test_a_name_that_the_file_could_not_hold_is_refused(root: Path, bankctl: Run, name: str) -> None:
    assert bankctl("banks", "add", str(root), "--name", name).code == 3
    assert not Path(banks_path()).exists()


def test_a_line_that_is_none_is_named(bankctl: Run) -> None:
    file = Path(banks_path())
    file.parent.mkdir(parents=True)
    file.write_text("home: /somewhere\nwork /nowhere\n", "utf-8")

    assert "banks.yaml:2: must be `name: /folder`" in bankctl("search", "--all", "x").err


def test_with_no_bank_on_the_list_it_says_how_to_put_one_there(bankctl: Run) -> None:
    assert "bankctl banks add DIR" in bankctl("banks").out
    assert bankctl("search", "--all", "x").code == 3


def test_a_bank_is_opened_once_for_all_threads_and_closed_when_the_list_names_another_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    closed: list[str] = []

    class SlowBank:
        def __init__(self, root: str, *, stays: bool) -> None:
            Event().wait(0.2)
            self.folder, self.stays = root, stays
            made.append(root)

        def close(self) -> None:
            closed.append(self.folder)

    monkeypatch.setattr(pool, "OpenBank", SlowBank)
    listed = {"home": "/one"}
    banks = pool.Banks(lambda: listed, stays=True)
    threads = [Thread(target=banks.find, args=("home",)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["/one"]

    listed["home"] = "/other"
    assert banks.find("home").folder == "/other"
    assert closed == ["/one"]
    banks.close()
    assert closed == ["/one", "/other"]
