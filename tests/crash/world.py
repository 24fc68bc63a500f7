"""A bank in which everything happens in one run: new memories, a split in five, links mended, memories archived, events.

What must hold afterwards is counted from this module's own lists, never from the books of the program.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from bankd.edits.inserting import block_key
from bankd.edits.operations import Append, Move, Operation, Piece, Relink, Remove, Replace
from bankd.edits.transaction import Applied, Look, Transaction
from bankd.memory.ledger import make_event
from bankd.storage.journals import Lock
from bankd.storage.transactions import Recoverer, Recovery, TransactionWriter
from bankd.storage.tree import FileTree, Syscalls

NOW = datetime.fromisoformat("2026-11-21T03:00:00+09:00")
AT = NOW.isoformat()
SECTIONS = ("Storage", "Network", "빌드", "Release", "Support")
FULL = "bank/knowledge/full.md"
OPINIONS = "bank/opinions/tools.md"
PETER = "bank/entities/Peter.md"
VALUES = "bank/identity/values.md"
_ID = re.compile(r"\^(m-[a-z0-9]+)[ \t]*\r?$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#]+)#\^(m-[a-z0-9]+)\)")


def item(number: int, text: str = "") -> Piece:
    """A memory of the test bank."""
    key = f"m-{number:04}"
    return Piece(key, f"- W: {text or f'fact number {number}'} ^{key}")


def _part(section: str) -> str:
    return f"bank/knowledge/full/{section.lower()}.md"


def _section_pieces(n: int) -> list[Piece]:
    nested = Piece(
        f"m-{100 + n * 10:04}", f"- W: with detail {n} ^m-{100 + n * 10:04}\n  - a nested line\n  - 하위 항목"
    )
    prose = f"Free words of {SECTIONS[n]}, which have no id."
    fence = f"```sh\n- W: not a memory ^m-9{n}00\n```"
    items = [item(101 + n * 10 + k) for k in range(4)]
    return [nested, *items, Piece(block_key(prose), prose), Piece(block_key(fence), fence)]


def pages() -> dict[str, str]:
    """The bank before the run."""
    full = "# Full\n\n> All there is to know.\n\nAn opening word.\n\n"
    for n, section in enumerate(SECTIONS):
        body = "\n".join(p.text for p in _section_pieces(n)[:5])
        rest = "\n\n".join(p.text for p in _section_pieces(n)[5:])
        full += f"## {section}\n\n{body}\n\n{rest}\n\n"
    links = "\n".join(f"- W: see [{k}](../knowledge/full.md#^m-01{k}1) ^m-03{k}0" for k in range(5))
    return {
        FULL: full,
        PETER: f"# Peter\r\n\r\n{links}\n".replace("\n", "\r\n").replace("\r\r", "\r"),
        VALUES: "\n".join(["# Values", "", *(item(n).text for n in range(1, 11)), ""]),
        OPINIONS: "\n".join(
            ["# Tools", "", *(f"- O(c=0.31@2026-10-01): opinion {n} ^m-04{n:02}" for n in range(6)), ""]
        ),
        "bank/daily/routine.md": "\n".join(["# Routine", "", "## Morning", "", *(item(n).text for n in range(20, 24))]),
    }


def plan(look: Look, known: set[str]) -> tuple[Operation, ...]:
    """What a run wants of a bank that reads so, when these events are known already.

    Like a real planner it believes what it sees: a line that was ingested is not ingested again, a page that is a hub is
    not split again. Only a journal brings an interrupted run to its end.
    """
    new = [item(500 + k) for k in range(50) if EVENTS[k]["id"] not in known]
    operations: list[Operation] = []
    targets = [(VALUES, ""), ("bank/daily/routine.md", "Morning"), ("bank/world/places.md", "Cities"), (PETER, "")]
    for n, (path, heading) in enumerate(targets):
        pieces = tuple(piece for piece in new if int(piece.key[2:]) % 4 == n)
        operations += [Append(path, heading, pieces, "Places")] if pieces else []
    if b"## Parts" not in (look(FULL) or b""):
        operations += _split()
    if b"m-0400" not in (look(ARCHIVED) or b""):
        operations += [Append(ARCHIVED, "", FADED, "Tools"), Remove(OPINIONS, FADED, ARCHIVED)]
    return (*operations, Replace(VALUES, "m-0002", item(2).text, item(2, "fact number 2, dated").text))


def _split() -> list[Operation]:
    operations: list[Operation] = []
    for n, section in enumerate(SECTIONS):
        pieces = tuple(_section_pieces(n))
        operations.append(Append(_part(section), "", pieces, section))
        operations.append(Remove(FULL, pieces, _part(section)))
        key = f"m-01{n}1"
        new = f"../knowledge/full/{section.lower()}.md#^{key}"
        operations.append(Relink(PETER, (Move(f"../knowledge/full.md#^{key}", new, _part(section), key),)))
    hub = [f"- [{section}](full/{section.lower()}.md)" for section in SECTIONS]
    return [*operations, Append(FULL, "Parts", tuple(Piece(block_key(line), line) for line in hub))]


ARCHIVED = OPINIONS.replace("bank/", "archive/", 1)
FADED = tuple(Piece(f"m-04{n:02}", f"- O(c=0.31@2026-10-01): opinion {n} ^m-04{n:02}") for n in range(3))
EVENTS = tuple(
    make_event("kept", f"m-{500 + n:04}", datetime.fromisoformat(AT), memory=f"m-{500 + n:04}") for n in range(50)
)
EXPECTED = (
    {f"m-{n:04}" for n in [*range(1, 11), *range(20, 24), *range(500, 550)]}
    | {f"m-{100 + n * 10 + k:04}" for n in range(5) for k in range(5)}
    | {f"m-03{k}0" for k in range(5)}
    | {f"m-04{n:02}" for n in range(6)}
)
ORIGINAL = EXPECTED - {f"m-{n:04}" for n in range(500, 550)}


def build(root: Path) -> Path:
    """Write the bank as it is before the run."""
    for path, text in pages().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "events").mkdir()
    (root / "archive").mkdir()
    return root


def rewrite(path: str, text: str, moves: Mapping[str, str]) -> str:
    """Mend inline links that are written exactly so."""
    assert path
    for old, new in moves.items():
        text = text.replace(f"]({old})", f"]({new})")
    return text


def fresh(template: Path, target: Path) -> Path:
    """A copy of the bank to break."""
    shutil.copytree(template, target)
    return target


class Session:
    """One process at work on a bank: its lock and its open folders end with it."""

    def __init__(
        self, root: Path, calls: Syscalls | None = None, transactions: type[TransactionWriter] = TransactionWriter
    ) -> None:
        self.tree = FileTree(root, calls)
        self.lock = Lock(self.tree, AT)
        self.transactions = transactions(self.tree, self.lock, "test", rewrite)

    def __enter__(self) -> Session:
        try:
            self.lock.take()
        except BaseException:
            self.tree.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.lock.release()
        self.tree.close()

    def run(self, now: datetime = NOW) -> tuple[Recovery, Applied]:
        """One run: recover, then do what is not done yet."""
        recovery = Recoverer(self.tree, self.transactions, settle_seconds=0).recover(now)
        known = {event["id"] for event in self.transactions.events.read_events()}
        events = tuple(event for event in EVENTS if event["id"] not in known)
        operations = plan(self.transactions.look, known)
        return recovery, self.transactions.commit(Transaction("run-1", AT, operations, events))


def run(root: Path, calls: Syscalls | None = None, **options: Any) -> tuple[Recovery, Applied]:
    """One process, one run."""
    with Session(root, calls, **options) as session:
        return session.run()


def bank_of(root: Path) -> dict[str, bytes]:
    """Every file that people can see."""
    folders = [root / name for name in ("bank", "archive")]
    return {
        str(p.relative_to(root)): p.read_bytes() for folder in folders for p in sorted(folder.rglob("*")) if p.is_file()
    }


def ids_in(root: Path) -> list[str]:
    """Every memory that people can see, as often as it is there."""
    texts = [_outside_fences(data.decode("utf-8", "surrogateescape")) for data in bank_of(root).values()]
    return [key for text in texts for key in _ID.findall(text)]


def _outside_fences(text: str) -> str:
    return re.sub(r"(?ms)^```.*?^```", "", text)


def lost(root: Path, expected: set[str]) -> list[str]:
    """Memories that nobody can see any more."""
    return [f"{key} is lost" for key in sorted(expected - set(ids_in(root)))]


def faults(root: Path, expected: set[str] = EXPECTED) -> list[str]:
    """Everything that is wrong after a run, in words."""
    ids = ids_in(root)
    wrong = lost(root, expected)
    wrong += [f"{key} is there {ids.count(key)} times" for key in sorted(set(ids)) if ids.count(key) > 1]
    bank = bank_of(root)
    for path, data in bank.items():
        for target, key in _LINK.findall(data.decode("utf-8", "surrogateescape")):
            resolved = (root / path).parent.joinpath(target).resolve()
            if not resolved.exists() or f"^{key}" not in resolved.read_text(errors="surrogateescape"):
                wrong.append(f"{path}: the link to {target}#^{key} is broken")
    wrong += [f"torn: {line}" for data in bank.values() for line in _torn(data.decode("utf-8", "surrogateescape"))]
    for n in range(5):
        prose = f"Free words of {SECTIONS[n]}"
        if sum(data.decode("utf-8", "surrogateescape").count(prose) for data in bank.values()) != 1:
            wrong.append(f"the free words of {SECTIONS[n]} are not there once")
    for folder in ("stage", "txn"):
        wrong += [f"left over: {p.name}" for p in sorted((root / ".bankd" / folder).glob("*"))]
    wrong += [f"stray file {path}" for path in bank if not path.endswith(".md")]
    return wrong + _wrong_events(root)


def _torn(text: str) -> list[str]:
    """Lines of memories that end before their id."""
    lines = [line.rstrip("\r") for line in _outside_fences(text).split("\n") if re.match(r"- [WO](\(|:| |$)", line)]
    return [line for line in lines if not re.search(r"\^m-\d{4}$", line)]


def _wrong_events(root: Path) -> list[str]:
    tree = FileTree(root)
    try:
        log = TransactionWriter(tree, Lock(tree, AT), "test").events
        found = [event["id"] for event in log.read_events()]
    finally:
        tree.close()
    wanted = sorted(str(event["id"]) for event in EVENTS)
    return [] if sorted(found) == wanted else [f"{len(found)} events instead of {len(wanted)}"]
