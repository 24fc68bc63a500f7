"""What `bankctl doctor` looks at in a workspace; each check only looks, and gives findings with their fix."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import starmap
from pathlib import Path

from bankd.app.environment_checks import examine_surroundings
from bankd.app.service_units import Installation
from bankd.app.status import Probe
from bankd.config.workspace_config import FOLDERS, SETTINGS, check_configuration
from bankd.core.daemon.health import (
    HealthFinding,
    cannot_be_told,
    cannot_be_used,
    cannot_be_written,
    fought_over,
    journals_set_aside,
    left_alone,
    may_not_be_used,
    stands_twice,
)
from bankd.core.daemon.health_facts import BankFacts, IndexFacts
from bankd.core.daemon.schedule_rows import RunOutcome
from bankd.core.daemon.settle import is_just_saved
from bankd.core.markdown.policy import Settings
from bankd.core.markdown.utf8 import lines_not_utf8
from bankd.core.plan.held_back import HeldBack
from bankd.errors import ConflictError, IndexDamaged

PRIVATE = 0o077


def examine_workspace(probe: Probe, installation: Installation) -> dict[str, list[HealthFinding]]:
    """All findings by area; areas without any are there too, so that a reader sees what was looked at."""
    root, settings, index = probe.root, probe.settings(), probe.index_facts()
    bank = probe.bank_facts(index, settings.split.warn_kib)
    has_daemon = bool((probe.ask_daemon({"op": "ping"}) or {}).get("ok"))
    areas: dict[str, Iterable[HealthFinding]] = {
        "settings": _check_settings(root, settings),
        "folders": [*_check_folders(root), *may_not_be_used(bank.not_ours)],
        "files": _check_files(probe, settings),
        "bytes": _check_bytes(probe),
        "pages": [] if has_daemon else starmap(cannot_be_written, bank.closed.items()),
        "log lines": _check_lines(probe.held_back()),
        "names": _check_names(root),
        "events": map(cannot_be_told, bank.unread_events),
        "index": _check_index(probe, index),
        "transactions": [*([] if has_daemon else _check_journals(root, bank)), *_check_trash(root, settings)],
        "clock": _check_clock(probe),
        "daemon": _check_daemon(probe, installation),
        **examine_surroundings(probe, settings, installation),
    }
    return {area: list(findings) for area, findings in areas.items()}


def _check_settings(root: Path, settings: Settings) -> Iterator[HealthFinding]:
    for problem in check_configuration(root).problems:
        yield cannot_be_used(problem)
    for name in (SETTINGS, settings.routing):
        path = root / name
        if path.is_file() and path.stat().st_mode & 0o022:
            yield HealthFinding(
                f"{path}: others may write it, and it can name a command", f"chmod go-w '{path}'", needs_person=True
            )
    yield from _check_roots(root, settings.links.roots)


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
            is_taken = folder.exists()
            text, fix = f"{folder} is {'no folder' if is_taken else 'missing'}", f"put it back, or: mkdir '{folder}'"
            yield HealthFinding(text, fix, needs_person=is_taken or name in FOLDERS[:2])
        elif not os.access(folder, os.W_OK | os.X_OK):
            is_read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
            why = "is on a disk that is read-only" if is_read_only else "bankd may not write there"
            fix = "mount that disk for writing" if is_read_only else f"chown -R $USER '{folder}'"
            yield HealthFinding(f"{folder}: {why}", fix, needs_person=name != "memory")
    own = root / ".bankd"
    if own.is_dir() and own.stat().st_mode & PRIVATE:
        yield HealthFinding(f"{own}: others may look into it", f"chmod 700 '{own}'", needs_person=True)
    if own.is_dir() and not (own / ".gitignore").exists():
        yield HealthFinding(f"{own}: would be taken into a git repository", f"echo '*' > '{own}/.gitignore'")


def _check_files(probe: Probe, settings: Settings) -> Iterator[HealthFinding]:
    for folder in ("memory", "bank", "archive"):
        survey = probe.files.survey(folder, probe.now(), settings.settle_seconds, any_content=folder == "memory")
        for path, reason in survey.quarantined.items():
            yield left_alone(path, reason)
        for path, reason in survey.unsettled.items():
            if not is_just_saved(reason):
                yield HealthFinding(f"{path} waits: {reason}", "nothing to do, unless it stays so")
        for path, reason in survey.ignored.items():
            if "conflict" in reason:
                yield HealthFinding(f"{path}: {reason}", "then delete the copy", needs_person=True)


def _check_bytes(probe: Probe) -> Iterator[HealthFinding]:
    """Pages with bytes that are not UTF-8: they stay as they are, and the words around them are found."""
    for folder in ("bank", "archive"):
        for path in probe.files.survey(folder, probe.now(), 0).files:
            with suppress(ConflictError, OSError):  # said of the files
                for number in lines_not_utf8(probe.files.read(path) or b""):
                    yield HealthFinding(f"{path}:{number}: has bytes that are not UTF-8", "save that line as UTF-8")


def _check_lines(held_back: Iterable[HeldBack]) -> Iterator[HealthFinding]:
    """Lines of logs that were meant to be remembered and were not taken in; those that are offered only wait."""
    for item in (one for one in held_back if not one.is_offered):
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


def _check_index(probe: Probe, facts: IndexFacts) -> Iterator[HealthFinding]:
    if facts.problem:
        yield HealthFinding(f"the index cannot be used: {facts.problem}", "bankctl index rebuild", needs_person=True)
        return
    try:
        probe.index.verify()
        probe.beside.verify()
    except (IndexDamaged, OSError) as damage:
        yield HealthFinding(f"the index is damaged: {damage}", "bankctl index rebuild", needs_person=True)
    if facts.pending and facts.updated:  # one that was never made is made by the first search or run
        yield HealthFinding(
            f"{facts.pending} pages changed since the index read them", "bankctl cycle micro, or start the daemon"
        )


def _check_journals(root: Path, bank: BankFacts) -> Iterator[HealthFinding]:
    yield from journals_set_aside(bank.set_aside)
    if open_ones := list((root / ".bankd" / "txn").glob("*.json")):
        yield HealthFinding(f"{len(open_ones)} transactions wait to be finished", "bankctl cycle micro")
    yield from starmap(fought_over, sorted(bank.resting.items()))
    yield from map(stands_twice, bank.copied)


def _check_trash(root: Path, settings: Settings) -> Iterator[HealthFinding]:
    folder = root / ".bankd" / "trash"
    trash = sum(map(_size, folder.glob("*"))) if folder.is_dir() else 0
    if trash > 2 * settings.keep.trash_mib << 20:
        yield HealthFinding(f"{folder} holds {trash >> 20} MiB", "bankctl cycle reflect")


def _size(path: Path) -> int:
    try:
        found = path.lstat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _check_clock(probe: Probe) -> Iterator[HealthFinding]:
    now, latest = probe.now(), None
    for row in (row for row in probe.read_ledger() if not row.given):
        latest = row.at if latest is None else max(latest, row.at)
        if row.outcome is RunOutcome.CLOCK and now - row.at < timedelta(days=7):
            yield HealthFinding(f"{row.at:%Y-%m-%d %H:%M} UTC: {row.note}", "nothing to do; runs were planned anew")
    if latest is not None and latest - now > timedelta(hours=1):
        yield HealthFinding(
            f"the clock is behind the last run ({latest:%Y-%m-%d %H:%M} UTC)",
            "set it right, such as by NTP",
            needs_person=True,
        )


def _check_daemon(probe: Probe, installation: Installation) -> Iterator[HealthFinding]:
    answer = probe.ask_daemon({"op": "status"})
    if answer is None:
        yield HealthFinding("no daemon answers: nothing is done by itself", installation.how_to_start())
        return
    for found in answer.get("findings", []):
        yield HealthFinding(found["text"], found["fix"], found["needs_person"])
