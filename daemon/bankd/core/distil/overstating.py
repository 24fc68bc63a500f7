"""Whether a line says more than its sources: a plan as done, a guess as known, who did it to whom, a thing of its own.

Where `grounding` looks for a value, a name or a denial that is not there, here every word may be there, and the line
still says another thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from bankd.core.dedup.guard import same_roles, stem
from bankd.core.distil.passages import Passage, denies, is_short_for, nearest, said_in, stems_of
from bankd.core.language.english.stemming import is_irregular_past, stem_word
from bankd.core.language.opposites import are_opposites
from bankd.core.language.statement import Token, TokenKind
from bankd.core.language.thesaurus import concept_of
from bankd.core.language.word_lists import split_words

_LIGHT = split_words("하 되 있 이 보 주 오 가 나 말")
"""Korean verbs that carry the tense of others."""
_BE = split_words("is are be being am been may can will must should to not")
_DETERMINERS = split_words("the a an his her my our your their its of from at with for")
_ARTICLES = split_words("the a an")
_TO_COME = split_words(
    "will shall ll won to must should may might could would can want wants need needs let plan plans before until"
)
_REACH = 3
"""So many words before an English verb may say whether it is to come, or something that is done to somebody."""
_AHEAD = frozenset({"will", "must", "may", "can"})
_PLANNED = re.compile(r"예정|계획|기로|려고|[을ㄹ]게")
_PRONOUNS = split_words("i we you he she they it me us him them her his my our your their its 나 우리 너 사용자 user")
_LABELS = split_words(
    "때 뒤 후 전 동안 경우 정도 때문 중 것 점 쪽 곳 일 사람 사이 이후 이전 예정 계획 사용자 필요 대신 위",
    "이유 원인 결과 방법 목적 내용 문제 상태 변경 정보 날짜 시간 시각 기간 장소 위치 이름 담당 담당자 값 금액 가격 비용 횟수 종류 이다",
    "reason result way purpose problem status state change date day time place name person value number amount price cost kind",
    "user plan rest same one other thing fact case use",
)
"""Nouns that say how another stands, or what kind of thing it is, and invent nothing; a copula may be read as one."""
_LEAST = 3
"""Letters by which an English word is known whatever ends it."""
_GUESS = re.compile(
    r"\b(?:maybe|perhaps|probably|might|thinks?|guess(?:es)?|believes?|suppose|seems?|rumou?rs?|apparently)\b"
    r"|아마|것 같|듯하|듯 하|소문|추측|모르겠|것으로 보"
)
_HEDGE = re.compile(
    r"\b(?:may|could|consider\w*|accord\w+|says?|said|told|heard|plan\w*|likely|possib\w+|unsure|uncertain|whether|wants?)\b"
    r"|다고|라고|[는인은]지|예정|계획|고려|생각|확실|수 있|수도"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|depends?|once|only|except|provided|may|can|without|with)\b|경우|때|조건|만\b"
)
_FINISHED = re.compile(r"완료|마쳤|끝냈|\b(?:done|finished)\b")
_FINALS, _MIEUM = 28, 16
"""Unicode's count of what may end a Hangul syllable, and the place of ㅁ among them."""
_NAME = re.compile(r"\b(?!(?:The|A|An|On|In|At|For|It|She|He|We|They)\b)(?:[A-Z]\w*|[a-z]+\d\w*)")
_CLAUSE = re.compile(r"[;,]|\bbut\b|지만|는데")
_EVERY = re.compile(
    r"\b(?:always|never|every\w*|all|each|both|nobody|none|nightly|daily|weekly|no)\b|항상|언제나|절대|반드시|모든|모두|전부|매일|늘\b|다\b|매주"
)
_ALL = re.compile(r"\b(?:always|never|everyone|everything|nobody)\b|항상|언제나|절대|반드시|모든|모두|전부")


def find_overstated(line: Passage, sources: Sequence[Passage], is_ahead: Callable[[Passage], bool]) -> str | None:
    """What a line makes more of than its sources do, in words; None when there is nothing.

    `is_ahead` tells of a source whether it names a day after that of the log.
    """
    if done := _done(line, sources, is_ahead):
        return done
    checks: Sequence[Callable[[Passage, Sequence[Passage]], str | None]] = (
        _surer, _always, _unconditional, _no_longer_denied, _other_roles, _other_name, _other_doer, _turned_round, _unheard
    )  # fmt: skip
    return next(filter(None, (check(line, sources) for check in checks)), None)


def _done(line: Passage, sources: Sequence[Passage], is_ahead: Callable[[Passage], bool]) -> str | None:
    """A plan told as done: a verb that the sources have in no past, and as what is to come."""
    there = [(token, source) for source in sources for token in source.statement.tokens]
    if _FINISHED.search(said_in(sources)) or _HEDGE.search(line.text):
        return None
    for token in line.statement.tokens:
        if "past" in token.marks and token.kind is TokenKind.WORD and token.base not in _LIGHT:
            told = [one for one in there if one[0].base == token.base]
            if told and all(_is_to_come(other, source, is_ahead) for other, source in told):
                return f"{token.base} is told as done, other than in its lines"
    return _done_in_english(line, sources, is_ahead)


def _is_to_come(token: Token, source: Passage, is_ahead: Callable[[Passage], bool]) -> bool:
    """Whether a Korean verb tells what is planned, owed or due; what is told in the present may be told as past."""
    if "past" in token.marks or _is_nominal(source):
        return False
    return bool(_AHEAD.intersection(token.marks) or _PLANNED.search(source.text)) or is_ahead(source)


def _is_nominal(source: Passage) -> bool:
    """Whether it ends as notes do, in ㅁ, which tells no tense."""
    last = source.text[-1:]
    return "가" <= last <= "힣" and (ord(last) - ord("가")) % _FINALS == _MIEUM


def _done_in_english(line: Passage, sources: Sequence[Passage], is_ahead: Callable[[Passage], bool]) -> str | None:
    known = [
        (other, _is_planned(at, words) or is_ahead(source))
        for source in sources
        for words in [_english(source.text)]
        for at, other in enumerate(words)
    ]
    words = _english(line.text)
    for at, word in enumerate(words):
        if _is_past(word) and not _BE.intersection(words[max(at - _REACH, 0) : at]):
            told = [(other, is_to_come) for other, is_to_come in known if stem_word(other) == stem_word(word)]
            if told and not any(_is_past(other) or not is_to_come for other, is_to_come in told):
                return f"{word} is told as done, other than in its lines"
    return None


def _is_planned(at: int, words: Sequence[str]) -> bool:
    return not _TO_COME.isdisjoint(words[max(at - _REACH, 0) : at])


def _english(text: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Za-z]+", text)]


def _is_past(word: str) -> bool:
    return word != stem_word(word) and (word.endswith("ed") or is_irregular_past(word))


def _surer(line: Passage, sources: Sequence[Passage]) -> str | None:
    """A guess, or what others say, told as known."""
    clause = _clause_like(line, sources)
    guess = _GUESS.search(clause)
    is_weaker = _GUESS.search(line.text.lower()) or _HEDGE.search(line.text.lower())
    return f"it is sure of what its lines say with {guess[0]!r}" if guess and not is_weaker else None


def _clause_like(line: Passage, sources: Sequence[Passage]) -> str:
    """The part of a sentence that shares most words with the line."""
    clauses = [clause.lower() for source in nearest(line, sources) for clause in _CLAUSE.split(source.text)]
    words = [word for word in stems_of(line) if len(word) > 1]
    return max(clauses, key=lambda clause: sum(word in clause for word in words), default="")


def _always(line: Passage, sources: Sequence[Passage]) -> str | None:
    found = _ALL.search(line.text.lower())
    return f"{found[0]} is not in its lines" if found and not _EVERY.search(said_in(sources)) else None


def _unconditional(line: Passage, sources: Sequence[Passage]) -> str | None:
    """What is so under a condition, told without one."""
    if _if_of(line) or _CONDITION.search(line.text.lower()):
        return None
    return next((f"its lines say {found!r}" for one in nearest(line, sources) if (found := _if_of(one))), None)


def _if_of(passage: Passage) -> str:
    found = re.search(r"\b(?:if|unless)\b", passage.text.lower())
    korean = [token.base for token in passage.statement.tokens if "if" in token.marks]
    return found[0] if found else f"{korean[0]}면" if korean else ""


def _no_longer_denied(line: Passage, sources: Sequence[Passage]) -> str | None:
    """A word that the sources have only denied, in a line that denies nothing."""
    if denies(line):
        return None
    for token in line.statement.tokens:
        there = [source.statement.tokens for source in sources if _is_about(source, line)]
        same = [_is_denied(at, tokens) for tokens in there for at, other in enumerate(tokens) if _is_same(token, other)]
        if token.kind in (TokenKind.WORD, TokenKind.NOUN) and same and all(same):
            return f"{token.base} is not denied, other than in its lines"
    return None


def _is_denied(at: int, tokens: Sequence[Token]) -> bool:
    """Whether a word is denied, or is what there is none of: 필요 없다."""
    after = tokens[at + 1] if at + 1 < len(tokens) and not tokens[at].case else None
    is_none = after is not None and after.base == "있" and bool(after.negation)
    return bool(tokens[at].negation) or (tokens[at].kind is TokenKind.NOUN and is_none)


def _is_same(token: Token, other: Token) -> bool:
    """Whether two words are one, or a noun that an analyser parted: 번호 of 비밀번호."""
    are_nouns = token.kind is other.kind is TokenKind.NOUN and len(other.base) > 1
    return stem(token.base) == stem(other.base) or (are_nouns and token.base.endswith(other.base))


def _is_about(source: Passage, line: Passage) -> bool:
    """Whether it shares more than one word with the line, or has no more than two."""
    return len(source.statement.tokens) <= 2 or len(stems_of(source) & stems_of(line)) > 1


def _other_roles(line: Passage, sources: Sequence[Passage]) -> str | None:
    """Who did it has it done to them: by particles in Korean, by the order of the same words in English."""
    for source in nearest(line, sources):
        if not same_roles(source.statement, line.statement) and _is_swapped(line, source):
            return "it exchanges who does it and to whom"
        if line.text.isascii() and _row(line) <= _row(source) and _is_crossed(line.text, source.text):
            return "it has the names of its lines in another order"
        if _row(line) <= _row(source) and is_inverted(line, source):
            return "it compares the other way round"
    return None


def _is_swapped(line: Passage, source: Passage) -> bool:
    """Whether a name or two words took other parts; a thing alone may: 타임아웃이 늘었다, 타임아웃을 늘렸다."""
    theirs = {token.base: token.case for token in source.statement.tokens if token.case}
    moved = [
        token for token in line.statement.tokens if token.case and theirs.get(token.base, token.case) != token.case
    ]
    return len(moved) > 1 or any(token.kind is TokenKind.NAME for token in moved)


def _row(passage: Passage) -> set[str]:
    return {stem(token.base) for token in passage.statement.tokens if token.base not in _PRONOUNS}


def _is_crossed(ours: str, theirs: str) -> bool:
    """Whether the names that both have stand in another order."""
    names = [name for name in _NAME.findall(ours) if name in _NAME.findall(theirs)]
    return names != sorted(names, key=_NAME.findall(theirs).index)


def _other_name(line: Passage, sources: Sequence[Passage]) -> str | None:
    """A name of one sentence in what another sentence says of another name."""
    if not line.text.isascii():
        return None  # who it is that Korean speaks of is often said sentences before
    clause, known = (
        _clause_like(line, sources),
        {name.casefold() for source in sources for name in _NAME.findall(source.text)},
    )
    named = known.intersection(_english(line.text))
    ours = {name for name in named if name not in clause}
    theirs = {name for name in known - named if name in clause}
    is_whole = all(word in clause for word in _row(line) - {stem(name) for name in ours} - ours)
    return f"its lines say that of {min(theirs)}" if ours and theirs and is_whole else None


def _other_doer(line: Passage, sources: Sequence[Passage]) -> str | None:
    """Another subject of the same topic."""
    ours = _subject_of_topic(line)
    for source in sources:
        theirs = _subject_of_topic(source)
        if ours and theirs and ours[0] == theirs[0] and ours[1] != theirs[1] and ours[1] not in _PRONOUNS:
            return f"{ours[1]} stands where its lines have {theirs[1]}"
    return None


def _subject_of_topic(passage: Passage) -> tuple[str, str] | None:
    cases = {token.case: token.base for token in reversed(passage.statement.tokens)}
    return (cases["topic"], cases["subject"]) if cases.keys() >= {"topic", "subject"} else None


def _turned_round(line: Passage, sources: Sequence[Passage]) -> str | None:
    """Of two opposites in a passage the one that it says of another."""
    tokens = line.statement.tokens
    heads = [token.base for token in tokens if token.case in ("topic", "subject")][:1]
    for source in nearest(line, sources) if heads else ():
        bases = [token.base for token in source.statement.tokens]
        rest = bases[bases.index(heads[0]) :] if heads[0] in bases else []
        for token in tokens:
            first = next((base for base in rest if base == token.base or are_opposites(base, token.base)), None)
            if first is not None and first != token.base:
                return f"its lines say {first} of {heads[0]}"
    return None


def is_inverted(line: Passage, source: Passage) -> bool:
    """Whether both compare, and what one compares with is what the other compares: slower than A, faster than B."""
    ours, theirs = _compared(line), _compared(source)
    return bool(ours and theirs) and ours != theirs and ours in stems_of(source)


def _compared(passage: Passage) -> str:
    """What something is compared with in English: the word behind "than"."""
    words = [word for word in _english(passage.text) if word not in _ARTICLES]
    return stem(words[words.index("than") + 1]) if "than" in words[:-1] else ""


def _unheard(line: Passage, sources: Sequence[Passage]) -> str | None:
    """A thing that the sources have in no form and no other word for."""
    text = said_in(sources)
    known = {concept_of(token.base) for source in sources for token in source.statement.tokens}
    words = [word for word in re.findall(r"[a-z]+", text) if len(word) > 1]
    for word in (*_korean_things(line, text), *_english_things(line)):
        is_known = word in text or concept_of(word) in known or _begins_like(word, text)
        is_known = is_known or any(is_short_for(one, word) for one in words)
        if not is_known and not any(are_opposites(word, other) for other in known):
            return f"{word} is not in its lines"
    return None


def _begins_like(word: str, text: str) -> bool:
    least = max(_LEAST, len(word) - 3) if word.isascii() else 2
    return len(word) > least and re.search(rf"(?<![a-z]){re.escape(word[:least])}", text) is not None


def _korean_things(line: Passage, text: str) -> Iterator[str]:
    """Its nouns, but those that say what kind of thing the known word before them is (배스천 주소는)."""
    before: Token | None = None
    for token in line.statement.tokens:
        is_known = before is not None and not before.case and before.base.casefold() in text
        is_kind = is_known and before is not None and before.kind in (TokenKind.NOUN, TokenKind.NAME)
        if not token.base.isascii() and _is_thing(token) and not (is_kind and token.case in ("topic", "subject")):
            yield token.base
        before = token


def _is_thing(token: Token) -> bool:
    is_doing = token.is_predicate and "by" not in token.marks
    return token.kind is TokenKind.NOUN and not is_doing and token.base not in _LABELS and len(token.base) > 1


def _english_things(line: Passage) -> Iterator[str]:
    for before, word in pairwise(_english(line.text)):
        if before in _DETERMINERS and word not in _DETERMINERS | _PRONOUNS | _LABELS and len(word) >= _LEAST:
            yield word
