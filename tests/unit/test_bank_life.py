"""What one of several banks in a daemon tells, and is told, and what its process gives back."""

from __future__ import annotations

import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import SimpleNamespace

import pytest

from bankd.errors import BusyError
from bankd.service.banks import AllBanks, BankSignals, BankVoice
from bankd.service.daemon import BEAT
from bankd.service.jobs import Jobs
from bankd.system.child import forget_kept
from bankd.system.clock import read_monotonic


def test_only_what_is_served_and_proves_nothing_hangs() -> None:
    voice = BankVoice(proved=read_monotonic() - 1000 * BEAT)
    voice.alive()
    assert not voice.hangs(read_monotonic()), "a sign of life counts from now"
    never = BankVoice()
    never.alive()
    assert not never.hangs(read_monotonic() + 1000 * BEAT), "it is not served yet"
    voice.proved = 100.0
    assert not voice.hangs(100.0 + 4 * BEAT)
    assert voice.hangs(101.0 + 4 * BEAT)
    voice.stopping("stopping")
    assert not voice.is_served
    assert not voice.hangs(1000 * BEAT), "what ends has nothing to prove"


def test_all_that_it_was_told_comes_at_once() -> None:
    told = BankSignals()
    told.send(signal.SIGHUP)
    told.send(signal.SIGTERM)

    assert told.wait(1.0) == {signal.SIGHUP, signal.SIGTERM}
    assert told.wait(0.0) == set()


def still_writes() -> None:
    raise BusyError("a command writes")


def test_who_waits_for_a_loan_to_end_stops_with_its_bank() -> None:
    bank = SimpleNamespace(lock=SimpleNamespace(take=still_writes))
    jobs = Jobs(bank, SimpleNamespace(learn=list), SimpleNamespace(), lambda: datetime.now(UTC))  # noqa: TID251
    while_served = jobs.take_back()
    jobs.stop(0.0)

    assert not while_served
    assert jobs.take_back()


class NotedLife:
    """A bank that only notes what it is told."""

    def __init__(self, name: str, root: str, _turns: object, *, polling: bool) -> None:
        self.name, self.root = name, root
        self.voice, self.signals, self.was_started = BankVoice(), BankSignals(), False

    def start(self) -> None:
        self.was_started = True

    def has_ended(self, within: float) -> bool:
        return True


class Manager:
    """Hears what a daemon says."""

    address, watchdog = None, timedelta(seconds=0)

    def __init__(self) -> None:
        self.said: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *words: self.said.append(" ".join([name, *map(str, words)]))


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    banks: dict[str, str] = {"ann": "/ann", "ben": "/ben"}
    monkeypatch.setattr("bankd.service.banks.read_banks", lambda: dict(banks))
    monkeypatch.setattr("bankd.service.banks.BankLife", NotedLife)
    return banks


def make_all(manager: Manager, *told: set[signal.Signals]) -> AllBanks:
    came = iter(told)
    source = SimpleNamespace(wait=lambda _: next(came, {signal.SIGTERM}))
    return AllBanks(manager, source, polling=False)


def test_what_leaves_the_list_is_told_to_end_and_what_comes_is_begun(listed: dict[str, str]) -> None:
    banks = make_all(Manager())
    banks._follow_list()
    before = dict(banks._lives)
    del listed["ann"]
    listed |= {"ben": "/elsewhere", "eve": "/eve"}
    banks._follow_list()

    assert before["ann"].signals.wait(0) == before["ben"].signals.wait(0) == {signal.SIGTERM}
    assert {name: life.root for name, life in banks._lives.items()} == {"ben": "/elsewhere", "eve": "/eve"}
    assert all(life.was_started for life in banks._lives.values())


def test_no_sign_of_life_is_given_while_one_hangs(listed: dict[str, str]) -> None:
    manager = Manager()
    banks = make_all(manager, set(), set())
    banks._follow_list()
    banks._lives["ann"].voice.proved = read_monotonic() - 1000 * BEAT
    banks.live()
    hanging = [*manager.said]
    banks._lives["ann"].voice.proved = read_monotonic()
    banks._feed_watchdog()

    assert "alive" not in hanging
    assert "alive" in manager.said


def test_large_caches_are_emptied_and_small_ones_stay() -> None:
    @lru_cache(maxsize=50_000)
    def large(number: int) -> int:
        return number

    @lru_cache(maxsize=64)
    def small(number: int) -> int:
        return number

    large(1)
    small(1)
    forget_kept()

    assert large.cache_info().currsize == 0
    assert small.cache_info().currsize == 1
