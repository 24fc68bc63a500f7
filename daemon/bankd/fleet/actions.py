"""A fleet put together, its nights and its shared search; what each action of `bankctl fleet` does and prints.

The night of a bank is done once for each date, and how it ended is always noted. The shared search is brought up to date after
each night, and answers with the ranking that every bank uses.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, time
from functools import cache, partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bankd.app.distil import ask_models
from bankd.cli import locate_workspace
from bankd.cli.base import Outcome, say, say_json, styled
from bankd.cli.search import print_answer
from bankd.config import replace_file
from bankd.config.workspace import SETTINGS, load_usable_settings
from bankd.errors import BankError, UsageError, UserError
from bankd.fleet.registry import (
    LOST,
    STATES,
    Fleet,
    FleetBank,
    FleetDatabase,
    FleetFacts,
    FleetUnreachableError,
    NightOutcome,
    WorkerPlan,
    first_line,
    render_fleet_metrics,
)
from bankd.fleet.shared import BankScope, PostgresPostings, ScopedPostings, SharedIndex, SharedVectors
from bankd.fleet.writer import WrittenShare, share_index
from bankd.health.schedule import Daily
from bankd.memory.report import counts_of, rows_of
from bankd.pages.text import show_line
from bankd.search.answer import Answering
from bankd.search.find import RankingOptions
from bankd.search.request import Freshness, read_request
from bankd.settings import MeaningPolicy
from bankd.system.child import forget_kept, give_back, keep_little
from bankd.system.clock import read_monotonic, utc_now
from bankd.system.files import banks_path
from bankd.system.process import set_up_log
from bankd.translate import counted
from bankd.translate import translate as _
from bankd.wiring.runner import import_watched, write_due_briefs
from bankd.wiring.search import make_search, quick_settings, settled
from bankd.wiring.workspace import open_workspace
from bankd.words.analysis import analyse_text, normal_form, runs_of
from bankd.workers.analyser import KiwiWorker
from bankd.workers.vectors import SentenceVectors

if TYPE_CHECKING:
    from bankd.fleet.opensearch import OpenSearchStore


log = logging.getLogger(__name__)


@contextmanager
def open_fleet(dsn: str) -> Iterator[Fleet]:
    """Open a fleet. UserError if the database cannot be reached or has no fleet."""
    with closing(FleetDatabase(dsn)) as database:
        if database.rows("SELECT to_regclass('bankd.banks')") == [(None,)]:
            raise UserError("this database has no fleet; make one with: bankctl fleet init DSN")
        yield Fleet(database)


def make_fleet(dsn: str) -> bool:
    """Make the tables of a fleet. False if they are there already."""
    with closing(FleetDatabase(dsn)) as database:
        return database.make_tables()


class StandingNights:
    """Runs the nights of one bank after another, with one Kiwi."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._kiwi, self._done = KiwiWorker(read_monotonic), 0

    def run(self, root: Path) -> str:
        """Run a bank's night as `bankctl cycle reflect` does, and give what it did, in one line."""
        self._done += 1
        if self._done % 20 == 0:  # else a worker grows to a gigabyte in a thousand nights
            forget_kept()
            give_back()
        searching = make_search(root, worker=self._kiwi)
        try:
            with open_workspace(root, searching=searching, write=False) as workspace:
                unanswered = ask_models(workspace) if workspace.models else {}
            with open_workspace(root, searching=searching) as workspace:
                workspace.unanswered = unanswered
                problems = list(import_watched(workspace))
                workspace.wait_until_settled()
                reports = list(workspace.run_batches("reflect"))
                write_due_briefs(workspace.root, workspace.settings.agents.briefs, workspace.now)
        finally:
            searching.close(with_analyser=False)
        counts = counts_of(row for report in reports for row in rows_of(report.plan))
        return "; ".join([", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing new", *problems])

    def close(self) -> None:
        """End Kiwi."""
        self._kiwi.end()


def prepare_worker() -> None:
    """Set up the process of a worker: memory, log, and the modes of new files."""
    keep_little()
    set_up_log(os.environ.get("JOURNAL_STREAM", ""))
    for name in ("procrastinate", "psycopg.pool"):  # we report failures ourselves, without a traceback
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.umask(0o077)


def share_bank(fleet: Fleet, bank: FleetBank) -> WrittenShare:
    """Bring the shared search up to date with the index of a bank."""
    store = _store_of(fleet)
    meaning = settled(quick_settings(bank.root)[0].meaning)
    return share_index(fleet.database, bank, meaning, store.write if store else None)


def use_opensearch(fleet: Fleet, url: str) -> None:
    """Keep the terms of the shared search in an OpenSearch cluster from now on. UserError if banks are shared already."""
    if fleet.database.rows("SELECT 1 FROM shared_banks LIMIT 1"):
        raise UserError("the shared search has banks already, so its terms stay in the database")
    _store_at(url).make()
    query = "INSERT INTO settings VALUES ('opensearch', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    fleet.database.change(query, url)


def _store_of(fleet: Fleet) -> OpenSearchStore | None:
    """The cluster of a fleet; None if the tables of the database have the terms."""
    url = fleet.database.setting("opensearch")
    return _store_at(url) if url else None


@cache
def _store_at(url: str) -> OpenSearchStore:
    try:
        from bankd.fleet.opensearch import OpenSearchStore  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise UserError(f"OpenSearch needs {error.name}; install it with: pip install 'bankd[opensearch]'") from error
    return OpenSearchStore(url)


def _postings_of(fleet: Fleet, banks: Sequence[int], scope: BankScope) -> ScopedPostings:
    store = _store_of(fleet)
    if store is None:
        return PostgresPostings(fleet.database, scope)
    from bankd.fleet.opensearch import OpenSearchPostings  # noqa: PLC0415 -- an extra

    return OpenSearchPostings(store, banks)


def answer_from_fleet(fleet: Fleet, request: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Answer a request as a bank's own search does, from `banks` (none named: all readable ones). Each hit names its bank."""
    query = read_request(request, now.date())._replace(groups=("bank",), see_also=False)
    with fleet.database.snapshot():
        index = SharedIndex(fleet.database, request.get("banks", []), partial(_postings_of, fleet))
        form = normal_form(query.text)
        runs = runs_of(form)  # what the question will ask for: one query to the database, and not one for each term
        index.expect(runs, [*dict.fromkeys([*analyse_text(form).terms, *runs])])
        vectors = None
        if index.model:
            count = index.count_vectors(index.model)
            vectors = SharedVectors(fleet.database, index.numbers, count, _door_of(index.model), index.model)
        options = RankingOptions(relations=index.relations, vectors=vectors)
        fresh = Freshness(0, index.updated, True, 0)
        answer = Answering(query, options).answer(index, (), fresh)
        meaning = "off" if vectors is None else f"not now: {vectors.problem}" if vectors.problem else "on"
        fresh = answer.fresh._replace(meaning=meaning)
    found = answer._replace(fresh=fresh).as_json()
    return {**found, **{name: [_with_bank(hit) for hit in found[name]] for name in ("hits", "nearest")}}


@cache
def _door_of(model: str) -> SentenceVectors:
    """The process that makes vectors of questions; it is kept for the next question. There are few models."""
    return SentenceVectors(Path(), MeaningPolicy(*json.loads(model)), read_monotonic)


def _with_bank(hit: Mapping[str, Any]) -> dict[str, Any]:
    bank, _, path = str(hit["path"]).removeprefix("bank/").partition(":")
    return {**hit, "bank": bank, "path": f"bank/{path}"}


def run_action(arguments: Namespace) -> int:
    """Do what was asked for."""
    if arguments.action == "init":
        return _init(arguments)
    dsn = fleet_dsn(arguments.dsn)
    if arguments.action == "worker":
        return _work(dsn, arguments)
    acts: Mapping[str, Callable[[Fleet, Namespace], int]] = {
        "add": _add, "status": _status, "index": _index, "search": _search,
    }  # fmt: skip
    with open_fleet(dsn) as fleet:
        return acts.get(arguments.action, _act_shortly)(fleet, arguments)


def _act_shortly(fleet: Fleet, arguments: Namespace) -> int:
    """The actions that are one call: list, remove, retry, allow, deny."""
    match arguments.action:
        case "list":
            banks = fleet.list_banks()
            return _tell_banks(banks, counted(len(banks), "bank"), arguments)
        case "remove":
            remove_banks(fleet, arguments.banks)
            said, row = _("removed from the fleet; the files of the banks did not change"), {"removed": arguments.banks}
        case "retry":
            count = fleet.retry([bank.name for bank in _chosen(fleet, arguments)])
            said, row = _(f"{count} nights are tried again now"), {"again": count}
        case action:
            change, may = (fleet.allow, "may") if action == "allow" else (fleet.deny, "may not")
            change(arguments.role, fleet.find(arguments.banks))
            said = _(f"{arguments.role} {may} search these banks")
            row = {"role": arguments.role, "banks": arguments.banks}
    return _tell(said, row, arguments)


def _status(fleet: Fleet, arguments: Namespace) -> int:
    """Show the state of the fleet. Exit code 3 if a night failed for good: a person has to look."""
    facts = fleet.facts(utc_now())
    if arguments.metrics:
        sys.stdout.write(render_fleet_metrics(facts))
    elif arguments.json:
        rows = [{**asdict(one), "next_try": one.next_try and one.next_try.isoformat()} for one in facts.unfinished]
        say_json({**asdict(facts), "unfinished": rows})
    else:
        _show(facts, arguments.limit or len(facts.unfinished))
    return 3 if facts.count("failed") else 0


def _show(facts: FleetFacts, most: int) -> None:
    counts = [_(f"{facts.due} due"), *(f"{facts.count(state)} {_(state)}" for state in STATES)]
    say(_(f"{facts.banks} banks, {facts.workers} workers; {', '.join(counts)}; {facts.done} done in the last 24 hours"))
    order = sorted((one for one in facts.unfinished if one.state != "waiting"), key=lambda one: one.state != "failed")
    for one in order[:most]:
        again = one.state == "again" and one.next_try
        parts = (
            styled(_(one.state), {"failed": "red", "stalled": "red", "again": "yellow"}.get(one.state, "bold")),
            styled(one.bank), one.night, styled(_(one.said)),
            styled(_(f"tried {one.tries} times, again at {one.next_try:%H:%M:%S}") if again else "", "dim"),
        )  # fmt: skip
        say("  ".join(part for part in parts if part))
    if len(order) > most:
        say(_(f"and {len(order) - most} more; -n 0 shows all"))
    if facts.count("failed"):
        say(_("when the causes are fixed, type: bankctl fleet retry"))
    if not facts.workers and (facts.due or facts.unfinished):
        say(styled(_("no worker runs; start one with: bankctl fleet worker"), "red"))


def _init(arguments: Namespace) -> int:
    is_new = make_fleet(arguments.dsn)
    if arguments.opensearch:
        with open_fleet(arguments.dsn) as fleet:
            use_opensearch(fleet, arguments.opensearch)
    path = fleet_file()  # only this user can read it: the address may hold a password
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(path, f"{arguments.dsn}\n", 0o600)
    made = _("made the tables") if is_new else _("the tables are there already")
    said = _(f"{made}; {path} has the address of the database. Next: bankctl fleet add DIR...")
    return _tell(said, {"made": is_new, "file": str(path)}, arguments)


def _add(fleet: Fleet, arguments: Namespace) -> int:
    if arguments.name and len(arguments.folders) > 1:
        raise UsageError("--name takes one workspace; add the others without it")
    roots = [Path(locate_workspace(folder)).resolve() for folder in arguments.folders]
    joined = (add_bank(fleet, root, arguments.name or root.name, arguments.storage, utc_now()) for root in roots)
    added = [bank for bank in joined if bank]
    return _tell_banks(added, _(f"{len(added)} banks are new, {len(roots) - len(added)} are there already"), arguments)


def _chosen(fleet: Fleet, arguments: Namespace) -> Sequence[FleetBank]:
    """The banks that are named, or all."""
    return fleet.find(arguments.banks) if arguments.banks else fleet.list_banks()


def _index(fleet: Fleet, arguments: Namespace) -> int:
    banks = _chosen(fleet, arguments)
    fleet.share([bank.name for bank in banks])
    written, problems = dict[str, WrittenShare](), dict[str, str]()
    for bank in banks:
        try:
            written[bank.name] = share_bank(fleet, bank)
        except (UserError, OSError) as error:
            problems[bank.name] = str(error)
    said = _(f"{len(written)} banks, {sum(one.memories for one in written.values())} memories changed")
    for name, problem in problems.items():
        sys.stderr.write(f"bankctl: {name}: {_(problem)}\n")
    _tell(said, {"banks": {name: one._asdict() for name, one in written.items()}, "problems": problems}, arguments)
    return 3 if problems else 0


def _search(fleet: Fleet, arguments: Namespace) -> int:
    request = {"query": " ".join(arguments.query), "limit": arguments.limit, "banks": arguments.bank}
    answer = answer_from_fleet(fleet, request, utc_now())
    if arguments.json:
        say_json(answer)
    else:
        shown = [*answer["hits"], *answer["nearest"]]
        roots = {hit["bank"]: "" for hit in shown}
        print_answer(answer, roots, is_plain=not sys.stdout.isatty(), by_page=False, ids=True, explain=False)
    return 0 if answer["hits"] else 1


def _work(dsn: str, arguments: Namespace) -> int:
    if arguments.concurrency > 1:
        words = ["--first-wait", str(arguments.first_wait), *(["--until-idle"] if arguments.until_idle else [])]
        words += [word for storage in arguments.storage for word in ("--storage", storage)]
        return work_together(dsn, words, arguments.concurrency)
    prepare_worker()
    with open_fleet(dsn):
        pass  # a problem at the start is an error; only later the worker waits for the database
    name = f"{socket.gethostname()}:{os.getpid()}"
    plan = WorkerPlan(arguments.storage, arguments.first_wait, not arguments.until_idle, name)
    with closing(StandingNights()) as standing:
        while (problem := _work_while_there(dsn, plan, standing)) is not None:
            log.warning("the database is lost: %s; again in %.0f s", problem, _PAUSE)
            Event().wait(_PAUSE)
    return 0


def _tell(said: str, row: Mapping[str, object], arguments: Namespace) -> int:
    return Outcome(row, styled(said)).show(as_json=arguments.json)


def _tell_banks(banks: Sequence[FleetBank], said: str, arguments: Namespace) -> int:
    if arguments.json:
        say_json({"banks": [{**asdict(bank), "at": f"{bank.at:%H:%M}", "due": bank.due.isoformat()} for bank in banks]})
        return 0
    for bank in banks:
        when = f"{bank.at:%H:%M} {bank.zone}, " + _(f"next {bank.due:%Y-%m-%d %H:%M %Z}")
        say("  ".join([styled(bank.name, "bold"), styled(bank.root), styled(bank.storage, "dim"), when]))
    sys.stdout.flush()
    say(said)
    return 0


class NightFailedError(BankError):
    """A night failed. It will be tried again."""


@dataclass(frozen=True, slots=True)
class Nights:
    """Does nights one after another; the fields are what a test replaces."""

    fleet: Fleet
    run_night: Callable[[Path], str]
    share: Callable[[FleetBank], object]
    """Brings the shared search up to date with a bank after its night."""
    worker: str
    read_utc: Callable[[], datetime]
    read_seconds: Callable[[], float]

    def do_night(self, name: str, night: str, tries: int) -> None:
        """Do the night of a bank unless it was done. NightFailedError says why it failed; the table has the reason too."""
        bank = self.fleet.named(name)
        if bank is None or self.fleet.is_done(name, night):
            return
        began, problem = self.read_seconds(), None
        try:
            said = self._do(bank)
        except Exception as error:
            problem, said = error, show_line(str(error) or type(error).__name__)
        seconds = self.read_seconds() - began
        outcome = NightOutcome(name, night, self.read_utc(), seconds, tries, problem is None, said, self.worker)
        self.fleet.note_night(outcome)
        if problem is not None:
            log.warning("night failed bank=%s night=%s try=%d: %s", name, night, tries, said)
            raise NightFailedError(f"{name}: {said}") from problem

    def _do(self, bank: FleetBank) -> str:
        root = Path(bank.root)
        if not (root / "bankd.yaml").is_file():
            raise UserError(f"{root}: the worker {self.worker} sees no workspace there")
        said = self.run_night(root)
        if bank.is_shared:
            self.share(bank)
        return said


def queue_due(fleet: Fleet, now: datetime) -> int:
    """Put the nights that are due into the queue. Gives how many."""
    put = 0
    while True:
        with fleet.database.transaction() as connection:
            nights = fleet.take_due(connection, now)
            fleet.put(connection, nights)
        if not nights:
            return put
        put += len(nights)


_PAUSE = 2.0
"""Seconds until the worker tries a lost database again."""


def _work_while_there(dsn: str, plan: WorkerPlan, standing: StandingNights) -> str | None:
    """Do nights as long as the database is there. None at the end of the work, else the problem of the database."""
    try:
        with open_fleet(dsn) as fleet:
            nights = Nights(fleet, standing.run, partial(share_bank, fleet), plan.name, utc_now, read_monotonic)

            def look() -> None:
                with open_fleet(dsn) as other:  # its own connection: a night may hold the other one
                    queue_due(other, utc_now())
                    other.database.change("DELETE FROM nights WHERE ended < now() - interval '60 days'")

            look()
            while not asyncio.run(fleet.work(plan, nights.do_night, look)):
                if plan.stays:
                    return "it went away"
                # A night that is due may be on its way into the queue, by another worker.
                if not (fleet.has_ready(plan.storages) or fleet.facts(utc_now()).due):
                    break
                Event().wait(_PAUSE)
    except (*LOST, FleetUnreachableError) as error:
        return first_line(error)
    return None


def work_together(dsn: str, words: Sequence[str], processes: int) -> int:
    """Do nights in several processes. They get each signal, and finish their nights. Gives the worst exit code.

    The address of the database goes by the environment: it may hold a password, and others can read command lines.
    """
    program = "import sys; from bankd.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "fleet", "worker", *words]
    around = {**os.environ, "BANKD_FLEET": dsn}
    children = [subprocess.Popen(command, env=around) for _child in range(processes)]  # noqa: S603 -- ourselves

    def pass_on(caught: int, _frame: object) -> None:
        for child in children:
            child.send_signal(caught)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, pass_on)
    return max(child.wait() for child in children)


def add_bank(fleet: Fleet, root: Path, name: str, storage: str, now: datetime) -> FleetBank | None:
    """Add a workspace, with its nights at the hour and in the zone of its settings. None if it is there already.

    A bank that is there gets the hour and the zone that its settings have now.
    """
    settings, _ = load_usable_settings(root / SETTINGS)
    at, zone = time.fromisoformat(settings.schedule.reflect_at), settings.timezone
    bank = FleetBank(0, name, str(root), storage, zone, at, Daily(at, ZoneInfo(zone)).following(now).due)
    return bank if fleet.add(bank) else None


def remove_banks(fleet: Fleet, names: Sequence[str]) -> None:
    """Remove banks from the fleet. Their files stay as they are."""
    banks = fleet.find(names)
    if store := _store_of(fleet):
        store.remove([bank.number for bank in banks])
    fleet.remove(names)


def fleet_file() -> Path:
    """The file with the address of the database, beside the list of banks."""
    return Path(banks_path()).with_name("fleet")


def fleet_dsn(given: str | None) -> str:
    """The address of the database, as libpq reads it. UserError if there is none."""
    if found := given or os.environ.get("BANKD_FLEET"):
        return found
    try:
        return fleet_file().read_text("utf-8").strip()
    except OSError:
        raise UserError("no fleet is known here: type bankctl fleet init DSN, or set BANKD_FLEET") from None
