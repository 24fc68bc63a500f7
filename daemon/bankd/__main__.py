"""The program `bankd`: with a command it is `bankctl`, so that `uvx bankd search …` finds something; else the service."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OF_SERVICE = frozenset({"--polling", "--debug"})
"""The options that only the service takes."""


def main() -> int:
    """Run `bankctl` or the service, as the command line asks; gives the exit code."""
    words = sys.argv[1:]
    command = find_command(words)
    if command is not None:
        of_service = [word for word in words[:command] if word in _OF_SERVICE]
        if of_service:
            sys.stderr.write(f"bankd: {of_service[0]} is for the service; leave it out before: {words[command]}\n")
            return 2
        from bankd.cli import main as bankctl  # noqa: PLC0415 -- the service needs none of it, and no command the service

        return bankctl()
    from bankd.service import main as service  # noqa: PLC0415 -- same

    return service()


def find_command(words: Sequence[str]) -> int | None:
    """The index of the first word that is neither an option nor its value: a command, since the service takes none."""
    before = ""
    for place, word in enumerate(words):
        if not word.startswith("-") and before != "--workspace":
            return place
        before = word
    return None


if __name__ == "__main__":
    sys.exit(main())
