"""What a model wrote for statements, as `events/enriched/` keeps it; read when there is more of it."""

from __future__ import annotations

from pathlib import Path

from bankd.adapters.storage.enriched import fold_enriched
from bankd.adapters.storage.segments import PACKED, unpack
from bankd.core.ranking.indexable import ENRICHED, LineQuestions, NewQuestions


def read_enriched(folder: Path, seen: str) -> NewQuestions:
    """All of it, by the keys of statements, when the files are not as they were; files that cannot be read tell nothing."""
    try:
        found = (*folder.glob("*.jsonl*"), *folder.glob("archive/*.jsonl*"))
        files = sorted(file for file in found if file.name.endswith((".jsonl", f".jsonl{PACKED}")))
        stamp = " ".join(f"{file.name}:{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in files)
        if stamp == seen:
            return NewQuestions((), seen)
        known = fold_enriched({str(file): _unpacked(file) for file in files})
    except OSError:
        return NewQuestions((), seen)
    told = [LineQuestions(ENRICHED, key, enrichment.asked) for key, enrichment in known.items()]
    return NewQuestions(told, stamp, is_all=True)


def _unpacked(file: Path) -> bytes:
    return unpack(file.read_bytes())[0] if file.suffix == PACKED else file.read_bytes()
