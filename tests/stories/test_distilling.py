"""A night with a language model: a command that the user named stands for it, and answers from a file."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, Popen

import pytest

from bankd.briefing.shown import count_tokens
from bankd.night.believe import SYSTEM as AGAIN
from bankd.night.distil import SYSTEM
from tests.contracts.test_command import is_gone, wait_until
from tests.settings import change_setting
from tests.stories.conftest import Run

NOW = "2026-05-03T03:00"
PROSE = "# 2026-05-02\n\nWe moved the queue to SQLite. Dana signs the release.\n\n## Later\n\n어제 서버 포트를 8080으로 바꿨다.\n"
PROGRAM = """
import json, pathlib, sys
asked = json.load(sys.stdin)["messages"][0]["content"]
calls = pathlib.Path(__file__).with_name("calls.txt")
calls.write_text((calls.read_text() if calls.exists() else "") + asked + "\\n")
line = lambda text, n: {"text": text, "tag": "W", "about": [], "sources": [n], "memory": "", "questions": []}
if "</log>\\n1. " in asked:
    is_trial = "# 2026-05-01" in asked
    print(json.dumps({"lines": [{"number": n, "problem": "", "supported": not is_trial or n % 2 == 0} for n in range(1, 7)]}))
    sys.exit()
queue = [line("The queue runs on SQLite.", 1), line("Marco signs the release.", 1), line("서버 포트는 8080이다.", 2)]
print(json.dumps({"lines": queue if "SQLite" in asked else []}))
"""


@pytest.fixture
def night(root: Path, tmp_path: Path) -> Path:
    """The workspace, its settings naming the command."""
    program = tmp_path / "model.py"
    program.write_text(PROGRAM, "utf-8")
    change_setting(root, 'provider: "off"', "provider: command")
    change_setting(root, 'command: ""', f"command: {sys.executable} {program}")
    (root / "memory" / "2026-05-02.md").write_text(PROSE, "utf-8")
    return root


def calls(root: Path, tmp_path: Path) -> int:
    file = tmp_path / "calls.txt"
    return file.read_text("utf-8").count("<log>") if file.exists() else 0


def test_a_night_says_what_would_be_sent_then_learns_from_it_and_shows_what_it_did_not_believe(
    night: Path, bankctl: Run, tmp_path: Path
) -> None:
    planned = bankctl("distil", "--dry-run", "--text", "--now", NOW)
    assert "would send 1 piece of the logs: at most 4 calls, " in planned.out
    assert "1| We moved the queue to SQLite." in planned.out
    (night / "memory" / "2026-05-01.md").write_text("# 2026-05-01\n\nIt rained.\n", "utf-8")
    assert "would send 2 pieces of the logs: at most 4 calls, " in bankctl("distil", "--dry-run", "--now", NOW).out
    (night / "memory" / "2026-05-01.md").unlink()
    assert calls(night, tmp_path) == 0

    ran = bankctl("cycle", "reflect", "--now", NOW)

    assert ran.code == 0, ran.err
    assert "1 piece of the logs distilled to 2 lines" in ran.out + ran.err
    (hit,) = bankctl("search", "what does the queue run on", "--json").json["hits"][:1]
    assert hit["text"] == "The queue runs on SQLite."
    assert "Marco" not in bankctl("search", "Marco signs the release", "--in", "bank,logs").out, "nobody said so"
    assert "not believed: the name Marco is not in its source lines" in bankctl("review", "list").out
    assert "would send 0 pieces of the logs: at most 0 calls" in bankctl("distil", "--dry-run", "--now", NOW).out
    assert calls(night, tmp_path) == 3, "the day, the lines made of it, and a trial"


def test_what_a_night_may_cost_counts_verifying(night: Path, bankctl: Run, tmp_path: Path) -> None:
    planned = bankctl("distil", "--dry-run", "--json", "--now", NOW).json

    bankctl("distil", "--now", NOW)

    sent = (tmp_path / "calls.txt").read_text("utf-8")
    assert sent.count("<log>") == 3 == planned["calls"] - 1
    assert count_tokens(SYSTEM + AGAIN * 2 + sent) <= planned["input_tokens"]
    assert planned["output_tokens"] >= 3 * 100


def test_a_night_that_is_replayed_from_kept_replies_writes_the_same_bytes(
    night: Path, bankctl: Run, tmp_path: Path
) -> None:
    bankctl("cycle", "reflect", "--now", NOW)
    distilled = night / "memory" / "distilled" / "2026-05-02.md"
    first, asked = distilled.read_bytes(), calls(night, tmp_path)
    distilled.unlink()
    shutil.rmtree(night / ".bankd")

    again = bankctl("distil", "--json", "--now", "2026-05-04T03:00").json

    assert distilled.read_bytes() == first
    assert calls(night, tmp_path) == asked
    assert (again["pieces"], again["lines"], again["refused"], again["waiting"]) == (1, 2, 1, [])


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_night_that_is_killed_while_a_model_answers_leaves_no_process_and_the_next_one_goes_on(
    night: Path, bankctl: Run, tmp_path: Path, at: int
) -> None:
    hangs, program = tmp_path / "hangs.txt", tmp_path / "model.py"
    hang = f"import os, time\nhangs = pathlib.Path({str(hangs)!r})\nif not hangs.exists() and calls.read_text().count('<log>') == {at}:\n"
    hang += "    hangs.write_text(str(os.getpid()))\n    time.sleep(600)\n"
    program.write_text(PROGRAM.replace("line = lambda", hang + "line = lambda", 1), "utf-8")
    command = cycle_in(night, "reflect")
    with Popen(command, stdout=DEVNULL, stderr=DEVNULL) as killed:
        assert wait_until(lambda: hangs.exists() and bool(hangs.read_text()), 60)
        children = [one.name for one in Path("/proc").glob("[0-9]*") if is_child_of(killed.pid, one)]
        killed.kill()

    assert children
    assert wait_until(lambda: all(map(is_gone, [hangs.read_text(), *children])))
    assert bankctl("cycle", "reflect", "--now", "2026-05-04T03:00").code == 0
    lines = (night / "memory/distilled/2026-05-02.md").read_text("utf-8")
    assert [lines.count(text) for text in ("The queue runs", "Marco signs", "포트는 8080")] == [1, 1, 1]
    assert calls(night, tmp_path) == 4, "only what was not answered is asked again"


def cycle_in(workspace: Path, job: str) -> list[str]:
    """The command that has another process do a job."""
    program = str(Path(sys.executable).with_name("bankctl"))
    return [program, "--workspace", str(workspace), "cycle", job, "--now", NOW]


def is_child_of(parent: int, process: Path) -> bool:
    with suppress(OSError):
        return (process / "stat").read_text().rpartition(") ")[2].split()[1] == str(parent)
    return False


def test_others_may_write_while_a_night_asks_a_model(night: Path, bankctl: Run, tmp_path: Path) -> None:
    (night / "memory" / "2026-05-01.md").write_text("- W: The kettle is new.\n", "utf-8")
    bankctl("cycle", "micro", "--now", NOW)
    command = cycle_in(night, "micro")
    meanwhile = f"import subprocess\ndone = subprocess.run({command!r}, capture_output=True).returncode\n"
    meanwhile += "codes = pathlib.Path(__file__).with_name('codes.txt')\n"
    meanwhile += "codes.write_text((codes.read_text() if codes.exists() else '') + f'{done} ')\n"
    (tmp_path / "model.py").write_text(PROGRAM.replace("asked = ", meanwhile + "asked = ", 1), "utf-8")

    ran = bankctl("cycle", "reflect", "--now", NOW)

    assert ran.code == 0, ran.err
    codes = (tmp_path / "codes.txt").read_text("utf-8").split()
    assert len(codes) == 3, "the day, a trial, and the lines made of it"
    assert set(codes) == {"0"}
    assert "1 piece of the logs distilled to 2 lines" in ran.out + ran.err
    assert bankctl("search", "what does the queue run on", "--json").json["hits"]


def test_what_is_new_since_a_model_was_asked_waits_for_the_next_night(
    night: Path, bankctl: Run, tmp_path: Path
) -> None:
    log, text = str(night / "memory" / "2026-05-02.md"), PROSE + "## Last\n\nAnna left.\n"
    more = f"pathlib.Path({log!r}).write_text({text!r})\n"
    (tmp_path / "model.py").write_text(PROGRAM.replace("asked = ", more + "asked = ", 1), "utf-8")

    ran = bankctl("cycle", "reflect", "--now", NOW)

    assert "it waits to be distilled: it changed while the model was asked" in ran.out
    assert "Marco" not in bankctl("review").out


def test_a_model_that_fails_is_named_and_the_night_goes_on(night: Path, bankctl: Run, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("raise SystemExit('out of order')", "utf-8")
    (night / "memory" / "2026-05-01.md").write_text("- W: A tagged line is taken in.\n", "utf-8")

    ran = bankctl("cycle", "reflect", "--now", NOW)

    assert ran.code == 0
    assert "it waits to be distilled: " in ran.out
    assert "out of order" in ran.out
    assert bankctl("search", "tagged line", "--json").json["hits"]


def test_without_a_model_nothing_is_sent_and_the_command_says_how_to_name_one(root: Path, bankctl: Run) -> None:
    said = bankctl("distil", "--dry-run")
    assert (said.code, "bankctl distil --with claude" in said.err) == (3, True)


@pytest.mark.parametrize("name", ["host-2026.jsonl", "host-0001.jsonl.gz", "archive/host-0001.jsonl.gz"])
def test_a_purged_text_leaves_what_a_model_said_also_where_an_earlier_version_packed_it(
    night: Path, bankctl: Run, name: str
) -> None:
    bankctl("cycle", "reflect", "--now", NOW)
    (written,) = (night / "events" / "replies").glob("*.jsonl")
    replies, pack, unpack = written.parent / name, gzip.compress, gzip.decompress
    if not name.endswith(".gz"):
        pack = unpack = bytes
    said = pack(written.read_bytes())
    written.unlink()
    replies.parent.mkdir(exist_ok=True)
    replies.write_bytes(said)
    assert b"The queue runs on SQLite" in unpack(said)

    bankctl("forget", "--everywhere", "The queue runs on SQLite.", "--apply")

    left = unpack(replies.read_bytes())
    assert b"The queue runs on SQLite" not in left
    assert b"signs the release" in left
    assert all(json.loads(line) for line in left.splitlines())


def test_what_was_not_believed_is_taken_in_when_a_person_accepts_it(night: Path, bankctl: Run) -> None:
    bankctl("cycle", "reflect", "--now", NOW)
    (waiting,) = bankctl("review", "list", "--json").json["proposed"]

    assert bankctl("review", "accept", waiting["place"], "--dry-run").out.endswith(
        "would be: Accepted; the next run takes it in. Nothing was written\n  W: Marco signs the release.\n"
    )
    accepted = bankctl("review", "accept", waiting["place"], "--now", NOW)
    bankctl("cycle", "micro", "--now", "2026-05-03T04:00")

    assert accepted.code == 0, accepted.err
    assert not bankctl("review", "list", "--json").json["proposed"]
    (hit,) = bankctl("search", "who signs the release", "--json").json["hits"][:1]
    assert hit["text"] == "Marco signs the release."
    assert bankctl("review", "accept", waiting["place"]).code == 3, "it does not wait any more"


def test_without_a_model_rules_propose_what_asks_to_be_remembered(root: Path, bankctl: Run) -> None:
    talk = "## 09:12 user\n\n> Please remember that the staging database is called larch.\n> What time is it?\n> 배포는 화요일로 결정했다.\n"
    (root / "memory" / "2026-05-02.md").write_text(talk, "utf-8")

    tried = bankctl("distil", "--rules", "--dry-run", "--now", NOW, "--json").json
    proposed = bankctl("distil", "--rules", "--now", NOW)
    again = bankctl("distil", "--rules", "--now", "2026-05-04T03:00", "--json").json
    ran = bankctl("cycle", "micro", "--now", NOW, "--json").json
    listed = bankctl("review", "list").out
    stands = "".join(bankctl(word).out for word in ("status", "doctor"))

    assert ran["counts"] == {"proposed": 2}
    assert "2 lines are proposed, and wait for your word" in stands
    assert "not taken in" not in (stands + listed).replace("read and not taken in", "")
    assert "Proposals (2)" in listed
    assert "1 line of prose was read and not taken in" in listed, "the two lines that rules found are decided on here"
    assert "bankctl show memory/distilled/2026-05-02.md:5" in bankctl("show", "memory/2026-05-02.md:3").out
    assert "accept memory/distilled/2026-05-02.md:5 takes it in" in listed
    assert bankctl("show", "memory/distilled/2026-05-02.md:5", "--json").json["outcome"] == "proposed"
    assert [(one["place"], one["tag"], one["text"]) for one in tried["proposed"]] == [
        ("memory/2026-05-02.md:3", "W", "The staging database is called larch"),
        ("memory/2026-05-02.md:5", "W", "배포는 화요일로 결정했다"),
    ]
    assert "proposed: 2 lines" in proposed.out
    assert (again["proposed"], again["read"]) == ([], 0)
    waiting = bankctl("review", "list", "--json").json["proposed"]
    assert [one["reason"].partition(";")[0] for one in waiting] == ["proposed: asks to remember", "proposed: 결정함"]
    bankctl("review", "accept", waiting[0]["place"], "--now", NOW)
    bankctl("review", "drop", waiting[1]["place"], "--now", NOW)
    bankctl("cycle", "micro", "--now", "2026-05-03T04:00")
    first = bankctl("search", "staging database", "--json").json["hits"][0]
    assert first["text"] == "The staging database is called larch"
    assert not bankctl("review", "list", "--json").json["proposed"]


def test_a_log_that_was_saved_a_moment_ago_is_waited_for(root: Path, bankctl: Run) -> None:
    change_setting(root, "settle_seconds: 0", "settle_seconds: 1")
    (root / "memory/notes.md").write_text("Please remember that the staging database is called larch.\n", "utf-8")

    assert "proposed: 1 line" in bankctl("distil", "--rules", "--dry-run").out
    (root / "memory/notes.md").write_text("The larch is tall.\nIs it?\n", "utf-8")
    assert "2 lines of new prose read, no rule fits any" in bankctl("distil", "--rules").out
