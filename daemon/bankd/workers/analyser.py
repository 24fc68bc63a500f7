"""Reads Korean texts for the index, for queries and for comparing: from a cache, by the Kiwi worker, else without it.

Without Kiwi the index and queries use the bank's own lexicon, and comparing uses whole words. The cache is by the hash of
the text and the version of the analyser. It lies outside the index, so that an index is built anew without analysing
anything again.

The worker is this module as a program: one JSON request per line, one answer per line, until its master goes.

    {"texts": ["가치관이 뭐야?"]}  →  {"analyses": [["가치관 뭐", false, {"가치관이": "가치관", "뭐야": "뭐"}]]}
    {"apart": ["뭐야?"]}  →  {"analyses": [[["뭐", "NP"], ["이", "VCP"], ["야", "EF"], ["?", "SF"]]]}

Only the worker imports kiwipiepy; its 530 MB end with the process. `bankctl search` loads this module, so it imports little.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from bankd.pages.text import is_utf8
from bankd.words import analysis

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.search.indexable import IndexAnalyses
    from bankd.storage.disk import DerivedDatabase
    from bankd.system.child import ChildProcess
    from bankd.words.statement import Wording

_SCHEMA = "CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, analysis TEXT) WITHOUT ROWID;"
_BATCH = 200
"""Texts per request: some 50 ms of work, so that a stop is noticed soon."""
_SECONDS = 120.0
"""Seconds that a request may take, including loading Kiwi before the first."""


Kind: TypeAlias = Literal["texts", "apart"]
"""What the worker gives of a text: its analysis for the index, or its morphemes."""


class Analysed(NamedTuple):
    """An analysis, and for the lexicon the terms of each run of Hangul in the text, with spaces between."""

    sentences: str
    denies: bool
    readings: Mapping[str, str]


def _key(text: str, version: str) -> bytes:
    import hashlib  # noqa: PLC0415 -- a query never needs it, and it loads OpenSSL

    return hashlib.sha256(f"{version}\0{text}".encode("utf-8", "surrogateescape")).digest()[:16]


def kiwi_version() -> str:
    """The version of the installed analyser, its model and our reading of it; from folder names, without imports."""
    from pathlib import Path  # noqa: PLC0415 -- only who reads for the index asks

    folders = (Path(folder) for folder in sys.path if folder and Path(folder).is_dir())
    names = sorted({entry.name for folder in folders for entry in folder.glob("kiwipiepy*.dist-info")})
    return "+".join([*(name.removesuffix(".dist-info") for name in names), f"reading-{analysis.VERSION}"])


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
            self._child = ChildProcess([sys.executable, "-m", "bankd.workers.analyser"], self._clock)
        return self._child

    def ask(self, kind: Kind, texts: Sequence[str]) -> list[Any] | None:
        """What it gives of each text, starting it when needed; None when it cannot run or died twice."""
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


class Analyser:
    """Reads texts for the index, and takes texts apart for comparing them."""

    def __init__(self, folder: Path | str, worker: KiwiWorker | None, version: Callable[[], str]) -> None:
        """Take the folder of the cache, the worker if there is one, and a function that gives its version.

        The folder is made when something is first read. A lost cache costs only the time to analyse again.
        """
        self._folder, self._worker, self._version = folder, worker, version
        self._opened: DerivedDatabase | None = None
        self.may_wait = False
        """Whether the worker is asked, which has to load first: by runs."""

    @cached_property
    def version(self) -> str:
        """The version of the morphological analyser; empty without one."""
        return self._version() if self._worker is not None else ""

    @property
    def is_thorough(self) -> bool:
        """Whether texts are analysed by the worker."""
        return self._worker is not None and self.may_wait

    def analyse_for_index(self, texts: Collection[str], lexicon: analysis.Lexicon) -> IndexAnalyses:
        """Read texts for the index: thoroughly, or provisionally where the worker is not asked or does not answer."""
        korean = sorted(text for text in texts if analysis.has_hangul(text))
        found = {text: Analysed(*one) for text, one in self._read("texts", korean, may_ask=self.may_wait).items()}
        fresh = {run: terms for one in found.values() for run, terms in one.readings.items()}
        analyses = {text: analysis.AnalysisText(one.sentences, one.denies) for text, one in found.items()}
        provisional = frozenset(text for text in korean if text not in found)
        newest = cache(lambda run: analysis.read_run(run, fresh[run].split()) if run in fresh else lexicon(run))
        analyses.update((text, analysis.as_text(analysis.analyse_by_lexicon(text, newest))) for text in provisional)
        from bankd.search.indexable import IndexAnalyses  # noqa: PLC0415 -- a query has no time for reading pages

        analyses.update((text, analysis.as_text(analysis.analyse_text(text))) for text in texts if text not in analyses)
        return IndexAnalyses(analyses, fresh, provisional)

    def take_apart(self, texts: Iterable[str]) -> dict[str, Wording]:
        """The wording of each text; waits for the worker, since without it Korean is only compared by whole words."""
        from bankd.words.statement import Morpheme, Wording, plain_wording  # noqa: PLC0415 -- a query never needs it

        distinct = dict.fromkeys(texts)
        # The worker refuses bytes that are not UTF-8.
        asked = distinct if self._worker is not None else ()
        korean = [text for text in asked if analysis.has_hangul(text) and is_utf8(text)]
        found = self._read("apart", korean, may_ask=True).items()
        morphemes = {text: tuple(Morpheme(*pair) for pair in pairs) for text, pairs in found}
        return {text: Wording(text, morphemes[text]) if text in morphemes else plain_wording(text) for text in distinct}

    def _read(self, kind: Kind, texts: Sequence[str], *, may_ask: bool) -> dict[str, Any]:
        """What the worker said of these texts, or says now if it may be asked; those of which it says nothing are left out."""
        if not texts:
            return {}
        import json  # noqa: PLC0415 -- a query never needs it

        keys = {text: _key(text, f"{self.version}+{kind}") for text in texts}
        query = "SELECT key, analysis FROM analyses WHERE key IN ({})"
        kept = dict(self._database.read_among(query, sorted(keys.values()), lambda key, one: (key, json.loads(one))))
        found = {text: kept[key] for text, key in keys.items() if key in kept}
        missing = [text for text in texts if text not in found]
        answer = self._worker.ask(kind, missing) if missing and may_ask and self._worker is not None else None
        if answer is not None:
            fresh = dict(zip(missing, answer, strict=True))
            encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
            rows = [(keys[text], encode(one)) for text, one in fresh.items()]
            self._database.change_rows(("INSERT OR REPLACE INTO analyses VALUES (?, ?)", rows))
            found |= fresh
        return found

    @property
    def _database(self) -> DerivedDatabase:
        from pathlib import Path  # noqa: PLC0415 -- a query never needs it

        from bankd.storage.disk import DerivedDatabase, make_in_workspace  # noqa: PLC0415 -- same

        if self._opened is None:
            folder = Path(self._folder)
            make_in_workspace(folder)
            self._opened = DerivedDatabase(folder / "analyses.sqlite3", _SCHEMA, 1)
            self._opened.execute("PRAGMA journal_mode = WAL")
            self._opened.execute("PRAGMA synchronous = NORMAL")
        return self._opened

    def take_made_anew(self) -> list[str]:
        """Messages about damage to the cache that was mended; each is given once."""
        return self._opened.take_made_anew() if self._opened else []

    def close(self) -> None:
        """Close the cache, and end the worker."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        if self._worker is not None:
            self._worker.end()


def main() -> None:
    """Be the worker: answer requests until the master is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # messages of Kiwi are dropped
    import unicodedata  # noqa: PLC0415 -- for the worker alone

    from kiwipiepy import Kiwi  # noqa: PLC0415 -- same

    from bankd.system.child import serve_master  # noqa: PLC0415 -- same

    kiwi = Kiwi(num_workers=2, load_multi_dict=False)
    kiwi.tokenize("준비")

    def answer(request: dict[str, list[str]], _descriptor: int | None) -> dict[str, list[object]]:
        apart = kiwi.tokenize([unicodedata.normalize("NFC", text) for text in request.get("apart", [])])
        answers: list[object] = [[(token.form, str(token.tag)) for token in tokens] for tokens in apart]
        texts = request.get("texts", [])
        for text, tokens in zip(texts, kiwi.tokenize([analysis.normal_form(text) for text in texts]), strict=True):
            morphemes = [(token.form, str(token.tag), token.start) for token in tokens]
            readings = {run: " ".join(terms) for run, terms in analysis.readings_of(text, morphemes).items()}
            answers.append(Analysed(*analysis.as_text(analysis.analyse_text(text, morphemes)), readings))
        return {"analyses": answers}

    serve_master(answer)


if __name__ == "__main__":
    main()
