"""What `bankctl` alone opens on a terminal: a screen with a question, its answers, and the page around the chosen one.

Also the text of a row and of the preview.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, TypeAlias

from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Key
from textual.timer import Timer
from textual.widgets import Footer, Input, OptionList, Static
from textual.worker import get_current_worker

from bankd.app.show import editor_command
from bankd.app.waiting import KINDS, Card, Choice, decide, list_cards, with_suggestions
from bankd.briefing.recalled import marked_pieces, relation_of, whom_unsaid
from bankd.errors import BankError
from bankd.pages.text import show_line
from bankd.translate import counted, reads_korean
from bankd.translate import translate as _
from bankd.wiring.banks import Banks
from bankd.wiring.reader import BankReader

Hit: TypeAlias = Mapping[str, Any]

_AROUND = 8
"""Lines of the page that the preview shows before and after."""


def row_of(hit: Hit) -> Content:
    """A hit on one line: whom it is about, its text, matches underlined, and its place."""
    relation = _(relation_of(hit))
    parts = [(f"[{show_line(relation)}] ", "yellow")] if relation else []
    parts += [(f"{show_line(whom)} · ", "dim")] if (whom := whom_unsaid(hit)) else []
    for text, is_marked in marked_pieces(hit):
        parts.append((show_line(text.replace("\n", " ")), "bold underline" if is_marked else ""))
    return Content.assemble(*parts, (f"  {standing_place(hit)}", "dim"))


def standing_place(hit: Hit) -> str:
    """Path and line of a hit, with its bank if several were asked."""
    bank = f"{hit['bank']}: " if hit.get("bank") else ""
    return show_line(f"{bank}{hit['path']}:{hit['line']}")


def preview_of(hit: Hit, page: Sequence[str]) -> Content:
    """A hit with its days, what became of it, and the lines around it on its page."""
    facts = [
        standing_place(hit),
        hit["when"],
        f"^{hit['id']}" if hit["id"] else "",
        _(hit["became"] or relation_of(hit) or ""),
    ]
    head = "  ".join(show_line(fact) for fact in facts if fact)
    line = int(hit["line"])
    first = max(1, line - _AROUND)
    around = enumerate(page[first - 1 : line + _AROUND], first)
    shown = ((f"{show_line(text)}\n", "bold" if number == line else "dim") for number, text in around)
    return Content.assemble((f"{head}\n\n", "dim"), *shown)


def card_of(card: Card) -> Content:
    """A card of the review: its lines with their places, the reason, and each decision with its key."""
    parts = []
    for line in card.lines:
        where = "  ".join(filter(None, [_(line.role), line.day, line.place]))
        parts += [(f"{show_line(line.text)}\n", "bold"), (f"   {show_line(where)}\n", "dim")]
    parts.append((f"{show_line(_(card.reason))}\n\n", "dim"))
    for one in card.choices:
        parts += [
            (f" {one.key} ", "reverse"),
            (f" {show_line(_(one.label))}  {show_line(_(one.fields.get('why', '')))}\n", ""),
        ]
    return Content.assemble(*parts)


def summary_of(answer: Mapping[str, Any], asked: str, banks: int) -> str:
    """The line below the answers: how many there are, whether all banks were asked, and problems of banks."""
    hits, problems = answer["hits"], answer.get("problems", {})
    nothing = "nothing relevant; nearest, maybe about something else" if answer["nearest"] else "nothing relevant"
    said = counted(len(hits), "answer") if hits else _(nothing)
    if not asked:
        said = _("type a question; below is what is new" if hits else "type a question")
    wrong = "; ".join(f"{bank}: {_(why)}" for bank, why in problems.items())
    notes = [said, _("all banks") if banks > 1 else "", _(answer["fresh"]["note"]), wrong]
    return show_line("  ·  ".join(note for note in notes if note))


_NEWEST: dict[str, Any] = {"timeline": True, "in": ["bank"], "limit": 20, "keep": False}
"""Asked while nothing is typed: the screen is never blank."""


class Finder(App[None]):
    """The screen; it asks the first bank, or all of them."""

    CSS = """
    #answers { height: 1fr; border: none; }
    #preview { height: 40%; border-top: solid $primary; padding: 0 1; overflow-y: auto; }
    #said { height: 1; color: $text-muted; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "quit", _("leave"), priority=True),
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", "next", priority=True, show=False),
        Binding("up,ctrl+p", "move(-1)", "back", priority=True, show=False),
        Binding("enter", "open", _("Open").lower(), priority=True),
        Binding("ctrl+a", "toggle_all", _("all banks"), priority=True),
        Binding("tab", "review", _("Review").lower(), priority=True),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, banks: Banks, environment: Mapping[str, str]) -> None:
        """Take the banks and the environment, which names the editor."""
        super().__init__()
        self._banks, self._environment = banks, environment
        self._is_all = False
        self._hits: Sequence[Hit] = ()
        self._pause: Timer | None = None
        self._cards: list[Card] | None = None
        self._asking: Choice | None = None
        self._last = ""

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Input(placeholder=_("What do you want to know?"), id="question")
        yield OptionList(id="answers", markup=False)
        yield Static(id="preview", markup=False)
        yield Static(_("type a question"), id="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Begin with what is new, below an empty question."""
        self.query_one(Input).focus()
        self.query_one(OptionList).can_focus = False
        self.ask_again()

    @on(Input.Changed)
    def wait_for_more(self) -> None:
        """Ask when nothing was typed for 0.08 seconds."""
        if self._pause is not None:
            self._pause.stop()
        if self._cards is None:
            self._pause = self.set_timer(0.08, self.ask_again)

    def ask_again(self) -> None:
        """Ask the question that is typed now."""
        self.ask(self.query_one(Input).value.strip(), self._is_all)

    @work(thread=True, exclusive=True)
    def ask(self, question: str, is_all: bool) -> None:
        """Ask in a thread. Drop the answer if a newer question was asked meanwhile."""
        worker, language = get_current_worker(), {"is_korean": reads_korean()}
        request = {"query": question, "limit": 50, "trim": True, "is_typing": True, **language}
        try:
            ask = self._banks.ask_all if is_all else self._banks.find(self._banks.names()[0]).look_up
            answer = ask(request if question else {**_NEWEST, **language})
            hits = (answer["hits"] or answer["nearest"]) if question else answer["hits"][::-1]
            said = summary_of(answer, question, len(self._banks.names()) if is_all else 1)
        except (BankError, OSError) as error:
            hits, said = (), _(str(error))
        if not worker.is_cancelled:
            self.call_from_thread(self.show_hits, hits, said)

    def show_hits(self, hits: Sequence[Hit], said: str) -> None:
        """Show the hits of an answer, or the nearest memories if there are none; the first is chosen."""
        self._hits = hits
        self._fill([row_of(hit) for hit in hits], said)

    def _fill(self, contents: Sequence[Content], said: str) -> None:
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options(contents)
        rows.highlighted = 0 if contents else None
        self.query_one("#said", Static).update(Content(said))
        self.show_preview()

    @on(OptionList.OptionHighlighted)
    def show_preview(self) -> None:
        """Show the page around the chosen hit, or in the review the chosen card."""
        if self._cards is not None:
            at = self.query_one(OptionList).highlighted
            card = self._cards[at] if at is not None and at < len(self._cards) else None
            self.query_one("#preview", Static).update(card_of(card) if card else _("nothing waits for you"))
            return
        hit = self._chosen()
        page: list[str] = []
        with suppress(BankError, OSError):  # gone since it was found
            page = BankReader(self._root_of(hit)).read_file(str(hit["path"])).split("\n") if hit else []
        self.query_one("#preview", Static).update(preview_of(hit, page) if hit else "")

    def _chosen(self) -> Hit | None:
        at = self.query_one(OptionList).highlighted
        return self._hits[at] if at is not None and at < len(self._hits) else None

    def _root_of(self, hit: Mapping[str, Any]) -> str:
        return str(self._banks.find(hit.get("bank") or self._banks.names()[0]).root)

    def action_move(self, by: int) -> None:
        """Choose the next hit, or the one before."""
        rows = self.query_one(OptionList)
        if rows.option_count:
            rows.highlighted = min(rows.option_count - 1, max(0, (rows.highlighted or 0) + by))

    def action_toggle_all(self) -> None:
        """Ask all banks, or the first alone again."""
        self._is_all = not self._is_all
        self.ask_again()

    def action_review(self) -> None:
        """Go to the review, or back to the answers."""
        field, rows = self.query_one(Input), self.query_one(OptionList)
        field.value, self._asking = "", None
        if self._cards is None:
            self._cards, rows.can_focus = [], True
            rows.focus()
            self.load()
        else:
            self._cards, rows.can_focus = None, False
            field.focus()
            self.ask_again()

    @work(thread=True, exclusive=True)
    def load(self, form: Mapping[str, str] | None = None) -> None:
        """Take a decision, if there is one, and show what waits then: the next card stands where the last one stood."""
        bank, said = self._banks.find(self._banks.names()[0]), ""
        try:
            if form:
                with bank.work() as workspace:
                    done = decide(workspace, form)
                said, self._last = f"✓ {_(done.said)} {done.page}  ·  u {_('Undo')}  ·  ", done.run
        except (BankError, OSError) as error:
            said = f"{_(str(error))}  ·  "
        with bank.look() as workspace:
            cards = list_cards(workspace)
            cards[:1] = [with_suggestions(workspace, card) for card in cards[:1]]
        self.call_from_thread(
            self.show_cards, cards, f"{said}{_(f'{len(cards)} left')}  ·  s {_('Skip')}  ·  Tab {_('Search')}"
        )

    def show_cards(self, cards: list[Card], said: str) -> None:
        """Show the cards; the first is chosen."""
        if self._cards is None:
            return
        self._cards = cards
        self.query_one(OptionList).focus()
        contents = [Content(f"{_(KINDS[card.kind])}  {show_line(card.lines[-1].text)}") for card in cards]
        self._fill(contents, show_line(said))

    def on_key(self, event: Key) -> None:
        """In the review a letter on the card decides."""
        at = self.query_one(OptionList).highlighted
        if self._cards is None or self._asking or at is None or at >= len(self._cards):
            return
        if event.character == "u" and self._last:
            self.load({"do": "undo", "run": self._last})
        elif event.character == "s":
            self.action_move(1)
        elif choice := next((one for one in self._cards[at].choices if one.key == event.character), None):
            if choice.asks:
                self._asking = choice
                self.query_one(Input).focus()
                self.query_one("#said", Static).update(Content(_(f"{choice.label}: type it, then Enter")))
            else:
                self.load(choice.form())
        event.stop()
        event.prevent_default()

    def action_open(self) -> None:
        """Open the chosen hit in the editor, then ask again: the page may have changed. In the review, take what is typed."""
        if self._cards is not None:
            if self._asking:
                typed, choice, self._asking = self.query_one(Input).value.strip(), self._asking, None
                self.query_one(Input).value = ""
                self.load(choice.form(typed))
            return
        hit = self._chosen()
        if hit is None:
            return
        words = editor_command(self._environment, os.path.join(self._root_of(hit), str(hit["path"])), int(hit["line"]))  # noqa: PTH118 -- a word
        try:
            with self.suspend():
                subprocess.run(words, check=False)  # noqa: S603 -- the user's own editor
        except (OSError, ValueError) as error:
            self.query_one("#said", Static).update(Content(_(f"{words[0]}: {error}; $EDITOR names the editor")))
            return
        self.ask_again()
