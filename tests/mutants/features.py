"""More rules that are switched off one by one: of what hands and agents meet beside the main job.

Renamed and edited logs, copies, meaning, questions, briefings, imports and purging.
"""

from __future__ import annotations

from tests.mutants.switching import Mutant

COLLECT, EDITED, REVISING, EVENTS = (
    "bankd.memory.new_lines",
    "bankd.memory.new_lines",
    "bankd.memory.plan",
    "bankd.memory.ledger",
)
TRANSACTION, RECASTING, FIGHTS = (
    "bankd.edits.transaction", "bankd.edits.transaction", "bankd.edits.second_look",
)  # fmt: skip
FLOOR, FUSION, ANSWERS, CYCLE = (
    "bankd.search.floor", "bankd.search.meaning", "bankd.search.floor", "bankd.cycle",
)  # fmt: skip
ASKED, SHOWN, DAY_LOGS = "bankd.cycle", "bankd.briefing.shown", "bankd.transcripts.day_logs"
PURGE, FORGET, TRACES = "bankd.memory.provenance", "bankd.app.forget", "bankd.workspace.writer"
COMMANDS, OF_COMMANDS = "bankd.system.command", ("tests/contracts/test_command.py",)
OF_PURGING = ("tests/crash/test_purging.py",)
ADOPT, OF_ADOPT, OF_ADOPTING = "bankd.app.init", ("tests/stories/test_adopt.py",), ("tests/crash/test_adopting.py",)
ARCHIVE, FINDING = "bankd.memory.archive", "bankd.search.find"

OF_COLLECT, OF_EDITED = ("tests/unit/test_collect.py",), ("tests/unit/test_edited.py",)
OF_REVISING = ("tests/unit/test_revising.py",)
OF_COPIES, OF_HALVES = ("tests/unit/test_transaction.py",), ("tests/unit/test_recasting.py",)
OF_VECTORS = ("tests/contracts/test_sentence_vectors.py",)
OF_FUSION, OF_MEANING = ("tests/unit/test_fusion.py",), ("tests/unit/test_meaning.py",)
OF_QUESTIONS, OF_SHOWN, OF_IMPORT = (
    ("tests/stories/test_questions.py",), ("tests/unit/test_briefing.py",), ("tests/unit/test_transcripts.py", "tests/stories/test_import.py"),
)  # fmt: skip
OF_PURGE, OF_FIGHTS = ("tests/stories/test_taking_back.py",), ("tests/unit/test_fights.py",)
OF_ANSWERS, OF_CYCLE = ("tests/unit/test_answering.py",), ("tests/unit/test_cycle.py",)
OF_ARCHIVE = ("tests/unit/test_archive.py",)
EVENT_FILES, TOLD, OF_EVENT_FILES = (
    "bankd.storage.events", "bankd.index.told", ("tests/crash/test_event_files.py",),
)  # fmt: skip
OF_ENRICHING = ("tests/unit/test_enriching.py",)
SECOND_LOOK, OF_SECOND_LOOK = "bankd.edits.second_look", ("tests/unit/test_second_look.py",)
STAGING, OF_RACES = "bankd.storage.staging", ("tests/crash/test_races.py",)
CLASSIFIER, OF_CLASSIFIER = "bankd.memory.route", ("tests/unit/test_page_classifier.py",)
OWNER, OF_OWNER = "bankd.search.bank_search", ("tests/unit/test_bank_search.py",)
WATCH, OF_STANDING = "bankd.wiring.asking", ("tests/stories/test_standing_search.py",)

OF_GROUNDING, OF_DATES = ("tests/unit/test_grounding.py",), ("tests/unit/test_dates.py",)

ATTESTING, NAMED_DAYS = "bankd.night.attest", "bankd.night.attest"

REARRANGE = "bankd.layouts.rearrange"
OF_REARRANGED, OF_HEADINGS = ("tests/stories/test_rearranging.py",), ("tests/stories/test_headings.py",)
OF_REQUESTS = ("tests/unit/test_socket_requests.py",)
OF_WAYS_OUT = ("tests/stories/test_ways_out.py",)

FEATURES: tuple[Mutant, ...] = (
    # what a model says of a log, by rules
    Mutant("a line names the lines that it rests on", ATTESTING, "find_unattested", "if not sources:", "if False:", OF_GROUNDING),
    Mutant("a day stands in the log", ATTESTING, "find_unattested", "*_days(days, said), ", "", OF_GROUNDING),
    Mutant("a number stands in the log", ATTESTING, "find_unattested", "*_values(line, days, said), ", "", OF_GROUNDING),
    Mutant("a code stands in the log", ATTESTING, "find_unattested", "*_codes(line, days, said), ", "", OF_GROUNDING),
    Mutant("a name stands in the log", ATTESTING, "find_unattested", "*_names(line, days, said)", "", OF_GROUNDING),
    Mutant("the day of the log is known", ATTESTING, "_days", "span == said.day or ", "", OF_GROUNDING),
    Mutant("Tue is Tuesday", ATTESTING, "_days", " or _is_cut_short(written.casefold(), said)", "", OF_GROUNDING),
    Mutant("a part of the day is judged with its hour", ATTESTING, "_is_said", "return is_with_hour or ", "return ", OF_GROUNDING),
    Mutant("a clock stands in a range of hours", ATTESTING, "_is_said", " or _is_written(value, said)", "", OF_GROUNDING),
    Mutant("digits of a longer version are no version", ATTESTING, "_is_written", r"(?!\.?\d)", "", OF_GROUNDING),
    Mutant("an hour of a clock is an hour", ATTESTING, "_is_amount_said", " or is_clock", "", OF_GROUNDING),
    Mutant("three days are no three hours", ATTESTING, "_is_amount_said", " and (not unit or number in said.values)", "", OF_GROUNDING),
    Mutant("an amount of won is cut short", ATTESTING, "_is_amount_said", "is_money or ", "", OF_GROUNDING),
    Mutant("what lasts three days is three days", ATTESTING, "", "[째씩쯤당분치]", "[째씩쯤]", OF_GROUNDING),
    Mutant("digits of a version are no number", ATTESTING, "", r'_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?(?!\.?\d)")', r'_NUMBER = re.compile(r"\d+")', OF_GROUNDING),
    Mutant("2 p.m. is no code", ATTESTING, "", "|[ap]\\.m", "", OF_GROUNDING),
    Mutant("a name may stand in the other script", ATTESTING, "_Said.names", "return any(sounds_like(bare, other) for other in _LATIN.findall(self.text))", "return False", OF_GROUNDING),
    Mutant("a particle that hangs on a name is none of it", ATTESTING, "", "|(?<=..)[가는를의이]$", "", OF_GROUNDING),
    Mutant("one syllable is no name", ATTESTING, "_named_in", "len(name) > 1 and ", "", OF_GROUNDING),
    Mutant("who begins a sentence and does something is named", ATTESTING, "_named_in", "yield words[0]", "pass", OF_GROUNDING),
    Mutant("because names nobody", ATTESTING, "", '{"to", "a", "an", "the"}', '{"to"}', OF_GROUNDING),
    Mutant("a name is no part of another word", "bankd.night.attest", "is_named", 'return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None', "return name in text", ("tests/unit/test_distilling.py",)),
    Mutant("a weekday may be of the week before", NAMED_DAYS, "_meanings", "for week in (-_WEEK, _WEEK)", "for week in ()", OF_GROUNDING),
    Mutant("a day may be of the next year, not of any", NAMED_DAYS, "_of_next_years", "if abs(first - day) < _YEAR:", "if True:", OF_GROUNDING),
    Mutant("the 24th is of any month beside", NAMED_DAYS, "_meanings", "yield from _of_next_months(span.first.day, day)", "pass", OF_GROUNDING),
    Mutant("a day in so many weeks is of the same weekday", NAMED_DAYS, "_meanings", "yield _to_the_day(span, day)", "pass", OF_GROUNDING),
    # and by the model, asked again
    Mutant("lines that were not verified are not taken in", "bankd.night.distil", "verify_lines", "        return answer\n    verified", "        return judged\n    verified", ("tests/unit/test_distilling.py",)),
    Mutant("a model is tried before it verifies", "bankd.night.distil", "verify_lines", "if not trial.is_passed(tried.value):", "if False:", ("tests/unit/test_distilling.py",)),
    Mutant("a model that cannot be tried verifies nothing", "bankd.night.distil", "verify_lines", "if isinstance(tried, Unanswered):\n        return tried", "if isinstance(tried, Unanswered):\n        return judged", ("tests/unit/test_distilling.py",)),
    Mutant("a trial is of what is not so too", "bankd.night.asking", "VerifyTrial.is_passed", "(one.judged.reason is None) is is_so", "one.judged.reason is None or not is_so", ("tests/unit/test_distilling.py",)),
    Mutant("a line that was written again is judged again", "bankd.night.distil", "verify_lines", "[one for one in again if one.reason is None]", "again", ("tests/unit/test_distilling.py",)),
    Mutant("a line that was written again is verified again", "bankd.night.distil", "verify_lines", "mended = [one.judged for one in verified_in(answer.value, mended)]", "pass", ("tests/unit/test_distilling.py",)),
    Mutant("what memories do not say is no insight", "bankd.night.insights", "_write", "as_retain_line(one.line, cluster, one.reason)", "as_retain_line(one.line, cluster, None)", ("tests/unit/test_insights.py",)),
    Mutant("an insight is verified by the model", "bankd.night.insights", "_write", "verify_lines(judged, cluster.section, parts, now, are_insights=True)", "judged", ("tests/unit/test_insights.py",)),
    # what a line is about
    Mutant("what speaks for several pages is left to a person", CLASSIFIER, "PageClassifier.classify", " if probability >= LEAST_SURE else ()", "", OF_CLASSIFIER),
    Mutant("one word is no subject", CLASSIFIER, "PageClassifier.classify", "len(telling) >= _LEAST_WORDS", "telling", OF_CLASSIFIER),
    Mutant("what anybody says is no subject", CLASSIFIER, "PageClassifier._telling", "<= max(1, _RARE * self._lines)", "> 0", OF_CLASSIFIER),
    Mutant("a page of another tag is none", CLASSIFIER, "PageClassifier.classify", "self._pages.get(memory.tag or \"\", {})", "self._counts", OF_CLASSIFIER),
    Mutant("a kind makes no page anew", "bankd.memory.route", "_likely_places", "kind and has_page(kind.page)", "kind", OF_CLASSIFIER),
    Mutant("the kind is asked for what names nobody", "bankd.memory.route", "_likely_places", " if not memory.entities else None", "", OF_CLASSIFIER),
    Mutant("likeness can be turned off", "bankd.memory.route", "_claiming", "if rules.similar:", "if True:", OF_CLASSIFIER),
    Mutant("what is a little like others goes by its kind", "bankd.memory.route", "_likely_places", "if is_one_of_them", "if False", OF_CLASSIFIER),
    Mutant("what is close to others stands with them", "bankd.memory.route", "is_close", "one.score >= _CLOSE and ", "one.score > 1 and ", OF_CLASSIFIER),
    Mutant("no example tells of the user's own pages", "bankd.memory.route", "_likely_places", " and found[0] in kind.among", "", OF_CLASSIFIER),
    Mutant("a renamed page is there", "bankd.cycle", "pages_there", " or renamed.name_now(page) != page", "", ("tests/stories/test_renamed_pages.py",)),
    # logs that get other names
    Mutant(
        "a log that is still there was not renamed", COLLECT, "find_renamed",
        "if borne[was] < ledger.logs.get(was, 1)", "", OF_COLLECT,
    ),
    Mutant(
        "a name that several logs bear is free as long as one of them is gone", COLLECT, "find_renamed",
        "ledger.logs.get(was, 1)", "1", OF_COLLECT,
    ),
    Mutant("the other logs of one first name are told of", COLLECT, "find_renamed", "identities.get(log, log)", "log", OF_COLLECT),
    Mutant("a copy that was known with a log counts", EVENTS, "_rename", "ledger.logs.get(was, 1), len(others) + 1", "ledger.logs.get(was, 1), 1", OF_COLLECT),
    Mutant("a log that takes a name counts", EVENTS, "_consume", "[1] + 1", "[1]", OF_COLLECT),
    Mutant(
        "a log that took a name in the run that saw it left counts", EVENTS, "_rename",
        "_reuse(ledger, was, len(others) + 1)", "pass", OF_COLLECT,
    ),
    Mutant(
        "what was read under a name before it was left is the old log's", EVENTS, "_consume",
        " and told_order(item)[0] > ledger.left_names[log][0]", "", OF_COLLECT,
    ),
    Mutant(
        "a log that was first read under a name that is used again has no edited lines", CYCLE, "follow_edits",
        "reading.identity in facts.ledger.reused or ", "", OF_CYCLE,
    ),
    Mutant(
        "a log that took the name of another has none of its lines", CYCLE, "follow_edits",
        " or facts.ledger.has_name_of_another(reading.log)", "", OF_CYCLE,
    ),
    # lines that are edited in their log
    Mutant("a line in the place of another is that one from half of its letters on", EDITED, "", "IN_PLACE = 0.5", "IN_PLACE = 0.2", OF_EDITED),
    Mutant("a line elsewhere is another one unless nearly all is the same", EDITED, "", "ELSEWHERE = 0.8", "ELSEWHERE = 0.5", OF_EDITED),
    Mutant("a log written anew was not edited", EDITED, "find_edited", " or went > max(_FEW, len(before) // 2)", "", OF_EDITED),
    Mutant("two lines of a short log may be edited at once", EDITED, "", "_FEW = 2", "_FEW = 1", OF_EDITED),
    Mutant("the likest lines are paired first", EDITED, "find_edited", "-found[0]", "found[0]", OF_EDITED),
    Mutant("no two lines follow one", EDITED, "find_edited", "old not in pairs and ", "", OF_EDITED),
    Mutant("no line follows two", EDITED, "find_edited", " and new not in pairs.values()", "", OF_EDITED),
    Mutant(
        "what a person took out does not come back with its line edited", REVISING, "_outcomes",
        ' or (gone is not None and gone["type"] in _DEPARTED)', "", OF_REVISING,
    ),
    Mutant(
        "what this run finds deleted does not come back with its line edited", REVISING, "_outcomes",
        "id_ in plan.deleted or ", "", OF_REVISING,
    ),
    Mutant(
        "what a person changed does not follow its line", REVISING, "_outcomes",
        "text_key(now) not in {past.key, text_key(line.memory)}", "False", OF_REVISING,
    ),
    Mutant(
        "what a person mended alike goes on following its line", REVISING, "_outcomes",
        ", text_key(line.memory)}", "}", OF_REVISING,
    ),
    Mutant(
        "a line about somebody else now is an update", REVISING, "_outcomes",
        "elif (now.tag, set(now.entities)) != (line.memory.tag, set(line.memory.entities)):", "elif False:", OF_REVISING,
    ),
    Mutant(
        "an edited line waits for the page of its memory", REVISING, "_outcomes",
        'if path.startswith("bank/")', "if False", OF_REVISING,
    ),
    Mutant(
        "a line that is kept already as another memory changes no other", REVISING, "revise",
        " and (line.id in fresh or ledger.memory_of(line.id) == memory)", "", OF_REVISING,
    ),
    Mutant(
        "a confidence that was not edited stays what it has become", REVISING, "_rewritten",
        "and said.confidence.hundredths != past.hundredths", "", OF_REVISING,
    ),
    Mutant("what is nested in a memory stays when its line is edited", REVISING, "_rewritten", ", *rows[lines.own :]", "", OF_REVISING),
    Mutant(
        "a line that its memory follows is not taken in as another", REVISING, "revise",
        "if line.place not in places and ", "if ", OF_REVISING,
    ),
    # what a hand copied, and what could not be made
    Mutant("what a hand copied and reworded stays where it is", TRANSACTION, "keep_versions", "if transaction.kind in HEALING:", "if True:", OF_COPIES),
    Mutant("what heals takes out what it knows", TRANSACTION, "keep_versions", "if transaction.kind in HEALING:", "if False:", OF_COPIES),
    Mutant("what stays is not told to have gone", TRANSACTION, "keep_versions", 'if said.get("memory") not in versions', "", OF_COPIES),
    Mutant("what reads alike in both places may go", TRANSACTION, "_other_versions", ".apply(there) == there", ".apply(there) is not None", OF_COPIES),
    Mutant(
        "a hub without a line of its own is merged", "bankd.layouts.merge", "plan_merge",
        "(own, *pieces)", "pieces", OF_REARRANGED,
    ),
    Mutant(
        "what was not written is not told as done", "bankd.app.rearrange", "Rearranger._as_written",
        "if data is not None and (", "if True or (", OF_REARRANGED,
    ),
    Mutant(
        "what is still there is not told as gone", "bankd.app.rearrange", "Rearranger._as_written",
        "if path not in graph.names", "", OF_REARRANGED,
    ),
    # headings with a link in them, and pages that cannot be rearranged
    Mutant(
        "a link to a heading follows the link in it", "bankd.layouts.relink", "_Relinker._goal",
        "is_rewritten = target", "is_rewritten = False and target", OF_HEADINGS,
    ),
    Mutant("what links to a renamed heading is read too", REARRANGE, "_relink_all", "if not renamed:", "if True:", OF_HEADINGS),
    Mutant(
        "a link to a heading waits for the link in it", REARRANGE, "_cause",
        "while edit.line is not None and", "while False and", OF_HEADINGS,
    ),
    Mutant(
        "a page that cannot be split stops no other", REARRANGE, "split_large",
        "elif faults(rearrangement):", "elif False:", OF_HEADINGS,
    ),
    Mutant(
        "a move that links cannot follow stops no other", REARRANGE, "heal_links",
        "if whole.findings else whole", "if False else whole", OF_HEADINGS,
    ),
    Mutant(
        "a link to a heading follows what is archived", "bankd.layouts.rearrange", "follow_headings",
        "if not more:", "if True:", OF_HEADINGS,
    ),
    Mutant(
        "a memory stays if following it breaks another link", "bankd.memory.links", "_breaking",
        "if not followed:", "if True:", OF_HEADINGS,
    ),
    Mutant(
        "a merge keeps apart what would run together", "bankd.layouts.merge", "_would_join",
        "return not any(", "return False and any(", ("tests/unit/test_relink.py",),
    ),
    Mutant("a page of which a part could not be made stays whole", RECASTING, "find_half_divided", "if lacking:", "if False:", OF_HALVES),
    Mutant(
        "a page that a hand changed meanwhile goes by pieces", RECASTING, "find_half_divided",
        "if look(op.path) == encode_text(op.before)", "", OF_HALVES,
    ),
    Mutant("a page given the same three times in ten minutes rests", FIGHTS, "", "MOST_AGAIN = 3", "MOST_AGAIN = 4", OF_FIGHTS),
    Mutant("three times within ten minutes to the second is a fight", FIGHTS, "_rests_until", "last - first <= REST", "last - first < REST", OF_FIGHTS),
    Mutant("what a person asked for is no fight", FIGHTS, "find_rests", "transaction.kind in _BY_ITSELF and ", "", OF_FIGHTS),
    # what goes to the archive, and when
    Mutant("what was taken in lately is announced before it fades away", ARCHIVE, "_candidate", " and today >= noticed_until(resident.kept, resident.signals)", "", OF_ARCHIVE),
    Mutant("what a person brought back stays a month", ARCHIVE, "_candidate", " or today < stays_until(resident.restored)", "", OF_ARCHIVE),
    Mutant("while the clock is frozen nothing fades away", ARCHIVE, "_candidate", "if clock_frozen:", "if False:", OF_ARCHIVE),
    Mutant("what nobody asked for never goes by itself", ARCHIVE, "goes_by_itself", "return candidate.reason in {Reason.FADED, Reason.UNSUPPORTED}", "return True", OF_ARCHIVE),
    # meaning beside words
    Mutant("the farther the nearest memory, the more words must answer", FLOOR, "evidence_of", " + WITNESS * (nearest - bounds.near)", "", OF_MEANING),
    Mutant("a vector does not unmake a sure answer", FLOOR, "evidence_of", "max(by_words / MOST_WITNESS, together)", "together", OF_ANSWERS),
    Mutant("what stands out from the next needs fewer words", FLOOR, "evidence_of", " + LEAD * standing_out", "", OF_MEANING),
    Mutant(
        "where words can meet, more than the bound for other scripts is asked", FLOOR, "answers_across",
        " or bool(weights.bigrams) == bool(candidate.bigrams)", "", OF_MEANING,
    ),
    Mutant("across scripts only what is near enough is an answer", FLOOR, "answers_across", ">= bounds.across", ">= 0", OF_MEANING),
    Mutant("a model reads the beginning of a long text", FUSION, "beginning_of", "[:BEGINNING]", "", OF_VECTORS),
    Mutant("a long text counts by what is read of it", OWNER, "BankSearch.fill_vectors", "beginning_of(text) for", "text for", OF_VECTORS),
    Mutant(
        "a text that is refused leaves the others their vectors", "bankd.workers.vector_worker", "MeaningProcess._vectors_of",
        "len(texts) // 2) > 0", "0) > 0", OF_VECTORS,
    ),
    Mutant(
        "where any text is refused none is given up", "bankd.workers.vector_worker", "MeaningProcess._vectors_of",
        "self._embed([_HARMLESS], False)", "...", OF_VECTORS,
    ),
    Mutant("a question has the bounds of its script", "bankd.search.meaning", "known_bounds", "in_hangul=bool(weights.bigrams)", "in_hangul=False", OF_MEANING),
    Mutant("meaning alone injects nothing into a prompt", ANSWERS, "above_floor", "min(sure, words, share)", "min(sure, share)", OF_MEANING),
    Mutant("the surer the words, the less meaning moves", FUSION, "meaning_share", "(1 - min(", "(min(", OF_FUSION),
    Mutant("among long notes meaning moves a title more", FUSION, "meaning_share", " + (OF_NOTES - LEAST_SHARE) * (1 - brevity)", "", OF_FUSION),
    Mutant("what is asked tells how much meaning moves", "bankd.search.find", "find_by_words", "weights.brevity", "1.0", OF_MEANING),
    Mutant("what has no vector yet keeps its place", FUSION, "fuse_scores", "word if cosine is None", "(1 - share) * word if cosine is None", OF_FUSION),
    Mutant("near copies share a cosine", FUSION, "share_cosines", "shared[at] = shared[other] = max(one, another)", "pass", OF_FUSION),
    Mutant("cosines that tell nothing apart change nothing", FUSION, "fuse_scores", " or (high <= low and most > least)", "", OF_FUSION),
    # the questions of memories
    Mutant("a question with a credential is not indexed", ASKED, "questions_in", "if not find_secrets(question, finders)", "", OF_QUESTIONS),
    Mutant("the questions of a line said again are those of its memory", ASKED, "memory_behind", "ledger.memory_of(twin) or twin", "line", ("tests/unit/test_index_questions.py",)),
    Mutant(
        "questions go with a line that was edited in this run", ASKED, "questions_in",
        "behind.get(line.id) or ", "", OF_QUESTIONS,
    ),
    Mutant(
        "questions that only the index of another catalog knew are read again", "bankd.index.told", "read_questions",
        'if seen.startswith(f"{catalog}:"):', "if seen:", ("tests/unit/test_index_questions.py",),
    ),
    # who was shown what
    Mutant("what changed is told again", SHOWN, "mark_of", "' '.join(text.split())", "''", OF_SHOWN),
    Mutant("what was shown in the future was not", SHOWN, "is_shown", "timedelta(0) <= now - at", "now - at", OF_SHOWN),
    Mutant("what one reader was shown is news for another", SHOWN, "is_shown", "shown.get(reader, {}).get(mark, \"\")", "next((seen[mark] for seen in shown.values() if mark in seen), \"\")", OF_SHOWN),
    Mutant("what was shown long ago is forgotten", SHOWN, "add_shown", "if (then := _moment(at)) and abs(now - then) < REMEMBERED", "", OF_SHOWN),
    Mutant("when a reader was here outlasts what it was shown", SHOWN, "add_shown", "kept[LAST_SEEN] = dict(shown.get(LAST_SEEN, {}))", "", OF_SHOWN),
    # conversations from elsewhere
    Mutant("a turn that a log has is not written again", DAY_LOGS, "new_turns", "turn.key in known or ", "", OF_IMPORT),
    Mutant("turns are known by every log of their conversation", DAY_LOGS, "is_log_of", "return log[10:] == log_name(conversation, \"\")", "return False", OF_IMPORT),
    Mutant("each piece of a conversation names its turns", DAY_LOGS, "keys_in_log", "found[1].split()", "()", OF_IMPORT),
    Mutant("what bankd put into a conversation is not taken in", DAY_LOGS, "_clean", "strip_memories(text.replace(\"\\r\\n\", \"\\n\"))", "text", OF_IMPORT),
    Mutant("what was said is quoted, so that no line of it is learned", DAY_LOGS, "_quoted", '"> {line}"', '"{line}"', OF_IMPORT),
    Mutant("a credential in a conversation is masked", "bankd.app.imports", "Importer._mask", "mask_secrets(text, find_secrets(text, self.finders))", "text", OF_IMPORT),
    Mutant("a dry run of an import remembers nothing", "bankd.app.imports", "Importer.import_all", "imported.problem or dry_run", "imported.problem", OF_IMPORT),
    Mutant("a source that could not be read is read again", "bankd.app.imports", "Importer.import_all", "imported.problem or dry_run", "dry_run", OF_IMPORT),
    Mutant("an export that grew is read again", "bankd.app.imports", "Importer.import_all", "if seen.get(source.path) in {source.stamp", "if source.path in {*seen, source.stamp", OF_IMPORT),
    Mutant(
        "what a person took back is not imported by a run", "bankd.app.imports", "Importer._import",
        "frozenset() if self.is_by_hand else self._keys(recognised.agent, conversation, ASIDE) - had", "frozenset()", OF_IMPORT,
    ),
    Mutant(
        "a person gets what was taken back once more", "bankd.app.imports", "Importer._import",
        "frozenset() if self.is_by_hand else ", "", OF_IMPORT,
    ),
    Mutant(
        "what a run left out is read again by a person", "bankd.app.imports", "Importer.import_all",
        "_withheld(source) if imported.withheld else source.stamp", "source.stamp", OF_IMPORT,
    ),
    Mutant(
        "of a log only the end that an import wrote goes", "bankd.storage.log_end", "move_end",
        "if digest_of(tail) != digest:", "if False:", OF_IMPORT,
    ),
    Mutant(
        "sources are read again once an import was taken back", "bankd.app.imports", "move_import",
        "workspace.outside.imports.remember({})", "pass", OF_IMPORT,
    ),
    Mutant(
        "a source that nobody foresaw stops no other", "bankd.app.imports", "Importer._import",
        "except Exception as error:", "except KeyError as error:", ("tests/stories/test_import.py",),
    ),
    Mutant(
        "a row of any shape stops no other row", "bankd.transcripts.formats", "list_at",
        "value if isinstance(value, list) else ()", "value", ("tests/unit/test_transcripts.py",),
    ),
    Mutant(
        "a line that cannot be compared stops no other", "bankd.memory.judge", "judge_lines",
        "except Exception as error:", "except KeyError as error:", ("tests/unit/test_cycle.py",),
    ),
    # what a model was cut off in
    Mutant(
        "half a character is no bug and loses no note", "bankd.agents.tools", "BankMethods._call_tool",
        'readable_value(params.get("arguments"))', 'params.get("arguments")', ("tests/stories/test_mcp.py",),
    ),
    # a folder that is adopted
    Mutant("notes beside logs become pages of a copy", ADOPT, "divide_files", "if not (is_copy and beside):", "if True:", OF_ADOPT),
    Mutant("what is left out in place is named", ADOPT, "divide_files", "return {LOGS: of_logs}, beside", "return {LOGS: of_logs}, ()", OF_ADOPT),
    Mutant("what is half made of another folder is refused", ADOPT, "_require_place", "elif begun != _marker_of(adoption):", "elif False:", OF_ADOPTING),
    Mutant("what is half made is completed", ADOPT, "_require_place", "if begun is None:", "if True:", OF_ADOPTING),
    Mutant("a link to another place is not ours", ADOPT, "_take", " and target.resolve() == source.resolve()", "", OF_ADOPTING),
    Mutant("the rest of a crash is no second name of a page", "bankd.app.init", "put_new", "staged.unlink()  # a crash", "pass  # a crash", OF_ADOPTING),
    # a command of the settings ends with all that it started
    Mutant("a command that prints without end is ended", COMMANDS, "_listen", "if len(output) > most:", "if False:", OF_COMMANDS),
    Mutant("of what a command says only the end is kept", COMMANDS, "_listen", "del said[:-_SAID]", "pass", OF_COMMANDS),
    Mutant("a grandchild that holds the pipe is not waited for", COMMANDS, "_listen", "if has_ended and not is_printing:", "if has_ended and not selector.get_map():", OF_COMMANDS),
    Mutant("what a command started ends with it", COMMANDS, "run_command", "start_new_session=True", "start_new_session=False", OF_COMMANDS),
    Mutant("a command is asked to end first", COMMANDS, "_end_group", "sent: signal.Signals | int = signal.SIGTERM", "sent: signal.Signals | int = signal.SIGKILL", OF_COMMANDS),
    Mutant("a command that does not end by itself is killed", COMMANDS, "_end_group", "os.killpg(process.pid, signal.SIGKILL)", "pass", OF_COMMANDS),
    Mutant("a command ends with the process that asks for it", "bankd.workers.model_worker", "main", ", end_commands)", ")", OF_COMMANDS),
    Mutant("a child may end what it started", "bankd.system.child", "ChildProcess.interrupt", "if self._last_seconds and", "if False and", OF_COMMANDS),
    # what is purged is gone
    Mutant("a purged text is found however its letters are composed", PURGE, "text_forms", '("NFC", "NFD")', '("NFC",)', ("tests/unit/test_purge.py",)),
    Mutant("a purge that was stopped still knows its memory by id", TRACES, "TextTraces.find", "self._in_lines(words), self._in_copies(encoded_forms(words)), [catalog], self._in_journals(words)", "self._in_journals(words), self._in_lines(words), self._in_copies(encoded_forms(words)), [catalog]", OF_PURGING),
    Mutant("what cannot be removed is not purged", TRACES, "TextTraces._drop_derived", "if path.exists():", "if False:", OF_PURGING),
    Mutant("a full disk in the catalog is the disk's doing", "bankd.workspace.catalog", "CatalogDatabase.scrub", "with storage_told(self._path):", "if True:", OF_PURGING),
    Mutant("a purged text is found as JSON escapes it", PURGE, "encoded_forms", "found |= {json.dumps(word)[1:-1].encode() for word in words}", "", OF_PURGE),
    Mutant("a text of three letters is not purged", PURGE, "", "_SHORTEST_HANGUL = 4, 3", "_SHORTEST_HANGUL = 1, 3", ("tests/unit/test_purge.py",)),
    Mutant("a purged text leaves the past runs", TRACES, "TextTraces.find", ", self._in_journals(words)", "", OF_PURGE),
    Mutant("a purged text leaves the events", TRACES, "TextTraces.find", "self._in_lines(words), ", "", OF_PURGE),
    Mutant("a purged text leaves displaced files and answers", TRACES, "TextTraces._in_copies", "if holds_form(", "if False and holds_form(", OF_PURGE),
    Mutant("a purged text leaves what is derived", TRACES, "TextTraces._in_copies", "for name in _DERIVED:", "for name in ():", OF_PURGE),
    Mutant("purging says where the text still is", TRACES, "_places", '(f"{path}:{line}" for line in lines)', "()", OF_PURGE),
    Mutant("purging says which records still have it", TRACES, "_places", "islice(lines, 1)", "()", OF_PURGE),
    Mutant("what records go by is not purged", PURGE, "_is_own", "_OWN_FIELDS if", "() if", OF_PURGE),
    Mutant("ids and days of opinions are not purged", PURGE, "scrub_text", "parts[::2] = [part.replace(word, PURGED) for part in parts[::2]]", "parts[:] = [part.replace(word, PURGED) for part in parts]", ("tests/unit/test_purge.py",)),
    Mutant("no memory is purged for its id or day", PURGE, "without_marks", 'return _MARKS.sub("", text)', "return text", OF_PURGE),
    Mutant("a copy that says something else does not go along", FORGET, "_require_one_wording", "> 1:", "> 9:", OF_PURGE),
    Mutant("a journal whose time is no time is set aside", "bankd.storage.journals", "decode_journal", 'datetime.fromisoformat(fields["planned_at"])', "pass", ("tests/contracts/test_journals.py",)),
    Mutant("a memory does not go with others below it", FORGET, "_find", "if others := sorted(str(e.memory.id) for e in below if e not in meant):", "if others := []:", OF_PURGE),
    Mutant("nothing is purged before it is applied", FORGET, "purge_text", "if not apply:", "if False:", OF_PURGE),
    Mutant("a purge that was stopped still knows its memory by text", FORGET, "purge_text", ", *_ids_in_past_runs(workspace, is_meant)", "", OF_PURGING),
    Mutant("what was forgotten can be purged by its id", FORGET, "_text_of", "chain(pages, past)", "pages", OF_PURGE),
    # what was lived
    Mutant(
        "what was lived is offered as known only after three days of use", "bankd.memory.retire", "_is_promotable",
        ">= PROMOTED_USES", ">= 2", ("tests/stories/test_promotion.py",),
    ),
    Mutant(
        "what was lived is offered as known only a week later", "bankd.memory.retire", "_is_promotable",
        "timedelta(PROMOTED_AFTER)", "timedelta(0)", ("tests/stories/test_promotion.py",),
    ),
    Mutant(
        "what a person left with what was lived is not offered again", "bankd.memory.retire", "find_promotable",
        "one.id not in declined and ", "", ("tests/stories/test_promotion.py",),
    ),
    Mutant(
        "a use brings a memory's strength back on its curve", "bankd.memory.use", "curve_of",
        "*known.used)", ")", ("tests/unit/test_use.py",),
    ),
    Mutant(
        "what was used and is strong is not offered for the archive", ARCHIVE, "offered_among",
        " or not one.resident.signals.used", " or True", ("tests/stories/test_archive.py",),
    ),
    # what was beaten
    Mutant(
        "what was beaten steps back only in its cluster", "bankd.search.suppression", "suppression_of",
        ">= SAME_NEED", ">= 0", ("tests/unit/test_suppression.py",),
    ),
    Mutant(
        "what was beaten steps back only where the settings say so", "bankd.app.show", "give_feedback",
        "if workspace.settings.search.suppression", "if True", ("tests/stories/test_suppression.py",),
    ),
    Mutant(
        "a question that was lost is kept without its secrets", "bankd.app.show", "_questions_lost",
        "screen_text(text, workspace.finders())", "text", ("tests/stories/test_suppression.py",),
    ),
    Mutant(
        "what was beaten comes later", "bankd.search.suppression", "suppress_beaten",
        "lost.get(one.row.id or \"\", 0.0)", "0.0", ("tests/stories/test_suppression.py",),
    ),
    # what a model makes of prose
    Mutant(
        'a line that says more than its sources is not taken in', "bankd.memory.retain", "_LogReader._item",
        'if doubt := _DOUBTED.search(text)', 'if doubt := None', ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        "the end of one span begins no other", "bankd.words.day_mentions", "_is_range",
        " and not _THEN_UNTIL.match(text, one.end)", "", ("tests/unit/test_dates.py",),
    ),
    Mutant(
        "in is no inch before other words", "bankd.words.english", "_Reader._is_preposition",
        ' or tag in ("SL", "SN")', " or True", ("tests/unit/test_statement.py",),
    ),
    Mutant(
        'a section is distilled once', "bankd.night.distil", "find_sections",
        'new_sections(found, known)', 'new_sections(found, set())', ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        'credentials are masked before prose is sent', "bankd.night.distil", "_sections_in",
        'screen_text(parts.logs.text(log), parts.finders)', 'parts.logs.text(log)', ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        'what a model wrote is not distilled again', "bankd.night.distil", "find_sections",
        'if not log.startswith(f"{FOLDER}/")', '', ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        'old logs are not distilled', "bankd.night.distil", "find_sections",
        '>= first', '!= first', ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        "prose that was not answered waits and is named", "bankd.night.distil", "distil_prose",
        'waiting += [(section, problem)] if problem else []', '', ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        "what a model does not stand by is not believed", "bankd.night.asking", "_verified",
        "judged.reason or _problem(said)", "judged.reason", ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        "what the rules do not believe no model makes believed", "bankd.night.asking", "_verified",
        "judged.reason or _problem(said)", "_problem(said)", ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        "a line that an answer leaves out is not believed", "bankd.night.asking", "_problem",
        'said.get("supported") is True', 'said.get("supported", True)', ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        'a line of a model supersedes only as the setting says', "bankd.cycle", "_may",
        'conflict == "newer" or ', 'True or ', ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        'no day takes more tokens than it may', "bankd.workers.models", "ModelDoor._why_not",
        'most_taken(prompt) > left', 'left < 0', ("tests/contracts/test_models.py",),
    ),
    Mutant(
        'a call that nobody saw the end of took what it might', "bankd.workers.models", "ModelDoor._call",
        'else most)', 'else 0)', ("tests/contracts/test_models.py",),
    ),
    Mutant(
        'a kept reply is not asked for again', "bankd.workers.models", "ModelDoor._answer",
        'if kept is not None:', 'if False:', ("tests/contracts/test_models.py",),
    ),
    Mutant(
        'an answer against the schema is no answer', "bankd.workers.model_worker", "_read",
        'jsonschema.validate(value, dict(question.schema))', '', ("tests/contracts/test_models.py",),
    ),
    Mutant(
        'an answer that was cut off is no answer', "bankd.workers.model_worker", "answer_question",
        'if said.is_cut:', 'if False:', ("tests/contracts/test_models.py",),
    ),
    # what a model writes to find memories by
    Mutant(
        "a memory that says something else has other questions", "bankd.pages.memory", "statement_key",
        'f"{said}\\n{about}"', 'about', ("tests/stories/test_enriching.py", "tests/unit/test_enriching.py"),
    ),
    Mutant(
        "what was written for a statement is not asked again", "bankd.night.enrich", "enrich_memories",
        "if not parts.kept.of(one.key) and ", "if ", OF_ENRICHING,
    ),
    Mutant(
        "a memory like a credential is not sent", "bankd.night.enrich", "_is_sendable",
        "return not find_secrets(", "return True or find_secrets(", OF_ENRICHING,
    ),
    Mutant(
        "a question with a credential is not kept", "bankd.night.enrich", "_is_clean",
        "return not any(", "return True or any(", OF_ENRICHING,
    ),
    Mutant(
        "what nothing was written for is not asked for ever", "bankd.night.enrich", "_keep",
        "for statement in few:", "for statement in (one for one in few if one.key in written):", OF_ENRICHING,
    ),
    Mutant(
        "what is too long to be a question is none", "bankd.night.enrich", "_texts",
        " and len(one) <= _LONGEST", "", OF_ENRICHING,
    ),
    Mutant(
        "a purged text takes what was written for it along", TRACES, "TextTraces._in_lines",
        "for path in log_files(self._tree, ENRICHED):", "for path in ():", ("tests/stories/test_enriching.py",),
    ),
    Mutant(
        "questions in another script count whole", "bankd.search.score", "_with_questions",
        "1.0 if is_met_by_questions(candidate, weights) else ", "", ("tests/unit/test_index_questions.py",),
    ),
    Mutant(
        "a memory met by questions has the floor of their script", FLOOR, "floor_of",
        " and not is_by_questions", "", ("tests/unit/test_index_questions.py",),
    ),
    Mutant(
        'what is only proposed is not taken in by itself', "bankd.memory.retain", "_LogReader._item",
        'if doubt := _DOUBTED.search(text)', 'if doubt := None', ("tests/stories/test_distilling.py",),
    ),
    Mutant(
        'what is offered does not count as bad', "bankd.memory.plan", "HeldBack.is_offered",
        'self.kind in {REFUSED, PROPOSED}', 'False', ("tests/stories/test_distilling.py",),
    ),
    Mutant(
        'what prose proposes is looked for in logs that were just saved', "bankd.cli.importing", "propose_command",
        'if not arguments.now:', 'if False:', ("tests/stories/test_distilling.py",),
    ),
    Mutant(
        'a listing of days says how much it leaves off', "bankd.search.find", "find_answers",
        'len(shown) - len(best) if listed else 0', '0', ("tests/stories/test_days.py",),
    ),
    Mutant(
        'what was proposed once is not proposed again', "bankd.night.asking", "compose",
        'distilled_mark(section.key, by)', 'distilled_mark(section.key)', ("tests/stories/test_distilling.py",),
    ),
    Mutant(
        'a question is not proposed', "bankd.night.distil", "_rule_for",
        ' or _QUESTION.search(sentence)', '', ("tests/unit/test_proposing.py",),
    ),
    Mutant(
        'an accepted line waits no more', "bankd.app.review", "accept_line",
        'dismiss_line(workspace, log, line, dry_run=False, accepted=accepted)', 'pass', ("tests/stories/test_distilling.py",),
    ),
    Mutant(
        'what was dismissed waits again when that is taken back', "bankd.memory.undo", "events_of",
        'for said in past.events:', 'for said in ():', ("tests/stories/test_decisions.py",),
    ),
    Mutant(
        'two that both hold are no contradiction', "bankd.app.review", "list_conflicts",
        'if (min(pair), max(pair)) not in settled', '', ("tests/stories/test_decisions.py",),
    ),
    Mutant(
        'what was accepted goes off its log again', "bankd.app.undo", "_ask_again",
        'not accepted or workspace.logs.take_back(log, accepted)', 'True', ("tests/stories/test_decisions.py",),
    ),
    Mutant(
        'an insight supports no other', "bankd.night.insights", "memory_clusters",
        'if own := sources_of(one.memory.text):', 'if False and (own := sources_of(one.memory.text)):', ("tests/unit/test_insights.py",),
    ),
    Mutant(
        'an insight rests on five memories', "bankd.night.insights", "insight_in",
        'len(sources) < LEAST', 'False', ("tests/unit/test_insights.py",),
    ),
    Mutant(
        'an insight goes with the first of its memories', "bankd.night.retention", "retire_memories",
        'going += _unsupported(', '_ = _unsupported(', ("tests/unit/test_insights.py",),
    ),
    Mutant(
        'a cluster is asked about once', "bankd.night.insights", "_unseen",
        'if cluster.section.key not in known', '', ("tests/unit/test_insights.py",),
    ),
    Mutant("a denial ends a clause", "bankd.words.english", "_Reader._ends_part", 'else self._has_sign(self._at, "SP")', "else False", ("tests/unit/test_statement.py",)),
    Mutant("what cannot be used is not what follows", "bankd.words.korean", "_Reader._negate", "== [_OF_VERB] and", "== [] and", OF_GROUNDING),
    Mutant("a fraction is no day", "bankd.words.day_rules", "_slashed", "or (is_fraction and not found[\"when\"])", "", OF_DATES),
    Mutant("a share of tests is no day", "bankd.words.day_rules", "_slashed", "if is_share or ", "if ", OF_DATES),
    Mutant("more than all is no share", "bankd.words.day_rules", "_slashed", " and month <= day", "", OF_DATES),
    Mutant("점심 is no 점", "bankd.words.day_rules", "", "|밖에)?(?![가-힣]))", "|밖에)?)", OF_DATES),
    Mutant("the year may stand before two numbers", "bankd.words.day_rules", "_slashed", 'if found["year"]:', "if False:", OF_DATES),
    Mutant("who sat has no Saturday", "bankd.words.day_mentions", "_lower", ", _SPELT_AS_DAYS)", ", ())", OF_DATES),
    Mutant("a day is no verb of the past", "bankd.words.day_mentions", "_lean_at", "if text[: one.end].endswith(_SPELT_AS_DAYS):", "if False:", OF_DATES),
    Mutant("a month that is cut short stands behind a preposition", "bankd.words.day_english", "", "(?:(?:{_IN_MONTHS}){_PART}", "(?:{_PART}", OF_DATES),
    Mutant("who reads it is no January", "bankd.words.day_english", "", "(?!{_NAMES_TOO})", "", OF_DATES),
    Mutant("who begins with Sat sits", "bankd.words.day_mentions", "", "|Sun(?= [a-z])", "", OF_DATES),
    Mutant("an item of a list has no sign", "bankd.night.attest", 'sentences_of', '_ITEM.sub("", text.strip())', 'text.strip()', OF_GROUNDING),
    Mutant("10 a.m. is no hour of the nights", "bankd.words.values", "_join", " and not are_settled", "", ("tests/unit/test_statement.py",)),
    Mutant("'24 is a year", "bankd.words.english", "_Reader._date", "year = self._short_year()", 'year = ""', ("tests/unit/test_statement.py",)),
    Mutant("9/26 is a day", "bankd.words.english", "_Reader._number", " or self._slashed(number, taken)", "", ("tests/unit/test_statement.py",)),
    Mutant("tests are counted on no day", "bankd.words.english", "_Reader._slashed", "return () if is_counted and self._at + taken not in self._signs else ", "return ", ("tests/unit/test_statement.py",)),
    Mutant("the part of the day beside an hour is its own", "bankd.words.values", "read_parts_of_day", "for at in beside:", "for at in ():", ("tests/unit/test_statement.py",)),
    Mutant("a clock has no unit", "bankd.words.english", "_Reader._unit", "if form and not (is_clock or ", "if form and not (", OF_GROUNDING),
    Mutant("half behind won is half of what follows", "bankd.words.korean", "_Reader._read_number", 'not in ("", "원")', 'not in ("",)', ("tests/unit/test_statement.py",)),
    Mutant("until 24th is a day", "bankd.words.day_english", "", "|{_BEFORE_DAYS})(?P<day>", "|x)(?P<day>", ("tests/unit/test_dates.py",)),
    Mutant("a weekday is known by its first syllable before an hour", "bankd.words.day_korean", "", r'(?<!\S)(?P<weekday>{CUT_WEEKDAY})', r'(?<!\S)x(?P<weekday>{CUT_WEEKDAY})', ("tests/unit/test_dates.py",)),
    Mutant("03/2027 is a month", "bankd.words.day_rules", "_numeric_rules", r"{month}/(?P<year>(?:19|20)\d\d)(?![\d/])", "x{month}/(?P<year>)", ("tests/unit/test_dates.py",)),
    Mutant("03.05.2026 is a day", "bankd.words.day_rules", "_numeric_rules", r"{day}\.{month}\.", "x{day}{month}", ("tests/unit/test_dates.py",)),
    Mutant("who answers no denies nothing of what follows", "bankd.words.english", "_Reader._is_answer", 'denial == "no" and', "False and", ("tests/unit/test_statement.py",)),
    Mutant("smoking no denies smoking", "bankd.words.english", "_Reader._is_answer", ' and self._has_sign(self._at - 1, "SF")', "", ("tests/unit/test_statement.py",)),
    Mutant("a day in so many months is the same day", "bankd.night.attest", "_to_the_day", "if days == _WEEK.days else day.day - span.first.day", "", OF_GROUNDING),
    Mutant("the last day of a month is one day", "bankd.words.days", "_part_in_days", '"last day": (days - 1, days)', '"last day": (0, days)', OF_DATES),
    Mutant("2억 7천 is of 만", "bankd.words.values", "_add_up", 'part * MYRIADS["만"] if is_short else', "part if is_short else", OF_GROUNDING),
    Mutant("an hour and 35 minutes are 95", "bankd.words.values", "join_quantities", "is_of_values and (total", "False and (total", OF_GROUNDING),
    Mutant("what expires on a day does not last until another", "bankd.words.day_mentions", "_is_range", "if _CLAUSE.search(between) and not", "if False and not", OF_DATES),
    Mutant("who is abstinent speaks of no week", "bankd.words.day_korean", "", "주(?!말|하) ?", "주(?!말) ?", OF_DATES),
    Mutant("4만 8천 is one number", "bankd.words.korean", "_goes_on", 'if morphemes[at].tag == "SN" and', "if False and", OF_GROUNDING),
    Mutant(
        "a line that rests on nothing is not verified", "bankd.night.asking", "_asked",
        "if line.sources", "if True", ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        "verifying is bounded", "bankd.night.asking", "_asked",
        " if end <= MOST_LETTERS", "", ("tests/unit/test_distilling.py",),
    ),
    Mutant(
        "asking once more is counted before", "bankd.app.distil", "plan_distilling",
        " + 2 * sum(verifying_tokens)", "", ("tests/stories/test_distilling.py",),
    ),
    Mutant(
        "a line is known again though its link was turned", SECOND_LOOK, "_as_written_in",
        "turned.pop(without_targets(said), said)", "said", OF_SECOND_LOOK,
    ),
    # the page, all banks, and a fleet
    Mutant(
        "a move of long ago turns no link", "bankd.workspace.graph", "LinkGraph.moved",
        "if _root_of(old, new) in roots", "", ("tests/stories/test_renamed_pages.py",),
    ),
    Mutant(
        "how important a memory was is what it is again", "bankd.memory.undo", "events_of",
        'if said["type"] == IMPORTANCE:', "if False:", ("tests/stories/test_feedback.py",),
    ),
    Mutant(
        "a service whose bank asks a model elsewhere may use the network", "bankd.wiring.probing", "_asks_others",
        'settings.distil.provider != "off"', "False", ("tests/unit/test_units.py",),
    ),
    Mutant(
        "a bank is kept where files cannot be exchanged", "bankd.storage.disk", "require_safe",
        "tree.calls = SyscallsWithoutExchange()", "pass", ("tests/stories/test_without_exchange.py",),
    ),
    Mutant(
        "a bank that hangs is not said to be alive", "bankd.service.banks", "BankVoice.hangs",
        "self.proved is not None and now - self.proved > _SILENT", "False", ("tests/unit/test_bank_life.py",),
    ),
    Mutant(
        "a bank that is not open has nothing to prove", "bankd.service.banks", "BankVoice.alive",
        "if self.is_served:", "if True:", ("tests/unit/test_bank_life.py",),
    ),
    Mutant(
        "a daemon of all banks follows their list", "bankd.service.banks", "AllBanks._follow_list",
        "if wanted.get(name) != life.root:", "if False:", ("tests/unit/test_bank_life.py",),
    ),
    Mutant(
        "the end of one bank ends no other's work", "bankd.system.child", "SharedChild.end",
        "if not self._is_done.is_set():", "if True:", ("tests/unit/test_bank_life.py",),
    ),
    Mutant(
        "the page answers to its own address only", "bankd.ui.guard", "refusal_of",
        "if host not in access.hosts:", "if False:", ("tests/ui/test_guard.py",),
    ),
    Mutant(
        "another site may not ask the page", "bankd.ui.guard", "refusal_of",
        "if site not in _OWN_SITES else None", "if False else None", ("tests/ui/test_guard.py",),
    ),
    Mutant(
        "a decision comes from the page itself", "bankd.ui.guard", "refusal_of",
        'if headers.get("origin") != f"http://{host}" or site != "same-origin":', "if False:", ("tests/ui/test_guard.py",),
    ),
    Mutant(
        "a token opens the page once", "bankd.ui.guard", "Access.take_token",
        'self.token = ""', "pass", ("tests/ui/test_guard.py",),
    ),
    Mutant(
        "few banks are asked by one process", "bankd.wiring.banks", "Banks._make_copy",
        "len(alone) < _WORTH", "False", ("tests/stories/test_banks.py",),
    ),
    Mutant(
        "banks of a copy that ended are asked all the same", "bankd.wiring.banks", "Banks.ask_all",
        "or self.ask_each(self._copied, request)", "or ({}, {})", ("tests/stories/test_banks.py",),
    ),
    Mutant(
        "of the same score the first bank comes first", "bankd.wiring.banks", "Banks.ask_all",
        "{name: answers[name] for name in banks if name in answers}", "answers", ("tests/stories/test_banks.py",),
    ),
    Mutant(
        "no copy is made beside another thread", "bankd.system.child", "pays_to_copy",
        ' and len(os.listdir("/proc/self/task")) == 1', "", ("tests/contracts/test_working_copy.py",),
    ),
    Mutant(
        "what all banks answer has not been recalled", "bankd.wiring.banks", "OpenBank.ask",
        ', "keep": False', "", ("tests/stories/test_banks.py",),
    ),
    Mutant(
        "of nights that passed the last is done", "bankd.fleet.registry", "due_night",
        "passed[-1].key", "passed[0].key", ("tests/unit/test_fleet_nights.py",),
    ),
    Mutant(
        "a night is not tried for ever", "bankd.fleet.registry", "wait_after",
        "None if tries >= _TRIES else ", "", ("tests/unit/test_fleet_nights.py",),
    ),
    Mutant(
        "a night that is done is not done again", "bankd.fleet.worker", "Nights.do_night",
        " or self.fleet.banks.is_done(name, night)", "", ("tests/unit/test_fleet_nights.py",),
    ),
    Mutant(
        "a bank is shared only where somebody said so", "bankd.fleet.worker", "Nights._do",
        "if bank.is_shared:", "if True:", ("tests/unit/test_fleet_nights.py",),
    ),
    Mutant(
        "who may not read a bank sees no row of it", "bankd.fleet.database", "",
        '"bank IN (SELECT bank FROM readers WHERE reader = current_user)"', '"true"', ("tests/fleet/test_shared_search.py",),
    ),
    Mutant(
        "a silent worker's nights are stalled", "bankd.fleet.queue", "",
        "await app.job_manager.retry_job(job)", "pass", ("tests/fleet/test_nights.py",),
    ),
    # the one owner of a query, and the pool of banks
    Mutant(
        "threads that ask for a bank share it", "bankd.wiring.banks", "Banks.find",
        "with self._opening:", "if True:", ("tests/stories/test_banks.py",),
    ),
    Mutant(
        "a bank whose folder is another one now is closed", "bankd.wiring.banks", "Banks.find",
        "bank.close()", "pass", ("tests/stories/test_banks.py",),
    ),
    Mutant(
        "in a daemon a search waits for no write", OWNER, "BankSearch.__init__",
        "RLock() if is_daemon else self._reading", "self._reading", OF_OWNER,
    ),
    Mutant(
        "new settings stop no search while they wait for a write", OWNER, "BankSearch.adopt",
        "with self._writing, self._reading:", "with self._reading, self._writing:", OF_OWNER,
    ),
    Mutant(
        "in a daemon no search starts the analyser", OWNER, "BankSearch._begin",
        'self._read.analyser.patience = "never"', "pass", OF_OWNER,
    ),
    Mutant(
        "what changed is taken in without the analyser", OWNER, "BankSearch.take_in",
        'self._writer("never")', 'self._writer("wait")', OF_OWNER,
    ),
    Mutant(
        "an answer is not given again once the index has changed", OWNER, "BankSearch.answer",
        "self._read.state(now), pending,", "self._read.state(now) and 0, pending,", OF_OWNER,
    ),
    Mutant(
        "no file is closed under a search", OWNER, "BankSearch.close",
        "if len(locks) == 2:", "if True:", OF_OWNER,
    ),
    Mutant(
        "an end does not wait for a search that goes on", OWNER, "BankSearch.close",
        "lock.acquire(timeout=_CLOSE_SECONDS)", "lock.acquire()", OF_OWNER,
    ),
    Mutant(
        "what could not be taken in is told", OWNER, "BankSearch.take_in",
        "self._problem = str(error)", "pass", OF_OWNER,
    ),
    Mutant(
        "many files are read by another process", "bankd.service.daemon", "Daemon.files_changed",
        "len(changes.paths) >= MANY", "len(changes.paths) > MANY", OF_OWNER,
    ),
    Mutant(
        "who could write ends before the lock is given back", "bankd.wiring.held", "Held.close",
        "self._lock.release()\n        self._folder.close()", "self._folder.close()\n        self._lock.release()", OF_OWNER,
    ),
    # who stays and searches
    Mutant(
        "who stays goes by new settings", WATCH, "Asked._open",
        "self._search.settings != settings", "False", OF_STANDING,
    ),
    Mutant(
        "settings that did not change open nothing anew", "bankd.wiring.search", "search_settings",
        "SearchSettings(*read_json(write_json(settings).encode()))", "settings", OF_STANDING,
    ),
    Mutant(
        "who stays looks at all files only after a change", WATCH, "ChangeWatch.takes_look",
        "if not self._is_hinted and not (is_due and (waits or not is_told)):", "if False:", OF_STANDING,
    ),
    Mutant(
        "who stays sees a change", WATCH, "ChangeWatch._start",
        "lambda _: self.hint()", "lambda _: None", OF_STANDING,
    ),
    Mutant(
        "where nobody tells of changes who stays looks each second", WATCH, "ChangeWatch.takes_look",
        "(waits or not is_told)", "waits", OF_STANDING,
    ),
    Mutant(
        "what the last look left is looked at again", WATCH, "ChangeWatch.takes_look",
        "(waits or not is_told)", "not is_told", OF_STANDING,
    ),
    Mutant(
        "who stays knows of what it wrote itself", "bankd.wiring.banks", "OpenBank.work",
        "self._asked.look_again()", "pass", OF_STANDING,
    ),
    Mutant(
        "a night asks a model before it takes the lock", "bankd.cli.run", "cycle_command",
        'workspace.models is None or arguments.kind != "reflect" or arguments.dry_run', "True", ("tests/stories/test_distilling.py",),
    ),
    Mutant(
        "what changed since a model was asked is not asked under the lock", "bankd.app.distil", "AskedBefore.answer_in",
        "workspace.models, workspace.unasked = self", "workspace.unasked = self.memories", ("tests/stories/test_distilling.py",),
    ),
    # what models said, kept long
    Mutant(
        "a purge reaches what models said and was packed", TRACES, "TextTraces._in_lines",
        "*log_files(self._tree, REPLIES), ", "", ("tests/stories/test_distilling.py",),
    ),
    # the files of events
    Mutant(
        "a clock that was set back does not return to the file of an earlier year", EVENT_FILES, "JsonLog._current",
        "*(parts[1] for parts in own if parts and parts[0] == self.writer)", "0", OF_EVENT_FILES,
    ),
    Mutant(
        "a year with very many events does not outgrow what is read of a file", EVENT_FILES, "JsonLog._current",
        "size >= FULL", "False", OF_EVENT_FILES,
    ),
    Mutant(
        "what an earlier version wrote to one file, and put away, is read", EVENT_FILES, "log_files",
        'places = (f"{folder}/archive", folder)', "places = (folder,)", OF_EVENT_FILES,
    ),
    Mutant(
        "what an earlier version wrote to one file that had no number is read", EVENT_FILES, "",
        r"(?:-(?P<number>\d{4,}))?\.jsonl", r"-(?P<number>\d{4,})\.jsonl", OF_EVENT_FILES,
    ),
    Mutant(
        "of what stands in several files under one id the writer's own order counts", EVENT_FILES, "EventLog.read_events",
        'found = {str(row["id"]): row for row in in_order_told(first.values())} | found',
        'found |= {str(row["id"]): row for row in in_order_told(first.values())}', OF_EVENT_FILES,
    ),
    Mutant(
        "a file that shrank is read again from its beginning", TOLD, "read_event_days",
        "size < before.get(path, 0)", "False", OF_EVENT_FILES,
    ),
    Mutant(
        "a line that somebody is still writing is read at the next look", TOLD, "_new_lines",
        "start + len(data) - len(last)", "start + len(data)", OF_EVENT_FILES,
    ),
    # copies that an old buffer brought back
    Mutant(
        "what was written late makes no page anew", SECOND_LOOK, "_Looker._takes_late_lines",
        "self.look(path) is not None and ", "", OF_SECOND_LOOK,
    ),
    Mutant(
        "a copy that was taken on before it was seen goes again", SECOND_LOOK, "_Looker.once_more",
        "self._taken_on(operation) if elsewhere else ()", "()", OF_SECOND_LOOK,
    ),
    Mutant(
        "what another run named since is no copy", SECOND_LOOK, "_Looker._taken_on",
        ".difference(*named)", "", OF_SECOND_LOOK,
    ),
    Mutant(
        "no place that may lose a memory vouches for another", SECOND_LOOK, "_Looker._removals",
        "{path, source}", "{path}", OF_SECOND_LOOK,
    ),
    # what an editor writes to a page that was swapped out under it
    Mutant(
        "a displaced page gets a date that no later write leaves to it", STAGING, "Staging.mark_displaced",
        "self._calls.date(fd, date)", "raise PermissionError", OF_RACES,
    ),
    Mutant(
        "a displaced page is read once more after it was dated", STAGING, "Staging._to_trash",
        "digest_of(self._read(str(staged))) != kept_as.before", "False", OF_RACES,
    ),
    Mutant(
        "a late write is dated before it is carried over", "bankd.storage.recovery", "Trash._late",
        "self._staging.mark_displaced(TRASH, name)", "[state.st_mtime_ns for other, state in self._items() if other == name][0]", OF_RACES,
    ),
    Mutant(
        "a daemon of an older version is passed by", "bankd.wiring.asking", "ask_socket",
        "not all(key in answer for key in OF_A_SEARCH)", "False", ("tests/unit/test_older_daemon.py",),
    ),
    # what is asked and called in ways that nobody thought of
    Mutant(
        "the last day of the calendar can be asked for", "bankd.index.terms", "Terms._filters",
        " and filters.known_on < date.max", "", ("tests/contracts/test_index.py",),
    ),
    Mutant(
        "a hook is silent wherever its options stand", "bankd.cli", "_is_silent",
        "[: _position_of_command(arguments) + 1]", "[:1]", ("tests/stories/test_hooks.py",),
    ),
    # what the daemon is asked, and whether it goes on
    Mutant(
        "a request is checked before it is begun", "bankd.service.requests", "Requests.handle",
        "problems := find_problems(request)", "problems := []", OF_REQUESTS,
    ),
    Mutant(
        "nothing is waited for longer than may be, nor before now", "bankd.service.requests", "_is_wait",
        " and 0 <= value <= LONGEST_WAIT", "", OF_REQUESTS,
    ),
    Mutant(
        "a search says that the jobs stand still", "bankd.service.requests", "Requests._search",
        "tell_standstill(self._timer.queue())", "''", OF_REQUESTS,
    ),
    Mutant(
        "a queue at which nobody works stands still", "bankd.health.health", "tell_standstill",
        "(queue.doing or queue.waiting)", "queue.doing", ("tests/unit/test_health.py",),
    ),
    Mutant(
        "a loan may not take as long as a job", "bankd.health.health", "tell_standstill",
        ", LENT: _LONGEST_LOAN", "", ("tests/unit/test_health.py",),
    ),
    # what of a log is shown
    Mutant(
        "a log is read by agents and pages without credentials", "bankd.index.sources", "screened_log",
        "screen_text(text_of_log(data), finders)", "text_of_log(data)", OF_WAYS_OUT,
    ),
    Mutant(
        "why a line is not read quotes no credential", "bankd.memory.retain", "BadLine.screened",
        "reason.replace(self.text[secret.start : secret.end], f\"[{secret.kind}]\")", "reason", OF_WAYS_OUT,
    ),
    Mutant(
        "the questions below a line are shown without credentials", "bankd.app.show", "_source",
        "screen_text(question, workspace.finders())", "question", OF_WAYS_OUT,
    ),
    Mutant(
        "a line of a key is shown as part of it", "bankd.memory.provenance", "describe_line",
        "screen_text(text, finders).split(\"\\n\")", "document.lines", OF_WAYS_OUT,
    ),
    Mutant(
        "what an option of the service takes is no command", "bankd.__main__", "names_command",
        " and before not in _WITH_VALUE", "", ("tests/unit/test_commands.py",),
    ),
    # what a run compares besides
    Mutant(
        "a run that took in a thousand lines compares no more", "bankd.cycle", "_look_again",
        " - len(plan.placements)", "", ("tests/unit/test_cycle.py",),
    ),
)  # fmt: skip
