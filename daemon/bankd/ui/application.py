"""The page as a web application: its addresses, the view that answers each, and the HTML in the reader's language.

Also the process of `bankctl ui`: a socket on the loopback interface, a link with a one-time token, and uvicorn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
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

from bankd.agents.remote import listen_at
from bankd.app.copies import export_markdown, export_memories
from bankd.briefing.recalled import whom_unsaid
from bankd.errors import BankError, BusyError, UsageError, bug_in
from bankd.pages.text import make_visible, to_json
from bankd.translate import translate
from bankd.ui import review, views
from bankd.ui.guard import Access, Guard
from bankd.ui.pictures import ICONS
from bankd.ui.views import Address, Shown
from bankd.wiring.banks import Banks, OpenBank

_HEAD = re.compile(r"^[WBOS](?:\([^)]*\))?(?::\s*|\s+(?=@))")


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "part": partial(quote, safe=""), "seen": make_visible, "whom": whom_unsaid, "dec": "{:.1f}".format,
        "name": lambda path: path.removeprefix("bank/").replace(".md", ""),
        "said": lambda text: _HEAD.sub("", text, count=1),
        "moment": lambda text: f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M}",
    }  # fmt: skip
    return environment


View: TypeAlias = Callable[[OpenBank, Address], Shown]

VIEWS: Mapping[str, View] = {
    "home": views.show_home,
    "search": views.show_search,
    "review": review.show_review,
    "people": views.show_people,
    "memory": views.show_memory,
    "timeline": views.show_timeline,
    "map": views.show_map,
    "activity": views.show_activity,
    "health": views.show_health,
    "page": views.show_page,
}
PLACES = ("home", "review", "people", "timeline", "map", "activity")
"""The views of the menu."""
KIND_WORDS = {"w": "Fact", "b": "Habit", "o": "Opinion", "s": "About me", "l": "Log line"}
_LANGUAGES, _THEMES = ("en", "ko"), ("system", "light", "dark")
_STATUS: Mapping[type[Exception], int] = {UsageError: 400, BusyError: 503}


def make_application(banks: Banks, access: Access) -> ASGIApp:
    """The web application over these banks, behind its guard."""
    site = _Site(banks)
    routes = [
        Route("/", site.home),
        Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
        Route("/{bank}/act", site.act, methods=["POST"]),
        Route("/{bank}/export", site.export),
        Route("/{bank}/{view}", site.show),
        Route("/{bank}/{view}/{what}", site.show),
    ]
    errors: Mapping[Any, Any] = {404: site.not_found, BankError: site.problem, OSError: site.problem, 500: site.bug}
    return Guard(Starlette(routes=routes, exception_handlers=errors), access)


@dataclass(frozen=True, slots=True)
class _Site:
    banks: Banks

    def home(self, _request: Request) -> Response:
        """The first bank's home."""
        return RedirectResponse(f"/{quote(self.banks.names()[0], safe='')}/home", 303)

    def show(self, request: Request) -> Response:
        """A view of a bank."""
        asked = self._asked(request)
        return self._page(asked, self._view(asked)) if asked.view in VIEWS else self.not_found(request)

    async def act(self, request: Request) -> Response:
        """Carry a decision out, then show the view that it was made on, with a button to undo it."""
        sent = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
        form = {name: values[-1] for name, values in sent.items()}
        return await run_in_threadpool(self._act, self._asked(request), form)

    def _act(self, asked: Address, form: dict[str, str]) -> Response:
        try:
            done = review.carry_out(self.banks.find(asked.bank), form)
        except (BankError, OSError) as error:
            return self._act_again(asked, form, *_problem_of(error))
        view = form.get("view", "review")
        if form["do"] == "forget":
            form.update(view="home", what="")
        facts = {"did": "there" if done.is_there else form["do"], "run": done.run}
        if done.page:
            facts |= {"to": done.page, "said": form.get("line", "")}
        if view == "review":
            facts["at"] = form.get("at", "") if form["do"] == "undo" else form.get("next", "")
        return RedirectResponse(_way_back(asked.bank, form, facts) + ("#card" if view == "review" else ""), 303)

    def _act_again(self, asked: Address, form: dict[str, str], problem: str, status: int) -> Response:
        """The view on which it was decided, with what was typed and what is wrong."""
        name, query = form.get("view", ""), {"at": form.get("at", "")}
        back = replace(asked, view=name, what=form.get("what", ""), query=query)
        if name not in VIEWS:
            return self._page(asked, Shown("problem.html", {"problem": problem}), status)
        try:
            shown = self._view(back)
        except (BankError, OSError):
            shown = Shown("problem.html", {})
        return self._page(back, Shown(shown.template, {**shown.facts, "problem": problem, "typed": form}), status)

    def _view(self, asked: Address) -> Shown:
        return VIEWS[asked.view](self.banks.find(asked.bank), asked)

    def export(self, request: Request) -> Response:
        """All memories in one file: Markdown, or JSON with `as=json`."""
        asked = self._asked(request)
        kind = "json" if asked.text("as") == "json" else "md"
        with self.banks.find(asked.bank).look() as workspace:
            rows = export_memories(workspace) if kind == "json" else ()
            text = "".join(f"{to_json(row)}\n" for row in rows) or export_markdown(workspace)
        name = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(asked.bank)}.{kind}"}
        return Response(text, media_type="application/json" if kind == "json" else "text/markdown", headers=name)

    def problem(self, request: Request, error: Exception) -> Response:
        """What cannot be shown or done, and why."""
        return self._tell(request, *_problem_of(error))

    def not_found(self, request: Request, _error: Exception | None = None) -> Response:
        """No such address."""
        return self._tell(request, "there is nothing at this address", 404)

    def bug(self, request: Request, error: Exception) -> Response:
        """A bug; the terminal of `bankctl ui` shows the traceback."""
        return self._tell(request, bug_in(request.url.path, error), 500)

    def _tell(self, request: Request, problem: str, status: int) -> Response:
        return self._page(self._asked(request), Shown("problem.html", {"problem": problem}), status)

    def _page(self, asked: Address, shown: Shown, status: int = 200) -> Response:
        banks = self.banks.names()
        if asked.bank not in banks:  # the menu leads to a bank, and never to a host: `//home`
            asked = replace(asked, bank=banks[0])
        around = {
            "banks": banks, "views": [(name, name.capitalize()) for name in PLACES], "asked": asked,
            "decisions": review.DONE, "icons": ICONS, "kinds": KIND_WORDS, "theme": asked.theme, "waiting": 0,
            "problem": "", "typed": {}, "readonly": asked.text("as_of"),
        }  # fmt: skip
        template = _environment().get_template(shown.template)
        words = partial(translate, korean=asked.is_korean)
        answer = HTMLResponse(template.render({**around, **shown.facts, "t": words}), status)
        for name, value, known in (("lang", asked.language, _LANGUAGES), ("theme", asked.theme, _THEMES)):
            if asked.query.get(name) in known:
                answer.set_cookie(f"bankd-{name}", value, samesite="strict", httponly=True)
        return answer

    def _asked(self, request: Request) -> Address:
        wanted = request.query_params.get("lang") or request.cookies.get("bankd-lang")
        accepted = [word.strip()[:2].casefold() for word in request.headers.get("accept-language", "").split(",")]
        language = next((name for name in (wanted, *accepted) if name in _LANGUAGES), "en")
        bank, view, what = (request.path_params.get(name, "") for name in ("bank", "view", "what"))
        theme = request.query_params.get("theme") or request.cookies.get("bankd-theme") or "system"
        return Address(bank, view, what, dict(request.query_params), language, self.banks.ask_all, theme)


def _problem_of(error: Exception) -> tuple[str, int]:
    """What went wrong, in words, and the HTTP status."""
    if isinstance(error, OSError):
        return f"{error.filename or ''} {error.strerror or error}".strip(), 409
    return str(error), _STATUS.get(type(error), 409)


def _way_back(bank: str, form: Mapping[str, str], facts: Mapping[str, Any]) -> str:
    """The address of the view that a decision was made on. A form may name only a view and what it showed."""
    view = form.get("view", "review")
    what = f"/{quote(form['what'], safe='')}" if form.get("what") else ""
    return f"/{quote(bank, safe='')}/{view if view in VIEWS else 'review'}{what}?{urlencode(facts)}"


def serve_page(banks: Callable[[], Mapping[str, str]], port: int, announce: Callable[[str], None]) -> None:
    """Serve until a signal; `announce` gets the link. Port 0 takes a free one. UserError if the port is taken."""
    with listen_at("127.0.0.1", port) as listener:
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
