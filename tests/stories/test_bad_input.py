"""Bad input: a clear message with its place, the right exit code, nothing lost, and everything else done."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bankd.config.workspace import load_usable_settings
from bankd.errors import UserError
from bankd.settings import SecretsPolicy, Settings
from bankd.storage.events import append_line
from bankd.storage.tree import FileTree, Syscalls
from tests.examples import examples, texts
from tests.settings import change_setting
from tests.stories.conftest import Result, Run, learn, tree_state, write_log

NOW = "2026-06-10T03:00"
IDS = re.compile(r"\^(m-[a-z2-7]{12})")


def kept(root: Path) -> int:
    return sum(
        len(re.findall(r"\^m-", page.read_text(errors="replace"))) for page in (root / "bank").glob("[a-z]*/*.md")
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"- W: bytes \xff\xfe here", "not UTF-8"),
        (b"- W: " + b"x" * (50 << 20), "longer than 64 KiB"),
        (b"- X: unknown", "unknown tag X"),
        (b"- W: one\r- W: two", "save the log with line feeds"),
    ],
    ids=["bytes", "50 MB line", "tag", "carriage returns"],
)
def test_a_bad_line_is_named_and_the_others_are_learned(root: Path, bankctl: Run, line: bytes, said: str) -> None:
    log = root / "memory/2026-05-02.md"
    log.write_bytes(b"## Retain\n- S: first value\n" + line + b"\n- S: second value\n")

    report = bankctl("cycle", "micro", "--now", NOW, "--json")

    assert report.code == 0
    (bad,) = (row for row in report.json["rows"] if row["kind"] == "bad")
    assert bad["place"] == "memory/2026-05-02.md:3"
    assert said in bad["reason"]
    assert kept(root) == 2


def test_pages_and_logs_nested_beyond_any_sense_stop_nothing(root: Path, bankctl: Run) -> None:
    quote, items = "> " * 1_000 + "q\n", "".join(f"{'  ' * n}- W: level{n}\n" for n in range(300))
    page = root / "bank/knowledge/deep.md"
    page.write_text(f"# Deep\n\n{quote}\n{items}")
    before = page.read_bytes()
    (root / "memory/2026-05-02.md").write_text(f"{quote}\n- S: 가치관: 정직\n")

    for kind in ("micro", "reflect"):
        assert bankctl("cycle", kind, "--now", NOW).code == 0

    assert kept(root) == 1
    assert page.read_bytes() == before
    assert bankctl("search", "level299", "--json").json["hits"][0]["path"] == "bank/knowledge/deep.md"


def test_special_files_and_links_out_are_left_alone(root: Path, bankctl: Run, tmp_path: Path) -> None:
    os.mkfifo(root / "memory/fifo.md")
    os.mkfifo(root / "bank/knowledge/fifo.md")
    secret = tmp_path / "outside.md"
    secret.write_text("- W: outside\n")
    (root / "memory/link.md").symlink_to(secret)
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")

    assert bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"] == {"learned": 1, "waiting": 3}


@pytest.mark.parametrize(("file", "text", "said"), examples("settings", "wrong files"))
def test_a_wrong_file_stops_the_run_before_anything_is_written(
    root: Path, bankctl: Run, file: str, text: str, said: str
) -> None:
    (root / file).write_text(text)
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")
    before = tree_state(root)

    checked, ran = bankctl("config", "check"), bankctl("cycle", "micro", "--now", NOW)
    looked = bankctl("status")

    assert (checked.code, ran.code, looked.code) == (3, 3, 3)
    assert all(part in checked.out and part in ran.err and part in looked.out for part in said.split(" | "))
    assert tree_state(root) == before


@pytest.mark.parametrize(
    "text", ["setle_seconds: 0\nsearch: {analyser: lexicon}\n", "timezone: [}\n"], ids=["typo", "no YAML"]
)
def test_who_only_looks_is_answered_beside_wrong_settings(
    root: Path, bankctl: Run, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직", "plain prose")
    before = [bankctl("search", "가치관"), *looks(root, bankctl)]
    good = (root / "bankd.yaml").read_text("utf-8")
    (root / "bankd.yaml").write_text(text)
    state = tree_state(root / "memory") | tree_state(root / "bank")

    after, refused = [bankctl("search", "가치관"), *looks(root, bankctl)], bankctl("add", "W: a")

    assert [one.code for one in after] == [one.code for one in before] == [0] * 6
    assert all(set(old.out.splitlines()) <= set(new.out.splitlines()) for old, new in zip(before, after, strict=True))
    assert "bankd.yaml:1: " in after[0].err
    assert caplog.text.count("bankd.yaml:1: ") == 5  # which a command prints on standard error
    assert bankctl("doctor").out.count("bankd.yaml:1: ") == 1
    assert refused.code == 3
    assert "nothing is written until this is corrected" in refused.err
    assert tree_state(root / "memory") | tree_state(root / "bank") == state

    (root / "bankd.yaml").write_text(good, "utf-8")
    assert "bankd.yaml" not in bankctl("search", "가치관").err


def looks(root: Path, bankctl: Run) -> list[Result]:
    """What commands say that only look."""
    (id_,) = set(IDS.findall((root / "bank/identity/values.md").read_text("utf-8")))
    asked = (f"show {id_}", "show memory/2026-05-02.md:4", "show memory/2026-05-02.md:5", "review list", "log")
    return [bankctl(*words.split()) for words in asked]


def test_a_secret_that_the_settings_name_stays_out_of_answers_while_they_are_wrong(root: Path, bankctl: Run) -> None:
    change_setting(root, "patterns: []", "patterns: ['ZEBRA-[0-9]+']")
    bankctl("search", "anything")
    (root / "bankd.yaml").write_text("timezone: [\n")
    (root / "memory/2026-05-02.md").write_text("The gate opens with ZEBRA-4711 tonight.\n")

    assert "4711" not in bankctl("search", "gate opens tonight", "--in", "logs").out


def test_settings_that_cannot_be_used_are_as_if_left_out(tmp_path: Path) -> None:
    file = tmp_path / "bankd.yaml"
    file.write_text("settle_seconds: many\nsplit: {warn_kib: 20}\nsecrets: {patterns: [fine, '(']}\ntimezone: UTC\n")

    settings, problems = load_usable_settings(file)

    assert settings == Settings(timezone="UTC", secrets=SecretsPolicy(("fine",)))
    assert [problem.partition(":")[2].partition(":")[0] for problem in problems] == ["1", "2", "3"]


@pytest.mark.parametrize("folder", ["memory", "bank"])
def test_a_missing_folder_is_not_taken_for_an_empty_one(root: Path, bankctl: Run, folder: str) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직")
    (root / folder).rename(root / "elsewhere")

    result = bankctl("cycle", "micro", "--now", NOW)

    assert result.code == 3
    assert str(root / folder) in result.err
    (root / "elsewhere").rename(root / folder)
    assert bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"] == {}


def test_what_is_added_by_hand_must_be_readable_and_no_credential_is_written_down(root: Path, bankctl: Run) -> None:
    secret = bankctl("add", "W: password=hunter2hunter2")
    assert (secret.code, "looks like a credential (password)" in secret.err) == (3, True)
    assert not list((root / "memory").glob("*.md"))
    assert bankctl("add", "O(c=1.7): too sure").code == 2
    assert bankctl("add", "   ").code == 2
    assert bankctl("add", "S: 가치관: 정직").code == 0
    assert bankctl("add", "plain words").code == 0
    assert bankctl("add", "O(c=0.9): a tag of its own", "--tag", "B").code == 2
    assert bankctl("add", "S: and the same one", "--tag", "S").code == 0
    (log,) = (root / "memory").glob("*.md")
    assert log.read_text(encoding="utf-8").endswith(
        "## Retain\n- S: 가치관: 정직\n- W: plain words\n- S: and the same one\n"
    )


def test_the_workspace_may_be_named_before_the_command_and_of_none_it_says_how_to_make_one(
    root: Path, bankctl: Run
) -> None:
    assert bankctl("--workspace", str(root), "config", "check").code == 0
    assert bankctl("config", "check", "--workspace", str(root)).code == 0
    none = bankctl("--workspace", str(root / "nowhere"), "config", "check")
    assert (none.code, "bankctl init" in none.err) == (3, True)


def test_the_inbox_shows_each_line_on_one_line_however_long_it_is(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "W: " + "qwxz " * 2000, "W: zxcv\n  on two lines")

    shown = bankctl("review", "list").out.splitlines()

    long, short = (row for row in shown if "W: " in row[:12])
    assert long.endswith("…")
    assert short.endswith("] W: zxcv on two lines")
    assert sum("qwxz" in row for row in shown) == 1
    assert max(map(len, shown)) <= 210


def test_a_missing_routing_file_is_named_with_the_setting_and_no_rules_at_all_are_not_called_fine(
    root: Path, bankctl: Run
) -> None:
    (root / "routing.yaml").write_text("TAG_ROUTING: {}\n")
    empty = bankctl("config", "check")
    change_setting(root, "routing: routing.yaml", "routing: rules.yaml")
    missing = bankctl("config", "check")

    assert (empty.code, missing.code) == (0, 3)
    assert "there are no rules" in empty.out
    assert "rules.yaml: no such file; make it, or correct the setting `routing`" in missing.out


@pytest.mark.parametrize(("flags", "fix"), [(os.ST_RDONLY, "mount that disk for writing"), (0, "chown -R $USER")])
def test_the_doctor_tells_a_disk_that_takes_nothing_from_a_folder_of_others(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch, flags: int, fix: str
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_flag=flags, f_bavail=1, f_frsize=1 << 30, f_files=0))

    told = bankctl("doctor").out

    assert fix in told
    assert ("on a disk that is read-only" in told) == bool(flags)


def test_the_doctor_misses_a_folder_of_links(root: Path, bankctl: Run) -> None:
    change_setting(root, "roots: []", "roots: [../vault]")

    before = bankctl("doctor")
    (root / "../vault").mkdir()

    assert "vault is no folder" in before.out
    assert "vault" not in bankctl("doctor").out


LOOKS = [tuple(words.split()) for words in texts("commands", "of some days")]
"""What a person types in the course of some days."""


@pytest.mark.parametrize(("opened", "closed"), [("%%", "%%"), ("<!--", "-->")])
def test_the_doctor_names_a_comment_that_never_ends(root: Path, bankctl: Run, opened: str, closed: str) -> None:
    page = root / "bank/world/facts.md"
    page.write_text(f"# Facts\n\n- tea\n\n{opened}\nnot yet\n\n- [habits](../patterns/habits.md)\n")

    told = bankctl("doctor")
    page.write_text(page.read_text() + f"{closed}\n")

    assert "--  bank/world/facts.md:5: a comment begins and never ends" in told.out
    assert "never ends" not in bankctl("doctor").out


def test_bytes_and_names_that_are_not_utf8_stop_no_command(root: Path, bankctl: Run) -> None:
    page = root / "bank/world/facts.md"
    bad = (
        b"- bad \xff\xfe xylophone\n- [[no\xffwhere]] [a](b\xff.md)\n- O(c=0.5): tea \xff\n\n## part \xff\n\n- below\n"
    )
    page.write_bytes(page.read_bytes() + bad)
    for folder in ("bank", "bank/world", "memory", "archive", "events", "recall", "."):
        make_unnamed(root / folder)
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")

    said = {words: bankctl(*words) for words in LOOKS}

    assert {words: done.code for words, done in said.items() if done.code not in {0, 1, 3}} == {}
    assert "1 learned, 1 dated" in said["cycle", "reflect", "--now", "2026-06-11T03:00"].out
    assert "bank/world/facts.md:5: bytes that are not UTF-8" in said["doctor", "--json"].out
    (hit,) = said["search", "--json", "xylophone"].json["hits"]
    assert hit["text"] == "bad \ufffd\ufffd xylophone"
    pages = b"".join(path.read_bytes() for path in (root / "bank/world").rglob("*.md"))
    assert b"- bad \xff\xfe xylophone\n- [[no\xffwhere]] [a](b\xff.md)\n- O(c=0.5@2026-06-11): tea \xff\n" in pages


@pytest.mark.parametrize("is_git_at_work", [True, False])
def test_what_stands_on_a_page_that_nobody_can_read_now_is_not_lost(
    root: Path, bankctl: Run, *, is_git_at_work: bool
) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직")
    page = root / "bank/identity/values.md"
    if is_git_at_work:
        (root / ".git").mkdir()
        (root / ".git/index.lock").touch()
    else:
        page.unlink()
        page.symlink_to("/dev/null")

    said = bankctl("doctor", "verify")

    assert f"bank/identity/values.md  {'git is at work (index.lock)' * is_git_at_work}" in said.out
    assert "lost" not in said.out


@pytest.mark.parametrize("name", ["archive", "events"])
def test_a_file_where_a_folder_belongs_is_named_by_who_looks(root: Path, bankctl: Run, name: str) -> None:
    for path in (root / name).iterdir():
        path.unlink()
    (root / name).rmdir()
    (root / name).write_text("x", "utf-8")
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")

    run, status, doctor = bankctl("cycle", "micro", "--now", NOW), bankctl("status"), bankctl("doctor")
    (root / name).unlink()

    assert (run.code, status.code, doctor.code) == (3, 3, 3)
    assert f"! nothing can be written: {root / name} is no folder  → put one in its place" in status.out
    assert f"!!  {root / name} is no folder" in doctor.out
    assert bankctl("cycle", "micro", "--now", NOW).code == 0
    assert kept(root) == 1


OWN = ("reports", "runs", "done", "txn", "stage", "trash")


@pytest.mark.parametrize("name", OWN)
def test_what_stands_where_a_folder_of_bankd_belongs_stops_no_run(root: Path, bankctl: Run, name: str) -> None:
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")
    folder = root / ".bankd" / name
    if folder.is_dir():
        folder.rmdir()
    folder.write_text("x", "utf-8")

    run = bankctl("cycle", "micro", "--now", NOW)

    assert (run.code, kept(root)) == (0, 1)
    assert bankctl("doctor", "verify").out.endswith("all promises hold\n")
    assert "1 learned" in bankctl("log").out
    assert bankctl("undo", re.findall(r"\S+-micro", run.out)[-1]).code == 0


def test_a_link_where_a_folder_of_bankd_belongs_is_not_followed(root: Path, bankctl: Run, tmp_path: Path) -> None:
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")
    (tmp_path / "elsewhere").mkdir()
    for name in OWN:
        if (root / ".bankd" / name).is_dir():
            (root / ".bankd" / name).rmdir()
        (root / ".bankd" / name).symlink_to(tmp_path / "elsewhere")

    assert bankctl("cycle", "micro", "--now", NOW).code == 0
    assert kept(root) == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("taken", ["identity", "_meta"])
def test_a_file_where_a_folder_of_the_bank_belongs_stops_only_what_goes_there(
    root: Path, bankctl: Run, taken: str
) -> None:
    folder = root / "bank" / taken
    shutil.rmtree(folder)
    folder.write_text("x", "utf-8")
    write_log(root, "2026-05-02.md", "S: 가치관: 정직", "W: xylophones hum", "O @Kim: likes tea")
    waiting = "inbox.md" if taken == "_meta" else "values.md"

    run, again = bankctl("cycle", "micro", "--now", NOW), bankctl("cycle", "micro", "--now", NOW)

    assert (run.code, again.code) == (0, 0)
    assert f"! left alone bank/{taken}/{waiting}\n    bank/{taken} is no folder; put one in its place" in run.out
    pages = [page.read_text() for page in root.glob("bank/**/*.md") if page.name != "schema.md"]
    assert len(IDS.findall("".join(pages))) == 2
    assert f"waits for bank/{taken}/{waiting}" in again.out
    assert bankctl("doctor", "verify").code == 0
    if taken == "_meta":
        assert "bank/_meta/tree-index.json: Not a directory; it is made anew by the next run" in run.out
        status = bankctl("status")
        assert "! bank/_meta/inbox.md cannot be written: bank/_meta is no folder  → put one in its place" in status.out
    folder.unlink()
    assert "waiting" not in bankctl("cycle", "micro", "--now", NOW).out


def test_the_status_names_a_page_with_merge_markers_until_they_are_gone(root: Path, bankctl: Run) -> None:
    page = root / "bank/world/notes.md"
    page.write_text("# N\n\n<<<<<<< ours\n- one\n=======\n- two\n>>>>>>> theirs\n", "utf-8")
    bankctl("cycle", "micro", "--now", NOW)

    torn = bankctl("status")
    page.write_text("# N\n\n- one\n", "utf-8")

    assert (torn.code, bankctl("status").code) == (3, 0)
    assert "! bank/world/notes.md is left alone: has merge markers at line 3; resolve the merge" in torn.out


def test_the_doctor_names_lost_memories_unread_bad_lines_and_a_missing_index(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직", "W: The harbour froze.")
    page = next(page for page in root.glob("bank/*/*.md") if "정직" in page.read_text("utf-8"))
    bankctl("search", "harbour")
    well = bankctl("doctor", "--json").json
    page.write_text("# Empty of it\n", "utf-8")
    shutil.rmtree(root / ".bankd/index")
    write_log(root, "2026-05-03.md", "Q: which tag?")
    change_setting(root, "timezone: ", "timezone: Mars/")
    found, status = bankctl("doctor", "--json").json, bankctl("status")

    assert not [*well["pages"], *well["index"]]
    assert [one["text"] for one in found["index"]] == ["there is none yet"]
    assert "memory/2026-05-03.md:4 was not taken in: unknown tag Q" in str(found["log lines"])
    assert ["is on no page" in one["text"] for one in found["pages"]] == [True]
    assert "memories not counted yet, " in status.out
    assert bankctl("status", "--json").json["bank"]["memories"] is None
    assert bankctl("status", "--json").json["timezone"] == ""


@pytest.mark.parametrize("folder", ["bank", "memory", "archive"])
def test_a_page_whose_name_is_not_utf8_is_named_and_a_picture_is_not(root: Path, bankctl: Run, folder: str) -> None:
    make_unnamed(root / folder)
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")

    run, doctor, status = bankctl("cycle", "micro", "--now", NOW), bankctl("doctor"), bankctl("status")

    for name in (r"page\xff.md", r"fold\xff/in.md"):
        assert f"! {folder}/{name} is left alone: its name is not UTF-8; rename it" in status.out
        assert f"{folder}/{name}\n    its name is not UTF-8; rename it" in run.out
        assert f"{folder}/{name} is left alone: its name is not UTF-8; rename it" in doctor.out
    assert "pic" not in run.out + doctor.out
    assert kept(root) == 1


def make_unnamed(folder: Path) -> None:
    (folder / "fold\udcff").mkdir(parents=True)
    for name in ("pic\udcff.png", "page\udcff.md", "fold\udcff/in.md", "fold\udcff/pic.png"):
        (folder / name).write_text("- W: zebra\n")


def test_words_that_are_not_utf8_are_refused(root: Path, bankctl: Run) -> None:
    for words in (("search", "a\udcff"), ("add", "W: \udcff"), ("show", "memory/\udcff.md:2"), ("\udcff",)):
        said = bankctl(*words)

        assert said.code == 2
        assert "\\xff" in said.err
        assert "not UTF-8" in said.err


def test_a_workspace_whose_path_is_not_utf8_is_refused(
    tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "notes\udcff"
    folder.mkdir()
    (folder / "bankd.yaml").write_text("")
    monkeypatch.setenv("BANKD_WORKSPACE", str(folder))

    said = bankctl("status")

    assert said.code == 3
    assert "its path is not UTF-8; rename the folder" in said.err


@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_logs_in_utf16_are_read_when_whole_and_named_when_not(root: Path, bankctl: Run, mark: str) -> None:
    text = f"{mark}## Retain\r\n- S: 가치관: 정직\r\n"
    (root / "memory/2026-05-01.md").write_bytes(text.encode("utf-16-le"))
    (root / "memory/2026-05-02.md").write_bytes(text.replace("정직", "용기").encode("utf-16-be"))
    (root / "memory/2026-05-03.md").write_bytes(text.encode("utf-16-le") + b"x")

    report = bankctl("cycle", "micro", "--now", NOW, "--json")

    assert report.json["counts"] == {"learned": 2, "bad": 1}
    (bad,) = (row for row in report.json["rows"] if row["kind"] == "bad")
    assert bad["place"] == "memory/2026-05-03.md:1"
    assert "save it as UTF-8" in bad["reason"]
    assert "정직" in (root / "bank/identity/values.md").read_text("utf-8")
    assert bankctl("doctor", "verify").code == 0


def test_a_line_of_the_event_log_that_lacks_something_is_named_and_the_others_count(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직")
    (log,) = (root / "events").glob("*.jsonl")
    lines = log.read_text("utf-8").splitlines()
    odd = ['{"at":"2026-06-01","type":"said"}', '{"id":"kept:m-1","at":"2026-06-01","type":"kept"}', "no JSON", "[1]"]
    log.write_text("".join(f"{line}\n" for line in (*odd[:2], *lines, *odd[2:])), "utf-8")

    run, looked = bankctl("cycle", "reflect", "--now", "2026-06-11T03:00", "--json"), bankctl("status")
    doctor, shown = bankctl("doctor"), bankctl("show", "memory/2026-05-02.md:4")

    name = f"events/{log.name}"
    assert (run.code, run.json["counts"]) == (0, {})
    assert "kept" in shown.out
    assert f"{name}:1: an event without id" in looked.out
    assert f"{name}:2: an event without memory" in doctor.out
    assert f"{name}:{len(lines) + 4}: not a JSON object" in doctor.out
    assert (looked.code, doctor.code) == (3, 3)


def test_nothing_is_added_to_a_log_in_another_encoding(root: Path) -> None:
    log = root / "memory/2026-05-01.md"
    log.write_bytes("\ufeff- W: tea\n".encode("utf-16-le"))
    before = log.read_bytes()

    with pytest.raises(UserError, match="save it as UTF-8 first"):
        append_line(FileTree(root), "2026-05-01.md", "- W: coffee")

    assert log.read_bytes() == before


def rows_of(report: Result, kind: str) -> dict[str, str]:
    return {row["place"]: row["reason"] for row in report.json["rows"] if row["kind"] == kind}


@contextmanager
def a_folder_in_its_place(page: Path) -> Iterator[None]:
    text = page.read_bytes()
    page.unlink()
    page.mkdir()
    yield
    page.rmdir()
    page.write_bytes(text)


@contextmanager
def a_second_hard_link(page: Path) -> Iterator[None]:
    copy = page.with_name("copy.txt")
    os.link(page, copy)
    yield
    copy.unlink()


@contextmanager
def another_file_system(page: Path) -> Iterator[None]:
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", page.parent], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", page.parent], check=True)


@contextmanager
def marked_immutable(page: Path) -> Iterator[None]:
    if subprocess.run(["chattr", "+i", page], capture_output=True, check=False).returncode:
        pytest.skip("this file system or user cannot mark a file immutable")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", page], check=True)


@pytest.mark.parametrize(
    ("hindered", "said"),
    [
        (a_folder_in_its_place, "a folder"),
        (a_second_hard_link, "hard link"),
        (another_file_system, "another file system"),
        (marked_immutable, "chattr -i"),
    ],
)
def test_a_page_that_cannot_be_written_is_named_as_that_and_only_its_lines_wait(
    root: Path, bankctl: Run, hindered: Callable[[Path], AbstractContextManager[None]], said: str
) -> None:
    page = "bank/identity/values.md"
    write_log(root, "2026-05-02.md", "S: 가치관: 정직", "B: 매일 아침 산책을 한다", "S: 가치관: 정직")

    with hindered(root / page):
        report, again = (bankctl("cycle", "micro", "--now", NOW, "--json") for _ in range(2))
        looks = [bankctl("status").out, bankctl("doctor").out]
    mended = bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"]

    assert (report.code, report.json["counts"]["learned"]) == (0, 1)
    assert said in (rows_of(report, "left alone") | rows_of(report, "waiting"))[page]
    assert rows_of(report, "waiting")["memory/2026-05-02.md:4"] == f"waits for {page}"
    assert again.json["counts"] == {kind: n for kind, n in report.json["counts"].items() if kind != "learned"}
    assert all(page in look for look in looks) or hindered is another_file_system
    assert mended == {"learned": 1, "duplicate": 1}
    assert page not in bankctl("status").out
    assert bankctl("doctor", "verify").code == 0
    assert not list((root / ".bankd/txn").glob("*.json"))


def test_a_page_that_refuses_to_be_replaced_costs_only_what_was_meant_for_it(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = Syscalls.exchange

    def refuse(self: Syscalls, old: str, old_folder: int, new: str, new_folder: int) -> None:
        if new == "values.md":
            raise PermissionError(errno.EPERM, "no", old)
        exchange(self, old, old_folder, new, new_folder)

    monkeypatch.setattr(Syscalls, "exchange", refuse)
    write_log(root, "2026-05-02.md", "S: 가치관: 정직", "B: 매일 아침 산책을 한다")
    report = bankctl("cycle", "micro", "--now", NOW, "--json")
    monkeypatch.undo()
    monkeypatch.setenv("BANKD_WORKSPACE", str(root))

    assert report.code == 0
    assert report.json["counts"] == {"learned": 1, "waiting": 1}
    assert rows_of(report, "waiting") == {"memory/2026-05-02.md:4": "waits for bank/identity/values.md"}
    assert any("bank/identity/values.md: cannot be written" in note for note in report.json["notes"])
    assert not list((root / ".bankd/stage").iterdir())
    assert bankctl("cycle", "micro", "--now", NOW).code == 0
    assert len(IDS.findall((root / "bank/identity/values.md").read_text("utf-8"))) == 1
    assert bankctl("doctor", "verify").code == 0


@pytest.mark.parametrize(
    "convert", [lambda text: text.encode("utf-16"), lambda text: text.replace("\n", "\r").encode()], ids=["16", "CR"]
)
def test_a_page_saved_as_no_run_reads_it_is_left_alone_and_nothing_on_it_counts_as_deleted(
    root: Path, bankctl: Run, convert: Any
) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직", "S: 가치관: 배움")
    page = root / "bank/identity/values.md"
    was = page.read_text("utf-8")
    page.write_bytes(convert(was))
    saved = page.read_bytes()
    write_log(root, "2026-05-03.md", "S: 가치관: 침착", "B: walks at seven")

    run, status = bankctl("cycle", "micro", "--now", NOW, "--json").json, bankctl("status").out
    assert (run["counts"], page.read_bytes()) == ({"learned": 1, "waiting": 2}, saved)
    assert "bank/identity/values.md" in status

    page.write_text(was, "utf-8")
    assert bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"] == {"learned": 1}
    assert bankctl("doctor", "verify").code == 0


def test_what_a_run_as_another_user_left_is_named_and_no_journal_is_set_aside_for_it(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")
    run = bankctl("cycle", "micro", "--now", NOW, "--json").json["run"]
    (journal,) = (root / ".bankd/done").glob("*.json")
    access, open_ = os.access, os.open

    def refuse(path: Any, flags: int, *others: Any, **more: Any) -> int:
        if str(path).endswith(journal.name):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return open_(path, flags, *others, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode, **more: path != journal and access(path, mode, **more))
        patch.setattr(os, "open", refuse)
        status, doctor = bankctl("status"), bankctl("doctor")
        write_log(root, "2026-05-03.md", "B: walks at seven")
        assert bankctl("cycle", "micro", "--now", NOW).code == 0

    said = f".bankd/done/{journal.name} may not be read and written by bankd: was it run as another user?"
    assert f"! {said}  → give all of it back: sudo chown -R $USER" in status.out
    assert f"!!  {said}" in doctor.out
    assert (status.code, doctor.code, kept(root)) == (3, 3, 2)
    assert list((root / ".bankd").rglob("*.bad")) == []
    assert bankctl("undo", run).code == 0


def test_a_command_for_a_page_that_cannot_be_written_says_so_and_changes_nothing(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")
    report = bankctl("cycle", "micro", "--now", NOW, "--json")
    for page in ("identity/values.md", "world/facts.md"):
        os.link(root / "bank" / page, root / page.replace("/", "-"))
    before = tree_state(root)
    (id_,) = IDS.findall((root / "bank/identity/values.md").read_text("utf-8"))
    refused = [
        bankctl("forget", id_),
        bankctl("undo", report.json["run"]),
        bankctl("page", "move", "world/facts.md", "world/truths.md"),
    ]

    assert [run.code for run in refused] == [3, 3, 3]
    assert all(".md: has a second hard link" in run.err for run in refused)
    assert tree_state(root) == before


@pytest.mark.parametrize("rules", [
    "TAG_ROUTING:\n  S:\n    - {match: x, target: _meta/schema.md}\n", "TAG_ROUTING:\n\ndefaults: {S: _Meta/inbox.md}\n",
])  # fmt: skip
def test_no_rule_leads_to_the_pages_of_bankd_itself(root: Path, bankctl: Run, rules: str) -> None:
    (root / "routing.yaml").write_text(rules)
    write_log(root, "2026-05-02.md", "S: x")
    refused = bankctl("cycle", "micro", "--now", NOW)

    assert refused.code == 3
    assert refused.err.count("routing.yaml:3: ") == 1
    assert "bank/_meta/" in refused.err


@pytest.mark.parametrize("command", [
    ("page", "split", "_meta/schema.md"), ("page", "merge", "_meta/inbox.md"), ("page", "move", "_meta/inbox.md", "inbox.md"), ("page", "move", "_meta", "x"),
    ("page", "move", "knowledge/tools.md", "_meta/tools.md"), ("review", "place", "m-x", "_meta/schema.md"),
])  # fmt: skip
def test_no_command_moves_memories_to_or_from_the_pages_of_bankd_itself(
    root: Path, bankctl: Run, command: tuple[str, ...]
) -> None:
    before = tree_state(root)
    refused = bankctl(*command)

    assert refused.code == 3
    assert "bank/_meta/" in refused.err
    assert tree_state(root) == before


def test_lines_that_were_not_taken_in_are_named_until_they_are_edited_or_dismissed(root: Path, bankctl: Run) -> None:
    log = root / "memory/2026-05-02.md"
    log.write_text("## Retain\n- X: unknown\n- W: the password: hunter2-Xy7!\n- Z: odd\n")
    first = bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"]
    log.write_text(log.read_text() + "- W: The cat is called Miso.\n")
    second = bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"]
    assert (first["bad"], second.get("bad")) == (2, None), "each is told once, and listed until it is decided"
    listed = {line["place"]: line for line in bankctl("review", "list", "--json").json["bad"]}
    said = [bankctl("status").out, bankctl("doctor").out]
    dismissed = bankctl("review", "drop", "memory/2026-05-02.md:2")
    log.write_text("\n" + log.read_text().replace("- Z: odd", "- W: odd"))
    later = bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"]

    assert [line["reason"].partition(" ")[0] for line in listed.values()] == ["unknown", "it", "unknown"]
    assert "hunter2" not in str(listed)
    assert all("memory/2026-05-02.md:2" in words for words in said)
    assert dismissed.code == 0
    assert later["learned" if "learned" in later else "inbox"] == 1
    assert "bad" not in later
    assert [line["place"] for line in bankctl("review", "list", "--json").json["bad"]] == ["memory/2026-05-02.md:4"]
    assert bankctl("show", "memory/2026-05-02.md:3", "--json").json["outcome"] == "dismissed"
    assert bankctl("log", "--json").json["runs"][0]["cycle"] == "dismiss"
    assert bankctl("review", "drop", "memory/2026-05-02.md:3").code == 3


def test_right_after_a_run_its_lines_are_known_to_stand_where_they_do(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")
    os.utime(root / "memory/2026-05-02.md", (1_000_000_000, 1_000_000_000))
    for page in (root / "bank").rglob("*.md"):
        os.utime(page, (1_000_000_000, 1_000_000_000))
    bankctl("cycle", "micro")

    assert bankctl("show", "memory/2026-05-02.md:4", "--json").json["sentence"] == "stands in bank/identity/values.md"


@pytest.mark.parametrize("words", [("search", "tea"), ("timeline",), ("distil", "--rules"), ("cycle", "micro")])
def test_a_day_at_the_end_of_the_calendar_is_refused_as_today(root: Path, bankctl: Run, words: tuple[str, ...]) -> None:
    for day in ("0001-01-01", "9999-12-31", "tomorrow"):
        refused = bankctl(*words, "--now", day)

        assert refused.code == 2
        assert f"'{day}' is not a moment" in refused.err or f"now: {day} is not a day such as 2026-05-02" in refused.err


@pytest.mark.parametrize("option", ["--since", "--until", "--on", "--as-of"])
def test_a_day_at_the_end_of_the_calendar_can_be_asked_for(root: Path, bankctl: Run, option: str) -> None:
    learn(root, bankctl, "2026-05-02.md", "W: Peter drinks tea.")
    asked = [("search", "tea")] if option == "--as-of" else [("search", "tea"), ("timeline",)]

    for words, day in product(asked, ("9999-12-31", "9999-12-30", "0001-01-01", "0001-01-02")):
        bounds_nothing = (option, day[:4]) in {("--since", "0001"), ("--until", "9999"), ("--as-of", "9999")}
        answer = bankctl(*words, option, day)
        remark = "! nothing relevant\n" if words[0] == "search" and not bounds_nothing else ""
        assert (answer.code, answer.err) == (0 if bounds_nothing else 1, remark)
        assert ("Peter drinks tea." in answer.out) == bounds_nothing


def test_purging_passes_by_what_cannot_be_read_and_names_it(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: something to be purged")
    for name in ("bank/fifo.md", "recall/fifo.md", "events/fifo-0001.jsonl"):
        (root / name).parent.mkdir(exist_ok=True)
        os.mkfifo(root / name)
    for name in ("bank/large.md", "recall/large.md"):
        with (root / name).open("wb") as file:
            file.truncate(10 << 30)
    (root / "bank/zero.md").symlink_to("/dev/zero")
    (root / "notes.txt").write_bytes(
        b"x" * (1 << 20) + b"\n\nsomething to be purged, something to be purged\n" + b"y" * (1 << 20)
    )
    with (root / "events/other-0001.jsonl").open("wb") as file:
        file.write(b'no JSON: something to be purged\n{"id": "a", "at": "2026", "type": "x"}\n')

    purged = bankctl("forget", "--everywhere", "--apply", "--json", "something to be purged")

    assert purged.code == 0, purged.err
    beyond = purged.json["beyond"]
    assert [place for place in beyond if ".md:" in place or ".txt:" in place] == [
        "memory/2026-05-02.md:4",
        "notes.txt:3",
    ]
    for name in ("bank/fifo.md", "recall/fifo.md", "events/fifo-0001.jsonl", "bank/large.md", "recall/large.md"):
        assert any(place.startswith(f"{name}, which cannot be looked through: ") for place in beyond), name
    assert (root / "events/other-0001.jsonl").read_bytes().startswith(b'no JSON: [purged]\n{"id": "a"')


@pytest.mark.parametrize("words", [("search", "anything"), ("status",), ("cycle", "micro"), ("doctor", "verify")])
def test_a_folder_of_its_own_that_is_a_link_is_refused_by_all(
    root: Path, bankctl: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (root / ".bankd").rename(tmp_path / "away")
    (root / ".bankd").symlink_to(tmp_path / "away")

    said = bankctl(*words)

    assert said.code == 3
    assert f"{root / '.bankd'}: is a link" in said.err
    assert {path.name for path in (tmp_path / "away").iterdir()} == {".gitignore"}


def test_a_file_that_goes_away_while_a_folder_is_looked_at_is_no_error(
    root: Path, bankctl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent").mkdir()
    change_setting(root, "roots: []", f"roots: [{tmp_path / 'agent'}]")
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직", "B: 매일 아침 산책을 한다")
    for folder in (tmp_path / "agent", root / "bank/identity", root / "memory"):
        (folder / "a-passing.md").write_text("# Passing\n")
    scandir = os.scandir

    def scan(folder: Any) -> Any:
        found = list(scandir(folder))
        opened = isinstance(folder, int)
        with suppress(FileNotFoundError):
            os.unlink("a-passing.md" if opened else f"{folder}/a-passing.md", dir_fd=folder if opened else None)
        return nullcontext(found)

    monkeypatch.setattr(os, "scandir", scan)

    report = bankctl("cycle", "reflect", "--now", "2026-06-11T03:00", "--json")

    assert report.code == 0, report.err
    assert report.json["counts"] == {}
    assert kept(root) == 2


@pytest.mark.parametrize(
    ("before", "anywhere"),
    [("- X: a choice\n- W: another\n", True), ("## Retain\n- W: tea\n\n## Notes\nprose", False), ("```\nopen", True)],
    ids=["a list of choices", "another heading", "open code block"],
)
def test_what_is_added_is_read_by_the_next_run_or_refused(
    root: Path, bankctl: Run, before: str, anywhere: bool
) -> None:
    bankctl("config", "set", "retain.anywhere", str(anywhere).lower())
    bankctl("add", "W: first")
    (log,) = (root / "memory").glob("*.md")
    log.write_text(before, encoding="utf-8")

    added = bankctl("add", "W: The cat is called Miso.")
    report = bankctl("cycle", "micro").out

    assert (added.code, "Miso" in report) == ((3, False) if "```" in before else (0, True))
    assert log.read_text("utf-8") == before or "\n\n## Retain\n- W: The cat is called Miso.\n" in log.read_text("utf-8")
