"""What waits for a person, as cards: what each is about, the decisions that fit it, and how a decision is carried out.

The review of the command line, of the page and of the finder show these cards and take these decisions. A decision is
a form: `do` names it in `DECISIONS`, and the other fields are what it needs. Each calls one use case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple, TypeAlias

from bankd.app import archive, review
from bankd.app.runs import Undo, why_for_good
from bankd.app.show import set_importance
from bankd.app.workspace import Workspace
from bankd.cycle import Report
from bankd.errors import UsageError, UserError
from bankd.memory.archive import memory_of
from bankd.memory.judge import open_contradictions
from bankd.memory.ledger import DUPLICATE, day_said
from bankd.memory.report import why_out
from bankd.memory.retain import SOURCED
from bankd.memory.route import LEAST_ALIKE
from bankd.pages.memory import parse_memory, split_id, split_sources, statement_of
from bankd.pages.names import BANK, INBOX
from bankd.pages.page import MARKER
from bankd.words.tables import table_rows

_ROWS = table_rows("cards", "app")
ICONS = {kind: icon for kind, _, icon, _ in _ROWS if icon}
WAYS = {kind: way for kind, _, _, way in _ROWS}
"""For each kind of card how to decide on it by a command."""
KINDS = {kind: title for kind, title, _, _ in _ROWS if kind in ICONS}
"""Each kind of card that waits and its title, in the order of the review; what has no icon is listed only on request."""
WEEK = 7
"""An opinion is in the review if it will fall below the floor within this many days."""
_SUGGESTED = 3
_LINE = re.compile(r"(?:\./)?memory/(?P<log>.+):(?P<line>\d{1,9})")


class CardLine(NamedTuple):
    """A line of a card: its place, its text, its id if it has one, and the day on which it was said, if known."""

    place: str
    text: str
    id: str = ""
    day: str = ""
    role: str = ""
    """Its relation to the other line of the card, such as `newer`."""
    source: str = ""


class Choice(NamedTuple):
    """A decision: its key, its name in `DECISIONS`, the words of its button, and the fields that it sends."""

    key: str
    do: str
    label: str
    fields: Mapping[str, str]
    asks: str = ""
    """The name of a field that the person types; empty for none."""

    def form(self, typed: str = "") -> dict[str, str]:
        """The form that it sends, with what the person typed."""
        return {"do": self.do, **self.fields, **({self.asks: typed} if self.asks else {})}


class Card(NamedTuple):
    """Something that waits: its kind, its id or log line, its lines, the reason, the choices (likeliest first), its source.

    The source is the place of the log line that it comes from, if any.
    """

    kind: str
    id: str
    lines: Sequence[CardLine]
    reason: str
    choices: Sequence[Choice]
    source: str = ""


def list_cards(workspace: Workspace, kinds: Sequence[str] = tuple(KINDS)) -> list[Card]:
    """All cards of these kinds, in the order of the review."""
    makers = {
        "unfiled": _unfiled, "contradictions": _contradictions, "near": _near, "proposed": _proposed,
        "lived": _lived, "fading": _fading, "bad": _bad, "blocked": _blocked,
    }  # fmt: skip
    return [card for kind in kinds for card in makers[kind](workspace)]


def _said(text: str) -> str:
    """The lines of a memory without list marker, id, and the comment that names merged memories."""
    return split_sources(split_id(MARKER.sub("", text))[0])[0]


def told_texts(workspace: Workspace, what: str) -> list[str]:
    """What the memories with these ids say, or the log line that waits at this place."""
    if ":" in what:
        return [item.text for item in workspace.logs.held_back() if str(item.place) == what]
    workspace.catalog.refresh(workspace.now)
    return [_said(text) for _place, text in workspace.catalog.texts_of(what.split()).values()]


def _unfiled(workspace: Workspace) -> Iterator[Card]:
    newer = workspace.transactions.ledger().successors()
    for item in review.list_inbox(workspace):
        sent, reason = {"id": item.id}, item.source
        if item.id in newer:
            reason = f"{newer[item.id]} replaces it; to archive it: bankctl review drop {item.id}"
        choices = [Choice("p", "place", "Another page", sent, asks="page"), Choice("a", "archive", "Archive", sent)]
        line = CardLine(f"{item.page}:{item.line}", _said(item.text), item.id)
        yield Card("unfiled", item.id, [line], reason, choices, item.source)


def suggest_pages(workspace: Workspace, text: str) -> list[tuple[str, str]]:
    """The likeliest pages for a text, at most three, and why: what rules claim, then the pages of the most similar memories."""
    memory = parse_memory(MARKER.sub("", text))
    (claims,) = review.places_for(workspace, [memory])
    found: dict[str, str] = {}
    for claim in claims:
        place = claim.page + (f"#{claim.heading}" if claim.heading else "")
        found.setdefault(place, claim.reason)
    pages = {place.partition("#")[0] for place in found}
    for one in workspace.index.similar_to(memory):
        page = one.page.removeprefix("bank/")
        if page not in pages and one.score >= LEAST_ALIKE:
            pages.add(page)
            found[page] = f"near “{' '.join(_said(one.text).split())[:60]}”"
    for page in review.learned_rules(workspace).kinds().likeliest(memory):
        if page not in pages:
            found[page] = "it is about similar things"
    found.pop(INBOX, None)
    return [(page, reason) for page, reason in found.items() if not page.startswith("_meta/")][:_SUGGESTED]


def with_suggestions(workspace: Workspace, card: Card) -> Card:
    """An unfiled card with a choice for each likely page, keys 1 to 3, before its other choices."""
    if card.kind != "unfiled":
        return card
    choices = [
        Choice(str(number), "place", page, {"id": card.id, "page": page, "why": why})
        for number, (page, why) in enumerate(suggest_pages(workspace, card.lines[0].text), 1)
    ]
    return card._replace(choices=[*choices, *card.choices])


def _contradictions(workspace: Workspace) -> Iterator[Card]:
    """The pairs in the bank that say different values of the same thing, unless that is decided, the newest first."""
    ledger = workspace.read_anew()
    found, held = review.compare_all(workspace, ledger), workspace.catalog.all_lines()
    days = {id_: day_said(fact) for id_, fact in ledger.consumed.items()}
    reasons = open_contradictions(found, held, ledger, workspace.now.date())

    def line(id_: str, role: str) -> CardLine:
        fact, day = ledger.consumed.get(id_), days.get(id_)
        source = f"memory/{fact.get('log')}:{fact.get('line')}" if fact else "the user"
        text = statement_of(memory_of(held[id_]))
        return CardLine(held[id_].page, text, id_, day.isoformat() if day else "", role, source)

    for pair in sorted(reasons, key=lambda pair: (days.get(pair[1]) or date.min, pair[1]), reverse=True):
        older, newer = pair
        is_dated = days.get(newer)  # of two that no log dates, nobody knows which is newer
        choices = [
            Choice("n", "archive", "The newer holds" if is_dated else "The second holds", {"id": older}),
            Choice("o", "archive", "The older holds" if is_dated else "The first holds", {"id": newer}),
            Choice("b", "both", "Both hold", {"id": older, "other": newer}),
        ]
        lines = list(map(line, pair, ("older", "newer") if is_dated else ("one", "other")))
        yield Card("contradictions", f"{older} {newer}", lines, reasons[pair], choices, lines[1].source)


def _near(workspace: Workspace) -> Iterator[Card]:
    ledger = workspace.read_anew()
    review.compare_all(workspace, ledger)  # what a run left, while it made vectors
    for group in review.list_near(workspace):
        ids = list(group)
        first = {"id": ids[0]}
        choices = [
            Choice("m", "merge", "Merge", first),
            Choice("b", "keep", "Keep both" if len(ids) == 2 else "Keep all", first),
        ]
        for number, id_ in enumerate(ids[:9], 1):
            others = " ".join(other for other in ids if other != id_)
            choices.append(Choice(str(number), "archive", f"Only {number}", {"id": others}))
        days = {id_: str(day_said(ledger.consumed.get(id_)) or "") for id_ in ids}
        lines = [CardLine(place, _said(text), id_, days[id_]) for id_, (place, text) in group.items()]
        yield Card("near", ids[0], lines, "", choices)


def _proposed(workspace: Workspace) -> Iterator[Card]:
    """The proposals; the end of a line in the log names the lines that it comes from."""
    for item in (item for item in workspace.logs.held_back() if item.is_offered):
        lines = (workspace.logs.text(item.place.log) or "").split("\n")
        found = SOURCED.search(lines[item.place.line - 1]) if item.place.line <= len(lines) else None
        place, sent = str(item.place), {"place": str(item.place)}
        choices = [Choice("y", "accept", "Take in", sent), Choice("n", "dismiss", "Dismiss", sent)]
        line = CardLine(place, item.text)
        yield Card("proposed", place, [line], item.reason, choices, found["place"] if found else place)


def _lived(workspace: Workspace) -> Iterator[Card]:
    for one, place, text in review.list_promotable(workspace):
        sent, days = {"id": one.id}, len(set(one.signals.used))
        choices = [Choice("y", "promote", "Make it lasting", sent), Choice("n", "decline", "Leave it", sent)]
        line = CardLine(place, _said(text), one.id)
        yield Card("lived", one.id, [line], f"used on {days} day{'' if days == 1 else 's'}", choices)


def _fading(workspace: Workspace) -> Iterator[Card]:
    for one in archive.forecast_fading(workspace, WEEK)[0]:
        id_, sent = one.id, {"id": one.id}
        choices = [
            Choice("y", "confirm", "Still true", sent),
            Choice("p", "pin", "Pin", sent),
            Choice("a", "archive", "Archive", sent),
        ]
        line = CardLine(one.place, one.text, id_ if id_.startswith("m-") else "")
        reason = f"now {one.value / 100:.2f}, leaves on {one.day}"
        if one.kept_on:  # a preference that stands where opinions fade
            reason += f"; on {one.kept_on} it would stay"
            choices.insert(0, Choice("k", "place", f"Keep it on {one.kept_on}", {**sent, "page": one.kept_on}))
        yield Card("fading", id_, [line], reason, choices if line.id else [])


def _bad(workspace: Workspace) -> Iterator[Card]:
    for item in (item for item in workspace.logs.held_back() if not item.is_offered):
        place = str(item.place)
        dismiss = Choice("n", "dismiss", "Dismiss", {"place": place})
        yield Card("bad", place, [CardLine(place, item.text)], item.reason, [dismiss], place)


def _blocked(workspace: Workspace) -> Iterator[Card]:
    """Lines that said nothing new, the newest first. They do not wait for a decision, and are listed only on request."""
    ledger = workspace.read_anew()
    facts = {id_: fact for id_, fact in ledger.consumed.items() if fact["type"] == DUPLICATE}
    twins = workspace.catalog.texts_of(str(fact.get("of")) for fact in facts.values())
    places = {id_: f"memory/{fact.get('log')}:{fact.get('line')}" for id_, fact in facts.items()}
    for id_ in sorted(facts, key=lambda id_: (str(facts[id_]["at"])[:10], places[id_]), reverse=True):
        fact, twin = facts[id_], str(facts[id_].get("of"))
        place, text = twins.get(twin, ("", ""))
        lines = [
            CardLine(places[id_], str(fact.get("text", "")), id_, str(fact["at"])[:10]),
            CardLine(place, _said(text), twin),
        ]
        choices = [Choice("y", "allow", "Let it in", {"id": id_})]
        reason = why_out(fact, ledger) or str(fact.get("reason", "says the same"))
        yield Card("blocked", id_, lines, reason, choices, places[id_])


Form: TypeAlias = Mapping[str, str]


class Decision(NamedTuple):
    """The function that carries out a decision, and the words for the result."""

    act: Callable[[Workspace, Form], object]
    done: str


def read_place(place: str) -> tuple[str, int]:
    """The log and the number of a line such as `memory/2026-05-02.md:7`. UsageError for anything else."""
    found = _LINE.fullmatch(place)
    if found is None:
        raise UsageError(f"{place[:80]}: not a line of a log, such as memory/2026-05-02.md:7")
    return found["log"], int(found["line"])


def _needed(form: Form, name: str) -> str:
    value = form.get(name, "").strip()
    if not value:
        raise UsageError(f"{name} is missing")
    return value


def _edit(workspace: Workspace, form: Form) -> None:
    about = " ".join(f"@{name.lstrip('@')}" for name in form.get("about", "").split())
    said = f"{form.get('tag', '')} {about}".strip()
    review.edit_memory(workspace, _needed(form, "id"), said, _needed(form, "text"), form.get("shown"))


def _ids(form: Form) -> list[str]:
    return _needed(form, "id").split()


DECISIONS: Mapping[str, Decision] = {
    "place": Decision(lambda w, f: review.place_memory(w, _needed(f, "id"), _needed(f, "page")), "Filed on"),
    "accept": Decision(lambda w, f: review.accept_line(w, *read_place(_needed(f, "place"))), "Accepted; the next run takes it in"),
    "dismiss": Decision(lambda w, f: review.dismiss_line(w, *read_place(_needed(f, "place"))), "Dismissed"),
    "keep": Decision(lambda w, f: review.keep_near(w, _needed(f, "id")), "Kept both"),
    "merge": Decision(lambda w, f: review.consolidate_bank(w, _needed(f, "id")), "Merged into one"),
    "both": Decision(lambda w, f: review.keep_both(w, _needed(f, "id"), _needed(f, "other")), "Both hold"),
    "archive": Decision(lambda w, f: review.archive_memories(w, _ids(f)), "Archived"),
    "restore": Decision(lambda w, f: archive.restore_memories(w, _ids(f)), "Restored"),
    "confirm": Decision(lambda w, f: review.confirm_memory(w, _needed(f, "id")), "Sure as of today"),
    "pin": Decision(lambda w, f: review.pin_memory(w, _needed(f, "id")), "Pinned"),
    "promote": Decision(lambda w, f: review.promote_memory(w, _needed(f, "id"), f.get("page") or None), "Filed on"),
    "decline": Decision(lambda w, f: review.decline_promotion(w, _needed(f, "id")), "Left as it is"),
    "allow": Decision(lambda w, f: review.allow_line(w, _needed(f, "id")), "Taken in"),
    "importance": Decision(lambda w, f: set_importance(w, _needed(f, "id"), _needed(f, "value")), "Saved"),
    "edit": Decision(_edit, "Saved"),
    "forget": Decision(lambda w, f: archive.forget_memory(w, _needed(f, "id")), "Forgotten for good"),
    "undo": Decision(lambda w, f: Undo(w, _needed(f, "run")).carry_out(), "Undone"),
}  # fmt: skip


class Decided(NamedTuple):
    """What was done, or would be: in words, the new page of a moved memory, and the run to undo, if any."""

    said: str
    page: str
    run: str
    note: str = ""
    """That the page is new, or what the memory says into which others were merged; may be empty."""
    is_there: bool = False
    """The memory was on that page already, and nothing was done."""


def decide(workspace: Workspace, form: Form, decisions: Mapping[str, Decision] = DECISIONS) -> Decided:
    """Carry a decision out; raises the errors of its use case. UsageError if the form is not understood."""
    decision = decisions.get(form.get("do", ""))
    if decision is None:
        raise UsageError("no such decision")
    places = form["do"] in {"place", "promote"}
    if places:
        workspace.graph.refresh()
    names, before = workspace.graph.names, {row.run for row in workspace.open_ledger().rows}
    result = decision.act(workspace, form)
    rows = [row for row in workspace.open_ledger().rows if row.run and row.changed and row.run not in before]
    runs = [row.run for row in rows if not why_for_good({"cycle": row.job})]
    page = str(result[0][1]) if isinstance(result, list) and result and isinstance(result[0], tuple) else ""
    if places and not page:
        held = workspace.catalog.lines_of([form["id"]])[form["id"]].page
        page = review.named_place(workspace, form["page"]).page if form.get("page") else held.removeprefix("bank/")
        return Decided(f"is on {held} already", page, "", is_there=True)
    note = ""
    if places and names.file(f"bank/{page}") is None:
        note = f"a new page (did you mean {near}?)" if (near := names.similar_page(page)) else "a new page"
    if isinstance(result, Report) and result.plan.merged:
        note = f"it says: {'; '.join(parse_memory(_said(one.change.new)).text for one in result.plan.merged)}"
    return Decided(decision.done, page if places else "", runs[-1] if runs else "", note)


def form_for(workspace: Workspace, verb: str, what: str, page: str = "") -> dict[str, str]:
    """The decision that a verb of `bankctl review` means for an id, two ids, or a log line. UserError if none fits.

    `accept` does what bankd suggests, `place` files on `page` (or on the suggestion with this number), `keep` leaves it
    as it is, `drop` takes it out.
    """
    ids, form = what.split(), {"do": "archive", "id": what}
    if verb == "merge":
        form = {"do": "merge", "id": what}
    elif len(ids) == 2:
        form = {"do": "both", "id": ids[0], "other": ids[1]}
    elif ":" in what and not what.startswith("m-"):
        if verb not in {"accept", "drop"}:
            raise UsageError(f"{what}: a log line can be accepted or dropped")
        form = {"do": "accept" if verb == "accept" else "dismiss", "place": what}
    elif verb == "place":
        form = _place_form(workspace, what, page)
    elif verb != "drop":
        form = _waiting_form(workspace, verb, what)
    return form


_FITTING = {
    "accept": {"unfiled": "place", "lived": "promote", "fading": "", "blocked": "allow", "contradictions": "archive"},
    "keep": {"lived": "decline", "near": "keep", "contradictions": "both"},
}
"""For a verb, the kinds of card on which an id is looked for, and the decision that it means there; empty for the likeliest."""


def _waiting_form(workspace: Workspace, verb: str, what: str) -> dict[str, str]:
    """What to accept or keep means for an id, by the kinds of card that it waits on.

    To keep an opinion that is on no card is to pin it. Other memories do not fade, so need no pin.
    """
    for kind, do in _FITTING[verb].items():
        ids = (
            (card, {card.id, *(line.id for line in card.lines if kind != "blocked")})
            for card in list_cards(workspace, [kind])
        )
        for card in [card for card, own in ids if what in own and card.choices][-1:]:
            if kind == "unfiled":
                return _place_form(workspace, what, "1")
            if do == "archive":  # what is accepted holds
                return {"do": do, "id": next(line.id for line in card.lines if line.id != what)}
            return next(one for one in card.choices if do in {"", one.do}).form()
    if verb == "accept":
        raise UserError(f"{what}: nothing with this id waits; bankctl review list shows what does, with its id")
    held = workspace.catalog.lines_of([what])
    is_opinion = what not in held or memory_of(held[what]).confidence is not None
    if not is_opinion and held[what].page == BANK + INBOX:
        raise UserError(f"{what}: waits for its page: bankctl review place {what} PAGE, or drop {what}")
    return {"do": "pin" if is_opinion else "keep", "id": what}


def _place_form(workspace: Workspace, what: str, page: str) -> dict[str, str]:
    card = next((card for card in list_cards(workspace, ["unfiled"]) if card.id == what), None)
    if page.isdecimal():
        pages = suggest_pages(workspace, card.lines[0].text) if card else []
        if not 0 < int(page) <= len(pages):
            raise UserError(f"{what}: no suggestion {page}; there are {len(pages)}; or: bankctl review place ID PAGE")
        page = pages[int(page) - 1][0]
    is_lived = card is None and any(card.id == what for card in list_cards(workspace, ["lived"]))
    return {"do": "promote" if is_lived else "place", "id": what, "page": page}
