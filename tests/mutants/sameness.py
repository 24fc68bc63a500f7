"""What memories are to each other, what search makes of it, and what a person is asked once: each rule switched off."""

from __future__ import annotations

from tests.mutants.switching import Mutant

RELATIONS, PAIRS = "bankd.search.find", "bankd.same.pairs"
COMPARE, SLOTS = "bankd.same.compare", "bankd.same.slots"
COMPARING, COMPARED = "bankd.memory.judge", "bankd.workspace.catalog"
MATCHING, OF_MATCHING = "bankd.night.match", ("tests/stories/test_matching.py",)
FINDING = "bankd.search.find"
OF_COMPARE, OF_READING = ("tests/unit/test_compare.py",), ("tests/unit/test_reading.py",)
OF_RELATIONS, OF_PAIRS = ("tests/unit/test_relations.py",), ("tests/unit/test_pairs.py",)
OF_GROUPS, OF_COPIES = ("tests/stories/test_near_groups.py",), ("tests/stories/test_near_copies.py",)

SAMENESS: tuple[Mutant, ...] = (
    Mutant("who is spoken of is compared", COMPARE, "compare_statements", "old.about != new.about or ", "", OF_COMPARE),
    Mutant("a question is no statement", COMPARE, "compare_statements", " or not _moods_agree(old.mood, new.mood)", "", OF_COMPARE),
    Mutant("what is the same meets the threshold", COMPARE, "compare_statements", "score >= threshold and ", "", OF_COMPARE),
    Mutant("who does it is not whom it is done to", COMPARE, "_say_the_same", "one == other or not (one and other)", "True", OF_COMPARE),
    Mutant("Korean phrases may stand in any order", COMPARE, "_say_the_same", "old.has_free_order and new.has_free_order and old.phrases == new.phrases", "False", OF_COMPARE),
    Mutant("a repetition is found before a newer value", COMPARE, "find_match", "(Relation.SAME, Relation.NEWER)", "(Relation.NEWER, Relation.SAME)", OF_COMPARE),
    Mutant("what was done once can be done again", COMPARE, "_changed_value", "old.is_event or new.is_event or ", "", OF_COMPARE),
    Mutant("what is also so replaces nothing", COMPARE, "_changed_value", "new.adds or ", "", OF_COMPARE),
    Mutant("one value differs and no other", COMPARE, "_changed_value", "len(gone) != 1 or len(come) != 1 or ", "", OF_COMPARE),
    Mutant("today is another day tomorrow", COMPARE, "_changed_value", "any(item.sort == RELATIVE for item in (*old.items, *new.items))", "False", OF_COMPARE),
    Mutant("a value gives place to one of its sort", COMPARE, "_changed_value", " and before.sort == after.sort", "", OF_COMPARE),
    Mutant("Redis is written by its sound", COMPARE, "_changed_value", "not is_one_sort or is_spelt_otherwise", "not is_one_sort", OF_COMPARE),
    Mutant("server 3 is not server 4", COMPARE, "_changed_value", "value.is_subject or ", "", OF_COMPARE),
    Mutant("a number in another place is another number", COMPARE, "_changed_value", "_place_among_values(before, old) != _place_among_values(after, new)", "False", OF_COMPARE),
    Mutant("a line before is found by its name too", "bankd.memory.judge", "ReadLine.of", "for part in slots_of(statement).content", "for part in slots_of(statement).content if not part.sort", ("tests/unit/test_judging.py",)),
    Mutant("near memories have equal values", COMPARE, "_closeness", "old.values == new.values and ", "", OF_COMPARE),
    Mutant("near memories deny the same", COMPARE, "_closeness", " and old.turns == new.turns", "", OF_COMPARE),
    Mutant("a word of change about the same is a question", COMPARE, "_closeness", "new.tells_change or ", "", OF_COMPARE),
    Mutant("what is of another subject is not close", COMPARE, "_share", "return 0.0", "pass", OF_COMPARE),
    Mutant("the writer need not be named", SLOTS, "_is_silent", "token.is_optional or is_writer", "token.is_optional", OF_COMPARE),
    Mutant("phase I is the first", SLOTS, "_is_silent", " and token.kind is not TokenKind.NAME", "", OF_READING),
    Mutant("a date is one value", SLOTS, "_join", "before.sort == item.sort == DATE or is_of_time", "is_of_time", OF_COMPARE),
    Mutant("a user 12 is not user 13", SLOTS, "_items", "begun < _TELLING", "begun < 1", OF_COMPARE),
    Mutant("timeout 30 says what the timeout is", SLOTS, "_items", "if items and items[-1].sort and not more:", "if False:", OF_COMPARE),
    Mutant("a limited word is another word", SLOTS, "_text_of", "{_limits(token)}", "", OF_READING),
    Mutant("a person is asked about five", PAIRS, "likely_changes", "[:MOST_LIKELY]", "", OF_PAIRS),
    Mutant("a person is asked about this week", PAIRS, "likely_changes", "        and 0 <= (today - day).days < _A_WEEK\n", "", OF_PAIRS),
    Mutant("a person is asked about the likeliest", PAIRS, "likely_changes", "(-pairs[ids].score, ids)", "ids", OF_PAIRS),
    Mutant("the older is compared with the newer", PAIRS, "compare_pairs", "age_of(of.day, of.line, of.id)", "of.id", OF_PAIRS),
    Mutant("what was said last stands first", RELATIONS, "last_said_first", "reverse=True", "reverse=False", OF_RELATIONS),
    Mutant("an answer is grouped once", RELATIONS, "last_said_first", " and grouped.isdisjoint(ids :=", " and (ids :=", OF_RELATIONS),
    Mutant("what is far apart keeps its place", RELATIONS, "last_said_first", "if (id_, ranked[n].row.id) in close", "if close", OF_RELATIONS),
    Mutant("who is honoured is no other", "bankd.words.korean", "_Reader._read_noun", " or self._honours(form)", "", OF_READING),
    Mutant("who worked there works there no more", "bankd.words.english", "tells_past", "if not is_past_form(words[at]):", "if True:", OF_READING),
    Mutant("who has lived there since lives there", "bankd.words.english", "tells_past", "_GOING_ON.isdisjoint(words)", "True", OF_READING),
    Mutant("A is no article behind a noun", "bankd.words.english", "_Reader._says_nothing", " and not self._is_name(word)", "", OF_COMPARE),
    Mutant("A begins a sentence as an article", "bankd.words.english", "_Reader._is_name", " or self._at - 1 in self._signs", "", OF_COMPARE),
    Mutant("A is an article in a title", "bankd.words.english", "_Reader._is_name", "not self._peek(0)[0][:1].isupper()", "True", OF_COMPARE),
    Mutant("AM is no verb behind an article", "bankd.words.english", "_Reader._is_name", "self._peek(-2)[0].casefold() in _BEFORE_NAMES", "True", OF_COMPARE),
    Mutant("who lends does not borrow", "bankd.words.korean", "_Reader._read_auxiliary", "last.base in _TAKING_TURNED", "False", OF_READING),
    Mutant("a former husband is not the husband", "bankd.words.korean", "_with_former", 'text.startswith("전 ") and', "False and", OF_READING),
    Mutant("five below zero is not five", "bankd.words.english", "_Reader._sign", "self._peek(0)[0] in self._below_zero or", "", OF_READING),
    Mutant("an I that is a number is a name", "bankd.words.english", "_Reader._kind", "and not self._is_numeral(at)", "", OF_READING),
    Mutant("A before a sign is a letter", "bankd.words.english", "_Reader._is_name", "self._at in self._signs or", "", OF_READING),
    Mutant("who is made to quit is not who makes", "bankd.words.korean", "_Reader._read_auxiliary", 'self._mark("makes")', "pass", OF_READING),
    Mutant("who thinks of quitting does not quit", "bankd.words.korean", "_Reader._read_ending", '"considers" if form.endswith("까") else', "", OF_READING),
    Mutant("two weeks are 14 days", "bankd.words.values", "", '"주": (7, "일"), ', "", OF_READING),
    Mutant("Thu is Thursday", "bankd.words.english", "_Reader._word", "_SHORT_DAYS.get(lowered, lowered)", "lowered", OF_READING),
    Mutant("in 23 is in 2023", "bankd.words.korean", "_Reader._century", "if is_short else", "if False else", OF_READING),
    Mutant("in 98 is in 1998", "bankd.words.korean", "", '_FIRST_OF_LAST_CENTURY = "70"', '_FIRST_OF_LAST_CENTURY = "99"', OF_READING),
    Mutant("at 03:00 is at three", "bankd.words.korean", "_Reader._add_clock", ".lstrip('0') or '0'", "", OF_READING),
    Mutant("a part of the day says which of two hours", "bankd.words.values", "_join", "if (0 < hour <= _CLOCK_NOON and not are_settled) or there == hour:", "if False:", OF_READING),
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
    Mutant("a model is asked about older ones", MATCHING, "_nearest", " or _age(one, ledger) < _age(id_, ledger)", " or one", OF_MATCHING),
    Mutant("what a hand wrote is matched with what is newer", MATCHING, "_nearest", "not is_dated or ", "", OF_MATCHING),
    Mutant("a model is not asked about what a person keeps", MATCHING, "_nearest", "ledger.wanted_both | ", "", OF_MATCHING),
    Mutant("a model is not asked about what the rules are sure of", MATCHING, "_nearest", " | set(parts.catalog.surely_alike(id_))", "", OF_MATCHING),
    Mutant("what somebody thinks and what is so are not matched", MATCHING, "_others", " and held[one].tag == memory.tag", "", OF_MATCHING),
    Mutant("a credential is not sent to be matched", MATCHING, "_question", " and not find_secrets(one.text, parts.finders)", "", OF_MATCHING),
    Mutant("what was not answered is asked again", MATCHING, "match_memories", "for one, reply in replies if not isinstance(reply, Unanswered)", "for one, reply in replies", OF_MATCHING),
    Mutant("what is only near a model may tell apart", COMPARED, "ComparedTable.surely_alike", "_SURE", "_SURE.replace(\"'same'\", \"'near', 'same'\")", OF_MATCHING),
    Mutant("a model is tried before it is asked", MATCHING, "_why_not", "if trial.is_passed(reply.value)", "if True", OF_MATCHING),
    Mutant("a model that takes all for the same fails", "bankd.night.match", "Trial.is_passed", "relation in known for", "Relation.NEAR in (relation, *known) for", OF_MATCHING),
    Mutant("a memory that cannot be read stops no other", MATCHING, "_question", "except BankError:", "except Exception:", OF_MATCHING),
    Mutant("nothing is compared with what cannot be read", MATCHING, "_can_be_sent", "return False", "return True", OF_MATCHING),
    Mutant("no credential is sent beside what is matched", MATCHING, "_can_be_sent", "not find_secrets(compared_text(other), parts.finders)", "bool(compared_text(other))", OF_MATCHING),
    Mutant("a model looks at a memory once", COMPARED, "ComparedTable.record_matched", "list(keys.items())", "[]", OF_MATCHING),
    Mutant("what says something else is looked at again", COMPARED, "ComparedTable._forget_all", '            "DELETE FROM matched WHERE id = ?",\n', "", OF_MATCHING),
    Mutant("what a person keeps is not compared", COMPARING, "compare_changed", " - ledger.wanted_both", "", OF_GROUPS),
    Mutant(
        "who lets a line in wants both", "bankd.memory.ledger", "Ledger.wanted_both",
        "self.kept_apart | {(min(pair), max(pair)) for pair in let_in}", "self.kept_apart", OF_COPIES,
    ),
    Mutant(
        "what was found of a changed memory is forgotten", COMPARED, "ComparedTable.changed_since_look",
        "if before is not None and before != now", "if now is None", OF_PAIRS,
    ),
    Mutant("by another threshold all is compared again", COMPARED, "ComparedTable._require", '"DELETE FROM looked_at"', '"SELECT 1"', OF_PAIRS),
    Mutant("old logs are compared when the last is in", "bankd.cycle", "_look_again", "0 if rest or ", "0 if ", OF_GROUPS),
)  # fmt: skip
