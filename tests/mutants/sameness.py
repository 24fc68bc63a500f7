"""What memories are to each other, what search makes of it, and what a person is asked once: each rule switched off."""

from __future__ import annotations

from tests.mutants.switching import Mutant

RELATIONS, PAIRS = "bankd.core.ranking.relations", "bankd.core.dedup.known_pairs"
COMPARING, COMPARED = "bankd.comparing", "bankd.adapters.workspace.compared_table"
FINDING = "bankd.search.finding"
OF_RELATIONS, OF_PAIRS = ("tests/unit/test_relations.py",), ("tests/unit/test_known_pairs.py",)
OF_GROUPS, OF_COPIES = ("tests/stories/test_near_groups.py",), ("tests/stories/test_near_copies.py",)

SAMENESS: tuple[Mutant, ...] = (
    Mutant(
        "weekly is not monthly", "bankd.core.dedup.gist", "agree_in_time", " and is_as_often", "",
        ("tests/unit/test_duplicates.py",),
    ),
    Mutant("of what is near one is shown", RELATIONS, "fold_near", "if first is None:", "if True:", OF_RELATIONS),
    Mutant(
        "what is older or newer is not folded", RELATIONS, "fold_near", " and not set(pair) & set(apart)", "", OF_RELATIONS
    ),
    Mutant(
        "what was changed since it was compared is near to nothing", RELATIONS, "relate",
        " and stored.keys.get(one.row.id) == _key_of(one)", "", OF_RELATIONS,
    ),
    Mutant("of what nobody dated neither is newer", RELATIONS, "relate", "if pair.is_dated and ", "if ", OF_RELATIONS),
    Mutant(
        "what a run took in as newer is newer", RELATIONS, "relate",
        "stored.superseded.get(pair.newer) != pair.older", "True", OF_RELATIONS,
    ),
    Mutant("of several newer ones the newest is told", RELATIONS, "relate", "pair.newer not in older", "0", OF_RELATIONS),
    Mutant(
        "each is shown where all is asked for, or pages are", FINDING, "find_answers",
        "listed or query.by_page or query.everything", "listed", OF_GROUPS,
    ),
    Mutant("what is folded makes room", FINDING, "find_answers", "else shown[: query.limit]", "else [one for one in shown if one in ranked[: query.limit]]", OF_GROUPS),
    Mutant("the older is compared with the newer", PAIRS, "compare_pairs", "key=_age", "key=lambda memory: memory.id", OF_PAIRS),
    Mutant("what a person keeps is not compared", COMPARING, "compare_changed", " - ledger.wanted_both", "", OF_GROUPS),
    Mutant(
        "who lets a line in wants both", "bankd.core.lifecycle.events", "Ledger.wanted_both",
        "self.kept_apart | {(min(pair), max(pair)) for pair in let_in}", "self.kept_apart", OF_COPIES,
    ),
    Mutant(
        "what was found of a changed memory is forgotten", COMPARED, "ComparedTable.changed",
        "if before is not None and before != now", "if now is None", OF_PAIRS,
    ),
    Mutant("by another threshold all is compared again", COMPARED, "ComparedTable._require", '"DELETE FROM looked_at"', '"SELECT 1"', OF_PAIRS),
    Mutant("old logs are compared when the last is in", "bankd.cycle", "_look_again", "0 if rest else ", "", OF_GROUPS),
)  # fmt: skip
