"""The story of a night's enrichment: memories that came without questions get some, by which they are found.

    find memories without | ask | read | keep in events/enriched/

Whatever happens to an answer, its memories wait for the next night. Nothing of it goes into a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from bankd.core.distil.enrichment import AT_ONCE, Enrichment, UnaskedStatement, enrichment_prompt, read_answer
from bankd.core.distil.prompts import Unanswered
from bankd.core.secrets.screening import Finder, find_secrets
from bankd.errors import BankError
from bankd.ports.models import Enrichments, Models, UnaskedMemories


@dataclass(frozen=True, slots=True)
class EnrichParts:
    """What enriching needs: the memories, a model, where what it writes is kept, and what credentials look like."""

    memories: UnaskedMemories
    models: Models
    kept: Enrichments
    finders: Sequence[Finder] = ()


class Enriched(NamedTuple):
    """What came of a night: memories that got questions, how many wait, and why."""

    memories: int = 0
    waiting: int = 0
    reason: str = ""

    @property
    def notes(self) -> list[str]:
        """What there is to say of it."""
        done = f"{self.memories} memories got questions by which they are found" if self.memories else ""
        wait = f"{self.waiting} memories wait for questions: {self.reason}" if self.waiting else ""
        return [note for note in (done, wait) if note]


def enrich_memories(parts: EnrichParts, most: int, now: datetime) -> Enriched:
    """Have a model write for a limited number of memories, the newest first; those it wrote for before are left out."""
    found = [UnaskedStatement(*one) for one in parts.memories.unasked(most)] if most else []
    asked = [one for one in dict.fromkeys(found) if not parts.kept.of(one.key) and _is_sendable(one, parts)]
    done = Enriched()
    for few in (asked[at : at + AT_ONCE] for at in range(0, len(asked), AT_ONCE)):
        (reply,) = parts.models.answer([enrichment_prompt(few)])
        if isinstance(reply, Unanswered):
            done = done._replace(waiting=done.waiting + len(few), reason=reply.reason)
            continue
        written = read_answer(reply.value, few)
        problem = _keep(parts, few, {key: one for key, one in written.items() if _is_clean(one, parts)}, now)
        if problem:
            return done._replace(waiting=len(asked) - done.memories, reason=problem)
        done = done._replace(memories=done.memories + len(written))
    return done


def _is_sendable(statement: UnaskedStatement, parts: EnrichParts) -> bool:
    return not find_secrets(" ".join((statement.text, *statement.heading)), parts.finders)


def _is_clean(enrichment: Enrichment, parts: EnrichParts) -> bool:
    return not any(find_secrets(text, parts.finders) for text in enrichment.asked)


def _keep(parts: EnrichParts, few: Sequence[UnaskedStatement], written: dict[str, Enrichment], now: datetime) -> str:
    """Keep what was written; gives why that could not be done. What has nothing to be kept is not asked again for ever."""
    try:
        for statement in few:
            parts.kept.keep(statement, written.get(statement.key, Enrichment()), now)
    except BankError as problem:
        return str(problem)
    return ""
