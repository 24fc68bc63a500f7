"""What is kept of a transaction: its journal, by which it is finished and taken back, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bankd.core.edits.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Journal:
    """A committed transaction and, for each file it touches, the text from before (None for a file that was not there).

    `settled` are the pieces that people were seen to have changed or taken out since.
    """

    seq: int
    transaction: Transaction
    before: Mapping[str, str | None]
    settled: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Its file name."""
        return f"{self.seq:06}.json"

    def paths(self) -> list[str]:
        """The file of each step, and after them the files from which a copy may have to be withdrawn."""
        steps = [step.path for step in self.transaction.steps()]
        copies = {getattr(operation, "elsewhere", "") for operation in self.transaction.operations}
        for operation in self.transaction.operations:
            copies |= {moved.to for moved in getattr(operation, "moved", ())}
        return steps + sorted(copies - {""})


@dataclass(slots=True)
class Applied:
    """What became of a transaction; `conflicts` says in words what was left as the user had it."""

    seq: int
    changed: dict[str, None] = field(default_factory=dict)
    """The files that changed, in the order in which they did."""
    conflicts: list[str] = field(default_factory=list)
    postponed: list[str] = field(default_factory=list)
