"""What people are told: the report of a run, what became of a line of a log, what waits, and whether a bank has lost any.

The report of a run is made from the plan alone, so that a dry run and a real run report the same. Verifying goes by logs and
pages, and does not trust what runs noted about them. What is always said the same stands in `chapters.tsv` and `lines.tsv`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace

from bankd.health.health import COPIED_ADVICE
from bankd.memory.archive import memory_of
from bankd.memory.ledger import ARCHIVED, DUPLICATE, KEPT, REVISED, SCREENED, Event, Ledger
from bankd.memory.new_lines import find_vanished
from bankd.memory.plan import Plan
from bankd.memory.retain import HeldBack, LogPlace, LogReading, RetainLine, identified_as, scan_log, waiting_key
from bankd.memory.undo import lines_deleted
from bankd.pages.memory import PIN, Memory, normalise_text, parse_memory, render_memory, statement_of, text_key
from bankd.pages.names import INBOX
from bankd.pages.page import MARKER, parts_folder
from bankd.pages.references import Reference
from bankd.pages.scanner import without_hidden
from bankd.secrets.screening import Finder, find_secrets, mask_secrets, screen_text
from bankd.words.tables import table_rows


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One thing that a run did or left undone; `sign`: + taken in, = blocked, ~ changed, - out, ! for a person, . later."""

    sign: str
    kind: str
    place: str
    text: str
    reason: str


def rows_of(plan: Plan) -> Iterator[ReportRow]:
    """Every row of a plan's report: first what became of lines of logs, last what waits."""
    yield from _read_from_logs(plan)
    yield from _found_on_pages(plan)
    yield from _taken_out(plan)
    yield from _moved(plan)
    yield from _for_a_person(plan)
    yield from (ReportRow(".", "waiting", d.what, "", d.reason) for d in plan.deferred if not d.needs_person)


def _of_line(sign: str, kind: str, line: RetainLine, reason: str) -> ReportRow:
    """The row of a line of a log."""
    return ReportRow(sign, kind, str(line.place), statement_of(line.memory), reason)


def _read_from_logs(plan: Plan) -> Iterator[ReportRow]:
    for p in plan.placements:
        page, heading = p.destination.page, p.destination.heading
        target = f"bank/{page}" + (f"#{heading}" if heading else "")
        yield _of_line("+", "inbox" if page == INBOX else "learned", p.line, f"{target}: {p.destination.reason}")
    for b in plan.blocked:
        yield _of_line("=", "duplicate", b.line, f"{b.twin} says it: {b.reason}")
    for r in plan.repaired:
        yield _of_line("=", "known", r.line, r.destination.reason)
    for u in plan.updates:
        asked = f"may replace {u.old}, and a person wrote one of the two: bankctl review list contradictions"
        sign, kind, reason = (
            ("!", "asked", asked) if u.is_question else ("~", "updated", f"supersedes {u.old}: {u.reason}")
        )
        yield _of_line(sign, kind, u.line, reason)
    for e in plan.revised:
        said = normalise_text(render_memory(replace(parse_memory(MARKER.sub("", e.change.old)), id=None)))
        yield _of_line("~", "edited", e.line, f"{e.change.key} on {e.change.path} follows its line; it said: {said}")
    new = {line.id for line in plan.lines}
    for line in plan.projects:
        if line.id not in new:
            reason = f"is of {line.project} now" if line.project else "holds in every project now"
            yield _of_line("~", "project", line, reason)
    for o in plan.overruled:
        yield _of_line("=", "not followed", o.line, f"{o.reason}; bankctl review accept {o.line.id} lets the line in")
    for c in plan.confirmed:
        yield ReportRow("~", "confirmed", c.path, normalise_text(c.new), "said again, so it counts a little more")


def _found_on_pages(plan: Plan) -> Iterator[ReportRow]:
    for log in plan.renamed:
        yield ReportRow("=", "renamed", f"memory/{log.log}", "", f"was read as memory/{log.was}")
    for dated in plan.dated:
        yield ReportRow("~", "dated", dated.path, normalise_text(dated.old), "its confidence is dated today")
    for named in plan.named:
        (mark,) = {*named.new.split()} - {*named.old.split()}
        reason = f"has faded; got the id {mark.removeprefix('^')} for the archive"
        yield ReportRow("~", "named", named.path, normalise_text(named.old), reason)
    for page in plan.by_hand:
        yield ReportRow("~", "by hand", page, "", "its memories count as they were saved")
    for id_, lines in plan.deleted.items():
        way = f"; to bring it back: bankctl archive restore {id_}" if lines.text else ""
        text = statement_of(memory_of(lines)) if lines.text else ""
        yield ReportRow("-", "deleted", id_, text, f"taken out by hand, so it stays out{way}")
    for id_ in plan.returned:
        yield ReportRow("+", "restored", id_, "", "counted as taken out, and is on a page again")


def _taken_out(plan: Plan) -> Iterator[ReportRow]:
    for m in plan.merged:
        names = ", ".join(source.id for source in m.sources)
        yield ReportRow("~", "merged", m.change.path, normalise_text(m.change.new), f"says all that {names} said")
    for item in plan.taken_out:
        yield ReportRow("-", "archived", item.lines.page, normalise_text(item.lines.text), item.reason)
    for back in plan.restored:
        why = f"back from {back.stored.page}" if back.is_archived else "counted as taken out, and is on a page again"
        yield ReportRow("+", "restored", back.place.page, normalise_text(back.stored.text), why)
    for leaving, day in plan.fading:
        advice = f"fades on {day}: to keep it say it again, write another c=, or put #pinned in its text"
        yield ReportRow(".", "fading", leaving.page, statement_of(leaving.memory), advice)
    if plan.recalled:
        noun = "memory" if len(plan.recalled) == 1 else "memories"
        yield ReportRow("=", "recalled", "", "", f"{len(plan.recalled)} {noun} answered a search since the last run")


def dead_link(page: str, reference: Reference, reason: str) -> ReportRow:
    """The row of a link that broke."""
    return ReportRow("!", "dead link", f"{page}:{reference.line + 1}", reference.target, reason)


def _moved(plan: Plan) -> Iterator[ReportRow]:
    for (page, leads_to), count in Counter((item.link.source, item.page) for item in plan.followed).items():
        yield ReportRow("~", "followed", page, "", f"{count} links follow to {leads_to}")
    if plan.rearranged is None:
        return
    layout, edits = plan.rearranged.layout, plan.rearranged.relinked.edits
    for old, new in sorted(layout.homes.items()):
        links = sum(edit.leads_to == new.path for edit in edits)
        yield ReportRow("~", "followed", old, "", f"moved by hand to {new.path}, {links} links follow")
    for path in sorted(layout.sources - layout.homes.keys()):
        folder = parts_folder(path) + "/"
        parts = sum(new.startswith(folder) for new in layout.new_paths)
        links = sum(edit.leads_to.startswith(folder) for edit in edits)
        yield ReportRow("~", "split", path, "", f"{parts} parts, {links} links follow")


def _for_a_person(plan: Plan) -> Iterator[ReportRow]:
    for w in plan.withheld:
        reason = f"it looks like a credential ({w.kind}) and was not copied; take it out of the log and change it"
        yield ReportRow("!", "screened", str(w.line.place), w.masked, reason)
    for bad in plan.bad:
        yield ReportRow("!", bad.kind, str(bad.place), "", bad.reason)
    for item in plan.copied:
        yield ReportRow("!", "copied", item.id, item.words, COPIED_ADVICE)
    for left in (d for d in plan.deferred if d.needs_person):
        yield ReportRow("!", "left alone", left.what, "", left.reason)
    for dead in plan.dead_links:
        reason = f"{dead.block} was taken out by hand; put it back or change the link"
        yield dead_link(dead.link.source, dead.link.reference, reason)
    for warning in plan.warnings:
        yield ReportRow("!", "warning", "", "", warning)


CHAPTERS = [(title, kinds.split(",")) for title, kinds in table_rows("chapters", "memory")]
"""The chapters of a run's report page in order, each with its kinds of rows."""


def chapters_of(rows: Iterable[ReportRow]) -> list[tuple[str, list[ReportRow]]]:
    """The rows of a run by chapter, without empty chapters; a kind in no chapter goes to `Noticed`."""
    titles = {kind: title for title, kinds in CHAPTERS for kind in kinds}
    found: dict[str, list[ReportRow]] = {title: [] for title, _ in CHAPTERS}
    for row in rows:
        found[titles.get(row.kind, "Noticed")].append(row)
    return [(title, listed) for title, listed in found.items() if listed]


def counts_of(rows: Iterable[ReportRow]) -> dict[str, int]:
    """How many rows of each kind there are."""
    return dict(Counter(row.kind for row in rows))


def tell_prose(lines: int) -> str:
    """A sentence on the lines of logs without a tag."""
    read = "1 line of prose was" if lines == 1 else f"{lines} lines of prose were"
    return f"{read} read and not taken in; bankctl search finds {'it' if lines == 1 else 'them'}"


def plan_json(plan: Plan) -> dict[str, object]:
    """A plan's report as a JSON object."""
    rows = tuple(rows_of(plan))
    at = plan.now.isoformat(timespec="seconds")
    listed = [asdict(row) for row in rows]
    return {"run": plan.run, "at": at, "counts": counts_of(rows), "prose": plan.prose, "rows": listed}


@dataclass(frozen=True, slots=True)
class Trace:
    """What became of one line: in a word, and in a sentence."""

    place: LogPlace
    outcome: str
    memory: str | None
    text: str
    sentence: str
    now: str = ""
    """What the memory says now that speaks for the line, or the one that replaces it; empty if it says the same."""


def trace_line(
    reading: LogReading,
    number: int,
    ledger: Ledger,
    pages: Mapping[str, Sequence[str]],
    finders: Sequence[Finder] = (),
    says: Callable[[str], tuple[str | None, str | None]] = lambda _: (None, None),
) -> Trace:
    """What became of a line of a log, without secrets; `pages` tells on which pages the memories of that log are now.

    A person may have reworded its memory, or a newer one may hold: what that says stands beside the line. `says` gives the
    text of a memory, None if it is not found, and the id of the memory that replaces it.
    """
    place = LogPlace(reading.log, number)
    for bad in reading.bad:
        if bad.place.line == number:
            outcome = "dismissed" if bad.key in ledger.dismissed else bad.kind
            shown = bad.screened(finders)
            return Trace(place, outcome, None, shown.text, shown.reason)
    for line in reading.lines:
        if line.place.line == number:
            memory = ledger.revised.get(line.id, line.id)
            outcome, sentence = _outcome(memory, ledger, pages)
            if memory in ledger.revisions and outcome == "kept":
                sentence += "; the line was edited, and the memory with it"
            if outcome == "new" and line.place == reading.unended:
                sentence = "not read yet: no line break ends it, so it may still be being written"
            text = statement_of(line.memory)
            now = screen_text(_said_now(ledger.memory_behind(line.id), line.memory.text, says), finders)
            sentence = f"{sentence}; {now}" if now else sentence
            return Trace(place, outcome, memory, mask_secrets(text, find_secrets(text, finders)), sentence, now)
    return Trace(place, "prose", None, "", "no Retain line begins here")


def _said_now(id_: str, line: str, says: Callable[[str], tuple[str | None, str | None]]) -> str:
    """What holds in the place of a memory, if it is not what its line says."""
    (text, newer), passed = says(id_), {id_}
    while newer and newer not in passed and (found := says(newer))[0] is not None:
        id_, (text, newer) = newer, found
        passed.add(id_)
    said, now = (normalise_text(without_hidden(one or "").replace(PIN, "")) for one in (line, text))
    return f"{id_} says now: {now}" if now and text_key(Memory(now)) != text_key(Memory(said)) else ""


def _outcome(id_: str, ledger: Ledger, pages: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    fact = ledger.consumed.get(id_)
    if id_ in pages:
        return "kept", f"stands in {' and '.join(pages[id_])}"
    if id_ in ledger.gone:
        gone = ledger.gone[id_]
        return str(gone["type"]), f"{gone['type']} on {str(gone['at'])[:10]}; it will not come back by itself"
    if fact is None:
        return "new", "not taken in yet; the next run does it, or says what it waits for"
    kind, day = str(fact["type"]), str(fact["at"])[:10]
    if kind == DUPLICATE and fact.get("overruled"):
        return kind, f"not taken in: {fact['reason']}"
    if kind == DUPLICATE and (why := why_out(fact, ledger)):
        return kind, f"{why}; to let it in: bankctl review accept {id_}"
    sentences = {
        DUPLICATE: f"says what {fact.get('of')} already says; blocked on {day}",
        SCREENED: f"held back on {day}: it looks like a credential ({fact.get('looks_like')})",
        KEPT: "was kept, and no page holds it now; the next run will note that it was taken out by hand",
    }
    return kind, sentences.get(kind, kind)


def why_out(fact: Event, ledger: Ledger) -> str:
    """What a blocked line says when the memory that blocked it was taken out; empty while that is in the bank or the archive."""
    gone = ledger.gone.get(other := str(fact.get("of")), {}).get("type", ARCHIVED)
    return f"says what {other} said, which is {gone}" if gone != ARCHIVED else ""


def source_line(id_: str, ledger: Ledger, read: Callable[[str], LogReading | None]) -> RetainLine | None:
    """The line of a memory in its log as it is now; line numbers change when a log is edited. `read` reads a log by its name."""
    names = ledger.names_of(str(ledger.consumed[id_].get("log"))) if id_ in ledger.consumed else ()
    readings = [identified_as(reading, ledger.identity_of(name)) for name in names if (reading := read(name))]
    return next((line for one in readings for line in one.lines if line.id == ledger.line_of(id_)), None)


def life_of(id_: str, ledger: Ledger, merged: Sequence[str]) -> list[str]:
    """What happened to a memory since it was kept, in words; `merged` are the memories that were merged into it."""
    lines = [f"said again in memory/{item['log']}:{item['line']}" for item in confirmations(id_, ledger)]
    lines += [
        f"its line was edited; until {str(item['at'])[:10]} it said: {item.get('said')}"
        for item in ledger.revisions.get(id_, ())
    ]
    lines += [f"says all that {other} said, which is in the archive" for other in merged if other in ledger.gone]
    successors, signals = ledger.successors(), ledger.signals_of(id_)
    if id_ in ledger.allowed:
        lines.append(f"was blocked as saying what {ledger.allowed[id_].get('of')} says; a person let it in")
    lines += [f"says newer what {old} says" for old, new in successors.items() if new == id_]
    if newer := successors.get(id_):
        lines.append(f"superseded by {newer}: {ledger.superseded[id_].get('reason')}")
    for what, days in (("used", signals.used), ("ignored", signals.ignored)):
        if days:
            lines.append(f"{what} {len(days)} time{'s' * (len(days) > 1)}, last on {max(days)}")
    if signals.importance is not None:
        lines.append(f"has importance {signals.importance} of 10")
    if id_ in ledger.restored:
        lines.append(f"brought back on {ledger.restored[id_]}")
    if id_ in ledger.gone:
        gone = ledger.gone[id_]
        lines.append(f"{gone['type']} on {gone['at']}" + (f": {gone['reason']}" if gone.get("reason") else ""))
        lines += [f"to bring it back: bankctl archive restore {id_}"] if lines_deleted(gone) else []
    return lines


def confirmations(id_: str, ledger: Ledger) -> list[Event]:
    """The lines that were blocked because they say what this memory says, oldest first."""
    facts = (fact for fact in ledger.consumed.values() if fact.get("of") == id_ and is_confirmation(fact))
    return sorted(facts, key=lambda fact: (str(fact["at"]), str(fact["id"])))


def is_confirmation(fact: Event) -> bool:
    """Whether a line was blocked because a memory says the same."""
    return fact["type"] == DUPLICATE and not fact.get("overruled")


_SENTENCES = {kind: (outcome, sentence) for kind, outcome, sentence in table_rows("lines", "memory")}
"""For a kind of block, and for `prose`, what a line of it is called, and what becomes of it."""


def describe_line(trace: Trace, text: str, reading: LogReading, finders: Sequence[Finder] = ()) -> Trace:
    """The trace of a line that is not a Retain line: what it is in the text of its log."""
    document, number, place = scan_log(text), trace.place.line, trace.place
    if not 0 < number <= len(document.lines):
        return Trace(place, "nothing", None, "", f"the log has {len(document.lines)} lines")
    block = next((one for one in reversed(document.blocks) if one.start < number <= one.end), None)
    first = block.start + 1 if block else number
    if any(line.place.line == first for line in reading.lines):
        return Trace(place, "part", None, "", f"belongs to the line above: bankctl show memory/{reading.log}:{first}")
    outcome, sentence = _SENTENCES.get(block.kind if block else "blank", _SENTENCES["prose"])
    own = screen_text(text, finders).split("\n")[number - 1].strip()  # a key has several lines
    return Trace(place, outcome, None, own, sentence)


def with_masked(reading: LogReading, text: str, finders: Sequence[Finder] = ()) -> LogReading:
    """A reading of a log with this text, in which lines of prose that show no whole text, for a credential, are bad lines."""
    known = {one.place.line for one in reading.bad}
    for line in reading.lines:
        known.update(range(line.place.line, line.place.line + 1 + line.memory.text.count("\n") + len(line.questions)))
    shown = screen_text(text, finders).split("\n")
    masked = [
        HeldBack(LogPlace(reading.log, number), _MASKED, mask.strip(), SCREENED, waiting_key(raw))
        for number, (raw, mask, above) in enumerate(zip(text.split("\n"), shown, ["", *shown], strict=False), 1)
        if raw != mask != above and number not in known  # a key has several lines
    ]
    return replace(reading, bad=tuple(sorted((*reading.bad, *masked), key=lambda bad: bad.place.line)))


_MASKED = "a value in it looks like a credential and is masked in the bank; take it out of the log and change it"


def held_back_in(
    reading: LogReading, ledger: Ledger, withheld: Mapping[str, str], finders: Sequence[Finder] = ()
) -> tuple[HeldBack, ...]:
    """The lines of a log that wait for a person, in their order.

    `withheld` has what the credential in a line looks like, by its id, for the lines that the ledger does not know yet.
    """
    found = [bad.screened(finders) for bad in reading.bad]
    for line in reading.lines:
        fact = ledger.consumed.get(line.id, {})
        kind = fact.get("looks_like", "") if fact.get("type") == SCREENED else withheld.get(line.id)
        if kind is not None:
            text = render_memory(line.memory)
            secrets = find_secrets(text, finders)
            masked = mask_secrets(text, secrets) if secrets else ""  # the patterns may have changed: then show nothing
            reason = f"it looks like a credential ({kind}); take it out of the log and change it"
            found.append(HeldBack(line.place, reason, masked, "screened", line.id))
    return tuple(sorted((item for item in found if item.key not in ledger.dismissed), key=lambda item: item.place))


@dataclass(frozen=True, slots=True)
class VerifyFinding:
    """One problem: its kind (`lost`, `twice`, `link`, `left over`, `unreadable`, `waits`), its place, and a description."""

    kind: str
    place: str
    words: str


@dataclass(frozen=True, slots=True)
class Verification:
    """How much was checked, how many lines wait for the next run, the problems, and the pages that were just emptied.

    The memories of these count as deleted only after `EMPTY_DAYS`.
    """

    lines: int
    memories: int
    waiting: int
    findings: tuple[VerifyFinding, ...]
    emptied: tuple[VerifyFinding, ...] = ()


def find_lost(
    readings: Sequence[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger
) -> Iterator[VerifyFinding]:
    """Retain lines that were taken in and left nothing: no page, no archive, no tombstone.

    Then the memories whose log line is gone too, so that only the event log knows them.
    """
    lines, known = [line for reading in readings for line in reading.lines], places.keys() | ledger.ended
    for line in lines:
        if words := _why_lost(line.id, known, ledger):
            yield VerifyFinding("lost", str(line.place), words)
    in_logs = {line.id for line in lines}
    for id_ in find_vanished(ledger, lambda _: places):
        if id_ not in in_logs:
            fact = ledger.consumed.get(id_)  # an opinion that the user wrote has none: it got its id for the archive
            place = f"memory/{fact.get('log')}:{fact.get('line')}" if fact else str(ledger.tombstones[id_]["page"])
            yield VerifyFinding("lost", place, f"{id_} is on no page, and its log line is gone too")


def _why_lost(id_: str, known: Set[str], ledger: Ledger) -> str:
    fact = ledger.consumed.get(id_, {"type": SCREENED})
    if fact["type"] == SCREENED or id_ in known:
        return ""
    other = str(fact.get("of"))
    is_known = other in known
    if fact["type"] == REVISED:
        return "" if is_known else f"{other} was to follow it, and is on no page"
    if fact["type"] == DUPLICATE:
        is_known = is_known or not other.startswith("m-") or bool(fact.get("text"))
        return "" if is_known else f"was blocked because {other} says the same, and {other} is gone"
    return f"became {id_}, which is on no page; if you took it out, the next run will note that"
