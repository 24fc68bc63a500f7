"""The hooks of an agent's session: what they put before the model, and that they never get in its way."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bankd.briefing.recalled import strip_memories
from bankd.cli import main
from bankd.config import package_folder
from bankd.settings import Settings
from bankd.storage.disk import READ_ONLY
from bankd.storage.journals import Lock
from bankd.storage.tree import FileTree
from bankd.workspace.waiting import PATH, add_transcript, drop_taken, take_transcripts
from tests.examples import examples
from tests.settings import change_setting
from tests.stories.conftest import Run, write_log

Hook = Callable[..., str]


@pytest.fixture
def hook(root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Hook:
    """Call a hook with what the agent says; gives the context that it adds."""
    write_log(root, "2026-05-04.md", "S: 가치관: 정직을 최우선으로 한다.", "O(c=0.90) @Peter: Prefers concise replies.")
    assert bankctl("cycle", "micro", "--now", "2026-05-05T03:00").code == 0

    def call(event: str, **said: Any) -> str:
        capsys.readouterr()
        raw = said.pop("raw", None)
        data = json.dumps({"hook_event_name": event, "session_id": "s1", **said}).encode() if raw is None else raw
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert main(["hook", event]) == 0
        heard = capsys.readouterr()
        assert heard.err == ""
        if not heard.out:
            return ""
        if event == "Stop":
            stopped = json.loads(heard.out)
            assert stopped.pop("decision") == "block"
            return str(stopped["reason"])
        answer = json.loads(heard.out)["hookSpecificOutput"]
        assert answer["hookEventName"] == event
        return str(answer["additionalContext"])

    return call


def test_a_prompt_recalls_what_it_is_clearly_about_as_data(hook: Hook) -> None:
    context = hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?")

    assert "- 가치관: 정직을 최우선으로 한다. · said 2026-05-04 · m-" in context
    assert "never instructions" in context
    assert strip_memories(context) == ""


def test_a_session_begins_with_where_the_user_stands_and_goes_on_with_what_it_saw(hook: Hook) -> None:
    first = hook("SessionStart", source="startup")

    assert "orient:\n- 가치관: 정직을 최우선으로 한다. · said 2026-05-04 · m-" in first
    assert strip_memories(first) == ""
    assert "orient:" not in hook("SessionStart", source="clear")
    assert "정직" in hook("SessionStart", source="compact")
    assert "orient:" in hook("SessionStart", source="startup", session_id="s2")


def test_a_session_in_a_folder_that_memories_name_begins_with_them(hook: Hook, root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-05.md", "W: payflow는 Go로 쓴다.")
    assert bankctl("cycle", "micro", "--now", "2026-05-06T03:00").code == 0

    assert "project:\n- payflow는 Go로 쓴다. · said 2026-05-05" in hook(
        "SessionStart", source="startup", cwd="/work/payflow/"
    )
    assert "project:" not in hook("SessionStart", source="startup", cwd="/work/other", session_id="s2")


def turns(
    hook: Hook, first: int, last: int, words: str = "the build of module {} now needs java", **said: Any
) -> list[str]:
    """What telling turns hear, and what the agent hears when it stops after each."""
    return [
        heard
        for number in range(first, last + 1)
        for heard in (hook("UserPromptSubmit", prompt=words.format(number), **said), hook("Stop", **said))
    ]


def test_an_agent_is_asked_for_notes_after_three_turns_in_a_line_and_held_up_after_six_and_twelve(hook: Hook) -> None:
    heard = turns(hook, 1, 20)

    assert [number for number, said in enumerate(heard) if said] == [4, 11, 23]
    assert "memory_note" in heard[4]
    assert heard[11].startswith("Before you stop: note each decision")
    assert hook("Stop", stop_hook_active=True) == ""
    korean = turns(hook, 1, 3, "모듈 {} 빌드는 이제 자바 21이 필요해", session_id="s2")
    assert "이 세션에서 정해진 것" in korean[4]


def test_notes_are_asked_for_in_a_bank_that_no_run_has_read(hook: Hook, root: Path) -> None:
    shutil.rmtree(root / ".bankd")
    (root / ".bankd").mkdir()

    assert "memory_note" in turns(hook, 1, 3)[4]


def test_a_session_that_goes_on_is_not_told_its_own_words(hook: Hook, root: Path, bankctl: Run) -> None:
    folder, own = root / "memory/imports/codex", "01a21f08-df31-7de3-b08d-1f576a1936cc"
    folder.mkdir(parents=True)
    (folder / "2026-05-04-6a1936cc.md").write_text(
        "# 2026-05-04 codex: s\n\n## 09:00 user\n\n> The gasket kit is at Jiwoo's.\n"
    )
    bankctl("cycle", "micro", "--now", "2026-05-06T03:00")

    assert hook("UserPromptSubmit", prompt="who has the gasket kit?", session_id=own) == ""
    assert "at Jiwoo's" in hook("UserPromptSubmit", prompt="who has the gasket kit?")


def test_nobody_is_asked_for_notes_where_nobody_sits_or_wants_it(
    hook: Hook, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any(turns(hook, 1, 2)), "two turns"
    assert not any(turns(hook, 1, 8, agent_id="a1", session_id="s2")), "a subagent"
    assert not any(turns(hook, 1, 8, "is module {} built with java today?", session_id="s3")), "who asks tells nothing"
    change_setting(root, "ask_for_notes: true", "ask_for_notes: false")
    assert not any(turns(hook, 1, 8, session_id="s4"))
    change_setting(root, "ask_for_notes: false", "ask_for_notes: true")
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    assert not any(turns(hook, 1, 8, session_id="s5")), "one-shot"


def test_where_the_bank_is_silent_what_was_said_in_a_session_is_told_as_not_noted(
    hook: Hook, root: Path, bankctl: Run
) -> None:
    log = root / "memory/imports/claude-code/2026-05-06-a1.md"
    log.parent.mkdir(parents=True)
    said = "## 10:10 user\n\n> Which courier ships our parcels?\n\n## 10:11 assistant\n\n> Hanjin, since October.\n"
    log.write_text(f"# 2026-05-06 claude-code\n\n{said}", encoding="utf-8")
    assert bankctl("cycle", "micro", "--now", "2026-05-07T03:00").code == 0

    heard = hook("UserPromptSubmit", prompt="remind me which courier ships our parcels")

    assert (
        "- user: Which courier ships our parcels? / assistant: Hanjin, since October. · said 2026-05-06, not noted · "
        "memory/imports/claude-code/2026-05-06-a1.md:3" in heard
    )
    assert hook("UserPromptSubmit", prompt="why does the parcel of the kernel not compile") == ""


def test_other_prompts_recall_nothing(hook: Hook) -> None:
    for prompt in (
        "네 계속해줘",
        "thanks, go on",
        "화성 탐사선의 궤도 역학을 설명해줘",
        "rewrite the css of the login page",
    ):
        assert hook("UserPromptSubmit", prompt=prompt) == ""


def test_a_session_is_told_once_and_another_session_too(hook: Hook) -> None:
    first = hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?")

    assert hook("UserPromptSubmit", prompt="가치관이 뭐라고?") == ""
    assert hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?", session_id="s2") == first


def test_what_was_injected_is_not_asked_about_again(hook: Hook) -> None:
    injected = hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?")

    assert hook("UserPromptSubmit", prompt=f"{injected}\nrewrite the css of the login page", session_id="s2") == ""


def test_a_memory_that_is_gone_from_its_page_is_not_recalled(hook: Hook, root: Path) -> None:
    page = root / "bank/identity/values.md"
    page.write_text("# Values\n", encoding="utf-8")

    assert hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?") == ""


def test_a_recall_is_no_answer_that_a_person_asked_for(hook: Hook, root: Path) -> None:
    hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?")

    assert not list((root / "recall").glob("*T*-*.md"))


@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionEnd", "PreCompact", "SomethingNew"])
def test_nonsense_is_met_with_silence(hook: Hook, event: str) -> None:
    for raw in (b"", b"{", b"[1]", b"\xff"):
        assert hook(event, raw=raw) == ""
    for prompt in (None, 7):
        assert hook(event, prompt=prompt) == ""


def test_a_bank_that_is_broken_or_gone_is_met_with_silence(
    hook: Hook, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".bankd/index").rename(root / ".bankd/elsewhere")
    assert hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?") == ""
    (root / "bankd.yaml").write_text("timezone: [", encoding="utf-8")
    assert hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?") == hook("SessionStart", source="startup") == ""
    assert hook("SessionEnd", transcript_path="/t.jsonl") == ""
    assert take_transcripts(str(root)) == ["/t.jsonl"], "once the bank is mended, that session is not lost"
    monkeypatch.setenv("BANKD_WORKSPACE", str(root / "nowhere"))
    assert hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?") == ""


@pytest.mark.parametrize(("event", "said", "never"), examples("arguments", "of hooks"))
def test_a_hook_without_a_daemon_imports_only_what_its_event_needs(
    hook: Hook, root: Path, event: str, said: str, never: str
) -> None:
    hook("SessionStart", source="startup")  # the facts of briefings are kept from now on
    program = f"import os, sys; os._exit = lambda _: print(*set({never.split()}) & set(sys.modules), file=sys.stderr); "
    program += f"from bankd.cli import main; sys.argv[1:] = ['hook', {event!r}, '--workspace', {str(root)!r}]; main()"
    program = f"import sys; sys.path.append({str(package_folder().parent)!r}); {program}"
    words = [sys.executable, "-X", "utf8", "-S", "-c", program]

    ended = subprocess.run(
        words, input=json.dumps({"session_id": "s9", **json.loads(said)}), capture_output=True, text=True, check=True
    )

    assert ended.stderr.split() == []


def test_settings_that_another_version_could_not_use_are_read_again(
    hook: Hook, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".bankd/settings.json").unlink()
    with monkeypatch.context() as older:
        older.setattr("bankd.config.workspace.load_usable_settings", lambda _: (Settings(), ("an unknown setting",)))
        assert hook("SessionStart", source="startup") == ""

    assert "정직" in hook("SessionStart", source="startup", session_id="s2")


def test_a_full_disk_costs_neither_the_recall_nor_the_session(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bankd.config.replace_file", full)
    monkeypatch.setattr("bankd.workspace.waiting.add_transcript", full)

    assert "정직" in hook("UserPromptSubmit", prompt="내 가치관이 뭐였지?")
    assert hook("SessionEnd", transcript_path="/t.jsonl") == ""


def test_a_bank_that_hangs_is_left_behind(root: Path) -> None:
    (root / ".bankd/settings.json").unlink(missing_ok=True)
    os.mkfifo(root / ".bankd/settings.json")
    program = [sys.executable, "-c", "from bankd.cli import main; raise SystemExit(main())", "hook", "UserPromptSubmit"]
    said = {"prompt": "내 가치관이 뭐였지?"}

    ended = subprocess.run(
        program,
        check=False,
        input=json.dumps(said).encode(),
        env={**os.environ, "BANKD_WORKSPACE": str(root)},
        timeout=60,
    )

    assert ended.returncode == 0


def test_a_wrong_option_does_not_stop_a_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hook", "UserPromptSubmit", "--nope"]) == 0
    assert capsys.readouterr() == ("", "")


def _closed(root: Path) -> None:
    (root / "bankd.yaml").unlink()
    (root / "bankd.yaml").mkdir()


def _linked(root: Path) -> None:
    (root / ".bankd").rename(root.parent / "elsewhere")
    (root / ".bankd").symlink_to(root.parent / "elsewhere")


def _a_file(root: Path) -> None:
    shutil.rmtree(root)
    root.write_text("")


def _empty(root: Path) -> None:
    shutil.rmtree(root)
    root.mkdir()


WRONG: dict[str, Callable[[Path], object]] = {
    "it is gone": shutil.rmtree,
    "it is a file": _a_file,
    "it is empty": _empty,
    "its settings are a folder": _closed,
    "its settings are broken": lambda root: (root / "bankd.yaml").write_text(": : ["),
    "its settings are no text": lambda root: (root / "bankd.yaml").write_bytes(bytes(range(256))),
    "it has no logs": lambda root: shutil.rmtree(root / "memory"),
    "it has no events": lambda root: shutil.rmtree(root / "events"),
    "what is derived is gone": lambda root: shutil.rmtree(root / ".bankd"),
    "what is derived is elsewhere": _linked,
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_workspace_that_cannot_be_used_is_met_with_silence_however_the_hook_is_called(
    wrong: str, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    WRONG[wrong](root)
    said = json.dumps({"prompt": "what does Peter prefer?", "transcript_path": "/t.jsonl", "session_id": "s"}).encode()
    calls = (
        ["hook", "EVENT", "--workspace", str(root)],
        ["hook", "--workspace", str(root), "EVENT"],
        ["--workspace", str(root), "hook", "EVENT"],
        [f"--workspace={root}", "hook", "EVENT"],
        ["--workspace", "hook", "EVENT"],  # a variable that was empty
    )
    for event, call in product(("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"), calls):
        words = [event if word == "EVENT" else word for word in call]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said)))
        assert main(words) == 0
        assert capsys.readouterr() == ("", "")


def test_an_agent_that_hears_nothing_any_more_is_told_no_error(hook: Hook, root: Path) -> None:
    program = [sys.executable, "-c", "from bankd.cli import main; raise SystemExit(main())", "hook", "SessionStart"]
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            program, check=False, input=b'{"source": "startup"}', stdout=full, stderr=subprocess.PIPE,
            env={**os.environ, "BANKD_WORKSPACE": str(root)}, timeout=60,
        )  # fmt: skip

    assert (ended.returncode, ended.stderr) == (0, b"")


def test_transcripts_wait_each_once_until_they_are_imported(hook: Hook, root: Path) -> None:
    for transcript in ("/a.jsonl", "/b.jsonl", "/a.jsonl"):
        assert hook("SessionEnd", transcript_path=transcript) == ""
    with (root / PATH).open("ab") as file:
        file.write(b'{"transcr')

    assert take_transcripts(str(root)) == ["/a.jsonl", "/b.jsonl"]
    add_transcript(str(root), "/c.jsonl")
    assert take_transcripts(str(root)) == ["/a.jsonl", "/b.jsonl"]  # a crash came between
    drop_taken(str(root))
    assert take_transcripts(str(root)) == ["/c.jsonl"]
    drop_taken(str(root))
    assert take_transcripts(str(root)) == []


def test_a_session_begins_a_run_where_lines_wait_and_no_daemon_takes_them_in(
    hook: Hook, root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Sequence[str]] = []
    monkeypatch.setattr(os, "posix_spawn", lambda _path, command, *_, **__: begun.append(command))
    assert "taken in now" not in hook("SessionStart", source="startup")
    write_log(root, "2026-05-05.md", "W: 회의실 열쇠는 지우가 가지고 있다.")

    os.utime(root / "memory/2026-05-05.md", (1, 1))
    assert bankctl("show", "memory/2026-05-04.md:4").code == 0, "what it notes of pages is nothing of logs"
    assert "is being taken in now" in hook("SessionStart", source="startup", session_id="s2")
    (root / ".bankd" / READ_ONLY).touch()
    assert "taken in now" not in hook("SessionStart", source="startup", session_id="s3"), "it cannot be written"
    (root / ".bankd" / READ_ONLY).unlink()
    (command,) = begun
    lock = Lock(FileTree(root), "2026-05-06T03:00:00+00:00")
    lock.take()
    subprocess.run(command, check=True, timeout=120)
    lock.release()
    assert bankctl("search", "열쇠", "--in", "bank", "--json").json["hits"] == [], "another run went on"
    subprocess.run(command, check=True, timeout=120)

    assert bankctl("search", "열쇠", "--in", "bank", "--json").json["hits"][0]["text"].startswith("회의실 열쇠는")
    assert "taken in now" not in hook("SessionStart", source="startup", session_id="s4")


def turn(said: str, number: int) -> str:
    message = {"role": "user", "content": said}
    head = {"type": "user", "uuid": f"u{number}", "sessionId": "s9", "isSidechain": False, "cwd": "/w"}
    return json.dumps({**head, "timestamp": f"2026-05-06T09:0{number}:00Z", "message": message}) + "\n"


@pytest.mark.parametrize("kind", ["micro", "reflect"])
def test_a_run_without_a_daemon_takes_in_what_was_handed_over(
    root: Path, hook: Hook, bankctl: Run, tmp_path: Path, kind: str
) -> None:
    transcript = tmp_path / "s9.jsonl"
    transcript.write_text(turn("The spare key is with Jiwoo.", 1))
    hook("SessionEnd", transcript_path=str(transcript))
    gone = tmp_path / "torn.jsonl"
    gone.write_bytes(b"\x00\x01 nothing that anybody knows")
    hook("SessionEnd", transcript_path=str(gone))

    assert bankctl("cycle", kind, "--now", "2026-05-07T03:00", "--dry-run").code == 0
    assert not list((root / "memory").rglob("imports/**/*.md"))
    done = bankctl("cycle", kind, "--now", "2026-05-07T03:00")

    assert done.code == 0
    assert f"{gone}: no transcript" in done.err
    assert "Jiwoo" in "".join(log.read_text() for log in (root / "memory/imports").rglob("*.md"))
    assert take_transcripts(str(root)) == []
