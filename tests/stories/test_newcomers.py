"""A new workspace, the demo, what people type who read nothing but the README, and the command line as shells call it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from bankd.app.init import machine_zone
from bankd.errors import UsageError
from bankd.wiring.asking import Asked
from tests.stories.conftest import Run, last_run, learn


@pytest.mark.parametrize(
    ("leads_to", "zone"),
    [("Europe/Berlin", "Europe/Berlin"), ("Etc/UTC", "Etc/UTC"), ("Mars/Olympus", "UTC"), ("../../x", "UTC")],
)
def test_the_zone_of_a_computer_is_where_its_local_time_leads(
    leads_to: str, zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / leads_to)

    assert machine_zone(tmp_path / "localtime") == zone


def test_init_takes_the_zone_of_the_computer(tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    assert "Its time zone is Europe/Berlin" in bankctl("init", str(tmp_path / "new")).out
    settings = tmp_path / "new/bankd.yaml"

    assert "\ntimezone: Europe/Berlin\n" in settings.read_text(encoding="utf-8")
    settings.write_text("timezone: Asia/Tokyo\n")
    bankctl("init", str(tmp_path / "new"))
    assert settings.read_text() == "timezone: Asia/Tokyo\n"


def test_what_bankd_makes_is_private_and_what_is_adopted_is_said_to_be_open(
    tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, new = tmp_path / "vault", tmp_path / "new"
    vault.mkdir(0o755)
    (vault / "a.md").write_text("# A\n")
    made = subprocess.run(
        [sys.executable, "-m", "bankd", "init", str(new)], check=True, capture_output=True, umask=0o022
    )
    assert b"made" in made.stdout
    assert [path for path in (new, *new.rglob("*")) if not path.is_symlink() and path.stat().st_mode & 0o077] == []

    bankctl("adopt", str(vault), str(tmp_path / "adopted"))
    assert vault.stat().st_mode & 0o777 == 0o755
    monkeypatch.setenv("BANKD_WORKSPACE", str(tmp_path / "adopted"))
    assert f"{vault}: others on this computer may read it" in bankctl("doctor").out


def test_what_each_run_makes_anew_is_kept_out_of_git(
    tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BANKD_WORKSPACE", str(tmp_path))
    (tmp_path / ".gitignore").write_text("*.pdf\n")
    (tmp_path / ".git").mkdir()
    bankctl("init", str(tmp_path))

    assert (tmp_path / ".gitignore").read_text() == "*.pdf\n"
    assert "tree-index.json: each run makes it anew" in bankctl("doctor").out
    (tmp_path / ".gitignore").unlink()
    bankctl("init", str(tmp_path))
    assert "tree-index.json" in (tmp_path / ".gitignore").read_text()
    assert "each run makes it anew" not in bankctl("doctor").out


@pytest.mark.parametrize(
    "texts",
    [["W: The shed is red.", "O: Blue would be better."], ["W: The shed is red.\n\n- O: Blue would be better."]],
)
def test_texts_in_quotes_and_their_lines_are_a_line_each(root: Path, bankctl: Run, texts: list[str]) -> None:
    bankctl("add", *texts)
    said = bankctl("add", "W", "The", "gate", "squeaks.").out
    (log,) = (root / "memory").glob("*.md")
    added = log.read_text().splitlines()[-3:]
    assert added == ["- W: The shed is red.", "- O: Blue would be better.", "- W: W The gate squeaks."]
    assert said.splitlines()[1] == f"  {added[-1]}", "a tag without its colon is a part of the text"


def test_a_fresh_workspace_has_nothing_to_mend(tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bankctl("init", str(tmp_path / "new"))
    monkeypatch.setenv("BANKD_WORKSPACE", str(tmp_path / "new"))

    verified, status, doctor = bankctl("doctor", "verify"), bankctl("status", "--json"), bankctl("doctor", "--json")

    assert (verified.code, status.code) == (0, 0)
    assert verified.out == "0 Retain lines, 0 memories: all promises hold\n"
    assert [found["text"].split(":")[0] for found in status.json["findings"]] == ["no daemon runs"]
    around = {"disk", "watching", "time zone", "unit"}  # of the computer that this runs on
    assert [area for area, found in doctor.json.items() if found and area not in around] == ["daemon"]


NOW = "2026-05-12T03:00"


@pytest.fixture
def bank(root: Path, bankctl: Run) -> Path:
    learn(root, bankctl, "2026-05-11.md", "W @Peter: The deploy runs at 10:00 on Tuesdays.", now=NOW)
    return root


def test_days_of_two_words_names_without_at_and_pages_without_an_ending_are_understood(
    bank: Path, bankctl: Run
) -> None:
    assert "The deploy runs" in bankctl("timeline", "last", "week", "--now", "2026-05-18").out
    assert "The deploy runs" in bankctl("related", "Peter").out
    assert bankctl("page", "move", "entities/Peter", "entities/Pete").code == 0
    assert (bank / "bank/entities/Pete.md").exists()


def test_an_id_that_nothing_can_be_done_with_is_answered_with_what_there_is_to_do(bank: Path, bankctl: Run) -> None:
    assert "nothing with this id waits; bankctl review list" in bankctl("review", "accept", "nope").err
    said = bankctl("archive", "m-aaaaaaaaaaaa")

    assert (said.code, "what to do comes before the id: list, put, restore" in said.err) == (2, True)
    assert bankctl("help").out == bankctl("--help").out


def test_the_demo_learns_two_weeks_answers_five_questions_and_is_gone(
    bankctl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()

    result = bankctl("demo")

    assert result.code == 0
    assert "= duplicate memory/2026-05-07.md:9" in result.out
    assert "! screened  memory/2026-05-08.md:14" in result.out
    assert "AKIA" not in result.out
    assert result.out.count("  ? ") == 5
    assert "? 가치관이 뭐야?\n    bank/identity/values.md:6  가치관: 정직을 최우선으로 한다." in result.out
    assert "nothing relevant" not in result.out
    assert "\x1b" not in result.out
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_demo_can_be_kept_but_touches_no_folder_in_use(bankctl: Run, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used/mine.txt").write_text("mine")

    assert bankctl("demo", "--keep", str(tmp_path / "used")).code == 3
    assert bankctl("demo", "--keep", str(tmp_path / "kept")).code == 0
    found = bankctl("search", "가치관", "--workspace", str(tmp_path / "kept"), "--json").json
    assert found["hits"][0]["path"] == "bank/identity/values.md"


BANKCTL = [sys.executable, "-c", "from bankd.cli import main; raise SystemExit(main())"]
FOREIGN = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def shell(command: str, root: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    words = " ".join(f'"{word}"' for word in BANKCTL)
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}
    program = ["bash", "-c", command.replace("bankctl", words)]
    return subprocess.run(program, cwd=root, env={**inherited, **env}, capture_output=True, timeout=60, check=False)


@pytest.fixture
def learned(root: Path, bankctl: Run) -> Path:
    (root / "memory/2026-05-02.md").write_text("- S: 가치관: 정직을 최우선으로 한다.\n", encoding="utf-8")
    bankctl("cycle", "micro", "--now", "2026-05-03T03:00")
    return root


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_a_closed_stream_is_no_reason_to_fail(learned: Path, redirection: str) -> None:
    done = shell(f"bankctl log {redirection}", learned)

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_and_a_full_disk_have_their_exit_codes(learned: Path) -> None:
    gone = shell("bankctl log | true; exit ${PIPESTATUS[0]}", learned)
    full = shell("bankctl log > /dev/full", learned)

    assert gone.returncode in {0, 141}
    assert full.returncode == 3
    assert full.stderr == b"bankctl: No space left on device\n"


def test_a_locale_that_is_not_utf8_changes_nothing_but_what_the_terminal_can_show(learned: Path) -> None:
    found = shell("bankctl search 가치관 --json", learned, **FOREIGN)
    shown = shell("bankctl search 가치관", learned, **FOREIGN)
    in_letters = shell("bankctl search 가치관 --json", learned)
    added = shell("bankctl add 'W: 커피를 마신다.' && tail -n 1 memory/*-*-*.md", learned, **FOREIGN)
    korean = shell("bankctl search 가치관", learned, **FOREIGN, PYTHONIOENCODING="euc-kr")

    assert found.stdout.isascii()
    assert "정직을 최우선으로 한다." in in_letters.stdout.decode()
    assert json.loads(found.stdout)["hits"][0]["text"] == "가치관: 정직을 최우선으로 한다."
    assert b"\\uac00\\uce58\\uad00" in shown.stdout
    assert "커피를 마신다.".encode() in added.stdout
    assert "정직을 최우선으로" in korean.stdout.decode("euc-kr")
    assert [one.returncode for one in (found, shown, added, korean)] == [0, 0, 0, 0]


def test_a_bug_has_an_exit_code_that_no_answer_has(bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bankd.cli.search.search_command", lambda _: {}["no"])

    said = bankctl("search", "tea")

    assert said.code == 70
    assert "KeyError" in said.err
    assert said.err.splitlines()[-1].startswith("bankctl: this is a bug in bankd")


def test_the_next_step_that_init_names_can_be_typed_as_it_stands(tmp_path: Path, bankctl: Run) -> None:
    root = tmp_path / "내 노트's 금고"

    said = bankctl("init", str(root)).out

    (line,) = (line for line in said.splitlines() if line.strip().startswith("cd "))
    there = subprocess.run(["bash", "-c", line.split("&&")[0] + "&& pwd"], capture_output=True, check=True)
    assert there.stdout.decode().strip() == str(root)


@pytest.mark.parametrize("limit", ["-n 8", "-v 60000", "-v 200000"])
@pytest.mark.parametrize("words", ["cycle micro", "search deploy"])
def test_a_limit_of_the_shell_ends_in_a_sentence(learned: Path, limit: str, words: str) -> None:
    said = shell(f"ulimit {limit}; bankctl {words}", learned)

    assert said.returncode in {0, 1, 3}
    assert b"Traceback" not in said.stderr
    assert said.returncode == 0 or said.stdout or said.stderr.startswith((b"bankctl: ", b"! "))


def test_a_shell_that_starts_does_not_wait_for_what_commands_do() -> None:
    program = (
        "import sys; from bankd.cli import main; main(['completions', 'bash', 'search', '--']); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert "bankd.cli.base" in loaded
    assert not {"bankd.cli.show", "bankd.cycle", "bankd.wiring.workspace", "bankd.memory.report", "yaml"} & set(loaded)


_TYPED = re.compile(
    r"bankctl(?: [^,;()|]*)?|[\w./@#^=-]*(?:\.md|\.yaml|\.py|-micro|-reflect)(?![a-z])[\d:-]*|\^?m-[a-z2-7]{12}|\{[^}]*\}|@\w+|--?[a-z-]+"
    r"|(?<![a-zA-Z])(?:ID|DIR|micro|reflect|systemd|c=|week|person|Retain|KiB|KB|MB|Linux|inotify|ok|bankd)(?![a-zA-Z])|[\w]*[/.]\S+"
)
"""What may stand in a Korean answer: commands, files, ids, names, settings, units."""


def test_a_korean_session_has_no_english_in_it(root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    first = "W @민호: 부산에 산다.", "B: 아침에 물을 마신다.", "O(c=0.4): 여름이 좋다."
    later = "W @민호: 대전에 산다.", "W: 열쇠는 문 옆에 있다.", "X: 모름", "W: "
    learn(root, bankctl, "2026-05-11.md", *first, now=NOW)
    learn(root, bankctl, "2026-05-12.md", *later, now="2026-05-13T03:00")
    (id_,) = (row["id"] for row in map(json.loads, bankctl("export").out.splitlines()) if "부산" in row["text"])
    bankctl("page", "move", "entities/민호", "entities/민수")
    page = root / "bank/entities/민수.md"
    page.write_text(page.read_text().replace("대전", "광주"))
    commands = [
        "cycle micro", "search 부산 --no-plain", "search --explain 부산", "search --files 부산", "search 코끼리 --no-plain", "related @민호", "related @민수",
        "related 없음", f"related {id_}", "timeline", "timeline @민호", f"show {id_}", "show", "show memory/2026-05-12.md:7", "log",
        "brief", "brief day --now 2026-05-13T21:00", "brief week", "brief person @민호", "brief person @없음",
        "review list", "review list fading contradictions", "status", "doctor", "doctor verify", "doctor clock", "doctor index",
        "config check", "config route W:부산", "archive", "archive candidates", "archive forecast", "archive gc",
        "page links", f"feedback used {id_}", "distil --rules", "undo --dry-run", f"forget --everywhere {id_}",
        f"forget --dry-run {id_}", "backup /nowhere/x", f"review drop {id_} --dry-run", f"archive put {id_}", f"archive restore {id_}",
    ]  # fmt: skip
    english = {}
    for command in commands:
        said = bankctl(*command.split())
        if found := re.findall(r"[A-Za-z]{2,}[A-Za-z ]*", _TYPED.sub(" ", said.out + said.err)):
            english[command] = found

    assert "  직접 실행함 " in bankctl("status").out
    assert not english, "\n".join(f"{one}: {found}" for one, found in english.items())


def test_slips_are_answered_and_what_a_person_did_is_told(bank: Path, bankctl: Run) -> None:
    for empty in ([""], ["  "], ["W: a b", " "]):
        assert "say what to remember" in bankctl("add", *empty).err
    assert "did you mean bank/entities/Peter.md?" in bankctl("related", "Petr").err
    for asked in ({"query": " "}, {"query": "", "now": "2026-05-12"}):
        with pytest.raises(UsageError, match="say what to search for"), closing(Asked(str(bank))) as asking:
            asking.ask({"op": "search", **asked})
    assert "The deploy runs" in bankctl("search", "--on", "2026-05-11").out

    for name in ("Peter", "@Peter", "entities/Peter"):
        assert bankctl("edit", name, "--print").out == "bank/entities/Peter.md:1\n"
    assert "did you mean bank/entities/Peter.md?" in bankctl("edit", "Petr").err

    page = bank / "bank/entities/Peter.md"
    page.write_text(page.read_text().replace("10:00", "noon"))
    bankctl("show", "last")
    assert "~ by hand   bank/entities/Peter.md" in bankctl("cycle", "micro", "--now", NOW).out
    assert "nothing new" in bankctl("cycle", "micro", "--now", NOW).out

    id_ = bankctl("export").out.split('"')[3]
    bankctl("page", "move", "entities/Peter", "entities/Pete")
    assert "nothing new" in bankctl("cycle", "micro", "--now", NOW).out  # bankd's own change
    told = bankctl("show", id_).out
    assert "on bank/entities/Peter.md: names @Peter" in told
    assert f"put on bank/entities/Pete.md by {last_run(bankctl)}" in told


def test_a_brief_names_no_page_as_a_person_and_says_what_waits_to_be_filed(root: Path, bankctl: Run) -> None:
    people, inbox = root / "bank/entities/people.md", root / "bank/_meta/inbox.md"
    people.write_text("# People\n\n- S: My aunt bakes. ^m-aaaaaaaaaaaa\n")
    inbox.write_text("# Inbox\n\n- S: A stray line. ^m-bbbbbbbbbbbb\n")

    assert bankctl("brief").out.splitlines() == [
        "- A stray line. · not filed yet · m-bbbbbbbbbbbb", "- My aunt bakes. · m-aaaaaaaaaaaa"
    ]  # fmt: skip


def test_forget_says_what_stays_and_wants_an_id(bank: Path, bankctl: Run) -> None:
    text = "The deploy runs at 10:00"
    refused = bankctl("forget", text)
    assert refused.code == 3
    assert f"{text}: not the id of a memory; bankctl search --ids finds it" in refused.err
    assert (
        "yourself (bankctl edit LINE opens one); then, for copies of them: bankctl forget TEXT"
        in bankctl("forget", "--everywhere", text).out
    )


def test_the_name_of_the_file_of_rules_is_told(bank: Path, bankctl: Run) -> None:
    (bank / "routing.yaml").rename(bank / "rules.yaml")
    bankctl("config", "set", "routing", "rules.yaml")

    assert "at rules.yaml:" in bankctl("config", "route", "W: The deploys take an hour.").out


def test_a_bank_whose_folder_is_gone_is_not_read_as_an_empty_one(bank: Path, bankctl: Run) -> None:
    (bank / "bank").rename(bank / "away")

    for words in (("search", "deploy"), ("related", "@Peter"), ("timeline",), ("brief",), ("show", "1")):
        refused = bankctl(*words)
        assert (refused.code, refused.out) == (3, ""), words
        assert f"{bank}/bank: no such folder; put it back from a copy, or from a backup: bankctl restore" in refused.err


def test_forget_everywhere_takes_a_number_and_only_says_what_would_go(bank: Path, bankctl: Run) -> None:
    (hit,) = bankctl("search", "--json", "When does the deploy run?", "-n", "1").json["hits"]
    bankctl("search", "When does the deploy run?", "-n", "1")

    said = bankctl("forget", "1", "--everywhere", "--apply").out

    assert said.startswith(f"would be forgotten: {hit['text']}\n")
    assert f"nothing was written; to do it: bankctl forget {hit['id']} --everywhere --apply" in said
    assert hit["id"] in (bank / hit["path"]).read_text("utf-8")


def test_the_same_again_says_what_is_the_case(bank: Path, bankctl: Run) -> None:
    (hit,) = bankctl("search", "--json", "When does the deploy run?", "-n", "1").json["hits"]
    twice = bankctl("review", "place", hit["id"], f"{hit['id']}x", "house")
    assert twice.err.count("house: no such page") == 1
    bankctl("archive", "put", hit["id"])
    assert f"{hit['id']}: is in the archive; bankctl archive restore" in bankctl("archive", "put", hit["id"]).err


def test_a_name_that_is_typed_wrong_is_said_to_be_so_by_brief_too(bank: Path, bankctl: Run) -> None:
    learn(bank, bankctl, "2026-05-03.md", "W @Jonas: Moved to Porto.")

    assert "did you mean bank/entities/Jonas.md?" in bankctl("brief", "meeting", "Jonsa").out
