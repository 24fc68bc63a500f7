"""A copy of this process that does a part of its work beside it: what is imported is there already, and need not start.

A request and what was made of it are JSON, a line each way. The copy ends with whoever made it; where it cannot go on it
ends without a word, since who made it can do that part as well, and say what is wrong.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

TYPE_CHECKING = False  # `typing` would cost a search more than this module
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any, TypeAlias

    OpenWork: TypeAlias = Callable[[], AbstractContextManager[Callable[[dict[str, Any]], Any]]]


def pays_to_copy() -> bool:
    """Whether a copy could run beside us: there is a second core, and no other thread, whose locks it would find shut."""
    return len(os.sched_getaffinity(0)) > 1 and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 -- as cheap as it gets


class WorkingCopy:
    """One copy, which works until it is closed."""

    def __init__(self, open_work: OpenWork) -> None:
        """Take what opens the work, there; raises OSError where there is no room for another process."""
        asked, ask = os.pipe()
        answer, answered = os.pipe()
        self._process = os.fork()
        if not self._process:
            os.close(ask)
            os.close(answer)
            _be_the_copy(asked, answered, open_work)
        os.close(asked)
        os.close(answered)
        self._requests, self._answers = open(ask, "wb", buffering=0), open(answer, "rb")  # noqa: SIM115, PTH123 -- see `close`

    def begin(self, request: dict[str, Any]) -> None:
        """Have something done; `finish` is to follow."""
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
        except OSError:  # it ended, which `finish` says
            return

    def finish(self) -> Any:
        """What was made of it; None where the copy ended before."""
        try:
            return json.loads(self._answers.readline())
        except ValueError:
            return None

    def close(self) -> None:
        """Let it end, and see it go."""
        self._requests.close()
        self._answers.close()
        with suppress(ChildProcessError):  # who started us has the kernel see children go
            os.waitpid(self._process, 0)


def _be_the_copy(asked: int, answered: int, open_work: OpenWork) -> None:
    """Work until nobody asks any more, and end; nothing that surrounds the call is done here."""
    try:
        with open_work() as work, open(asked, "rb") as requests, open(answered, "wb") as answers:
            for request in requests:
                answers.write(json.dumps(work(json.loads(request))).encode() + b"\n")
                answers.flush()
    finally:
        os._exit(0)
