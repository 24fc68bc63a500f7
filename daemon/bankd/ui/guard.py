"""Checks each request before the application sees it: for this host, from this page, from a holder of its link.

The host name is checked on every request, because under DNS rebinding a foreign page has our origin. The origin is
checked on writes. A session is a cookie that no other site can send.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bankd.translate import translate

MOST_BYTES = 64 * 1024
"""Largest body of a decision; our own forms have some hundred bytes."""
_OWN_SITES = {"same-origin", "none"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser hides the origin of our own forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_ENTER = '<!doctype html><meta charset="utf-8"><link rel="icon" href="/static/icon.svg"><meta http-equiv="refresh" content="0;url=/"><title>bankd</title><a href="/">bankd</a>'


class Refusal(NamedTuple):
    """Why a request is refused: the HTTP status and a sentence for people."""

    status: int
    reason: str


@dataclass(slots=True)
class Access:
    """Who may come in: a token that works once, and the session that it opens."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def hosts(self) -> frozenset[str]:
        """The names by which a browser may address the page."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def cookie(self) -> str:
        """The name of the cookie. It has the port, because cookies have none and a user may have two pages open."""
        return f"bankd-{self.port}"

    def take_token(self, given: str) -> bool:
        """Whether this is the token. It works once."""
        if not self.token or not hmac.compare_digest(given.encode(), self.token.encode()):
            return False
        self.token = ""
        return True

    def knows(self, cookies: str) -> bool:
        """Whether the cookies of a request hold the session."""
        try:
            found = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self.session.encode())


def refusal_of(method: str, headers: Mapping[str, str], access: Access) -> Refusal | None:
    """Why a request is refused for its host or origin; None if it is not. Header names are in lower case."""
    host, site = headers.get("host", ""), headers.get("sec-fetch-site", "same-origin")
    if host not in access.hosts:
        return Refusal(421, "this page answers to its own address only")
    if method in {"GET", "HEAD"}:
        return Refusal(403, "another site may not ask here") if site not in _OWN_SITES else None
    if method != "POST":
        return Refusal(405, "only GET and POST are understood")
    if headers.get("origin") != f"http://{host}" or site != "same-origin":
        return Refusal(403, "a decision must come from this page itself")
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > MOST_BYTES:
        return Refusal(413, "more than a decision holds")
    return None


class Guard:
    """Stands before the application."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        """Take the application to guard, and the access data."""
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":  # the page has no sockets of its own
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await (self._own_answer(scope, headers) or self._app)(scope, receive, send_with_headers)

    def _own_answer(self, scope: Scope, headers: Headers) -> PlainTextResponse | HTMLResponse | None:
        refusal = refusal_of(scope["method"], headers, self._access)
        if refusal is None and not self._access.knows(headers.get("cookie", "")):
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if scope["path"] == "/" and scope["method"] == "GET" and self._access.take_token(given):
                # A page instead of a redirect: after a redirect from elsewhere a strict cookie is not sent.
                answer = HTMLResponse(_ENTER)
                answer.set_cookie(self._access.cookie, self._access.session, httponly=True, samesite="strict", path="/")
                return answer
            refusal = Refusal(
                403, "open the link that bankctl ui printed; it works once: for a new one type bankctl ui again"
            )
        if refusal is None:
            return None
        said = translate(refusal.reason, korean=headers.get("accept-language", "").startswith("ko"))
        return PlainTextResponse(f"{said}\n", refusal.status)
