"""A question to all banks of the user; one that cannot answer is named with why, and the others answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from bankd.adapters.system.banks_file import banks_path, read_banks, write_banks
from bankd.adapters.system.socket_client import NoDaemonError
from bankd.errors import BankError, UsageError, UserError
from bankd.wiring.asking import open_asking

TYPE_CHECKING = False  # as in wiring.asking
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from bankd.wiring.asking import Ask

    AskAll: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

__all__ = ["banks_path", "open_asking_all", "read_banks", "write_banks"]


@contextmanager
def open_asking_all(banks: Mapping[str, str]) -> Iterator[AskAll]:
    """A way to ask banks by name and folder in one go; the answer has `problems` by the names of those that have one."""
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


def _ask_each(asking: Mapping[str, Ask], unopened: Mapping[str, str], request: dict[str, Any]) -> dict[str, Any]:
    from bankd.core.ranking.merging import merge_answers  # noqa: PLC0415 -- a hook of an agent never asks all

    answers, problems = dict[str, "dict[str, Any]"](), dict(unopened)
    for name, ask in asking.items():
        with _noting(problems, name):
            answers[name] = ask({**request, "keep": False})  # what was not shown has not been recalled
    return {**merge_answers(answers, request), "problems": problems}


@contextmanager
def _noting(problems: dict[str, str], name: str) -> Iterator[None]:
    """Go on where a bank cannot answer; not where the question is wrong, whoever is asked."""
    try:
        yield
    except UsageError:
        raise
    except (BankError, NoDaemonError, OSError) as error:
        problems[name] = str(error)
