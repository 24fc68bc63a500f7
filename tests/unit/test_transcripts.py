"""What is a turn in the rows of each format, and how turns become the text of a log."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from bankd.briefing.recalled import wrap_memories
from bankd.memory.retain import read_log
from bankd.transcripts.day_logs import chunks, is_log_of, keys_in_log, log_name, new_turns, opening
from bankd.transcripts.formats import (
    Dialogue,
    Recognised,
    TornRow,
    Turn,
    moment_of,
    own_words,
    read_export,
    read_lines,
    read_markdown,
)
from tests.examples import examples
from tests.odd_values import with_one_odd

AT = "2026-05-04T09:30:00.000Z"
OURS = wrap_memories("- 가치관: 정직을 최우선으로 한다.")


def lines(*rows: Any) -> list[str]:
    return [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) + "\n" for row in rows]


def claude(kind: str, content: Any, uuid: str = "u1", **more: Any) -> dict[str, Any]:
    row = {"type": kind, "message": {"role": kind, "content": content}, "uuid": uuid}
    return row | {"timestamp": AT, "sessionId": "s", "isSidechain": False, **more}


def codex(**payload: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": "response_item", "payload": payload}


def said(recognised: Recognised | None) -> list[tuple[str, str]]:
    assert recognised is not None
    return [(turn.speaker, turn.text) for item in recognised.conversations for turn in item.turns if turn.text]


def test_claude_code_keeps_what_was_said_and_a_line_of_each_tool() -> None:
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    found = read_lines(
        "s",
        lines(
            {"type": "queue-operation", "operation": "enqueue", "sessionId": "s", "content": "배포는 언제야?"},
            claude("user", "배포는 언제야?<system-reminder>not said</system-reminder>"),
            claude("attachment", "", "u2") | {"message": None, "attachment": {"content": OURS}},
            claude("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Friday."}, use]),
            claude("user", [{"type": "tool_result", "tool_use_id": "t", "content": "a\n" * 900}]),
            claude("user", "a summary", isCompactSummary=True),
            claude("user", "of a helper", isSidechain=True),
        ),
    )

    assert said(found) == [
        ("user", "배포는 언제야?"),
        ("assistant", 'Friday.\n\n[Bash: {"command": "ls"}]'),
        ("tool", f"[gave: {'a ' * 80}…]"),
    ]


def queue(operation: str, text: str = "", reason: str = "", at: str = AT) -> dict[str, Any]:
    row = {"type": "queue-operation", "operation": operation, "sessionId": "s", "timestamp": at}
    return row | ({"content": text} if text else {}) | ({"reason": reason} if reason else {})


def test_a_prompt_typed_while_the_agent_works_counts_once() -> None:
    def queued(text: Any, mode: str = "prompt") -> dict[str, Any]:
        command = {"type": "queued_command", "commandMode": mode, "prompt": text}
        return {"type": "attachment", "sessionId": "s", "timestamp": AT, "attachment": command}

    rows = [
        claude("user", "continue"),
        *(queue("enqueue", "in UTC"), queue("remove", "in UTC", "absorbed_mid_turn"), queued("in UTC")),
        *(queue("enqueue", "continue", at="2026-05-04T09:31:00Z"), queue("remove", "continue", "absorbed_mid_turn")),
        *(queue("enqueue", "with a row"), queue("dequeue"), claude("user", "with a row", "u2")),
        *(queue("enqueue", "taken back"), queue("remove", "taken back")),
        *(queue("enqueue", "taken back too"), queue("popAll")),
        queued([{"type": "image"}, {"type": "text", "text": "the red one"}]),
        queued("finished", "task-notification"),
        queue("enqueue", "still waits"),
    ]

    found = read_lines("s", lines(*rows))
    assert said(found) == [
        ("user", text) for text in ("continue", "in UTC", "continue", "with a row", "the red one")
    ]  # fmt: skip
    assert found is not None
    assert found.conversations[0].passed == {"attachment": 1}
    early = read_lines("s", lines(*rows[:3]))
    assert early is not None
    assert {turn.key for turn in early.conversations[0].turns if turn.text} <= {
        turn.key for turn in found.conversations[0].turns
    }


def test_codex_tells_a_prompt_twice_and_it_counts_once() -> None:
    def event(text: str) -> dict[str, Any]:
        return {"timestamp": AT, "type": "event_msg", "payload": {"type": "user_message", "message": text}}

    def own(text: str) -> dict[str, Any]:
        return codex(type="message", role="user", content=[{"type": "input_text", "text": text}])

    rows = [own("first"), event("first"), event("second"), own("second\n"), event("only here"), event("first")]
    assert [text for _, text in said(read_lines("r", lines(*rows)))] == [
        "first",
        "second\n".strip(),
        "only here",
        "first",
    ]


@pytest.mark.parametrize(("text", "own"), examples("transcripts", "own words"))
def test_only_what_a_person_typed_is_the_persons(text: str, own: str) -> None:
    assert own_words(text) == own
    assert said(read_lines("s", lines(claude("user", text)))) == ([("user", own)] if own else [])


def test_what_the_rows_say_of_themselves_is_believed() -> None:
    ask = {"type": "tool_use", "id": "q", "name": "AskUserQuestion", "input": {}}
    refused = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse make."
    )
    rows = [
        claude("user", "We decided on Fridays.", origin={"kind": "task-notification"}),
        claude("assistant", "API Error: always retry.", isApiErrorMessage=True),
        claude("assistant", [ask]),
        claude("user", [{"type": "tool_result", "tool_use_id": "q", "content": 'answered: "db"="Postgres"'}], "u2"),
        claude("user", [{"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": refused}], "u3"),
        {"type": "new-kind", "sessionId": "s", "content": "?"},
        claude("user", "We decided on Mondays.", "u4", origin={"kind": "human"}),
    ]
    found = read_lines("s", lines(*rows))

    assert [text for speaker, text in said(found) if speaker == "user"] == [
        'answered: "db"="Postgres"', "Use make.", "We decided on Mondays."
    ]  # fmt: skip
    assert found is not None
    assert found.conversations[0].passed == {"put in by the program": 2, "new-kind": 1}


@pytest.mark.parametrize("name", ["mcp__bankd__memory_search", "mcp__plugin_bankd_bankd__memory_get"])
def test_what_our_own_tools_gave_is_not_taken_in(name: str) -> None:
    use = {"type": "tool_use", "id": "t", "name": name, "input": {"query": "가치관"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "정직"}]}

    assert said(read_lines("s", lines(claude("assistant", [use]), claude("user", [result])))) == []


def test_codex_keeps_what_the_user_and_the_agent_said() -> None:
    harness = {"content_item_metadata": [{"provenance": {"type": "harness", "hook": True}}]}
    own = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "서버를 옮긴다"}]}
    found = read_lines(
        "rollout-x",
        lines(
            {"timestamp": AT, "type": "session_meta", "payload": {"id": "x"}},
            codex(type="message", role="developer", content=[{"type": "input_text", "text": OURS}]),
            codex(
                **{**own, "content": [{"type": "input_text", "text": "<environment_context>\n</environment_context>"}]}
            ),
            codex(**own, internal_chat_message_metadata_passthrough=harness),
            codex(**own),
            codex(type="function_call", name="shell", arguments='{"cmd": "ls"}', call_id="c"),
            codex(type="function_call_output", call_id="c", output="out\nput"),
            codex(type="function_call", namespace="mcp__bankd", name="memory_search", arguments="{}", call_id="d"),
            codex(type="function_call_output", call_id="d", output="정직"),
            codex(type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}]),
        ),
    )

    assert said(found) == [
        ("user", "서버를 옮긴다"),
        ("assistant", '[shell: {"cmd": "ls"}]'),
        ("tool", "[gave: out put]"),
        ("assistant", "Done."),
    ]


def test_openclaw_and_hermes_sessions_are_told_apart() -> None:
    call = {"type": "toolCall", "name": "read", "arguments": {"path": "a"}}
    entry = {"type": "message", "id": "1", "timestamp": AT}
    openclaw = read_lines(
        "s",
        lines(
            {"type": "session", "version": 3, "id": "s", "timestamp": AT},
            entry | {"message": {"role": "user", "content": [{"type": "text", "text": "안녕"}]}},
            entry | {"message": {"role": "assistant", "content": [{"type": "text", "text": "네"}, call]}},
            entry | {"message": {"role": "toolResult", "toolName": "read", "content": [{"type": "text", "text": "b"}]}},
        ),
    )
    hermes = read_lines(
        "s", lines({"role": "user", "content": "hi", "timestamp": 1777887000}, {"role": "assistant", "content": "ho"})
    )
    whole = read_export("s", json.dumps({"session_id": "s", "messages": [{"role": "user", "content": "hi"}]}))

    assert openclaw is not None
    assert openclaw.agent == "openclaw"
    assert said(openclaw) == [("user", "안녕"), ("assistant", '네\n\n[read: {"path": "a"}]'), ("tool", "[gave: b]")]
    assert hermes is not None
    assert (hermes.agent, said(hermes)) == ("hermes", [("user", "hi"), ("assistant", "ho")])
    assert said(whole) == [("user", "hi")]


def test_of_a_chatgpt_conversation_the_branch_that_was_shown_last_counts() -> None:
    def node(role: str, text: str, parent: str | None) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        message = {"author": {"role": role}, "create_time": 1777887000.5, "content": content}
        return {"parent": parent, "message": message}

    mapping = {
        "root": {"parent": None, "message": None},
        "q": node("user", "Which database?", "root"),
        "first": node("assistant", "MySQL", "q"),
        "again": node("assistant", "Postgres", "q"),
    }
    export = [{"title": "DB", "conversation_id": "c", "mapping": mapping, "current_node": "again"}]

    assert said(read_export("conversations", json.dumps(export))) == [
        ("user", "Which database?"),
        ("assistant", "Postgres"),
    ]


def test_a_claude_ai_export_gives_its_conversations() -> None:
    message = {"uuid": "m", "sender": "human", "created_at": AT, "text": "", "content": [_TEXT[0] | {"text": "hi"}]}
    export = [{"uuid": "a", "name": "One", "chat_messages": [message, "torn"]}, {"uuid": "b", "chat_messages": []}]
    found = read_export("conversations", json.dumps(export))

    assert said(found) == [("user", "hi")]
    assert found is not None
    assert found.agent == "claude-ai"
    assert found.conversations[0].title == "One"


def test_torn_lines_are_named_and_an_unfinished_last_one_waits() -> None:
    rows = lines(claude("user", "one"), '{"type": "us\n', "[]\n", claude("user", "two", "u2"), '{"type": "user"')
    found = read_lines("s", rows)

    assert said(found) == [("user", "one"), ("user", "two")]
    assert found is not None
    assert [row.line for row in found.conversations[0].torn] == [2, 3]
    assert all(isinstance(row, TornRow) for row in found.conversations[0].torn)


@pytest.mark.parametrize("text", ["", "no json\n", '{"a": 1}\n', "[1, 2]", '{"messages": 3}'])
def test_what_nobody_writes_is_not_recognised(text: str) -> None:
    assert read_lines("s", text.splitlines(keepends=True)) is None
    assert read_export("s", text) is None


@pytest.mark.parametrize(
    ("value", "known"), [("yesterday", None), (True, None), (1e30, None), (None, None), ("9999-12-31T23:00Z", None)]
)
def test_a_moment_that_is_none_is_unknown(value: object, known: object) -> None:
    assert moment_of(value) is known


def test_moments_are_read_in_all_their_forms() -> None:
    assert moment_of(AT) == moment_of("2026-05-04T09:30:00") == moment_of(1777887000) == moment_of(1777887000000)


# logs


def written(conversation: Dialogue, known: set[str] | None = None) -> str:
    days = new_turns(conversation, known or set(), lambda at: at or datetime(2026, 5, 4, tzinfo=UTC))
    return "".join(
        opening("agent", conversation, day, "") + "".join(chunks(turns, conversation.is_quoted, lambda text: text))
        for day, turns in days.items()
    )


def test_what_was_said_is_quoted_so_that_no_line_of_it_is_a_retain_line() -> None:
    turn = Turn("user", moment_of(AT), "## Retain\n- W: not so fast\n```\n- W: in a fence", "a" * 12)
    after = Turn("assistant", moment_of(AT), "- O(c=0.9): nor this", "b" * 12)
    text = written(Dialogue("s", "", (turn, after)))

    assert "> - W: not so fast" in text
    reading = read_log("x.md", text + "- W: but this\n", anywhere=True)
    assert [line.memory.text for line in reading.lines] == ["but this"]
    assert reading.bad == ()


def test_what_a_hook_of_ours_put_in_is_in_no_log() -> None:
    text = written(
        Dialogue("s", "", (Turn("user", None, f"{OURS}what now?", "a" * 12), Turn("user", None, OURS, "b" * 12)))
    )

    assert "what now?" in text
    assert "정직" not in text
    assert keys_in_log(text) == {"a" * 12}


def test_a_turn_that_a_log_has_is_not_written_again_also_after_people_edited_it() -> None:
    turns = tuple(Turn("user", None, f"line {n}", f"{n:012x}") for n in range(120))
    conversation = Dialogue("0123-4567", "", turns[:100])
    log = written(conversation).replace("line 3\n", "edited\n")

    grown = written(Dialogue("0123-4567", "", turns), keys_in_log(log))
    assert "line 99\n" not in grown
    assert "line 100\n" in grown
    assert written(conversation, keys_in_log(log)) == ""


def test_a_long_line_is_cut_for_a_log_passes_over_what_is_no_line_of_a_person() -> None:
    text = written(Dialogue("s", "", (Turn("user", None, "x" * 9000, "a" * 12),)))

    assert max(map(len, text.splitlines())) < 4100
    assert text.count("x") == 9000


def test_logs_are_named_by_day_and_conversation() -> None:
    session = Dialogue("rollout-2026-05-04T00-00-00-01a2053d", "", ())

    assert log_name(session, "2026-05-04") == "2026-05-04-01a2053d.md"
    assert is_log_of(session, "2026-06-01-01a2053d.md")
    assert not is_log_of(session, "2026-05-04-ffffffff.md")


@pytest.mark.parametrize(("path", "text", "day", "name"), examples("names", "notes"))
def test_a_note_has_the_day_of_its_name_its_folders_or_its_properties(
    path: str, text: str, day: str, name: str
) -> None:
    (note,) = read_markdown(path, f"{text}The mast was painted.\n").conversations

    assert (note.day, note.name) == (day, name)


def test_notes_keep_their_lines_and_are_known_by_their_words() -> None:
    text = "---\na: 1\n---\n# Me\n\n- W: Lives in Busan.\n- W: Likes tea.\n\nSome prose.\n"
    found = read_markdown("/home/me/.openclaw/workspace/MEMORY.md", text)
    log = written(found.conversations[0])
    grown = read_markdown("/home/me/.openclaw/workspace/MEMORY.md", text + "- W: Plays Go.\n").conversations[0]

    assert found.agent == "openclaw"
    assert [line.memory.text for line in read_log("x.md", log, anywhere=True).lines] == [
        "Lives in Busan.",
        "Likes tea.",
    ]
    assert "Some prose." in log
    more = written(grown, keys_in_log(log))
    assert "Plays Go." in more
    assert "Busan" not in more


def test_a_note_that_is_named_by_a_day_is_the_log_of_that_day() -> None:
    dated = read_markdown("/x/memory/2026-05-04.md", "- W: one\n").conversations[0]

    assert log_name(dated, dated.day) == "2026-05-04.md"
    assert is_log_of(dated, "2026-05-04.md")
    assert not is_log_of(dated, "2026-05-05.md")


_TEXT = [{"type": "text", "text": "said"}]
_USE = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
_TYPED = [{"type": "input_text", "text": "said"}]
_CALL = [*_TEXT, {"type": "toolCall", "name": "read", "arguments": {}}]
_PASSED = {"content_item_metadata": [{"provenance": {"type": "user"}}]}
_SESSIONS = {
    "claude-code": [claude("assistant", [*_TEXT, _USE]), claude("user", [{"type": "tool_result", "tool_use_id": "t"}])],
    "codex": [
        codex(type="message", role="user", content=_TYPED, internal_chat_message_metadata_passthrough=_PASSED),
        codex(type="function_call", name="shell", namespace="x", call_id="c", arguments="{}"),
        codex(type="function_call_output", call_id="c", output="out"),
    ],
    "openclaw": [{"type": "message", "id": "1", "timestamp": AT, "message": {"role": "user", "content": _CALL}}],
    "hermes": [
        {"role": "assistant", "content": _TEXT, "timestamp": 1, "tool_calls": [{"function": {"name": "x"}}]},
        {"role": "tool", "content": "out", "tool_name": "x"},
    ],
}
_NODE = {"message": {"author": {"role": "user"}, "create_time": 1, "content": {"parts": ["said"]}, "metadata": {}}}
_EXPORTS = {
    "chatgpt": {"title": "t", "mapping": {"r": {"parent": None}, "n": {"parent": "r", **_NODE}}, "current_node": "n"},
    "claude-ai": {"uuid": "a", "name": "t", "chat_messages": [{"uuid": "m", "sender": "human", "content": _TEXT}]},
}


@pytest.mark.parametrize("agent", _SESSIONS)
def test_a_row_of_any_shape_stops_no_other_row(agent: str) -> None:
    sound = _SESSIONS[agent][0]
    for odd in (odd for row in _SESSIONS[agent] for odd in with_one_odd(row)):
        found = read_lines("s", [json.dumps(row) + "\n" for row in (sound, odd, sound)])

        assert found is not None
        (conversation,) = found.conversations
        assert sum("said" in turn.text for turn in conversation.turns) >= 2, odd
        written(conversation).encode()


@pytest.mark.parametrize("service", _EXPORTS)
def test_a_conversation_of_any_shape_stops_no_other_conversation(service: str) -> None:
    sound = _EXPORTS[service]
    for odd in with_one_odd(sound):
        found = read_export("conversations", json.dumps([sound, odd, sound]))

        assert found is not None
        assert sum("said" in written(one) for one in found.conversations) >= 2, odd
        "".join(map(written, found.conversations)).encode()


def test_an_emoji_that_was_cut_in_half_loses_nothing_beside_it() -> None:
    found = read_lines("s", ['{"role": "user", "content": "tea \\ud83d is good \\ud55c"}\n'])

    assert said(found) == [("user", "tea \ufffd is good 한")]
