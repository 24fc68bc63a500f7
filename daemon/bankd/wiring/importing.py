"""Imports for a command, for each run and for the daemon: what is named, what the settings watch, what hooks handed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bankd.adapters.workspace.import_files import FileSource, find_sources
from bankd.adapters.workspace.waiting_transcripts import drop_taken, take_transcripts
from bankd.app.import_runs import note_import
from bankd.app.import_sources import Imported, Importer
from bankd.app.workspace import Workspace
from bankd.config import ConfigError
from bankd.core.markdown.display import show_line
from bankd.errors import BankError


def sources_at(workspace: Workspace, places: Sequence[str]) -> list[FileSource]:
    """The files at these places, or, when none is named, at those that the settings watch and that hooks handed over."""
    named = [Path(place).expanduser() for place in places]
    watched = [Path(place).expanduser() for place in workspace.settings.imports.watch]
    handed = [Path(place) for place in take_transcripts(str(workspace.root))] if not named else []
    return find_sources(named or [place for place in (*watched, *handed) if place.exists()], workspace.root)


def import_sources(
    workspace: Workspace, sources: Sequence[FileSource], *, is_by_hand: bool, dry_run: bool = False
) -> Iterator[Imported]:
    """Import these files, those that have not changed since left out; one by hand is a run, and can be taken back."""
    imports, zone = workspace.outside.imports, workspace.now.tzinfo
    importer = Importer(imports, workspace.policy().finders, lambda moment: moment.astimezone(zone), is_by_hand)
    try:
        yield from importer.import_all(sources, dry_run=dry_run)
    finally:
        if is_by_hand:
            note_import(workspace, importer.ends)


def forget_handed_over(workspace: Workspace) -> None:
    """What hooks handed over is imported."""
    with suppress(FileNotFoundError):  # nothing was
        drop_taken(str(workspace.root))


def import_watched(workspace: Workspace) -> Iterator[str]:
    """Import what is watched and what was handed over; gives what went wrong, which stops no run."""
    try:
        for imported in import_sources(workspace, sources_at(workspace, ()), is_by_hand=False):
            yield from _problems_of(imported)
        forget_handed_over(workspace)
    except ConfigError:
        return  # the run stops at the same, and says so
    except (BankError, OSError) as error:
        yield show_line(str(error))


def _problems_of(imported: Imported) -> Iterator[str]:
    source = show_line(imported.source)
    yield from (f"{source}:{torn.line}: {torn.reason}" for torn in imported.torn)
    if imported.problem:
        yield f"{source}: {imported.problem}"
