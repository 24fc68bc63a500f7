"""What an import appended to a log, by which the log's end is known again."""

from __future__ import annotations

from hashlib import sha256

from bankd.core.edits.operations import DIGEST_DIGITS
from bankd.core.markdown.scanner import encode_text

ASIDE = ".taken-back"
"""What the name of a log has at its end where it holds what was imported and taken back; logs end in .md."""


class ImportedEnd:
    """The text that was appended to one log in one import, piece by piece: its size in bytes, its turns, its digest."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.size = self.turns = 0
        self._hash = sha256()

    def add(self, text: str) -> None:
        """Note a piece that was appended."""
        data = encode_text(text)
        self._hash.update(data)
        self.size += len(data)

    @property
    def digest(self) -> str:
        """The same as `digest_of` gives of the whole."""
        return self._hash.hexdigest()[:DIGEST_DIGITS]
