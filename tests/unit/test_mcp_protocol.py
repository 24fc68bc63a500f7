"""What frames of MCP mean, in both its eras."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bankd.agents.mcp import (
    HANDSHAKES,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MODERN,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    ProtocolError,
    Request,
    check_revision,
    id_of_frame,
    initialize_result,
    parse_frame,
    reply_to,
)
from bankd.agents.tools import FORGET, HERE, OFFERED, TOOLS, BankMethods, find_problem, meant_arguments, offered_tools
from bankd.briefing.choose import NAMES_MODES
from bankd.wiring.reader import BankReader

META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
CHARACTERS_A_TOKEN = 3.0
"""Fewer than English JSON has in any tokenizer that is in use: a bound, not an estimate."""


def request(method: str = "tools/list", **meta: Any) -> Request:
    return Request(1, method, {"_meta": meta} if meta else {})


@pytest.mark.parametrize(
    ("frame", "code", "id_"),
    [
        (b"{", PARSE_ERROR, None),
        (b"\xff\xfe", PARSE_ERROR, None),
        (b"[" * 100_000, PARSE_ERROR, None),
        (b"[]", INVALID_REQUEST, None),
        (b'{"jsonrpc": "1.0", "id": 3, "method": "ping"}', INVALID_REQUEST, 3),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": "a"}', INVALID_REQUEST, "a"),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": [1]}', INVALID_REQUEST, 4),
    ],
)
def test_what_is_no_request_is_refused_by_its_id(frame: bytes, code: int, id_: object) -> None:
    with pytest.raises(ProtocolError) as refused:
        parse_frame(frame)

    assert refused.value.code == code
    assert id_of_frame(frame) == id_


def test_a_reply_to_us_is_passed_over() -> None:
    assert parse_frame(b'{"jsonrpc": "2.0", "id": 1, "result": {}}') is None


@pytest.mark.parametrize("asked", [*HANDSHAKES, "2025-03-26", "1999-01-01", None])
def test_a_handshake_settles_on_a_revision_that_both_speak(asked: str | None) -> None:
    agreed = initialize_result({"protocolVersion": asked})["protocolVersion"]

    assert agreed == (asked if asked in HANDSHAKES else HANDSHAKES[0])


def test_a_request_belongs_to_a_session_or_names_its_revision() -> None:
    check_revision(request(), has_session=True)
    check_revision(request(**META), has_session=False)
    with pytest.raises(ProtocolError) as refused:
        check_revision(request(), has_session=False)
    assert refused.value.code == INVALID_PARAMS


def test_another_modern_revision_is_refused_with_ours() -> None:
    with pytest.raises(ProtocolError) as refused:
        check_revision(request(**META | {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}), has_session=True)

    assert refused.value.code == UNSUPPORTED_VERSION
    assert refused.value.data == {"supported": [MODERN], "requested": "2031-01-01"}


def test_a_modern_request_without_capabilities_is_refused() -> None:
    with pytest.raises(ProtocolError) as refused:
        check_revision(request(**{"io.modelcontextprotocol/protocolVersion": MODERN}), has_session=True)

    assert refused.value.code == INVALID_PARAMS


def test_only_modern_results_say_that_they_are_whole_and_how_long_they_may_be_kept() -> None:
    old, new = reply_to(request(), {"tools": []}), reply_to(request(**META), {"tools": []})

    assert old["result"] == {"tools": []}
    assert new["result"]["resultType"] == "complete"
    assert new["result"]["ttlMs"] > 0
    assert new["result"]["cacheScope"] == "private"
    assert "ttlMs" not in reply_to(request("tools/call", **META), {})["result"]


def test_the_list_of_tools_costs_a_session_less_than_1200_tokens() -> None:
    seen = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in TOOLS]
    shown = json.dumps(seen, ensure_ascii=False)

    assert len(shown) / CHARACTERS_A_TOKEN < 1200


def test_deleting_is_offered_only_where_it_is_allowed() -> None:
    assert FORGET not in {tool["name"] for tool in offered_tools(HERE)}
    assert FORGET in {tool["name"] for tool in offered_tools({*HERE, "forget"})}


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("memory_search", {}, "needs query"),
        ("memory_search", {"query": None}, "needs query"),
        ("memory_search", {"query": {"a": 1}}, "query must be a string"),
        ("memory_search", {"query": "x", "limit": "many"}, "limit must be an integer from 1 to 50"),
        ("memory_search", {"query": "x", "limit": 3.5}, "limit must be"),
        ("memory_search", {"query": "x", "limit": True}, "limit must be an integer from 1 to 50"),
        ("memory_search", {"query": "x", "limit": 51}, "limit must be"),
        ("memory_search", {"query": "x", "tags": ["Q"]}, "tags must be a list; each item is one of W, B, O, S"),
        ("memory_search", {"query": "x", "nope": 1}, "takes no 'nope'"),
        ("memory_note", {"text": "x", "confidence": 1.5}, "confidence must be a number from 0 to 1"),
        ("memory_note", {"text": "x", "questions": [{"a": 1}]}, "questions must be a list"),
        ("memory_search", {"query": "x", "limit": 5, "tags": ["W"], "entities": ["Peter"]}, None),
        ("memory_note", {"text": "x", "confidence": 1, "questions": ["why?"]}, None),
    ],
)
def test_arguments_are_checked_in_words_that_a_model_can_act_on(name: str, arguments: Any, said: str | None) -> None:
    tool = next(tool for tool in TOOLS if tool["name"] == name)

    problem = find_problem(tool, meant_arguments(tool, arguments))

    assert problem is None if said is None else said in str(problem)


@pytest.mark.parametrize(
    ("name", "given", "meant"),
    [
        ("memory_search", {"query": 42, "limit": "3"}, {"query": "42", "limit": 3}),
        ("memory_search", {"query": "x", "limit": 3.0, "tags": None, "since": ""}, {"query": "x", "limit": 3}),
        ("memory_search", {"tags": "[\"W\", \"o\"]", "entities": "Mina, Joon"}, {"tags": ["W", "O"], "entities": ["Mina", "Joon"]}),
        ("memory_search", {"tags": "W", "until": "2026-01-01T10:00:00Z"}, {"tags": ["W"], "until": "2026-01-01"}),
        ("memory_note", {"confidence": "0.9", "tag": "o"}, {"confidence": 0.9, "tag": "O"}),
        ("memory_note", {"questions": "Where, and when?"}, {"questions": ["Where, and when?"]}),
        ("memory_note", {"questions": "[\"Where?\"]", "text": "[draft]"}, {"questions": ["Where?"], "text": "[draft]"}),
        ("memory_get", {"what": ["@Mina"], "related": "1"}, {"what": "@Mina", "related": 1}),
        ("memory_feedback", {"used": "m-a,m-b", "importance": "8"}, {"used": ["m-a", "m-b"], "importance": 8}),
    ],
)  # fmt: skip
def test_arguments_are_taken_as_they_can_only_be_meant(name: str, given: Any, meant: Any) -> None:
    tool = next(tool for tool in TOOLS if tool["name"] == name)

    assert meant_arguments(tool, given) == meant


def test_schemas_are_such_as_gemini_takes() -> None:
    def check(schema: Any) -> None:
        assert "type" in schema
        assert "enum" not in schema or (
            schema["type"] == "string" and all(isinstance(one, str) for one in schema["enum"])
        )
        for inner in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])):
            check(inner)

    for tool in TOOLS:
        check(tool["inputSchema"])


def test_the_modes_of_a_briefing_that_agents_are_offered_are_those_that_there_are() -> None:
    tool = next(tool for tool in TOOLS if tool["name"] == "memory_brief")

    prompts = BankMethods(lambda: BankReader("")).by_name()["prompts/list"]({})["prompts"]
    brief = next(prompt for prompt in prompts if prompt["name"] == "brief")

    assert tool["inputSchema"]["properties"]["mode"]["enum"] == [*NAMES_MODES, OFFERED]
    assert brief["arguments"][0]["description"] == ", ".join(NAMES_MODES)
