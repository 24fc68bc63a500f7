"""Rules of ranking that are switched off: what is an answer, and what stands before what."""

from __future__ import annotations

from tests.mutants.switching import Mutant

FLOOR, SCORING, PAGES, PRIORS = (
    "bankd.search.floor", "bankd.search.score", "bankd.search.find", "bankd.search.score",
)  # fmt: skip
ANSWERS, WEIGHING = "bankd.search.floor", "bankd.search.weigh"
OF_NEAREST = ("tests/stories/test_mcp.py",)
OF_FLOOR = ("tests/unit/test_floor.py",)
OF_SCORING = ("tests/unit/test_scoring.py",)
OF_PAGES = ("tests/unit/test_page_order.py",)
OF_PRIORS = ("tests/unit/test_priors.py",)
OF_SUCCESSION = ("tests/unit/test_succession.py",)

RANKING: tuple[Mutant, ...] = (
    # what a memory must score to be an answer
    Mutant(
        "a long formal question asks a smaller share", FLOOR, "floor_of",
        " / math.sqrt(max(1.0, len(weights.terms) / LONG_QUESTION))", "", OF_FLOOR,
    ),
    Mutant("in a small bank the floor is lower", FLOOR, "floor_of", " * min(1.0, corpus.memories / SMALL_BANK)", "", OF_FLOOR),
    Mutant(
        "a long English text needs less", FLOOR, "floor_of",
        " * math.sqrt(min(1.0, LONG_TEXT / (len(terms) or 1)))", "", OF_FLOOR,
    ),
    Mutant("the phrasing of an English question counts", FLOOR, "floor_of", "LATIN_FLOOR * demand", "LATIN_FLOOR", OF_FLOOR),
    Mutant("a long Korean text needs more", FLOOR, "_hangul_floor", "SHORT_TEXT + len(terms)", "SHORT_TEXT", OF_FLOOR),
    Mutant(
        "everyday words count less", FLOOR, "_hangul_floor",
        " / (1 - accident * _everyday_share(terms, weights))", "", OF_FLOOR,
    ),
    Mutant(
        "everyday words count less in long sentences only", FLOOR, "_hangul_floor",
        " * min(1.0, sentence / LONG_SENTENCE)", "", OF_FLOOR,
    ),
    Mutant("where only syllables match, all is everyday", FLOOR, "_everyday_share", "return 1.0", "return 0.0", OF_FLOOR),
    Mutant(
        "a question of asking words alone is about these", FLOOR, "shares_subject",
        "not subjects or ", "", OF_FLOOR,
    ),
    Mutant(
        "a memory about whom a question names has its subject", FLOOR, "shares_subject",
        " or candidate.entities & weights.names", "", OF_FLOOR,
    ),
    Mutant(
        "a heading may have the subject of a question", FLOOR, "shares_subject",
        "candidate.heading, ", "", OF_FLOOR,
    ),
    Mutant(
        "part of a Hangul word is something of it", FLOOR, "shares_subject",
        "for gram in weights.bigrams if", "for gram in () if", OF_FLOOR,
    ),
    # what is nearest, where nothing is an answer
    Mutant(
        "who did not ask is not told what is nearest", "bankd.search.find", "find_answers",
        "answers or query.margin > 1", "answers", OF_NEAREST,
    ),
    Mutant(
        "what is nearest shares a word that tells something", ANSWERS, "nearest_among",
        " or shares_subject(one.candidate, weights)", " or True", ("tests/stories/test_search.py",),
    ),
    Mutant(
        "what is nearest was not recalled", "bankd.index.recall", "_render",
        "'- ' if hits else '  - '", "'- '", ("tests/stories/test_search.py",),
    ),
    Mutant(
        "where one bank has an answer nothing is only nearest", "bankd.wiring.banks", "merge_answers",
        "[] if hits else ", "", ("tests/unit/test_merging.py",),
    ),
    # what stands before what
    Mutant(
        "a long text has the syllables of any question", SCORING, "_bigrams",
        " / (1 + LONG_TEXT * max(0.0, longer))", "", OF_SCORING,
    ),
    Mutant(
        "no one sentence answers what only names its subject", SCORING, "_words", " and weights.asks", "", OF_SCORING,
    ),
    Mutant(
        "among notes length counts as usual", SCORING, "bm25", "_shortness(average)", "1.0", OF_SCORING,
    ),
    Mutant(
        "a title does not ask", "bankd.search.read", "read_query", "weights._replace(asks=asks, ", "weights._replace(",
        ("tests/unit/test_reading_query.py",),
    ),
    Mutant(
        "long memories lean less on those beside them", SCORING, "_beside", "min(1.0, LEANING / (corpus.words or 1.0))", "1.0", OF_SCORING,
    ),
    Mutant("a word that requests weighs less", WEIGHING, "weigh_query", "if term in requesting", "if False", OF_SCORING),
    Mutant("syllables that ask weigh less", WEIGHING, "weigh_query", "if gram in asking", "if False", OF_SCORING),
    Mutant(
        "syllables that meet only between words say nothing", WEIGHING, "weigh_query",
        "if not count and _is_seam(gram, all_terms):", "if False:", OF_SCORING,
    ),
    Mutant("what no memory has weighs less", WEIGHING, "_rarity", " * (1.0 if frequency else UNKNOWN_WEIGHT)", "", OF_SCORING),
    Mutant("bigrams say nothing of Latin words", SCORING, "_text", "BIGRAM_SHARE * weights.hangul_share", "BIGRAM_SHARE", OF_SCORING),
    Mutant("of a note bigrams tell little", SCORING, "_text", "weights.hangul_share * brevity", "weights.hangul_share", OF_SCORING),
    Mutant("a long note has nearly all syllables of a title", SCORING, "_text", "weights.brevity**2", "weights.brevity", OF_SCORING),
    Mutant("of a long note no sentence says what it is about", SCORING, "_words", "SENTENCE_SHARE * _shortness(corpus.words)", "SENTENCE_SHARE", OF_SCORING),
    Mutant("only what names its subject is of a note as a whole", SCORING, "brevity_of", "1.0 if asks else ", "", OF_SCORING),
    Mutant("a title is of a page as a whole", PAGES, "order_pages", "NEXT_SHARE if asks else OF_TITLES", "NEXT_SHARE", OF_PAGES),
    Mutant("words in the order of the question count", SCORING, "_text", " + share * order if", " if", OF_SCORING),
    Mutant("the best sentence of a memory counts", SCORING, "_words", "if len(parts) > 1 and weights.asks:", "if False:", OF_SCORING),
    Mutant("a denial is read first", SCORING, "_parts", "text * (1 + _CAUTION)", "text", OF_SCORING),
    Mutant("the heading above a memory counts", SCORING, "_tree", 'share["heading"] * one.heading', "0", OF_SCORING),
    Mutant("what stands beside a memory counts", SCORING, "_tree", 'share["beside"] * one.beside', "0", OF_SCORING),
    Mutant("whom a memory is about counts", SCORING, "_tree", 'share["entity"] * one.entity', "0", OF_SCORING),
    Mutant("the words of a page count", SCORING, "_tree", 'share["node"] * node', "0", OF_SCORING),
    Mutant("questions below a line make it no worse", SCORING, "_with_questions", "max(own, ", "max(0.0, ", OF_SCORING),
    Mutant("a page says what all its memories say", PAGES, "page_score", "share**place", "0**place", OF_PAGES),
    Mutant("of a page the best few are shown", PAGES, "order_pages", "[:SHOWN]", "", OF_PAGES),
    Mutant("signals only order near-ties", PRIORS, "prior_of", "max(-PRIOR_CAP, min(", "max(-1, min(1 or ", OF_PRIORS),
    Mutant("what is newer stands before what it supersedes", PRIORS, "newest_first", "if new and", "if False and", OF_SUCCESSION),
)  # fmt: skip
