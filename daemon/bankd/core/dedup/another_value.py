"""Another value in another form of sentence: the contact for billing is Yuki, billing's contact is Farid.

The old statement is told with the value of the new one in place of its own; where that says what the new one says, the value
alone is another. What changes places must be of one sort, and must be what is said, not what something is said of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from bankd.core.dedup.gist import ATTRIBUTES, bare_concept, gist_of, is_empty
from bankd.core.dedup.series import before_verb, is_subject_matter
from bankd.core.language.quantities import base_quantity
from bankd.core.language.statement import SPOKEN_OF, Statement, Token, TokenKind, restate
from bankd.core.language.word_lists import split_words

_NAMES_OF_VALUES = ATTRIBUTES | split_words("시간 시각 장소 색 색상 버전 가격 요금 비용 금액 주소 번호 담당 담당자")
"""What a value tells by itself, so that only one of two statements need say it."""
_ONLY_ONE = _NAMES_OF_VALUES | split_words("별명 호칭 암호 비밀번호 제목 회장 팀장 반장 대표 담임 주치의 집주인 감독")
"""What has one value or holder at a time."""
_TURNED = re.compile(r"\w[\w.'-]*(?: \w[\w.'-]*)? (?:is|are) (?:the |my |our |your |his |her |their |\w[\w-]*'s )")
"""A value that begins an English sentence, and what it is the only one of: Teal is Mia's favourite colour."""


_UNIQUE = re.compile(
    r".*\b(?:favou?rite|preferred|default|native|usual)\b.* (?:is|are) ((?!\w+(?:ed|ing|ly)\b)[\w-]+(?: [\w-]+)?)",
    re.IGNORECASE,
)
"""What there is one of, and what it is."""


class _Value(NamedTuple):
    """What a statement says that another does not: names, numbers, in Korean nouns too; all in one phrase."""

    statement: Statement
    tokens: Sequence[Token]

    def has(self, token: Token) -> bool:
        return any(token is one for one in self.tokens)

    @property
    def phrase(self) -> tuple[Token, ...]:
        return next(phrase for phrase in self.statement.phrases if any(map(self.has, phrase)))

    @property
    def is_noun(self) -> bool:
        """Whether it is no name or number; English nouns are not told from other words."""
        return any(token.kind is TokenKind.NOUN for token in self.tokens)

    @property
    def begins(self) -> bool:
        """Whether it stands first, in a statement that one thing is another: Farid is the contact."""
        if not self.statement.has_free_order:
            return self.tokens[0] is self.statement.tokens[0] and _is_turned(self.statement)
        is_subject = not self.is_said and self.has(self.phrase[-1])
        return is_subject and not any(token.is_predicate for token in self.statement.tokens)

    @property
    def is_said(self) -> bool:
        """Whether it is not of what something is said; a Korean subject that ends a statement is one misread (수진 님이 다)."""
        if self.statement.has_free_order:
            return self.phrase[-1].case not in SPOKEN_OF or self.phrase is self.statement.phrases[-1]
        before = {*before_verb(self.statement).split()}
        is_first = any(map(self.has, self.statement.tokens[:2]))
        return not is_first and before.isdisjoint(token.base for token in self.tokens)

    @property
    def is_all(self) -> bool:
        """Whether something is just that, or there, or by that: nothing else is said."""
        at = self.statement.phrases.index(self.phrase)
        rest = [token for row in self.statement.phrases[at:] for token in row if not self.has(token)]
        return at > 0 and not self.phrase[-1].is_predicate and all(map(is_empty, rest))

    @property
    def is_placed(self) -> bool:
        """Whether it is all that is said, and a verb that carries nothing ends the statement."""
        return self.is_all and self.phrase is not self.statement.phrases[-1]

    def heads_unlike(self, other: Statement) -> Iterator[Token]:
        """The nouns that topic and subject end in, but for the value, and that the other statement has not."""
        theirs = {*map(bare_concept, other.tokens)}
        for phrase in self.statement.phrases:
            head = phrase[-1]
            if head.case in SPOKEN_OF and not self.has(head) and bare_concept(head) not in theirs:
                yield head


def with_value_of(old: Statement, new: Statement) -> Statement | None:
    """The old statement with the value of the new one in place of its own; None where not one value alone is another."""
    gone, come = _value_apart(old, new), _value_apart(new, old)
    if not (gone and come and _are_of_one_sort(gone, come) and _may_change_places(gone, come)):
        return None
    is_other = _is_done(old) or _is_done(new) or _changes_more_than_it_keeps(gone, come)
    return None if is_other else _exchange(gone, come.tokens)


def _value_apart(statement: Statement, other: Statement) -> _Value | None:
    """What may be a value and the other lacks; None where it stands in several places."""
    theirs = {*map(bare_concept, other.tokens)}
    found = []
    for phrase in statement.phrases:
        places = [
            at
            for at, token in enumerate(phrase)
            if _may_be_value(statement, phrase, token) and bare_concept(token) not in theirs
        ]
        if places:
            is_one = statement.has_free_order or places[-1] - places[0] < len(places)
            found.append(_Value(statement, [phrase[at] for at in places]) if is_one else None)
    return found[0] if len(found) == 1 else None


def _may_be_value(statement: Statement, phrase: Sequence[Token], token: Token) -> bool:
    """Whether a token is a number, a name, or a word that stands where what is said stands."""
    if token.negation or token.kind in (TokenKind.NAME, TokenKind.VALUE):
        return not token.negation
    if statement.has_free_order:
        return token.kind is TokenKind.NOUN and phrase[-1].case not in (*SPOKEN_OF, "object")
    return (token is statement.tokens[0] and _is_turned(statement)) or _is_complement(statement, token)


def _is_complement(statement: Statement, token: Token) -> bool:
    """Whether a token ends an English statement of what there is one of, by its own words: the default branch is master."""
    found = _UNIQUE.fullmatch(statement.text.strip().rstrip("."))
    words = found[1].casefold().split() if found else []
    return any(token is one for one in statement.tokens[len(statement.tokens) - len(words) :]) and token.base in words


def _is_turned(statement: Statement) -> bool:
    return _TURNED.match(statement.text) is not None


def _are_of_one_sort(gone: _Value, come: _Value) -> bool:
    """Whether both are words, perhaps with a number, or numbers of the same units."""
    sorts = [{token.kind is TokenKind.VALUE for token in value.tokens} for value in (gone, come)]
    if sorts == [{True}, {True}]:
        return [*map(_unit_of, gone.tokens)] == [*map(_unit_of, come.tokens)]
    return all(False in sort for sort in sorts)


def _unit_of(value: Token) -> str:
    return base_quantity(value.base).lstrip("0123456789.:") if value.base[:1].isdigit() else value.base


def _may_change_places(gone: _Value, come: _Value) -> bool:
    """Whether the values are what is said by both, which may be turned round in one of them."""
    if (gone.begins and come.begins) or not all(value.begins or value.is_said for value in (gone, come)):
        return False
    return not come.statement.has_free_order or (_are_alike(gone, come) and _keep_heads(gone, come))


def _are_alike(gone: _Value, come: _Value) -> bool:
    """Whether two values are names or numbers; of nouns, where something is, or what it is of one kind: 흰색, 베이지색.

    Of other nouns something is several: 의사다, 엄마다; but for what there is one of: 이름은 보리다.
    """
    if not (gone.is_noun or come.is_noun) or gone.is_placed or come.is_placed:
        return True
    is_of_kind = gone.tokens[-1].base[-1:] == come.tokens[-1].base[-1:]
    is_only_one = _is_of_only_one(gone.statement) and _is_of_only_one(come.statement)
    return (is_of_kind or is_only_one) and (gone.is_all or come.is_all)


def _is_of_only_one(statement: Statement) -> bool:
    """Whether a Korean statement is about what there is one of: a name, a head of a club."""
    return any(phrase[-1].case in SPOKEN_OF and phrase[-1].base in _ONLY_ONE for phrase in statement.phrases)


def _keep_heads(gone: _Value, come: _Value) -> bool:
    """Whether what each speaks of is in the other too, or only names the value: lunch is not the meeting at lunch."""
    heads = (*gone.heads_unlike(come.statement), *come.heads_unlike(gone.statement))
    return all(is_empty(head) or head.base in _NAMES_OF_VALUES for head in heads)


def _changes_more_than_it_keeps(gone: _Value, come: _Value) -> bool:
    """Whether an English value has more words than all else; a Korean one is a phrase, however many words make it."""
    theirs = {*map(bare_concept, come.statement.tokens)}
    kept = [token for token in gone.statement.tokens if is_subject_matter(token) and bare_concept(token) in theirs]
    return not come.statement.has_free_order and len(kept) < max(len(gone.tokens), len(come.tokens))


def _is_done(statement: Statement) -> bool:
    """Whether it tells what was done once, which has another number the next time."""
    gist = gist_of(statement)
    return gist.is_past and gist.state != "now"


def _exchange(gone: _Value, come: Sequence[Token]) -> Statement:
    old, said = gone.statement, " ".join(token.base for token in come)
    text = re.sub(re.escape(gone.tokens[0].base), lambda _: said, old.text, count=1, flags=re.IGNORECASE)
    return restate(old, text, [row for phrase in old.phrases if (row := tuple(_exchanged(phrase, gone, come)))])


def _exchanged(phrase: Sequence[Token], gone: _Value, come: Sequence[Token]) -> Iterator[Token]:
    for token in phrase:
        if token is gone.tokens[-1]:
            yield from come[:-1]
            yield replace(come[-1], case=token.case, marks=token.marks)
        elif not gone.has(token):
            yield token
