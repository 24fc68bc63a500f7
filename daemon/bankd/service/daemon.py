"""The life of one daemon: start, ready, loop, stop; and what it answers on its socket.

A request is checked whole before anything of it is begun.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bankd import __version__
from bankd.config.workspace import FOLDERS
from bankd.errors import BankError, BusyError, UsageError
from bankd.health import health
from bankd.service.jobs import Jobs
from bankd.storage.disk import trouble_of
from bankd.system.clock import utc_now
from bankd.system.process import Timer, logged_as
from bankd.system.socket_client import socket_path
from bankd.system.socket_server import Answer, LockLoan, Request, SocketServer
from bankd.wiring.held import Held
from bankd.wiring.reader import BankReader
from bankd.workspace.facts import RunLedger
from bankd.workspace.watcher import Watcher

if TYPE_CHECKING:
    from datetime import datetime

    from bankd.service.banks import BankSignals
    from bankd.system.manager import Notifier, Signals
    from bankd.workspace.watcher import Changes


log = logging.getLogger(__name__)

PATIENCE = 3.0
"""Seconds that a stop waits for runs; of the 5 s it may take, the rest is for killing them and for the socket."""
PROOF = 5.0
"""Seconds in which a part must prove that it works."""
BEAT = 30.0
"""Seconds between two looks at the clock, at what is due, and at every part."""
MANY = 100
"""From this many changed pages on, another process reads them; for fewer, starting it takes longer than reading."""


@dataclass(frozen=True, slots=True)
class ServiceEnvironment:
    """What the command line and the service manager give to a daemon.

    `bank` is the name for the log where the process serves several banks.
    """

    notifier: Notifier
    bank: str = ""
    polling: bool = False
    runtime_folder: Path | None = None
    clock: Callable[[], datetime] = utc_now


def told_to_stop(
    signals: Signals | BankSignals, notifier: Notifier, reload: Callable[[], object], tell: Callable[[], str]
) -> bool:
    """Wait a beat for a signal; gives whether one ends the process. SIGHUP calls `reload`; `tell` gives the status line."""
    came = signals.wait(notifier.pause(BEAT))
    if signal.SIGHUP in came:
        notifier.reloading()
        reload()
        notifier.ready(tell())
    return bool(came & {signal.SIGTERM, signal.SIGINT})


class Daemon:
    """One running service over an open workspace."""

    def __init__(self, held: Held, around: ServiceEnvironment, signals: Signals | BankSignals) -> None:
        """Put the parts together; nothing runs yet."""
        self._held, self._signals, self._around = held, signals, around
        self._since = around.clock()
        self._settings_problem = self._disk_trouble = ""
        self._reloading = threading.Lock()
        self._ledger = RunLedger(held.root)
        self._timer = Timer(lambda: self._jobs.look(), around.bank)  # noqa: PLW0108 -- they are made next
        self._jobs = Jobs(held, self._ledger, self._timer, around.clock)
        self._watcher = Watcher(held.root, logged_as(around.bank, self.files_changed), polling=around.polling)
        handle = logged_as(around.bank, Requests(held, self._jobs, self._timer, self).handle)
        usual, folder = Path(socket_path(str(held.root))), around.runtime_folder
        # Where the service manager gives a folder for the socket, the usual place leads there.
        self._socket = SocketServer(folder / usual.name, handle, link=usual) if folder else SocketServer(usual, handle)

    def live(self) -> int:
        """Start, be ready, beat until a signal comes, stop; gives the exit code."""
        self.start()
        around = self._around
        around.notifier.ready(self._status_line())
        while self._held.folder.is_in_place():
            if told_to_stop(self._signals, around.notifier, self.reload, self._status_line):
                self.stop()
                return 0
            self.beat()
        log.error("%s was moved, or another disk mounted there: to be started again", self._held.root)
        self.stop()
        return BusyError.exit_code

    def start(self) -> None:
        """Start timer, watcher, socket and jobs."""
        self._timer.start()
        self._jobs.adopt(self._held.settings)
        self._watcher.start()
        self._socket.start()
        self._jobs.look()
        # What was written while nobody watched.
        self._jobs.log_changed()
        self._jobs.index_changed()
        log.info("started workspace=%s watching=%s", self._held.root, self._watcher.state.mode)

    def beat(self) -> None:
        """Look at the clock for what is due, and at every part; feed the watchdog when every part works."""
        self._notice_disk()
        self._jobs.look()
        self._watcher.check_watches()
        self._held.tidy()
        if self._proves_alive():
            self._around.notifier.alive()
            self._around.notifier.status(self._status_line())

    def _proves_alive(self) -> bool:
        queue = self._timer.queue()
        proofs = {
            "scheduler": self._timer.proves_alive(PROOF),
            "watcher": self._watcher.proves_alive(PROOF),
            "socket": self._socket.is_reachable(),
            "queue": queue.doing == health.LENT or not health.tell_standstill(queue),  # starting again ends no loan
        }
        dead = [name for name, is_alive in proofs.items() if not is_alive]
        if dead:
            log.error("not alive parts=%s", ",".join(dead))
        return not dead

    def _notice_disk(self) -> None:
        before, self._disk_trouble = self._disk_trouble, trouble_of(self._held.root, FOLDERS[1:])
        if self._disk_trouble and not before:
            log.error("nothing can be written problem=%s", self._disk_trouble)
        if before and not self._disk_trouble:
            log.info("it can be written again; waiting work is done now")
            self._jobs.try_again()

    def files_changed(self, changes: Changes) -> None:
        """Make changed files searchable: at once by the lexicon, and after a pause with the analyser."""
        log.debug("changed=%d deleted=%d", len(changes.changed), len(changes.deleted))
        if any(path.startswith("memory/") for path in changes.paths):
            self._jobs.log_changed()
        try:
            if len(changes.paths) >= MANY:
                self._held.catch_up()
            else:
                self._held.search.take_in(changes.paths, self._held.now())
        except (BankError, OSError) as error:
            log.error("changes not indexed, tried again later error=%s", error)  # noqa: TRY400  no bug of ours
        self._jobs.index_changed()

    @property
    def pending(self) -> int:
        """How many changed files are not in the index yet."""
        return self._watcher.pending

    def reload(self) -> str:
        """Read the settings again; gives what is wrong with them, in which case the old ones still hold."""
        with self._reloading:
            try:
                self._held.reload()
            except BankError as error:
                self._settings_problem = str(error)
                log.error("settings not reloaded, the old ones still hold problem=%s", error)  # noqa: TRY400
                return self._settings_problem
            self._settings_problem = ""
            self._jobs.adopt(self._held.settings)
            log.info("settings reloaded")
            return ""

    def facts(self) -> health.HealthFacts:
        """The facts for the status: bank, index, jobs, watcher."""
        daemon = health.DaemonFacts(
            os.getpid(),
            __version__,
            self._since,
            watcher=asdict(self._watcher.state),
            settings_problem=self._settings_problem,
            requests=self._socket.served,
            refused=self._socket.refused,
            queue=self._timer.queue(),
        )
        bank = self._held.facts(self.pending)
        now = self._around.clock()
        rows, zone = tuple(self._ledger.rows), self._held.settings.timezone
        return health.HealthFacts(str(self._held.root), now, bank, self._jobs.facts(), rows, daemon, zone)

    def _status_line(self) -> str:
        """The line for the service manager, made at each beat from what is in memory."""
        if self._settings_problem:
            return f"the new settings cannot be used, the old ones hold: {self._settings_problem.splitlines()[0]}"
        if self._disk_trouble:
            return f"nothing can be written: {self._disk_trouble}"
        jobs = self._jobs.facts()
        failing = [f"{job.name} failed: {job.last.note}" for job in jobs if job.failures and job.last]
        following = min((job.following for job in jobs if job.following), default=None)
        due = f"next run {following:%H:%M} UTC" if following else "no run planned"
        return failing[0].partition("\n")[0] if failing else f"{self._watcher.state.files} files watched, {due}"

    def stop(self) -> None:
        """End everything within some seconds; a run that does not end is killed, and the next start finishes it."""
        self._around.notifier.stopping("stopping")
        self._around.notifier.extend(timedelta(seconds=PATIENCE + 2))
        self._timer.stop()
        ended = self._jobs.stop(PATIENCE)
        self._held.abandon()
        self._socket.stop()
        self._watcher.stop()
        self._held.close()
        log.info("stopped cleanly=%s", ended)


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
FIELDS: Mapping[str, Mapping[str, Field]] = {
    "run": {"kind": _KIND, "force": Field("true or false", lambda value: isinstance(value, bool)), "within": _WAIT},
    "lend": {"within": _WAIT},
    "hook": {"event": _TEXT, "said": _OBJECT._replace(is_needed=True)},
    "tool": {"name": _TEXT, "arguments": _OBJECT},
}


def find_problems(request: Mapping[str, Any]) -> list[str]:
    """What is wrong with the fields of a request, a sentence each; empty when nothing is. Unknown fields are ignored."""
    return [
        f'"{name}" must be {field.must_be}'
        for name, field in FIELDS.get(request["op"], {}).items()
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
        self._bank = ServedBank(str(held.root), self.handle)
        self._operations: dict[str, Callable[[Request], Answer | LockLoan]] = {
            "search": self._search,
            "related": self._search,
            "status": lambda _: health.facts_to_json(service.facts()),
            "metrics": lambda _: {"text": health.render_metrics(service.facts())},
            "run": self._run,
            "reload": lambda _: {"problem": service.reload()},
            "lend": self._lend,
            "handed over": self._take_handed_over,
            "hook": self._hook,
            "tool": self._tool,
        }

    def handle(self, request: Request) -> Answer | LockLoan:
        """Answer one request; raises UsageError, and begins nothing, when anything in it is not as it must be."""
        operation = self._operations.get(request["op"])
        if operation is None:
            raise UsageError(f"no operation {request['op'][:40]!r}; there are {', '.join(sorted(self._operations))}")
        if problems := find_problems(request):
            raise UsageError(*problems)
        return operation(request)

    def _search(self, request: Request) -> Answer:
        """Answer a search; the answer warns when the jobs that keep the bank current stand still."""
        answer = self._held.search.answer(request, self._held.now(), self._service.pending)
        still = health.tell_standstill(self._timer.queue())
        if not still:
            return answer
        note = "; ".join(filter(None, [answer["fresh"]["note"], f"{still}: bankctl status"]))
        return {**answer, "fresh": {**answer["fresh"], "note": note}}

    def _run(self, request: Request) -> Answer:
        within = request.get("within", LONGEST_WAIT)
        summary = self._jobs.ask(request["kind"], force=request.get("force", False), within=within)
        return {"line": summary["line"], "report": summary["report"]}

    def _take_handed_over(self, _request: Request) -> Answer:
        """Start a run soon, which imports the transcripts that hooks handed over."""
        self._jobs.log_changed()
        return {}

    def _hook(self, request: Request) -> Answer:
        """The text that a hook gives to an agent, made here because the daemon has the needed modules loaded."""
        from bankd.agents.hooks import answer_hook  # noqa: PLC0415 -- most daemons serve no agent

        return {"context": answer_hook(request["event"], request["said"], self._bank)}

    def _tool(self, request: Request) -> Answer:
        """The result of an agent's tool, such as memory_feedback; one that writes borrows the lock like any client."""
        from bankd.agents.mcp import ProtocolError  # noqa: PLC0415 -- most daemons serve no agent
        from bankd.agents.tools import BankMethods  # noqa: PLC0415 -- same

        called = {"name": request["name"], "arguments": request.get("arguments", {})}
        try:
            return BankMethods(lambda: self._bank).by_name()["tools/call"](called)
        except ProtocolError as error:
            raise UsageError(str(error)) from error

    def _lend(self, request: Request) -> LockLoan:
        """Let the client write the workspace, between two runs, for as long as it keeps the connection."""
        lent, returned, wanted = threading.Event(), threading.Event(), threading.Event()
        wanted.set()

        def work() -> None:
            if not wanted.is_set():
                return
            self._held.lock.release()
            lent.set()
            returned.wait()
            pause = threading.Event()
            while not self._jobs.take_back():
                pause.wait(0.2)

        self._timer.submit(health.LENT, work)
        if not lent.wait(request.get("within", 30.0)):
            wanted.clear()
            returned.set()
            raise BusyError("a run goes on; see: bankctl status")
        return LockLoan({"lent": True}, returned.set)
