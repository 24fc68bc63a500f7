"""The banks of the user: a list, each bank asked by itself, and their answers merged into one.

A merged answer has the hits from all banks, best first, then those from logs and archives.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from bankd.errors import BankError, UsageError, UserError
from bankd.search.answer import MOST_BESIDE
from bankd.search.find import NEAREST_SHOWN
from bankd.search.request import number_of_hits
from bankd.system.files import read_banks, write_banks
from bankd.system.socket_client import NoDaemonError
from bankd.wiring.asking import Asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bankd.app.workspace import Workspace


Json: TypeAlias = dict[str, Any]


def merge_answers(answers: Mapping[str, Json], request: Mapping[str, Any]) -> Json:
    """Merge answers to a request by the names of their banks; every hit says of which bank it is.

    A score is a sum of parts between fixed bounds, so that those of two banks can be compared. As in the answer of one
    bank, what logs and archives say follows, a few lines of it if the banks have answered.
    """
    limit = number_of_hits(request.get("limit"))
    left_off = sum(int(answer["left_off"]) for answer in answers.values())
    hits = [{**hit, "bank": bank} for bank, answer in answers.items() for hit in answer["hits"]]
    nearest = [{**hit, "bank": bank} for bank, answer in answers.items() for hit in answer["nearest"]]
    said = _best((hit for hit in hits if hit["group"] == "bank"), limit)
    room = min(limit, MOST_BESIDE) if said and not request.get("in") else limit
    beside = _best((hit for hit in hits if hit["group"] != "bank"), room)
    first = said[0]["bank"] if said else ""
    return {
        "query": str(request.get("query", "")),
        "hits": [*said, *beside],
        "see_also": [{**one, "bank": first} for one in (answers[first]["see_also"] if first else ())],
        "left_off": left_off,
        "nearest": [] if hits else _best(nearest, min(limit, NEAREST_SHOWN)),
        "fresh": _merge_freshness({bank: answer["fresh"] for bank, answer in answers.items()}),
    }


def _best(hits: Iterable[Json], limit: int) -> list[Json]:
    """The best hits of several banks; of the same score, that of the first bank comes first."""
    return sorted(hits, key=lambda hit: -float(hit["score"]))[:limit]


def _merge_freshness(parts: Mapping[str, Json]) -> Json:
    """The freshness of a merged answer: the worst of its banks."""
    notes = [f"{bank}: {fresh['note']}" for bank, fresh in parts.items() if fresh["note"]]
    states = [fresh["meaning"] for fresh in parts.values()]  # the first bank in which search by meaning was incomplete
    return {
        "pending": sum(fresh["pending"] for fresh in parts.values()),
        "updated": min((fresh["updated"] for fresh in parts.values() if fresh["updated"]), default=None),
        "daemon": all(fresh["daemon"] for fresh in parts.values()),
        "provisional": sum(fresh["provisional"] for fresh in parts.values()),
        "note": "; ".join(notes),
        "meaning": next((one for one in states if one not in {"on", "off"}), "on" if "on" in states else "off"),
    }


__all__ = ["read_banks", "write_banks"]


class OpenBank(Asked):
    """One bank as the page and the finder use it: asked, looked at, and changed."""

    @contextmanager
    def look(self) -> Iterator[Workspace]:
        """The workspace opened for reading, without waiting for files that were saved a moment ago."""
        from bankd.wiring.workspace import open_workspace

        with open_workspace(self.root, write=False) as workspace:
            workspace.is_live = False
            yield workspace

    @contextmanager
    def work(self) -> Iterator[Workspace]:
        """The workspace opened for writing, with its lock (lent by a daemon if one runs). The next answer sees the change."""
        from bankd.wiring.workspace import open_workspace

        try:
            with open_workspace(self.root, write=True) as workspace:
                yield workspace
        finally:
            self.look_again()


def banks_around(here: str | None) -> dict[str, str]:
    """The workspace here, if any, and those on the list, by name."""
    banks = read_banks()
    if here is None:
        return banks
    from pathlib import Path

    own = next((name for name, root in banks.items() if Path(root).resolve() == Path(here).resolve()), None)
    return {own or Path(here).name: here, **{other: root for other, root in banks.items() if other != own}}


class Banks:
    """All of them, by name; the list is read anew at each request, so that `bankctl banks` is seen at once.

    With `stays` each is kept open for callers in any thread that ask again and again.
    """

    def __init__(self, listed: Callable[[], Mapping[str, str]], *, stays: bool = False) -> None:
        """Take a function that gives the names and folders; nothing is opened yet."""
        self._listed, self._stays = listed, stays
        self._open, self._opening = dict[str, OpenBank](), allocate_lock()

    def names(self) -> list[str]:
        """The names, in the order of the list."""
        return list(self._listed())

    def find(self, name: str) -> OpenBank:
        """One of them; UserError when there is none of this name."""
        root = self._listed().get(name)
        if root is None:
            raise UserError(f"{name}: no bank of this name is on the list")
        with self._opening:
            bank = self._open.get(name)
            if bank is None or bank.folder != root:
                if bank is not None:
                    bank.close()
                bank = self._open[name] = OpenBank(root, stays=self._stays)
            return bank

    def ask_all(self, request: Json) -> Json:
        """One answer out of all banks; `problems` says by name why one could not answer. Raises UsageError."""
        answers, problems = dict[str, "Json"](), dict[str, str]()
        for name in self._listed():
            try:
                answers[name] = self.find(name).look_up(request)
            except UsageError:  # the question itself is wrong, for every bank
                raise
            except (BankError, NoDaemonError, OSError) as error:
                problems[name] = str(error)
        return {**merge_answers(answers, request), "problems": problems}

    def close(self) -> None:
        """Let go of all that is open."""
        for bank in self._open.values():
            bank.close()
