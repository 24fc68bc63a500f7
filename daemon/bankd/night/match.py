"""A model compares new memories with the most similar ones, a few a night: the same in other words, or another value.

It is asked only after it has passed a trial. Memories that it finds to be the same are shown as one, and the review asks; an
older value is shown after the newer one; nothing is removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

from bankd.errors import BankError, bug_in
from bankd.memory.ledger import Ledger, age_of, are_apart, day_said
from bankd.night import asking
from bankd.pages.memory import Memory
from bankd.same import Likeness, Relation, compared_text
from bankd.secrets.screening import find_secrets
from bankd.words.analysis import has_hangul

VERSION = "match-1"
MOST_OTHERS = 3
"""The memories that one is compared with; `bench.matching` measures how often the right one is among them."""
MOST_TOKENS = 300
"""The most tokens of an answer: one relation per statement, with room for spaces in the JSON."""

SYSTEM = asking.prompt_text("match.txt")

_RELATIONS = {"same": Relation.NEAR, "changed": Relation.NEWER, "different": Relation.DIFFERENT}
"""The relation for each word of an answer. A model never blocks a memory, so "same" counts as near."""
_RELATION = {"type": "string", "enum": [*_RELATIONS]}
SCHEMA = asking.object_schema(others=asking.list_schema(asking.object_schema(number=asking.NUMBER, relation=_RELATION)))
_REASONS = {
    Relation.NEAR: "a language model takes both for the same",
    Relation.NEWER: "a language model takes the newer for another value of the same",
    Relation.DIFFERENT: "a language model tells them apart",
}


class MatchQuestion(NamedTuple):
    """A memory that no model has compared, its text key, and the most similar memories that the rules did not find the same."""

    id: str
    key: str
    others: Sequence[str]
    prompt: asking.Prompt | None
    bug: str = ""


class Matched(NamedTuple):
    """The result of a night: memories compared, pairs found, how many memories wait, and why."""

    memories: int = 0
    pairs: int = 0
    waiting: int = 0
    reason: str = ""
    bugs: tuple[str, ...] = ()

    @property
    def notes(self) -> list[str]:
        """What there is to say of it."""
        done = f"{self.memories} memories compared by the model with those like them: {self.pairs} say the same or a newer value"
        wait = f"{self.waiting} memories wait to be compared by the model: {self.reason}"
        return [*([done] if self.memories else ()), *([wait] if self.waiting else ()), *self.bugs]


def match_memories(parts: asking.NightParts, ledger: Ledger, most: int, *, dry_run: bool = False) -> Matched:
    """Have a model compare a limited number of memories; those without an answer wait for the next night.

    With `dry_run` it is asked, but its answers are not recorded.
    """
    questions = find_questions(parts, ledger, most)
    if not questions:
        return Matched()
    replies = ask_questions(parts, questions)
    waiting = [reply.reason for _, reply in replies if isinstance(reply, asking.Unanswered)]
    done = [(one, reply) for one, reply in replies if not isinstance(reply, asking.Unanswered)]
    pairs = {pair: likeness for one, reply in done for pair, likeness in _pairs_in(one, reply, ledger)}
    if not dry_run:
        parts.catalog.record_matched({one.id: one.key for one, _ in done}, pairs)
    memories = sum(reply is not None for _, reply in done)
    alike = sum(one.relation is not Relation.DIFFERENT for one in pairs.values())
    bugs = tuple(one.bug for one, _ in replies if one.bug)
    return Matched(memories, alike, len(waiting), waiting[0] if waiting else "", bugs)


def find_questions(parts: asking.NightParts, ledger: Ledger, most: int) -> list[MatchQuestion]:
    """The questions about memories that no model has compared, the last added first; nothing is written."""
    keys = parts.catalog.unmatched(most) if most else {}
    held = parts.catalog.memories_of(keys)
    return [_question(id_, keys[id_], memory, parts, ledger) for id_, memory in held.items()]


def _question(id_: str, key: str, memory: Memory, parts: asking.NightParts, ledger: Ledger) -> MatchQuestion:
    """The question about one memory; without a prompt if nothing is similar, or it cannot be read or must not be sent."""
    try:
        others = _others(id_, memory, parts, ledger)
        known = {id_: memory, **others}.items()
        one, *rest = (of_day(compared_text(held), _day(held_id, ledger)) for held_id, held in known)
        may_ask = rest and not find_secrets(one, parts.finders)
        return MatchQuestion(id_, key, [*others], matching_prompt(one, rest) if may_ask else None)
    except BankError:
        raise
    except Exception as error:  # one memory must not stop the comparison of all others
        return MatchQuestion(id_, key, (), None, bug_in(f"{id_} is not compared by the model", error))


def of_day(text: str, day: date | None) -> str:
    """The text of a memory with the day of its source, if that is known."""
    return f"{text} ({day})" if day else text


def matching_prompt(one: str, others: Sequence[str]) -> asking.Prompt:
    """The prompt to compare a memory with others, each with its day."""
    lines = [f"the first| {one}", *(f"{number}| {said}" for number, said in enumerate(others, start=1))]
    return asking.Prompt(VERSION, SYSTEM, "\n".join(" ".join(line.split()) for line in lines), SCHEMA, MOST_TOKENS)


def _others(id_: str, memory: Memory, parts: asking.NightParts, ledger: Ledger) -> dict[str, Memory]:
    near = _nearest(id_, memory, parts, ledger)
    held = {one: other for one, other in parts.catalog.memories_of(near).items() if _can_be_sent(other, parts)}
    return {one: held[one] for one in near if one in held and held[one].tag == memory.tag}


def _can_be_sent(other: Memory, parts: asking.NightParts) -> bool:
    """Whether another memory can be read and holds no credential; a problem with reading is reported at its own turn."""
    try:
        return not find_secrets(compared_text(other), parts.finders)
    except Exception:
        return False


def _nearest(id_: str, memory: Memory, parts: asking.NightParts, ledger: Ledger) -> list[str]:
    """The memories that share most words with one, without those that the rules are sure of or a person wants to keep.

    Newer memories are left out, since they have a question of their own; for a memory without a day all count.
    """
    projects, said = ledger.projects(), ledger.consumed
    settled, is_dated = ledger.wanted_both | set(parts.catalog.surely_alike(id_)), _day(id_, ledger) is not None
    own, nearest = projects.get(id_, ()), parts.index.nearest(compared_text(memory))
    found = (one for one in nearest if one != id_ and not are_apart(own, projects.get(one, ())))
    near = (one for one in found if not is_dated or age_of(one, said.get(one)) < age_of(id_, said.get(id_)))
    return [one for one in near if not {(id_, one), (one, id_)} & settled][:MOST_OTHERS]


def ask_questions(
    parts: asking.NightParts, questions: Sequence[MatchQuestion]
) -> list[tuple[MatchQuestion, asking.Reply | asking.Unanswered | None]]:
    """The answer to each question, None if there is nothing to ask; first the model must pass the trial in their languages."""
    why_not = cache(lambda is_korean: _why_not(parts, trial_in(is_korean=is_korean)))
    return [
        (one, (why_not(has_hangul(one.prompt.text)) or parts.models.answer([one.prompt])[0]) if one.prompt else None)
        for one in questions
    ]


def _why_not(parts: asking.NightParts, trial: asking.Trial) -> asking.Unanswered | None:
    """Why a model is not asked; its reply to the trial is kept, so it is tried only once."""
    (reply,) = parts.models.answer([trial.prompt])
    if isinstance(reply, asking.Unanswered):
        return reply
    why = "it failed its trial: it cannot tell the same from different; distil.compare: 0 stops asking it"
    return None if trial.is_passed(reply.value) else asking.Unanswered(why)


def _pairs_in(
    question: MatchQuestion, reply: asking.Reply | None, ledger: Ledger
) -> Iterator[tuple[tuple[str, str], Likeness]]:
    """The relations between the memory of a question and the others, by the ids of the older and the newer one."""
    relations = relations_in(reply.value, len(question.others)) if reply else ()
    for other, relation in zip(question.others, relations, strict=False):
        older, newer = sorted((question.id, other), key=lambda id_: age_of(id_, ledger.consumed.get(id_)))
        yield (older, newer), Likeness(relation, _REASONS[relation], _day(newer, ledger) is not None)


def relations_in(answer: object, count: int, unsaid: Relation = Relation.DIFFERENT) -> list[Relation]:
    """The relation of each of `count` others to the first; `unsaid` if the answer leaves it out."""
    said = {str(one.get("number")): str(one.get("relation")) for one in asking.objects_in(answer, "others")}
    return [_RELATIONS.get(said.get(str(number), ""), unsaid) for number in range(1, count + 1)]


def _day(id_: str, ledger: Ledger) -> date | None:
    return day_said(ledger.consumed.get(id_))


_NOT = Relation.DIFFERENT
_KNOWN = {"same": (Relation.NEAR,), "not same": (_NOT, Relation.NEWER), "different": (_NOT,)}


@cache
def trial_in(*, is_korean: bool) -> asking.Trial:
    """What a model must know to be asked about memories in Korean, or in any other language.

    A model that calls everything with shared words the same would hide facts, so it is not used.
    """
    one, *others = (text for _, text in asking.trial_rows("match", is_korean=is_korean))
    known = [_KNOWN.get(what, ()) for what, _ in asking.trial_rows("match", is_korean=is_korean)[1:]]

    def is_passed(answer: object) -> bool:
        relations = relations_in(answer, len(others), unsaid=Relation.SAME)  # no answer has it: a gap fails
        return all(relation in right for relation, right in zip(relations, known, strict=True))

    return asking.Trial(matching_prompt(one, others), is_passed)
