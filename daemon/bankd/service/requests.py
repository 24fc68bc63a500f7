"""What each operation of the daemon's socket takes: a request is checked whole before anything of it is begun.

A search and what is related are read by the readers that every caller of them shares, `bankctl` without a daemon too.

What can be asked of the daemon over its socket, one method an operation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from bankd.errors import BankError, BusyError, UsageError
from bankd.health.health import LENT, HealthFacts, facts_to_json, render_metrics, tell_standstill
from bankd.service.jobs import Jobs
from bankd.wiring.held import Held
from bankd.wiring.reader import BankReader
from bankd.wiring.serving import Answer, LockLoan, Request, Timer

LONGEST_WAIT = 600.0
"""Seconds that a client may have something waited for."""


class Field(NamedTuple):
    """A field of a request: what it must be, whether a value is so, and whether it must be there."""

    must_be: str
    fits: Callable[[Any], bool]
    is_needed: bool = False


def _is_wait(value: Any) -> bool:
    return type(value) in {int, float} and 0 <= value <= LONGEST_WAIT


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


_WAIT = Field(f"0 to {LONGEST_WAIT:.0f} seconds", _is_wait)
OPERATIONS: Mapping[str, Mapping[str, Field]] = {
    "search": {},
    "related": {},
    "status": {},
    "metrics": {},
    "reload": {},
    "handed over": {},
    "run": {
        "kind": Field(
            "micro or reflect", lambda value: _is_text(value) and value in {"micro", "reflect"}, is_needed=True
        ),
        "force": Field("true or false", lambda value: isinstance(value, bool)),
        "within": _WAIT,
    },
    "lend": {"within": _WAIT},
    "hook": {
        "event": Field("a text", _is_text, is_needed=True),
        "said": Field("an object", _is_object, is_needed=True),
    },
    "tool": {"name": Field("a text", _is_text, is_needed=True), "arguments": Field("an object", _is_object)},
}


def find_problems(request: Mapping[str, Any]) -> list[str]:
    """What is wrong with a request, a sentence each; empty when its operation can begin. Other fields say nothing."""
    fields = OPERATIONS.get(request["op"])
    if fields is None:
        return [f"no operation {str(request['op'])[:40]!r}; there are {', '.join(sorted(OPERATIONS))}"]
    return [
        f'"{name}" must be {field.must_be}'
        for name, field in fields.items()
        if (not field.fits(request[name]) if name in request else field.is_needed)
    ]


class ServedBank(BankReader):
    """The bank as the daemon itself reads it for a hook: what another process asks over the socket is asked directly."""

    def __init__(self, root: str, handle: Callable[[dict[str, Any]], Any]) -> None:
        """Take the workspace, and what answers requests."""
        super().__init__(root)
        self._handle = handle

    def ask_daemon(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """What the daemon answers; it waits for nobody, so `seconds` says nothing."""
        return dict(self._handle(request))


RETAKE_EVERY = 0.2


class Service(Protocol):
    """The daemon, as far as requests go."""

    @property
    def pending(self) -> int: ...

    def facts(self) -> HealthFacts: ...

    def reload(self) -> str: ...


class Requests:
    """Answers requests; every method runs in the thread of its client."""

    def __init__(self, held: Held, jobs: Jobs, timer: Timer, service: Service) -> None:
        """Take what can be asked."""
        self._held, self._jobs, self._timer, self._service = held, jobs, timer, service
        self._operations: dict[str, Callable[[Request], Answer | LockLoan]] = {
            "search": self._search,
            "related": self._search,
            "status": self._status,
            "metrics": self._metrics,
            "run": self._run,
            "reload": self._reload_settings,
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
        """An answer, which says too when the jobs stand still that bring the bank up to date."""
        answer = self._held.search.answer(request, self._held.now(), self._service.pending)
        still = tell_standstill(self._timer.queue())
        if not still:
            return answer
        fresh = answer["fresh"]
        return {
            **answer,
            "fresh": {**fresh, "note": "; ".join(filter(None, [fresh["note"], f"{still}: bankctl status"]))},
        }

    def _status(self, _request: Request) -> Answer:
        return facts_to_json(self._service.facts())

    def _metrics(self, _request: Request) -> Answer:
        return {"text": render_metrics(self._service.facts())}

    def _run(self, request: Request) -> Answer:
        within = request.get("within", LONGEST_WAIT)
        summary = self._jobs.ask(request["kind"], force=request.get("force", False), within=within)
        return {"line": summary.line, "report": summary.report}

    def _reload_settings(self, _request: Request) -> Answer:
        return {"problem": self._service.reload()}

    def _take_handed_over(self, _request: Request) -> Answer:
        """Have a run soon, which imports what hooks left for it."""
        self._jobs.log_changed()
        return {}

    def _hook(self, request: Request) -> Answer:
        """What a hook of an agent's session puts before the model: its process need not import what answers that."""
        from bankd.agents.hooks import answer_hook  # noqa: PLC0415 -- most daemons serve no agent

        bank = ServedBank(str(self._held.root), self.handle)
        return {"context": answer_hook(request["event"], request["said"], bank)}

    def _tool(self, request: Request) -> Answer:
        """What a tool that agents have gives, such as memory_feedback; one that writes borrows the lock as any client."""
        from bankd.agents.tools import BankMethods, ProtocolError  # noqa: PLC0415 -- most daemons serve no agent

        called = {"name": request["name"], "arguments": request.get("arguments", {})}
        bank = ServedBank(str(self._held.root), self.handle)
        try:
            return BankMethods(lambda: bank).by_name()["tools/call"](called)
        except ProtocolError as error:
            raise UsageError(str(error)) from error

    def _lend(self, request: Request) -> LockLoan:
        """Let the client write the workspace for as long as it holds the connection, between two runs of ours."""
        lent, returned, wanted = threading.Event(), threading.Event(), threading.Event()
        wanted.set()

        def work() -> None:
            if not wanted.is_set():
                return
            self._held.lend()
            lent.set()
            returned.wait()
            self._retake()
            self._jobs.learn_of_hands()

        self._timer.submit(LENT, work)
        if not lent.wait(request.get("within", 30.0)):
            wanted.clear()
            returned.set()
            raise BusyError("a run goes on; see: bankctl status")
        return LockLoan({"lent": True}, returned.set)

    def _retake(self) -> None:
        pause = threading.Event()
        while True:
            try:
                self._held.retake()
            except BankError:  # the borrower's connection broke before it ended, or the disk takes nothing
                pause.wait(RETAKE_EVERY)
            else:
                return
