"""Where the database of a fleet is: `--dsn`, `$BANKD_FLEET`, or what `bankctl fleet init` wrote down."""

from __future__ import annotations

import os
from pathlib import Path

from bankd.errors import UserError


def fleet_file() -> Path:
    """Where the address of the database is written down, by the XDG base directory specification."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(home) if Path(home).is_absolute() else Path("~/.config").expanduser()
    return folder / "bankd" / "fleet"


def fleet_dsn(given: str | None) -> str:
    """The address, as libpq reads it; UserError where there is none."""
    if found := given or os.environ.get("BANKD_FLEET"):
        return found
    try:
        return fleet_file().read_text("utf-8").strip()
    except OSError:
        raise UserError("no fleet is known here: bankctl fleet init DSN, or set BANKD_FLEET") from None


def keep_dsn(dsn: str) -> Path:
    """Write the address down for this user alone: it may hold a password."""
    path = fleet_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    staged = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(f"{dsn}\n")
    staged.replace(path)
    return path
