"""Splits, moves and merges of a workspace: read, planned, looked at once more, and committed as one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from bankd.app.workspace import Workspace
from bankd.edits.settle import why_quarantined
from bankd.edits.transaction import Transaction
from bankd.errors import InvariantError, UserError
from bankd.layouts.merge import Layout, parts_of, plan_merge, plan_move
from bankd.layouts.rearrange import (
    Rearrangement,
    edit_of,
    follow_headings,
    heal_links,
    heal_strays,
    plan_layout,
    reference_name,
    relink_operations,
)
from bankd.layouts.relink import Edit, Lost
from bankd.layouts.split import Limits, plan_split
from bankd.memory.route import problem_of_target
from bankd.pages.names import BANK, is_own
from bankd.pages.page import part_lines, parts_folder
from bankd.pages.resolve import sense_of
from bankd.pages.scanner import Document, encode_text
from bankd.ports import Graph


@dataclass(frozen=True, slots=True)
class Rearranged:
    """What a command did, as the disk has it afterwards; of a dry run, what it would do.

    `sizes` are the bytes of the pages that were written. `conflicts` names what was planned and not done.
    """

    run: str
    sizes: Mapping[str, int]
    gone: Sequence[str]
    edits: Sequence[Edit]
    lost: Sequence[Lost]
    conflicts: Sequence[str] = ()


class Rearranger:
    """The commands that move lines between pages."""

    def __init__(self, workspace: Workspace, graph: Graph) -> None:
        """Work on a workspace whose graph is up to date."""
        self._workspace, self._graph = workspace, graph

    def split(self, page: str, *, dry_run: bool = False) -> Rearranged:
        """Split a page whatever its size; UserError when it has no seam."""
        path = self._page_of_people(page)
        document = self._graph.document(path)
        layout = plan_split(path, document, Limits.of(self._workspace.settings.split), self._graph.is_name_taken)
        if layout is None:
            raise UserError(f"{path}: has no seam at which it could be split")
        return self._carry_out("split", layout, dry_run=dry_run)

    def merge(self, page: str, *, dry_run: bool = False) -> Rearranged:
        """Put the parts of a page back into it; UserError when that would throw something away."""
        path = self._page_of_people(page)
        documents = self._with_parts(path)
        names = self._graph.names

        def sense(source: str, document: Document, start: int, end: int) -> str:
            return sense_of(source, document, start, end, names)

        layout = plan_merge(path, documents, sense)
        if not isinstance(layout, Layout):
            raise UserError(*(f"{problem.path}: {problem.reason}" for problem in layout))
        if not layout.gone:
            raise UserError(f"{path}: has no parts")
        return self._carry_out("merge", layout, dry_run=dry_run)

    def _with_parts(self, path: str) -> dict[str, Document]:
        """A hub with its parts and theirs."""
        documents = {path: self._graph.document(path)}
        waiting = [path]
        while waiting:
            hub = waiting.pop()
            for part in part_lines(documents[hub], hub).values():
                if part in self._graph.names and part not in documents:
                    documents[part] = self._graph.document(part)
                    waiting.append(part)
        return {page: documents[page] for page in [path, *parts_of(path, documents)]}

    def move(self, old: str, new: str, *, dry_run: bool = False) -> Rearranged:
        """Give a page or folder another path; UserError when it is not there or the new one is taken."""
        moves, folder = self._moves(old.removeprefix(BANK), new.removeprefix(BANK))
        moves = {path: to for path, to in moves.items() if to != path}
        if not moves:
            raise UserError(f"{old}: that is where it is already")
        taken = [path for path in moves.values() if path in self._graph.names and path not in moves]
        if taken:
            raise UserError(*(f"{path}: there is such a page already" for path in taken))
        counts = {path: len(self._graph.read(path).lines) for path in moves}
        return self._carry_out("move", plan_move(moves, counts, folder), dry_run=dry_run)

    def _moves(self, old: str, new: str) -> tuple[dict[str, str], tuple[str, str] | None]:
        """Every file that moves too: all of a folder, the parts of a hub."""
        old, new = old.rstrip("/"), new.rstrip("/")
        _check_own(old)
        is_folder = not old.endswith(".md") and self._graph.names.has_folder(BANK + old)
        if problem := problem_of_target(f"{new}/x.md" if is_folder else new):
            raise UserError(problem)
        if is_folder:
            return self._folder(BANK + old, BANK + new)
        page = self.page(old)
        below = parts_folder(page)
        if not self._graph.names.has_folder(below):
            return {page: BANK + new}, None
        moves, folder = self._folder(below, parts_folder(BANK + new))
        return {page: BANK + new, **moves}, folder

    def _folder(self, old: str, new: str) -> tuple[dict[str, str], tuple[str, str]]:
        sizes = self._graph.sizes()
        if (new + "/").startswith(old + "/"):
            raise UserError(f"{new}: lies inside {old}")
        return {path: new + path[len(old) :] for path in sorted(sizes) if path.startswith(old + "/")}, (old, new)

    def heal(self, *, dry_run: bool = False) -> Rearranged | None:
        """Let links follow the pages, folders and blocks that the user has moved; None when there are none."""
        graph = self._graph
        moves = graph.moved()
        healed = heal_strays((stray for stray in graph.strays() if stray.page not in moves), graph.scene)
        healed = follow_headings(healed, graph.scene, graph.read, graph.links_into)
        if not moves and not healed:
            return None
        sources = {old: graph.read(new) for old, new in moves.items()}
        others = graph.sizes().keys() - set(moves.values())
        arranged = heal_links(moves, sources, graph.names, graph.sources_for, others)
        edits = (*arranged.relinked.edits, *(edit_of(item) for item in healed))
        operations = (*arranged.operations, *relink_operations(healed))
        arranged = replace(arranged, relinked=replace(arranged.relinked, edits=edits), operations=operations)
        done = self._commit("heal", arranged, dry_run=dry_run)
        if not dry_run:
            graph.settle(arranged.layout.gone)
        return done

    def page(self, given: str) -> str:
        """The page that a person means: by path relative to bank/ or the workspace, or by its unique name."""
        names = self._graph.names
        wanted = given.removeprefix(BANK)
        for path in (BANK + wanted, f"{BANK}{wanted}.md"):
            if (found := names.file(path)) and found.endswith(".md"):
                return found
        found_names = [path for path in names.named(wanted) if path.startswith(BANK) and path.endswith(".md")]
        if len(found_names) == 1:
            return found_names[0]
        which = f"could be {' or '.join(found_names)}" if found_names else "no such page in bank/"
        raise UserError(f"{given}: {which}")

    def _page_of_people(self, given: str) -> str:
        path = self.page(given)
        _check_own(path.removeprefix(BANK))
        return path

    def _carry_out(self, kind: str, layout: Layout, *, dry_run: bool) -> Rearranged:
        arranged = plan_layout(layout, self._graph.names, self._graph.sources_for)
        return self._commit(kind, arranged, dry_run=dry_run)

    def _check_rest(self, paths: Iterable[str]) -> None:
        """UserError for pages that must be left alone now."""
        files = self._workspace.files
        if reason := files.merging():
            raise UserError(f"{reason}; the pages are left alone until it is done")
        reasons = {path: why_quarantined(files.read(path) or b"") for path in sorted(paths)}
        reasons |= self._workspace.transactions.closed(set(reasons))
        if any(reasons.values()):
            raise UserError(*(f"{path}: {reason}" for path, reason in reasons.items() if reason))

    def _commit(self, kind: str, arranged: Rearrangement, *, dry_run: bool) -> Rearranged:
        """Write what was planned as one transaction; InvariantError when a link or a memory would be worse off."""
        if arranged.findings:
            raise InvariantError(*arranged.findings)
        self._check_rest({path for path in arranged.layout.sources if path in self._graph.names})
        workspace, layout, relinked = self._workspace, arranged.layout, arranged.relinked
        left = tuple(f"links do not follow from {path}: {why}" for path, why in arranged.left.items())
        run = workspace.recorder.new_run(kind)
        if dry_run or not arranged.operations:
            sizes = {path: len(encode_text(relinked.texts[path])) for path in layout.new_paths}
            return Rearranged(run, sizes, layout.gone, relinked.edits, relinked.lost, left)
        at = workspace.now.isoformat(timespec="seconds")
        with workspace.recorder.recording(kind, run) as record:
            conflicts = workspace.transactions.commit(Transaction(run, at, arranged.operations)).conflicts
            record.is_changed = True
            workspace.transactions.remove_empty_folders(layout.gone)
            self._graph.refresh()
            done = self._as_written(run, arranged, (*conflicts, *left))
            record.counts = {"pages": len(done.sizes), "links": len(done.edits)}
        self._graph.settle(layout.gone)
        workspace.index.refresh(workspace.now)
        return done

    def _as_written(self, run: str, arranged: Rearrangement, conflicts: Sequence[str]) -> Rearranged:
        """Compare a plan with the disk: what is there as planned was done, all else is named as a conflict."""
        texts, graph = arranged.relinked.texts, self._graph
        now = {path: self._workspace.files.read(path) for path in arranged.layout.new_paths}
        old = {path: encode_text(text) for path, text in arranged.before.items()}
        sizes = {
            path: len(data)
            for path, data in now.items()
            if data is not None and (data == encode_text(texts[path]) or data != old.get(path))
        }
        gone = [path for path in arranged.layout.gone if path not in graph.names]
        written = {
            page: {reference_name(link.reference) for link in graph.links_of(page)}
            for page in {edit.new_page for edit in arranged.relinked.edits}
        }
        edits = [edit for edit in arranged.relinked.edits if _name_after(edit) in written[edit.new_page]]
        undone = (
            *(f"{path}: was not written" for path in now if path not in sizes),
            *(f"{path}: is still there" for path in arranged.layout.gone if path not in gone),
            *(
                f"{edit.new_page}: the link {edit.reference.target} was not changed to {edit.target}"
                for edit in arranged.relinked.edits
                if edit not in edits
            ),
        )
        return Rearranged(run, sizes, gone, edits, arranged.relinked.lost, (*conflicts, *undone))


def _name_after(edit: Edit) -> str:
    """How a changed reference is named when it is read again; the quotes that YAML needs are no part of it."""
    return reference_name(replace(edit.reference, target=edit.target.strip('"')))


def _check_own(page: str) -> None:
    if is_own(f"{page}/"):
        raise UserError(f"bank/{page}: bankd keeps its own pages in bank/_meta/; they stay as they are")


@contextmanager
def open_rearranger(workspace: Workspace) -> Iterator[tuple[Rearranger, Graph]]:
    """The commands that need the graph of a workspace, with the graph brought up to date."""
    workspace.graph.refresh()
    yield Rearranger(workspace, workspace.graph), workspace.graph
