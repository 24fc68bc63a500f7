"""The page as a web application: its addresses, the view that answers each, and the HTML in the reader's language.

Also the process of `bankctl ui`: a socket on the loopback interface, a link with a one-time token, and uvicorn.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, quote, urlencode

import uvicorn
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from bankd.errors import BankError, BusyError, UsageError, UserError, bug_in
from bankd.pages.text import make_visible
from bankd.ui.guard import Access, Guard
from bankd.ui.pictures import translate
from bankd.ui.views import Address, Shown
from bankd.wiring.banks import Banks, OpenBank


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "part": partial(quote, safe=""), "seen": make_visible,
        "moment": lambda text: f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M}",
    }  # fmt: skip
    return environment


View: TypeAlias = Callable[[OpenBank, Address], Shown]

VIEWS: Mapping[str, tuple[str, str]] = {
    "search": ("memories", "show_search"),
    "night": ("views", "show_night"),
    "desk": ("desk", "show_desk"),
    "memory": ("memories", "show_memory"),
    "timeline": ("memories", "show_timeline"),
    "map": ("views", "show_map"),
    "fading": ("views", "show_fading"),
    "health": ("views", "show_health"),
    "file": ("memories", "show_file"),
}
"""Module and function of each view. They are imported when asked for: the first page then comes in half the time."""
_LANGUAGES = ("en", "ko")
_STATUS: Mapping[type[BankError], int] = {UsageError: 400, BusyError: 503}


def make_application(banks: Banks, access: Access) -> ASGIApp:
    """The web application over these banks, behind its guard."""
    site = _Site(banks)
    static = Path(__file__).parent / "static"
    routes = [
        Route("/", site.home),
        Mount("/static", StaticFiles(directory=static)),
        Route("/{bank}/act", site.act, methods=["POST"]),
        Route("/{bank}/{view}", site.show),
        Route("/{bank}/{view}/{what}", site.show),
    ]
    return Guard(Starlette(routes=routes, exception_handlers={404: site.not_found, 500: site.bug}), access)


@dataclass(frozen=True, slots=True)
class _Site:
    banks: Banks

    def home(self, _request: Request) -> Response:
        """The first bank's search."""
        return RedirectResponse(f"/{quote(self.banks.names()[0], safe='')}/search", 303)

    def show(self, request: Request) -> Response:
        """A view of a bank; an error is a page as well."""
        asked = self._asked(request)
        if asked.view not in VIEWS:
            return self.not_found(request)
        module, function = VIEWS[asked.view]

        def work() -> Shown:
            view: View = getattr(import_module(f"bankd.ui.{module}"), function)
            return view(self.banks.find(asked.bank), asked)

        return self._answer(asked, work)

    async def act(self, request: Request) -> Response:
        """Carry a decision out, then show the view that it was made on, with a button to undo it."""
        sent = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
        form = {name: values[-1] for name, values in sent.items()}
        asked = self._asked(request)

        def work() -> Response:
            from bankd.ui.desk import carry_out  # noqa: PLC0415 -- as the views

            run = carry_out(self.banks.find(asked.bank), form)
            return RedirectResponse(_way_back(asked.bank, form, {"did": form["do"], "run": run}), 303)

        return await run_in_threadpool(self._answer, asked, work)

    def not_found(self, request: Request, _error: Exception | None = None) -> Response:
        """No such address."""
        shown = Shown("problem.html", {"problem": "there is nothing at this address"})
        return self._page(self._asked(request), shown, 404)

    def bug(self, request: Request, error: Exception) -> Response:
        """A bug; the terminal of `bankctl ui` shows the traceback."""
        shown = Shown("problem.html", {"problem": bug_in(request.url.path, error)})
        return self._page(self._asked(request), shown, 500)

    def _answer(self, asked: Address, work: Callable[[], Shown | Response]) -> Response:
        try:
            shown = work()
        except BankError as error:
            return self._page(asked, Shown("problem.html", {"problem": str(error)}), _STATUS.get(type(error), 409))
        except OSError as error:
            problem = f"{error.filename or ''} {error.strerror or error}".strip()
            return self._page(asked, Shown("problem.html", {"problem": problem}), 409)
        return shown if isinstance(shown, Response) else self._page(asked, shown)

    def _page(self, asked: Address, shown: Shown, status: int = 200) -> Response:
        # The page says what was done. Its names are imported only then, as the views are.
        decisions = import_module("bankd.ui.desk").DONE if "did" in asked.query else {}
        around = {"banks": self.banks.names(), "views": list(VIEWS)[:8], "asked": asked, "decisions": decisions}
        template = _environment().get_template(shown.template)
        words = partial(translate, language=asked.language)
        answer = HTMLResponse(template.render({**around, **shown.facts, "t": words}), status)
        if asked.query.get("lang") in _LANGUAGES:
            answer.set_cookie("bankd-lang", asked.language, samesite="strict", httponly=True)
        return answer

    def _asked(self, request: Request) -> Address:
        wanted = request.query_params.get("lang") or request.cookies.get("bankd-lang")
        accepted = [word.strip()[:2].casefold() for word in request.headers.get("accept-language", "").split(",")]
        language = next((name for name in (wanted, *accepted) if name in _LANGUAGES), "en")
        bank, view, what = (request.path_params.get(name, "") for name in ("bank", "view", "what"))
        return Address(bank, view, what, dict(request.query_params), language, self.banks.ask_all)


def _way_back(bank: str, form: Mapping[str, str], facts: Mapping[str, Any]) -> str:
    """The address of the view that a decision was made on. A form may name only a view and what it showed."""
    view = form.get("view", "desk")
    what = f"/{quote(form['what'], safe='')}" if form.get("what") else ""
    return f"/{quote(bank, safe='')}/{view if view in VIEWS else 'desk'}{what}?{urlencode(facts)}"


def serve_page(banks: Callable[[], Mapping[str, str]], port: int, announce: Callable[[str], None]) -> None:
    """Serve until a signal; `announce` gets the link. Port 0 takes a free one. UserError if the port is taken."""
    with _listen(port) as listener:
        access = Access(listener.getsockname()[1])
        opened = Banks(banks, stays=True)
        config = uvicorn.Config(
            make_application(opened, access),
            access_log=False, date_header=False, lifespan="off", log_level="warning", server_header=False, ws="none",
        )  # fmt: skip
        announce(f"http://127.0.0.1:{access.port}/?token={access.token}")
        try:
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            opened.close()


def _listen(port: int) -> socket.socket:
    # Name the protocol: else asyncio sends the second half of an answer 40 ms later, after the first is acknowledged.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise UserError(f"port {port}: {error.strerror}; choose another with --port") from error
    return listener
