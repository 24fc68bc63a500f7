"""The bank for agents. Each call stands alone: between calls a daemon may start or stop, or the bank may be repaired.

Each call imports what it needs: a server that only waits, and a hook, must start in milliseconds. What was shown to
whom is in `.bankd/shown.json`, replaced whole; without it something is said again.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress

from bankd.errors import BankError, UserError
from bankd.system.socket_client import NoDaemonError
from bankd.wiring.asking import ask_socket, require_bank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path
    from typing import Any

    from bankd.briefing.facts import BriefFacts
    from bankd.briefing.shown import Shown
    from bankd.index.sources import PageFiles
    from bankd.settings import DecayPolicy, Settings

_DAEMON_SECONDS = 10.0
"""After this many seconds without an answer of the daemon the index is asked."""
_RECALL_SECONDS = 0.5
"""Seconds that a hook waits for an answer: the user waits too."""
SHOWN, _FACTS = ".bankd/shown.json", ".bankd/brief-facts.json"


class BankReader:
    """One workspace; every method raises BankError or OSError when it cannot be done."""

    readable: tuple[str, ...] = ("bank/", "memory/", "archive/")
    """The folders whose files may be read."""

    def __init__(self, root: str, *, is_alone: bool = False, folder: str = "") -> None:
        """Take the workspace, whether this process has one thread, and the folder that the reader works in; nothing is opened yet."""
        self._root, self._is_alone, self._folder = root, is_alone, folder

    @property
    def root(self) -> Path:
        """The folder of the workspace."""
        from pathlib import Path

        return Path(self._root)

    @property
    def project(self) -> str:
        """The folder of the project that the reader works in; empty if none is known."""
        return self.project_of(self._folder)

    def project_of(self, folder: str) -> str:
        """The project of a folder; empty outside of a repository, and in the repository that holds the bank itself."""
        from bankd.system.files import find_project

        top = find_project(folder)
        return "" if top and f"{os.path.realpath(self._root)}/".startswith(f"{top}/") else top

    def project_of_log(self, path: str) -> str:
        """The project of an imported session, by the path of its log in the workspace."""
        from bankd.memory.retain import project_of_log

        return project_of_log(self.read_file(path))

    def settings(self) -> Settings:
        """The settings as they are now, the defaults if they cannot be used."""
        from bankd.settings import Settings

        settings, problem = self._read_settings()
        return Settings() if problem else settings

    def is_broken(self) -> bool:
        """Whether the settings cannot be used: what would hide secrets is not known then, and no run takes anything in."""
        return bool(self._read_settings()[1])

    def _read_settings(self) -> tuple[Settings, str]:
        """The settings and why they cannot be used: then they are the last good ones, whose patterns of secrets are to be hidden."""
        from bankd.wiring.search import quick_settings

        return quick_settings(self._root)

    def now(self) -> datetime:
        """The present moment in the zone of the workspace."""
        from bankd.system.clock import read_clock, read_clock_alone

        zone = self._read_settings()[0].timezone
        return read_clock_alone(zone) if self._is_alone else read_clock(zone)

    def brief_facts(self, now: datetime) -> BriefFacts:
        """The facts for briefings; read again only if pages, events or logs changed since."""
        from bankd.index.sources import PageFiles, read_doubted

        require_bank(self._root)
        settings, files = self._read_settings()[0], PageFiles(self.root / "bank")
        seen = (files.scan(), self._stamps("events", ""), self._recent_logs(now))
        stamp = repr(("screened", str(now.date()), settings, *seen))
        facts = _kept_facts(self.root, stamp)
        if facts is None:
            facts = self._read_facts(files, now, settings.decay)
            _keep(self.root / _FACTS, [stamp, facts[:4]])
        doubted = read_doubted(f"{self.root}/.bankd/catalogue.sqlite3")
        return facts._replace(doubted=doubted)

    def _read_facts(self, files: PageFiles, now: datetime, decay: DecayPolicy) -> BriefFacts:
        from bankd.briefing.assemble import assemble_facts
        from bankd.pages.page import read_page
        from bankd.pages.text import readable_bytes
        from bankd.storage.events import EventLog
        from bankd.storage.tree import FileTree

        with closing(FileTree(self.root)) as tree:
            events = EventLog(tree, "").read_events()
        read = ((path, files.read(path)) for path in sorted(files.scan()))
        pages = (read_page(f"bank/{path}", readable_bytes(data)) for path, data in read if data is not None)
        logs = {name: self.read_file(f"memory/{name}") for name in self._recent_logs(now)}
        return assemble_facts(pages, events, logs, now.date(), decay)

    def _recent_logs(self, now: datetime) -> dict[str, str]:
        """The logs of the last month by name, with a stamp each; those in folders below `memory/` are not looked at."""
        from datetime import timedelta

        first = (now.date() - timedelta(days=31)).isoformat()
        return {name: stamp for name, stamp in self._stamps("memory", ".md").items() if name[:10] >= first}

    def _stamps(self, folder: str, ending: str) -> dict[str, str]:
        """The files of a folder by name, each with its size and time."""
        found: dict[str, str] = {}
        for entry in os.scandir(self.root / folder):
            if entry.name.endswith(ending) and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                found[entry.name] = f"{status.st_size}:{status.st_mtime_ns}"
        return dict(sorted(found.items()))

    def holds(self, path: str, text: str) -> bool:
        """Whether a page of the bank, by its path in the workspace, has a text in it."""
        from bankd.index.sources import PageFiles

        data = PageFiles(self.root / "bank").read(path.removeprefix("bank/"))
        return data is not None and text.encode("utf-8", "surrogateescape") in data

    def search(self, request: dict[str, Any], *, in_a_moment: bool = False) -> dict[str, Any]:
        """Answer as `bankctl search --json`, or `related`, does: by the daemon, or if none answers by the index itself.

        `in_a_moment` uses the index as it is, without checking files or loading the model of vectors.
        """
        with suppress(NoDaemonError):
            return self.ask_daemon({"op": "search", **request}, _RECALL_SECONDS if in_a_moment else _DAEMON_SECONDS)
        from bankd.settings import MeaningPolicy
        from bankd.wiring.search import make_search

        settings, remark = self._read_settings()
        if in_a_moment:
            settings = settings._replace(meaning=MeaningPolicy("off"))
        is_bank_alone = in_a_moment and "logs" not in request.get("in", ())
        with closing(make_search(self._root, settings, remark=remark, is_bank_alone=is_bank_alone)) as searching:
            return searching.answer(request, self.now(), pending=0 if in_a_moment else None)

    def recall(self, request: dict[str, Any], group: str = "bank") -> dict[str, Any]:
        """Search the bank or the logs in a moment, without a file in `recall/`."""
        return self.search({**request, "in": [group], "keep": False, "see_also": False}, in_a_moment=True)

    def ask_daemon(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """What the daemon answers; raises NoDaemonError when none does in time."""
        return ask_socket(self._root, request, seconds)

    def page_paths(self) -> Iterable[str]:
        """The pages of the bank, from `bank/` on, sorted."""
        from bankd.index.sources import PageFiles

        return sorted(PageFiles(self.root / "bank").scan())

    def check_offered(self, place: str) -> None:
        """UserError if a place is in a folder that may not be read here."""
        if not place.startswith(self.readable):
            raise UserError(f"{place}: not offered to agents elsewhere; agents.over_http in bankd.yaml says what is")

    def read_file(self, path: str) -> str:
        """The text of a page, or of a log without credentials, by its path in the workspace; UserError when there is none."""
        from bankd.index.sources import screened_log
        from bankd.pages.scanner import decode_text
        from bankd.pages.text import readable_text
        from bankd.storage.tree import FileTree
        from bankd.wiring.search import compile_patterns

        if not path.startswith(BankReader.readable) or not path.endswith(".md"):
            raise UserError(f"{path}: not a page of the bank, a log or an archived page")
        self.check_offered(path)
        with closing(FileTree(self.root)) as tree:
            data = tree.read(path)
        if data is None:
            raise UserError(f"{path}: no such page")
        if not path.startswith("memory/"):
            return readable_text(decode_text(data))
        return screened_log(data, compile_patterns(self._read_settings()[0].secrets.patterns))

    def shown(self) -> Shown:
        """What each reader was shown within a day; empty if the file is missing or cannot be read."""
        import json

        try:
            held = json.loads((self.root / SHOWN).read_bytes())
            return {str(who): {str(mark): str(at) for mark, at in seen.items()} for who, seen in held.items()}
        except (OSError, ValueError, AttributeError, RecursionError):
            return {}

    def remember_shown(self, shown: Shown) -> None:
        """Save what was shown; of two writers the later wins. If the disk is full, something may be said again."""
        _keep(self.root / SHOWN, shown)

    def last_noted(self, now: datetime) -> datetime | None:
        """When the log of today was last written, by whoever noted something; None if there is none."""
        from datetime import datetime

        try:
            status = os.stat(f"{self._root}/memory/{now:%Y-%m-%d}.md")  # noqa: PTH116 -- a hook has no time for pathlib
        except OSError:
            return None
        return datetime.fromtimestamp(status.st_mtime, now.tzinfo)

    def begin_run(self) -> int:
        """Start a run in its own process if logs or transcripts wait and nobody else takes them in; gives how many wait."""
        from bankd.workspace.waiting import may_wait, waiting_transcripts

        if not may_wait(self._root):
            return 0
        import sys

        from bankd.config import package_folder
        from bankd.config.workspace import FOLDERS
        from bankd.storage.disk import trouble_of

        waiting = waiting_transcripts(self._root) or self._waiting_logs()
        if waiting and not trouble_of(self.root, FOLDERS):
            code = f"import sys; sys.path.append({str(package_folder().parent)!r}); from pathlib import Path; "
            code += "from bankd.wiring.runner import run_alone; run_alone(Path(sys.argv[1]))"
            nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
            command = [sys.executable, "-X", "utf8", "-c", code, self._root]
            os.posix_spawn(sys.executable, command, os.environ, file_actions=nowhere, setsid=True)
            return waiting
        return 0

    def _waiting_logs(self) -> int:
        from bankd.storage.tree import BankFiles
        from bankd.system.clock import utc_now
        from bankd.workspace.catalog import read_known

        known, files = read_known(self.root / ".bankd/catalogue.sqlite3", "memory"), BankFiles(self.root)
        with closing(files):
            logs = files.survey("memory", utc_now(), 0, known, any_content=True).files
        return sum(known.get(path) != seen for path, seen in logs.items())

    def hand_over(self, transcript: str) -> None:
        """Leave a transcript to the next run, which the daemon makes soon; raises OSError."""
        from bankd.workspace.waiting import add_transcript

        add_transcript(self._root, transcript)
        with suppress(NoDaemonError, BankError):
            self.ask_daemon({"op": "handed over"}, _RECALL_SECONDS)


_AT = "@"


def _kept_facts(root: Path, stamp: str) -> BriefFacts | None:
    """The facts for briefings that were kept with this stamp; None without. Most sessions start from the same bank."""
    import json

    from bankd.briefing.facts import BriefFacts, Happened, KnownMemory, OpenLine

    try:
        was, facts = json.loads((root / _FACTS).read_bytes(), object_hook=_moment)
        if was != stamp:
            return None
        memories, happened, newer, lines = facts
        known = (KnownMemory._make(tuple(one) if isinstance(one, list) else one for one in row) for row in memories)
        return BriefFacts(tuple(known), [Happened(*row) for row in happened], newer, [OpenLine(*row) for row in lines])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _keep(file: Path, what: object) -> None:
    """Keep something as JSON for the next time; no error when it cannot be written."""
    import json

    from bankd.config import replace_file

    with suppress(OSError):
        replace_file(file, json.dumps(what, default=_plain), is_lasting=False)


def _plain(value: Any) -> dict[str, Any]:
    """What JSON does not know: a mapping as an object, a day or moment as an object of its own kind."""
    return {_AT: value.isoformat()} if hasattr(value, "isoformat") else dict(value)


def _moment(fields: dict[str, Any]) -> Any:
    from datetime import date, datetime

    if _AT not in fields:
        return fields
    return (datetime if "T" in fields[_AT] else date).fromisoformat(fields[_AT])
