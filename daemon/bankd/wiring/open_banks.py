"""The banks that the page and the finder know, each with its search open as long as it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bankd.adapters.system.banks_file import read_banks
from bankd.core.ranking.merging import merge_answers
from bankd.errors import BankError, UsageError, UserError
from bankd.wiring.standing_search import StandingSearch

if TYPE_CHECKING:
    from bankd.app.workspace import Workspace


class OpenBank:
    """One bank."""

    def __init__(self, root: str) -> None:
        """Take its folder; nothing is opened yet."""
        self.root = Path(root)
        self._searching = StandingSearch(root)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer as `bankctl search --json` does, leaving no trace of who looked."""
        return self._searching.answer({"op": "search", **request, "keep": False})

    @contextmanager
    def look(self) -> Iterator[Workspace]:
        """The workspace to be looked at; who looks does not wait for files that were saved a moment ago."""
        from bankd.wiring.workspace import open_workspace  # noqa: PLC0415 -- who only searches needs none

        with open_workspace(self.root, write=False) as workspace:
            workspace.is_live = False
            yield workspace

    @contextmanager
    def work(self) -> Iterator[Workspace]:
        """The workspace to be written, with its lock; a daemon lends it. The next answer knows of it."""
        from bankd.wiring.workspace import open_workspace  # noqa: PLC0415 -- same

        try:
            with open_workspace(self.root, write=True) as workspace:
                yield workspace
        finally:
            self._searching.look_again()

    def close(self) -> None:
        """Let go of its index."""
        self._searching.close()


def banks_around(here: str | None) -> dict[str, str]:
    """The workspace here, if any, and those on the list, by name."""
    banks = read_banks()
    if here is None:
        return banks
    own = next((name for name, root in banks.items() if Path(root).resolve() == Path(here).resolve()), None)
    return {own or Path(here).name: here, **{other: root for other, root in banks.items() if other != own}}


class OpenBanks:
    """All of them; the list is read anew at each request, so that `bankctl banks` is seen at once."""

    def __init__(self, listed: Callable[[], Mapping[str, str]]) -> None:
        """Take what gives the names and folders."""
        self._listed = listed
        self._open: dict[str, OpenBank] = {}

    def names(self) -> list[str]:
        """The names, in the order of the list."""
        return list(self._listed())

    def find(self, name: str) -> OpenBank:
        """One of them; UserError when there is none of this name."""
        root = self._listed().get(name)
        if root is None:
            raise UserError(f"{name}: no bank of this name is on the list")
        if name not in self._open or str(self._open[name].root) != root:
            self._open[name] = OpenBank(root)
        return self._open[name]

    def ask_all(self, request: dict[str, Any]) -> dict[str, Any]:
        """One answer out of all banks, as `bankctl search --all` has it."""
        answers, problems = dict[str, dict[str, Any]](), dict[str, str]()
        for name in self.names():
            try:
                answers[name] = self.find(name).ask(request)
            except UsageError:
                raise
            except (BankError, OSError) as error:
                problems[name] = str(error)
        return {**merge_answers(answers, request), "problems": problems}

    def close(self) -> None:
        """Let go of all that is open."""
        for bank in self._open.values():
            bank.close()
