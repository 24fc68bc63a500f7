"""What a model answered to prompts of a benchmark, kept beside it: a line `{"key": …, "value": …}` each, by what was asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from bankd.night.asking import Prompt, Unanswered
from bankd.settings import DistilPolicy
from bankd.storage.events import ReplyLog
from bankd.storage.tree import FileTree
from bankd.system.clock import read_monotonic, utc_now
from bankd.workers.models import ModelDoor


def digest(text: str) -> str:
    """By what a reply is found, of what was asked."""
    return sha256(text.encode()).hexdigest()[:16]


def kept_replies(file: Path) -> Mapping[str, Any]:
    """What was answered, by key."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else ()
    return {row["key"]: row["value"] for row in map(json.loads, lines)}


def keep_answers(command: str, prompts: Mapping[str, Prompt], file: Path) -> None:
    """Ask a model, as `distil.command` names one, what was not asked before, and keep by key what it answers."""
    settings = DistilPolicy(provider="command", command=command, tokens_a_day=10**9, minutes=10**6, seconds=300)
    known = kept_replies(file)
    with TemporaryDirectory() as folder, closing(FileTree(Path(folder))) as tree:
        door = ModelDoor(settings, ReplyLog(tree, "bench"), utc_now(), read_monotonic, Event().wait)
        with closing(door), file.open("a", encoding="utf-8") as replies:
            for key, prompt in prompts.items():
                (answer,) = door.answer([prompt]) if key not in known else (None,)
                if isinstance(answer, Unanswered):
                    print(answer.reason)
                elif answer:
                    replies.write(json.dumps({"key": key, "value": answer.value}, ensure_ascii=False) + "\n")
