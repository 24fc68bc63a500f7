"""The transcripts of sessions that wait to be imported, and whether anything waits for a run at all.

`.bankd/transcripts.jsonl` has one path per line. Hooks write a line in one call, so that lines of several sessions never mix;
an import takes the whole file away first. A session waits for its hooks, so nothing slow is imported here.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress

from bankd.pages.bare_json import read_json, write_json

PATH = ".bankd/transcripts.jsonl"
TAKEN = f"{PATH}.taken"


def add_transcript(root: str, transcript: str) -> None:
    """Add a transcript that the next run imports; raises OSError."""
    line = write_json({"transcript": transcript}).encode() + b"\n"
    file = os.open(f"{root}/{PATH}", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


def take_transcripts(root: str) -> list[str]:
    """The transcripts that wait, each once, oldest first. They are given again until `drop_taken`, also after a crash."""
    if not os.path.exists(f"{root}/{TAKEN}"):  # noqa: PTH110 -- as light as what hooks need
        try:
            os.rename(f"{root}/{PATH}", f"{root}/{TAKEN}")  # noqa: PTH104 -- same
        except FileNotFoundError:
            return []
    with open(f"{root}/{TAKEN}", "rb") as file:  # noqa: PTH123 -- same
        return list(dict.fromkeys(filter(None, map(_transcript_of, file))))


def waiting_transcripts(root: str) -> int:
    """How many lists of transcripts wait to be imported."""
    return sum(os.path.exists(f"{root}/{path}") for path in (PATH, TAKEN))  # noqa: PTH110 -- same


def may_wait(root: str) -> bool:
    """Whether anything may wait for a run: transcripts, or a log that is not as the last run noted it.

    What this says may wait is looked at more closely by who asks; what it does not say never waits.
    """
    import sqlite3  # noqa: PLC0415 -- a session's end asks nothing of it

    if waiting_transcripts(root):
        return True
    known: set[tuple[object, ...]] = set()
    catalogue = f"{root}/.bankd/catalogue.sqlite3"
    if os.path.exists(catalogue):  # noqa: PTH110 -- same
        with suppress(sqlite3.Error), closing(sqlite3.connect(catalogue)) as noted:
            known.update(noted.execute("SELECT * FROM files WHERE path >= 'memory/' AND path < 'memory0'"))
    for folder, _, names in os.walk(f"{root}/memory"):
        for path in (f"{folder}/{name}" for name in names if name.endswith(".md")):
            seen = os.lstat(path)
            if (path[len(root) + 1 :], seen.st_size, seen.st_mtime_ns, seen.st_ino) not in known:
                return True
    return False


def drop_taken(root: str) -> None:
    """Forget the transcripts that were taken, if any: they are imported."""
    with suppress(FileNotFoundError):
        os.unlink(f"{root}/{TAKEN}")  # noqa: PTH108 -- same


def _transcript_of(line: bytes) -> str:
    try:
        return str(read_json(line)["transcript"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""  # torn by a full disk
