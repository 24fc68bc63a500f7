"""What models said and wrote is packed and put away as the events are, and is found as before, also by those who purge."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bankd.adapters.index.enriched import read_enriched
from bankd.adapters.models.replies import FOLDER as REPLIES
from bankd.adapters.models.replies import ReplyLog
from bankd.adapters.storage.enriched import FOLDER as ENRICHED
from bankd.adapters.storage.enriched import EnrichedLog
from bankd.adapters.storage.packing import SegmentPacker
from bankd.adapters.storage.staging import Staging
from bankd.adapters.storage.syscalls import Syscalls
from bankd.adapters.storage.tree import FileTree
from bankd.core.distil.enrichment import Enrichment, UnaskedStatement
from bankd.core.distil.prompts import Reply
from bankd.core.ranking.indexable import LineQuestions
from tests.crash.faults import Fault, FaultyCalls, Killed

BEGAN = datetime(2026, 1, 1, 3, tzinfo=UTC)
PACKING, ARCHIVING = date(2026, 5, 1), date(2027, 3, 1)
OLD = {"call": "0", "at": "2025-11-01T03:00:00+00:00", "reply": "old", "value": "said before", "input": 1, "output": 1}
KETTLE = UnaskedStatement("The kettle is new.", (), ("Home",))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a file of the time before segments, and what was said last winter."""
    root = tmp_path / "w"
    (root / REPLIES).mkdir(parents=True)
    (root / REPLIES / "host.jsonl").write_text(json.dumps(OLD) + "\n", "utf-8")
    say(root, "key", BEGAN)
    with closing(FileTree(root)) as tree:
        EnrichedLog(tree, "host").keep(KETTLE, Enrichment(("Is the kettle old?",)), BEGAN)
    return root


def say(root: Path, key: str, at: datetime) -> None:
    with closing(FileTree(root)) as tree:
        log = ReplyLog(tree, "host")
        log.begin(key, at, 50)
        log.end(key, at, 20)
        log.keep(key, at, key, Reply(key, 15, 5, is_kept=False))


def pack(root: Path, today: date, folder: str, calls: Syscalls | None = None) -> list[str]:
    with closing(FileTree(root, calls)) as tree:
        return SegmentPacker(tree, Staging(tree), "host", folder).pack_until(today)


def known(root: Path) -> tuple[Reply | None, Reply | None, int, Enrichment | None]:
    with closing(FileTree(root)) as tree:
        log = ReplyLog(tree, "host")
        return log.find("old"), log.find("key"), log.spent(BEGAN.date()), EnrichedLog(tree, "host").of(KETTLE.key)


def asked(root: Path) -> Iterator[LineQuestions]:
    yield from read_enriched(root / ENRICHED, "").changed


def files(root: Path, folder: str) -> list[str]:
    return sorted(path.relative_to(root / folder).as_posix() for path in (root / folder).rglob("*") if path.is_file())


def test_it_is_packed_and_put_away_and_found_as_before(root: Path) -> None:
    before, questions = known(root), [*asked(root)]
    assert None not in before
    assert questions

    for today, name in ((PACKING, "host-0001.jsonl.gz"), (ARCHIVING, "archive/host-0001.jsonl.gz")):
        assert [pack(root, today, folder) for folder in (REPLIES, ENRICHED)] == [[], []]
        assert files(root, ENRICHED) == [name]
        assert files(root, REPLIES) == sorted([name, "host.jsonl"])
        assert known(root) == before
        assert [*asked(root)] == questions


def test_a_writer_goes_on_in_a_new_segment(root: Path) -> None:
    say(root, "later", BEGAN + timedelta(100))
    assert files(root, REPLIES) == ["host-0001.jsonl", "host-0002.jsonl", "host.jsonl"]
    pack(root, PACKING, REPLIES)
    say(root, "last", BEGAN + timedelta(130))

    assert files(root, REPLIES) == ["host-0001.jsonl.gz", "host-0002.jsonl", "host.jsonl"]


@pytest.mark.parametrize("folder", [REPLIES, ENRICHED])
@pytest.mark.parametrize("today", [PACKING, ARCHIVING])
def test_a_crash_at_any_step_loses_nothing(root: Path, today: date, folder: str) -> None:
    before, questions = known(root), [*asked(root)]
    calls = FaultyCalls()
    clean = shutil.copytree(root, root.parent / "clean")
    pack(clean, today, folder, calls)
    assert len(calls.log) > 5

    for at in range(1, len(calls.log) + 1):
        broken = shutil.copytree(root, root.parent / f"broken{at}")
        with suppress(Killed):
            pack(broken, today, folder, FaultyCalls(Fault(at, "kill")))
        assert (known(broken), [*asked(broken)]) == (before, questions), calls.log[at - 1]
        assert pack(broken, today, folder) == []
        assert (files(broken, folder), known(broken)) == (files(clean, folder), before), calls.log[at - 1]


def test_the_bytes_stay_the_same(root: Path) -> None:
    whole = (root / REPLIES / "host-0001.jsonl").read_bytes()
    pack(root, PACKING, REPLIES)

    assert gzip.decompress((root / REPLIES / "host-0001.jsonl.gz").read_bytes()) == whole
