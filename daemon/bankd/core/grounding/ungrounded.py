"""Whether a line that a model wrote says only what the lines say that it names.

Every number, date, name, path, version and negation of it must stand in them, and where they have it. It is laid over
their sentences word by word, and what is left over is judged; whatever this refuses, a person may still take in.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bankd.core.grounding.attesting import find_unattested
from bankd.core.grounding.attributing import find_misattributed
from bankd.core.grounding.dating import find_misdated
from bankd.core.grounding.denying import find_denied
from bankd.core.grounding.displacing import find_displaced
from bankd.core.grounding.exchanging import find_exchanged
from bankd.core.grounding.misnaming import find_misnamed
from bankd.core.grounding.overstating import find_overstated
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.said_in_log import SaidInLog
from bankd.core.grounding.turning import find_turned


def find_ungrounded(line: Passage, sources: Sequence[Passage], day: date | None) -> str | None:
    """What a line says that none of its sources does, in words; None when there is nothing.

    Args:
        line: what the model wrote.
        sources: the sentences of the log that it names.
        day: of the log, by which "yesterday" is resolved; None where it has none.
    """
    if not sources:
        return "it names no line of the log"
    said = SaidInLog(sources, day)
    return (
        find_unattested(line, said)
        or find_turned(line, sources)
        or find_denied(line, sources)
        or find_exchanged(line, sources, said)
        or find_overstated(line, sources)
        or find_misattributed(line, sources)
        or find_displaced(line, sources, said)
        or find_misdated(line, sources, day)
        or find_misnamed(line, sources, said)
    )
