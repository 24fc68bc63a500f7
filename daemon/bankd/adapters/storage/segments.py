"""The files of the event log: `WRITER-0001.jsonl`, packed `WRITER-0001.jsonl.gz`, and put away in `events/archive/`.

What models said and wrote is kept so too, below `events/replies/` and `events/enriched/`.

A segment may stand there more than once, packed and not, after a crash or a restored backup: each copy is read, and
events are a set.
"""

from __future__ import annotations

import gzip
import re
import zlib
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bankd.adapters.storage.tree import FileTree

EVENTS = "events"
PACKED = ".gz"
SEGMENT_CAP = 64 * 1024 * 1024  # bytes of one segment, unpacked
_WHOLE_CAP = 256 * 1024 * 1024
"""Of a file that was never divided: forty years of nights."""
_SEGMENT = re.compile(r"(?P<writer>.+)-(?P<number>\d{4,})\.jsonl(?:\.gz)?")
_PART = 64 * 1024


def archive_of(folder: str) -> str:
    """Where the segments of a folder are put away."""
    return f"{folder}/archive"


def segment_paths(tree: FileTree, folder: str = EVENTS) -> list[str]:
    """The files to read, those of one writer in the order in which it wrote them."""
    found = [f"{place}/{name}" for place in (archive_of(folder), folder) for name in tree.names(place)]
    return sorted((path for path in found if _SEGMENT.fullmatch(path.rpartition("/")[2])), key=_in_order)


def _in_order(path: str) -> tuple[str, int, bool]:
    """Of two copies the packed one first: the other may go on where that ends."""
    return *segment_of(path), not path.endswith(PACKED)


def log_paths(tree: FileTree, folder: str) -> list[str]:
    """The same, behind the one file `WRITER.jsonl` a writer that there was before segments, to which nobody appends."""
    whole = (name for name in tree.names(folder) if name.endswith(".jsonl") and not _SEGMENT.fullmatch(name))
    return [*(f"{folder}/{name}" for name in sorted(whole)), *segment_paths(tree, folder)]


def read_unpacked(tree: FileTree, path: str) -> bytes:
    """The bytes of such a file as far as they can be read, unpacked; ConflictError where that is no file of a log."""
    data = tree.read(path, SEGMENT_CAP if _SEGMENT.fullmatch(path.rpartition("/")[2]) else _WHOLE_CAP) or b""
    return unpack(data)[0] if path.endswith(PACKED) else data


def segment_of(path: str) -> tuple[str, int]:
    """The writer of a segment, and its number."""
    writer, _, number = plain_name(path).removesuffix(".jsonl").rpartition("-")
    return writer, int(number)


def plain_name(path: str) -> str:
    """The name of a segment without its folder, as it was before it was packed."""
    return path.rpartition("/")[2].removesuffix(PACKED)


def pack(data: bytes) -> bytes:
    """The same bytes packed; the same input gives the same output, on any day."""
    return gzip.compress(data, mtime=0)


def unpack(data: bytes, cap: int = SEGMENT_CAP) -> tuple[bytes, str]:
    """What was packed, as far as it can be read, and what is wrong with the rest; never more than `cap` bytes."""
    parts: list[bytes] = []
    size = 0
    try:
        with gzip.open(BytesIO(data)) as file:
            while part := file.read1(_PART):
                parts.append(part)
                size += len(part)
                if size > cap:
                    return b"".join(parts)[:cap], f"unpacks to more than {cap >> 20} MB; only its beginning is read"
    except (OSError, EOFError, zlib.error) as problem:
        return b"".join(parts), f"cannot be unpacked to its end ({problem}); a backup may have it whole"
    return b"".join(parts), ""


def unpacked_size(tail: bytes) -> int:
    """How many bytes a packed segment holds, by the last four of its own."""
    return int.from_bytes(tail[-4:], "little")
