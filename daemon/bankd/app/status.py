"""How bankd stands for one who only looks: asks the daemon, or without one reads what is on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bankd.adapters.system.clock import utc_now
from bankd.adapters.system.socket_client import NoDaemonError, send_request
from bankd.adapters.workspace.run_ledger import read_ledger
from bankd.config import ConfigError, load_settings
from bankd.core.daemon.health import HealthFacts, JobFacts, facts_to_json
from bankd.core.daemon.metrics import render_metrics
from bankd.core.daemon.schedule_rows import fold_rows
from bankd.core.markdown.policy import Settings
from bankd.wiring.configuration import SETTINGS, check_configuration
from bankd.wiring.facts import bank_facts, sizes_of_pages
from bankd.wiring.search_server import index_facts

JOBS = ("micro", "reflect")


def read_status(root: Path) -> dict[str, Any]:
    """The status as JSON, from the daemon where there is one; nothing is written."""
    try:
        answer = send_request(str(root), {"op": "status"})
    except NoDaemonError:
        return facts_to_json(read_facts(root))
    answer.pop("ok", None)
    return answer


def read_facts(root: Path) -> HealthFacts:
    """The facts that are on disk."""
    try:
        settings = load_settings(root / SETTINGS)
    except ConfigError:
        settings = Settings()
    now, rows = utc_now(), tuple(read_ledger(root))
    histories = {name: fold_rows(name, rows, now, settings.alert.after_failures) for name in JOBS}
    jobs = tuple(JobFacts(name, history.last, None, history.alarm.failures) for name, history in histories.items())
    bank = bank_facts(root, index_facts(root, settings), sizes_of_pages(root), settings.split.warn_kib)
    problems = check_configuration(root).problems
    return HealthFacts(str(root), now, bank, jobs, rows, timezone=settings.timezone, unusable=problems)


def metrics_of(root: Path) -> str:
    """The metrics, from the daemon where there is one."""
    try:
        return str(send_request(str(root), {"op": "metrics"})["text"])
    except (NoDaemonError, KeyError):
        return render_metrics(read_facts(root))
