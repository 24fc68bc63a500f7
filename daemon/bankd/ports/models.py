"""Language models, whoever runs them, and what one wrote. What it says is never believed by itself."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bankd.core.distil.enrichment import Enrichment, UnaskedStatement
from bankd.core.distil.prompts import Prompt, Reply, Unanswered


class Models(Protocol):
    """A language model that the user named."""

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        """Answer each prompt, in their order; never raise for what a model does."""
        ...


class UnaskedMemories(Protocol):
    """The memories of the bank of which nobody wrote what they answer."""

    def unasked(self, most: int) -> Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """Up to this many, the last added first: text, entities, and the headings above."""
        ...


class Enrichments(Protocol):
    """What was written for statements, by this machine and others."""

    def of(self, key: str) -> Enrichment | None:
        """What was written for a statement; None when nobody asked yet."""
        ...

    def keep(self, statement: UnaskedStatement, enrichment: Enrichment, at: datetime) -> None:
        """Keep what was written for a statement; StorageError when the disk does not take that."""
        ...
