"""The banks of a user by name, in `~/.config/bankd/banks.yaml`: a line `name: folder` each, to be edited by hand too.

Read without a YAML library, which would cost `bankctl search --all` more than a bank does.
"""

from __future__ import annotations

import os

from bankd.errors import UserError

_HEAD = "# The banks that `bankctl search --all` asks: a line `name: folder` each.\n"


def banks_path() -> str:
    """Where the list is, by the XDG base directory specification."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = home if os.path.isabs(home) else os.path.expanduser("~/.config")  # noqa: PTH111, PTH117 -- as above
    return os.path.join(folder, "bankd", "banks.yaml")  # noqa: PTH118 -- same


def read_banks() -> dict[str, str]:
    """The folders by name, in the order of the file; none where there is no file. UserError names a line that is none."""
    path = banks_path()
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:  # noqa: PTH123 -- same
            said = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    except FileNotFoundError:
        return {}
    return dict(_read_line(path, number, line) for number, line in said if line and not line.startswith("#"))


def _read_line(path: str, number: int, line: str) -> tuple[str, str]:
    name, colon, folder = line.partition(":")
    folder = os.path.expanduser(folder.strip().strip("\"'"))  # noqa: PTH111 -- same
    if not colon or not name.strip() or not os.path.isabs(folder):  # noqa: PTH117 -- same
        raise UserError(f"{path}:{number}: must be `name: /folder`, not {line!r}")
    return name.strip().strip("\"'"), folder


def write_banks(banks: dict[str, str]) -> None:
    """Put a list in the place of the last one, in one step; comments of the file's head are kept."""
    path = banks_path()
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120 -- same
    staged = f"{path}.{os.getpid()}"
    lines = (f"{name}: {folder}\n" for name, folder in banks.items())
    with open(staged, "w", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 -- same
        file.write(_head_of(path) + "".join(lines))
    os.replace(staged, path)  # noqa: PTH105 -- same


def _head_of(path: str) -> str:
    """The comments that the file begins with."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:  # noqa: PTH123 -- same
            kept = [line if line.endswith("\n") else line + "\n" for line in lines if line.startswith("#")]
    except FileNotFoundError:
        return _HEAD
    return "".join(kept)
