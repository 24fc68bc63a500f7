"""A split, a merge and a move under the same faults as any run: kills at every change, and hands in between."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from bankd.edits.transaction import Applied, Transaction
from bankd.errors import ConflictError, StorageError
from bankd.layouts.links import relink_layout
from bankd.layouts.merge import Layout, plan_merge, plan_move
from bankd.layouts.rearrange import operations_for, read_source, reference_rewriter
from bankd.layouts.split import Limits, plan_split
from bankd.pages.names import Names
from bankd.pages.page import part_lines
from bankd.pages.references import references_of
from bankd.pages.resolve import WIKI_KINDS, find_place, outline_of, resolve_reference
from bankd.pages.scanner import decode_text, scan_text
from bankd.storage.journals import Lock
from bankd.storage.transactions import Recoverer, Recovery, TransactionWriter
from bankd.storage.tree import FileTree, Syscalls
from tests.crash.faults import Fault, FaultyCalls, Killed, each, kills
from tests.crash.hands import Hand
from tests.crash.world import AT, NOW, bank_of, fresh

FULL, MOVED, LOG = "bank/knowledge/full.md", "bank/world/all.md", "bank/daily/log.md"
TITLES = ("Storage", "네트워크", "Release", "지원")
_ID = re.compile(r"\^(m-\d+)[ \t]*\r?$", re.MULTILINE)
Planner = Callable[[dict[str, str]], Layout | None]


def pages() -> dict[str, str]:
    """A page that is to be split, and one that refers into it in several ways."""
    full = "# Full\n\n> All there is to know.\n\n- W: opening ^m-1\n\n"
    for n, title in enumerate(TITLES):
        items = "".join(f"- W: fact {n} {k} {'x' * 30} ^m-{n + 1}{k}\n" for k in range(4))
        full += f"## {title}\n\nFree words of {title}, see [log](../daily/log.md#day).\n\n{items}\n"
    links = "".join(f"- W: see [{t}](../knowledge/full.md#{t.lower()}) ^m-9{n}\n" for n, t in enumerate(TITLES))
    return {FULL: full, LOG: f"# Log\n\n## Day\n\n{links}- W: [[full#^m-23]] and `bank/knowledge/full.md` ^m-99\n"}


IDS = {id_ for text in pages().values() for id_ in _ID.findall(text)}


def plan_a_split(files: dict[str, str]) -> Layout | None:
    """Split the page unless that is done."""
    document = scan_text(files.get(FULL, ""))
    if FULL not in files or part_lines(document, FULL):
        return None
    return plan_split(FULL, document, Limits(400, 800), lambda _: False)


def plan_a_merge(files: dict[str, str]) -> Layout | None:
    """Merge the page unless that is done."""
    documents = {path: scan_text(text) for path, text in files.items()}
    layout = plan_merge(FULL, documents)
    return layout if isinstance(layout, Layout) and layout.gone else None


def plan_a_move(files: dict[str, str]) -> Layout | None:
    """Move the page unless that is done."""
    return plan_move({FULL: MOVED}, {FULL: len(scan_text(files[FULL]).lines)}, None) if FULL in files else None


def run(root: Path, planner: Planner, calls: Syscalls | None = None) -> tuple[Recovery, Applied]:
    """One process: recover, then do what is not done yet."""
    tree = FileTree(root, calls)
    lock = Lock(tree, AT)
    try:
        lock.take()
        transactions = TransactionWriter(tree, lock, "test", reference_rewriter("routing.yaml"))
        recovery = Recoverer(tree, transactions, settle_seconds=0).recover(NOW)
        files = {path: decode_text(data) for path, data in bank_of(root).items()}
        operations = operations_of(files, planner)
        return recovery, transactions.commit(Transaction("run-1", AT, operations))
    finally:
        lock.release()
        tree.close()


def operations_of(files: dict[str, str], planner: Planner):  # type: ignore[no-untyped-def]
    layout = planner(files)
    if layout is None:
        return ()
    sources = {path: read_source(path, text) for path, text in files.items()}
    return operations_for(layout, relink_layout(layout, sources, Names(files)), files)


def build(root: Path, *planners: Planner) -> Path:
    for path, text in pages().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "archive").mkdir()
    (root / "events").mkdir()
    for planner in planners:
        run(root, planner)
        shutil.rmtree(root / ".bankd")
    return root


CASES: dict[str, tuple[Planner, tuple[Planner, ...]]] = {
    "split": (plan_a_split, ()),
    "merge": (plan_a_merge, (plan_a_split,)),
    "move": (plan_a_move, ()),
}


def faults(root: Path, ids: set[str]) -> list[str]:
    """Everything that is wrong after a run."""
    files = {path: decode_text(data) for path, data in bank_of(root).items()}
    found = [id_ for text in files.values() for id_ in _ID.findall(text)]
    wrong = [f"{id_} is lost" for id_ in sorted(ids - set(found))]
    wrong += [f"{id_} is there {found.count(id_)} times" for id_ in sorted(set(found)) if found.count(id_) > 1]
    wrong += [f"left over: {p.name}" for folder in ("stage", "txn") for p in (root / ".bankd" / folder).glob("*")]
    return wrong + broken(files)


def parts_in(root: Path) -> list[str]:
    """The pages below the folder of the page that is split, moved or merged."""
    return [path for path in bank_of(root) if path.startswith(FULL.removesuffix(".md") + "/")]


def broken(files: dict[str, str]) -> list[str]:
    """Links that lead nowhere: in this bank none does to begin with."""
    names, wrong = Names(files), []
    for path, text in files.items():
        for reference in references_of(scan_text(text)):
            target = resolve_reference(reference, path, names)
            if target is None:
                wrong.append(f"{path}: {reference.target} leads nowhere")
            elif target.fragment and not find_place(
                outline_of(scan_text(files[target.path])), target.fragment, is_wiki=reference.kind in WIKI_KINDS
            ):
                wrong.append(f"{path}: {reference.target} names nothing")
    return wrong


class Case(NamedTuple):
    """What is done to which bank; what it is then if nobody disturbs, and the changes of the disk until then."""

    planner: Planner
    template: Path
    clean: Path
    log: list[str]


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    planner, before = CASES[request.param]
    template = build(tmp_path_factory.mktemp("bank") / "w", *before)
    clean, calls = fresh(template, template.with_name("clean")), FaultyCalls()
    run(clean, planner, calls)
    return Case(planner, template, clean, calls.log)


def test_an_undisturbed_run_leaves_nothing_wrong_and_nothing_to_do(case: Case, tmp_path: Path) -> None:
    root = fresh(case.clean, tmp_path / "w")

    _, applied = run(root, case.planner)

    assert faults(root, IDS) == []
    assert bank_of(root) != bank_of(case.template)
    assert (applied.seq, bank_of(root)) == (0, bank_of(case.clean))


def test_a_merge_after_a_split_gives_the_bytes_back(tmp_path: Path) -> None:
    root = build(tmp_path / "w", plan_a_split, plan_a_merge)

    assert {path: decode_text(data) for path, data in bank_of(root).items()} == pages()


def wrong_at(case: Case, root: Path, fault: Fault, judge: Callable[[Path], list[str]]) -> dict[str, list[str]]:
    """Break the run in a copy of the bank, and have what it left judged; what is wrong, by where it was broken."""
    fresh(case.template, root)
    calls = FaultyCalls(fault)
    with suppress(Killed, StorageError, ConflictError):
        run(root, case.planner, calls)
    assert calls.fired
    wrong = judge(root)
    shutil.rmtree(root)
    return {f"{fault.action} at {fault.at}: {case.log[fault.at - 1]}": wrong} if wrong else {}


def test_a_kill_at_every_change_loses_doubles_and_breaks_nothing(case: Case, tmp_path: Path) -> None:
    def judge(root: Path) -> list[str]:
        seen = {id_ for data in bank_of(root).values() for id_ in _ID.findall(decode_text(data))}
        run(root, case.planner)
        wrong = [f"{id_} is out of sight before recovery" for id_ in IDS - seen] + faults(root, IDS)
        return wrong if bank_of(root) == bank_of(case.clean) else [*wrong, "not the bank of an undisturbed run"]

    bad = {}
    for fault in kills(case.log, range(1, len(case.log) + 1)):
        bad |= wrong_at(case, tmp_path / "w", fault, judge)
    assert bad == {}


@pytest.mark.parametrize("error", ["EACCES", "EROFS"])
def test_one_refused_change_loses_doubles_and_breaks_nothing(case: Case, tmp_path: Path, error: str) -> None:
    def judge(root: Path) -> list[str]:
        run(root, lambda _: None)
        is_half = 0 < len(parts_in(root)) < len(parts_in(case.clean))
        return faults(root, IDS) + [f"half a split: {', '.join(parts_in(root))}"] * is_half

    bad = {}
    for at in range(1, len(case.log) + 1):
        bad |= wrong_at(case, tmp_path / "w", Fault(at, error), judge)
    assert bad == {}


@pytest.mark.parametrize("style", ["append", "in place", "stale"])
@pytest.mark.parametrize("path", [FULL, LOG])
@each(11)
def test_a_hand_s_edit_before_some_changes_is_kept(
    case: Case, tmp_path: Path, style: str, path: str, step: int
) -> None:
    root = tmp_path / "w"

    def judge(root: Path) -> list[str]:
        hand.after()
        for _ in range(2):
            run(root, case.planner)
        text = "".join(decode_text(data) for data in bank_of(root).values())
        wrong = [f"{words!r} is there {text.count(words)} times" for words in hand.words if text.count(words) != 1]
        return wrong + faults(root, IDS)

    bad = {}
    for at in range(1, len(case.log) + 1, step):
        hand = Hand(root, path, style, {FULL: "m-22", LOG: "m-90"}[path])
        bad |= wrong_at(case, root, Fault(at, "hook", hook=hand), judge)
    assert bad == {}
