"""The program `bankd`: with a command it is `bankctl`, so that `uvx bankd search …` finds something; else the service."""

from __future__ import annotations

import sys

from bankd.cli import main as bankctl
from bankd.cli import position_of_command

_OF_SERVICE = frozenset({"--polling", "--debug"})
"""The options that only the service takes."""


def main() -> int:
    """Run `bankctl` or the service, as the command line asks; gives the exit code. The service takes no command."""
    words = sys.argv[1:]
    command = position_of_command(words)
    if command == len(words):
        from bankd.service import main as service  # noqa: PLC0415 -- no command needs it

        return service()
    of_service = [word for word in words[:command] if word in _OF_SERVICE]
    if of_service:
        sys.stderr.write(f"bankd: {of_service[0]} is for the service; leave it out before: {words[command]}\n")
        return 2
    return bankctl()


if __name__ == "__main__":
    sys.exit(main())
