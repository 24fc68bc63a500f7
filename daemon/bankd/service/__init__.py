"""`bankd`: the service of one workspace, or of all banks on the user's list in one process.

banks     waits until a workspace can be opened; a daemon for each bank on the list
daemon    the life of one daemon: start, ready, loop, stop; what the socket answers
jobs      what is due, run one at a time; the ledger; calling a person
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bankd import __version__
from bankd.config.workspace import SETTINGS, ConfigError
from bankd.errors import BUG, BankError, BusyError, UserError
from bankd.pages.text import is_utf8, shown_path
from bankd.service.banks import AllBanks, open_when_possible
from bankd.service.daemon import Daemon, ServiceEnvironment
from bankd.system.child import keep_little
from bankd.system.manager import Signals, take_notifier
from bankd.system.process import set_up_log
from bankd.wiring.held import open_held

log = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the service until a signal stops it; gives 0 fine, 2 usage, 3 the user must act, 70 a bug, 75 busy."""
    arguments = _parse(sys.argv[1:] if argv is None else argv)
    keep_little()
    notifier = take_notifier(os.environ)
    set_up_log(os.environ.get("JOURNAL_STREAM", ""), logging.DEBUG if arguments.debug else logging.INFO)
    os.umask(0o077)
    signals = Signals()
    try:
        if arguments.all:
            os._exit(AllBanks(notifier, signals, polling=arguments.polling).live())
        workspace = _find_workspace(arguments.workspace)
        hopeless = (BankError,) if notifier.address is None else (ConfigError, BusyError)
        held = open_when_possible(workspace, open_held, notifier, signals, hopeless)
        if held is not None:
            given = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]  # the first that the unit asks for
            runtime = Path(given) if given.startswith("/") else None
            # Threads that wait for a client, or for a borrower of the workspace, must not delay the end.
            os._exit(Daemon(held, ServiceEnvironment(notifier, "", arguments.polling, runtime), signals).live())
    except BankError as error:
        for line in str(error).splitlines():
            log.error("%s", line)  # noqa: TRY400  a person can mend it, a traceback would not help
        return error.exit_code
    except Exception:
        log.exception("this is a bug in bankd")
        return BUG
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bankd",
        usage="bankd [--workspace DIR | --all] [options]; bankd --help tells more",
        description="The service of one workspace, or of several: runs cycles, watches files, answers searches. "
        "`bankd COMMAND …` does what `bankctl COMMAND …` does.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"bankd {__version__}", help="print the version")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--workspace", metavar="DIR", help="the workspace (default: $BANKD_WORKSPACE, or the nearest parent)"
    )
    what.add_argument("--all", action="store_true", help="all banks on the list of `bankctl banks`, in one process")
    parser.add_argument(
        "--polling", action="store_true", help="notice changes by looking every few seconds, not by inotify"
    )
    parser.add_argument("--debug", action="store_true", help="log more")
    return parser.parse_args(argv)


def _find_workspace(given: str | None) -> Path:
    here = Path.cwd()
    around = next((str(folder) for folder in (here, *here.parents) if (folder / SETTINGS).is_file()), "")
    name = given or os.environ.get("BANKD_WORKSPACE", "") or around
    if not name:
        raise UserError("which workspace? Start bankd in one, give --workspace DIR, or set BANKD_WORKSPACE")
    folder = Path(name).expanduser().absolute()
    if not is_utf8(str(folder)):
        raise UserError(f"{shown_path(str(folder))}: its path is not UTF-8; rename the folder")
    return folder
