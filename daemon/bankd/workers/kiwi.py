"""Starts and asks the Kiwi worker: when a text has to be analysed, again after it died, and until it was idle for a while.

The worker is this module as a program: one JSON request a line on stdin, one answer a line on stdout, until stdin ends.

    {"texts": ["가치관이 뭐야?"]}  →  {"analyses": [[["가치관", "뭐"]], false, {"가치관이": ["가치관"], "뭐야": ["뭐"]}]]}
    {"apart": ["뭐야?"]}  →  {"analyses": [[["뭐", "NP"], ["이", "VCP"], ["야", "EF"], ["?", "SF"]]]}

Only the worker imports kiwipiepy; its 530 MB end with the process. A search that never starts it imports neither
`threading` nor `json`. Where it cannot run, the caller gets None and reads with the lexicon.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bankd.pages.bare_json import read_json, write_json
from bankd.words.analysis import VERSION, analyse_text, normal_form, readings_of

if TYPE_CHECKING:
    import subprocess

_BATCH = 200
"""Texts a request: some 50 ms of work, so that a stop is noticed soon."""

_START_SECONDS = 60.0
_ANSWER_SECONDS = 60.0


def kiwi_version() -> str:
    """The version of the installed analyser, its model and our reading of it; from folder names, without imports."""
    from pathlib import Path  # noqa: PLC0415 -- only who reads for the index asks

    folders = (Path(folder) for folder in sys.path if folder and Path(folder).is_dir())
    names = sorted({entry.name for folder in folders for entry in folder.glob("kiwipiepy*.dist-info")})
    return "+".join([*(name.removesuffix(".dist-info") for name in names), f"reading-{VERSION}"])


class KiwiWorker:
    """One worker process, at most; safe to use from several threads."""

    def __init__(self, clock: Callable[[], float], idle_seconds: float = 120.0) -> None:
        """Take a monotonic clock in seconds and how long an idle worker is kept."""
        self._clock = clock
        self._idle_seconds = idle_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = allocate_lock()
        self._last_used = 0.0
        self._is_ready = False
        self._waiting = b""

    @property
    def is_running(self) -> bool:
        """Whether the process is there, loaded or not."""
        process = self._process
        return process is not None and process.poll() is None

    @property
    def is_warm(self) -> bool:
        """Whether a request would be answered at once: Kiwi is loaded, and no other thread waits for it."""
        if not self.is_running or not self._lock.acquire(blocking=False):
            return False
        try:
            return self._wait_until_ready(0.0)
        finally:
            self._lock.release()

    def start(self) -> None:
        """Start loading Kiwi without waiting for it; another thread that holds the lock has started it."""
        if self._lock.acquire(blocking=False):
            try:
                self._ensure()
            finally:
                self._lock.release()

    def analyse(self, texts: Sequence[str]) -> list[list[object]] | None:
        """Analyse texts, starting the worker when needed; None when it cannot run or died twice."""
        return self._try_twice("texts", texts)

    def take_apart(self, texts: Sequence[str]) -> list[list[object]] | None:
        """Give the morphemes of texts as pairs of form and tag; None when the worker cannot run or died twice."""
        return self._try_twice("apart", texts)

    def _try_twice(self, kind: str, texts: Sequence[str]) -> list[list[object]] | None:
        with self._lock:
            for _ in range(2):
                answers: list[list[object]] = []
                is_there = self._ensure() and self._wait_until_ready(_START_SECONDS)
                for at in range(0, len(texts) if is_there else 0, _BATCH):
                    answer = self._ask({kind: list(texts[at : at + _BATCH])})
                    if answer is None:
                        is_there = False
                        break
                    answers += answer["analyses"]
                if is_there:
                    self._last_used = self._clock()
                    return answers
                self._end()
        return None

    def end_if_idle(self) -> None:
        """End the worker when nobody used it for a while; call it now and then, it returns at once."""
        if self._lock.acquire(blocking=False):
            try:
                if self._process is not None and self._clock() - self._last_used > self._idle_seconds:
                    self._end()
            finally:
                self._lock.release()

    def end(self) -> None:
        """End the worker."""
        with self._lock:
            self._end()

    def _ensure(self) -> bool:
        if self.is_running:
            return True
        import subprocess  # noqa: PLC0415 -- `bankctl search` has no time for it

        command = [sys.executable, "-m", "bankd.workers.kiwi"]
        try:
            self._process = subprocess.Popen(  # noqa: S603 -- our own module, no shell
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:
            return False
        self._last_used, self._is_ready, self._waiting = self._clock(), False, b""
        return True

    def _wait_until_ready(self, seconds: float) -> bool:
        self._is_ready = self._is_ready or self._read(seconds) is not None
        return self._is_ready

    def _ask(self, request: dict[str, object]) -> dict[str, list[list[object]]] | None:
        process = self._process
        if process is None or process.stdin is None:
            return None
        try:
            process.stdin.write(write_json(request).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            return None
        return self._read(_ANSWER_SECONDS)

    def _read(self, seconds: float) -> dict[str, list[list[object]]] | None:
        """One line of the worker; None when it is dead, or silent for so many seconds."""
        import select  # noqa: PLC0415 -- most searches without a daemon start no worker

        process = self._process
        if process is None or process.stdout is None:
            return None
        descriptor = process.stdout.fileno()
        while b"\n" not in self._waiting:
            if not select.select([descriptor], [], [], seconds)[0]:
                return None
            block = process.stdout.read1(1 << 20)  # type: ignore[attr-defined]
            if not block:
                return None
            self._waiting += block
        line, _, self._waiting = self._waiting.partition(b"\n")
        answer: dict[str, list[list[object]]] = read_json(line)
        return answer

    def _end(self) -> None:
        process, self._process, self._is_ready = self._process, None, False
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.kill()  # it holds nothing that is worth a goodbye
        process.wait()


def main() -> None:
    """Be the worker: answer requests until the other side closes the pipe."""
    import json  # noqa: PLC0415 -- for the worker alone

    from kiwipiepy import Kiwi  # noqa: PLC0415 -- same

    kiwi = Kiwi(num_workers=2, load_multi_dict=False)
    kiwi.tokenize("준비")
    print(json.dumps({"ready": True}), flush=True)  # noqa: T201 -- the pipe is the protocol
    for line in sys.stdin:
        request = json.loads(line)
        answers: list[object] = []
        if "apart" in request:
            answers += [[(token.form, str(token.tag)) for token in found] for found in kiwi.tokenize(request["apart"])]
        texts = request.get("texts", [])
        for text, tokens in zip(texts, kiwi.tokenize([normal_form(text) for text in texts]), strict=True):
            morphemes = [(token.form, str(token.tag), token.start) for token in tokens]
            analysis = analyse_text(text, morphemes)
            answers.append([analysis.sentences, analysis.denies, readings_of(text, morphemes)])
        print(json.dumps({"analyses": answers}, ensure_ascii=False), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
