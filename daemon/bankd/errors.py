"""The errors of bankd, by who must act on them; each makes its own text from data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BUG = 70
"""The exit code of a bug (EX_SOFTWARE of sysexits.h); 1 means that a search found nothing, as in grep."""


def bug_in(what: str, error: Exception) -> str:
    """The message for a bug that stopped one thing while everything else goes on."""
    return f"{what}: this is a bug in bankd ({error!r})"


class BankError(Exception):
    """The root of all errors that bankd raises on purpose."""

    exit_code = BUG


class UserError(BankError):
    """The user can fix it: no traceback, all problems at once, exit code 3."""

    exit_code = 3

    def __init__(self, *problems: str) -> None:
        """Take every problem found, each a sentence with its place and what to do."""
        super().__init__("\n".join(problems))
        self.problems: Sequence[str] = problems


class UsageError(UserError):
    """The command line is wrong: exit code 2."""

    exit_code = 2


class RefusedError(UserError):
    """A request that looks dangerous; the message names the flag that permits it."""

    def __init__(self, reason: str, permit: str) -> None:
        """Take the reason as a clause and the flag, such as `--force`, that permits it."""
        super().__init__(f"{reason}; nothing was written. If that is what you want, repeat with {permit}")


class StorageError(UserError):
    """The disk is full, read-only or failing. Nothing half done is visible; the next run goes on from there."""


class BusyError(BankError):
    """Another process holds the workspace: exit code 75 (EX_TEMPFAIL of sysexits.h)."""

    exit_code = 75


class ConflictError(BankError):
    """A page changed while we worked; the next run tries again."""

    exit_code = 75


class InvariantError(BankError):
    """A bug in bankd: the check before writing failed, and nothing was written."""

    def __init__(self, *findings: str) -> None:
        """Take what does not hold, one sentence each."""
        super().__init__(
            "this is a bug in bankd; nothing was written:\n" + "\n".join(f"  {finding}" for finding in findings)
        )


class IndexDamaged(Exception):  # noqa: N818 -- it is what was found
    """The search index cannot be read, or is of another version; a refresh builds a new one."""
