"""What people and their editors do to a page while a run is at work on it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.world import FULL, OPINIONS, PETER, VALUES

STYLES = ("in place", "rename", "append", "delete", "late", "stale")
PAGES = (VALUES, FULL, PETER, OPINIONS, "bank/daily/routine.md", "bank/knowledge/full/storage.md")
_MEMORY = {VALUES: "m-0003", FULL: "m-0112", PETER: "m-0310", OPINIONS: "m-0401", "bank/daily/routine.md": "m-0021"}
_MEMORY["bank/knowledge/full/storage.md"] = "m-0103"


@dataclass
class Hand:
    """One edit of one page in one style; `after` is what remains to be done when the run is over."""

    root: Path
    path: str
    style: str
    key: str = ""
    """The memory that is reworded or deleted; empty: the one of that page of the bank in which everything happens."""
    words: list[str] = field(default_factory=list)
    deleted: set[str] = field(default_factory=set)
    after: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.key = self.key or _MEMORY[self.path]

    def __call__(self) -> None:
        """Edit now, or begin to."""
        page = self.root / self.path
        if not page.exists():
            return
        text = page.read_bytes().decode("utf-8", "surrogateescape")
        match self.style:
            case "in place":
                page.write_bytes(self.reworded(text).encode("utf-8", "surrogateescape"))
            case "rename":
                save_by_rename(page, self.reworded(text))
            case "append":
                self._append(page)
            case "delete":
                self._delete(page, text)
            case "late":
                descriptor = os.open(page, os.O_RDWR)
                self.after = lambda: self._write_late(descriptor, text)
            case "stale":
                self.after = lambda: save_by_rename(page, self.reworded(self.noted(text)))

    def reworded(self, text: str) -> str:
        """The text with one memory in other words."""
        key, lines = self.key, text.split("\n")
        for n, line in enumerate(lines):
            if line.rstrip("\r").endswith(f"^{key}"):
                lines[n] = line.replace(f" ^{key}", f" reworded by hand ^{key}")
                self.words.append("reworded by hand")
        return "\n".join(lines)

    def noted(self, text: str) -> str:
        """The text with a line of a person's own."""
        self.words.append("noted by hand")
        ending = "\r\n" if "\r\n" in text else "\n"
        return text + ("" if text.endswith("\n") else ending) + f"{ending}A line noted by hand.{ending}"

    def _append(self, page: Path) -> None:
        with page.open("a", newline="") as file:
            file.write("\n\nA line noted by hand.\n")
        self.words.append("noted by hand")

    def _delete(self, page: Path, text: str) -> None:
        key = self.key
        kept = [line for line in text.split("\n") if not line.rstrip("\r").endswith(f"^{key}")]
        if "\n".join(kept) != text:
            self.deleted.add(key)
            save_by_rename(page, "\n".join(kept))

    def _write_late(self, descriptor: int, text: str) -> None:
        data = self.noted(self.reworded(text)).encode("utf-8", "surrogateescape")
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, data, 0)
        os.close(descriptor)


def save_by_rename(page: Path, text: str) -> None:
    """Save as vim and most editors do."""
    temporary = page.with_name(f".{page.name}.tmp")
    temporary.write_bytes(text.encode("utf-8", "surrogateescape"))
    temporary.replace(page)
