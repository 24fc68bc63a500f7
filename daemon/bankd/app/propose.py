"""Proposing by rules what the prose of the logs asks to be remembered: for those who name no language model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby

from bankd.app.workspace import Workspace
from bankd.core.dedup.exact_match import text_key
from bankd.core.distil.proposing import (
    FOLDER,
    Proposal,
    compose_proposals,
    propose,
    proposed_keys,
    sentences_said,
)
from bankd.core.distil.sections import FOLDER as DISTILLED
from bankd.core.distil.sections import ProseSection, sections_of
from bankd.core.lifecycle.retain import BadLine, LogPlace
from bankd.core.markdown.memory import Memory
from bankd.core.secrets.screening import find_secrets, screen_text


def propose_lines(workspace: Workspace, days: int, *, dry_run: bool) -> list[Proposal]:
    """Put what the logs of the last days ask to remember into `memory/proposed/`, or only say it; StorageError as ever."""
    found = _find(workspace, days)
    if found and not dry_run:
        with workspace.recorder.recording("propose") as record:
            for day, some in groupby(
                sorted(found, key=lambda one: _day(one, workspace)), lambda one: _day(one, workspace)
            ):
                log = f"{FOLDER}/{day}.md"
                is_new = not workspace.logs.text(log)
                workspace.logs.append(log, compose_proposals([*some], day, is_new=is_new))
            record.is_changed, record.counts = True, {"proposed": len(found)}
    return found


def _find(workspace: Workspace, days: int) -> list[Proposal]:
    """What is neither known, nor was proposed before, nor was declined; nothing with a credential."""
    said = [*sentences_said(_sections(workspace, days))]
    texts = {text for one in said for text in (one.text, one.beside) if text}
    found = propose(said, workspace.index.take_apart(texts), _offered(workspace))
    finders, declined = workspace.finders(), workspace.transactions.ledger().dismissed
    workspace.catalog.refresh(workspace.now)
    keys = {one: text_key(Memory(one.text, one.tag)) for one in found}
    known = workspace.catalog.find_exact_matches([*keys.values()])
    return [
        one
        for one in found
        if keys[one] not in known and _as_bad(one).key not in declined and not find_secrets(one.text, finders)
    ]


def _sections(workspace: Workspace, days: int) -> Iterator[ProseSection]:
    first, finders = workspace.now.date() - timedelta(days), workspace.finders()
    for log in workspace.logs.settled(workspace.now):
        is_own = log.startswith((f"{FOLDER}/", f"{DISTILLED}/"))
        if not is_own and LogPlace(log, 1).day(workspace.now.date()) >= first:
            reading = workspace.logs.read(log)
            yield from sections_of(reading, screen_text(workspace.logs.text(log), finders)) if reading else ()


def _offered(workspace: Workspace) -> set[str]:
    logs = [log for log in workspace.logs.settled(workspace.now) if log.startswith(f"{FOLDER}/")]
    return {key for log in logs for key in proposed_keys(workspace.logs.text(log))}


def _as_bad(one: Proposal) -> BadLine:
    """The line as the inbox knows it, where it is declined."""
    return BadLine(LogPlace(one.log, one.line), "", f"{one.tag}: {one.text}")


def _day(one: Proposal, workspace: Workspace) -> str:
    return LogPlace(one.log, one.line).day(workspace.now.date()).isoformat()
