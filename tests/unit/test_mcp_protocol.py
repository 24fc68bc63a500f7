"""What frames of MCP mean, in both its eras."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
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
    answer_protocol,
    check_revision,
    id_of_frame,
    parse_frame,
    reply_to,
)
from bankd.agents.tools import FORGET, HERE, TOOLS, BankMethods, meant_arguments, offered_tools
from bankd.briefing.choose import NAMES_MODES
from bankd.wiring.reader import BankReader
from tests.examples import examples

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
    agreed = answer_protocol(Request(1, "initialize", {"protocolVersion": asked}), has_session=False)

    assert agreed is not None
    assert agreed["protocolVersion"] == (asked if asked in HANDSHAKES else HANDSHAKES[0])


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
    assert len(json.dumps(seen, ensure_ascii=False)) / CHARACTERS_A_TOKEN < 1200


def test_deleting_is_offered_only_where_it_is_allowed() -> None:
    assert FORGET not in {tool["name"] for tool in offered_tools(HERE)}
    assert FORGET in {tool["name"] for tool in offered_tools({*HERE, "forget"})}


@pytest.mark.parametrize(("name", "arguments", "said"), examples("arguments", "checked"))
def test_arguments_are_checked_in_words_that_a_model_can_act_on(name: str, arguments: str, said: str) -> None:
    tool = next(tool for tool in TOOLS if tool["name"] == name)

    with pytest.raises(ProtocolError, match=re.escape(said)) if said else nullcontext():
        meant_arguments(tool, json.loads(arguments))


@pytest.mark.parametrize(("name", "given", "meant"), examples("arguments", "meant"))
def test_arguments_are_taken_as_they_can_only_be_meant(name: str, given: str, meant: str) -> None:
    tool = next(tool for tool in TOOLS if tool["name"] == name)
    needed = dict.fromkeys(tool["inputSchema"]["required"], "x")

    assert meant_arguments(tool, {**needed, **json.loads(given)}) == {**needed, **json.loads(meant)}


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

    assert tool["inputSchema"]["properties"]["mode"]["enum"] == [*NAMES_MODES]
    assert brief["arguments"][0]["description"] == ", ".join(NAMES_MODES)
