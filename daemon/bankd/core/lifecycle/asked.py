"""Which questions memories answer, as they stand below the lines of the logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bankd.core.lifecycle.events import DUPLICATE, Ledger
from bankd.core.lifecycle.retain import LogReading
from bankd.core.secrets.screening import Finder, find_secrets


def questions_in(
    readings: Iterable[LogReading], ledger: Ledger, behind: Mapping[str, str], finders: Sequence[Finder]
) -> dict[str, dict[str, list[str]]]:
    """By log and memory the questions of these readings, without those with a credential in them.

    `behind` names, by the ids of lines that this run read, the memories that they did not become themselves.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for reading in readings:
        by_memory = found.setdefault(reading.identity, {})
        for line in reading.lines:
            asked = [question for question in line.questions if not find_secrets(question, finders)]
            if asked:
                memory = behind.get(line.id) or memory_behind(line.id, ledger)
                by_memory.setdefault(memory, []).extend(asked)
    return found


def memory_behind(line: str, ledger: Ledger) -> str:
    """The memory that says what a line says: its own, the one that follows it, or the one that said so before."""
    fact = ledger.consumed.get(line, {})
    twin = str(fact["of"]) if fact.get("type") == DUPLICATE and fact.get("of") else line
    return ledger.memory_of(twin) or twin
