"""`bankd`: the service of one workspace. Its life is in `daemon`, its runs in `jobs`, its socket in `requests`."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bankd import __version__
from bankd.app.engine import Engine
from bankd.config import ConfigError
from bankd.config.workspace_config import SETTINGS
from bankd.core.markdown.utf8 import is_utf8, shown_path
from bankd.errors import BUG, BankError, UserError
from bankd.service.daemon import Daemon
from bankd.wiring.engine import open_engine
from bankd.wiring.serving import Notifier, ServiceEnvironment, ServiceParts, Signals, prepare_process

log = logging.getLogger(__name__)

RETRY = 10.0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the service until a signal stops it; gives 0 fine, 2 usage, 3 the user must act, 70 a bug, 75 busy."""
    arguments = _parse(sys.argv[1:] if argv is None else argv)
    notifier, signals = prepare_process(arguments.log_format, debug=arguments.debug)
    try:
        workspace = _find_workspace(arguments.workspace)
        engine = _open(workspace, notifier, signals)
        if engine is not None:
            around = ServiceEnvironment(
                workspace, notifier, arguments.polling, arguments.metrics_file, _runtime_folder()
            )
            # Threads that wait for a client, or for who borrowed the workspace, must not hold up the end.
            os._exit(Daemon(ServiceParts(engine, around), signals).live())
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
        usage="bankd [--workspace DIR] [options]; bankd --help tells more",
        description="The service of one workspace: runs cycles, watches files, answers searches.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"bankd {__version__}", help="print the version")
    parser.add_argument(
        "--workspace", metavar="DIR", help="the workspace (default: $BANKD_WORKSPACE, or the nearest parent)"
    )
    parser.add_argument(
        "--polling", action="store_true", help="notice changes by looking every few seconds, not by inotify"
    )
    parser.add_argument("--metrics-file", type=Path, metavar="FILE", help="write Prometheus metrics here every 30 s")
    parser.add_argument(
        "--log-format", choices=["auto", "json"], default="auto", help="how log lines look (default: auto)"
    )
    parser.add_argument("--debug", action="store_true", help="log more")
    return parser.parse_args(argv)


def _runtime_folder() -> Path | None:
    """The folder that `RuntimeDirectory=` made for us; the first when there are several."""
    name = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    return Path(name) if name.startswith("/") else None


def _find_workspace(given: str | None) -> Path:
    name = given or os.environ.get("BANKD_WORKSPACE", "") or _workspace_around(Path.cwd())
    if not name:
        raise UserError("which workspace? Start bankd in one, give --workspace DIR, or set BANKD_WORKSPACE")
    folder = Path(name).expanduser().absolute()
    if not is_utf8(str(folder)):
        raise UserError(f"{shown_path(str(folder))}: its path is not UTF-8; rename the folder")
    return folder


def _workspace_around(here: Path) -> str:
    return next((str(folder) for folder in (here, *here.parents) if (folder / SETTINGS).is_file()), "")


def _open(workspace: Path, notifier: Notifier, signals: Signals) -> Engine | None:
    """Open the workspace; under a service manager, wait for what time or a person mends. None when a signal came first."""
    pause = min(RETRY, notifier.watchdog.total_seconds() / 3) if notifier.watchdog else RETRY
    while True:
        try:
            if not (workspace / SETTINGS).is_file():  # perhaps its disk is not mounted yet
                raise UserError(f"{workspace}: no workspace is there; make one with: bankctl init {workspace}")  # noqa: TRY301
            return open_engine(workspace)
        except ConfigError:
            raise
        except UserError as error:
            if notifier.address is None:
                raise
            log.error("waiting, tried again every %.1f s: %s", pause, error)  # noqa: TRY400
            notifier.ready(f"waiting: {error}")
            notifier.alive()
        if signals.wait(pause) - {signal.SIGHUP}:
            return None
