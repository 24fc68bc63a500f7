"""`bankctl` alone on a terminal: the finder, where it is installed and there is a bank to find in."""

from __future__ import annotations

import os
import sys


def open_finder() -> bool:
    """Open it, and say whether it was there to be opened."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        return False
    from importlib.util import find_spec

    from bankd.cli.workspace import locate_workspace
    from bankd.errors import UserError

    if find_spec("textual") is None:
        return False
    from bankd.wiring.banks import Banks, banks_around

    try:
        here = locate_workspace(None)
    except UserError:
        here = None
    if not banks_around(here):
        return False
    from bankd.finder.screen import Finder

    banks = Banks(lambda: banks_around(here), stays=True)
    try:
        Finder(banks, os.environ).run()
    finally:
        banks.close()
    return True
