"""Metrics for the textfile collector of a node exporter: always a whole file."""

from __future__ import annotations

import logging
import os
from pathlib import Path

log = logging.getLogger(__name__)


def write_metrics(path: Path, text: str) -> None:
    """Replace the file; a disk that does not take it costs only this reading."""
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        staged.write_text(text, encoding="utf-8")
        staged.chmod(0o644)
        staged.replace(path)
    except OSError as error:
        log.warning("metrics not written path=%s error=%s", path, error.strerror)
        staged.unlink(missing_ok=True)
