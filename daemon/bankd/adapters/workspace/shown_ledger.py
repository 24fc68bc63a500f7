"""What was shown to whom, on disk: `.bankd/shown.json`, replaced whole; losing it costs that something is said again."""

from __future__ import annotations

import json
from pathlib import Path

from bankd.adapters.system.staged_file import replace_file
from bankd.core.briefing.shown import Shown

PATH = ".bankd/shown.json"


def read_shown(root: Path) -> Shown:
    """What is remembered; nothing where the file is missing or cannot be read."""
    try:
        held = json.loads((root / PATH).read_bytes())
        return {str(who): {str(mark): str(at) for mark, at in seen.items()} for who, seen in held.items()}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}


def write_shown(root: Path, shown: Shown) -> None:
    """Remember it; of two at once the later one holds. Raises OSError."""
    replace_file(root / PATH, json.dumps(shown, ensure_ascii=False))
