"""Say from which public repositories the sets of `bench.memory` are made, and how; nothing is downloaded.

    python -m bench.fetch

None of it lies in this repository: two of the sets name no licence, one is for non-commercial use. Each set is a folder
below `data/` of the folder that `BANKD_SHARED` names, with `docs.jsonl` (`id`, `text`, and where there are any `title`,
`conv`, `session`, `speaker`, `day`), `queries.jsonl` (`id`, `text`, `conv`, `now`) and `qrels.tsv` (question, document, grade).
"""

from __future__ import annotations

import sys
from typing import NamedTuple


class Source(NamedTuple):
    """Where a set comes from, at which commit, under which licence, and what becomes a document and an answer."""

    repository: str
    commit: str
    licence: str
    made: str


SOURCES = {
    "beam-100k-dev": Source(
        "https://github.com/mohammadtavakoli78/BEAM", "b2a3ee8ba12d", "none stated",
        "100K chats 1, 4, 6, 8, 11, 13, 16, 19: a document a message, up to 12,000 letters; answers are `source_chat_ids`",
    ),
    "realmem-dev": Source(
        "https://github.com/AvatarMemory/RealMemBench", "67afd0891d60", "Apache-2.0",
        "Kenta_Tanaka, Lin_Wanyu, Pak_Budi, Sophie_Dubois: a document a turn; sessions.tsv names the earlier sessions used",
    ),
    "lifebench-dev": Source(
        "https://github.com/1754955896/LifeBench", "96660ea27f64", "Apache-2.0",
        "fenghaoran, leimingxuan, lumingqiang in English: a document an item of the phone; answers are `evidence`",
    ),
    "locomo-turns-1-5, -facts-1-5, -sessions-1-5": Source(
        "https://github.com/snap-research/locomo", "e76cdff4a04f", "CC BY-NC 4.0",
        "conversations 26, 30, 41, 42, 43: a document a turn, an observation, or a session's summary; answers are `evidence`",
    ),
    "locomo-audited-dev": Source(
        "https://github.com/dial481/locomo-audit", "9493fb4b4af4", "CC BY-NC 4.0",
        "audit.json: `drop` (questions left out) and `relabel` (question: its right turns), for the turns",
    ),
    "short": Source(
        "https://github.com/nextain/alpha-memory", "", "Apache-2.0",
        "the facts of naia-contract-ko; data/enriched has questions that a large model wrote from each fact alone",
    ),
    "korquad1-a": Source(
        "https://korquad.github.io", "", "CC BY-ND 2.0 KR", "KorQuAD 1.0: a document a paragraph; do not publish",
    ),
}  # fmt: skip


def main() -> int:
    for name, source in SOURCES.items():
        at = f" at {source.commit}" if source.commit else ""
        print(f"{name}\n  {source.repository}{at} ({source.licence})\n  {source.made}")
    print("scenarios\n  written for this project and not published")
    return 0


if __name__ == "__main__":
    sys.exit(main())
