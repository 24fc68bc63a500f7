"""Conversations and notes from elsewhere become logs: each turn once, however often it is read again.

An import by a person is recorded as a run. It cannot be undone: whoever does not want a log that it made deletes it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import TYPE_CHECKING

from bankd.app.workspace import Workspace
from bankd.edits.settle import is_conflict_copy
from bankd.errors import bug_in
from bankd.memory.report import ReportRow
from bankd.secrets.screening import Finder, find_secrets, mask_secrets
from bankd.transcripts import day_logs
from bankd.transcripts.formats import Dialogue, Recognised, TornRow, read_export, read_lines, read_markdown

if TYPE_CHECKING:
    from bankd.workspace.logs import FileSource


@dataclass(frozen=True, slots=True)
class Imported:
    """The result for one source: new turns by log, the number of known turns, and lines that could not be read.

    `passed` counts the rows that hold no turn, by type. With `is_dated_by_stamp` no day was found, so the file's time of
    change gave it.
    """

    source: str
    agent: str
    added: Mapping[str, int]
    known: int = 0
    torn: Sequence[TornRow] = ()
    problem: str = ""
    passed: Mapping[str, int] = field(default_factory=dict)
    is_dated_by_stamp: bool = False


_REMEMBERED_AT_ONCE = 500
"""Sources between two saves: after an interruption this many are read again, and no turn is written twice."""


@dataclass(frozen=True, slots=True)
class Importer:
    """Imports sources into one workspace.

    `project_of` gives the project of a folder, empty if it is in none. `written` counts the new turns in each log.
    """

    workspace: Workspace
    finders: Sequence[Finder]
    project_of: Callable[[str], str]
    written: Counter[str] = field(default_factory=Counter)
    _known: dict[str, set[str]] = field(default_factory=dict)
    _logs: dict[str, defaultdict[str, set[str]]] = field(default_factory=dict)
    """Logs, by agent and by the part of their name after the day."""

    def import_all(self, sources: Iterable[FileSource], *, again: bool = False) -> Iterator[Imported]:
        """Import each source that changed since it was read, or all of them; one that cannot be read does not stop the others."""
        seen, fresh = dict(self.workspace.imports.seen()), 0
        try:
            for source in sources:
                if seen.get(source.path) == source.stamp and not again:
                    continue
                imported = self._import(source)
                if not (imported.problem or self.workspace.is_dry):
                    seen[source.path] = source.stamp
                    fresh += 1
                    if fresh % _REMEMBERED_AT_ONCE == 0:
                        self.workspace.imports.remember(seen)
                yield imported
        finally:
            if fresh:
                self.workspace.imports.remember(seen)

    def _import(self, source: FileSource) -> Imported:
        if is_conflict_copy(source.path):
            return Imported(source.path, "", {}, problem="a sync tool's conflict copy; merge it by hand")
        try:
            recognised = _recognised(source)
        except (OSError, ValueError) as error:
            return Imported(source.path, "", {}, problem=str(getattr(error, "strerror", None) or error))
        except Exception as error:  # an unforeseen error in one source must not stop the others
            return Imported(source.path, "", {}, problem=bug_in("it cannot be read", error))
        if recognised is None:
            return Imported(source.path, "", {}, problem="no transcript, export or Markdown that bankd knows")
        added, known = dict[str, int](), 0
        for read in recognised.conversations:
            conversation = self._under_own_name(recognised.agent, read)
            new = self._take_in(recognised.agent, conversation, source)
            added.update(new)
            known += len(conversation.turns) - sum(new.values())
        torn = [row for conversation in recognised.conversations for row in conversation.torn]
        passed = sum((Counter(one.passed) for one in recognised.conversations), Counter[str]())
        is_dated = all(one.day or all(turn.at for turn in one.turns) for one in recognised.conversations)
        return Imported(
            source.path, recognised.agent, added, known, torn, passed=dict(passed),
            is_dated_by_stamp=bool(added) and not is_dated,
        )  # fmt: skip

    def _under_own_name(self, agent: str, notes: Dialogue) -> Dialogue:
        """Notes, each under a name that no other file of the same name uses for its logs; a moved file keeps its logs."""
        keys, name = {turn.key for turn in notes.turns}, notes.name
        for number in count(2) if notes.origin else ():
            texts = [self.workspace.imports.read(agent, log) for log in self._logs_of(agent, notes)]
            known = keys & set().union(*map(day_logs.keys_in_log, texts))
            if not texts or any(day_logs.origin_line(notes) in text for text in texts) or 2 * len(known) > len(keys):
                break
            notes = replace(notes, name=f"{name}-{number}".strip("-"))
        return notes

    def _logs_of(self, agent: str, conversation: Dialogue | None) -> list[str]:
        """The logs that may have turns of this conversation, or of any."""
        if agent not in self._logs:
            self._logs[agent] = defaultdict(set)
            for log in self.workspace.imports.names(agent):
                if log.endswith(".md"):
                    self._logs[agent][log[10:]].add(log)
        families = self._logs[agent]
        logs = families[day_logs.log_name(conversation, "")] if conversation else chain.from_iterable(families.values())
        return [log for log in logs if not conversation or day_logs.is_log_of(conversation, log)]

    def _keys(self, agent: str, conversation: Dialogue) -> Set[str]:
        """The keys of turns in the logs of a conversation.

        For a session all logs of its agent count: a resumed or branched session begins with a copy of another.
        """
        if conversation.is_quoted and agent in self._known:
            return self._known[agent]
        logs = self._logs_of(agent, None if conversation.is_quoted else conversation)
        keys = {key for log in logs for key in day_logs.keys_in_log(self.workspace.imports.read(agent, log))}
        return self._known.setdefault(agent, keys) if conversation.is_quoted else keys

    def _take_in(self, agent: str, conversation: Dialogue, source: FileSource) -> Mapping[str, int]:
        logs, known = self._logs_of(agent, conversation), self._keys(agent, conversation)
        zone = self.workspace.now.tzinfo
        days = day_logs.new_turns(conversation, known, lambda at: (at or source.changed_at).astimezone(zone))
        if logs and not conversation.is_quoted:
            text = "\n".join(self.workspace.imports.read(agent, log) for log in logs)
            others = [turn for turn in conversation.turns if turn.key in known]
            cut = {day: day_logs.without_held(turns, others, text, self._mask) for day, turns in days.items()}
            days = {day: turns for day, turns in cut.items() if turns}
        for day, turns in sorted(days.items()):
            log = day_logs.log_name(conversation, day)
            project = self.project_of(conversation.folder) if conversation.folder else ""
            head = "\n" if log in logs else day_logs.opening(agent, conversation, day, project)
            for text in day_logs.chunks(turns, conversation.is_quoted, self._mask) if not self.workspace.is_dry else ():
                self.workspace.imports.append(agent, log, head + text)
                head = "\n"
            if not self.workspace.is_dry:
                self._logs[agent][log[10:]].add(log)
                self.written[f"{agent}/{log}"] += len(turns)
        if conversation.is_quoted:
            self._known[agent].update(turn.key for turns in days.values() for _, turn in turns)
        return {f"{agent}/{day_logs.log_name(conversation, day)}": len(turns) for day, turns in days.items()}

    def _mask(self, text: str) -> str:
        return mask_secrets(text, find_secrets(text, self.finders))


def _recognised(source: FileSource) -> Recognised | None:
    stem, _, kind = source.path.rpartition("/")[2].rpartition(".")
    if kind == "jsonl":
        return read_lines(stem, source.lines())
    if kind == "json":
        return read_export(stem, source.text())
    return read_markdown(source.path, source.text()) if kind == "md" else None


def note_import(workspace: Workspace, written: Mapping[str, int]) -> None:
    """Record as a run how many turns went to these logs, if any."""
    if written:
        with workspace.recording("import") as record:
            record.is_changed, record.counts = True, {"imported": len(written)}
            places = ((f"memory/imports/{log}", f"turns: {turns}") for log, turns in written.items())
            record.rows = [ReportRow("+", "imported", place, turns, "") for place, turns in places]
