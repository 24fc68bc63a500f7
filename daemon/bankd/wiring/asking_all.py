"""A question to all banks of the user; one that cannot answer is named with why, and the others answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial

from bankd.adapters.system.banks_file import banks_path, read_banks, write_banks
from bankd.adapters.system.socket_client import NoDaemonError, socket_path
from bankd.errors import BankError, UsageError, UserError
from bankd.wiring.asking import open_asking

TYPE_CHECKING = False  # as in wiring.asking
if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeVar

    from bankd.adapters.system.working_copy import WorkingCopy
    from bankd.wiring.asking import Ask

    _T = TypeVar("_T")
    Json: TypeAlias = dict[str, Any]
    AskAll: TypeAlias = Callable[[Json], Json]
    Found: TypeAlias = tuple[dict[str, Json], dict[str, str]]
    AskEach: TypeAlias = Callable[[Json], Found]

__all__ = ["banks_path", "open_asking_all", "read_banks", "write_banks"]

_WORTH = 4
"""Banks without a daemon from which on a copy of this process asks half of them: making it takes as long as one bank."""


@contextmanager
def open_asking_all(banks: Mapping[str, str]) -> Iterator[AskAll]:
    """A way to ask banks by name and folder in one go; the answer has `problems` by the names of those that have one."""
    with ExitStack() as stack:
        beside = _Beside(_for_a_copy(banks), stack)  # first: the copy is made of what has nothing open
        here = {name: root for name, root in banks.items() if name not in beside.banks}
        ask_here = stack.enter_context(_open_each(here))
        yield lambda request: _ask_all(ask_here, beside, banks, request)


def _ask_all(ask_here: AskEach, beside: _Beside, banks: Mapping[str, str], request: Json) -> Json:
    from bankd.core.ranking.merging import merge_answers  # noqa: PLC0415 -- a hook of an agent never asks all

    asked = {**request, "keep": False}  # what was not shown has not been recalled
    beside.begin(asked)
    answers, problems = ask_here(asked)
    more, bad = beside.finish(asked)
    answers, problems = _in_order({**answers, **more}, banks), _in_order({**problems, **bad}, banks)
    return {**merge_answers(answers, request), "problems": problems}


def _in_order(found: Mapping[str, _T], banks: Mapping[str, str]) -> dict[str, _T]:
    """As the list has it: of the same score, what the first bank says comes first."""
    return {name: found[name] for name in banks if name in found}


class _Beside:
    """Banks that a copy of this process asks, while this one asks the others; where it ends, this one asks them too."""

    def __init__(self, banks: Mapping[str, str], stack: ExitStack) -> None:
        self.banks, self._stack = banks, stack
        self._copy = _copy_for(banks, stack) if banks else None
        self._ask: AskEach | None = None

    def begin(self, request: Json) -> None:
        if self._copy is not None:
            self._copy.begin(request)

    def finish(self, request: Json) -> Found:
        found = None if self._copy is None else self._copy.finish()
        if found is not None:
            return found[0], found[1]
        self._copy, self._ask = None, self._ask or self._stack.enter_context(_open_each(self.banks))
        return self._ask(request)


def _copy_for(banks: Mapping[str, str], stack: ExitStack) -> WorkingCopy | None:
    import gc  # noqa: PLC0415 -- as below

    gc.disable()  # as in wiring.asking
    from bankd.adapters.system.working_copy import WorkingCopy  # noqa: PLC0415 -- few have as many banks
    from bankd.wiring import search_settings, searching  # noqa: F401, PLC0415 -- else both would import it

    try:
        return stack.enter_context(closing(WorkingCopy(partial(_open_each, banks))))
    except OSError:  # there is no room for another process
        return None


def _for_a_copy(banks: Mapping[str, str]) -> dict[str, str]:
    """Those of the banks that are to be asked by a copy of this process; none where that would not pay."""
    alone = {name: root for name, root in banks.items() if not os.path.lexists(socket_path(root))}
    if len(alone) < _WORTH:
        return {}
    from bankd.adapters.system.working_copy import pays_to_copy  # noqa: PLC0415 -- few have as many banks

    return dict([*alone.items()][1::2]) if pays_to_copy() else {}


@contextmanager
def _open_each(banks: Mapping[str, str]) -> Iterator[AskEach]:
    """A way to ask banks one after the other: what they answer, and why those do not that cannot."""
    with ExitStack() as stack:
        asking, problems = dict[str, "Ask"](), dict[str, str]()
        for name, root in banks.items():
            with _noting(problems, name):
                asking[name] = stack.enter_context(open_asking(_checked(root)))
        yield lambda request: _ask_each(asking, problems, request)


def _checked(root: str) -> str:
    if not os.path.isfile(os.path.join(root, "bankd.yaml")):  # noqa: PTH113, PTH118 -- pathlib costs more than this
        raise UserError(f"{root}: no workspace is there (now); bankctl banks remove takes it off the list")
    return root


def _ask_each(asking: Mapping[str, Ask], unopened: Mapping[str, str], request: Json) -> Found:
    answers, problems = dict[str, "Json"](), dict(unopened)
    for name, ask in asking.items():
        with _noting(problems, name):
            answers[name] = ask(request)
    return answers, problems


@contextmanager
def _noting(problems: dict[str, str], name: str) -> Iterator[None]:
    """Go on where a bank cannot answer; not where the question is wrong, whoever is asked."""
    try:
        yield
    except UsageError:
        raise
    except (BankError, NoDaemonError, OSError) as error:
        problems[name] = str(error)
