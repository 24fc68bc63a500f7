"""What search needs of the settings of a workspace."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Sequence
from typing import NamedTuple


class SearchSettings(NamedTuple):
    """What search needs of `bankd.yaml`."""

    timezone: str
    analyser: str
    tree_weight: float
    cache_minutes: int
    cache_entries: int
    recall_minutes: int
    decay_per_day: float
    secret_patterns: Sequence[str] = ()
    anywhere: bool = False
    decay_floor: float = 0.30
    unusable: str = ""
    """What there is to say of a settings file that cannot be used, and by which settings it was answered."""
