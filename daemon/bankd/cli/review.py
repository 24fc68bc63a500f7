"""`bankctl review`: all that waits for a person, listed, decided on by id, or asked one by one on a terminal."""

from __future__ import annotations

import sys
from argparse import Namespace
from contextlib import nullcontext
from itertools import count
from typing import TYPE_CHECKING, Any

from bankd.cli import open_named
from bankd.cli.base import Outcome, keep_numbers, named_hit, say, say_json, shortened, styled
from bankd.errors import BankError, UsageError, UserError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bankd.app.waiting import Card, Decided
    from bankd.app.workspace import Workspace

_MOST = 40
"""For at most this many unfiled lines a list suggests pages: each costs a search."""
_LISTED, _ASKED = 200, 4_000
"""The width of a line in columns: in a list, and while it is decided on."""


def review_command(arguments: Namespace) -> Outcome | int:
    """Ask one by one on a terminal; else list, or decide."""
    action, ids = arguments.action, list(arguments.ids)
    if action is None and not arguments.json and sys.stdin.isatty() and sys.stdout.isatty():
        with open_named(arguments, write=not arguments.dry_run) as workspace:
            return _ask(workspace)
    if action in {None, "list"}:
        with open_named(arguments, write=False) as workspace:
            return _list(workspace, ids)
    if not ids and action in {"merge", "place"}:
        return _merge_all(arguments) if action == "merge" else _place_all(arguments)
    if not ids:
        raise UsageError(f"usage: bankctl review {action} ID...", "bankctl review list shows the ids")
    if action == "place" and len(ids) < 2:
        raise UsageError("usage: bankctl review place ID... PAGE[#HEADING]", "or the number of a suggestion as PAGE")
    page = ids.pop() if action == "place" else ""
    return _decide(arguments, action, ids, page)


def _list(workspace: Workspace, kinds: Sequence[str]) -> Outcome:
    from bankd.app.waiting import KINDS, WAYS, list_cards, with_suggestions
    from bankd.memory.report import tell_prose

    if unknown := [kind for kind in kinds if kind not in {*KINDS, "blocked"}]:
        raise UsageError(f"no kind {unknown[0]}", f"kinds are {', '.join(KINDS)}, blocked")
    cards, prose = list_cards(workspace, list(kinds or KINDS)), workspace.logs.prose()
    cards = [*(with_suggestions(workspace, card) for card in cards[:_MOST]), *cards[_MOST:]]
    whole: dict[str, Any] = {}
    lines, listed, numbers = [], list[str](), count(1)
    for kind in kinds or KINDS:
        found = [card for card in cards if card.kind == kind]
        whole[kind] = [_row(card) for card in found]
        if found:
            lines.append(styled(f"{_(KINDS.get(kind, 'Blocked'))} ({len(found)})", "bold"))
            lines += [line for card in found for line in _card_lines(card, _LISTED, numbers)]
            listed += [line.id or line.place for card in found for line in card.lines]
            lines.append(f"  {styled(_(WAYS[kind]), 'dim')}")
    last = _(tell_prose(prose)) if prose and not kinds else ""
    nothing = "" if cards else _("nothing waits for you")
    if kinds and not cards and any(list_cards(workspace, [kind]) for kind in KINDS if kind not in kinds):
        nothing = _("nothing of this kind waits, but others do: bankctl review list")
    return Outcome(whole | {"prose": prose}, *lines, last, nothing, listed=listed)


def _row(card: Card) -> dict[str, Any]:
    first, pages = card.lines[0], [one.fields for one in card.choices if "why" in one.fields]
    row: dict[str, Any] = {"id": card.id, "text": first.text, "place": first.place}
    row |= {"reason": card.reason, "source": card.source}
    if card.kind == "unfiled":
        row |= {"pages": [{"page": one["page"], "reason": one["why"]} for one in pages]}
    if card.kind == "contradictions":
        row |= {"older": card.lines[0]._asdict(), "newer": card.lines[1]._asdict()}
    return row | ({"lines": [line._asdict() for line in card.lines]} if len(card.lines) > 1 else {})


def _card_lines(card: Card, columns: int, numbers: Iterator[int] | None = None) -> Iterator[str]:
    """A card, each of its lines on one line, cut to this many columns, after its number in a list."""
    for line in card.lines:
        where = [_(line.role), line.day, line.place, f"^{line.id}" if line.id else "", line.source]
        number = styled(f"[{next(numbers)}] ", "dim") if numbers else ""
        yield f"  {number}{styled(shortened(line.text, columns))}"
        yield f"    {styled('  '.join(filter(None, where)), 'dim')}"
    if card.reason:
        yield f"    {styled(shortened(_(card.reason), columns), 'dim')}"
    for choice in card.choices:
        if why := choice.fields.get("why"):
            yield f"    {choice.key}  {styled(choice.fields['page'])}  {styled(_(why), 'dim')}"


def _decide(arguments: Namespace, action: str, ids: Sequence[str], page: str) -> int:
    """Decide on each; one that cannot be done does not stop the others, and is named at the end."""
    from bankd.app.waiting import decide, form_for, list_cards, told_texts

    done, wrong = [], list[str]()
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        ids = [named_hit(workspace.root, one) for one in ids]
        whats = [" ".join(ids)] if action == "keep" and len(ids) == 2 and not any(":" in one for one in ids) else ids
        if action == "keep" and whats is not ids:
            # Two memories that wait each by itself, as those that fade, are two decisions, unless they are a pair too.
            cards = list_cards(workspace, ["contradictions", "lived", "fading"])
            waiting = [{line.id for line in card.lines} for card in cards]
            whats = ids if set(ids) not in waiting and all({id_} in waiting for id_ in ids) else whats
        if action == "merge" and not {line.id for card in list_cards(workspace, ["near"]) for line in card.lines} & {
            *ids
        }:
            whats = [" ".join(ids)]  # no near-copies that bankd found: those that are named, together
        is_alone = len(whats) == 1 or workspace.is_dry
        with nullcontext() if is_alone else workspace.recording(action) as whole:
            for what in whats:
                try:
                    form = form_for(workspace, action, what, page)
                    told = (
                        form["id"] if form["do"] == "archive" else what
                    )  # of two, what is accepted archives the other
                    texts, decided = told_texts(workspace, told), decide(workspace, form)
                except UserError as problem:
                    if len(whats) == 1:
                        raise
                    wrong.append(str(problem))
                    continue
                run = whole.run if whole and not decided.is_there else decided.run
                done.append({"id": what, "do": form["do"], "page": decided.page, "run": run})
                if not arguments.json:
                    said = f"{styled(told, 'bold')}  {_done(decided, is_dry=workspace.is_dry)}"
                    say("\n".join([said, *(f"  {styled(shortened(text, _LISTED))}" for text in texts)]))
        if arguments.always and done and action == "place":
            _teach(workspace, arguments, [one["id"] for one in done], done[0]["page"])
    if arguments.json:
        say_json({"done": done, "problems": wrong, "applied": not arguments.dry_run})
    if wrong:
        raise UserError(*dict.fromkeys(wrong))  # one page may be wrong for all
    return 0


def _done(decided: Decided, *, is_dry: bool) -> str:
    if decided.is_there:
        return _(decided.said)
    said = f"{_(decided.said)} {decided.page}".strip() + (f"; {_(decided.note)}" if decided.note else "")
    back = "; " + _("to take it back: bankctl undo") if decided.page and decided.note else ""
    return _(f"would be: {said}. Nothing was written") if is_dry else styled(said, "green") + back


def _teach(workspace: Workspace, arguments: Namespace, ids: Sequence[str], page: str) -> None:
    """Show the rule that files lines with these words, of the kind of the first of these memories, on that page; with `--apply` add it."""
    from bankd.app.review import teach_rule
    from bankd.memory.archive import memory_of

    tag = memory_of(workspace.catalog.lines_of(ids)[ids[0]]).tag or "W"
    rule, waiting = teach_rule(workspace, tag, arguments.always, page, ids, apply=arguments.apply)
    also = "; " + _(f"{counted(waiting, 'waiting line')} would go there too") if waiting else ""
    file = workspace.settings.routing
    added, way = _(f"rule added to {file} for new {tag} lines"), _(f"to add this rule for new {tag} lines: --apply")
    last = _("memories that are filed already stay where they are")
    say(f"  {styled(rule, 'cyan')}\n{added if arguments.apply else way}{also}; {last}")


def _place_all(arguments: Namespace) -> Outcome:
    from bankd.app.review import retry_inbox

    is_dry = arguments.dry_run
    with open_named(arguments, write=not is_dry) as workspace:
        moved = retry_inbox(workspace)
    lines = [f"{styled(id_, 'dim')} -> {styled(page, 'bold')}" for id_, page in moved]
    last = _("no rule places any of them") if not moved else _("nothing was written") if is_dry else ""
    return Outcome({"moved": [{"id": id_, "page": page} for id_, page in moved], "applied": not is_dry}, *lines, last)


def _merge_all(arguments: Namespace) -> Outcome:
    from bankd.app.review import consolidate_bank, list_near
    from bankd.cli.show import report_answer

    with open_named(arguments, write=arguments.apply) as workspace:
        report = consolidate_bank(workspace, force=arguments.force)
        near = len(list_near(workspace))
    way = _("to merge all: bankctl review merge --apply; to merge one: bankctl review merge ID")
    alone = _("what is near in other words is merged one by one: bankctl review list near") if near else ""
    return report_answer(report, way if report.plan.merged and not arguments.apply else alone)


def _ask(workspace: Workspace) -> int:
    """Show one card after another and ask for a key. A decided card goes, and the next one takes its place."""
    from bankd.app.waiting import KINDS, decide, list_cards, with_suggestions

    cards, last = list_cards(workspace), ""
    keep_numbers(workspace.root, ())  # those of an earlier list would be taken for these cards
    say("" if cards else _("nothing waits for you"))
    for number, plain_card in enumerate(cards, 1):
        places = workspace.catalog.texts_of(line.id for line in plain_card.lines)
        lines = [line._replace(place=places.get(line.id, [line.place])[0]) for line in plain_card.lines]
        if any(line.place.startswith("archive/") for line in lines):
            continue  # an earlier answer took one of them out
        card = with_suggestions(workspace, plain_card._replace(lines=lines))
        say(styled(f"{_(KINDS[card.kind])}  {number} / {len(cards)}", "bold"))
        say("\n".join(_card_lines(card, _ASKED)))
        keys = "   ".join(f"{one.key} {_(one.label)}" for one in card.choices if "why" not in one.fields)
        say(f"  {keys}   s {_('Skip')}   u {_('Undo')}   q {_('Close')}   ? {_('Keys')}")
        while True:
            try:
                key = input("› ").strip()
            except EOFError:
                return 0
            if key in {"q", "s", ""}:
                break
            if key == "?":
                say("\n".join(f"  {one.key}  {_(one.label)}" for one in card.choices))
                say(f"  s  {_('Skip')}\n  u  {_('Undo')}\n  q  {_('Close')}")
                continue
            chosen = next((one for one in card.choices if one.key == key), None)
            if chosen is None and not (key == "u" and last):
                say(_("there is nothing to undo yet") if key == "u" else _(f"{key}: not one of these keys"))
                continue
            try:
                typed = input(f"{_(chosen.asks)} › ").strip() if chosen and chosen.asks else ""
                decided = decide(workspace, chosen.form(typed) if chosen else {"do": "undo", "run": last})
            except BankError as problem:
                say(styled(_(str(problem)), "red"))
                continue
            last = decided.run
            say(f"  ✓ {_done(decided, is_dry=workspace.is_dry)}\n")
            if chosen is not None:
                break
        if key == "q":
            break
    return 0
