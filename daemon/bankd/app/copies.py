"""Use cases of a whole bank: export as rows or as one Markdown text, a backup and its return, and whether anything is lost.

A backup holds every file of the workspace but `.bankd/`, which is made again; a bank whose folders are elsewhere comes
back with them inside the workspace.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from bankd.app.init import put_new
from bankd.app.workspace import Workspace
from bankd.config.workspace import SETTINGS, change_settings, load_usable_settings
from bankd.edits.settle import EMPTY_DAYS
from bankd.errors import ConflictError, UserError
from bankd.health.health import COPIED_ADVICE, find_copied
from bankd.memory.new_lines import find_vanished
from bankd.memory.report import Verification, VerifyFinding, find_lost
from bankd.pages.memory import split_id
from bankd.pages.page import MARKER, read_page
from bankd.settings import FoldersPolicy

_DERIVED = ".bankd"


def export_memories(workspace: Workspace) -> list[dict[str, Any]]:
    """Every memory of the bank as plain values, page by page in the order in which it stands there; without an id it is None."""
    workspace.catalog.refresh(workspace.now)
    ledger = workspace.transactions.ledger()
    newer, rows = ledger.successors(), []
    for page in sorted(workspace.catalog.pages(), key=lambda page: page.path):
        for entry in page.entries:
            memory = entry.memory
            id_, sure = memory.id or "", memory.confidence
            fact = ledger.consumed.get(id_)
            rows.append({
                "id": memory.id, "kind": memory.tag, "text": memory.text, "about": list(memory.entities),
                "page": page.path, "line": entry.line, "heading": list(entry.heading),
                "confidence": sure.hundredths / 100 if sure else None,
                "confidence_day": sure.day.isoformat() if sure and sure.day else None,
                "source": f"memory/{fact.get('log')}:{fact.get('line')}" if fact else None,
                "learned": str(fact["at"]) if fact else None, "replaced_by": newer.get(id_),
            })  # fmt: skip
    return rows


def export_markdown(workspace: Workspace) -> str:
    """The memories of the bank as one Markdown text: one heading per page, then its own headings; without ids.

    What a newer memory replaces is struck through, so that nobody takes it for true, and no import takes it in again.
    """
    workspace.catalog.refresh(workspace.now)
    newer, parts = workspace.transactions.ledger().successors(), []
    for page in sorted(workspace.catalog.pages(), key=lambda page: page.path):
        heading, lines = None, []
        for entry in page.entries:
            if tuple(entry.heading) != heading:
                heading = tuple(entry.heading)
                lines += ["", f"## {' > '.join(heading)}", ""] if heading else [""]
            first, *others = split_id(MARKER.sub("", page.text_of(entry)))[0].strip().split("\n")
            first = f"~~{first}~~" if entry.memory.id in newer else first
            lines.append("- " + "\n  ".join([first, *others]))
        if lines:
            parts.append("\n".join([f"# {page.path.removeprefix('bank/').removesuffix('.md')}", *lines]))
    return "\n\n".join(parts) + "\n" if parts else ""


class Backup(NamedTuple):
    """A backup that was written: its file, how many files and bytes it holds, and what could not be read."""

    path: str
    files: int
    bytes: int
    unread: tuple[str, ...]


def write_backup(root: Path, target: Path) -> Backup:
    """Write all of a workspace into a new tar file; UserError when that name is taken, or what is saved would hold it.

    The file appears whole or not at all. A file that cannot be read is left out, and named.
    """
    saved = [root, *(folder.resolve() for folder in root.iterdir() if folder.is_dir())]
    if any(target.parent.resolve().is_relative_to(folder) for folder in saved):
        raise UserError(f"{target}: lies in the workspace, so the next backup would hold it; name a file elsewhere")
    if target.exists():
        raise UserError(f"{target}: is there already; give another name with: bankctl backup FILE")
    staged = target.with_name(f".{target.name}.{os.getpid()}")
    unread, files, size = list[str](), 0, 0
    try:
        with staged.open("wb") as raw:
            staged.chmod(0o600)
            with tarfile.open(fileobj=raw, mode="w:gz", compresslevel=6) as tar:
                for path in _files_of(root):
                    try:
                        data, seen = path.read_bytes(), path.stat()
                    except OSError as error:
                        unread.append(f"{path.relative_to(root)}: {error.strerror}")
                        continue
                    info = tarfile.TarInfo(path.relative_to(root).as_posix())
                    info.size, info.mtime, info.mode = len(data), seen.st_mtime, seen.st_mode & 0o777
                    tar.addfile(info, io.BytesIO(data))
                    files, size = files + 1, size + len(data)
            raw.flush()
            os.fsync(raw.fileno())
        staged.rename(target)
    finally:
        with suppress(OSError):
            staged.unlink()
    return Backup(str(target), files, size, tuple(unread))


def _files_of(root: Path) -> Iterator[Path]:
    """Every regular file but the derived ones. Of links only those at the top are followed: the folders of the bank."""
    for top in sorted(root.iterdir()):
        if top.name == _DERIVED:
            continue
        if top.is_file() and not top.is_symlink():
            yield top
        for folder, names, files in os.walk(top):
            names.sort()
            found = (Path(folder) / name for name in sorted(files))
            yield from (path for path in found if path.is_file() and not path.is_symlink())


class RestoredBackup(NamedTuple):
    """What came back: the number of files, and the folders that were elsewhere and are now in the workspace."""

    files: int
    folders: tuple[str, ...]


def restore_backup(file: Path, root: Path) -> RestoredBackup:
    """Unpack a backup into a folder that is new or empty: all of it, or nothing. UserError when it cannot be used."""
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root}: is not an empty folder; name a new one, and copy newer logs into its memory/")
    root.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=f".{root.name}.", dir=root.parent))
    try:
        try:
            with tarfile.open(file, "r:*") as tar:
                tar.extractall(staged, filter="data")
        except tarfile.ReadError as error:  # its own text has a line for each way of packing
            raise UserError(f"{file}: is no tar file, or is damaged; nothing was written") from error
        except (tarfile.TarError, EOFError, OSError) as error:
            raise UserError(f"{file}: cannot be read as a backup: {error}; nothing was written") from error
        if not (staged / SETTINGS).is_file():
            raise UserError(f"{file}: holds no {SETTINGS}, so it is not a backup of a bank; nothing was written")
        folders = load_usable_settings(staged / SETTINGS)[0].folders
        moved = [name for name in ("memory", "bank") if getattr(folders, name) != getattr(FoldersPolicy(), name)]
        for name in moved:
            change_settings(staged / SETTINGS, {f"folders.{name}": name})
        count = sum(len(names) for _, _, names in os.walk(staged))
        put_new(staged, ".bankd/.gitignore", [b"*\n"])
        staged.replace(root)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return RestoredBackup(count, tuple(moved))


def verify_workspace(workspace: Workspace) -> Verification:
    """Check whether a bank has lost anything; a run that is at work shows as left over.

    Logs, pages and events are read anew, and bankd's own tables are not trusted.
    """
    ledger = workspace.transactions.ledger()
    corrupt = workspace.transactions.events.corrupt
    unreadable = [VerifyFinding("unreadable", f"{one.path}:{one.line}", one.problem) for one in corrupt]
    emptied: set[str] = set()
    places = _places(workspace, unreadable, emptied)
    logs = workspace.files.survey("memory", workspace.now, 0, any_content=True).files
    readings = [found for path in logs if (found := workspace.read_log(path.removeprefix("memory/"), ledger))]
    where = {id_: [place.rpartition(":")[0] for place in held] for id_, held in places.items()}
    unread = emptied | {finding.place for finding in unreadable}
    missing = find_vanished(ledger, lambda _: where)
    # A memory is not lost when the catalog saw it on a page that is empty since a moment ago, or is not read now.
    held = workspace.catalog.pages_of(missing) if unread else {}
    last_seen = {id_: page for id_, pages in held.items() for page in pages if page in unread}
    mentioned = workspace.catalog.mentions_of(set(missing) - last_seen.keys())
    where |= {id_: [page] for id_, page in (*last_seen.items(), *mentioned.items())}
    findings = [*find_lost(readings, where, ledger)]
    for one in find_copied(places):
        words = f"{one.id} stands {len(one.places)} times; {COPIED_ADVICE}"
        findings.append(VerifyFinding("twice", " and ".join(one.places), words))
    workspace.graph.refresh()
    for link, once in workspace.graph.broken():
        if once:  # a link that never worked does not count
            place = f"{link.source}:{link.reference.line + 1}"
            findings.append(VerifyFinding("link", place, f"{link.reference.target} worked once"))
    findings += [VerifyFinding("left over", *left) for left in workspace.transactions.journals.left_over()]
    ids = [line.id for reading in readings for line in reading.lines]
    waits = []
    for page, count in sorted(Counter(page for page in last_seen.values() if page in emptied).items()):
        stood = "1 memory stood on it" if count == 1 else f"{count} memories stood on it"
        words = f"is empty, perhaps cut by an unfinished save; {stood}, taken for deleted after {EMPTY_DAYS * 24} hours"
        waits.append(VerifyFinding("waits", page, words))
    waiting = sum(id_ not in ledger.consumed and id_ not in where for id_ in ids)
    return Verification(len(ids), len(places), waiting, (*findings, *unreadable), tuple(waits))


def _places(workspace: Workspace, unreadable: list[VerifyFinding], emptied: set[str]) -> dict[str, list[str]]:
    """By id, the places of every memory; adds what cannot be read to `unreadable` and empty pages to `emptied`."""
    found: dict[str, list[str]] = {}
    for folder in ("bank", "archive"):
        survey = workspace.files.survey(folder, workspace.now, 0, any_content=True)
        emptied |= survey.emptied
        closed = {**survey.quarantined, **survey.unsettled}
        reasons = ((path, why) for path, why in closed.items() if path not in survey.emptied)
        unreadable += [VerifyFinding("unreadable", path, why) for path, why in reasons]
        for path in survey.files:
            try:
                data = workspace.files.read(path)
            except ConflictError as problem:
                unreadable.append(VerifyFinding("unreadable", path, str(problem)))
                continue
            for entry in read_page(path, data or b"").entries:
                if entry.memory.id:
                    found.setdefault(entry.memory.id, []).append(f"{path}:{entry.line}")
    return found
