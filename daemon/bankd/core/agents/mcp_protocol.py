"""The Model Context Protocol in both its eras: what a frame is, and the answers that need nothing but the protocol.

Up to revision 2025-11-25 a session begins with `initialize`; from 2026-07-28 on each request says in its `_meta` which
revision it speaks, and there is no session. https://modelcontextprotocol.io/specification
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = dict[str, Any]

MODERN = "2026-07-28"
HANDSHAKES = ("2025-11-25", "2025-06-18", "2024-11-05")
"""Newest first. 2025-03-26 is left out: it alone has batches, and whoever asks for it takes the one before it or after."""

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION = -32022

_META = "io.modelcontextprotocol/"
_CACHED_MILLISECONDS = 60_000
_CACHEABLE = frozenset(
    {"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
)


class ProtocolError(Exception):
    """A request that is answered by an error of the protocol and not by a result."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        """Take the code of JSON-RPC or MCP, what is wrong, and what helps a program to mend it."""
        super().__init__(message)
        self.code, self.data = code, data


class Request(NamedTuple):
    """What a client asks; `id` is None for a notification, which is never answered."""

    id: str | int | None
    method: str
    params: Json

    @property
    def is_modern(self) -> bool:
        """Whether it says by itself which revision it speaks."""
        return f"{_META}protocolVersion" in _meta_of(self)


def parse_frame(frame: bytes) -> Request | None:
    """Read one line; None for what needs no answer, such as a reply to us; ProtocolError for what is no request."""
    try:
        message = json.loads(frame)
    except (ValueError, RecursionError):
        raise ProtocolError(PARSE_ERROR, "not one JSON object on one line") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "not an object of JSON-RPC 2.0")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    return _request_of(message)


def _request_of(message: Json) -> Request:
    id_, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if "id" in message and (isinstance(id_, bool) or not isinstance(id_, str | int)):
        raise ProtocolError(INVALID_REQUEST, "an id must be a text or a whole number")
    if not isinstance(method, str) or not isinstance(params, dict):
        raise ProtocolError(INVALID_REQUEST, "a method must be a text, and params an object")
    return Request(id_, method, params)


def id_of_frame(frame: bytes) -> str | int | None:
    """The id in a frame that is no good request, so that its sender need not wait; None when it has none."""
    try:
        id_ = json.loads(frame)["id"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    return id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None


def check_revision(request: Request, *, has_session: bool) -> None:
    """ProtocolError when a request neither belongs to a session nor says by which revision it is to be read."""
    meta = _meta_of(request)
    if not request.is_modern:
        if has_session and request.method != "server/discover":
            return
        raise ProtocolError(INVALID_PARAMS, f'no session yet: send initialize, or "{_META}protocolVersion" in _meta')
    asked = meta[f"{_META}protocolVersion"]
    if asked != MODERN:
        data = {"supported": [MODERN], "requested": asked}
        raise ProtocolError(UNSUPPORTED_VERSION, "unsupported protocol version", data)
    if not isinstance(meta.get(f"{_META}clientCapabilities"), dict):
        raise ProtocolError(INVALID_PARAMS, f'"{_META}clientCapabilities" is missing in _meta')


def _meta_of(request: Request) -> Mapping[str, Any]:
    meta = request.params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def initialize_result(params: Json, server: Json, instructions: str) -> Json:
    """The answer to `initialize`: the revision asked for where we speak it, else the newest that has a handshake."""
    asked = params.get("protocolVersion")
    version = asked if asked in HANDSHAKES else HANDSHAKES[0]
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": server,
        "instructions": instructions,
    }


def discover_result(instructions: str) -> Json:
    """The answer to `server/discover`."""
    return {"supportedVersions": [MODERN], "capabilities": CAPABILITIES, "instructions": instructions}


CAPABILITIES: Json = {"tools": {}, "resources": {}, "prompts": {}}


def reply_to(request: Request, result: Json, server: Json) -> Json:
    """The frame that answers a request; in the modern era it says that it is whole, and how long it may be kept."""
    if request.is_modern:
        result = {"resultType": "complete", **result, "_meta": {f"{_META}serverInfo": server}}
        if request.method in _CACHEABLE:
            kept = 0 if request.method == "resources/read" else _CACHED_MILLISECONDS
            result |= {"ttlMs": kept, "cacheScope": "private"}
    return {"jsonrpc": "2.0", "id": request.id, "result": result}


def reply_error(id_: str | int | None, error: ProtocolError) -> Json:
    """The frame that refuses a request."""
    body: Json = {"code": error.code, "message": str(error)}
    return {"jsonrpc": "2.0", "id": id_, "error": body if error.data is None else {**body, "data": error.data}}
