"""What the daemon answers on its socket: a request is checked whole before anything of it is begun."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from bankd.errors import BusyError, UsageError
from bankd.health.health import LENT, facts_to_json, render_metrics, tell_standstill
from bankd.service.jobs import Jobs
from bankd.system.process import Timer
from bankd.system.socket_server import Answer, LockLoan, Request
from bankd.wiring.held import Held
from bankd.wiring.reader import BankReader

if TYPE_CHECKING:
    from bankd.service.daemon import Daemon

LONGEST_WAIT = 600.0
"""The most seconds that a request may wait."""


class Field(NamedTuple):
    """A field of a request: what it must be in words, whether a value fits, and whether the field is needed."""

    must_be: str
    fits: Callable[[Any], bool]
    is_needed: bool = False


_WAIT = Field(
    f"0 to {LONGEST_WAIT:.0f} seconds", lambda value: type(value) in {int, float} and 0 <= value <= LONGEST_WAIT
)
_KIND = Field("micro or reflect", lambda value: value in ("micro", "reflect"), is_needed=True)
_TEXT = Field("a text", lambda value: isinstance(value, str), is_needed=True)
_OBJECT = Field("an object", lambda value: isinstance(value, dict))
OPERATIONS: Mapping[str, Mapping[str, Field]] = {
    "search": {},
    "related": {},
    "status": {},
    "metrics": {},
    "reload": {},
    "handed over": {},
    "run": {"kind": _KIND, "force": Field("true or false", lambda value: isinstance(value, bool)), "within": _WAIT},
    "lend": {"within": _WAIT},
    "hook": {"event": _TEXT, "said": _OBJECT._replace(is_needed=True)},
    "tool": {"name": _TEXT, "arguments": _OBJECT},
}


def find_problems(request: Mapping[str, Any]) -> list[str]:
    """What is wrong with a request, a sentence each; empty when nothing is. Unknown fields are ignored."""
    fields = OPERATIONS.get(request["op"])
    if fields is None:
        return [f"no operation {str(request['op'])[:40]!r}; there are {', '.join(sorted(OPERATIONS))}"]
    return [
        f'"{name}" must be {field.must_be}'
        for name, field in fields.items()
        if (not field.fits(request[name]) if name in request else field.is_needed)
    ]


class ServedBank(BankReader):
    """The bank for a hook inside the daemon: it asks the daemon directly, without the socket."""

    def __init__(self, root: str, handle: Callable[[dict[str, Any]], Any]) -> None:
        """Take the workspace, and what answers requests."""
        super().__init__(root)
        self._handle = handle

    def ask_daemon(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The daemon's answer; `seconds` is not needed."""
        return dict(self._handle(request))

    def begin_run(self) -> int:
        """Does nothing: the daemon takes in waiting lines by itself."""
        return 0


class Requests:
    """Answers requests; every method runs in the thread of its client."""

    def __init__(self, held: Held, jobs: Jobs, timer: Timer, service: Daemon) -> None:
        """Take what can be asked."""
        self._held, self._jobs, self._timer, self._service = held, jobs, timer, service
        self._operations: dict[str, Callable[[Request], Answer | LockLoan]] = {
            "search": self._search,
            "related": self._search,
            "status": lambda _: facts_to_json(service.facts()),
            "metrics": lambda _: {"text": render_metrics(service.facts())},
            "run": self._run,
            "reload": lambda _: {"problem": service.reload()},
            "lend": self._lend,
            "handed over": self._take_handed_over,
            "hook": self._hook,
            "tool": self._tool,
        }

    def handle(self, request: Request) -> Answer | LockLoan:
        """Answer one request; raises UsageError, and begins nothing, when anything in it is not as it must be."""
        if problems := find_problems(request):
            raise UsageError(*problems)
        return self._operations[request["op"]](request)

    def _search(self, request: Request) -> Answer:
        """Answer a search; the answer warns when the jobs that keep the bank current stand still."""
        answer = self._held.search.answer(request, self._held.now(), self._service.pending)
        still = tell_standstill(self._timer.queue())
        if not still:
            return answer
        note = "; ".join(filter(None, [answer["fresh"]["note"], f"{still}: bankctl status"]))
        return {**answer, "fresh": {**answer["fresh"], "note": note}}

    def _run(self, request: Request) -> Answer:
        within = request.get("within", LONGEST_WAIT)
        summary = self._jobs.ask(request["kind"], force=request.get("force", False), within=within)
        return {"line": summary.line, "report": summary.report}

    def _take_handed_over(self, _request: Request) -> Answer:
        """Start a run soon, which imports the transcripts that hooks handed over."""
        self._jobs.log_changed()
        return {}

    def _hook(self, request: Request) -> Answer:
        """The text that a hook gives to an agent, made here because the daemon has the needed modules loaded."""
        from bankd.agents.hooks import answer_hook  # noqa: PLC0415 -- most daemons serve no agent

        bank = ServedBank(str(self._held.root), self.handle)
        return {"context": answer_hook(request["event"], request["said"], bank)}

    def _tool(self, request: Request) -> Answer:
        """The result of an agent's tool, such as memory_feedback; one that writes borrows the lock like any client."""
        from bankd.agents.mcp import ProtocolError  # noqa: PLC0415 -- most daemons serve no agent
        from bankd.agents.tools import BankMethods  # noqa: PLC0415 -- same

        called = {"name": request["name"], "arguments": request.get("arguments", {})}
        bank = ServedBank(str(self._held.root), self.handle)
        try:
            return BankMethods(lambda: bank).by_name()["tools/call"](called)
        except ProtocolError as error:
            raise UsageError(str(error)) from error

    def _lend(self, request: Request) -> LockLoan:
        """Let the client write the workspace, between two runs, for as long as it keeps the connection."""
        lent, returned, wanted = threading.Event(), threading.Event(), threading.Event()
        wanted.set()

        def work() -> None:
            if not wanted.is_set():
                return
            self._held.lend()
            lent.set()
            returned.wait()
            pause = threading.Event()
            while not self._jobs.take_back():
                pause.wait(0.2)

        self._timer.submit(LENT, work)
        if not lent.wait(request.get("within", 30.0)):
            wanted.clear()
            returned.set()
            raise BusyError("a run goes on; see: bankctl status")
        return LockLoan({"lent": True}, returned.set)
