"""Search as people use it, also for tables, code and the questions below a line; and who stays sees every change."""

from __future__ import annotations

import json
import os
import pty
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bankd.index.sources import PageFiles, RecallBuffer
from bankd.search.find import NEAREST_SHOWN
from bankd.system import clock
from bankd.system.clock import read_monotonic
from bankd.wiring.banks import OpenBank
from tests.examples import examples
from tests.settings import change_setting
from tests.stories.conftest import Run, write_log

LINES = [
    "W @Peter: Currently in Marrakech (Nov 27-Dec 1) for Andy's birthday.",
    "B: 아침마다 로그를 먼저 읽는 루틴을 지킨다.",
    "O(c=0.95) @Peter: Prefers concise replies.",
    "S: 가치관: 정직을 최우선으로 한다.",
]


@pytest.fixture
def bank(root: Path, bankctl: Run) -> Path:
    write_log(root, "2026-05-02.md", *LINES)
    bankctl("cycle", "reflect", "--now", "2026-06-10T03:00")
    return root


@pytest.fixture
def orchard(bank: Path) -> Path:
    """A page of many trees, so that few words of a question are in a memory by chance."""
    page = bank / "bank/world/orchard.md"
    trees = "".join(f"- W: 사과나무 {number}번은 봄에 심었다\n" for number in range(200))
    page.write_text(f"# 과수원\n\n{trees}", encoding="utf-8")
    return page


CAKE = "who bakes the concise walnut cake without eggs on Sundays with friends at the long table"


def test_a_korean_question_finds_its_memory(bank: Path, bankctl: Run) -> None:
    answer = bankctl("search", "--json", "가치관이", "뭐야?").json

    assert answer["query"] == "가치관이 뭐야?"
    assert answer["fresh"]["pending"] == 0
    first = answer["hits"][0]
    line = (bank / first["path"]).read_text(encoding="utf-8").splitlines()[first["line"] - 1]
    assert first["path"] == "bank/identity/values.md"
    assert line.endswith(f"^{first['id']}")
    assert {"text", "heading", "score", "parts", "marks"} <= set(first)


_NOT_NEEDED = {
    "search values": "json search.days search.meaning search.parts search.related index.tree_file",
    "hook SessionStart": "index.rows search.find search.request words.analysis",
    "hook UserPromptSubmit": "pages.names pages.text wiring.search",
}


@pytest.mark.parametrize("words", _NOT_NEEDED)
def test_a_command_waits_for_no_module_that_it_does_not_need(bank: Path, bankctl: Run, words: str) -> None:
    bankctl("cycle", "micro")
    program = f"from bankd.cli import main; main({[*words.split(), '--workspace', str(bank)]})"
    command, said = [sys.executable, "-X", "importtime", "-c", program], '{"session_id": "s", "prompt": "ok"}'
    for _ in "12":  # the first keeps what it read
        done = subprocess.run(command, input=said, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip().removeprefix("bankd.") for line in done.stderr.splitlines()}

    assert not {"dataclasses", "inspect", "yaml", "rapidfuzz", "asyncio", "importlib.metadata", "threading"} & loaded
    assert not {*_NOT_NEEDED[words].split(), "system.process"} & loaded


@pytest.mark.parametrize("filters", [(), ("--min-confidence", "0.5")])
def test_as_many_are_given_as_are_asked_for(bank: Path, bankctl: Run, filters: tuple[str, ...]) -> None:
    trees = "".join(f"- W: 사과나무 {number}번\n" for number in range(150))
    (bank / "bank/world/orchard.md").write_text(f"# 과수원\n\n{trees}", encoding="utf-8")

    counts = [len(bankctl("search", "--json", "-n", n, *filters, "사과나무").json["hits"]) for n in ("3", "100", "0")]
    assert counts == [3, 100, 100]


def test_weak_answers_are_shown_when_asked_for(orchard: Path, bankctl: Run) -> None:
    strong, weak = (bankctl("search", *words, CAKE) for words in ((), ("--weak",)))

    assert (strong.code, strong.err) == (1, "! nothing relevant; nearest, maybe about something else\n")
    assert (weak.code, "Prefers concise replies." in weak.out) == (0, True)


def test_where_nothing_is_relevant_what_is_nearest_is_shown_apart_and_was_not_recalled(
    bank: Path, orchard: Path, bankctl: Run
) -> None:
    (bank / "bank/world/tower.md").write_text("# Tower\n\n- W: Who is at the top is with the others on it.\n", "utf-8")

    answer = bankctl("search", "--json", CAKE)
    listed, by_page = (bankctl("search", how, "--ids", CAKE).out.splitlines() for how in ("--no-plain", "--files"))

    assert (answer.code, answer.json["hits"], answer.json["see_also"]) == (1, [], [])
    (nearest,) = answer.json["nearest"]
    assert nearest["text"] == "Prefers concise replies."
    assert listed[3].endswith(f" · ^{nearest['id']}")
    assert by_page[2].endswith(f"  ^{nearest['id']}")
    kept, told = RecallBuffer(bank / "recall", 60), "".join(file.read_text() for file in bank.glob("recall/*.md"))
    assert "  - `bank/opinions/preferences.md:" in told
    assert "not an instruction" in told
    assert [one.memories for one in kept.answers()] == [()] * len(kept.answers())


def test_what_is_nearest_is_of_the_logs_too_or_of_them_alone(bank: Path, orchard: Path, bankctl: Run) -> None:
    for day in range(1, 29):
        notes = "".join(f"## {day} {number}\n사과나무 {number}번은 봄에 심었다\n\n" for number in range(20))
        (bank / f"memory/2026-04-{day:02}.md").write_text(notes, encoding="utf-8")
    (bank / "memory/2026-05-04.md").write_text("Min prefers concise replies.\n", encoding="utf-8")

    every, logs, archive = (bankctl("search", "--json", *way, CAKE) for way in ((), ("--in=logs",), ("--in=archive",)))

    assert [(one.code, one.json["hits"]) for one in (every, logs, archive)] == [(1, [])] * 3
    assert [(hit["group"], hit["text"]) for hit in logs.json["nearest"]] == [("logs", "Min prefers concise replies.")]
    assert [[hit["group"] for hit in one.json["nearest"]] for one in (every, archive)] == [["bank", "logs"], []]


def test_of_what_is_nearest_there_are_five_at_most_and_none_where_there_is_an_answer(
    orchard: Path, bankctl: Run
) -> None:
    long = "봄에 바르셀로나 여행에서 마신 포도주 이름과 가격, 호텔 주소, 렌터카 회사, 항공권 예약 번호"

    weak, few, sure = (bankctl("search", "--json", *query).json for query in ([long], ["-n", "2", long], ["사과나무"]))

    assert (weak["hits"], sure["nearest"]) == ([], [])
    assert [len(one["nearest"]) for one in (weak, few)] == [NEAREST_SHOWN, 2]


def test_a_search_without_an_answer_leaves_with_1_as_grep_does(root: Path, bank: Path, bankctl: Run) -> None:
    (root / "none.txt").write_text("호기심\nqqqq zzzz\n", "utf-8")
    (root / "some.txt").write_text("qqqq zzzz\n\n가치관\n", "utf-8")

    codes = [bankctl("search", *words).code for words in (["가치관"], ["qqqq zzzz"], ["qqqq zzzz", "--json"])]
    some = bankctl("search", "--queries", str(root / "some.txt"), "--json")

    assert codes == [0, 1, 1]
    assert bankctl("search", "--queries", str(root / "none.txt")).code == 1
    assert some.code == 0
    assert [json.loads(line)["query"] for line in some.out.splitlines()] == ["qqqq zzzz", "가치관"]


def test_an_edit_by_hand_is_found_at_once_and_a_full_disk_only_delays_it(bank: Path, bankctl: Run) -> None:
    page = bank / "bank/identity/values.md"
    page.write_text(page.read_text(encoding="utf-8") + "- S: 호기심을 잃지 않는다.\n", encoding="utf-8")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        answer = bankctl("search", "가치관이", "뭐야?", "--json").json
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert answer["hits"][0]["path"] == "bank/identity/values.md"
    assert answer["fresh"]["pending"] == 1
    assert "호기심" in bankctl("search", "호기심").out
    page.unlink()
    assert "nothing relevant" in bankctl("search", "호기심").err


def test_escapes_in_a_memory_are_shown_as_text(bank: Path, bankctl: Run) -> None:
    page = bank / "bank/identity/values.md"
    page.write_text("# Values\n\n- S: evil \x1b[31mred\x1b[0m \u202etxt marker\n", encoding="utf-8")

    out = bankctl("search", "marker").out

    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "evil" in out


@pytest.mark.parametrize(("words", "code", "said"), examples("commands", "searches that cannot be"))
def test_what_cannot_be_read_is_said(bankctl: Run, words: str, code: str, said: str) -> None:
    result = bankctl(*shlex.split(words))

    assert result.code == int(code)
    assert said in result.err


def test_the_tree_file_is_current_and_written_only_when_it_changes(bank: Path, bankctl: Run) -> None:
    tree = bank / "bank/_meta/tree-index.json"
    before = tree.stat()
    nodes = json.loads(tree.read_text(encoding="utf-8"))["nodes"]

    bankctl("doctor", "index", "refresh")

    assert "identity/values.md" in nodes
    assert "정직" in " ".join(nodes["identity/values.md"]["keywords"])
    assert (tree.stat().st_mtime_ns, tree.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_index_says_how_it_stands_and_is_made_anew(bank: Path, bankctl: Run) -> None:
    assert bankctl("doctor", "index", "--json").json["memories"] >= len(LINES)
    name = (bank / ".bankd/index/current").read_text()
    victim = max((bank / ".bankd/index" / name / "terms").glob("*.*"), key=os.path.getsize)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 0xFF
    victim.write_bytes(data)

    assert "the index is damaged" in bankctl("doctor").out
    assert "made anew" in bankctl("doctor", "index", "rebuild").out
    assert "the index is damaged" not in bankctl("doctor").out


def test_into_a_pipe_a_hit_is_one_line_with_tabs_and_remarks_go_elsewhere(bank: Path, bankctl: Run) -> None:
    (hit,) = bankctl("search", "--json", "concise replies").json["hits"]

    said = bankctl("search", "concise replies")

    place, id_, kind, day, score, text, whom = said.out.rstrip("\n").split("\t")
    assert place.endswith(f"{hit['path']}:{hit['line']}")
    assert (id_, kind, day, float(score)) == (hit["id"], "O", hit["learned"] or "", round(hit["score"], 2))
    assert (text, whom) == ("Prefers concise replies.", "@Peter")
    looked = bankctl("search", "--no-plain", "concise replies").out
    assert looked.startswith("\n  ◐ @Peter · Prefers concise replies.\n    opinions/preferences:")
    assert hit["id"] not in looked
    explained = bankctl("search", "--explain", "concise replies").out
    assert ("words " in explained, "tree " in explained) == (True, True)
    assert bankctl("edit", "1", "--print").out == f"{hit['path']}:{hit['line']}\n"
    by_number = bankctl("show", "1")
    assert by_number.out.startswith(f"{hit['path']}:{hit['line']}\n")
    assert "2: no such number in the last list (1 in all)" in bankctl("show", "2").err
    short = f"{hit['path'].removeprefix('bank/').removesuffix('.md')}:{hit['line']}"
    with_ending = f"{short.partition(':')[0]}.md:{hit['line']}"
    assert bankctl("show", short).out == bankctl("show", with_ending).out == by_number.out
    assert bankctl("edit", short, "--print").out == f"{hit['path']}:{hit['line']}\n"
    assert bankctl("related", "1").out == bankctl("related", hit["id"]).out != ""
    bankctl("search", "concise replies")  # the list of related counts now
    assert bankctl("feedback", "used", "1").out.startswith(f"used  {hit['id']}\n")
    assert f"bankctl forget {hit['id']} (this cannot be undone)" in bankctl("forget", "1").out
    assert bankctl("review", "place", "1", "daily/home").out.startswith(f"{hit['id']}  Filed on daily/home.md")
    assert bankctl("undo").code == 0
    assert bankctl("archive", "put", "1").out.endswith("-archive: 1 archived\n")
    assert bankctl("undo").code == 0
    assert bankctl("show", "memory/2026-05-02:4").out.startswith("memory/2026-05-02.md:4")
    assert "bankctl search --ids" in bankctl("show", "m-nothing").err


TEXT = """# Servers

| Service | Port | Owner |
|---|---|---|
| staging gateway | 8123 | Mina |
| 결제 서버 | 9443 | 준호 |

```sh
rsync -a /srv/photos backup:/photos
```
"""


@pytest.fixture
def page(root: Path) -> Path:
    page = root / "bank" / "servers.md"
    page.write_text(TEXT)
    return page


@pytest.mark.parametrize(("question", "line", "said"), examples("commands", "cells"))
def test_a_cell_and_a_command_are_found(page: Path, bankctl: Run, question: str, line: str, said: str) -> None:
    hit = bankctl("search", question, "--json").json["hits"][0]

    assert (hit["path"], hit["line"], hit["id"]) == ("bank/servers.md", int(line), None)
    assert said in hit["text"]


def test_a_changed_cell_is_found_and_the_old_one_is_not(page: Path, bankctl: Run) -> None:
    bankctl("search", "staging gateway port")
    page.write_text(TEXT.replace("8123", "8999"))

    hits = bankctl("search", "staging gateway port", "--json").json["hits"]

    assert hits[0]["text"] == "staging gateway | 8999 | Mina"
    assert all("8123" not in hit["text"] for hit in hits)


def test_they_are_not_counted_and_block_nothing(root: Path, page: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "W: staging gateway | 8123 | Mina")

    counts = bankctl("cycle", "micro", "--now", "2026-05-03T03:00", "--json").json["counts"]

    assert counts in ({"learned": 1}, {"inbox": 1})
    assert bankctl("doctor", "index", "--json").json["memories"] == 1
    assert "1 Retain line, 1 memory: all promises hold" in bankctl("doctor", "verify").out


LOG, PAGE = "2026-05-02.md", "bank/patterns/workflows.md"
SAID = "W: The nightly backup workflow writes to the Helsinki mirror."
ASKED = "where do rsync snapshots land\n  ? 로컬 백업은 어디에 저장돼"
OTHER = "W: The release workflow has a sign-off by Mina."


def run(bankctl: Run, day: int = 9) -> None:
    assert bankctl("cycle", "micro", "--now", f"2026-06-{day:02}T03:00").code == 0


def found(bankctl: Run, question: str) -> list[str]:
    return [hit["text"] for hit in bankctl("search", question, "--in", "bank", "--json").json["hits"]]


def is_found(bankctl: Run) -> bool:
    return [text for text in found(bankctl, "rsync snapshots") if "Helsinki" in text] != []


@pytest.fixture
def id_(root: Path, bankctl: Run) -> str:
    write_log(root, LOG, f"{SAID}\n  ? {ASKED}", OTHER)
    run(bankctl)
    return next(line for line in (root / PAGE).read_text().splitlines() if "Helsinki" in line).rpartition("^")[2]


def test_a_memory_is_found_by_the_questions_below_its_line_in_either_language(id_: str, bankctl: Run) -> None:
    assert "Helsinki" in found(bankctl, "rsync snapshots")[0]
    assert "Helsinki" in found(bankctl, "로컬 저장 어디")[0]


def test_what_is_shown_and_kept_is_the_line_alone(root: Path, id_: str, bankctl: Run) -> None:
    assert "rsync" not in (root / PAGE).read_text()
    assert all("rsync" not in text for text in found(bankctl, "rsync snapshots"))
    assert "rsync" not in json.dumps(json.loads((root / "bank/_meta/tree-index.json").read_text()))


def test_a_line_like_the_questions_is_no_duplicate(root: Path, id_: str, bankctl: Run) -> None:
    write_log(root, "2026-05-03.md", "W: Where do rsync snapshots land: in the workflow of the Oslo archive.")
    run(bankctl, 10)
    assert "Oslo" in (root / PAGE).read_text()


def test_they_stay_through_a_move_and_an_edit_by_hand(root: Path, id_: str, bankctl: Run) -> None:
    assert bankctl("page", "move", PAGE, "bank/patterns/flows.md").code == 0
    assert is_found(bankctl)
    page = root / "bank/patterns/flows.md"
    page.write_text(page.read_text().replace("nightly backup", "weekly backup"))
    assert is_found(bankctl)


def test_they_stay_through_a_split_and_a_merge(root: Path, id_: str, bankctl: Run) -> None:
    change_setting(root, "warn_kib: 8", "warn_kib: 1")
    change_setting(root, "split_kib: 15", "split_kib: 2")
    filler = "".join(f"- W: Coffee number {n} is served at ten in the long corridor.\n" for n in range(30))
    page = root / PAGE
    page.write_text(page.read_text() + f"\n## Breaks\n\n{filler}\n## Lunches\n\n{filler.replace('Coffee', 'Soup')}")
    assert bankctl("page", "split", PAGE).code == 0
    assert page.read_text().count("](") >= 2
    assert is_found(bankctl)
    assert bankctl("page", "merge", PAGE).code == 0
    assert is_found(bankctl)


def test_they_stay_through_archive_and_undo(root: Path, bankctl: Run) -> None:
    write_log(root, LOG, f"O(c=0.40): The nightly backup workflow to Helsinki is fine.\n  ? {ASKED}")
    run(bankctl)
    assert is_found(bankctl)
    report = bankctl("cycle", "reflect", "--now", "2026-08-01T03:00", "--json").json
    assert report["counts"]["archived"] == 1
    assert not is_found(bankctl)
    hits = bankctl("search", "rsync snapshots", "--in", "archive", "--json").json["hits"]
    assert "Helsinki" in hits[0]["text"]
    assert bankctl("undo", report["run"]).code == 0
    assert is_found(bankctl)


def test_edited_and_deleted_questions_are_read_again_without_the_line_changing(
    root: Path, id_: str, bankctl: Run
) -> None:
    write_log(root, LOG, f"{SAID}\n  ? who pays for storage", OTHER)
    run(bankctl, 10)
    assert not is_found(bankctl)
    assert "Helsinki" in found(bankctl, "who pays for storage")[0]
    write_log(root, LOG, SAID, OTHER)
    run(bankctl, 11)
    assert found(bankctl, "pays storage") == []


def test_they_stay_when_the_line_is_edited_and_when_it_is_said_again(root: Path, id_: str, bankctl: Run) -> None:
    write_log(root, LOG, f"{SAID.replace('nightly', 'weekly')}\n  ? {ASKED}", OTHER)
    run(bankctl, 10)
    assert is_found(bankctl)
    write_log(root, "2026-05-03.md", f"{OTHER}\n  ? who approves shipping")
    run(bankctl, 11)
    assert "Mina" in found(bankctl, "who approves shipping")[0]


def test_what_is_derived_may_be_lost(root: Path, id_: str, bankctl: Run) -> None:
    for file in (root / ".bankd").glob("catalogue.sqlite3*"):
        file.unlink()
    run(bankctl, 10)
    assert is_found(bankctl)
    assert bankctl("doctor", "index", "rebuild").code == 0
    assert is_found(bankctl)


def test_a_question_with_a_credential_is_not_indexed(root: Path, bankctl: Run) -> None:
    write_log(root, LOG, f"{SAID}\n  ? what opens ghp_16C7e42F292c6912E7710c838347Ae178B4a", OTHER)
    run(bankctl)
    assert all("Helsinki" not in text for text in found(bankctl, "what opens ghp_16C7e42F292c6912E7710c838347Ae178B4a"))


FACTS = "bank/world/facts.md"


@pytest.fixture
def standing(root: Path) -> Iterator[OpenBank]:
    (root / FACTS).write_text("# Facts\n\n- W: The boiler is in the cellar. ^m-aaaaaaaaaaaa\n", "utf-8")
    standing = OpenBank(str(root), stays=True)
    yield standing
    standing.close()


@pytest.fixture
def looks(standing: OpenBank, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Ask, and tell how many folders were looked at for it."""
    scans: list[PageFiles] = []
    scan = PageFiles.scan
    monkeypatch.setattr(
        PageFiles, "scan", lambda self, paths=None: (paths is None and scans.append(self)) or scan(self, paths)
    )

    def ask() -> int:
        before = len(scans)
        said(standing, "boiler")
        return len(scans) - before

    return ask


def said(standing: OpenBank, query: str) -> list[str]:
    return [hit["text"] for hit in standing.ask({"query": query})["hits"]]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Have so many seconds pass, by the clock that the looks go by."""
    passed = [read_monotonic()]
    monkeypatch.setattr(clock, "read_monotonic", lambda: passed[0])

    def pass_by(seconds: float) -> None:
        passed[0] += seconds

    return pass_by


def test_a_change_saved_meanwhile_is_found_a_second_later(
    standing: OpenBank, root: Path, later: Callable[[float], None]
) -> None:
    assert said(standing, "boiler") == ["The boiler is in the cellar."]

    with (root / FACTS).open("a", encoding="utf-8") as page:
        page.write("- W: The ladder is in the shed. ^m-bbbbbbbbbbbb\n")
    later(1.1)
    assert said(standing, "ladder") == ["The ladder is in the shed."]
    (root / FACTS).unlink()
    later(1.1)
    assert said(standing, "ladder") == []


def test_what_this_process_wrote_is_found_by_the_next_answer(
    standing: OpenBank, root: Path, later: Callable[[float], None]
) -> None:
    said(standing, "boiler")
    with standing.work():
        (root / FACTS).write_text("# Facts\n\n- W: The boiler is in the attic. ^m-aaaaaaaaaaaa\n", "utf-8")

    assert said(standing, "boiler") == ["The boiler is in the attic."]


def test_within_a_second_the_files_are_looked_at_once(looks: Callable[[], int], later: Callable[[float], None]) -> None:
    assert looks() > 0
    assert sum(looks() for _ in range(10)) == 0
    later(1.1)
    assert looks() > 0


def test_an_index_that_is_taken_away_is_made_anew(standing: OpenBank, root: Path) -> None:
    said(standing, "boiler")
    shutil.rmtree(root / ".bankd" / "index")

    assert said(standing, "boiler") == ["The boiler is in the cellar."]


def test_it_is_opened_anew_when_the_settings_change_and_only_then(standing: OpenBank, root: Path) -> None:
    (root / ".bankd/settings.json").unlink(missing_ok=True)
    said(standing, "boiler")
    first = standing._search
    said(standing, "boiler")
    assert standing._search is first

    change_setting(root, "recall_minutes: 60", "recall_minutes: 5")
    assert said(standing, "boiler") == ["The boiler is in the cellar."]
    assert standing._search is not first


def test_a_number_names_the_hit_that_was_printed(bank: Path, bankctl: Run) -> None:
    for day, hour in ((25, "19:00"), (26, "19:30")):
        write_log(bank, f"2026-05-{day}.md", f"W: The choir rehearsal is on Tuesday at {hour}.")
        bankctl("cycle", "micro")
    write_log(bank, "2026-05-27.md", "The choir has a rehearsal plan for the autumn.")

    shown = bankctl("search", "--no-plain", "--in", "bank,logs", "when is the choir rehearsal?").out
    bankctl("search", "--json", "Peter")  # as an agent asks meanwhile

    assert "was 19:00 until" in shown
    assert shown.index("19:30") < shown.index("rehearsal plan")
    assert bankctl("edit", "--print", "2").out == "memory/2026-05-27.md:4\n"
    assert bankctl("show", "2").out.startswith("memory/2026-05-27.md:4")

    terminal = pty.openpty()[1]
    there: Any = {"stdin": terminal, "stdout": terminal, "cwd": bank, "start_new_session": True}
    typed = f"{shlex.quote(sys.executable)} -m bankd edit --print 1"
    both = f"{typed.replace('edit --print 1', 'search choir')} && {typed}"
    for line, code in ((both, 0), (typed, 3)):  # a new terminal of the same name has not the list of the one before
        assert subprocess.run(line, shell=True, check=False, **there).returncode == code
