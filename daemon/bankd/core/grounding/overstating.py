"""Whether a line says more than its sources: a plan as done, a guess as known, a condition left out, who did it to whom.

Every word of such a line may be there, and none be exchanged or denied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bankd.core.dedup.guard import stem
from bankd.core.dedup.roles import roles_clash
from bankd.core.grounding.aligning import align, is_alike, words_to_align
from bankd.core.grounding.passages import Passage, english_words, said_in
from bankd.core.grounding.stretches import stretches_of
from bankd.core.grounding.turning import is_inverted
from bankd.core.language.english.function_words import DAYS, MONTHS
from bankd.core.language.english.stemming import is_irregular_past, stem_word
from bankd.core.language.statement import TokenKind
from bankd.core.language.word_lists import split_words

_LIGHT = split_words("하 되 있 이 보 주 오 가 나 말")
"""Korean verbs that carry the tense of others."""
_FRAMES = split_words("따르 하 되")
"""Korean verbs whose 면 names no condition: 보도에 따르면, 하면 된다."""
_BE = split_words("is are be being am been may can will must should to not")
_TO_COME = split_words(
    "will shall ll won to must should may might could would can want wants need needs let plan plans before until"
)
_NOT_YET, _CLAUSE_REACH = frozenset({"before", "until"}), 5
"""What begins a clause of what had not been done, and so many words at most before its verb."""
_REACH = 3
"""So many words before an English verb may say whether it is to come, or something that is done to somebody."""
_AHEAD = frozenset({"will", "must", "may", "can"})
_PLANNED = re.compile(r"예정|계획|기로|려고|[을ㄹ]게")
_GUESS = re.compile(
    r"\b(?:maybe|perhaps|probably|might|thinks?|guess(?:es)?|believes?|suppose|suspects?|seems?|rumou?rs?|apparently)\b"
    r"|아마|것 같|듯하|듯 하|소문|추측|모르겠|것으로 보"
)
_HEDGE = re.compile(
    r"\b(?:thought|believed|guessed|suspected|may|could|consider\w*|accord\w+|says?|said|told|heard|plan\w*|likely|possib\w+|unsure|uncertain|whether|wants?)\b"
    r"|다고|라고|[는인은]지|예정|계획|고려|생각|확실|수 있|수도"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|depends?|once|only|except|provided|may|can|would|without|with|problem|issue|bug|error)s?\b"
    r"|경우|때|조건|만\b|문제|오류|버그|현상"
)
_FINISHED = re.compile(r"완료|마쳤|끝냈|\b(?:done|finished)\b")
_NAME = re.compile(r"\b(?!(?:The|A|An|On|In|At|For|It|She|He|We|They)\b)(?:[A-Z]\w*|[a-z]+\d\w*)")
_WORDS = re.compile(r"(?<!\d )\b\w+")
"""Words, units apart: GB behind 61 is no name."""
_OF_TIME = MONTHS.keys() | DAYS
_ASIDE = re.compile(r"\([^)]*\)|^[\w ]+: ")
"""What is told of a name right behind it, and what a note is about: Legal (Mr Sato) is Mr Sato of Legal; NAS: DSM installed."""
_CLAUSE = re.compile(r"[;,]|\bbut\b|지만|는데")


def find_overstated(line: Passage, sources: Sequence[Passage]) -> str | None:
    """What a line makes more of than its sources do, in words; None when there is nothing."""
    sizes = [align(line, source).size for source in sources]
    near = [source for source, size in zip(sources, sizes, strict=True) if 1 < size == max(sizes)]
    found = (
        _done(line, sources),
        _surer(line, near),
        _unconditional(line, near),
        _other_roles(line, near),
    )
    return next(filter(None, found), None)


def _done(line: Passage, sources: Sequence[Passage]) -> str | None:
    """A plan told as done: a verb that the sources have in no past, and as what is to come."""
    if _FINISHED.search(said_in(sources)) or _HEDGE.search(line.text):
        return None
    known = [one for source in sources for one in _verbs(source)]
    for verb, tense in _verbs(line):
        told = [other for same, other in known if same == verb]
        if tense == "past" and told and all(other == "ahead" for other in told):
            return f"{verb} is told as done, other than in its lines"
    return None


def _verbs(passage: Passage) -> Iterator[tuple[str, str]]:
    """Its words with what they tell of: what is past, what is ahead, or neither."""
    is_planned = bool(_PLANNED.search(passage.text))
    for token in passage.statement.tokens:
        if token.kind is TokenKind.WORD and not token.base.isascii() and token.base not in _LIGHT:
            is_ahead = is_planned or _AHEAD.intersection(token.marks)
            yield token.base, "past" if "past" in token.marks else "ahead" if is_ahead else ""
    words = english_words(passage.text)
    for at, word in enumerate(words):
        before = words[max(at - _REACH, 0) : at]
        if _is_past(word):
            is_before = not _NOT_YET.isdisjoint(words[max(at - _CLAUSE_REACH, 0) : at])
            yield stem_word(word), "ahead" if is_before else "past" if _BE.isdisjoint(before) else ""
        else:
            yield stem_word(word), "" if _TO_COME.isdisjoint(before) else "ahead"


def _is_past(word: str) -> bool:
    return word != stem_word(word) and (word.endswith("ed") or is_irregular_past(word))


def _surer(line: Passage, near: Sequence[Passage]) -> str | None:
    """A guess, or what others say, told as known."""
    clauses = [clause.lower() for source in near for clause in _CLAUSE.split(source.text)]
    words = [word.base for word in words_to_align(line.statement) if len(word.base) > 1]
    guess = _GUESS.search(max(clauses, key=lambda clause: sum(word in clause for word in words), default=""))
    is_weaker = _GUESS.search(line.text.lower()) or _HEDGE.search(line.text.lower())
    return f"it is sure of what its lines say with {guess[0]!r}" if guess and not is_weaker else None


def _unconditional(line: Passage, near: Sequence[Passage]) -> str | None:
    """What is so under a condition, told without one and without a word of it."""
    if _condition_of(line) or _CONDITION.search(line.text.lower()):
        return None
    said = [word.base for word in words_to_align(line.statement)]
    for words in filter(None, (_condition_of(one) for one in near if _tells_under_condition(one, said))):
        if not any(is_alike(word, other) for word in words for other in said):
            return f"its lines say it where {' '.join(words)}"
    return None


def _tells_under_condition(source: Passage, said: Sequence[str]) -> bool:
    """Whether the stretch with the condition, or the one behind it, says anything of the line."""
    stretches = stretches_of(source)
    return any(
        _has_condition(one.text) and any(each.has(word) for each in stretches[at : at + 2] for word in said)
        for at, one in enumerate(stretches)
    )


def _has_condition(text: str) -> bool:
    return re.search(r"\b(?:if|unless)\b|[가-힣]면(?!서)", text.lower()) is not None


def _condition_of(passage: Passage) -> list[str]:
    """The words of the condition that a sentence names: in Korean that which carries it."""
    found = re.search(r"\b(?:if|unless)\b([^,;]*)", passage.text.lower())
    korean = [one.base for one in passage.statement.tokens if "if" in one.marks and one.base not in _FRAMES]
    return [word for word in english_words(found[1]) if len(word) > _REACH] if found else korean


def _other_roles(line: Passage, near: Sequence[Passage]) -> str | None:
    """Who did it has it done to them: by particles in Korean, by the order of the same words in English."""
    for source in near:
        if roles_clash(source.statement, line.statement) and _is_swapped(line, source):
            return "it exchanges who does it and to whom"
        is_reordered = _bases(line) <= _bases(source)
        if is_reordered and line.text.isascii() and _is_crossed(line.text, source.text):
            return "it has the names of its lines in another order"
        if is_reordered and is_inverted(line, source):
            return "it compares the other way round"
    return None


def _is_swapped(line: Passage, source: Passage) -> bool:
    """Whether a name or two words took other parts; a thing alone may: 타임아웃이 늘었다, 타임아웃을 늘렸다.

    What somebody does something to is the subject where it is done: 앱을 교체했다, 앱이 교체됐다.
    """
    theirs = {token.base: token.case for token in source.statement.tokens if token.case}
    moved = [
        token for token in line.statement.tokens if token.case and theirs.get(token.base, token.case) != token.case
    ]
    if _is_passive(line) != _is_passive(source):
        moved = [token for token in moved if {token.case, theirs[token.base]} != {"subject", "object"}]
    return len(moved) > 1 or any(token.kind is TokenKind.NAME for token in moved)


def _is_passive(passage: Passage) -> bool:
    return any(token.is_predicate and token.base.endswith("되") for token in passage.statement.tokens)


def _bases(passage: Passage) -> set[str]:
    return {stem(word.base) for word in words_to_align(passage.statement)}


def _is_crossed(ours: str, theirs: str) -> bool:
    """Whether names that both have stand in another order, and not each with its own word before or behind it."""
    if (" by " in ours) != (" by " in theirs):
        return False  # Noor checked it, it was checked by Noor
    mine, known = _names_around(ours), _names_around(_ASIDE.sub(" ", theirs))
    names = [name for name in mine if name in known and name.lower() not in _OF_TIME]
    is_moved = names != sorted(names, key=[*known].index)
    return is_moved and not all(_stands_as_before(mine[name], known[name]) for name in names)


def _stands_as_before(ours: tuple[str, str], theirs: tuple[str, str]) -> bool:
    """Whether a word that says something stands on the same side of a name."""
    return any(one == other and len(one) > _REACH for one, other in zip(ours, theirs, strict=True))


def _names_around(text: str) -> Mapping[str, tuple[str, str]]:
    """The names of a text in their order, with the words around them."""
    words = _WORDS.findall(text)
    places = [at for at, word in enumerate(words) if _NAME.fullmatch(word)]
    padded = ["", *map(str.lower, words), ""]
    return {words[at]: (padded[at], padded[at + 2]) for at in places}
