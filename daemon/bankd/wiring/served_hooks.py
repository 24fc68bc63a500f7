"""A hook answered by the daemon: the process that the agent starts then imports next to nothing."""

from bankd.adapters.system.socket_client import NoDaemonError, send_request

TYPE_CHECKING = False  # `typing` would cost a hook more than this module
if TYPE_CHECKING:
    from typing import Any

_SECONDS = 0.7
"""So long is the daemon waited for; after it the bank itself is read."""
_TOLD = ("session_id", "source", "cwd", "transcript_path", "prompt")
_LONGEST = 8_000
"""Characters of each that the daemon is told: all fit into one request, and of a prompt less is read."""


def ask_daemon(root: str, event: str, said: "dict[str, Any]") -> str | None:
    """What the daemon would have a session hear; None where none answers, or one that cannot."""
    told = {name: said[name][:_LONGEST] for name in _TOLD if isinstance(said.get(name), str)}
    try:
        answer = send_request(root, {"op": "hook", "event": event, "said": told}, _SECONDS)
    except NoDaemonError:
        return None
    return str(answer["context"]) if answer.get("ok") else None
