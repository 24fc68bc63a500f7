"""A line that says of one what its sources say of another: Rufus rode it home, Ines followed; Ines rode it home.

A sentence is taken apart where another may begin to do something. The part that says most of a line names who does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bankd.core.distil.aligning import PRONOUNS, Word, words_to_align
from bankd.core.distil.attesting import is_doer
from bankd.core.distil.passages import Passage, as_read
from bankd.core.distil.stretches import Stretch, placed_in, stretches_of, telling_most
from bankd.core.language.statement import SPOKEN_OF, Token, TokenKind

_NAMED_DOING = re.compile(
    r"(?<![\w'-])([A-Z][\w-]+) (?:(?:who|has|had|is|was|will|did|does|also|just|now|not|n't) )*([a-z]+)"
)
_DONE_BY = re.compile(r"(\w+) by (?:[A-Z][a-z]{0,4}\.? )?([A-Z][\w-]+)")
_VERB = 2
"""What the verb of who does it is worth, in words, when the part is looked for that tells it."""


class _Doer(NamedTuple):
    """Who does something, and the verb where English has it beside the name."""

    name: str
    verb: str


class _Told(NamedTuple):
    """A part of a sentence, and who does something in it."""

    stretch: Stretch
    doers: Sequence[_Doer]


def find_misattributed(line: Passage, sources: Sequence[Passage]) -> str | None:
    """Who does in the line what another does in its sources; None where nobody does."""
    told = [one for source in sources for one in _told_in(source)]
    doers = [
        doer
        for one in _told_in(line)
        for doer in one.doers
        if any(doer.name in other.stretch.text.casefold() for other in told)
    ]
    names = [doer.name for doer in doers]
    words = [word for word in words_to_align(line.statement) if word.kind is not TokenKind.VALUE]
    others = [word.base for word in words if word.base not in names]
    for name, verb in doers:
        telling = telling_most(told, [_size(one, others, verb) for one in told])
        rivals = [rival.name for one in telling for rival in one.doers if rival.name not in line.text.casefold()]
        if rivals and not any(own in one.stretch.text.casefold() for own in names for one in telling):
            return f"{name} does what {rivals[0]} does in its lines"
    return None


def _size(one: _Told, words: Sequence[str], verb: str) -> int:
    """How much of a line a stretch has: its verb above all."""
    return sum(_VERB if word == verb else 1 for word in words if one.stretch.has(word))


def _told_in(passage: Passage) -> Iterator[_Told]:
    doers = [*placed_in(as_read(passage.text), [*_korean_doers(passage)])]
    for stretch in stretches_of(passage):
        named = [_Doer(word.base, "") for word, at in doers if stretch.begin <= at < stretch.end]
        yield _Told(stretch, named or [*_english_doers(stretch.text)])


def _korean_doers(passage: Passage) -> Iterator[Word]:
    """The names in what a particle calls the subject or topic, and any subject: 남편이."""
    for phrase in passage.statement.phrases:
        if phrase and phrase[-1].case in SPOKEN_OF:
            names = [token for token in phrase if _may_do(token) and not token.base.isascii()]
            yield from (Word(token.base, token.kind, "", False, False) for token in names)


def _may_do(token: Token) -> bool:
    is_named = token.kind is TokenKind.NAME or (token.kind is TokenKind.NOUN and token.case == "subject")
    return is_named and token.base not in PRONOUNS


def _english_doers(part: str) -> Iterator[_Doer]:
    """The names that what follows is what they do, and by whom something is done."""
    for name, verb in _NAMED_DOING.findall(part):
        if is_doer(name, verb) or (is_doer(name, "is") and verb.endswith("ing")):
            yield _Doer(name.casefold(), verb)
    yield from (_Doer(name.casefold(), verb) for verb, name in _DONE_BY.findall(part))
