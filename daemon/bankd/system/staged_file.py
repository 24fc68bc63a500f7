"""Small files outside the bank, replaced whole: whoever reads one has the old text or the new one, never a part."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, text: str, mode: int | None = None) -> None:
    """Put a text in the place of a file, of two writers at once the later one's; `mode` is its permissions. Raises OSError."""
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        staged.write_text(text, encoding="utf-8")
        if mode is not None:
            staged.chmod(mode)
        staged.replace(path)
    except OSError:
        with suppress(OSError):
            staged.unlink()
        raise
