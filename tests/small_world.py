"""A workspace with a few pages and logs and nothing else, and runs over it with every part real but the model's."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bankd.app.workspace import Workspace
from bankd.cycle import CycleKind, Policy, Report, run_cycle
from bankd.memory.ledger import make_event
from bankd.ports import Models
from bankd.wiring.workspace import open_workspace

SETTINGS = 'timezone: UTC\nsettle_seconds: 0\nsearch: {analyser: lexicon}\nmeaning: {model: "off"}\n'


class SmallWorld:
    """Pages by their paths from `bank/` or `archive/` on, and logs by their names."""

    def __init__(
        self, root: Path, pages: Mapping[str, str] | None = None, logs: Mapping[str, str] | None = None
    ) -> None:
        self.root = root
        self.models: Models | None = None
        """Who answers at night, if somebody does."""
        for folder in ("bank", "memory", "archive", "events"):
            (root / folder).mkdir(parents=True)
        (root / "bankd.yaml").write_text(SETTINGS, "utf-8")
        (root / "routing.yaml").write_text("TAG_ROUTING: {}\n", "utf-8")
        for path, text in (pages or {}).items():
            self.write(path, text)
        for log, text in (logs or {}).items():
            self.write(f"memory/{log}", text)
        if pages:
            with open_workspace(root) as workspace:
                workspace.refresh()

    def write(self, path: str, text: str) -> None:
        """Save a page or a log as a person does."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(text.encode())

    @property
    def pages(self) -> dict[str, str]:
        """The pages of bank and archive, with their texts."""
        return {path: text for path, text in self._texts().items() if not path.startswith("memory/")}

    @property
    def logs(self) -> dict[str, str]:
        return {path[7:]: text for path, text in self._texts().items() if path.startswith("memory/")}

    def _texts(self) -> dict[str, str]:
        files = (
            file for folder in ("archive", "bank", "memory") for file in sorted((self.root / folder).rglob("*.md"))
        )
        return {file.relative_to(self.root).as_posix(): file.read_bytes().decode() for file in files}

    def close(self, path: str) -> None:
        """Let a page be one that cannot be written, by a second hard link, until it is opened."""
        os.link(self.root / path, self.root / "held.txt")

    def open(self) -> None:
        (self.root / "held.txt").unlink()

    def note(self, kind: str, memory: str, at: datetime, **facts: object) -> None:
        """An event from before the runs."""
        event = make_event(kind, f"{memory}@{at}", at, memory=memory, **facts)
        with (self.root / "events/before-2026.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")

    def events(self) -> list[tuple[str, str]]:
        """What is noted: types and memories."""
        texts = (file.read_text("utf-8") for file in sorted((self.root / "events").glob("*.jsonl")))
        events = [json.loads(line) for text in texts for line in text.splitlines()]
        return [(event["type"], event.get("memory", "")) for event in events]

    def unread(self, now: datetime) -> list[str]:
        """The logs that are not marked as read."""
        with self.opened(now) as workspace:
            return [reading.log for reading in workspace.logs.unread(now).readings]

    def opened(self, now: datetime) -> AbstractContextManager[Workspace]:
        return open_workspace(self.root, now)

    def run(self, kind: CycleKind, now: datetime, policy: Policy, *, dry_run: bool = False, **parts: Any) -> Report:
        """One run; `parts` of the world are others than the real ones."""
        with open_workspace(self.root, now, write=not dry_run) as workspace:
            workspace.catalog.resting = workspace.transactions.journals.resting(now)
            night = workspace.night(self.models) if self.models else None
            world, run = replace(workspace, **parts), f"{now:%Y%m%dT%H%M%S}-{kind}"
            return run_cycle(kind, run, world, policy, night)
