"""Starts and asks the Kiwi worker: when a text has to be analysed, and again after it died.

The worker is this module as a program: one JSON request a line, one answer a line, until its master goes.

    {"texts": ["가치관이 뭐야?"]}  →  {"analyses": [[["가치관", "뭐"]], false, {"가치관이": ["가치관"], "뭐야": ["뭐"]}]]}
    {"apart": ["뭐야?"]}  →  {"analyses": [[["뭐", "NP"], ["이", "VCP"], ["야", "EF"], ["?", "SF"]]]}

Only the worker imports kiwipiepy; its 530 MB end with the process. A search that never starts it does
not import `system.child`. Where it cannot run, the caller gets None and reads with the lexicon.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from bankd.words.analysis import VERSION, analyse_text, normal_form, readings_of

if TYPE_CHECKING:
    from bankd.system.child import ChildProcess

_BATCH = 200
"""Texts a request: some 50 ms of work, so that a stop is noticed soon."""
_SECONDS = 120.0
"""What a request may take, with the loading of Kiwi before the first."""


def kiwi_version() -> str:
    """The version of the installed analyser, its model and our reading of it; from folder names, without imports."""
    from pathlib import Path  # noqa: PLC0415 -- only who reads for the index asks

    folders = (Path(folder) for folder in sys.path if folder and Path(folder).is_dir())
    names = sorted({entry.name for folder in folders for entry in folder.glob("kiwipiepy*.dist-info")})
    return "+".join([*(name.removesuffix(".dist-info") for name in names), f"reading-{VERSION}"])


class KiwiWorker:
    """One worker process, at most; safe to use from several threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Take a monotonic clock in seconds."""
        self._clock = clock
        self._child: ChildProcess | None = None

    def _made(self) -> ChildProcess:
        """The door to the process; the process itself starts with the first request."""
        from bankd.system.child import ChildProcess  # noqa: PLC0415 -- `bankctl search` has no time for it

        if self._child is None:
            self._child = ChildProcess([sys.executable, "-m", "bankd.workers.kiwi"], self._clock)
        return self._child

    @property
    def is_warm(self) -> bool:
        """Whether a request would be answered at once: Kiwi is loaded, and no other thread waits for it."""
        return self._child is not None and self._child.is_warm

    def start(self) -> None:
        """Start loading Kiwi without waiting for it."""
        self._made().begin({"texts": []})

    def analyse(self, texts: Sequence[str]) -> list[list[object]] | None:
        """Analyse texts, starting the worker when needed; None when it cannot run or died twice."""
        return self._try_twice("texts", texts)

    def take_apart(self, texts: Sequence[str]) -> list[list[object]] | None:
        """Give the morphemes of texts as pairs of form and tag; None when the worker cannot run or died twice."""
        return self._try_twice("apart", texts)

    def _try_twice(self, kind: str, texts: Sequence[str]) -> list[list[object]] | None:
        from bankd.system.child import ChildDiedError  # noqa: PLC0415 -- as above

        child, batches = self._made(), [list(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
        for _ in range(2):
            with suppress(ChildDiedError):
                answers = [child.ask({kind: batch}, seconds=_SECONDS) for batch in batches]
                return [one for answer in answers for one in answer["analyses"]]
        return None

    def end(self) -> None:
        """End the worker; the next request starts another."""
        child, self._child = self._child, None
        if child is not None:
            child.close()


def main() -> None:
    """Be the worker: answer requests until the master is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what Kiwi has to say is for nobody
    from kiwipiepy import Kiwi  # noqa: PLC0415 -- for the worker alone

    from bankd.system.child import serve_master  # noqa: PLC0415 -- same

    kiwi = Kiwi(num_workers=2, load_multi_dict=False)
    kiwi.tokenize("준비")

    def answer(request: dict[str, list[str]], _descriptor: int | None) -> dict[str, list[object]]:
        apart = kiwi.tokenize(request.get("apart", []))
        answers: list[object] = [[(token.form, str(token.tag)) for token in tokens] for tokens in apart]
        texts = request.get("texts", [])
        for text, tokens in zip(texts, kiwi.tokenize([normal_form(text) for text in texts]), strict=True):
            morphemes = [(token.form, str(token.tag), token.start) for token in tokens]
            analysis = analyse_text(text, morphemes)
            answers.append([analysis.sentences, analysis.denies, readings_of(text, morphemes)])
        return {"analyses": answers}

    serve_master(answer)


if __name__ == "__main__":
    main()
