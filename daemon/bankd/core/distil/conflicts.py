"""Whether a line of a model supersedes a memory of which it says another value: by setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bankd.core.distil.sections import FOLDER
from bankd.core.markdown.memory import Memory
from bankd.core.plan.decisions import Update

_FACT, _OPINION = 100, 50
"""Hundredths: what a fact is worth, and an opinion that says nothing of its confidence."""


def updates_allowed(updates: Iterable[Update], known: Mapping[str, Memory], conflict: str) -> tuple[Update, ...]:
    """The updates without those by which a line of a model may not supersede a memory.

    `conflict` is newer, both or surer; `known` has the older memories, by id.
    """
    return tuple(one for one in updates if not _is_distilled(one) or _may(one, known.get(one.old), conflict))


def _is_distilled(update: Update) -> bool:
    return update.line.place.log.startswith(f"{FOLDER}/")


def _may(update: Update, old: Memory | None, conflict: str) -> bool:
    is_surer = old is None or _worth(update.line.memory) >= _worth(old)
    return conflict == "newer" or (conflict == "surer" and is_surer)


def _worth(memory: Memory) -> int:
    if memory.confidence is not None:
        return memory.confidence.hundredths
    return _OPINION if memory.tag == "O" else _FACT
