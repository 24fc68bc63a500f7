"""How bankd stands for one who only looks: asks the daemon, or without one reads what is on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bankd.adapters.system.clock import utc_now
from bankd.adapters.system.socket_client import NoDaemonError, ask
from bankd.adapters.workspace.run_ledger import read_rows
from bankd.config import ConfigError, load_settings
from bankd.core.daemon.health import Facts, JobFacts, facts_to_json
from bankd.core.daemon.metrics import render_metrics
from bankd.core.daemon.schedule_rows import recount
from bankd.core.markdown.policy import Settings
from bankd.wiring.configuration import SETTINGS, check_configuration
from bankd.wiring.facts import bank_facts, sizes_of_pages
from bankd.wiring.finder import index_facts

JOBS = ("micro", "reflect")


def standing_of(root: Path) -> dict[str, Any]:
    """The status as JSON, from the daemon where there is one; nothing is written."""
    try:
        answer = ask(str(root), {"op": "status"})
    except NoDaemonError:
        return facts_to_json(read_facts(root))
    answer.pop("ok", None)
    return answer


def read_facts(root: Path) -> Facts:
    """The facts that are on disk."""
    try:
        settings = load_settings(root / SETTINGS)
    except ConfigError:
        settings = Settings()
    now, rows = utc_now(), tuple(read_rows(root))
    histories = {name: recount(name, rows, now, settings.alert.after_failures) for name in JOBS}
    jobs = tuple(JobFacts(name, history.last, None, history.alarm.failures) for name, history in histories.items())
    bank = bank_facts(root, index_facts(root, settings), sizes_of_pages(root), settings.split.warn_kib)
    problems = check_configuration(root).problems
    return Facts(str(root), now, bank, jobs, rows, timezone=settings.timezone, unusable=problems)


def metrics_of(root: Path) -> str:
    """The metrics, from the daemon where there is one."""
    try:
        return str(ask(str(root), {"op": "metrics"})["text"])
    except (NoDaemonError, KeyError):
        return render_metrics(read_facts(root))
