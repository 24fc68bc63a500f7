"""The interval of a share."""

from __future__ import annotations

import math

_Z = 1.959964
"""Of a normal distribution, for 95 %."""


def wilson(found: int, of: int) -> tuple[float, float]:
    """Wilson's score interval of a share, for 95 %; 0 to 1 of nothing."""
    if not of:
        return 0.0, 1.0
    share, z2 = found / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)
