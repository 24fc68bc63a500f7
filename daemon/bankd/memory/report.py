"""The report of a run, in rows and counts, for people and for `--json`.

It is made from the plan alone, so that a dry run and a real run report the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from bankd.health.health import COPIED_ADVICE
from bankd.memory.plan import Plan
from bankd.pages.memory import normalise_text, parse_memory, statement_of
from bankd.pages.names import INBOX
from bankd.pages.page import MARKER, parts_folder
from bankd.pages.references import Reference


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


def _read_from_logs(plan: Plan) -> Iterator[ReportRow]:
    for p in plan.placements:
        page, heading = p.destination.page, p.destination.heading
        kind = "inbox" if page == INBOX else "learned"
        target = f"bank/{page}" + (f"#{heading}" if heading else "")
        text = statement_of(p.line.memory)
        yield ReportRow("+", kind, str(p.line.place), text, f"{target}: {p.destination.reason}")
    for b in plan.blocked:
        reason = f"{b.twin} says it: {b.reason}"
        yield ReportRow("=", "duplicate", str(b.line.place), statement_of(b.line.memory), reason)
    for r in plan.repaired:
        reason = f"{r.page} has it; noted in the event log"
        yield ReportRow("=", "known", str(r.line.place), statement_of(r.line.memory), reason)
    for u in plan.updates:
        asked = f"may replace {u.old}, which a person wrote: bankctl review list contradictions"
        reason = asked if u.is_question else f"supersedes {u.old}: {u.reason}"
        yield ReportRow(
            "!" if u.is_question else "~",
            "asked" if u.is_question else "updated",
            str(u.line.place),
            statement_of(u.line.memory),
            reason,
        )
    for e in plan.revised:
        said = f"{e.change.key} on {e.change.path} follows its line; it said: {statement_of(parse_memory(MARKER.sub('', e.change.old)))}"
        yield ReportRow("~", "edited", str(e.line.place), statement_of(e.line.memory), said)
    new = {line.id for line in plan.lines}
    for line in plan.projects:
        if line.id not in new:
            reason = f"is of {line.project} now" if line.project else "holds in every project now"
            yield ReportRow("~", "project", str(line.place), statement_of(line.memory), reason)
    for o in plan.overruled:
        advice = f"{o.reason}; bankctl review accept {o.line.id} lets the line in"
        yield ReportRow("=", "not followed", str(o.line.place), statement_of(o.line.memory), advice)
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
    for id_ in plan.deleted:
        yield ReportRow("-", "deleted", id_, "", "taken out by hand; it will not come back")
    for id_ in plan.returned:
        yield ReportRow("+", "restored", id_, "", "counted as taken out, and is on a page again")


def _taken_out(plan: Plan) -> Iterator[ReportRow]:
    for m in plan.merged:
        names = ", ".join(source.id for source in m.sources)
        yield ReportRow("~", "merged", m.change.path, normalise_text(m.change.new), f"says all that {names} said")
    for item in plan.taken_out:
        yield ReportRow("-", "archived", item.lines.page, normalise_text(item.lines.text), item.reason)
    for back in plan.restored:
        yield ReportRow(
            "+", "restored", back.place.page, normalise_text(back.stored.text), f"back from {back.stored.page}"
        )
    for leaving in plan.fading:
        advice = f"fades on {leaving.day}: to keep it say it again, write another c=, or put #pinned in its text"
        yield ReportRow(".", "fading", leaving.page, leaving.text, advice)
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


CHAPTERS = (
    ("Learned", ("learned", "restored")),
    ("Updated", ("updated", "edited")),
    ("Said again", ("confirmed",)),
    ("Not taken in, because they say nothing new", ("duplicate", "not followed")),
    ("Not taken in, because they look like credentials", ("screened",)),
    ("Merged", ("merged",)),
    ("Went to the archive", ("archived",)),
    ("Fades within days", ("fading",)),
    ("Split", ("split",)),
    ("In the inbox", ("inbox",)),
    ("Proposed, waiting for your decision", ("proposed", "refused")),
    ("Noticed", ("known", "renamed", "deleted", "dated", "named", "recalled", "followed")),
    ("Could not be read", ("bad",)),
    ("Needs you", ("asked", "left alone", "copied", "warning", "dead link")),
    ("Waits for the next run", ("waiting",)),
)
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
