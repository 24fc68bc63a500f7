"""Use cases that move lines between pages: split, merge, move, heal links; each is one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bankd.app.workspace import Workspace
from bankd.edits.settle import why_quarantined
from bankd.edits.transaction import Transaction
from bankd.errors import InvariantError, UserError
from bankd.layouts.links import Edit, Link
from bankd.layouts.merge import Layout, plan_merge, plan_move
from bankd.layouts.rearrange import Rearrangement, edit_of, plan_layout, reference_name, relink_operations
from bankd.layouts.split import Limits, plan_split
from bankd.memory.links import find_healing
from bankd.pages.memory import is_memory_id
from bankd.pages.names import BANK, folder_of, is_own, problem_of_target
from bankd.pages.page import part_lines, parts_folder
from bankd.pages.scanner import encode_text


@dataclass(frozen=True, slots=True)
class Rearranged:
    """What a command did, by the state of the disk afterwards; of a dry run, what it would do.

    `sizes` has the bytes of the written pages. `conflicts` names what was planned and not done.
    """

    run: str
    sizes: Mapping[str, int]
    gone: Sequence[str]
    edits: Sequence[Edit]
    lost: Sequence[Link]
    conflicts: Sequence[str] = ()


def _check_own(page: str) -> None:
    if is_own(f"{page}/"):
        raise UserError(f"bank/{page}: bankd keeps its own pages in bank/_meta/; they stay as they are")


class Rearranger:
    """The commands that move lines between pages."""

    def __init__(self, workspace: Workspace) -> None:
        """Take a workspace, and bring its graph up to date."""
        self._workspace, self.graph = workspace, workspace.graph
        self.graph.refresh()

    def split(self, page: str) -> Rearranged:
        """Split a page whatever its size; UserError when it has no seam."""
        path = self._page_of_people(page)
        document = self.graph.document(path)
        limits = Limits.of(self._workspace.settings.split)
        layout = plan_split(path, document, limits, self.graph.is_name_taken)
        if layout is None:
            raise UserError(
                f"{path}: has no place where it could be split: it needs two headings, or a list longer than "
                f"{limits.warn * 3 / 4096:g} KiB; and its parts may not share a footnote or link definition"
            )
        return self._carry_out("split", layout)

    def merge(self, page: str) -> Rearranged:
        """Put the parts of a page back into it; UserError when that would throw something away."""
        path = self._page_of_people(page)
        documents, waiting, names = {path: self.graph.document(path)}, [path], self.graph.names
        while waiting:
            hub = waiting.pop()
            new = {part for part in part_lines(documents[hub], hub).values() if part in names} - documents.keys()
            documents |= {part: self.graph.document(part) for part in new}
            waiting += new
        layout = plan_merge(path, documents)
        if not isinstance(layout, Layout):
            raise UserError(*layout)
        if not layout.gone:
            raise UserError(f"{path}: has no parts")
        return self._carry_out("merge", layout)

    def move(self, old: str, new: str) -> Rearranged:
        """Give a page or folder another path; UserError when it is missing or the new path is taken."""
        moves, folder = self._moves(old, new)
        moves = {path: to for path, to in moves.items() if to != path}
        if not moves:
            raise UserError(f"{old}: that is where it is already")
        taken = [path for path in moves.values() if path in self.graph.names and path not in moves]
        if taken:
            raise UserError(*(f"{path}: there is such a page already" for path in taken))
        counts = {path: len(self.graph.read(path).lines) for path in moves}
        return self._carry_out("move", plan_move(moves, counts, folder))

    def _moves(self, old: str, new: str) -> tuple[dict[str, str], tuple[str, str] | None]:
        """The new path of every file that moves, and the folder that moves: all of a folder, or a hub with its parts."""
        is_bare = "/" not in old + new  # a page named by its name alone stays in its folder
        old, new = (given.removeprefix(BANK).rstrip("/") for given in (old, new))
        _check_own(old)
        is_folder = not old.endswith(".md") and self.graph.names.has_folder(BANK + old)
        if not (is_folder or new.endswith(".md")):
            new += ".md"
        if problem := problem_of_target(f"{new}/x.md" if is_folder else new):
            raise UserError(problem)
        if is_folder:
            return self._folder(BANK + old, BANK + new)
        page = self.page(old)
        if is_bare:
            new = f"{folder_of(page)}/{new}".removeprefix(BANK)
        below = parts_folder(page)
        if not self.graph.names.has_folder(below):
            return {page: BANK + new}, None
        moves, folder = self._folder(below, parts_folder(BANK + new))
        return {page: BANK + new, **moves}, folder

    def _folder(self, old: str, new: str) -> tuple[dict[str, str], tuple[str, str]]:
        sizes = self.graph.sizes()
        if (new + "/").startswith(old + "/"):
            raise UserError(f"{new}: lies inside {old}")
        return {path: new + path[len(old) :] for path in sorted(sizes) if path.startswith(old + "/")}, (old, new)

    def heal(self) -> Rearranged:
        """Let links follow the pages, folders and blocks that the user has moved; without a run when nothing was moved."""
        graph = self.graph
        healed, arranged = find_healing(graph)
        if not (graph.moved() or healed):
            return Rearranged("", {}, (), (), ())
        edits = (*arranged.relinked.edits, *(edit_of(item) for item in healed))
        operations = (*arranged.operations, *relink_operations(healed))
        arranged = replace(arranged, relinked=replace(arranged.relinked, edits=edits), operations=operations)
        done = self._commit("heal", arranged)
        if not self._workspace.is_dry:
            graph.settle(arranged.layout.gone)
        return done

    def page(self, given: str) -> str:
        """The page that a person names: by its path relative to bank/ or the workspace, or by its unique name."""
        names = self.graph.names
        if found := names.page(given):
            return found
        if several := names.pages_named(given.removeprefix(BANK)):
            raise UserError(f"{given}: could be {' or '.join(several)}")
        if is_memory_id(id_ := given.removeprefix("^")):
            raise UserError(f"{id_}: is the id of a memory; to file it on a page: bankctl review place {id_} PAGE")
        if near := names.similar_page(given):
            raise UserError(f"{given}: no such page in bank/; did you mean {near}?")
        raise UserError(f"{given}: no such page in bank/")

    def _page_of_people(self, given: str) -> str:
        path = self.page(given)
        _check_own(path.removeprefix(BANK))
        return path

    def _carry_out(self, kind: str, layout: Layout) -> Rearranged:
        return self._commit(kind, plan_layout(layout, self.graph.names, self.graph.sources_for))

    def _commit(self, kind: str, arranged: Rearrangement) -> Rearranged:
        """Write what was planned as one transaction; InvariantError when it would break a link or lose a memory.

        UserError for pages that must not be written now.
        """
        if arranged.findings:
            raise InvariantError(*arranged.findings)
        workspace, layout, relinked = self._workspace, arranged.layout, arranged.relinked
        if reason := workspace.files.merging():
            raise UserError(f"{reason}; the pages are left alone until it is done")
        paths = sorted(path for path in layout.sources if path in self.graph.names)
        reasons = {path: why_quarantined(workspace.files.read(path) or b"") for path in paths}
        reasons |= workspace.transactions.closed(set(reasons))
        if any(reasons.values()):
            raise UserError(*(f"{path}: {reason}" for path, reason in reasons.items() if reason))
        left = tuple(f"links do not follow from {path}: {why}" for path, why in arranged.left.items())
        run = workspace.new_run(kind)
        if workspace.is_dry or not arranged.operations:
            sizes = {path: len(encode_text(relinked.texts[path])) for path in layout.new_paths}
            return Rearranged(run, sizes, layout.gone, relinked.edits, relinked.lost, left)
        at = workspace.now.isoformat(timespec="seconds")
        with workspace.recording(kind, run) as record:
            conflicts = workspace.transactions.commit(Transaction(run, at, arranged.operations)).conflicts
            record.is_changed = True
            workspace.transactions.remove_empty_folders(layout.gone)
            self.graph.refresh()
            done = self._as_written(run, arranged, (*conflicts, *left))
            record.counts = {"pages": len(done.sizes), "links": len(done.edits)}
        self.graph.settle(layout.gone)
        workspace.catalog.refresh(workspace.now)
        workspace.index.refresh(workspace.now)
        return done

    def _as_written(self, run: str, arranged: Rearrangement, conflicts: Sequence[str]) -> Rearranged:
        """Compare a plan with the disk: what is there as planned was done, and all else is named as a conflict."""
        texts, graph, planned = arranged.relinked.texts, self.graph, arranged.relinked.edits
        now = {path: self._workspace.files.read(path) for path in arranged.layout.new_paths}
        old = {path: encode_text(text) for path, text in arranged.before.items()}
        sizes = {
            path: len(data)
            for path, data in now.items()
            if data is not None and (data == encode_text(texts[path]) or data != old.get(path))
        }
        gone = [path for path in arranged.layout.gone if path not in graph.names]
        pages = {edit.new_page for edit in planned}
        written = {page: {reference_name(link.reference) for link in graph.links_of(page)} for page in pages}
        edits, undone = [], [f"{path}: was not written" for path in now if path not in sizes]
        undone += [f"{path}: is still there" for path in arranged.layout.gone if path not in gone]
        for edit in planned:  # YAML may need quotes around a target; they are not part of its name
            if reference_name(replace(edit.reference, target=edit.target.strip('"'))) in written[edit.new_page]:
                edits.append(edit)
            else:
                words = f"the link {edit.reference.target} was not changed to {edit.target}"
                undone.append(f"{edit.new_page}: {words}")
        return Rearranged(run, sizes, gone, edits, arranged.relinked.lost, (*conflicts, *undone))
