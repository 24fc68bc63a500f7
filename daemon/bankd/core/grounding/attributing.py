"""A line that says of one what its sources say of another: Rufus rode it home, Ines followed; Ines rode it home.

A sentence is taken apart where another may begin to do something. The part that says most of a line names who does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bankd.core.grounding.aligning import Word, words_to_align
from bankd.core.grounding.attesting import is_doer
from bankd.core.grounding.misnaming import honoured_in
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.rewriting import as_read
from bankd.core.grounding.stretches import Stretch, placed_in, stretches_of, telling_most
from bankd.core.language.statement import SPOKEN_OF, Token, TokenKind

_NAMED_DOING = re.compile(
    r"(?<![\w'-])([A-Z][\w-]+)(?: \([^)]*\)| (?:from|of) \w+)? (?:(?:has|had|is|was|will|did|does|also|just|now|not|n't) )*([a-z]+)"
)
_DONE_BY = re.compile(r"(\w+) by (?:[A-Z][a-z]{0,4}\.? )?([A-Z][\w-]+)")
_WRITER = "나"
_WRITER_DOES = re.compile(r"(?<![가-힣])(?:나는|내가|난|저는|제가|사용자[가는]|본인[이은])(?![가-힣])")
_WRITER_STANDS = re.compile(r"(?<![가-힣])(?:나|내|저|제|난|사용자|본인)(?:[가는은도랑의께]|에게|한테|와|만|$|\s)")
"""Who writes a log, whatever a model calls them: where they do something, and wherever they stand."""
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
    said = [
        (doer, one) for one in _told_in(line) for doer in one.doers if any(_speaks_of(each, doer.name) for each in told)
    ]
    names = [doer.name for doer, _ in said]
    for (name, verb), one in said:
        near = telling_most(told, _sizes(told, words_to_align(line.statement), names, verb))
        is_meant = any(_speaks_of(each, own) for each in near for own in names)
        nearer = _nearer(told, _sizes(told, one.stretch.words, names, verb), name, line)
        found = [] if is_meant else [rival for rival in _rivals(near, line) if rival != _WRITER] or nearer
        if found:
            return f"{name} does what {found[0]} does in its lines"
    return None


def _sizes(told: Sequence[_Told], words: Sequence[Word], names: Sequence[str], verb: str) -> Sequence[int]:
    """How much each has of the words that are no names of who does something: the verb counts above all."""
    others = [word.base for word in words if word.kind is not TokenKind.VALUE and word.base not in names]
    return [sum(_VERB if word == verb else 1 for word in others if one.stretch.has(word)) for one in told]


def _rivals(told: Sequence[_Told], line: Passage) -> Sequence[str]:
    """Who else does something there, and is not spoken of in the line."""
    return [rival.name for one in told for rival in one.doers if not _is_named(line.text, rival.name)]


def _nearer(told: Sequence[_Told], sizes: Sequence[int], name: str, line: Passage) -> Sequence[str]:
    """Who else does something where more of the line is said than wherever the name stands, and nobody of the line does."""
    own = max((size for size, one in zip(sizes, told, strict=True) if _speaks_of(one, name)), default=0)
    done = [(size, one) for size, one in zip(sizes, told, strict=True) if one.doers and size > max(own, 1)]
    most = [one for size, one in done if size == max(size for size, _ in done)]
    rivals = _rivals(most, line)
    return rivals if len(rivals) == sum(len(one.doers) for one in most) else ()


def _speaks_of(one: _Told, name: str) -> bool:
    return _is_named(one.stretch.text, name)


def _is_named(text: str, name: str) -> bool:
    return _WRITER_STANDS.search(text) is not None if name == _WRITER else name in text.casefold()


def _told_in(passage: Passage) -> Iterator[_Told]:
    doers = [*placed_in(as_read(passage.text), [*_korean_doers(passage)])]
    for stretch in stretches_of(passage):
        named = [_Doer(word.base, "") for word, at in doers if stretch.begin <= at < stretch.end]
        named += [_Doer(name, "") for name in honoured_in(stretch.text)]
        named += [_Doer(_WRITER, "")] * bool(_WRITER_DOES.search(stretch.text))
        yield _Told(stretch, named or [*_english_doers(stretch.text)])


def _korean_doers(passage: Passage) -> Iterator[Word]:
    """Who a particle calls the subject or topic: a name, with what it is called by, and any subject: 남편이."""
    for phrase in passage.statement.phrases:
        if phrase and phrase[-1].case in SPOKEN_OF:
            ends = phrase[-1:] if phrase[-1].kind is TokenKind.NAME or phrase[-1].case == "topic" else phrase[-2:]
            yield from (Word(token.base, token.kind, "", False, False) for token in ends if _may_do(token))


def _may_do(token: Token) -> bool:
    is_named = token.kind is TokenKind.NAME or (token.kind is TokenKind.NOUN and token.case == "subject")
    return is_named and not token.base.isascii()


def _english_doers(part: str) -> Iterator[_Doer]:
    """The names that what follows is what they do, and by whom something is done."""
    for name, verb in _NAMED_DOING.findall(part):
        if is_doer(name, verb) or (is_doer(name, "is") and verb.endswith("ing")):
            yield _Doer(name.casefold(), verb)
    yield from (_Doer(name.casefold(), verb) for verb, name in _DONE_BY.findall(part))
