"""The files of a workspace, and the one layer that writes to them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bankd.core.daemon.settle import Survey
from bankd.core.edits.journal import Applied, Journal
from bankd.core.edits.operations import Rewrite
from bankd.core.edits.transaction import Transaction
from bankd.core.lifecycle.events import CorruptLine, Ledger


class KeptJournals(Protocol):
    """The transactions that are kept."""

    def all(self) -> Sequence[Journal]:
        """Every journal, oldest first."""

    def find(self, run: str) -> Sequence[Journal]:
        """The journals of a run, by its id or its number; UserError when there is none."""

    def resting(self, now: datetime) -> Mapping[str, datetime]:
        """The pages that are fought over and left alone for a while: until when."""

    def left_over(self) -> Iterable[tuple[str, str]]:
        """What a run that did not end left: its path, and what it is."""

    def take_set_aside(self) -> Sequence[str]:
        """What there is to say of journals that were set aside, once."""


class Transactions(Protocol):
    """The one layer that writes under bank/, archive/ and events/."""

    @property
    def journals(self) -> KeptJournals:
        """The transactions that are kept."""

    @property
    def rewrite(self) -> Rewrite | None:
        """The rule that rewrites links in a page."""

    @property
    def corrupt(self) -> Sequence[CorruptLine]:
        """The lines of the event log that could not be read when it was folded."""

    def ledger(self) -> Ledger:
        """The fold of the event log."""

    def look(self, path: str) -> bytes | None:
        """A file's bytes at this moment; None also for one that must be left alone."""

    def closed(self, paths: Collection[str]) -> Mapping[str, str]:
        """Those of these files, there or not yet, that cannot be written now, and why."""

    def commit(self, transaction: Transaction) -> Applied:
        """Apply a transaction, all of it, now or at the next start."""

    def publish(self, path: str, data: bytes) -> None:
        """Put a derived file in place."""

    def remove_empty_folders(self, gone: Iterable[str]) -> None:
        """Leave no folder behind that has nothing in it any more, of those above pages that are gone."""


class Files(Protocol):
    """The files of a workspace, for reading."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None when it is gone; ConflictError when it is too large or no regular file."""

    def survey(self, folder: str, now: datetime, settle_seconds: float, *, any_content: bool = False) -> Survey:
        """The Markdown files under a folder, and which of them are at rest; `any_content` does not look into them."""

    def merging(self) -> str | None:
        """Say so when the repository around the workspace is in the middle of something."""


class Traces(Protocol):
    """Where a text may be left beside the pages: journals, events, reports, what is derived, everything else."""

    def require_room(self) -> None:
        """Raises StorageError where the largest file that may be written anew would not fit."""

    def find(self, words: tuple[str, ...], memories: Collection[str]) -> Iterable[tuple[str, Callable[[], object]]]:
        """Each file or folder of ours that holds the text, and what takes it out there."""

    def drop_passages(self) -> None:
        """Take away the index of the logs, which still have the text."""

    def beyond(self, forms: tuple[bytes, ...], scrubbed: Collection[str]) -> Iterable[str]:
        """Where the text still is outside of what will be scrubbed, and where nobody can say."""
