"""The logs of a workspace as the index reads them: without credentials, cut into passages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from bankd.adapters.index.page_files import PageFiles
from bankd.core.markdown.utf8 import decode_wide, is_wide, readable_text

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.core.ranking.indexable import IndexablePage, MemoryDates, NewQuestions
    from bankd.core.secrets.screening import Finder


class LogPages(PageFiles):
    """The Markdown files below `memory/`; what looks like a credential is masked before anybody else sees it."""

    def __init__(
        self, folder: Path | str, patterns: Sequence[str], compile_finders: Callable[[], Sequence[Finder]]
    ) -> None:
        """Read the logs in this folder; `patterns` are the user's own for credentials, compiled when a log is read."""
        super().__init__(folder, "memory")
        self._compile = compile_finders
        self._screened_by = f":{crc32(repr(patterns).encode('utf-8', 'surrogatepass')):08x}" if patterns else ""

    def scan(self, paths: Collection[str] | None = None) -> dict[str, str]:
        """The same as of pages; with other patterns each log is read again."""
        found = super().scan(paths)
        return {path: stamp + self._screened_by for path, stamp in found.items()} if self._screened_by else found

    def read(self, path: str) -> bytes | None:
        """The screened text of a log as UTF-8; a log that says it is UTF-16 and is not, is empty."""
        data = super().read(path)
        return None if data is None else screened_log(data, self._compile()).encode()

    def dates_since(self, seen: str) -> MemoryDates:
        """Nothing: a line of a log is of the day of its log."""
        from bankd.core.ranking.indexable import MemoryDates  # noqa: PLC0415 -- same

        return MemoryDates({}, {}, seen)

    def questions_since(self, seen: str) -> NewQuestions:
        """Nothing: a question stands in the log itself."""
        from bankd.core.ranking.indexable import NewQuestions  # noqa: PLC0415 -- same

        return NewQuestions((), seen)

    def enriched_since(self, seen: str) -> NewQuestions:
        """Nothing: what a model wrote is for memories."""
        return self.questions_since(seen)

    def contents(self, path: str, data: bytes) -> IndexablePage:
        """The passages of a log."""
        from bankd.core.ranking.passages import read_log_page  # noqa: PLC0415 -- same

        return read_log_page(path, data.decode())


def screened_log(data: bytes, finders: Sequence[Finder]) -> str:
    """The text of a log as it may be shown: credentials are masked, and every line stays where it was."""
    from bankd.core.secrets.screening import screen_text  # noqa: PLC0415 -- a query has no time for it

    return readable_text(screen_text(text_of_log(data), finders))


def text_of_log(data: bytes) -> str:
    """The text of a log, whatever Windows wrote it as; what is not UTF-8 comes back as the same bytes."""
    return (decode_wide(data) or "") if is_wide(data[:4]) else data.decode("utf-8", "surrogateescape")
