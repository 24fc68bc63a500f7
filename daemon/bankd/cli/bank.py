"""`bankctl add`, `edit`, `feedback`, `forget`, `archive`, `page`, and the bank as a whole: what a person does with a bank.

As a whole: `init`, `adopt`, `export`, `backup` and `restore`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from bankd.cli import find_workspace, open_named
from bankd.cli.base import Outcome, bare_id, named_hit, padded, say, say_json, styled
from bankd.errors import UsageError, UserError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bankd.app.init import Adoption
    from bankd.app.rearrange import Rearranged
    from bankd.app.workspace import Workspace
    from bankd.layouts.links import Link
    from bankd.workspace.graph import LinkGraph


_WORDS = {"split": (1, 1, "PAGE"), "merge": (1, 1, "PAGE"), "move": (2, 2, "OLD NEW"), "links": (0, 0, "[--heal]")}
"""For each action, how many pages it takes at least and at most, and how these are called."""


def page_command(arguments: Namespace) -> Outcome:
    """Rearrange pages, or list links; 3 when something is left for a person."""
    from bankd.app.rearrange import Rearranger

    pages, action, is_dry = arguments.pages, arguments.action, arguments.dry_run
    least, most, words = _WORDS[action]
    if not least <= len(pages) <= most:
        way = "it puts the parts of a split page back; two pages are joined in an editor: move lines with their ^ids"
        raise UsageError(f"usage: bankctl page {action} {words}", *([way] if action == "merge" else ()))
    only_lists = action == "links" and not arguments.heal
    with open_named(arguments, write=not (only_lists or is_dry)) as workspace:
        rearranger = Rearranger(workspace)
        if only_lists:
            return _broken(rearranger.graph, is_all=arguments.all)
        done = rearranger.heal() if action == "links" else getattr(rearranger, action)(*pages)
    whole = {
        "run": done.run or None,
        "applied": bool(done.run) and not is_dry,
        "pages": list(done.sizes),
        "gone": list(done.gone),
        "links": [{"page": e.new_page, "was": e.reference.target, "is": e.target} for e in done.edits],
        "lost": [link_row(link) for link in done.lost],
        "conflicts": list(done.conflicts),
    }
    lines = _lines(done, is_dry=is_dry) if done.run else [_("nothing to do")]
    return Outcome(whole, *lines, code=3 if done.conflicts or done.lost else 0)


def _lines(done: Rearranged, *, is_dry: bool) -> Iterator[str]:
    for path, size in done.sizes.items():
        yield f"{styled('+', 'green')} {styled(path, 'bold')}  {styled(f'{size / 1024:.1f} KiB', 'dim')}"
    yield from (f"{styled('-', 'yellow')} {styled(path)}" for path in done.gone)
    for edit in done.edits:
        place = edit.new_page if edit.new_page != edit.source else f"{edit.new_page}:{edit.reference.line + 1}"
        change = f"{styled(edit.reference.target)} -> {styled(edit.target)}"
        yield f"{styled('~', 'blue')} {styled(place, 'dim')} {change}"
    for lost in done.lost:
        place, target = f"{styled(lost.source)}:{lost.reference.line + 1}", styled(lost.reference.target)
        yield _(f"{styled('!', 'red')} {place} {target} cannot follow")
    yield from (f"{styled('!', 'red')} {styled(_(conflict))}" for conflict in done.conflicts)
    said = f"{counted(len(done.sizes), 'page')}, {counted(len(done.edits), 'link')}"
    yield styled(_(f"{done.run} would write {said}. Nothing was written") if is_dry else f"{done.run}: {said}", "bold")


def _broken(graph: LinkGraph, *, is_all: bool) -> Outcome:
    """The broken links, and all others that --heal would write anew; 3 when one of these worked before."""
    from bankd.layouts.links import Link
    from bankd.layouts.rearrange import edit_of
    from bankd.memory.links import find_healing

    broken, (healed, healing), moved = dict(graph.broken()), find_healing(graph), graph.moved()
    mended = (Link(edit.new_page, edit.reference) for edit in (*healing.relinked.edits, *map(edit_of, healed)))
    # Some lead elsewhere now, such as to a page of the archive.
    news = dict.fromkeys([*(link for link, once in broken.items() if once), *mended])
    blocks = {stray.block: stray.holders for stray in graph.strays() if stray.holders}
    since_ever, heals = len(broken.keys() - news.keys()), "now; to update the links: bankctl page links --heal"
    shown = {**news, **broken} if is_all else news
    lost = counted(len(news), "link leads nowhere that led somewhere", "links lead nowhere that led somewhere")
    return Outcome(
        {"broken": [link_row(link) for link in shown], "since_ever": since_ever, "moved": moved, "blocks": blocks},
        *map(_broken_line, shown),
        *(_(f"{styled(old)} is {styled(new, 'bold')} {heals}") for old, new in moved.items()),
        *(_(f"{styled(block)} is on {styled(', '.join(pages), 'bold')} {heals}") for block, pages in blocks.items()),
        _(f"{lost}; {since_ever} never did"),
        code=3 if news else 0,
    )


def _broken_line(link: Link) -> str:
    return f"{styled(f'{link.source}:{link.reference.line + 1}', 'dim')}  {styled(link.reference.target, 'bold')}"


def link_row(link: Link) -> dict[str, object]:
    """A link for JSON."""
    return {"page": link.source, "line": link.reference.line + 1, "target": link.reference.target}


def breaking_links(links: Sequence[Link], advice: str) -> Iterator[str]:
    """The links that break, with their places and what can be done about them; nothing if there is none."""
    if links:
        yield styled(_(f"{counted(len(links), 'link')} will break"), "red") + f"; {_(advice)}"
        yield from (f"  {_broken_line(link)}" for link in links)


def archive_command(arguments: Namespace) -> Outcome:
    """List, archive or restore."""
    from bankd.app.archive import collect_garbage, restore_memories
    from bankd.app.review import archive_memories
    from bankd.cli.show import report_answer

    names_ids = arguments.action in {"put", "restore"}
    if names_ids != bool(arguments.ids):
        raise UsageError(f"usage: bankctl archive {arguments.action}{' ID...' if names_ids else ''}")
    with open_named(arguments, write=not arguments.dry_run and (names_ids or arguments.apply)) as workspace:
        if arguments.action in {"list", "candidates", "forecast"}:
            return _LISTS[arguments.action](workspace, arguments.days)
        if names_ids:
            act = restore_memories if arguments.action == "restore" else archive_memories
            return report_answer(act(workspace, [named_hit(workspace.root, one) for one in arguments.ids]))
        report = collect_garbage(workspace, force=arguments.force)
    way = _("to archive them: bankctl archive gc --apply; to restore one later: bankctl archive restore ID")
    return report_answer(report, way if report.plan.archived and not arguments.apply else "")


def _archived(workspace: Workspace, _days: int) -> Outcome:
    from bankd.app.archive import list_archive

    stored, lines = list_archive(workspace), []
    for one in stored:
        lines += [
            f"{styled(one.id, 'bold')}  {styled(one.since or _('long ago'), 'dim')}  {styled(_(one.reason))}",
            f"  {styled(one.text)}",
            f"  {styled(_(f'was in {one.page}, is in {one.place}'), 'dim')}",
        ]
    last = f"{len(stored)} archived; to restore one: bankctl archive restore ID" if stored else "the archive is empty"
    return Outcome({"archive": [one._asdict() for one in stored]}, *lines, _(last), listed=[one.id for one in stored])


def _candidates(workspace: Workspace, _days: int) -> Outcome:
    from bankd.app.archive import offer_candidates
    from bankd.pages.memory import statement_of

    rows, lines = [], []
    for one in offer_candidates(workspace):
        id_, page, text = one.resident.id, one.resident.page, statement_of(one.resident.memory)
        rows.append({"id": id_, "strength": one.strength, "reason": one.detail, "page": page, "text": text})
        lines.append(f"{one.strength:.2f}  {styled(id_, 'bold')}  {styled(_(one.detail), 'dim')}")
        lines.append(f"      {styled(text)}")
    last = _(f"{len(rows)} may be archived; to archive them all: bankctl archive gc --apply")
    listed = [str(row["id"]) for row in rows]
    return Outcome({"candidates": rows}, *lines, last if rows else _("nothing may be archived"), listed=listed)


def _forecast(workspace: Workspace, days: int) -> Outcome:
    from bankd.app.archive import forecast_fading

    (fates, never), floor = forecast_fading(workspace, days), workspace.settings.decay.floor
    rows, lines = [], []
    for one in fates:
        day, worth = one.day.isoformat(), one.value / 100
        rows.append({"day": day, "id": one.id, "today": worth, "place": one.place, "text": one.text})
        lines.append(f"{styled(day, 'bold')}  {styled(_(f'now {worth:.2f}'), 'dim')}  {styled(one.text)}")
        lines.append(f"    {styled(f'{one.place}  ^{one.id}', 'dim')}")
    falls, within = counted(len(fates), "opinion falls", "opinions fall"), counted(days, "day")
    others, why = counted(never.total(), "opinion never fades", "opinions never fade"), never.most_common()
    return Outcome(
        {"floor": floor, "days": days, "falls": rows, "pinned": never["pinned"], "never_fade": never},
        *lines,
        _(f"{falls} below {floor:.2f} within {within}"),
        _("to keep one: say it again in a log, write another c=, or bankctl review keep ID") if fates else "",
        f"{others}: {', '.join(f'{_(reason)} ({number})' for reason, number in why)}" if never else "",
        listed=[one.id for one in fates],
    )


_LISTS = {"list": _archived, "candidates": _candidates, "forecast": _forecast}
_FINAL = "repair them by hand: this cannot be undone"


def forget_command(arguments: Namespace) -> Outcome:
    """Delete a memory for good, or say what would go."""
    from bankd.app.archive import forget_memory

    if arguments.everywhere:
        return _purge(arguments)
    # By a number it only says what would go: another search may have printed since, and this cannot be undone.
    applies = not arguments.dry_run and not arguments.what.isdecimal()
    with open_named(arguments, write=applies) as workspace:
        gone = forget_memory(workspace, named_hit(workspace.root, arguments.what))
    whole = {"id": gone.id, "pages": gone.pages, "run": gone.run, "applied": applies}
    copies = "the log keeps that line, and old copies of the page remain; to purge these: bankctl forget --everywhere"
    done = _(f"its log line will not bring it back; {copies} {gone.id} --apply")
    return Outcome(
        {**whole, "dangling": [link_row(link) for link in gone.dangling]},
        *breaking_links(gone.dangling, _FINAL),
        f"{_('forgotten' if applies else 'would be forgotten')}: {styled(gone.text)}",
        *(_(f"  out of {styled(page)}") for page in gone.pages),
        done if applies else _(f"nothing was written; to do it: bankctl forget {gone.id} (this cannot be undone)"),
    )


def _purge(arguments: Namespace) -> Outcome:
    """Remove a text from everything that bankd keeps, or say from where; then say where bankd does not reach."""
    from bankd.app.archive import purge_text

    what = named_hit(find_workspace(arguments.workspace), arguments.what)
    applies = arguments.apply and not arguments.dry_run and what == arguments.what  # by a number, as above
    with open_named(arguments, write=applies) as workspace:
        purged = purge_text(workspace, what)
    done, dangling = styled(_("purged" if applies else "would be purged"), "green"), purged.dangling
    stay = (
        "the named lines stay: delete or reword them yourself (bankctl edit LINE opens one); "
        "then, for copies of them: bankctl forget TEXT --everywhere --apply"
    )
    way = f"nothing was written; to do it: bankctl forget {quote(what)} --everywhere --apply (this cannot be undone)"
    whole = {"cleaned": purged.cleaned, "made_anew": purged.anew, "beyond": purged.beyond, "applied": applies}
    return Outcome(
        {**whole, "texts": purged.texts, "dangling": [link_row(link) for link in dangling]},
        *breaking_links(dangling, _FINAL),
        *(f"{_('forgotten' if applies else 'would be forgotten')}: {styled(text)}" for text in purged.texts),
        *(f"{done}  {styled(path)}" for path in purged.cleaned),
        "" if purged.cleaned else _("no file of bankd holds it"),
        _(f"made anew, since the old one may have held the words: {', '.join(purged.anew)}"),
        _("bankd does not reach:"),
        *(f"  {styled(_(place), 'yellow')}" for place in purged.beyond),
        _(stay) if any(":" in place for place in purged.beyond) else "",
        _(f"done: {counted(len(purged.cleaned), 'file')} cleaned") if applies else _(way),
    )


def add_command(arguments: Namespace) -> Outcome:
    """Append a Retain line to today's log; several texts in quotes, and the lines of a text, are a line each."""
    from bankd.memory.retain import retain_line
    from bankd.wiring.workspace import add_line

    are_quoted = len(arguments.text) > 1 and all(" " in text for text in arguments.text)
    given = arguments.text if are_quoted else [" ".join(arguments.text)]
    texts = [row.removeprefix("- ") for text in given for row in text.splitlines() if row.strip()]
    are_lines = len(texts) > 1
    if are_lines and arguments.replaces:
        raise UsageError("--replaces goes with one line")
    if not all(map(str.strip, given)):
        raise UsageError("say what to remember", 'such as: bankctl add "W: The spare key is at the gate."')
    replaces, was = _held_in_bank(arguments) if arguments.replaces else ("", "")
    lines = [retain_line(text, arguments.tag, replaces=replaces) for text in texts]
    root = find_workspace(arguments.workspace)
    places = [add_line(root, line)[0] for line in lines]
    whole = [{"log": place.log, "line": place.line, "text": text} for place, text in zip(places, lines, strict=True)]
    said: list[str] = []
    for place, line in zip(places, lines, strict=True):
        said += [_(f"{place}: remembered at the next run (or now: bankctl cycle micro)"), f"  {styled(line)}"]
    replaced = [f"  {styled(_('replaces'), 'dim')} {styled(was)}"] if was else []
    return Outcome({**whole[0], **({"added": whole} if are_lines else {})}, *said, *replaced)


def _held_in_bank(arguments: Namespace) -> tuple[str, str]:
    """The id of the memory that a new line replaces, and what it says; UserError when the bank has no such memory."""
    with open_named(arguments, write=False) as workspace:
        workspace.catalog.refresh(workspace.now)
        id_ = named_hit(workspace.root, arguments.replaces)
        if id_ not in (held := workspace.catalog.memories_of([id_])):
            raise UserError(
                f"{id_}: the bank has no such memory, so nothing was written; bankctl search --ids finds ids"
            )
    return id_, held[id_].text


def edit_command(arguments: Namespace) -> Outcome:
    """Open $VISUAL or $EDITOR at the line, and say whether something was saved; exit code 3 when the editor fails."""
    from bankd.app.show import editor_command, locate

    with open_named(arguments, write=False) as workspace:
        path, line = locate(workspace, named_hit(workspace.root, bare_id(arguments.what)))
        root = workspace.root
    place = f"{path}:{line}"
    if arguments.prints or arguments.json:
        return Outcome({"path": path, "line": line}, styled(place))
    words, before = editor_command(os.environ, str(root / path), line), (root / path).read_bytes()
    try:
        code = subprocess.run(words, check=False).returncode  # noqa: S603 -- the user's own editor
    except OSError as error:
        raise UserError(f"{words[0]}: {error.strerror}; $EDITOR names the editor, and the line is {place}") from error
    if code:
        raise UserError(f"{words[0]}: ended with {code}; $EDITOR names the editor, and the line is {place}")
    is_changed, head = (root / path).read_bytes() != before, styled(place, "bold")
    # An editor with a window of its own may give the terminal back at once.
    said = f"{head}: the next run reads what was saved" if is_changed else f"{head}: nothing is saved in it yet"
    return Outcome({}, _(said))


def init_command(arguments: Namespace) -> Outcome:
    """Make a workspace from the template; existing files are not touched."""
    from bankd.app.init import machine_zone, make_workspace
    from bankd.wiring.probing import find_installation
    from bankd.wiring.workspace import require_pages

    root = Path(arguments.workspace or arguments.folder).expanduser().absolute()
    require_pages(root)  # with the pages of the template, its memories would count as deleted by hand
    zone = machine_zone()
    made = make_workspace(root, zone=zone)
    files = counted(len(made), "file")
    return Outcome(
        {"workspace": str(root), "made": made},
        _(f"{styled(str(root), 'bold')}: {files} made" if made else f"{root}: is a workspace already"),
        _(f"Its time zone is {zone}, that of this computer; it stands in bankd.yaml.") if "bankd.yaml" in made else "",
        _("Next: put daily logs into memory/, or add a line yourself:"),
        styled(
            f'  cd {quote(str(root))} && bankctl add "{_("S: Values: honesty comes first.")}" && bankctl cycle micro'
        ),
        _("To have new lines taken in automatically:"),
        styled(f"  {_(find_installation(root).how_to_start())}"),
    )


def adopt_command(arguments: Namespace) -> Outcome:
    """Say what will be read and written, then make the workspace."""
    from bankd.app.init import Adopted, adopt_folder, machine_zone, plan_adoption

    folder, root = (Path(given).expanduser().resolve() for given in (arguments.folder, arguments.workspace_folder))
    adoption = plan_adoption(folder, root, is_copy=arguments.copy)
    if not arguments.json:
        say("\n".join(_plan_lines(adoption)))
    adopted = Adopted([], ()) if arguments.dry_run else adopt_folder(adoption)
    counts = {"pages": len(adoption.parts.get("bank", ())), "logs": len(adoption.parts.get("memory", ()))}
    left_out = [{"why": why, "files": names} for why, names in adoption.left_out.items()]
    whole = {"workspace": str(root), "folder": str(folder), **counts, "left_out": left_out}
    differs = "existing copies that differ from their source"
    if len(adopted.kept) == 1:
        differs = "existing copy that differs from its source"
    return Outcome(
        {**whole, "made": adopted.made, "kept": adopted.kept},
        _labelled("kept", _files(adopted.kept, differs)) if adopted.kept else "",
        _("Nothing was written.")
        if arguments.dry_run
        else _(f"Made {root}, in time zone {machine_zone()}. Next: cd there, and bankctl search WORDS"),
    )


def _plan_lines(adoption: Adoption) -> Iterator[str]:
    root, is_bank_here = str(adoption.root), "bank" in adoption.parts
    for becomes, files in adoption.parts.items():
        source, target = styled(str(adoption.source(becomes))), styled(str(adoption.root / becomes))
        below = _(f"{counted(len(files), 'Markdown file')} in the folder {source}")
        how = _(f"copied to {target}") if adoption.is_copy else _("used where they are")
        yield _labelled("reads", f"{below}, {how}: {_('logs' if becomes == 'memory' else 'pages')}")
    if is_bank_here and not adoption.is_copy:
        yield _labelled("writes", _("there, at each run: new memories on the pages that routing.yaml names;"))
        yield _labelled("", _("_meta/tree-index.json, and _meta/inbox.md for memories that fit no page;"))
        yield _labelled("", _("links in pages follow when a page is moved or split with bankctl"))
    else:
        yield _labelled("writes", _(f"nothing there: memories from the logs go to pages in {styled(root)}"))
    for why, names in adoption.left_out.items():
        yield _labelled("leaves", _files(names, why))
    if adoption.left_out and not adoption.is_copy and not is_bank_here:
        command = f"bankctl adopt {quote(str(adoption.folder))} {quote(root)} --copy"
        yield _labelled("", _(f"to have all Markdown: {command}"))
    pages = counted(adoption.large, "large page stays", "large pages stay")
    whole = "; " + _(f"{pages} whole (split.pages: own)") if adoption.large else ""
    yield _labelled("never", _("hidden folders, or a line that you wrote") + whole)


def _labelled(label: str, text: str) -> str:
    return f"{styled(padded(_(label) if label else '', 7), 'bold')} {text}"


def _files(names: Sequence[str], what: str) -> str:
    """How many files, what they are, and the first twenty names: a vault may have hundreds of pictures."""
    more = ", " + _(f"and {len(names) - 20} more (--json names them)") if len(names) > 20 else ""
    return f"{len(names)} {_(what)}: {', '.join(map(styled, names[:20]))}{more}"


def feedback_command(arguments: Namespace) -> Outcome:
    """Note which memories were useful, or say what would be noted; exit code 1 when an id is unknown."""
    from bankd.app.show import give_feedback

    if arguments.what == "importance":
        return _importance(arguments)
    if not arguments.ids:
        raise UsageError("usage: bankctl feedback used|ignored ID...")
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        ids = tuple(named_hit(workspace.root, one) for one in arguments.ids)
        used, ignored = (ids, ()) if arguments.what == "used" else ((), ids)
        said = give_feedback(workspace, used, ignored)
    kinds = ("used", said.used), ("ignored", said.ignored), ("unknown", said.unknown)
    lines = [f"{_(what)}  {styled(id_, 'bold')}" for what, ids in kinds for id_ in ids]
    last = _("nothing was written") if arguments.dry_run else ""
    return Outcome({**said._asdict(), "noted": not arguments.dry_run}, *lines, last, code=1 if said.unknown else 0)


def _importance(arguments: Namespace) -> Outcome:
    from bankd.app.show import set_importance

    is_dry, words = arguments.dry_run, arguments.ids
    if len(words) != 2:
        raise UsageError("usage: bankctl feedback importance ID 1-10")
    with open_named(arguments, write=not is_dry) as workspace:
        id_, value = named_hit(workspace.root, words[0]), words[1]
        set_importance(workspace, id_, value)
    name = styled(id_, "bold")
    said = _(f"{name} would have importance {value}" if is_dry else f"{name} has importance {value}")
    whole = {"id": id_, "importance": int(value), "noted": not is_dry}
    return Outcome(whole, said, _("nothing was written") if is_dry else "")


def export_command(arguments: Namespace) -> int:
    """Print all memories."""
    from bankd.app.copies import export_markdown, export_memories

    with open_named(arguments, write=False) as workspace:
        if arguments.markdown:
            sys.stdout.write(export_markdown(workspace))
        else:
            for row in export_memories(workspace):
                say_json(row)
    return 0


def backup_command(arguments: Namespace) -> Outcome:
    """Save pages, logs, archive, events and settings in one file; 3 when a file could not be read."""
    from bankd.app.copies import write_backup

    with open_named(arguments, write=True) as workspace:  # so that no run changes it meanwhile
        beside = workspace.root.with_name(f"{workspace.root.name}-{workspace.now:%Y-%m-%d}.tar.gz")
        done = write_backup(workspace.root, Path(arguments.file or beside).expanduser().absolute())
    size = f"{done.bytes / 1_000_000:,.2f} MB"
    return Outcome(
        done._asdict(),
        *(styled(_(f"! {one}; not in the backup"), "red") for one in done.unread),
        _(f"{styled(done.path, 'bold')}: {counted(done.files, 'file')}, {size} before packing"),
        _(f"to have it back: bankctl restore {quote(done.path)} DIR"),
        code=3 if done.unread else 0,
    )


def restore_command(arguments: Namespace) -> Outcome:
    """Unpack a backup, then check that the bank is complete; 3 when it is not."""
    from bankd.app.copies import restore_backup, verify_workspace
    from bankd.wiring.workspace import open_workspace

    root = Path(arguments.folder).expanduser().resolve()
    done = restore_backup(Path(arguments.file).expanduser().absolute(), root)
    with open_workspace(find_workspace(str(root)), None, write=False) as workspace:
        verdict = verify_workspace(workspace)
    found = counted(len(verdict.findings), "finding") if verdict.findings else _("all promises hold")
    elsewhere = _(
        f"{', '.join(done.folders)} was outside the workspace and is inside it now; bankd.yaml says so under `folders`"
    )
    return Outcome(
        {"workspace": str(root), "files": done.files, "ok": not verdict.findings, "moved_in": done.folders},
        _(f"{styled(str(root), 'bold')}: {counted(done.files, 'file')} restored")
        + f"; {counted(verdict.memories, 'memory', 'memories')}: {found}",
        styled(elsewhere, "yellow") if done.folders else "",
        _("the history of runs is not in a backup: earlier runs cannot be shown or undone here"),
        _(f"Next: cd {quote(str(root))} && bankctl doctor"),
        code=3 if verdict.findings else 0,
    )
