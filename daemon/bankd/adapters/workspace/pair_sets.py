"""Labelled pairs on disk: a folder with `pairs.jsonl`, or with `docs.jsonl` some of whose texts are look-alikes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from bankd.errors import UserError


def read_rows(folder: Path) -> list[Mapping[str, object]]:
    """The rows of a set; UserError when the folder holds none that can be read."""
    file = next((folder / name for name in ("pairs.jsonl", "docs.jsonl") if (folder / name).is_file()), None)
    if file is None:
        raise UserError(f"{folder}: neither pairs.jsonl nor docs.jsonl is there")
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UserError(f"{file}: {error}") from error
    if not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{file}: each line must be a JSON object")
    return rows
