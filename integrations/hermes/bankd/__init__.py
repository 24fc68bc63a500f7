"""bankd as the memory of Hermes: recall before each turn, tools to search and note, sessions as logs of the bank.

Everything goes through the program `bankctl`; nothing that goes wrong there is heard of in the conversation.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from agent.memory_provider import MemoryProvider

_SETTINGS = Path(__file__).with_name("bankd.json")
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class BankdProvider(MemoryProvider):
    """One workspace of bankd, named by `bankctl connect hermes`."""

    def __init__(self) -> None:
        """Read which workspace; without one the provider is not available."""
        try:
            held = json.loads(_SETTINGS.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            held = {}
        self._bankctl, self._workspace = str(held.get("bankctl", "")), str(held.get("workspace", ""))
        self._session, self._home, self._is_primary = "", Path(), True

    @property
    def name(self) -> str:
        """What `memory.provider` calls it."""
        return "bankd"

    def is_available(self) -> bool:
        """Whether program and workspace are there."""
        return Path(self._bankctl).is_file() and Path(self._workspace, "bankd.yaml").is_file()

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Begin a session; those of subagents and timers are read to, never written down."""
        self._session, self._home = session_id, Path(kwargs.get("hermes_home") or Path.home() / ".hermes")
        self._is_primary = kwargs.get("agent_context", "primary") == "primary"

    def system_prompt_block(self) -> str:
        """The briefing of a new session, as data."""
        return self._hook("SessionStart", source="startup")

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """What the bank clearly knows about the next turn."""
        return self._hook("UserPromptSubmit", session_id=session_id or self._session, prompt=query)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """The tools of the MCP server, in the form of function calls."""
        tools = self._ask("tools/list", {}).get("tools", [])
        return [
            {"name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"]}
            for tool in tools
        ]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **_: Any) -> str:
        """The result of a tool as JSON."""
        result = self._ask("tools/call", {"name": tool_name, "arguments": args})
        return json.dumps(result.get("structuredContent", {"error": "bankd does not answer"}), ensure_ascii=False)

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """Hand the conversation over; it becomes a log of the bank at its next run."""
        turns = [m for m in messages if m.get("role") in ("user", "assistant") and m.get("content")]
        if not turns or not self._is_primary or not self._session:
            return
        transcript = self._home / "bankd" / f"{Path(self._session).name}.json"
        try:
            transcript.parent.mkdir(parents=True, exist_ok=True)
            held = {"session_id": self._session, "messages": turns}
            transcript.write_text(json.dumps(held, ensure_ascii=False, default=str), encoding="utf-8")
        except OSError:
            return
        self._hook("SessionEnd", transcript_path=str(transcript))

    def on_session_switch(self, new_session_id: str, **_: Any) -> None:
        """Go on under another id."""
        self._session = new_session_id

    def backup_paths(self) -> list[str]:
        """The workspace: all of it is files."""
        return [self._workspace] if self._workspace else []

    def _hook(self, event: str, **said: Any) -> str:
        said = {"hook_event_name": event, "session_id": self._session, **said}
        answer = self._run(["hook", event], said).get("hookSpecificOutput", {})
        return str(answer.get("additionalContext", ""))

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        frame = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": _META}}
        result: dict[str, Any] = self._run(["mcp"], frame).get("result", {})
        return result

    def _run(self, words: list[str], said: dict[str, Any]) -> dict[str, Any]:
        """What the program answers to one object; an empty one when anything is wrong."""
        command = [self._bankctl, *words, "--workspace", self._workspace]
        try:
            ended = subprocess.run(  # noqa: S603 -- our own program, no shell
                command, check=False, input=json.dumps(said).encode() + b"\n", capture_output=True, timeout=20
            )
            answer = json.loads(ended.stdout or b"{}")
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return {}
        return answer if isinstance(answer, dict) else {}


def register(ctx: Any) -> None:
    """Called by Hermes."""
    ctx.register_memory_provider(BankdProvider())
