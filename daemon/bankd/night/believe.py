"""Which lines of a model are believed: those that their source lines support, by rules and then by asking the model again.

`attest_lines` looks for values and names that are not in the sources (`attest`). `verify_lines` then asks the model once,
for all lines, whether each says no more than its sources. The second step can only refuse more lines. A model may verify
only after it has passed a trial: statements that are known to be true or false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from bankd.errors import bug_in
from bankd.night.asking import (
    LONGEST_LINE,
    NUMBER,
    TEXT,
    DistilledLine,
    JudgedLine,
    Prompt,
    Unanswered,
    list_schema,
    object_schema,
    objects_in,
    prompt_text,
    text_in,
    trial_rows,
)
from bankd.night.attest import Passage, find_unattested, sentences_of
from bankd.ports import Models
from bankd.same.reading import read_statement
from bankd.words.analysis import has_hangul

if TYPE_CHECKING:
    from bankd.app.index import RunIndex

VERSION, OF_INSIGHTS = "verify-3", "verify-insight-3"
_TOKENS_A_LINE, _TOKENS_OF_FRAME, _MOST_LINES = 50, 100, 120
"""Of an answer, and lines that one call is asked about; a model that wrote more in one answer is not believed in the rest."""
MOST_TOKENS, LONGEST = _TOKENS_OF_FRAME + _TOKENS_A_LINE * _MOST_LINES, LONGEST_LINE * _MOST_LINES
"""The most tokens of an answer, and the most letters of the lines in a question."""
_UNSEEN = "the model, asked again, left it out"
FAILED = "the model failed its trial: it judged known lines wrongly"

SYSTEM = prompt_text("verify.txt")
SYSTEM_OF_INSIGHTS = f"{SYSTEM}\n\n{prompt_text('verify_insights.txt')}"

SCHEMA = object_schema(lines=list_schema(object_schema(number=NUMBER, problem=TEXT, supported={"type": "boolean"})))


class LineSources(NamedTuple):
    """The sources of lines: a title, the numbered texts, and their day; `beside` is other text from which names may come.

    `replaced` are texts of memories, by id: a line that replaces one may use its values.
    """

    title: str
    texts: Mapping[int, str]
    day: date | None
    beside: str = ""
    replaced: Mapping[str, str] = {}

    def of(self, line: DistilledLine) -> list[str]:
        """All texts that a line may take its values from, sentence by sentence; empty if it names no source line."""
        named = [self.texts[number] for number in line.sources if number in self.texts]
        return [part for text in (*named, self.before(line)) for part in sentences_of(text)] if named else []

    def before(self, line: DistilledLine) -> str:
        """The text that a line replaces, of a memory or of a line of the same answer; empty if it replaces none."""
        return self.replaced.get(line.replaces, line.replaces)


def attest_lines(lines: Sequence[DistilledLine], sources: LineSources, wordings: RunIndex) -> list[JudgedLine]:
    """The lines, each with the first value or name that is not in its sources; not checked for a line that is said again."""
    wanted = {text for line in lines for text in (line.text, *sources.of(line))}
    read = wordings.take_apart(wanted) if wanted else {}
    passage = cache(lambda text: Passage(text, read_statement(read[text])))
    beside = "\n".join([sources.title, sources.beside, *sources.texts.values()]).casefold()

    def why(line: DistilledLine) -> str | None:
        if line.is_said_again and line.sources:
            return None
        try:
            passages = [passage(text) for text in sources.of(line)]
            return find_unattested(passage(line.text), passages, sources.day, beside)
        except Exception as error:  # a line that cannot be checked is not believed; the others are still checked
            return bug_in("it could not be checked", error)

    return [JudgedLine(line, why(line)) for line in lines]


def verify_lines(
    judged: Sequence[list[JudgedLine]], sources: Sequence[LineSources], models: Models, *, are_insights: bool = False
) -> list[list[JudgedLine]] | Unanswered:
    """Have the model verify the lines that the rules believe, in one call, once it has passed its trial.

    Takes lines and their sources, by piece; gives all lines, each with the reason if it is not believed. A model that fails its
    trial believes none.
    """
    asked = [one.line for of_piece in judged for one in of_piece if one.reason is None and not one.line.is_said_again]
    verdicts: dict[DistilledLine, str | None] = dict.fromkeys(asked, _UNSEEN)
    if asked := [*verdicts][:_MOST_LINES]:
        prompt = verifying_prompt(asked, sources, are_insights=are_insights)
        trial = verify_trial(is_korean=has_hangul(prompt.text))
        (tried,) = models.answer([trial.prompt])
        is_passed = not isinstance(tried, Unanswered) and trial.is_passed(tried.value)
        (answer,) = models.answer([prompt]) if is_passed else (tried,)
        if isinstance(answer, Unanswered):
            return answer
        said = problems_in(answer.value, len(asked))
        verdicts |= {line: problem if is_passed else FAILED for line, problem in zip(asked, said, strict=True)}
    return [[one._replace(reason=one.reason or verdicts.get(one.line)) for one in of_piece] for of_piece in judged]


def verifying_prompt(
    asked: Sequence[DistilledLine], sources: Sequence[LineSources], *, are_insights: bool = False
) -> Prompt:
    """The prompt to verify lines: the lines, and from each log only their source lines."""
    version, system = (OF_INSIGHTS, SYSTEM_OF_INSIGHTS) if are_insights else (VERSION, SYSTEM)
    rested_on, log = {number for line in asked for number in line.sources}, list[str]()
    for one in sources:
        named = [f"{number}| {text}" for number, text in one.texts.items() if number in rested_on]
        log += [f"# {one.title}", *named] if named else []
    lines = [f"{at}. {line.text} ({', '.join(map(str, line.sources))})" for at, line in enumerate(asked, 1)]
    before = dict.fromkeys(filter(None, (sources[0].before(line) for line in asked)))
    known = [f"Known before: {' / '.join(before)}"] if before else []
    key = "\n".join(["<log>", *log, "</log>", *lines])
    most = _TOKENS_OF_FRAME + _TOKENS_A_LINE * len(asked)
    return Prompt(version, system, "\n".join([key, *known]), SCHEMA, most, key)


def problems_in(answer: object, count: int) -> list[str | None]:
    """For each of `count` lines the reason why it is not believed; a line that the answer leaves out is not believed."""
    said = {str(one.get("number")): one for one in objects_in(answer, "lines")}
    return [_problem(said.get(str(number), {})) for number in range(1, count + 1)]


def _problem(said: Mapping[str, object]) -> str | None:
    if said.get("supported") is True:
        return None
    problem = text_in(said, "problem") or "it says more than its source lines"
    return f"the model, asked again: {problem}" if said else _UNSEEN


class VerifyTrial(NamedTuple):
    """A test for a model: lines of a log, and statements about them that are known to be true or false.

    A false statement has the words, names and values of its log line, so that no rule finds it: two people swapped,
    a wish told as done, a denial left out.
    """

    log: Sequence[str]
    lines: Sequence[tuple[int, str, bool]]
    """For each statement the number of its log line, its text, and whether it is true."""

    @property
    def prompt(self) -> Prompt:
        """What is asked."""
        lines = [DistilledLine("W", (), text, (number,)) for number, text, _ in self.lines]
        return verifying_prompt(lines, [LineSources("2026-05-01", dict(enumerate(self.log, start=1)), None)])

    def is_passed(self, answer: object) -> bool:
        """Whether an answer is right about every statement."""
        problems = problems_in(answer, len(self.lines))
        return all((problem is None) is is_so for problem, (_, _, is_so) in zip(problems, self.lines, strict=True))


@cache
def verify_trial(*, is_korean: bool) -> VerifyTrial:
    """What a model must know to verify lines in Korean, or in any other language."""
    rows = trial_rows("verify", is_korean=is_korean)
    lines = [(int(what[0]), text, what.endswith("is so")) for what, text in rows if what != "log"]
    return VerifyTrial([text for what, text in rows if what == "log"], lines)
