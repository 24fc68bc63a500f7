"""The state of bankd, read only: asks the daemon, or without one reads what is on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bankd.app.beside import BesideIndexes
from bankd.config import load_usable_settings
from bankd.config.workspace_config import SETTINGS, check_configuration
from bankd.core.daemon.health import facts_to_json
from bankd.core.daemon.health_facts import BankFacts, HealthFacts, IndexFacts, JobFacts
from bankd.core.daemon.metrics import render_metrics
from bankd.core.daemon.schedule_rows import LedgerRow, fold_rows
from bankd.core.markdown.policy import Settings
from bankd.core.plan.held_back import HeldBack
from bankd.errors import IndexDamaged, UserError
from bankd.ports.searching import WorkspaceIndex
from bankd.ports.storage import Files

JOBS = ("micro", "reflect")


@dataclass(frozen=True, slots=True)
class Probe:
    """Looks at a workspace without opening it for work, whoever works in it and whatever is wrong with it."""

    root: Path
    files: Files
    index: WorkspaceIndex
    beside: BesideIndexes
    now: Callable[[], datetime]
    ask_daemon: Callable[[Mapping[str, Any]], dict[str, Any] | None]
    """Sends one request; None when nobody answers."""
    read_ledger: Callable[[], Iterable[LedgerRow]]
    bank_facts: Callable[[IndexFacts, float], BankFacts]
    """What the folders hold, beside what the index says of itself; from how many KiB on a page counts as large."""
    held_back: Callable[[], Sequence[HeldBack]]
    how_to_start: Callable[[], str]
    """The command that has the work done by itself, of those that work here."""
    polled: str
    """The file system, when it does not tell of changes."""

    def settings(self) -> Settings:
        """The settings, at their defaults where they cannot be used."""
        return load_usable_settings(self.root / SETTINGS)[0]

    def index_facts(self) -> IndexFacts:
        """How the index stands, with what is wrong with it."""
        try:
            return replace(self.index.facts(), pending=self.index.pending() + self.beside.pending())
        except (IndexDamaged, OSError) as error:
            return IndexFacts(problem=str(error))


def read_status(probe: Probe) -> dict[str, Any]:
    """The status as JSON, from the daemon where there is one; nothing is written."""
    answer = probe.ask_daemon({"op": "status"})
    if answer is None:
        return facts_to_json(read_facts(probe))
    answer.pop("ok", None)
    return answer


def read_facts(probe: Probe) -> HealthFacts:
    """The facts that are on disk."""
    settings, now, rows = probe.settings(), probe.now(), tuple(probe.read_ledger())
    histories = {name: fold_rows(name, rows, now, settings.alert.after_failures) for name in JOBS}
    jobs = tuple(JobFacts(name, history.last, None, history.alarm.failures) for name, history in histories.items())
    bank = probe.bank_facts(probe.index_facts(), settings.split.warn_kib)
    problems = check_configuration(probe.root).problems
    start, zone = probe.how_to_start(), settings.timezone
    return HealthFacts(str(probe.root), now, bank, jobs, rows, timezone=zone, unusable=problems, how_to_start=start)


def metrics_of(probe: Probe) -> str:
    """The metrics, from the daemon where there is one."""
    answer = probe.ask_daemon({"op": "metrics"}) or {}
    return str(answer["text"]) if "text" in answer else render_metrics(read_facts(probe))


def reload_daemon(probe: Probe) -> str:
    """Have the daemon read its settings again; gives what is wrong with them."""
    answer = probe.ask_daemon({"op": "reload"})
    if answer is None:
        raise UserError(f"no daemon answers for {probe.root}; start it with: {probe.how_to_start()}")
    return str(answer.get("problem", ""))
