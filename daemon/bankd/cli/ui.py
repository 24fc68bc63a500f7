"""`bankctl ui`: the page, in the browser of this machine."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from bankd.cli.options import whole_number
from bankd.cli.printing import say
from bankd.cli.workspace import locate_workspace
from bankd.errors import UsageError, UserError


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "--port", type=whole_number, default=0, metavar="N", help="listen on this port (default: a free one)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the link")


def run(arguments: Namespace) -> int:
    """Serve until Ctrl-C."""
    if arguments.port > 65_535:
        raise UsageError("--port must be from 0 to 65535")
    here = locate_workspace(arguments.workspace)
    try:
        from bankd.ui.serving import serve_page
    except ImportError as error:
        raise UserError(f"the page needs {error.name}; install it with: pip install 'bankd[ui]'") from error
    from bankd.wiring.banks import banks_around

    serve_page(
        lambda: banks_around(here), arguments.port, lambda link: _announce(link, open_it=not arguments.no_browser)
    )
    return 0


def _announce(link: str, *, open_it: bool) -> None:
    import sys
    import webbrowser

    say(link)
    say("the link opens once, on this machine; Ctrl-C ends the page")
    sys.stdout.flush()
    if open_it and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
        webbrowser.open(link)
