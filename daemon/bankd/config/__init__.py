"""The settings and rules of a workspace: read, checked, and each problem reported with its file and line: `workspace` holds all of it.

Here: what comes with bankd (the bank template, the settings and rules at their defaults, the demo's logs, the units,
agents' plugins). An installed wheel carries it inside the package; a checkout has it at its top. Also how a file outside of
the bank is replaced.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def package_folder() -> Path:
    """Where the package itself stands."""
    return _PACKAGE


def shipped_folder(name: str) -> Path:
    """The folder of a shipped thing, such as `bank_template`."""
    inside = _PACKAGE / "_shipped" / name
    return inside if inside.is_dir() else _PACKAGE.parent.parent / name


def replace_file(path: Path, data: str | bytes, mode: int | None = None, *, is_lasting: bool = True) -> None:
    """Replace a file whole: a reader sees the old one or the new one, which has this mode. Of two writers the later wins.

    `is_lasting`: a power cut keeps it, too. Raises OSError.
    """
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with staged.open("wb") as file:
            if mode is not None:  # else nothing is asked of a file system that has no modes
                os.fchmod(file.fileno(), mode)
            file.write(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))
            if is_lasting:
                file.flush()
                os.fsync(file.fileno())
        staged.replace(path)
    finally:
        with suppress(OSError):
            staged.unlink()
