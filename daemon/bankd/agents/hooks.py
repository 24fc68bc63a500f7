"""What each hook of an agent's session does: recall for a prompt, hand over a transcript. Raises what goes wrong.

Whoever calls it (`cli.hook`) swallows everything: a session never breaks because of the bank.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` and `collections` would cost some hooks more than all of their own work
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Any

    from bankd.wiring.bank_reader import BankReader

RECALL_TOKENS = 600
START_TOKENS = 1_200
_RECALLED = 3
_MARGIN = 1.25
"""How many times the floor a memory must reach before it is put before a model that did not ask.

Of foreign questions 2 % and 0 % still recall something (6 % and 0 % at the floor), of the banks' own 75 % and 87 %
(94 % and 96 %), on everyday Korean facts and on facts of English dialogues.
"""
_LONGEST_QUESTION = 500
"""Characters of a prompt that are asked for; what is longer is mostly pasted."""


def answer_hook(event: str, said: Mapping[str, Any], bank: BankReader) -> str:
    """The context that an event adds to a session; empty when there is nothing to say."""
    handler = _EVENTS.get(event)
    return handler(said, bank) if handler else ""


def _recall(said: Mapping[str, Any], bank: BankReader) -> str:
    """The memories that a prompt is clearly about, and that this session has not seen."""
    from bankd.core.agents.recalled import strip_memories
    from bankd.core.agents.trivial_prompts import is_trivial

    prompt = strip_memories(str(said.get("prompt") or ""))[:_LONGEST_QUESTION]
    if is_trivial(prompt):
        return ""
    answer = bank.recall({"query": prompt, "limit": _RECALLED, "margin": _MARGIN})
    hits = [hit for hit in answer["hits"] if _stands(hit, bank)]
    return _tell_new(hits, str(said.get("session_id") or ""), bank, bank.now()) if hits else ""


def _stands(hit: Mapping[str, Any], bank: BankReader) -> bool:
    """Whether a memory is still on its page: the index may be older than a deletion."""
    return bank.holds(str(hit["path"]), f"^{hit['id']}" if hit.get("id") else str(hit["text"]).partition("\n")[0])


def _tell_new(hits: list[Mapping[str, Any]], session: str, bank: BankReader, now: datetime) -> str:
    from bankd.core.agents.recalled import place_of, recalled_lines, wrap_memories
    from bankd.core.briefing.shown import add_shown, is_shown, mark_of
    from bankd.core.briefing.tokens import lines_within

    shown = bank.shown()
    marked = [(mark_of(str(hit.get("id") or place_of(hit)), str(hit["text"])), hit) for hit in hits]
    fresh = [(mark, hit) for mark, hit in marked if not is_shown(shown, session, mark, now)]
    lines = lines_within(recalled_lines([hit for _, hit in fresh]), RECALL_TOKENS)
    if not lines:
        return ""
    bank.remember_shown(add_shown(shown, session, [mark for mark, _ in fresh[: len(lines)]], now))
    return wrap_memories("\n".join(lines))


def _begin(said: Mapping[str, Any], bank: BankReader) -> str:
    """The briefings that a session begins with."""
    from bankd.agents.briefings import USER_SESSIONS, brief_reader, modes_for_start
    from bankd.core.agents.recalled import wrap_memories
    from bankd.core.briefing.tokens import lines_within

    folder = str(said.get("cwd") or "").rstrip("/").rpartition("/")[2]
    now = bank.now()
    modes = modes_for_start(str(said.get("source") or ""), bank.shown(), now, has_subject=bool(folder))
    readers = (str(said.get("session_id") or ""), USER_SESSIONS)
    made = brief_reader(modes, bank, now, readers, (folder,) if folder else ())
    lines = [line for one in made if one.items for line in (f"{one.mode}:", *one.text.splitlines())]
    return wrap_memories("\n".join(lines_within(lines, START_TOKENS))) if lines else ""


def _hand_over(said: Mapping[str, Any], bank: BankReader) -> str:
    """Leave the transcript to the next run."""
    if transcript := said.get("transcript_path"):
        bank.hand_over(str(transcript))
    return ""


_EVENTS: Mapping[str, Callable[[Mapping[str, Any], BankReader], str]] = {
    "SessionStart": _begin,
    "UserPromptSubmit": _recall,
    "PreCompact": _hand_over,
    "SessionEnd": _hand_over,
}
