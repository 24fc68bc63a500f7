"""The program `bankd`: with a command it is `bankctl`, so that `uvx bankd search …` finds something; else the service."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WITH_VALUE = frozenset({"--workspace", "--metrics-file", "--log-format"})
"""The options whose value is the word behind them."""


def main() -> int:
    """Do what the words of the process ask for; gives the exit code of `bankctl` or of the service."""
    if names_command(sys.argv[1:]):
        from bankd.cli import main as bankctl  # noqa: PLC0415 -- the service needs none of it, and no command the service

        return bankctl()
    from bankd.service import main as service  # noqa: PLC0415 -- same

    return service()


def names_command(words: Sequence[str]) -> bool:
    """Whether one of the words is neither an option nor what an option takes: the service takes no such word."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in _WITH_VALUE:
            return True
        before = word
    return False


if __name__ == "__main__":
    sys.exit(main())
