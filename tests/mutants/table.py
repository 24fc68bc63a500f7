"""The rules that are switched off one by one: each must be noticed by the quick suite.

A rule is one that a user would miss: without it something is lost, doubled, shown wrongly, or done too early or too late.
"""

from __future__ import annotations

from tests.mutants.features import FEATURES
from tests.mutants.ranking import RANKING
from tests.mutants.sameness import SAMENESS
from tests.mutants.switching import Mutant

CHECK, CYCLE, PRESERVING, RETIRING = (
    "bankd.memory.check",
    "bankd.cycle",
    "bankd.layouts.rearrange",
    "bankd.memory.retire",
)
ROUTING, ANSWERS = (
    "bankd.memory.route",
    "bankd.search.floor",
)
SCHEDULE, SETTLE, DECAY, SPLIT = (
    "bankd.health.schedule",
    "bankd.edits.settle",
    "bankd.memory.use",
    "bankd.layouts.split",
)
SEAMS, SECRETS, RETAIN, EVENTS = (
    "bankd.layouts.split",
    "bankd.secrets.screening",
    "bankd.memory.retain",
    "bankd.memory.ledger",
)
COLLECT, SECOND_LOOK, UNDO, TERMINAL = (
    "bankd.memory.new_lines", "bankd.edits.second_look", "bankd.memory.undo", "bankd.pages.text",
)  # fmt: skip
BATCHES, SETTLED = "bankd.memory.new_lines", "bankd.edits.second_look"
TREE, LOCK, OPERATIONS, ARCHIVE = (
    "bankd.storage.tree", "bankd.storage.journals", "bankd.edits.operations", "bankd.memory.archive",
)  # fmt: skip
REARRANGING = "bankd.memory.links"
NAMES, VALUES = "bankd.secrets.values", "bankd.secrets.values"
SEARCHING, CLOCK, FLOOR = "bankd.search.bank_search", "bankd.health.health", "bankd.search.floor"

OF_CHECK = ("tests/unit/test_check.py",)
OF_CYCLE = ("tests/unit/test_cycle.py",)
OF_PRESERVING = ("tests/unit/test_preserving.py",)
OF_DECAY = ("tests/properties/test_decay.py",)
OF_SCHEDULE = ("tests/unit/test_schedule_limits.py",)
OF_SECRETS = ("tests/unit/test_secrets.py",)
OF_SPELLINGS = ("tests/unit/test_secret_spellings.py",)
OF_SPLIT = ("tests/unit/test_split.py",)

ANSWERING, OF_LOGS = "bankd.search.answer", ("tests/stories/test_logs.py",)

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "what is no text may be half written yet", "bankd.storage.recovery", "Recoverer._carry_late_writes",
        "elif late.is_long_at_rest(now):", "else:", ("tests/stories/test_damage.py",),
    ),
    Mutant(
        "an index without its list of files is damaged", "bankd.index.folder", "IndexFolder._open_terms",
        "if recorded and _size_of", "if False and _size_of", ("tests/stories/test_damage.py",),
    ),
    Mutant(
        "what a disk fills with zeros is no late write", "bankd.storage.recovery", "Recoverer._carry_late_writes",
        "if late.is_text:", "if True:", ("tests/stories/test_damage.py",),
    ),
    Mutant(
        "a page in another case has one page in the archive", "bankd.memory.links", "relink_plan",
        "plan.into_archive(graph.names)", "plan", ("tests/stories/test_archive.py",),
    ),
    Mutant(
        "what is merged goes to the page of the archive that is there", "bankd.memory.plan", "Plan.into_archive",
        "if not self.taken_out:", "if not self.archived:", ("tests/unit/test_archive.py",),
    ),
    *FEATURES,
    *RANKING,
    *SAMENESS,
    # what a plan may not do
    Mutant(
        "a plan is searched for losses", CHECK, "find_losses",
        "return [*lost, *_unplaced(plan, new), *doubled, *_unwritten_prose(old, new)]",
        "return []", OF_CHECK,
    ),
    Mutant("a lost memory is found", CHECK, "find_losses", "if id_ not in kept", "if False", OF_CHECK),
    Mutant("an unreadable new memory is found", CHECK, "_unplaced", "if len(found) != 1 or", "if False and", OF_CHECK),
    Mutant("a doubled memory is found", CHECK, "find_losses", "n > max(held[id_], 1)", "False", OF_CHECK),
    Mutant("lost prose is found", CHECK, "_unwritten_prose", "in sorted(", "in () and sorted(", OF_CHECK),
    Mutant(
        "broken links are found", CHECK, "find_broken",
        "*layout,", "", OF_CHECK,
    ),
    Mutant("links that a plan leaves dead are found", CHECK, "find_broken", "for link in found", "for link in ()", OF_CHECK),
    Mutant(
        "as many memories as the budget allows may go", CHECK, "find_excess",
        "removed <= allowed_removals", "removed < allowed_removals", OF_CHECK,
    ),
    Mutant(
        "twenty memories may always go", RETIRING, "allowed_removals", "max(ALWAYS_ALLOWED, ", "max(0, ", OF_CHECK,
    ),
    Mutant("as many lines as the budget allows come in one batch", BATCHES, "cut_batch", "total <= most", "total < most", OF_CYCLE),
    Mutant("a log in two batches is read again", BATCHES, "whole_logs", "readings[first:end]", "readings", OF_CYCLE),
    Mutant("a batch goes on where the one before it ended", CYCLE, "collect_lines", "take_from(policy.start, lines)", "lines", OF_CYCLE),
    Mutant("only pages of ours are split unasked", REARRANGING, "_is_ours", "is_own_page(path, data)", "True", OF_CYCLE),
    Mutant("a plan that loses something is not carried out", CYCLE, "check_plan", "if findings:", "if False:", OF_CYCLE),
    Mutant("a plan beyond the budget is not carried out", CYCLE, "check_plan", "if excess and", "if False and", OF_CYCLE),
    # what a new layout may not do
    Mutant(
        "a layout is searched for losses", PRESERVING, "LayoutCheck.findings",
        "return findings + self._memories() + self._pages()", "return []", OF_PRESERVING,
    ),
    Mutant(
        "a reference that would not be read back is found", PRESERVING, "LayoutCheck.findings",
        'findings.append(f"{path}:', 'str(f"{path}:', OF_PRESERVING,
    ),
    Mutant(
        "a link that would lead nowhere is found", PRESERVING, "LayoutCheck.findings",
        'findings.append(f"{new_page}:', 'str(f"{new_page}:', OF_PRESERVING,
    ),
    Mutant(
        "a memory that a layout loses or doubles is found", PRESERVING, "LayoutCheck._memories",
        "if before[id_] != after[id_]", "if False", OF_PRESERVING,
    ),
    Mutant(
        "a page that would be written and taken away is found", PRESERVING, "LayoutCheck._pages",
        "sorted(both)", "()", OF_PRESERVING,
    ),
    # what vanished
    Mutant(
        "nothing is taken for deleted while a page cannot be read", CYCLE, "_believe_vanished",
        "if not all(page.hides_nothing for page in facts.unread_pages):", "if False:", OF_CYCLE,
    ),
    Mutant(
        "a vanished bank is not taken for deleted", CYCLE, "_believe_vanished",
        "if len(vanished) <=", "if True or len(vanished) <=", OF_CYCLE,
    ),
    # among the lines of a run
    Mutant(
        "of the lines before all that may be among the nearest are counted", "bankd.memory.judge", "EarlierLines._worth_a_look",
        "size // 2 + least", "size // 2", ("tests/unit/test_judging.py",),
    ),
    Mutant(
        "a line before the latest of its form is counted too", "bankd.memory.judge", "EarlierLines._worth_a_look",
        " or number < older", "", ("tests/unit/test_judging.py",),
    ),
    # where a memory goes
    Mutant(
        "an entity's page comes before a default", ROUTING, "_claiming",
        "if rules.entities and memory.entities:", "if rules.entities and memory.entities and memory.tag not in rules.defaults:",
        ("tests/unit/test_routing.py",),
    ),
    Mutant(
        "the first rule wins", ROUTING, "route_memory",
        "next(_claiming(memory, rules, find_similar, has_page), _UNPLACED)",
        "find_claims(memory, rules, find_similar, has_page)[-1]", ("tests/unit/test_routing.py",),
    ),
    Mutant(
        "one of the same tag must be alike", "bankd.memory.route", "choose_page",
        " and one.tag == memory.tag", "", ("tests/unit/test_similar.py",),
    ),
    Mutant(
        "what is said of somebody is not asked where others belong", "bankd.memory.route", "choose_page",
        " and set(one.entities) <= set(memory.entities)", "", ("tests/unit/test_similar.py",),
    ),
    Mutant(
        "alike lines agree clearly or not at all", "bankd.memory.route", "choose_page",
        "most >= _AGREEMENT * sum(votes.values()) and ", "", ("tests/unit/test_similar.py",),
    ),
    Mutant(
        "likeness never overrules a rule", ROUTING, "find_claims",
        "list(_claiming(memory, rules, find_similar, has_page))", "list(_claiming(memory, rules, find_similar, has_page))[::-1]",
        ("tests/unit/test_similar.py",),
    ),
    Mutant(
        "world/facts.md is WORLD/facts.md", CYCLE, "place_on_page",
        "there := graph.names.file(f\"bank/{destination.page}\")", "there := f\"bank/{destination.page}\" in graph.names and f\"bank/{destination.page}\"",
        OF_CYCLE,
    ),
    # what answers
    Mutant(
        "an answer reaches half the floor", ANSWERS, "",
        "_TAIL = 0.5", "_TAIL = 0.0", ("tests/unit/test_answering.py",),
    ),
    Mutant(
        "words that only ask are no answer", ANSWERS, "above_floor",
        "if shares_subject(one.candidate, weights)", "", ("tests/unit/test_answering.py",),
    ),
    Mutant(
        "nothing below the floor is an answer", ANSWERS, "above_floor",
        "if sure < 1 and", "if sure < 0 and", ("tests/unit/test_answering.py",),
    ),
    Mutant(
        "a page changed since the index was made is read before answering", SEARCHING, "Indexes._catch_up_bank",
        "if 0 < pending <= QUICK_PAGES:", "if False:", ("tests/stories/test_search.py",),
    ),
    Mutant(
        "a log that changed is read before answering", SEARCHING, "_catch_up",
        "if pending:", "if False:", OF_LOGS,
    ),
    Mutant(
        "a log does not repeat what is folded", ANSWERING, "_said_of",
        "_terms_of(one.candidate.sentences) for one in found.every", "_terms_of(one.candidate.sentences) for one in found.ranked",
        ("tests/stories/test_near_groups.py",),
    ),
    Mutant("what the bank says is not said again by a log", ANSWERING, "_new_among", "is_said(terms, told) or", "", OF_LOGS),
    Mutant(
        "a log line far from the question is not added", ANSWERING, "SaidByBank.is_far_from",
        "< AS_MUCH * self.most", "< 0", OF_LOGS,
    ),
    Mutant(
        "what a person took out is no answer from its log", "bankd.index.told", "LineOutcomes.of",
        "trace.outcome in _HIDDEN", "False", OF_LOGS,
    ),
    Mutant(
        "a log is screened before it is indexed", "bankd.index.sources", "LogPages.read",
        "screened_log(data, self._compile())", "text_of_log(data)", OF_LOGS,
    ),
    # when
    Mutant(
        "a run within 90 s was not missed", SCHEDULE, "check_schedule",
        "now - latest.due > ON_TIME", "now - latest.due >= ON_TIME", OF_SCHEDULE,
    ),
    Mutant(
        "a run is made up for up to the limit", SCHEDULE, "check_schedule",
        "now - latest.due <= job.make_up", "now - latest.due < job.make_up", OF_SCHEDULE,
    ),
    Mutant(
        "a small step back of the clock runs nothing again", SCHEDULE, "_after_step_back",
        "<= STEP_BACK", "< STEP_BACK", OF_SCHEDULE,
    ),
    Mutant(
        "a file as old as the settle time is read", SETTLE, "why_unsettled",
        "abs(seconds) < settle", "abs(seconds) <= settle", ("tests/unit/test_settle.py",),
    ),
    Mutant(
        "merge markers keep a page from being written", SETTLE, "why_quarantined",
        "if len(_MERGE.findall(data)) >= 2 and", "if False and", ("tests/unit/test_settle.py",),
    ),
    Mutant(
        "a clock that jumps by three days is believed", CLOCK, "judge_reading",
        "abs(step) > LARGEST_STEP", "abs(step) >= LARGEST_STEP", ("tests/unit/test_clock.py",),
    ),
    # what fades
    Mutant(
        "each day takes its share", DECAY, "value_on",
        "fading.per_day * days", "fading.per_day * min(days, 30)", OF_DECAY,
    ),
    Mutant("what is at the floor stays", DECAY, "is_faded", "< fading.floor", "<= fading.floor", OF_DECAY),
    Mutant(
        "a day to come takes nothing", DECAY, "value_on",
        "max(0, (today - written.day).days)", "(today - written.day).days", OF_DECAY,
    ),
    Mutant(
        "a memory grows weak by itself, not at once", "bankd.memory.use_policy", "",
        "FIRST_STABILITY = 30.0", "FIRST_STABILITY = 29.0", ("tests/unit/test_archive.py",),
    ),
    Mutant(
        "a use on another day doubles the stability", "bankd.memory.use", "stability_of",
        "if was_used:", "if False:", ("tests/unit/test_use.py",),
    ),
    Mutant(
        "importance is a floor", "bankd.memory.use", "strength_on",
        "signals.importance or 0", "0", ("tests/unit/test_archive.py",),
    ),
    Mutant(
        "a used opinion does not fade unnoticed", ARCHIVE, "noticed_until",
        "(kept, signals.last_used())", "(kept,)", ("tests/unit/test_archive.py",),
    ),
    Mutant(
        "a memory counts as used where its words are in the response", "bankd.app.show", "_is_used",
        "> USED_SHARE", ">= 0", ("tests/unit/test_use.py",),
    ),
    Mutant(
        "a pinned memory stays", ARCHIVE, "_candidate",
        "resident.memory.is_pinned or", "", ("tests/unit/test_archive.py",),
    ),
    # how pages split
    Mutant("a page splits at its size", SPLIT, "is_due", ">= limits.split", "> limits.split", OF_SPLIT),
    Mutant(
        "a page near its size is named", REARRANGING, "note_sizes",
        "if limits.warn <= size", "if size > limits.warn", OF_CYCLE,
    ),
    Mutant(
        "what opens and closes is never cut", SEAMS, "_free_blocks",
        "return [block for block in tops if not any(first < block.start <= last for first, last in spans)]",
        "return tops", OF_SPLIT,
    ),
    Mutant(
        "a list item is never cut", SEAMS, "_free_blocks",
        "if block.depth == 0 and block.kind is not BlockKind.BLANK", "if block.kind is not BlockKind.BLANK", OF_SPLIT,
    ),
    # what is kept out, once, and gone
    Mutant(
        "a line with a secret is held back", CYCLE, "collect_lines",
        "lines=tuple(line for line in fresh if not secrets[line.id]),", "lines=tuple(fresh),", OF_CYCLE,
    ),
    Mutant(
        "a random string is a secret", SECRETS, "_find_random",
        "if is_random", "if False and is_random", OF_SECRETS,
    ),
    Mutant("what is called a password is a secret", SECRETS, "find_secrets", "*find_named(plain), ", "", OF_SECRETS),
    Mutant("a key of a known form is a secret", SECRETS, "find_secrets", "(*_find_issued(plain), ", "(", OF_SECRETS),
    Mutant(
        "a file that is left alone is named by the status", "bankd.health.health", "_judge_files",
        "*starmap(left_alone, sorted(bank.left_alone.items()))", "", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "a damage is told in a line", "bankd.index.folder", "_shortened",
        "len(words) <= _MOST_WORDS", "True", ("tests/stories/test_damage.py",),
    ),
    Mutant(
        "what stands on a page that is not read now is not lost", "bankd.app.doctor", "verify_workspace",
        "emptied | {finding.place for finding in unreadable}", "emptied", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "a file where a folder belongs is trouble", "bankd.storage.disk", "trouble_of",
        "if taken:", "if False:", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "what stands where a folder of ours belongs is set aside", "bankd.storage.tree", "FileTree._open_or_make",
        "if path.startswith(_OWN) and not stat.S_ISDIR(os.lstat(name, dir_fd=above).st_mode):", "if False:", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "a page below a file waits", "bankd.storage.disk", "_why_closed",
        "state is not None and not state.is_folder", "False", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "what is derived stops no run", "bankd.app.index", "RunIndex.refresh",
        "except StorageError as problem:", "except ZeroDivisionError as problem:", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "a link follows to a copy in the bank", "bankd.layouts.rearrange", "_holders",
        "page.startswith(ARCHIVE), ", "", ("tests/stories/test_block_links.py",),
    ),
    Mutant(
        "a journal that may not be read is whole", "bankd.storage.journals", "Journals.load",
        "if not isinstance(problem, PermissionError) and not isinstance(problem.__cause__, PermissionError):", "if True:", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "what is of another user is named", "bankd.health.health", "may_not_be_used",
        "if files:", "if False:", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "lines without a line feed are named", "bankd.workspace.logs", "_read_lines",
        'elif b"\\r" in line and re.search(ENDED_BY_CR, line):', "elif False:", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "a line deleted from a merged page stays out", "bankd.edits.second_look", "_Looker._recast_again",
        "keys_in(data, brought) or ", "", ("tests/unit/test_second_look.py",),
    ),
    Mutant(
        "what stands nowhere is looked for twice", "bankd.storage.recovery", "Recoverer._look_again",
        "back := _added_by(operations)", "(back := _added_by(operations)) and False", ("tests/crash/test_editors.py",),
    ),
    Mutant(
        "what a command took out stays out", "bankd.storage.recovery", "Recoverer._look_again",
        " | self._taken_out(back)", "", ("tests/stories/test_corrections.py",),
    ),
    Mutant(
        "what no run reads is not looked at again", "bankd.storage.recovery", "Recoverer._young_paths",
        'if why_quarantined(self._transactions.look(path) or b"") is None', "", ("tests/stories/test_bad_input.py",),
    ),
    Mutant(
        "a file whose ending is in capitals is named", SETTLE, "_why_odd",
        'not path.endswith(".md")', "False", ("tests/unit/test_settle.py",),
    ),
    Mutant(
        "a page in UTF-16 is left alone", SETTLE, "why_quarantined",
        "if is_wide(data[:4]):", "if False:", ("tests/unit/test_settle.py",),
    ),
    Mutant(
        "a page without line feeds is left alone", SETTLE, "why_quarantined",
        'if b"\\r" in data and re.search(ENDED_BY_CR, data):', "if False:", ("tests/unit/test_settle.py",),
    ),
    Mutant(
        "UTF-16 is known without its mark", "bankd.pages.text", "is_wide",
        " or _unmarked(start) is not None", "", ("tests/stories/test_bad_input.py",),
    ),
    Mutant("what a password is kept in is none", VALUES, "is_password", "(is_spoken and", "(False and", OF_SPELLINGS),
    Mutant("capitals cut by digits are a key", VALUES, "is_key", "bool(_BASE32.match(value)) or ", "", OF_SPELLINGS),
    Mutant("whatever the case of its name, a phrase is one", NAMES, "", 'r"(?i:seed', 'r"(?:seed', OF_SPELLINGS),
    Mutant("what stands where a password does is one", SECRETS, "find_secrets", "*find_placed(plain), ", "", OF_SPELLINGS),
    Mutant("a column of passwords is one", NAMES, "find_named", 'if "|" in text', "if False", OF_SPELLINGS),
    Mutant("a number of a program is no key", VALUES, "", 'r"|0x[\\da-f]{1,16}$"', 'r""', OF_SPELLINGS),
    Mutant("a card number is a secret", SECRETS, "find_secrets", "*find_numbers(plain), ", "", OF_SECRETS),
    Mutant(
        "a disguised secret is a secret", SECRETS, "find_secrets",
        "plain, places = undisguise_text(text)", "plain, places = text, range(len(text) + 1)", OF_SECRETS,
    ),
    Mutant(
        "a line said twice in a log is two", RETAIN, "_identify",
        "memory_id(identity, statement, seen[statement])",
        "memory_id(identity, statement, 0)", ("tests/unit/test_retain.py",),
    ),
    Mutant("a line is taken in once", CYCLE, "collect_lines", "if line.id not in facts.ledger.consumed", "", OF_CYCLE),
    Mutant(
        "what was forgotten does not come back", CYCLE, "collect_lines",
        "if text_key(line.memory) not in forgotten", "", OF_CYCLE,
    ),
    Mutant(
        "a renamed log is recognised by half of its lines", COLLECT, "_is_log",
        ">= _RENAME_SHARE", "> _RENAME_SHARE", ("tests/unit/test_collect.py",),
    ),
    Mutant(
        "a renamed log that grew is recognised by all of its lines", COLLECT, "_is_log",
        " or is_grown", "", ("tests/unit/test_collect.py",),
    ),
    Mutant(
        "a line or two in common rename no log", COLLECT, "_is_log",
        "max(len(consumed.get(was, ())), _ALL_OF_A_LOG)", "len(consumed.get(was, ())) or 1", ("tests/unit/test_collect.py",),
    ),
    Mutant(
        "what was archived has a tombstone", EVENTS, "",
        "_REMOVING = frozenset({DELETED, FORGOTTEN, ARCHIVED, UNDONE})",
        "_REMOVING = frozenset({DELETED, FORGOTTEN, UNDONE})", ("tests/unit/test_events.py",),
    ),
    Mutant(
        "entities of HTML are unescaped", RETAIN, "clean_text",
        "html.unescape(text)", "text", ("tests/unit/test_retain.py",),
    ),
    Mutant(
        "control characters are shown, not sent", TERMINAL, "make_visible",
        'text = re.sub(_CONTROL, lambda found: f"\\\\x{ord(found[0]):02x}", text)', "", ("tests/unit/test_terminal.py",),
    ),
    # what hands did
    Mutant(
        "a later decision stands", SECOND_LOOK, "_Looker._nowhere",
        "| decided", "", ("tests/unit/test_second_look.py",),
    ),
    Mutant(
        "a memory deleted among others of its run stays out", SETTLED, "Settling._on_page",
        "changed | (gone - moved)", "changed", ("tests/unit/test_settled.py",),
    ),
    Mutant(
        "a line without its id is known on a page that was renamed", SETTLED, "Settling._on_page",
        "if places.get(lines[key])", "if False", ("tests/unit/test_settled.py",),
    ),
    Mutant(
        "a memory that was corrected stays as it is, or out", SETTLED, "Settling._on_page",
        "if not written.reads(key, texts)", "if False", ("tests/unit/test_settled.py",),
    ),
    Mutant(
        "undo leaves what was reworded since", UNDO, "_Reverser._take_out",
        "elif _said(here.text) != _said(left.text):", "elif False:", ("tests/unit/test_undo.py",),
    ),
    Mutant(
        "an undo knows a page by whatever name it has now", UNDO, "_Reverser._said_by",
        "or self._now.pages()", "", ("tests/stories/test_taking_back.py",),
    ),
    Mutant(
        "what was said again meanwhile stays single, on whatever page", UNDO, "_Reverser._said_by",
        "chain(there, self._since)", "there", ("tests/stories/test_taking_back.py",),
    ),
    Mutant(
        "what a person has copied is not taken out of one place", UNDO, "_copied",
        "len(places) > 1", "False", ("tests/stories/test_taking_back.py",),
    ),
    Mutant(
        "what stood elsewhere before keeps nothing away", "bankd.memory.ledger", "Ledger.learned_after",
        'and told_order(item)[0] > at', "", ("tests/stories/test_taking_back.py",),
    ),
    Mutant(
        "what stands in a code block is not deleted", "bankd.cycle", "_believe_vanished",
        "if id_ not in mentions", "", ("tests/stories/test_corrections.py",),
    ),
    Mutant(
        "what was deleted by hand may come back by hand", "bankd.memory.new_lines", "find_returned",
        "sorted(held(deleted))", "()", ("tests/stories/test_corrections.py",),
    ),
    Mutant(
        "an opinion that was said again is not brought again", UNDO, "_words",
        'text_key(parse_memory(MARKER.sub("", first)))', "first", ("tests/stories/test_taking_back.py",),
    ),
    Mutant(
        "a rule keeps no page that a run made", UNDO, "_references",
        'link.source.endswith(".md") and ', "", ("tests/unit/test_undo.py",),
    ),
    Mutant(
        "no page is brought again beside itself in another case", UNDO, "_find_obstacles",
        "!= path", "!= other", ("tests/stories/test_taking_back.py",),
    ),
    Mutant(
        "a page that was made for what does not come goes again", "bankd.storage.transactions",
        "TransactionWriter._withdraw", "if is_new and", "if False and", ("tests/crash/test_reflect.py",),
    ),
    Mutant(
        "no split is undone by half", UNDO, "plan_undo",
        "if moves_lines(past.transaction)", "if False", ("tests/unit/test_undo.py",),
    ),
    Mutant(
        "a piece that a hand changed is not replaced", OPERATIONS, "Replace.apply",
        "if text_of(page.document, span) == unix_text(self.old):", "if True:", ("tests/unit/test_operations.py",),
    ),
    Mutant(
        "one writer at a time", LOCK, "Lock.take",
        "fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH | fcntl.LOCK_NB", ("tests/contracts/test_lock.py",),
    ),
    Mutant(
        "no path leaves the workspace", TREE, "check_path",
        '{"", ".", ".."}.isdisjoint(path.split("/"))', "True", ("tests/contracts/test_tree.py",),
    ),
    Mutant(
        "no link is followed out of the workspace", TREE, "",
        "_BENEATH = 0x08 | 0x02", "_BENEATH = 0x02", ("tests/contracts/test_tree.py",),
    ),
    Mutant(
        "a memory cannot end the block that marks it as data", "bankd.briefing.recalled", "wrap_memories",
        '.replace(CLOSING, "‹/bankd-memory›")', "", ("tests/unit/test_memory_block.py",),
    ),
    Mutant(
        "what was injected is taken out of a transcript", "bankd.briefing.recalled", "strip_memories",
        '_BLOCK.sub("", text)', "text", ("tests/unit/test_memory_block.py",),
    ),
    Mutant(
        "a note that is sent again is written once", "bankd.storage.log_end", "_find",
        "row.rstrip() == first", "False", ("tests/stories/test_mcp.py",),
    ),
    Mutant(
        "agents delete only where the settings say so", "bankd.agents.tools", "offered_tools",
        "may_forget or ", "True or ", ("tests/unit/test_mcp_protocol.py",),
    ),
    Mutant(
        "a cancelled call is not answered", "bankd.agents.mcp", "McpServer._work",
        "if is_wanted:", "if True:", ("tests/stories/test_mcp.py",),
    ),
    Mutant(
        "a session is told nothing twice a day", "bankd.briefing.shown", "is_shown",
        "timedelta(0) <= now - at < REMEMBERED", "False", ("tests/unit/test_briefing.py",),
    ),
    Mutant("a command is found by its line of help", "bankd.cli", "_command_for", 'return next(told, "")', 'return ""', ("tests/unit/test_commands.py",)),
    Mutant(
        "nothing that goes wrong in a hook is heard of", "bankd.cli", "main",
        "if _is_silent(arguments):", "if False:", ("tests/stories/test_hooks.py",),
    ),
    Mutant(
        "disconnecting restores the bytes", "bankd.agents.connect", "_restored",
        'row["after"] == _digest(now)', "False", ("tests/stories/test_connecting.py",),
    ),
    Mutant(
        "what is told later holds although the clock was put back", "bankd.memory.ledger", "in_order_told",
        "behind += is_next", "behind += 0", ("tests/unit/test_events.py",),
    ),
    Mutant(
        "questions are no part of a memory", RETAIN, "_part_questions",
        "if question is None", "if True", ("tests/unit/test_retain.py",),
    ),
)  # fmt: skip
