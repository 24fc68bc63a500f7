"""Search put together for a workspace: the same for the daemon, the command line and the evaluation.

What a query needs is imported here, and nothing else: `bankctl search` without a daemon passes through this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from bankd.adapters.index.page_files import PageFiles
from bankd.adapters.index.recall import RecallBuffer
from bankd.adapters.index.search_index import SearchIndex
from bankd.adapters.index.successors import Successors
from bankd.adapters.korean.analyser import Analyser
from bankd.adapters.korean.analyses import AnalysisCache
from bankd.adapters.korean.kiwi import KiwiWorker, kiwi_version
from bankd.adapters.system.clock import read_monotonic
from bankd.app.beside import BesideIndexes
from bankd.app.search_service import SearchParts, SearchService
from bankd.core.ranking.search_settings import MeaningSettings, SearchSettings
from bankd.search.ranking_options import RankingOptions
from bankd.wiring.search_settings import search_settings

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.adapters.korean.wordings import CachedWordings
    from bankd.adapters.meaning.sentence_vectors import SentenceVectors
    from bankd.app.evaluate import TrialTools
    from bankd.core.ranking.query import Hit
    from bankd.core.secrets.screening import Finder


def open_search(root: Path, *, is_daemon: bool = False) -> SearchService:
    """Put search together for a workspace, by its settings."""
    settings = search_settings(root)
    return make_search(root, settings, worker_for(settings), is_daemon=is_daemon)


def worker_for(settings: SearchSettings) -> KiwiWorker | None:
    """The door to a Kiwi worker, which starts when a text has to be analysed; None where the settings want none."""
    return KiwiWorker(read_monotonic) if settings.analyser == "kiwi" else None


def trial_tools(meaning: str = "off") -> TrialTools:
    """What judging search needs; `meaning` names the model of sentence vectors."""
    from bankd.app.evaluate import SETTINGS, TrialTools  # noqa: PLC0415 -- a query has no time for it

    settings = SETTINGS._replace(meaning=(meaning,))
    worker = worker_for(settings)
    return TrialTools(
        lambda root, with_worker: make_search(root, settings, worker if with_worker else None), read_monotonic
    )


def make_search(
    root: Path | str,
    settings: SearchSettings,
    worker: KiwiWorker | None = None,
    *,
    is_daemon: bool = False,
    is_bank_alone: bool = False,
) -> SearchService:
    """Put search together, of the bank and what is beside it, or of the bank alone; several may share a worker."""
    cache = AnalysisCache(f"{root}/.bankd/analyses")
    analyser = Analyser(cache, worker, kiwi_version)
    index = SearchIndex(f"{root}/.bankd/index", PageFiles(f"{root}/bank"), analyser)
    beside = BesideIndexes({}, lambda _: None) if is_bank_alone else make_beside(root, analyser, settings)
    recalls = RecallBuffer(f"{root}/recall", settings.recall_minutes)
    successors = Successors(f"{root}/.bankd/catalogue.sqlite3")
    vectors = vectors_for(root, settings)
    losses_of = index.losses_of if settings.suppression else None
    options = RankingOptions(
        settings.tree_weight, settings.decay_per_day * 100, successors, vectors, losses_of=losses_of
    )

    def wordings() -> CachedWordings:
        from bankd.adapters.korean.wordings import CachedWordings  # noqa: PLC0415 -- a query never compares

        return CachedWordings(cache, worker, kiwi_version)

    def write_tree(write: Callable[[str, bytes], None]) -> None:
        from pathlib import Path  # noqa: PLC0415 -- a query has no time for it

        from bankd.adapters.index.tree_file import write_tree  # noqa: PLC0415 -- a query has no time for it

        write_tree(Path(root), index, write)

    return SearchService(
        SearchParts(
            index, beside, analyser, recalls, options, wordings, write_tree, settings.unusable, vectors, successors
        ),
        is_daemon=is_daemon,
    )


def vectors_for(root: Path | str, settings: SearchSettings) -> SentenceVectors | None:
    """The door to sentence vectors of a workspace; None where the settings want none."""
    meaning = MeaningSettings(*settings.meaning)
    if not meaning.is_on:
        return None
    from pathlib import Path  # noqa: PLC0415 -- a query without them has no time for it

    from bankd.adapters.meaning.sentence_vectors import SentenceVectors  # noqa: PLC0415 -- it loads OpenSSL

    return SentenceVectors(Path(root, ".bankd"), meaning, read_monotonic)


def make_beside(root: Path | str, analyser: Analyser, settings: SearchSettings) -> BesideIndexes:
    """The indexes of the logs and of the archive."""
    from bankd.adapters.index.log_pages import LogPages  # noqa: PLC0415 -- a hook asks the bank alone

    patterns = settings.secret_patterns
    logs = LogPages(f"{root}/memory", patterns, partial(compile_patterns, patterns))
    sources = {"logs": logs, "archive": PageFiles(f"{root}/archive", "archive")}
    indexes = {
        group: SearchIndex(f"{root}/.bankd/index/{group}", source, analyser) for group, source in sources.items()
    }

    def outcome_of(hit: Hit) -> str | None:
        from pathlib import Path  # noqa: PLC0415 -- most answers are of the bank

        from bankd.adapters.index.outcomes import LineOutcomes  # noqa: PLC0415 -- same

        return LineOutcomes(Path(root), anywhere=settings.anywhere).of(hit)

    return BesideIndexes(indexes, outcome_of)


def compile_patterns(patterns: Sequence[str]) -> Sequence[Finder]:
    """The user's own patterns for credentials, compiled."""
    from bankd.config import compile_finders  # noqa: PLC0415 -- YAML and RE2 are slow to import

    return compile_finders(patterns) if patterns else ()
