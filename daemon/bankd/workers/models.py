"""Asks a language model within limits: no question twice, and no more tokens a day than the settings allow.

Each call first notes what it may take at most, then what it took. A server that is busy or fails is asked again a few
times. An answer that cannot be read is asked for once more, with what is wrong with it. Other prompts stay unanswered.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import uuid4

from bankd.briefing.shown import count_tokens
from bankd.errors import BankError
from bankd.night.asking import Prompt, Reply, Unanswered
from bankd.settings import DistilPolicy
from bankd.storage.events import ReplyLog
from bankd.system.child import GRACE, ChildDiedError, ChildProcess

_LONGEST_WAIT = 30.0
"""Seconds to wait for a busy server at most: the workspace is locked meanwhile."""
_FRAME_TOKENS = 200
"""Tokens that a wire format adds to a prompt: roles, and the schema."""
_GRACE = 5.0
"""Seconds that a child gets beyond the time of a call before it counts as stuck; to end a command takes some of them."""


def start_child(settings: DistilPolicy, clock: Callable[[], float]) -> ChildProcess:
    """A process that asks, so that no client is loaded here and one that hangs can be ended; the first request starts it."""
    command = [sys.executable, "-m", "bankd.workers.model_worker", json.dumps(settings)]
    return ChildProcess(command, clock, last_seconds=GRACE + 1)


def request_of(prompt: Prompt) -> dict[str, Any]:
    """What the process is sent for a prompt."""
    said = {"system": prompt.system, "text": prompt.text, "schema": dict(prompt.schema)}
    return {**said, "most_tokens": prompt.most_tokens}


class ModelDoor:
    """The model of one workspace, for one run."""

    def __init__(
        self,
        settings: DistilPolicy,
        replies: ReplyLog,
        now: datetime,
        clock: Callable[[], float],
        wait: Callable[[float], object],
        start: Callable[[DistilPolicy, Callable[[], float]], ChildProcess] = start_child,
    ) -> None:
        """Take the model settings, the kept replies, the moment of the run, a monotonic clock in seconds, functions to wait and to start."""
        self._settings, self._replies, self._now, self._clock, self._wait = settings, replies, now, clock, wait
        self._child = start(settings, clock)
        self._ends: float | None = None
        self._closed = ""

    def answer(self, prompts: Sequence[Prompt]) -> list[Reply | Unanswered]:
        """Answer each prompt, in their order."""
        self._ends = self._clock() + 60 * self._settings.minutes if self._ends is None else self._ends
        return [self._answer(prompt) for prompt in prompts]

    def find(self, prompt: Prompt) -> Reply | None:
        """The reply to the same prompt that was kept."""
        return self._replies.find(_reply_key(self._settings, prompt))

    def _answer(self, prompt: Prompt) -> Reply | Unanswered:
        try:
            return self.find(prompt) or self._ask(prompt, _reply_key(self._settings, prompt))
        except BankError as problem:
            return Unanswered(f"the tokens it takes cannot be recorded: {problem}")

    def _ask(self, prompt: Prompt, key: str) -> Reply | Unanswered:
        """Ask until there is an answer, or a reason to ask no more."""
        request, retries, repairs = request_of(prompt), self._settings.retries, 1
        while True:
            if why := self._why_not(prompt):
                return Unanswered(why)
            call, told = self._call(prompt, request)
            if "value" in told:
                asked, answered = told.get("tokens") or (0, 0)
                reply = Reply(told["value"], int(asked), int(answered), is_kept=False)
                self._replies.keep(call, self._now, key, reply)
                return reply
            if "invalid" in told and repairs:
                request, repairs = request | {"again": [told["text"], told["invalid"]]}, 0
            elif told.get("kind") in ("busy", "failing") and retries and self._may_wait(told):
                retries -= 1
            else:
                reason = str(told.get("problem") or f"the answer cannot be used: {told.get('invalid')}")
                if told.get("kind") == "closed":
                    self._closed = reason
                return Unanswered(reason)

    def _why_not(self, prompt: Prompt) -> str:
        if self._closed:
            return self._closed
        if self._ends is not None and self._clock() >= self._ends:
            return f"the {self._settings.minutes} minutes of this night are over"
        left = self._settings.tokens_a_day - self._replies.spent(self._now.date())
        if most_taken(prompt) > left:
            return f"of the {self._settings.tokens_a_day:,} tokens of this day {max(left, 0):,} are left"
        return ""

    def _call(self, prompt: Prompt, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Make one call and note its tokens: the upper limit if they are unknown, none if nothing was sent."""
        call, most = uuid4().hex[:16], most_taken(prompt)
        self._replies.note(call, self._now, most=most)
        try:
            told = self._child.ask(request, seconds=self._settings.seconds + _GRACE)
        except ChildDiedError:
            told = {"problem": "no answer in time", "kind": "silent"}
        tokens = told.get("tokens")
        is_free = told.get("kind") in ("busy", "closed") and not tokens
        took = 0 if is_free else sum(tokens) if tokens else most
        self._replies.note(call, self._now, took=took)
        return call, told

    def _may_wait(self, told: dict[str, Any]) -> bool:
        """Wait as long as the server asks, unless that is too long for a night."""
        after = float(told.get("after", 0))
        if after > _LONGEST_WAIT:
            return False
        self._wait(after)
        return True

    def close(self) -> None:
        """End the process that asks."""
        self._child.close()


def most_taken(prompt: Prompt) -> int:
    """The most tokens of a call, including a rejected answer that is sent along."""
    asked = prompt.system + prompt.text + json.dumps(prompt.schema)
    return count_tokens(asked) + 2 * prompt.most_tokens + _FRAME_TOKENS


def _reply_key(settings: DistilPolicy, prompt: Prompt) -> str:
    """A key that is the same for the same question to the same model."""
    model = settings.command if settings.provider == "command" else settings.model
    said = [settings.provider, model, prompt.version, prompt.system, prompt.key or prompt.text, prompt.schema]
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]
