"""A copy of this process that does a part of its work: it answers, ends when it is let go, and without a word where it cannot go on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from bankd.system.child import WorkingCopy, pays_to_copy

Work = Callable[[dict[str, Any]], Any]


@contextmanager
def work(last: Path) -> Iterator[Work]:
    """Doubles numbers, and says where it can be read that it was let go."""
    yield lambda request: {"twice": 2 * request["number"], "by": os.getpid()}
    last.write_text("closed")


def test_it_answers_one_request_after_the_other_from_a_process_of_its_own(tmp_path: Path) -> None:
    with closing(WorkingCopy(lambda: work(tmp_path / "last"))) as copy:
        answers = []
        for number in (1, 40_000):
            copy.begin({"number": number})
            answers.append(copy.finish())

    assert [answer["twice"] for answer in answers] == [2, 80_000]
    assert os.getpid() not in {answer["by"] for answer in answers}
    assert (tmp_path / "last").read_text() == "closed"  # and it was seen to go


def test_what_takes_more_than_a_pipe_holds_comes_whole() -> None:
    @contextmanager
    def much() -> Iterator[Work]:
        yield lambda request: ["가" * request["number"]]

    with closing(WorkingCopy(much)) as copy:
        copy.begin({"number": 300_000})
        assert copy.finish() == ["가" * 300_000]


def test_where_it_cannot_go_on_nothing_is_made_of_a_request(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with closing(WorkingCopy(lambda: work(tmp_path / "last"))) as copy:
        for _ in range(2):
            copy.begin({"no number": 1})
            assert copy.finish() is None

    assert capfd.readouterr().err == ""


def test_beside_another_thread_none_is_made() -> None:
    end = Event()
    thread = Thread(target=end.wait)
    thread.start()
    try:
        assert not pays_to_copy()
    finally:
        end.set()
        thread.join()
