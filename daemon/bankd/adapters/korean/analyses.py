"""The cache of morphological analyses, by the hash of the text and the version of the analyser.

It lives outside the index, so that an index can be rebuilt without analysing anything again.
"""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from bankd.core.language.analysis import Analysis, AnalysisText, as_text, bigrams_of, normal_form, runs_of

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.adapters.storage.derived import DerivedDatabase

_AT_ONCE = 500
"""Keys asked for together; every SQLite takes 999."""

_FIELDS = "\x1e"
_SCHEMA = "CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, analysis TEXT) WITHOUT ROWID;"
_T = TypeVar("_T")


class Analysed(NamedTuple):
    """An analysis, and for the lexicon the runs of Hangul in it, one a line, and the terms of each, with spaces between."""

    analysis: AnalysisText
    runs: str
    terms: str


def readings_of_all(found: Iterable[Analysed]) -> dict[str, str]:
    """How each run of Hangul in these texts was read."""
    read = [one for one in found if one.runs]
    if not read:
        return {}
    runs, terms = ("\n".join(lines).split("\n") for lines in ([one.runs for one in read], [one.terms for one in read]))
    return dict(zip(runs, terms, strict=True))


class AnalysisCache:
    """Analyses on disk; losing it costs only the time to analyse again."""

    def __init__(self, folder: "Path | str") -> None:
        """Keep the cache in this folder, which is made when something is first put in."""
        self._folder = folder
        self._opened: DerivedDatabase | None = None

    def get(self, texts: Iterable[str], version: str) -> dict[str, Analysed]:
        """The analyses of those of these texts that are known in this version."""
        return self._kept(texts, version, _unpacked)

    def get_raw(self, texts: Iterable[str], version: str) -> dict[str, list[object]]:
        """What the worker answered, in this version, for those of these texts that it was asked about."""
        import json  # noqa: PLC0415 -- a query never needs it

        return self._kept(texts, version, json.loads)

    def _kept(self, texts: Iterable[str], version: str, unpack: Callable[[str], _T]) -> dict[str, _T]:
        keys = {text: _key(text, version) for text in texts}
        kept = self._by_key(sorted(set(keys.values())), unpack)
        return {text: kept[key] for text, key in keys.items() if key in kept}

    def _by_key(self, keys: Sequence[bytes], unpack: Callable[[str], _T]) -> dict[bytes, _T]:
        found: dict[bytes, _T] = {}
        for at in range(0, len(keys), _AT_ONCE):
            asked = keys[at : at + _AT_ONCE]
            query = f"SELECT key, analysis FROM analyses WHERE key IN ({','.join('?' * len(asked))})"  # noqa: S608
            found.update(self._database.read(query, asked, lambda key, kept: (key, unpack(kept))))
        return found

    def put(self, analyses: Mapping[str, Analysed], version: str) -> None:
        """Keep the analysis of each text."""
        self._put([(_key(text, version), _packed(one)) for text, one in analyses.items()])

    def put_raw(self, answers: Mapping[str, list[object]], version: str) -> None:
        """Keep what the worker answered for each text."""
        self._put([(_key(text, version), _encode(raw)) for text, raw in answers.items()])

    def _put(self, rows: Sequence[tuple[bytes, str]]) -> None:
        database = self._database
        database.change(lambda: database.execute_many("INSERT OR REPLACE INTO analyses VALUES (?, ?)", rows))

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage, once."""
        return self._opened.take_made_anew() if self._opened else []

    def close(self) -> None:
        """Let go of the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @property
    def _database(self) -> "DerivedDatabase":
        from pathlib import Path  # noqa: PLC0415 -- a query never needs it

        from bankd.adapters.storage.derived import DerivedDatabase, make_in_workspace  # noqa: PLC0415 -- same

        if self._opened is None:
            folder = Path(self._folder)
            make_in_workspace(folder)
            self._opened = DerivedDatabase(folder / "analyses.sqlite3", _SCHEMA, 1)
            self._opened.execute("PRAGMA journal_mode = WAL")
            self._opened.execute("PRAGMA synchronous = NORMAL")
        return self._opened


def analysis_of(text: str, raw: Sequence[object]) -> Analysis:
    """Make what the worker answers for a text into an analysis."""
    sentences, denies, _ = raw
    kept = tuple(tuple(sentence) for sentence in sentences if sentence)  # type: ignore[attr-defined]
    return Analysis(kept, tuple(bigrams_of(runs_of(text))), bool(denies))


def pack_analysis(text: str, raw: Sequence[object]) -> Analysed:
    """The same with the readings, as it is kept."""
    readings: Mapping[str, Sequence[str]] = raw[2]  # type: ignore[assignment]
    return Analysed(as_text(analysis_of(text, raw)), "\n".join(readings), "\n".join(map(" ".join, readings.values())))


def _packed(one: Analysed) -> str:
    """Words between spaces, lines between line breaks: thousands are read at once, and JSON takes three times as long."""
    sentences, bigrams, denies = one.analysis
    return _FIELDS.join((sentences, bigrams, "denies" if denies else "", one.runs, one.terms))


def _unpacked(kept: str) -> Analysed:
    sentences, bigrams, denies, runs, terms = kept.split(_FIELDS)
    if runs.count("\n") != terms.count("\n"):
        raise ValueError("a run without its terms")
    return Analysed(AnalysisText(sentences, bigrams, bool(denies)), runs, terms)


def _key(text: str, version: str) -> bytes:
    import hashlib  # noqa: PLC0415 -- a query never needs it, and it loads OpenSSL

    return hashlib.sha256(f"{version}\0{normal_form(text)}".encode("utf-8", "surrogateescape")).digest()[:16]


def _encode(raw: Sequence[object]) -> str:
    import json  # noqa: PLC0415 -- same

    return json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
