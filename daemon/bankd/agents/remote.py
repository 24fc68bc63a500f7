"""MCP over streamable HTTP, for agents on other machines: tokens, permissions, admission, and the server.

A request is one POST to /mcp with one frame, and its answer one JSON object; then the connection ends. There are no sessions
and no streams, so nothing is kept between two requests. Before its body is read, a request must name this server as its host, come from no
foreign web page, and carry a token of this bank. One thread calls the bank, one call after another.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import secrets
import signal
import socket
from base64 import b64decode
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPException, HTTPMessage, parse_headers
from io import BytesIO
from ipaddress import ip_address
from pathlib import Path
from ssl import SSLContext
from typing import Any, NamedTuple

from bankd.agents import mcp
from bankd.agents.tools import TOOLS, BankMethods
from bankd.errors import UserError
from bankd.pages.text import to_json
from bankd.wiring.reader import BankReader

log = logging.getLogger(__name__)

PATH, PORT = "/mcp", 7433
MOST_HEAD, MOST_BODY = 16 << 10, 256 << 10
"""Bytes."""
SECONDS = 10.0
"""Seconds in which a whole request must arrive, and an answer be received."""
CONNECTIONS = 128
"""At a time; one more waits until another ends."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\s:/\[\]]+)(?::\d{1,5})?")
_REQUEST_LINE = re.compile(rb"([A-Z]{1,20}) ([!-~]{1,2000}) HTTP/1\.[01]")
_OLD_REVISIONS = frozenset({None, "2025-03-26", *mcp.HANDSHAKES})
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_HEADER_MISMATCH = -32020
_SAID_ENCODED = re.compile(r"=\?base64\?(?P<said>.*)\?=")


class Tokens:
    """The tokens of one bank: for each a file that only its owner may read, with the digest of the token."""

    def __init__(self, root: Path) -> None:
        """Take the workspace of the bank."""
        self._folder = root / ".bankd" / "tokens"

    def add(self, name: str) -> str:
        """Make a token and give it: it is not stored and cannot be shown again. UserError for a used or invalid name."""
        if not _NAME.fullmatch(name):
            raise UserError(
                f"{name!r} cannot be the name of a token: letters, digits, dot, dash and underscore, at most 40"
            )
        token = f"bankd-{secrets.token_urlsafe(32)}"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / name
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            raise UserError(f"{name} has a token; for a new one: bankctl mcp token revoke {name}, then add") from None
        path.write_text(_digest(token), encoding="ascii")
        return token

    def names(self) -> dict[str, str]:
        """Each name, with the problem of its file, if any; such a token admits nobody."""
        names = {}
        for path in sorted(self._folder.iterdir()) if self._folder.is_dir() else []:
            with suppress(FileNotFoundError):  # revoked at this moment
                is_open = path.stat().st_mode & 0o077
                names[path.name] = (
                    f"others may read or write its file; make it yours: chmod 600 {path}" if is_open else ""
                )
        return names

    def revoke(self, name: str) -> None:
        """Revoke a token, at once. UserError if there is none with that name."""
        if name not in self.names():
            raise UserError(f"{name}: no such token; bankctl mcp token list names them")
        (self._folder / name).unlink()

    def holder(self, token: str) -> str | None:
        """The name of a token; None if it is not a token of this bank, or was revoked."""
        digest = _digest(token)
        for name, problem in self.names().items():
            with suppress(OSError, ValueError):  # revoked at this moment, or no file of ours
                if not problem and hmac.compare_digest((self._folder / name).read_text("ascii"), digest):
                    return name
        return None


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


class BankElsewhere(BankReader):
    """The bank for agents on other machines: its pages, and logs and archive only if `agents.over_http` allows it."""

    def __init__(self, root: str) -> None:
        """Take the workspace."""
        super().__init__(root)
        may = self.settings().agents.over_http
        self._groups = [group for group in ("bank", "logs", "archive") if group == "bank" or group in may]
        folders = {"bank": "bank/", "logs": "memory/", "archive": "archive/"}
        self.readable = tuple(folders[group] for group in self._groups)

    def search(self, request: dict[str, Any], *, in_a_moment: bool = False) -> dict[str, Any]:
        """Search as the bank does, but only in the groups that may be read; UserError for what is related."""
        if request.get("op") == "related":
            raise UserError("what is related is told only on the machine of the bank")
        return super().search({"in": self._groups, "see_also": False, **request}, in_a_moment=in_a_moment)

    def _recent_logs(self, now: Any) -> dict[str, str]:
        return super()._recent_logs(now) if "logs" in self._groups else {}


class NotAdmittedError(Exception):
    """A request that is not admitted: an HTTP status, and a sentence for people."""

    def __init__(self, status: int, reason: str) -> None:
        """Take both."""
        super().__init__(reason)
        self.status = status


class Head(NamedTuple):
    """A request without its body."""

    method: str
    path: str
    headers: HTTPMessage

    def only(self, name: str) -> str | None:
        """The value of a header, None without it. NotAdmittedError if it stands there twice."""
        values = self.headers.get_all(name, [])
        if len(values) > 1:
            raise NotAdmittedError(400, f"{name} stands there twice")
        return values[0].strip(" \t") if values else None


def read_head(data: bytes) -> Head:
    """Read a request line and headers. NotAdmittedError if they are not HTTP/1.1."""
    line, _, rest = data.partition(b"\r\n")
    found = _REQUEST_LINE.fullmatch(line)
    try:
        headers = parse_headers(BytesIO(rest))
    except HTTPException:
        raise NotAdmittedError(431, "too many headers") from None
    if found is None or headers.defects:
        raise NotAdmittedError(400, "not a request of HTTP/1.1")
    return Head(found[1].decode(), found[2].decode(), headers)


def admit(head: Head, names: Collection[str], holder: Callable[[str], str | None]) -> tuple[str, int]:
    """Whose token a request carries, and the bytes of its body. NotAdmittedError if it may not come in; nothing was done then."""
    host = (head.only("host") or "").lower()
    named = _HOST.fullmatch(host)
    if named is None or named["name"] not in names:  # under DNS rebinding a foreign page has our address, not our name
        raise NotAdmittedError(
            421, "this server does not answer to that host; bankctl mcp --http --host NAME adds a name"
        )
    origin = head.only("origin")
    if origin is not None and origin.lower() not in {f"http://{host}", f"https://{host}"}:
        raise NotAdmittedError(403, "a web page of another site may not ask here")
    if head.path != PATH:
        raise NotAdmittedError(404, f"there is only {PATH} here")
    scheme, _, token = (head.only("authorization") or "").partition(" ")
    who = holder(token.strip()) if scheme.lower() == "bearer" else None
    if who is None:
        raise NotAdmittedError(
            401, "needs a token of this bank: Authorization: Bearer TOKEN; bankctl mcp token add NAME makes one"
        )
    if head.method != "POST":
        raise NotAdmittedError(405, "only POST: this server has no stream of its own and no session to end")
    if head.only("mcp-session-id") is not None:
        raise NotAdmittedError(404, "there are no sessions here: send initialize again, and no Mcp-Session-Id")
    if (head.only("content-type") or "").partition(";")[0].strip().lower() != "application/json":
        raise NotAdmittedError(415, "the body must be application/json")
    length = head.only("content-length")
    if length is None or head.only("transfer-encoding") is not None:
        raise NotAdmittedError(411, "name the length of the body: Content-Length")
    if not (length.isascii() and length.isdigit()):
        raise NotAdmittedError(400, "Content-Length must be a number of bytes")
    if len(length) > 9 or int(length) > MOST_BODY:
        raise NotAdmittedError(413, f"at most {MOST_BODY} bytes")
    return who, int(length)


def check_routing(request: mcp.Request, head: Head) -> None:
    """ProtocolError if the headers of a request contradict its frame, or name an unknown revision."""
    revision = head.only("mcp-protocol-version")
    if not request.is_modern:
        if revision not in _OLD_REVISIONS and revision != mcp.MODERN:
            data = {"supported": [mcp.MODERN, *mcp.HANDSHAKES], "requested": revision}
            raise mcp.ProtocolError(mcp.UNSUPPORTED_VERSION, "unsupported protocol version", data)
        return
    name = head.only("mcp-name")
    if name and (encoded := _SAID_ENCODED.fullmatch(name)):
        with suppress(ValueError):
            name = b64decode(encoded["said"], validate=True).decode()
    named = request.params.get(_NAMED_BY.get(request.method, ""))
    for header, said, meant in (
        ("MCP-Protocol-Version", revision, request.meta["io.modelcontextprotocol/protocolVersion"]),
        ("Mcp-Method", head.only("mcp-method"), request.method),
        ("Mcp-Name", name if named else None, named),
    ):
        if said != meant:
            raise mcp.ProtocolError(_HEADER_MISMATCH, f"the header {header} does not say what the body says")


class HttpServer:
    """Serves one bank to agents with a token for it."""

    def __init__(self, root: str, names: Collection[str]) -> None:
        """Take the workspace, and the host names by which it may be asked, in lower case."""
        self._root, self._names, self._tokens = root, names, Tokens(Path(root))
        self._bank = BankMethods(lambda: BankElsewhere(root), is_elsewhere=True).by_name()
        self._thread = ThreadPoolExecutor(1, "bank")
        self._room = asyncio.Semaphore(CONNECTIONS)

    async def serve(self, listener: socket.socket, tls: SSLContext | None, say_ready: Callable[[], None]) -> None:
        """Answer until SIGTERM or SIGINT, from `say_ready` on; the call in progress is finished."""
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        server = await asyncio.start_server(
            self._converse, sock=listener, limit=MOST_HEAD, ssl=tls, ssl_handshake_timeout=SECONDS if tls else None
        )
        say_ready()
        await stop.wait()
        server.close()
        self._thread.shutdown(cancel_futures=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request, answer it, and end the connection."""
        writer.transport.set_write_buffer_limits(0)  # so an answer counts as sent when the kernel has all of it
        async with self._room:
            try:
                await self._exchange(reader, writer)
            except (OSError, EOFError, TimeoutError):  # it left, or was too slow
                writer.transport.abort()
            finally:
                writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(SECONDS):
                head = read_head(await reader.readuntil(b"\r\n\r\n"))
                who, size = admit(head, self._names, self._tokens.holder)
                body = await reader.readexactly(size)
            status, said = await self._answer(who, head, body)
        except (NotAdmittedError, asyncio.LimitOverrunError, TimeoutError) as error:
            await self._refuse(reader, writer, error)
            return
        await _send(writer, status, said)

    async def _answer(self, who: str, head: Head, body: bytes) -> tuple[int, bytes]:
        has_session = head.only("mcp-protocol-version") != mcp.MODERN
        request, reply = mcp.take_frame(body, has_session=has_session, check=lambda one: check_routing(one, head))
        if reply is not None:
            return 400 if "error" in reply else 200, _frame(reply)
        if request is None or request.id is None:
            return 202, b""
        reply = await asyncio.get_running_loop().run_in_executor(self._thread, mcp.answer_by_bank, request, self._bank)
        self._log_call(who, request, reply)
        code = reply["error"]["code"] if "error" in reply else None
        if code is None or code == mcp.INTERNAL_ERROR or not request.is_modern:
            return 200, _frame(reply)
        return 404 if code == mcp.NO_METHOD else 400, _frame(reply)

    def _log_call(self, who: str, request: mcp.Request, reply: mcp.Json) -> None:
        """Log the caller, the method, the bank and whether it succeeded; never the question or the answer."""
        what = request.method if request.method in self._bank else "unknown"
        if what == "tools/call":
            name = request.params.get("name")
            what = str(name) if any(tool["name"] == name for tool in TOOLS) else "unknown tool"
        is_done = "error" not in reply and not reply["result"].get("isError")
        log.info("call token=%s what=%s bank=%s done=%s", who, what, self._root, "yes" if is_done else "no")

    async def _refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, error: Exception) -> None:
        """Send the reason, then wait a moment for a client that is still sending; else it would not read the answer."""
        if isinstance(error, NotAdmittedError):
            status, reason = error.status, str(error)
        elif isinstance(error, TimeoutError):
            status, reason = 408, "too slow"
        else:
            status, reason = 431, f"at most {MOST_HEAD} bytes"
        peer = (writer.get_extra_info("peername") or ["?"])[0]
        log.warning("refused status=%d from=%s bank=%s", status, peer, self._root)
        await _send(writer, status, _frame(mcp.reply_error(None, mcp.ProtocolError(mcp.INVALID_REQUEST, reason))))
        if writer.can_write_eof():
            writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                while await reader.read(MOST_HEAD):
                    pass


def _frame(frame: mcp.Json) -> bytes:
    return to_json(frame).encode()


_OWN_HEADERS = {401: 'WWW-Authenticate: Bearer realm="bankd"\r\n', 405: "Allow: POST\r\n"}


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes) -> None:
    head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{_OWN_HEADERS.get(status, '')}"
    head += "Content-Type: application/json\r\n" if body else ""
    head += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    async with asyncio.timeout(SECONDS):
        await writer.drain()


def listen_at(address: str, port: int) -> socket.socket:
    """A socket that listens at an address of this machine. Port 0 takes a free one. UserError if the port is taken."""
    try:
        made = socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET)
    except OSError as error:
        raise UserError(f"{address}, port {port}: {error.strerror}; choose another with --port") from error
    # Name the protocol: else asyncio sends the second half of an answer 40 ms later, after the first is acknowledged.
    return socket.socket(made.family, made.type, socket.IPPROTO_TCP, made.detach())


def serve_http(
    root: str,
    address: str,
    port: int,
    hosts: Collection[str],
    tls_files: tuple[str, str] | None,
    announce: Callable[[str], None],
) -> None:
    """Serve a bank until SIGTERM or SIGINT; `announce` gets the URL. `tls_files` are certificate and key.

    UserError for an address outside this machine without TLS, an address that cannot be used, or an unreadable file.
    """
    try:
        ip = ip_address(address)
    except ValueError:
        raise UserError(f"{address}: not an address of this machine, such as 127.0.0.1 or 192.168.1.5") from None
    if not (ip.is_loopback or tls_files):
        raise UserError(
            f"{address}: others on the network could read along; give a certificate: --cert FILE --key FILE"
        )
    own = f"[{ip}]" if ip.version == 6 else str(ip)
    names = {host.lower() for host in hosts} | ({"127.0.0.1", "localhost", "[::1]"} if ip.is_loopback else {own})
    if ip.is_unspecified and not hosts:
        raise UserError(f"{address}: by which name do agents reach it? Give --host NAME")
    tls = None
    if tls_files:
        from ssl import Purpose, create_default_context

        tls = create_default_context(Purpose.CLIENT_AUTH)
        try:
            tls.load_cert_chain(*tls_files)
        except OSError as error:
            raise UserError(
                f"{tls_files[0]}, {tls_files[1]}: not a certificate and its key: {error.strerror}"
            ) from error
    with listen_at(address, port) as listener:
        name = next(iter(hosts), "127.0.0.1" if ip.is_loopback and ip.version == 4 else own)
        url = f"{'https' if tls else 'http'}://{name}:{listener.getsockname()[1]}{PATH}"
        asyncio.run(HttpServer(root, names).serve(listener, tls, lambda: announce(url)))
