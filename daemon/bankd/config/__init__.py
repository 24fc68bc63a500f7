"""The settings and rules of a workspace: read, checked, and each problem reported with its file and line: `workspace` holds all of it.

Here: what comes with bankd (the bank template, the settings and rules at their defaults, the demo's logs, the units,
agents' plugins). An installed wheel carries it inside the package; a checkout has it at its top.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def package_folder() -> Path:
    """Where the package itself stands."""
    return _PACKAGE


def shipped_folder(name: str) -> Path:
    """The folder of a shipped thing, such as `bank_template`."""
    inside = _PACKAGE / "_shipped" / name
    return inside if inside.is_dir() else _PACKAGE.parent.parent / name
