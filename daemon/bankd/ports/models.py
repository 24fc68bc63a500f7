"""Language models, whoever runs them. What one says is never believed by itself."""

from collections.abc import Sequence
from typing import Protocol

from bankd.core.distil.prompts import Prompt, Reply, Unanswered


class Models(Protocol):
    """A language model that the user named."""

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        """Answer each prompt, in their order; never raise for what a model does."""
        ...
