"""Sessions that nobody noted become lines of a log, which a run takes in like all others.

    find_pieces | first_batch | prompt_for | lines_in | believe.attest_lines | believe.verify_lines | as_line

A model reads whole sessions, as many as fit into a call, with the memories nearest to them. It answers with lines that are
new, replace a memory, or repeat one. Believed lines go to `memory/distilled/DAY.md`; the others wait there for a person,
with the reason. Without an answer the sessions wait for the next night.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from bankd.briefing.shown import count_tokens
from bankd.memory.archive import memory_of
from bankd.memory.judge import ComparedMemory
from bankd.memory.ledger import Ledger, are_apart
from bankd.memory.plan import Deferred
from bankd.memory.retain import OF_PROJECTS, PROFILES, LogPlace, people_in, project_mark, read_log
from bankd.night import asking, sections
from bankd.night.believe import LineSources, attest_lines, is_named, verify_lines
from bankd.pages.memory import is_memory_id, statement_of
from bankd.ports import Models, ProseLogs
from bankd.secrets.screening import Finder, find_secrets, screen_text
from bankd.settings import DistilPolicy

VERSION = "sessions-4"
_LEAST_TOKENS, _TOKENS_FOR_TOKEN = 700, 1.25
"""The most tokens of an answer: a fixed number, plus this many for each token of the log."""
_LEAST_LINES, _TOKENS_FOR_LINE = 12, 100
"""Lines that a model may write: a fixed number, and one more for this many tokens of the log. Each is sent again to be verified."""
_NEAREST, _SHARE, _NAMES, _QUESTIONS = 12, 4, 20, 2
"""Memories that a model is shown; more of them as long as they take one token for this many of the log. Names that it is shown,
and questions that are kept of a line."""
_NO_SLUG, _LONGEST_SLUG = re.compile(r"[^\w-]+"), 40

SYSTEM = asking.prompt_text("distil.txt")

_TEXTS = asking.list_schema(asking.TEXT)
_SOURCES: asking.Schema = {"type": "array", "minItems": 1, "items": asking.NUMBER}
_LINE = asking.object_schema(
    text=asking.TEXT, tag=asking.TAG, about=_TEXTS, sources=_SOURCES, memory=asking.TEXT, questions=_TEXTS
)
SCHEMA = asking.object_schema(lines=asking.list_schema(_LINE))


class Distilled(NamedTuple):
    """The result of a night's reading: pieces read, lines believed and not believed, and what waits and why."""

    pieces: int = 0
    lines: int = 0
    refused: int = 0
    waiting: tuple[Deferred, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes about it, for the report."""
        if not self.pieces:
            return ()
        refused = f"; {self.refused} not believed: bankctl review" if self.refused else ""
        read = "1 piece of the logs" if self.pieces == 1 else f"{self.pieces} pieces of the logs"
        return (f"{read} distilled to {self.lines} lines in memory/{sections.FOLDER}/{refused}",)


def distil_prose(parts: asking.NightParts, ledger: Ledger, policy: DistilPolicy, now: datetime) -> Distilled:
    """Have a model read the new prose, oldest first, and append its lines to the distilled logs.

    What one call brought is written before the next one is made, which is shown it. What a model does not answer is tried
    once more in halves, down to single sessions, so that one that it cannot read keeps no other from being read.
    """
    done, waiting = Distilled(), list[tuple[str, str]]()
    left, room = find_pieces(parts.logs, parts.finders, policy, now), sections.MOST_TOKENS
    bank = known_in(parts, ledger) if left else []
    while left:
        batch = first_batch(left, room, parts.models, policy.categories)
        own = [batch[0].project] if batch[0].project else []
        known = [one for one in (*bank, *_written(parts.logs, ledger, now)) if not are_apart(one.projects, own)]
        read, people = read_batch(batch, known, parts, policy, now), people_in(one.memory for one in known)
        if isinstance(read, asking.Unanswered) and len(batch) > 1:
            room = sum(count_tokens(piece.text) for piece in batch) // 2
            continue
        taken, ids = {(one.log, one.sections) for one in batch}, dict[str, str]()
        left = [one for one in left if (one.log, one.sections) not in taken]
        if isinstance(read, asking.Unanswered):
            waiting.append((batch[0].log, read.reason))
            continue
        for piece, made in zip(batch, read, strict=True):
            log, judged = log_of(piece.log, now.date()), [_named(one, piece, ids) for one in made]
            lines = (as_line(one, piece, sections.DISTILLED, people) for one in judged)
            keys = (one.key for one in piece.sections)
            if problem := sections.append_lines(parts.logs, log, lines, keys, sections.DISTILLED):
                waiting.append((piece.log, problem))
                continue
            ids |= {one.memory.text: one.id for one in read_log(log, parts.logs.text(log), anywhere=True).lines}
            refused = sum(one.reason is not None for one in judged)
            done = Distilled(done.pieces + 1, done.lines + len(judged) - refused, done.refused + refused)
    return done._replace(waiting=tuple(_deferred(waiting)))


def _named(judged: asking.JudgedLine, piece: sections.LogPiece, ids: Mapping[str, str]) -> asking.JudgedLine:
    """A line with its sources as line numbers of its log, and a replaced line of the same answer as its present id."""
    line, lines = judged.line, piece.lines
    replaces = line.replaces if is_memory_id(line.replaces) else ids.get(line.replaces, "")
    return judged._replace(line=line._replace(sources=tuple(lines[one][0] for one in line.sources), replaces=replaces))


def first_batch(
    left: Sequence[sections.LogPiece], room: int, models: Models, categories: Sequence[str]
) -> list[sections.LogPiece]:
    """The first pieces of a project that fit into this many tokens, at least one; fewer if a reply for fewer was kept.

    So an earlier question is not asked again only because there are more new pieces now.
    """
    batch = list[sections.LogPiece]()
    for piece in (one for one in left if one.project == left[0].project):
        start = batch[-1].start + len(batch[-1].lines) if batch else 1
        room -= count_tokens(piece.text)
        if batch and room < 0:
            break
        batch.append(piece._replace(start=start))
    found = (batch[:count] for count in range(len(batch), 0, -1))
    return next((one for one in found if models.find(prompt_for(one, (), (), categories))), batch)


def find_pieces(
    logs: ProseLogs, finders: Sequence[Finder], policy: DistilPolicy, now: datetime, by: str = sections.DISTILLED
) -> list[sections.LogPiece]:
    """The new prose in the logs of the last days, oldest first, without credentials. `by` names the reader."""
    first, found = now.date() - timedelta(days=policy.days), list[sections.LogPiece]()
    for log in logs.settled(now):
        is_recent = LogPlace(log, 1).day(now.date()) >= first and not log.startswith(f"{sections.FOLDER}/")
        reading = logs.read(log) if is_recent else None
        if reading is not None:
            text = screen_text(logs.text(log), finders)
            known = sections.distilled_keys(logs.text(log_of(log, now.date())), by)
            found += sections.log_pieces(log, text, [*sections.sections_of(reading, text)], known)
    return found


def known_in(parts: asking.NightParts, ledger: Ledger) -> list[ComparedMemory]:
    """The memories of the bank that hold now, without those that look like a credential."""
    past, lines, of = ledger.successors(), parts.catalog.all_lines(), ledger.projects()
    held = sorted((id_, one) for id_, one in lines.items() if id_ not in past)
    found = [ComparedMemory(id_, memory_of(one), of.get(id_, ())) for id_, one in held]
    return [one for one in found if not find_secrets(one.memory.text, parts.finders)]


def _written(logs: ProseLogs, ledger: Ledger, now: datetime) -> list[ComparedMemory]:
    """Lines of models that no run has taken in yet, by their future ids; of lines that replace each other only the last."""
    distilled = [log for log in logs.settled(now) if log.startswith(f"{sections.FOLDER}/")]
    lines = [line for log in distilled for line in read_log(log, logs.text(log), anywhere=True).lines]
    past = {line.replaces for line in lines}
    waiting = [one for one in lines if one.id not in ledger.consumed and one.id not in past]
    return [ComparedMemory(one.id, one.memory, (one.project,) if one.project else ()) for one in waiting]


def read_batch(
    batch: Sequence[sections.LogPiece],
    known: Sequence[ComparedMemory],
    parts: asking.NightParts,
    policy: DistilPolicy,
    now: datetime,
) -> list[list[asking.JudgedLine]] | asking.Unanswered:
    """The lines that a model makes of each piece, judged by the rules and then, in one call, by the model itself."""
    names = [name for name, _ in Counter(name for one in known for name in one.memory.entities).most_common(_NAMES)]
    nearest = nearest_to(batch, known)
    (reply,) = parts.models.answer([prompt_for(batch, nearest, names, policy.categories)])
    if isinstance(reply, asking.Unanswered):
        return reply
    texts, shown = {one.id: one.memory.text for one in known}, (statement_of(one.memory) for one in nearest)
    beside = "\n".join([_as_names(names), *shown, *(text for piece in batch for text in piece.texts.values())])
    sources = [
        LineSources(piece.title, piece.texts, LogPlace(piece.log, 1).day(now.date()), beside, texts) for piece in batch
    ]
    made = lines_in(reply.value, batch, known, names)
    attested = [attest_lines(lines, one, parts.index) for lines, one in zip(made, sources, strict=True)]
    return verify_lines(attested, sources, parts.models)


def nearest_to(batch: Sequence[sections.LogPiece], known: Iterable[ComparedMemory]) -> list[ComparedMemory]:
    """The memories that share most letter pairs with pieces; letter pairs work in any language, with any particle.

    Pairs that few memories have count more, and the same statement is shown once.
    """
    once = {statement_of(one.memory): one for one in known}
    pairs = {text: _letter_pairs(text) for text in once}
    often = Counter(pair for found in pairs.values() for pair in found)
    log = "\n".join(text for piece in batch for text in piece.texts.values())
    said, room = _letter_pairs(log), count_tokens(log) // _SHARE
    shares = {text: sum(1 / often[pair] for pair in own & said) / len(own or " ") ** 0.5 for text, own in pairs.items()}
    nearest = [text for text in sorted(once, key=lambda text: (-shares[text], text)) if shares[text]]
    fitting = sum(taken <= room for taken in accumulate(map(count_tokens, nearest)))
    return [once[text] for text in nearest[: max(_NEAREST, fitting)]]


def _letter_pairs(text: str) -> set[str]:
    return {word[at : at + 2] for word in re.findall(r"\w+", text.casefold()) for at in range(max(1, len(word) - 1))}


def prompt_for(
    batch: Sequence[sections.LogPiece],
    nearest: Sequence[ComparedMemory],
    names: Sequence[str],
    categories: Sequence[str],
) -> asking.Prompt:
    """The prompt about pieces. A kept reply is found by the pieces alone, because the bank may have grown since."""
    memories = [f"{one.id} {' '.join(statement_of(one.memory).split())}" for one in nearest]
    log = "\n".join(["<log>", *(f"# {piece.title}\n{piece.text}" for piece in batch), "</log>"])
    known = [f"Write at most {_LEAST_LINES + count_tokens(log) // _TOKENS_FOR_LINE} lines."]
    known += [f"Known names: {_as_names(names)}"] if names else []
    known += ["<memories>", *memories, "</memories>"] if memories else []
    key = "\n".join(f"memory/{piece.log}\n{piece.text}" for piece in batch)
    most = _LEAST_TOKENS + int(_TOKENS_FOR_TOKEN * count_tokens(log))
    return asking.Prompt(
        VERSION, SYSTEM.format(categories="; ".join(categories)), "\n".join([*known, log]), SCHEMA, most, key
    )


def logs_in(prompt: asking.Prompt) -> list[str]:
    """The logs in a question about pieces, as paths from the workspace."""
    return re.findall(r"^memory/.+\.md$", prompt.key, re.MULTILINE)


def _as_names(names: Iterable[str]) -> str:
    return " ".join(f"@{name}" for name in names)


def lines_in(
    answer: object, batch: Sequence[sections.LogPiece], known: Iterable[ComparedMemory], names: Sequence[str]
) -> list[list[asking.DistilledLine]]:
    """The lines of an answer for each piece, in order; entries that are not a line of text, or name a missing memory, are left out.

    A line with sources in several pieces belongs to the last one. One that replaces an earlier line of the answer has its text
    as `replaces`.
    """
    memories, earlier = {one.id: one.memory for one in known}, dict[str, str]()
    said = "\n".join([*names, *(text for one in batch for text in (one.title, *one.texts.values()))]).casefold()
    found = [list[asking.DistilledLine]() for _ in batch]
    for at, one in enumerate(asking.objects_in(answer, "lines"), 1):
        id_, text, tag = str(one.get("memory")), asking.text_in(one), str(one.get("tag"))
        memory, numbers = memories.get(id_), set(asking.numbers_in(one.get("sources")))
        place = max((place for place, piece in enumerate(batch) if numbers & piece.texts.keys()), default=-1)
        sources = tuple(sorted(numbers & batch[place].texts.keys()))
        if memory is not None and memory.tag and (text == memory.text or not one.get("text")):
            again = " ".join(memory.text.split())
            found[place].append(asking.DistilledLine(memory.tag, memory.entities, again, sources, is_said_again=True))
        elif text and tag in PROFILES["default"]:
            about = [name.removeprefix("@") for name in asking.texts_in(one.get("about"), _NAMES)]
            slugs = (_NO_SLUG.sub("-", name).strip("-") for name in about if is_named(name.casefold(), said))
            entities = tuple(slug for slug in slugs if 0 < len(slug) <= _LONGEST_SLUG)
            replaces = id_ if memory is not None else earlier.get(id_, "")
            asked = asking.texts_in(one.get("questions"), _QUESTIONS)
            found[place].append(asking.DistilledLine(tag, entities, text, sources, asked, replaces))
            earlier[f"#{at}"] = text
    return [[*dict.fromkeys(lines)] for lines in found]


def log_of(log: str, today: date) -> str:
    """The name below `memory/` of the distilled log for a log: the one of its day."""
    return f"{sections.FOLDER}/{LogPlace(log, 1).day(today).isoformat()}.md"


def as_line(judged: asking.JudgedLine, piece: sections.LogPiece, by: str, people: Set[str] = frozenset()) -> str:
    """The line of a log that a model or a rule made, which names its source lines and, unless it is about `people`, its project.

    With a reason it waits for a person: as not believed if `by` a model, as proposed if by rules.
    """
    line, reason = judged
    about = "".join(f" @{name}" for name in line.entities)
    replaces = f" (replaces {line.replaces})" if line.replaces else ""
    place = f"memory/{piece.log}:{','.join(map(str, line.sources)) or '?'}"
    doubt = f"<!-- {'refused' if by == sections.DISTILLED else by}: {reason.replace('--', '-')} -->" if reason else ""
    project = project_mark(piece.project) if line.tag in OF_PROJECTS and people.isdisjoint(line.entities) else ""
    notes = " ".join(filter(None, (f"<!-- source: {place.replace('--', '- -')} -->", project, doubt)))
    asked = "".join(f"\n  ? {question}" for question in line.questions) if not reason else ""
    return f"- {line.tag}{about}: {line.text}{replaces} {notes}{asked}"


def _deferred(waiting: Iterable[tuple[str, str]]) -> Iterator[Deferred]:
    """One line for each log and reason, however many of its pieces wait."""
    for (log, reason), count in Counter(waiting).items():
        pieces = "it waits" if count == 1 else f"{count} pieces of it wait"
        yield Deferred(f"memory/{log}", f"{pieces} to be distilled: {reason}")
