"""What memories are to each other, what search makes of it, and what a person is asked once: each rule switched off."""

from __future__ import annotations

from tests.mutants.switching import Mutant

RELATIONS, PAIRS = "bankd.core.ranking.relations", "bankd.core.dedup.known_pairs"
COMPARING, COMPARED = "bankd.comparing", "bankd.adapters.workspace.compared_table"
FINDING = "bankd.search.finding"
STRUCTURE = "bankd.core.dedup.phrase_structure"
REWORDING, CHANGE, GIST, RESTATING = (
    f"bankd.core.dedup.{name}" for name in ("rewording", "change", "gist", "restating")
)
TELLING, ENDING = "bankd.core.dedup.telling", "bankd.core.dedup.ending"
OF_REWORDING, OF_KOREAN = ("tests/unit/test_rewording.py",), ("tests/scenarios/test_korean_rewordings.py",)
ROLES = "bankd.core.dedup.roles"
SERIES, OF_SERIES = "bankd.core.dedup.series", ("tests/unit/test_duplicates.py",)
OF_PAIRS_ABOUT = ("tests/scenarios/test_hard_pairs.py",)
VOICE, TENSE, OF_VOICE = "bankd.core.dedup.voice", "bankd.core.language.english.tense", ("tests/unit/test_voice.py",)
VALUE, OF_VALUE = "bankd.core.dedup.another_value", ("tests/unit/test_another_value.py",)
OF_TURNS = ("tests/unit/test_korean_turns.py",)
OF_RELATIONS, OF_PAIRS = ("tests/unit/test_relations.py",), ("tests/unit/test_known_pairs.py",)
OF_GROUPS, OF_COPIES = ("tests/stories/test_near_groups.py",), ("tests/stories/test_near_copies.py",)

SAMENESS: tuple[Mutant, ...] = (
    Mutant("of two friends neither is the newer", VALUE, "_may_change_places", "(gone.begins and come.begins) or ", "", OF_VALUE),
    Mutant("a value may stand first", VALUE, "_may_change_places", "value.begins or value.is_said", "value.is_said", OF_VALUE),
    Mutant("what is said of 7 am is not said at 7 am", VALUE, "_may_change_places", "value.begins or value.is_said", "True", OF_VALUE),
    Mutant("a number gives place to one of its unit", VALUE, "_are_of_one_sort", "[*map(_unit_of, gone.tokens)] == [*map(_unit_of, come.tokens)]", "True", OF_VALUE),
    Mutant("a number gives place to no name", VALUE, "_are_of_one_sort", "all(False in sort for sort in sorts)", "True", OF_VALUE),
    Mutant("what was done once is done again", VALUE, "with_value_of", "_is_done(old) or _is_done(new) or ", "", OF_VALUE),
    Mutant("what changes more than it keeps is another", VALUE, "with_value_of", " or _changes_more_than_it_keeps(gone, come)", "", OF_SERIES),
    Mutant("a parrot is of a kind and a sex", VALUE, "_are_alike", "is_of_kind and ", "", OF_PAIRS_ABOUT),
    Mutant("two colours are of one kind", VALUE, "_are_alike", "is_of_kind and", "False and", OF_PAIRS_ABOUT),
    Mutant("an umbrella is in one place", VALUE, "_are_alike", " or gone.is_placed or come.is_placed", "", OF_PAIRS_ABOUT),
    Mutant("dinner is not the meeting at dinner", VALUE, "_may_change_places", " and _keep_heads(gone, come)", "", OF_PAIRS_ABOUT),
    Mutant("where it is held need not be called the place", VALUE, "_keep_heads", " or head.base in _NAMES_OF_VALUES", "", OF_PAIRS_ABOUT),
    Mutant("a value is in one place of a line", VALUE, "_value_apart", "places[-1] - places[0] < len(places)", "True", OF_VALUE),
    Mutant("who is honoured is no other", "bankd.core.language.korean.reading", "_Reader._read_noun", " or self._honours(form)", "", OF_PAIRS_ABOUT),
    Mutant("who something is does nothing", VALUE, "_Value.is_said", " or self.phrase is self.statement.phrases[-1]", "", OF_PAIRS_ABOUT),
    Mutant("an English value ends no statement that begins with it", VALUE, "_Value.is_said", "not is_first and ", "", OF_VALUE),
    Mutant("another word in the same place is another thing", REWORDING, "says_of_one", " and [ours.index(token) for token in rest_old] != [theirs.index(token) for token in rest_new]", "", OF_VALUE),
    Mutant("of one value as much must be denied", REWORDING, "says_of_one", "or _denials(old) != _denials(new)", "", OF_VALUE),
    Mutant("Gaia in Turin is no newer Leo in Verona", SERIES, "names_two", "has_name and ", "False and ", OF_VALUE),
    Mutant("who works in a library is not just there", GIST, "is_empty", "if token.base == _WORK and token.is_predicate:", "if False:", OF_PAIRS_ABOUT),
    Mutant("who is called has not called", VOICE, "_deed_of", "if is_passive(clause.words, at):", "if False:", OF_VOICE),
    Mutant("the writer who writes is not written to", VOICE, "_deed_of", "if clause.words[at] not in _NO_VERBS and", "if False and", OF_VOICE),
    Mutant("who has it done does it not", VOICE, "_deed_of", "if is_done_for(clause.words, at):", "if False:", OF_VOICE),
    Mutant("a passive of both is no other voice", VOICE, "_is_plainly_done", "or is_passive(words, at) ", "", OF_VOICE),
    Mutant("a limit is nothing that limits", VOICE, "_is_plainly_done", "follows_noun or ", "", OF_REWORDING),
    Mutant("who shares with us is shared with", VOICE, "_deed_of", "_things(clause, behind, {_COMPANION})", "_things(clause, behind, set())", OF_VOICE),
    Mutant("who is afraid for her is not afraid of her", ROLES, "roles_clash", "is_felt_otherwise or ", "", OF_VOICE),
    Mutant("who ran for him did not run into him", ROLES, "", '("means", _INSIDE)', '("means",)', OF_VOICE),
    Mutant("stopped to talk is not stopped talking", VOICE, "voices_clash", " or _aims_differ(old, new)", "", OF_VOICE),
    Mutant("who worked there works there no more", TENSE, "tells_past", "if not is_past_form(words[at]):", "if True:", OF_REWORDING),
    Mutant("who has lived there since lives there", TENSE, "tells_past", "_GOING_ON.isdisjoint(words)", "True", OF_REWORDING),
    Mutant("what was kept there is there no more", RESTATING, "_are_of_one_time", ' and states != {"now", "then"}', "", OF_KOREAN),
    Mutant("her parrot is not his", RESTATING, "stand_for_one", "ours == theirs or not (ours and theirs)", "True", OF_REWORDING),
    Mutant("one cat is not several", RESTATING, "_is_of_a_kind", "return False", "return True", OF_REWORDING),
    Mutant("a son who studies is one", RESTATING, "_is_of_a_kind", "is_verb and not", "is_verb or not", OF_REWORDING),
    Mutant("team A B is not team AB", "bankd.core.dedup.spelling", "_is_word", " and (len(token.base) > 1 or not token.base.isascii())", "", ("tests/scenarios/test_hard_pairs.py",)),
    Mutant("a cancelling that is spoken of has cancelled nothing", TELLING, "changes_of", " and id(token) not in named", "", OF_KOREAN),
    Mutant("a long memory is updated by a short line", "bankd.core.dedup.duplicates", "lengths_worth_reading", "may_tell_change(new) or", "", ("tests/unit/test_judging.py",)),
    Mutant("ticket 12 is not ticket 13", SERIES, "numbers_another", "any(any(ours[word].values()) and any(theirs[word].values()) for word in other)", "False", OF_SERIES),
    Mutant("note 5 of invoice 4 is not note 36 of invoice 9", SERIES, "numbers_another", "len(other) > 1 or", "", OF_SERIES),
    Mutant("the office in Seoul is not that in Busan", SERIES, "is_about_another", "bool(ours - theirs and theirs - ours)", "False", OF_SERIES),
    Mutant("a name behind the verb is what is said", SERIES, "_names_of_subject", "before_verb(statement)", "_plain(statement)", OF_SERIES),
    Mutant("a number that ends a statement is what it says", SERIES, "_begins", " and number is not statement.tokens[-1]", "", OF_SERIES),
    Mutant("a number behind a name may be its version", SERIES, "_begins", "and is_plain and", "and", OF_SERIES),
    Mutant("server 3 is not server 4", SERIES, "_ordinal", "bare in _ORDINALS", "bare not in _ORDINALS", OF_SERIES),
    Mutant("batch 13 with other rows is another batch", SERIES, "is_of_series", "(*_first_numbers(old), *labels)", "(*_first_numbers(old),)", OF_SERIES),
    Mutant("note 48 for Maria is not note 17 for Anna", "bankd.core.dedup.guard", "Difference.is_one_change", "sorts[_NUMBER] + sorts[_NAME]", "sorts[_NUMBER]", OF_SERIES),
    Mutant("who paid the rent of May has paid that of June too", SERIES, "_of_event", "if _is_event(statement):", "if False:", OF_PAIRS_ABOUT),
    Mutant("what is done each Friday may be done on Mondays", SERIES, "_of_event", "if _is_event(statement):", "if True:", OF_PAIRS_ABOUT),
    Mutant("a merge of PR 12 is not that of PR 13", SERIES, "_bare_labels", "or _is_event(statement)", "", OF_SERIES),
    Mutant("room A is not room B", SERIES, "_is_bare", "token.base.isdigit() or", "token.base.isdigit() or False and", OF_SERIES),
    Mutant("our Monday meeting is not that on Tuesday", SERIES, "_names_of_subject", "days.intersection(word for word in words[1:] if word.isalpha())", "frozenset()", OF_SERIES),
    Mutant("a day that begins a statement is what it says", SERIES, "_names_of_subject", "words[1:]", "words", OF_SERIES),
    Mutant("the team in Seoul is not that in Busan", SERIES, "before_verb", "begins[0] if begins else", "", OF_SERIES),
    Mutant("A is no article behind a noun", "bankd.core.language.english.reading", "_Reader._says_nothing", " and not self._is_name(word)", "", OF_SERIES),
    Mutant("A begins a sentence as an article", "bankd.core.language.english.reading", "_Reader._is_name", " or self._at - 1 in self._after_signs", "", OF_SERIES),
    Mutant("A is an article in a title", "bankd.core.language.english.reading", "_Reader._is_name", "not self._peek(0)[0][:1].isupper()", "True", OF_SERIES),
    Mutant("AM is no verb behind an article", "bankd.core.language.english.reading", "_Reader._is_name", "self._peek(-2)[0].casefold() in _BEFORE_NAMES", "True", OF_SERIES),
    Mutant("a letter by Anna is none to her", ROLES, "_cases_by_preposition", "_PREPOSITIONS.get(before.base, token.case)", "token.case", OF_PAIRS_ABOUT),
    Mutant("a day has much the same preposition", ROLES, "_cases_by_preposition", "if token.kind is not TokenKind.VALUE:", "if True:", OF_PAIRS_ABOUT),
    Mutant("what is for A is not about it", ROLES, "_cases_by_particle", "_BEHIND.get(behind.base, case)", "case", OF_PAIRS_ABOUT),
    Mutant("who goes along is not who goes", ROLES, "_cases_by_particle", "not has_doer and [token] == along", "False", OF_PAIRS_ABOUT),
    Mutant("two who go along are who goes", ROLES, "_cases_by_particle", "[token] == along", "token in along", OF_PAIRS_ABOUT),
    Mutant("the live server is not any server", GIST, "telling_tokens", "_describes(statement, at) or", "", OF_PAIRS_ABOUT),
    Mutant("who likes it more prefers it", GIST, "_is_understood", "if token.base == _MORE:", "if False:", OF_PAIRS_ABOUT),
    Mutant("from the tenth is not on it", REWORDING, "_marks", ' or (mark == "from" and token.kind is TokenKind.VALUE)', "", OF_PAIRS_ABOUT),
    Mutant("who lends does not borrow", "bankd.core.language.korean.reading", "_Reader._read_auxiliary", "last.base in korean.TAKING_TURNED", "False", OF_PAIRS_ABOUT),
    Mutant("a former husband is not the husband", "bankd.core.language.korean.reading", "_with_former", 'text.startswith("전 ") and', "False and", OF_PAIRS_ABOUT),
    Mutant("five below zero is not five", "bankd.core.language.english.reading", "_Reader._sign", "self._peek(0)[0] in self._below_zero or", "", OF_PAIRS_ABOUT),
    Mutant("phase I is the first", "bankd.core.language.english.reading", "_Reader._kind", "and not self._is_numeral(at)", "", OF_PAIRS_ABOUT),
    Mutant("A before a sign is a letter", "bankd.core.language.english.reading", "_Reader._is_name", "self._at in self._after_signs or", "", OF_PAIRS_ABOUT),
    Mutant("for three days is not in three days", ROLES, "roles_clash", 'set(times) == {"for", "in"} or', "", OF_PAIRS_ABOUT),
    Mutant("not tea but milk is not tea but no milk", REWORDING, "_is_forbidden", "or _is_denied_elsewhere(old, new)", "", OF_PAIRS_ABOUT),
    Mutant("who is made to quit is not who makes", "bankd.core.language.korean.reading", "_Reader._read_auxiliary", 'self._mark("makes")', "pass", OF_PAIRS_ABOUT),
    Mutant("who thinks of quitting does not quit", "bankd.core.language.korean.reading", "_Reader._read_ending", '"considers" if form.endswith("까") else', "", OF_PAIRS_ABOUT),
    Mutant("three rooms are no third room", SERIES, "_bare_labels", "is_label and not _counts(*statement.tokens[at + 1 : at + 4])", "is_label", OF_SERIES),
    Mutant("a number behind is names nothing", SERIES, "_bare_labels", " and together in said", "", OF_SERIES),
    Mutant("host 4 whose disk has blocks is what is spoken of", SERIES, "_bare_labels", "together in before or", "", OF_SERIES),
    Mutant("how many a thing is is told by its number", "bankd.core.dedup.guard", "_changes", "*_without_counted(rest_old, rest_new)", "rest_old, rest_new", ("tests/unit/test_duplicates.py",)),
    Mutant(
        "weekly is not monthly", RESTATING, "agree_in_time", " and is_as_often", "",
        ("tests/unit/test_duplicates.py",),
    ),
    Mutant("who came back is not away", REWORDING, "_exchanged", "if has_verb else 0", "if False else 0", OF_PAIRS_ABOUT),
    Mutant("what was advised was not done", STRUCTURE, "_is_what_is_done", "return is_noun_of_verb or ", "return ", OF_PAIRS_ABOUT),
    Mutant("what ends late is not what one is late for", STRUCTURE, "_is_what_is_done", " or (token.is_predicate and", " or (False and", OF_PAIRS_ABOUT),
    Mutant("who does the first of two things keeps doing it", STRUCTURE, "_turns_doers", "len(ours) == len(theirs) > 1 and ", "False and ", OF_PAIRS_ABOUT),
    Mutant("the parrot of somebody is not she", STRUCTURE, "_is_joined", "['\\u2019]s? {word}\\b|", "", OF_REWORDING),
    Mutant("an ex-wife is no wife", STRUCTURE, "_is_joined", "|\\b{word}-", "", OF_REWORDING),
    Mutant("what starts in an hour does not last one", REWORDING, "", " 시작 그만두", "", OF_REWORDING),
    Mutant("what another has given up goes on", ENDING, "what_ceased", " or doer_concepts(old) != doer_concepts(new)", "", OF_REWORDING),
    Mutant("what ceased and the old line lacks updates nothing", ENDING, "ceases_another", " or not ceased & said_concepts(old)", "", OF_REWORDING),
    Mutant("what is of another number goes on", ENDING, "_agree_on", "bool(shared) and not is_other", "bool(shared)", OF_REWORDING),
    Mutant("who moves lives elsewhere, not somebody else", ENDING, "_agree_on", "return doer_concepts(old) == doer_concepts(new)", "return True", OF_REWORDING),
    Mutant("her flight is not her train", CHANGE, "_told", " and is_of_one(old, new)", "", OF_PAIRS_ABOUT),
    Mutant("the kitchen of a ferry is not the ferry", "bankd.core.dedup.duplicates", "_judge", " and is_of_one(old, new)", "", OF_PAIRS_ABOUT),
    Mutant("what can be renamed has not been", TELLING, "_may_not_be", " or any(one.base in _MAY_BE for one in before)", "", OF_PAIRS_ABOUT),
    Mutant("a migration script has migrated nothing", TELLING, "_may_not_be", "is_named or ", "", OF_PAIRS_ABOUT),
    Mutant("a force-push has pushed nothing", TELLING, "_may_not_be", "is_joined or ", "", OF_PAIRS_ABOUT),
    Mutant("what can be exchanged has not been", TELLING, "_may_not_be", "return not _UNDONE.isdisjoint(token.marks)", "return False", OF_PAIRS_ABOUT),
    Mutant("Redis is written by its sound", "bankd.core.dedup.spelling", "_spelt_as", "if _heard(statement) and _latin(other)", "if False", OF_PAIRS_ABOUT),
    Mutant("two weeks are 14 days", "bankd.core.language.quantities", "", '"주": (7, "일"), ', "", OF_REWORDING),
    Mutant("Thu is Thursday", "bankd.core.language.english.reading", "_Reader._word", "english.SHORT_DAYS.get(lowered, lowered)", "lowered", OF_REWORDING),
    Mutant("in 23 is in 2023", "bankd.core.language.korean.reading", "_Reader._century", "if is_short else", "if False else", OF_PAIRS_ABOUT),
    Mutant("in 98 is in 1998", "bankd.core.language.korean.reading", "", '_FIRST_OF_LAST_CENTURY = "70"', '_FIRST_OF_LAST_CENTURY = "99"', OF_PAIRS_ABOUT),
    Mutant("at 03:00 is at three", "bankd.core.language.korean.reading", "_Reader._add_clock", ".lstrip('0') or '0'", "", OF_PAIRS_ABOUT),
    Mutant("port 8080 is called by its number", GIST, "_concept", "base.endswith(_NUMBERED) and", "False and", OF_PAIRS_ABOUT),
    Mutant("for a week is a week", "bankd.core.language.korean.senses", "_note_frequencies", "token.base.removesuffix(_LASTING) in _DAYS", "token.base in _DAYS", OF_PAIRS_ABOUT),
    Mutant("for two weeks is two weeks", "bankd.core.language.korean.senses", "_note_frequencies", "token.kind is TokenKind.VALUE and split_quantity", "False and split_quantity", OF_PAIRS_ABOUT),
    Mutant("also adds", CHANGE, "", '_ADDING = frozenset({"also", "too"})', "_ADDING = frozenset({})", OF_REWORDING),
    Mutant("times of one sort keep their order", RESTATING, "only_times_move", " and _by_sort(ours) == _by_sort(theirs)", "", OF_REWORDING),
    Mutant("a part of the day says which of two hours", "bankd.core.language.clock", "read_parts_of_day", "if 0 < hour <= _NOON:", "if False:", OF_REWORDING),
    Mutant("an attribute is changed by who does something", GIST, "telling_tokens", " or any(token.is_predicate for token in said)", "", OF_KOREAN),
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
    Mutant("a value stays with what it counts", "bankd.core.dedup.duplicates", "_says_no_more", " and counts_same(old, new)", "", OF_TURNS),
    Mutant("a day counts nothing", STRUCTURE, "_says_when", "unit in DATE_UNITS or ", "", OF_TURNS),
    Mutant("a number of times is none of a thing", STRUCTURE, "_says_when", "(is_by_verb or value.base not in statement.text)", "False", OF_TURNS),
    Mutant("a verb made of a noun is counted by nothing", "bankd.core.dedup.phrase_structure", "_is_countable", " and not is_verb", "", OF_TURNS),
    Mutant("old logs are compared when the last is in", "bankd.cycle", "_look_again", "0 if rest else ", "", OF_GROUPS),
)  # fmt: skip
