"""A hook answered by the daemon: the process that the agent starts then imports next to nothing."""

from __future__ import annotations

from bankd.system.socket_client import NoDaemonError, send_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SECONDS = 0.7
"""Seconds to wait for the daemon; after that the bank itself is read."""
_SENT = ("session_id", "source", "cwd", "transcript_path", "prompt")
_LONGEST = 8_000
"""Characters of each field that are sent: all fields fit into one request, and less of a prompt is read."""


def ask_daemon(root: str, event: str, said: dict[str, Any]) -> str | None:
    """What the daemon would have a session hear; None where none answers, or one that cannot."""
    sent = {name: said[name][:_LONGEST] for name in _SENT if isinstance(said.get(name), str)}
    try:
        answer = send_request(root, {"op": "hook", "event": event, "said": sent}, _SECONDS)
    except NoDaemonError:
        return None
    return str(answer["context"]) if answer.get("ok") else None
