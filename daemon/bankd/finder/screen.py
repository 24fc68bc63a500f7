"""The application: a question above, its answers, and the page around the one that is chosen."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Footer, Input, OptionList, Static
from textual.worker import get_current_worker

from bankd.errors import BankError
from bankd.finder.looks import editor_command, preview_of, row_of, summary_of
from bankd.wiring.bank_reader import BankReader
from bankd.wiring.banks import Banks

_WAIT = 0.08
"""Seconds after the last key before a question is asked."""
_MOST = 50
_NO_ANSWER: dict[str, Any] = {"hits": [], "nearest": [], "fresh": {"note": ""}}


class Finder(App[None]):
    """One bank to begin with, or all of them."""

    CSS = """
    #answers { height: 1fr; border: none; }
    #preview { height: 40%; border-top: solid $primary; padding: 0 1; overflow-y: auto; }
    #said { height: 1; color: $text-muted; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "quit", "leave", priority=True),
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", "next", priority=True, show=False),
        Binding("up,ctrl+p", "move(-1)", "back", priority=True, show=False),
        Binding("enter", "open", "open", priority=True),
        Binding("ctrl+a", "toggle_all", "all banks", priority=True),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, banks: Banks, environment: Mapping[str, str]) -> None:
        """Take the banks, the first of which is asked, and the variables that name the editor."""
        super().__init__()
        self._banks, self._environment = banks, environment
        self._is_all = False
        self._answer = _NO_ANSWER
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Input(placeholder="What do you want to know?  무엇이 궁금한가요?", id="question")
        yield OptionList(id="answers", markup=False)
        yield Static(id="preview", markup=False)
        yield Static("type a question", id="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Begin with an empty question."""
        self.query_one(Input).focus()
        self.query_one(OptionList).can_focus = False

    @on(Input.Changed)
    def wait_for_more(self) -> None:
        """Ask once nothing was typed for a moment."""
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(_WAIT, self.ask_again)

    def ask_again(self) -> None:
        """Ask what stands there now."""
        self.ask(self.query_one(Input).value.strip(), self._is_all)

    @work(thread=True, exclusive=True)
    def ask(self, question: str, is_all: bool) -> None:
        """Ask in a thread; an answer that a newer question has overtaken is dropped."""
        worker, request = get_current_worker(), {"query": question, "limit": _MOST}
        try:
            answer = self._find(request, is_all=is_all) if question else _NO_ANSWER
            said = summary_of(answer, question, len(self._banks.names()) if is_all else 1)
        except (BankError, OSError) as error:
            answer, said = _NO_ANSWER, str(error)
        if not worker.is_cancelled:
            self.call_from_thread(self.show_answer, answer, said)

    def _find(self, request: dict[str, Any], *, is_all: bool) -> dict[str, Any]:
        return self._banks.ask_all(request) if is_all else self._banks.find(self._banks.names()[0]).ask(request)

    def show_answer(self, answer: dict[str, Any], said: str) -> None:
        """Show an answer, its first hit chosen."""
        self._answer = answer
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options([row_of(hit) for hit in self._shown()])
        rows.highlighted = 0 if self._shown() else None
        self.query_one("#said", Static).update(Content(said))
        self.show_preview()

    @on(OptionList.OptionHighlighted)
    def show_preview(self) -> None:
        """Show the page around the chosen hit."""
        hit = self._chosen()
        self.query_one("#preview", Static).update(preview_of(hit, self._page_of(hit)) if hit else "")

    def _chosen(self) -> dict[str, Any] | None:
        at = self.query_one(OptionList).highlighted
        hits = self._shown()
        return hits[at] if at is not None and at < len(hits) else None

    def _shown(self) -> list[dict[str, Any]]:
        """The hits, or what is nearest where there is none."""
        return list(self._answer["hits"] or self._answer["nearest"])

    def _root_of(self, hit: Mapping[str, Any]) -> str:
        return str(self._banks.find(hit.get("bank") or self._banks.names()[0]).root)

    def _page_of(self, hit: Mapping[str, Any]) -> list[str]:
        try:
            return BankReader(self._root_of(hit)).read_file(str(hit["path"])).split("\n")
        except (BankError, OSError):
            return []

    def action_move(self, by: int) -> None:
        """Choose the next hit, or the one before."""
        rows = self.query_one(OptionList)
        if rows.option_count:
            rows.highlighted = min(rows.option_count - 1, max(0, (rows.highlighted or 0) + by))

    def action_toggle_all(self) -> None:
        """Ask all banks, or the first alone again."""
        self._is_all = not self._is_all
        self.ask_again()

    def action_open(self) -> None:
        """Open the chosen hit in the editor, and ask again afterwards: it may say something else by then."""
        hit = self._chosen()
        if hit is None:
            return
        editor = self._environment.get("VISUAL") or self._environment.get("EDITOR") or "vi"
        words = editor_command(editor, os.path.join(self._root_of(hit), str(hit["path"])), int(hit["line"]))  # noqa: PTH118 -- a word
        try:
            with self.suspend():
                subprocess.run(words, check=False)  # noqa: S603 -- the user's own editor
        except (OSError, ValueError) as error:
            self.query_one("#said", Static).update(Content(f"{words[0]}: {error}; $EDITOR names the editor"))
            return
        self.ask_again()
