"""What `bankctl doctor` looks at in a workspace; each check only looks, and gives findings with their fix."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from bankd.adapters.index.search_index import IndexDamaged
from bankd.adapters.storage.files import BankFiles
from bankd.adapters.system.clock import read_clock, utc_now
from bankd.adapters.system.socket_client import NoDaemonError, send_request
from bankd.adapters.workspace.run_ledger import read_ledger
from bankd.app.environment_checks import examine_surroundings
from bankd.config import ConfigError, load_settings
from bankd.core.daemon.health import (
    HealthFinding,
    cannot_be_told,
    cannot_be_used,
    cannot_be_written,
    fought_over,
    journals_set_aside,
    stands_twice,
)
from bankd.core.daemon.schedule_rows import RunOutcome
from bankd.core.markdown.policy import Settings
from bankd.core.markdown.utf8 import lines_not_utf8
from bankd.errors import BankError, ConflictError
from bankd.shipped import shipped_folder
from bankd.wiring.configuration import FOLDERS, SETTINGS, check_configuration
from bankd.wiring.facts import (
    closed_in,
    copied_memories,
    held_back_lines,
    resting_pages,
    set_aside_journals,
    unread_events,
)
from bankd.wiring.search_server import index_facts, verify_index

PRIVATE = 0o077


def examine_workspace(root: Path) -> dict[str, list[HealthFinding]]:
    """All findings by area; areas without any are there too, so that a reader sees what was looked at."""
    settings = _settings_of(root)
    areas: dict[str, Iterable[HealthFinding]] = {
        "settings": _check_settings(root),
        "folders": _check_folders(root),
        "files": _check_files(root, settings),
        "bytes": _check_bytes(root, settings),
        "pages": [] if _daemon_answers(root) else _check_pages(root),
        "log lines": _check_lines(root),
        "names": _check_names(root),
        "events": map(cannot_be_told, unread_events(root)),
        "index": _check_index(root, settings),
        "transactions": _check_transactions(root, settings),
        "clock": _check_clock(root),
        "daemon": _check_daemon(root),
        **examine_surroundings(root, settings, (shipped_folder("systemd"))),
    }
    return {area: list(findings) for area, findings in areas.items()}


def _settings_of(root: Path) -> Settings:
    try:
        return load_settings(root / SETTINGS)
    except ConfigError:
        return Settings()


def _check_settings(root: Path) -> Iterator[HealthFinding]:
    for problem in check_configuration(root).problems:
        yield cannot_be_used(problem)
    for name in (SETTINGS, _settings_of(root).routing):
        path = root / name
        if path.is_file() and path.stat().st_mode & 0o022:
            yield HealthFinding(
                f"{path}: others may write it, and it can name a command", f"chmod go-w '{path}'", needs_person=True
            )
    yield from _check_roots(root, _settings_of(root).links.roots)


def _check_roots(root: Path, roots: Sequence[str]) -> Iterator[HealthFinding]:
    """A folder that is not there now, such as one of a disk not mounted, keeps its old links when a page moves."""
    for name in roots:
        folder = (root / name).resolve()
        if not folder.is_dir():
            text = f"links.roots: {folder} is no folder, so no link in it is rewritten"
            yield HealthFinding(text, "make or mount it, or take it out of bankd.yaml", needs_person=True)


def _check_folders(root: Path) -> Iterator[HealthFinding]:
    for name in FOLDERS:
        folder = root / name
        if not folder.is_dir():
            yield HealthFinding(
                f"{folder} is missing", f"put it back, or: mkdir '{folder}'", needs_person=name in FOLDERS[:2]
            )
        elif not os.access(folder, os.W_OK | os.X_OK):
            yield HealthFinding(
                f"{folder}: bankd may not write there", f"chown -R $USER '{folder}'", needs_person=name != "memory"
            )
    own = root / ".bankd"
    if own.is_dir() and own.stat().st_mode & PRIVATE:
        yield HealthFinding(f"{own}: others may look into it", f"chmod 700 '{own}'", needs_person=True)
    if own.is_dir() and not (own / ".gitignore").exists():
        yield HealthFinding(f"{own}: would be taken into a git repository", f"echo '*' > '{own}/.gitignore'")


def _check_files(root: Path, settings: Settings) -> Iterator[HealthFinding]:
    files = BankFiles(root)
    now = read_clock(settings.timezone)
    try:
        for folder in ("memory", "bank", "archive"):
            survey = files.survey(folder, now, settings.settle_seconds, any_content=folder == "memory")
            for path, reason in survey.quarantined.items():
                yield HealthFinding(
                    f"{path} is left alone: {reason}", "bankd touches it again once that is mended", needs_person=True
                )
            for path, reason in survey.unsettled.items():
                if not reason.startswith("changed less"):
                    yield HealthFinding(f"{path} waits: {reason}", "nothing to do, unless it stays so")
            for path, reason in survey.ignored.items():
                if "conflict" in reason:
                    yield HealthFinding(f"{path}: {reason}", "then delete the copy", needs_person=True)
    finally:
        files.tree.close()


def _check_bytes(root: Path, settings: Settings) -> Iterator[HealthFinding]:
    """Pages with bytes that are not UTF-8: they stay as they are, and the words around them are found."""
    files = BankFiles(root)
    try:
        for folder in ("bank", "archive"):
            for path in files.survey(folder, read_clock(settings.timezone), 0).files:
                with suppress(ConflictError, OSError):  # said of the files
                    for number in lines_not_utf8(files.read(path) or b""):
                        yield HealthFinding(f"{path}:{number}: has bytes that are not UTF-8", "save that line as UTF-8")
    finally:
        files.tree.close()


def _check_pages(root: Path) -> Iterator[HealthFinding]:
    """Pages that a run would leave alone because it cannot write them."""
    for page, why in closed_in(root).items():
        yield cannot_be_written(page, why)


def _check_lines(root: Path) -> Iterator[HealthFinding]:
    """Lines of logs that were meant to be remembered and were not taken in."""
    for item in held_back_lines(root):
        text = f"{item.place} was not taken in: {item.reason}"
        yield HealthFinding(text, f"correct the line, or: bankctl inbox dismiss {item.place}")


def _check_names(root: Path) -> Iterator[HealthFinding]:
    """Two files whose names look the same: composed and decomposed Hangul, or upper and lower case."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for folder in ("memory", "bank"):
        for path in sorted((root / folder).rglob("*.md")):
            name = path.relative_to(root).as_posix()
            alike[unicodedata.normalize("NFC", name).casefold()].append(name)
    for names in alike.values():
        if len(names) > 1:
            shown = ", ".join(ascii(name) for name in names)
            yield HealthFinding(f"names that look alike: {shown}", "merge them into one", needs_person=True)


def _check_index(root: Path, settings: Settings) -> Iterator[HealthFinding]:
    facts = index_facts(root, settings)
    if facts.problem:
        yield HealthFinding(f"the index cannot be used: {facts.problem}", "bankctl index rebuild", needs_person=True)
        return
    try:
        verify_index(root, settings)
    except (IndexDamaged, OSError) as damage:
        yield HealthFinding(f"the index is damaged: {damage}", "bankctl index rebuild", needs_person=True)
    if facts.pending:
        yield HealthFinding(
            f"{facts.pending} pages changed since the index read them", "bankctl cycle micro, or start the daemon"
        )


def _check_transactions(root: Path, settings: Settings) -> Iterator[HealthFinding]:
    own = root / ".bankd"
    if not _daemon_answers(root):
        open_ones = list((own / "txn").glob("*.json"))
        yield from journals_set_aside(set_aside_journals(root))
        if open_ones:
            yield HealthFinding(f"{len(open_ones)} transactions wait to be finished", "bankctl cycle micro")
        for page, until in sorted(resting_pages(root).items()):
            yield fought_over(page, until)
        yield from (stands_twice(item) for item in copied_memories(root))
    trash = sum(_size(path) for path in (own / "trash").glob("*")) if (own / "trash").is_dir() else 0
    if trash > 2 * settings.keep.trash_mib << 20:
        yield HealthFinding(f"{own / 'trash'} holds {trash >> 20} MiB", "bankctl cycle reflect")


def _size(path: Path) -> int:
    try:
        found = path.lstat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _check_clock(root: Path) -> Iterator[HealthFinding]:
    now, latest = utc_now(), None
    for row in (row for row in read_ledger(root) if not row.given):
        latest = row.at if latest is None else max(latest, row.at)
        if row.outcome is RunOutcome.CLOCK and now - row.at < timedelta(days=7):
            yield HealthFinding(f"{row.at:%Y-%m-%d %H:%M} UTC: {row.note}", "nothing to do; runs were planned anew")
    if latest is not None and latest - now > timedelta(hours=1):
        yield HealthFinding(
            f"the clock is behind the last run ({latest:%Y-%m-%d %H:%M} UTC)",
            "timedatectl set-ntp true",
            needs_person=True,
        )


def _check_daemon(root: Path) -> Iterator[HealthFinding]:
    try:
        answer = send_request(str(root), {"op": "status"})
    except NoDaemonError:
        yield HealthFinding("no daemon answers: nothing is done by itself", "bankctl service install")
        return
    for found in answer.get("findings", []):
        yield HealthFinding(found["text"], found["fix"], found["needs_person"])


def _daemon_answers(root: Path) -> bool:
    try:
        return bool(send_request(str(root), {"op": "ping"}).get("ok"))
    except (NoDaemonError, BankError):
        return False
