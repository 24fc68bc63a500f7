"""Connecting an agent: what its plan says is written, what was there is noted, and given back byte for byte."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from bankd.app.agent_plans import Connection, Edit, Homes
from bankd.errors import UserError


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after; None where there is none."""

    path: Path
    before: bytes | None
    after: bytes | None


def plan_changes(connection: Connection) -> Sequence[FileChange]:
    """The files that connecting would change, as they are and as they would be; UserError for settings that cannot be read."""
    changes = [FileChange(path, _read(path), data) for path, data in connection.files.items()]
    changes += [_edited(path, add) for path, (add, _) in connection.edits.items()]
    return [change for change in changes if change.before != change.after]


def connect_agent(connection: Connection, homes: Homes) -> Sequence[FileChange]:
    """Do it, and note what was there; gives what was changed, which is nothing the second time."""
    changes = plan_changes(connection)
    noted = _read_state(homes)
    own = noted.setdefault(connection.agent, {})
    for change in changes:
        row = own.get(str(change.path))
        was = _original(change, row, connection)
        own[str(change.path)] = {"before": _encoded(was), "after": _digest(change.after)}
    _write(homes.state, json.dumps(noted, indent=1).encode())
    for change in changes:
        _write(change.path, change.after or b"")
    return changes


def disconnect_agent(connection: Connection, homes: Homes) -> Sequence[FileChange]:
    """Give every file its bytes back; one that was changed since loses only what is ours."""
    noted = _read_state(homes)
    own = noted.pop(connection.agent, {})
    changes = [_restored(Path(path), row, connection) for path, row in own.items()]
    changes += [_restored(path, {}, connection) for path in connection.edits if str(path) not in own and path.exists()]
    done = [change for change in changes if change.before != change.after]
    for change in done:
        _put_back(change, is_ours=change.path in connection.files)
    if noted:
        _write(homes.state, json.dumps(noted, indent=1).encode())
    else:
        homes.state.unlink(missing_ok=True)
        with suppress(OSError):  # something else of ours is kept there
            homes.state.parent.rmdir()
    return done


def _original(change: FileChange, row: Mapping[str, Any] | None, connection: Connection) -> bytes | None:
    """What to give back later: what was noted as long as nobody else wrote since, else what is there without ours."""
    if row is not None and row["after"] == _digest(change.before):
        return _decoded(row["before"])
    if change.before is None or change.path not in connection.edits:
        return change.before
    return _edit(change.path, connection.edits[change.path][1], change.before)


def _restored(path: Path, row: Mapping[str, Any], connection: Connection) -> FileChange:
    now = _read(path)
    if now is None or (row and row["after"] == _digest(now)):
        return FileChange(path, now, _decoded(row["before"]) if row and now is not None else None)
    if path in connection.edits:
        return FileChange(path, now, _edit(path, connection.edits[path][1], now))
    return FileChange(path, now, now)  # somebody made it theirs


def _edited(path: Path, edit: Edit) -> FileChange:
    before = _read(path)
    return FileChange(path, before, _edit(path, edit, before or b""))


def _edit(path: Path, edit: Edit, data: bytes) -> bytes:
    try:
        return edit(data.decode("utf-8")).encode("utf-8")
    except ValueError as error:
        raise UserError(f"{path}: cannot be read, and was left alone: {error}") from error


def _put_back(change: FileChange, *, is_ours: bool) -> None:
    if change.after is not None:
        _write(change.path, change.after)
        return
    change.path.unlink(missing_ok=True)
    with suppress(OSError):  # not empty, so not ours alone
        for folder in list(change.path.parents)[:4] if is_ours else ():
            folder.rmdir()


def _write(path: Path, data: bytes) -> None:
    """Replace a file whole, where a link leads, with the mode it has."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = target.with_name(f".{target.name}.bankd")
    try:
        staged.write_bytes(data)
        staged.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        staged.replace(target)
    except OSError:
        staged.unlink(missing_ok=True)
        raise


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _read_state(homes: Homes) -> dict[str, dict[str, Any]]:
    try:
        held: dict[str, dict[str, Any]] = json.loads(_read(homes.state) or b"{}")
    except ValueError:
        raise UserError(f"{homes.state}: cannot be read; move it away, then connect again") from None
    return held


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
