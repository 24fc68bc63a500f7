"""The stream of an MCP server: frames in, one JSON object a line, and frames out, which nothing else may mix with."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from typing import IO, Any

from bankd.core.markdown.utf8 import to_json

LONGEST = 4 << 20
"""Bytes of a frame; a longer one is skipped to its end and refused."""


class FrameStream:
    """The two ends of standard input and output; frames may be written by any thread."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        """Read from one and write to the other."""
        self._source, self._sink, self._lock = source, sink, threading.Lock()

    def frames(self) -> Iterator[bytes]:
        """Every frame until the client ends; one that is too long comes cut off, and so is no JSON."""
        while line := self._source.readline(LONGEST):
            if len(line) == LONGEST and not line.endswith(b"\n"):
                self._skip_line()
            if line.strip():
                yield line

    def _skip_line(self) -> None:
        while (rest := self._source.readline(LONGEST)) and not rest.endswith(b"\n"):
            pass

    def write(self, frame: dict[str, Any]) -> None:
        """Send one frame whole; that nobody reads any more is found out by the reading side."""
        data = to_json(frame).encode() + b"\n"
        with self._lock:
            try:
                self._sink.write(data)
                self._sink.flush()
            except OSError:
                pass


def take_standard_streams() -> FrameStream:
    """Standard input and output for frames alone: whatever else is printed from now on goes to standard error."""
    sys.stdout.flush()
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return FrameStream(sys.stdin.buffer, sink)
