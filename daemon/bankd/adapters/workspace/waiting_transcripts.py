"""Transcripts of sessions that wait to be imported: `.bankd/transcripts.jsonl`, one path a line, written by hooks.

A line is one write, so that hooks of several sessions never mix; whoever imports takes the file away as a whole first.
"""

from __future__ import annotations

import os

from bankd.core.markdown.bare_json import read_json, write_json

PATH = ".bankd/transcripts.jsonl"
TAKEN = f"{PATH}.taken"


def add_transcript(root: str, transcript: str) -> None:
    """Leave a note for the next run; raises OSError."""
    line = write_json({"transcript": transcript}).encode() + b"\n"
    file = os.open(f"{root}/{PATH}", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


def take_transcripts(root: str) -> list[str]:
    """The transcripts that wait, each once, oldest first; they wait on until `drop_taken`, also after a crash."""
    if not os.path.exists(f"{root}/{TAKEN}"):  # noqa: PTH110 -- as light as what hooks need
        try:
            os.rename(f"{root}/{PATH}", f"{root}/{TAKEN}")  # noqa: PTH104 -- same
        except FileNotFoundError:
            return []
    with open(f"{root}/{TAKEN}", "rb") as file:  # noqa: PTH123 -- same
        return list(dict.fromkeys(filter(None, map(_transcript_of, file))))


def drop_taken(root: str) -> None:
    """What was taken is imported."""
    os.unlink(f"{root}/{TAKEN}")  # noqa: PTH108 -- same


def _transcript_of(line: bytes) -> str:
    try:
        return str(read_json(line)["transcript"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""  # torn by a full disk
