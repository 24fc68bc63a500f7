"""Which lines of a model are believed: those that their source lines support, by rules and then by asking the model again.

`attest_lines` looks for days, numbers, times, codes and names that are not in the sources. Values are compared after
normalising: 29만원 is 290,000 won, 7 p.m. is 19:00. A day matches by any meaning that it may have on the day of its log,
since people leave out the week or the month. `verify_lines` then asks the model once, for all lines, whether each says no
more than its sources. The second step can only refuse more lines. A model may verify only after it has passed a trial:
statements that are known to be true or false.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from bankd.errors import bug_in
from bankd.night import asking
from bankd.ports import Models
from bankd.same import read_statement
from bankd.words.analysis import has_hangul, is_irregular_past
from bankd.words.day_mentions import read_mentions
from bankd.words.day_rules import Grain
from bankd.words.days import Anchor, Span, on
from bankd.words.english import AUXILIARIES, EMPTY_WORDS, RELATIONS
from bankd.words.statement import Statement, TokenKind
from bankd.words.tables import split_words
from bankd.words.values import DATE_UNITS, MEASURES, UNITS, base_quantity, numerals_of

if TYPE_CHECKING:
    from bankd.app.index import RunIndex


_WEEK, _LONGEST_MONTH, _SHORTEST_MONTH = timedelta(days=7), 31, 27
_ONLY_DAY = re.compile(r"(?:on )?(?:the )?\d\d?(?:일|st|nd|rd|th)(?: ?\(?[월화수목금토일]요일\)?)?", re.IGNORECASE)
_AWAY = re.compile(r"\bin (?:a|an|one|two|three|four|\d+)\b|[후뒤]$")


class NamedDay(NamedTuple):
    """A day (or several) that a text names: as written, and its meaning on the day of the log."""

    written: str
    span: Span
    grain: Grain


def days_named_in(text: str, day: date | None) -> list[NamedDay]:
    """The days that a text names, read on the day of its log; none where that is not known."""
    if day is None:
        return []
    return [NamedDay(text[one.start : one.end], one.span, one.grain) for one in read_mentions(text, Anchor(day, 1))]


def _meanings(named: NamedDay, day: date) -> Iterator[Span]:
    """All meanings of a named day: a weekday often has no week, a day no month."""
    written, span, grain = named
    yield span
    if grain == "day":  # of a range that is named by its ends
        yield from (on(span.first), on(span.last))
    if grain == "weekday":
        yield from (Span(span.first + week, span.last + week) for week in (-_WEEK, _WEEK))
    elif grain == "day" and _ONLY_DAY.fullmatch(written):
        yield from _of_next_months(span.first.day, day)
    if _AWAY.search(written):
        yield _to_the_day(span, day)


def _to_the_day(span: Span, day: date) -> Span:
    """A named week or month as one day: the same weekday in that week, the same day of that month; a year stays a span."""
    days = (span.last - span.first).days + 1
    if days > _LONGEST_MONTH:
        return span
    ahead = (day.weekday() - span.first.weekday()) % days if days == _WEEK.days else day.day - span.first.day
    return on(min(span.first + timedelta(days=ahead), span.last))


def _of_next_months(number: int, day: date) -> Iterator[Span]:
    """That day in the month of the log, and in the months before and after."""
    for month in (day.replace(day=1) + timedelta(days=days) for days in (-1, 0, 31)):
        if number <= monthrange(month.year, month.month)[1]:
            yield on(month.replace(day=number))


_SENTENCE = re.compile(r"(?<=[.!?\u3002])(?<!\b[DMS][rst]\.)(?<!\bMrs\.)(?<!\bNo\.)(?<!\bvs\.)(?<!\bca\.)\s+")
_ITEM = re.compile(r"^(?:[-*+\u2022]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
"""List markers; before a number a hyphen would be read as its sign."""
_PASSAGES_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def sentences_of(text: str) -> list[str]:
    """The sentences of a line without end marks (so that "at 10." ends in the number 10) and without list markers."""
    said = _ITEM.sub("", text.strip())
    return [part for sentence in _SENTENCE.split(said) if (part := sentence.rstrip(" .!\u3002"))]


class Passage(NamedTuple):
    """A text taken apart: the line that is checked, or one of its source sentences."""

    text: str
    statement: Statement

    def as_written(self, value: str) -> str:
        """A value as written in the text: 29 minutes, where it is compared as 29분."""
        number = _PASSAGES_NUMBER.match(value)
        if number is None or value in self.text:
            return value
        found = re.search(rf"(?<!\d){re.escape(number[0])}(?!\.?\d)(?: ?[A-Za-z%]+)?", self.text)
        return found[0] if found else value


def is_named(name: str, text: str) -> bool:
    """Whether a text has a name as a whole word, both in lower case; a Korean particle may follow Hangul."""
    if not name.isascii():
        return squeeze_text(name) in squeeze_text(text)
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None


def squeeze_text(text: str) -> str:
    """A text without spaces, points and hyphens, which people write differently in the same name."""
    return re.sub(r"[\s'\u2019.-]+", "", text)


_DIGITS = re.compile(r"\d+")
_LEADING_NUMBER = re.compile(r"\d+(?:\.\d+)?(?!\.?\d)")
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?(?!\.?\d)")
"""A number with its fraction, but not a part of an address or of a version with two points."""
_A_ONE = re.compile(r"(?<![\d.])1(?!\.?\d)")
_EACH = re.compile(r"(?<=\D)(?:[째씩쯤당분치]|가량|짜리|어치)$|여$")
_ENGLISH_DAY = re.compile(r"(?:on |in |the )*([a-z]{3})[a-z]{2,}")
_KOREAN_WEEKDAY = re.compile(r"([월화수목금토일])요일")

_CODE = re.compile(r"[A-Za-z0-9_@~$#][\w.:/@~$%+=&?#-]*[\w/]", re.ASCII)
"""Runs of letters, digits and the marks of paths, addresses, versions and identifiers."""
_IS_CODE = re.compile(r"[a-z][A-Z]|[A-Za-z][\d_/@:]|\d[A-Za-z_/]|\w[.]\w|^[~/@#]|^\$[A-Za-z_{]|\w/\w|-\w*\d|\w_\w")
_IS_VALUE = re.compile(r"\d+[a-zA-Z]{1,2}|\d+\.\d{2}|[ap]\.m", re.IGNORECASE)
"""Digits with an ordinal ending or a unit, amounts of money, and am or pm: these are checked as values."""

_WORD = re.compile(r"[A-Za-z][\w'-]*")
_ATTACHED = re.compile(r"(?<=..)(?:용|행|짜리|가량|쯤|네|씩|이고|이며)$|(?<=..)[가는를의이]$")
"""Endings of Korean nouns that are not part of a name: Ollama용, 부산행, and a particle that was left on."""
_WRITERS = frozenset(("user", "agent", "assistant", "사용자", "에이전트", "어시스턴트"))
"""Words by which a model calls the speakers of a log, whatever their names."""
_PRONOUNS = split_words("i we you he she they me us him them his my our your their her this these those what as to all")
_NO_NAMES = RELATIONS | EMPTY_WORDS | _WRITERS | _PRONOUNS
_VERBS = (AUXILIARIES | EMPTY_WORDS) - {"to", "a", "an", "the"}
_DERIVED = re.compile(r"(?:ing|ed|ly|ment|ship|ness|tion|sion|ity|ies|ance|ence|'s)$")


def find_unattested(line: Passage, sources: Sequence[Passage], day: date | None, beside: str = "") -> str | None:
    """The first day, value, code or name of a line that none of its sources has, in words; None if all are there.

    Args:
        line: what the model wrote.
        sources: the sentences of the log that it names.
        day: of the log, by which "yesterday" is resolved; None if it has none.
        beside: what else the model was given; a name may stand there, since a
            session names somebody once and says "he" from then on.
    """
    if not sources:
        return "it names no source line in the log"
    said, days = _Said(sources, day), days_named_in(line.text, day)
    lacking = (
        *_days(days, said),
        *_values(line, days, said),
        *_codes(line, days, said, beside),
        *_names(line, days, said, beside),
    )
    return f"{lacking[0]} is not in its source lines" if lacking else None


class _Said:
    """The content of the source sentences of a line: text, words, values and days."""

    def __init__(self, sources: Sequence[Passage], day: date | None) -> None:
        texts = [source.text for source in sources]
        tokens = [token for source in sources for token in source.statement.tokens if token.kind is not TokenKind.MARK]
        values = {_strip_value(token.base) for token in tokens if token.kind is TokenKind.VALUE}
        self.day = Span(day, day) if day else None
        self.text = unicodedata.normalize("NFC", "\n".join(texts)).casefold()
        self.letters = squeeze_text(self.text)
        self.values = values | set(map(base_quantity, values))
        leading = filter(None, map(_LEADING_NUMBER.match, self.values))
        self.digits = {*_NUMBER.findall(self.text), *(found[0] for found in leading)}
        named = [one for text in texts for one in days_named_in(text, day)]
        self.spans = {span for one in named if day for span in _meanings(one, day)}

    def names(self, word: str, beside: str) -> bool:
        """Whether the sources, or what stands beside them, have a name."""
        bare = _ATTACHED.sub("", word.casefold().removesuffix("'s"))
        return is_named(bare, self.text) or is_named(bare, beside)


def _days(days: Sequence[NamedDay], said: _Said) -> Iterator[str]:
    """The days of a line that the sources do not mention; the day of the log counts as mentioned."""
    for written, span, _ in days:
        # A line may add the month of a day in the log, or the month or year of the log: that invents nothing.
        is_of_log = said.day is not None and (span == said.day or (span.last - span.first).days >= _SHORTEST_MONTH)
        known_days = (*said.spans, *([said.day] if said.day and is_of_log else ()))
        is_said = any(span.first <= known.first and known.last <= span.last for known in known_days)
        if not (is_said or written.casefold() in said.text or _is_cut_short(written.casefold(), said)):
            yield f"the day {written!r}"


def _is_cut_short(day: str, said: _Said) -> bool:
    """Whether the sources have a weekday or month in short: Tue, Jan, 화 for 화요일."""
    english, korean = _ENGLISH_DAY.fullmatch(day), _KOREAN_WEEKDAY.fullmatch(day)
    if korean:
        return re.search(rf"(?<![가-힣]){korean[1]}(?![가-힣])", said.text) is not None
    return english is not None and is_named(english[1], said.text)


def _values(line: Passage, days: Sequence[NamedDay], said: _Said) -> Iterator[str]:
    written = {part for named in days for part in named.written.lower().split()}
    numbers = {run.lstrip("0") for part in written for run in _DIGITS.findall(part)}
    resolved = {str(part) for named in days for part in (named.span.first.month, named.span.first.year)}
    in_days = written | numbers | resolved  # these are checked as days
    tokens = line.statement.tokens
    for at, token in enumerate(tokens):
        behind = tokens[at + 1].base if at + 1 < len(tokens) else ""
        if token.kind is TokenKind.VALUE and not _is_said(_strip_value(token.base), behind, line, in_days, said):
            yield f"the value {line.as_written(token.base)}"


def _strip_value(value: str) -> str:
    """A value without endings such as "for" or "each": 3년째, 100원씩, 3일분."""
    return _EACH.sub("", value)


def _is_said(value: str, behind: str, line: Passage, in_days: Set[str], said: _Said) -> bool:
    runs = _DIGITS.findall(value)
    if not runs:  # a word of time
        return value in said.text or all(any(part in one for one in in_days) for part in value.split())
    is_day = value in in_days or {run.lstrip("0") for run in runs} <= in_days
    if is_day or base_quantity(value) in said.values:
        return True
    if value.endswith(":00"):  # said without its minutes, in figures or in words
        hour = int(runs[0])
        return str(hour) in said.values or any(is_named(one, said.text) for one in (*numerals_of(hour), str(hour)))
    found = _LEADING_NUMBER.match(value)
    if found is None or _DIGITS.search(value[found.end() :]):
        return False
    return _is_amount_said(found[0], value[found.end() :], behind, line, said)


def _is_amount_said(number: str, unit: str, behind: str, line: Passage, said: _Said) -> bool:
    """Whether the sources have a number with its unit in another way: in words, without the unit, or won in short."""
    is_one = number == "1" and unit not in MEASURES | DATE_UNITS and not _A_ONE.search(line.text)
    is_bare = number in said.digits and (not unit or number in said.values)  # 8080 for 8080번; not 3 days for 3 hours
    is_of_myriads = number.endswith("0000") and "만" in said.text and number[:-4] in said.digits
    is_money = unit == "원" and (number in said.digits or is_of_myriads)
    counted = unit or behind
    spelt = (counted, *(written for written, name in UNITS.items() if name == counted))
    forms = [form + one for form in (numerals_of(int(number)) if number.isdecimal() else ()) for one in spelt]
    is_in_words = f"{number}{counted}" in said.values or any(form in said.letters for form in forms)
    return is_one or is_bare or is_money or is_in_words


def _codes(line: Passage, days: Sequence[NamedDay], said: _Said, beside: str) -> Iterator[str]:
    of_days = " ".join(named.written for named in days)
    for code in _codes_of(line):
        bare = re.sub(r"^v(?=\d)|(?<=\d)s$|'s$", "", code.lower().removeprefix("@"))
        is_name = code.isalpha() and said.names(code, beside)  # one with digits has a value in it
        is_other = bare in said.values or is_name
        if not is_other and code not in of_days and bare not in said.text:
            yield code


def _codes_of(line: Passage, *, and_values: bool = False) -> list[str]:
    found = (run.strip(".:,-") for run in _CODE.findall(line.text))
    return [code for code in found if _IS_CODE.search(code) and (and_values or not _IS_VALUE.fullmatch(code))]


def _names(line: Passage, days: Sequence[NamedDay], said: _Said, beside: str) -> Iterator[str]:
    in_days = squeeze_text(" ".join(named.written for named in days)).casefold()
    for name in _named_in(line):
        if not said.names(name, beside) and name.casefold() not in in_days:
            yield f"the name {name}"


def _named_in(line: Passage) -> Iterator[str]:
    """The names that the analyser finds, and the first word of an English line if somebody's action follows."""
    codes, tokens = " ".join(_codes_of(line, and_values=True)).casefold(), line.statement.tokens
    for token in tokens:
        name = token.base.casefold()
        if token.kind is TokenKind.NAME and len(name) > 1 and name not in codes and name not in _WRITERS:
            yield name
    words = _WORD.findall(line.text)
    is_number = bool(tokens) and tokens[0].kind is TokenKind.VALUE  # Five hours went
    if len(words) > 1 and line.text.startswith(words[0]) and not is_number and _is_doer(*words[:2]):
        yield words[0]


def _is_doer(word: str, after: str) -> bool:
    """Whether an English word may name somebody: it has no ending of other words, and an action follows."""
    is_other = word.lower() in _NO_NAMES or _DERIVED.search(word) or is_irregular_past(word.lower())
    is_verb = (after.islower() and after.endswith(("s", "ed")) and len(after) > 3) or is_irregular_past(after)
    return word[0].isupper() and not is_other and (is_verb or after in _VERBS)


VERSION, OF_INSIGHTS = "verify-3", "verify-insight-3"
_TOKENS_A_LINE, _TOKENS_OF_FRAME, _MOST_LINES = 50, 100, 120
"""Of an answer, and lines that one call is asked about; a model that wrote more in one answer is not believed in the rest."""
MOST_TOKENS, LONGEST = _TOKENS_OF_FRAME + _TOKENS_A_LINE * _MOST_LINES, asking.LONGEST_LINE * _MOST_LINES
"""The most tokens of an answer, and the most letters of the lines in a question."""
_UNSEEN = "the model, asked again, left it out"
FAILED = "the model failed its trial: it judged known lines wrongly"

SYSTEM = asking.prompt_text("verify.txt")
SYSTEM_OF_INSIGHTS = f"{SYSTEM}\n\n{asking.prompt_text('verify_insights.txt')}"

_VERDICT = asking.object_schema(number=asking.NUMBER, problem=asking.TEXT, supported={"type": "boolean"})
SCHEMA = asking.object_schema(lines=asking.list_schema(_VERDICT))


class LineSources(NamedTuple):
    """The sources of lines: a title, the numbered texts, and their day; `beside` is other text from which names may come.

    `replaced` are texts of memories, by id: a line that replaces one may use its values.
    """

    title: str
    texts: Mapping[int, str]
    day: date | None
    beside: str = ""
    replaced: Mapping[str, str] = {}

    def of(self, line: asking.DistilledLine) -> list[str]:
        """All texts that a line may take its values from, sentence by sentence; empty if it names no source line."""
        named = [self.texts[number] for number in line.sources if number in self.texts]
        return [part for text in (*named, self.before(line)) for part in sentences_of(text)] if named else []

    def before(self, line: asking.DistilledLine) -> str:
        """The text that a line replaces, of a memory or of a line of the same answer; empty if it replaces none."""
        return self.replaced.get(line.replaces, line.replaces)


def attest_lines(
    lines: Sequence[asking.DistilledLine], sources: LineSources, wordings: RunIndex
) -> list[asking.JudgedLine]:
    """The lines, each with the first value or name that is not in its sources; not checked for a line that is said again."""
    wanted = {text for line in lines for text in (line.text, *sources.of(line))}
    read = wordings.take_apart(wanted) if wanted else {}
    passage = cache(lambda text: Passage(text, read_statement(read[text])))
    beside = "\n".join([sources.title, sources.beside, *sources.texts.values()]).casefold()

    def why(line: asking.DistilledLine) -> str | None:
        if line.is_said_again and line.sources:
            return None
        try:
            passages = [passage(text) for text in sources.of(line)]
            return find_unattested(passage(line.text), passages, sources.day, beside)
        except Exception as error:  # a line that cannot be checked is not believed; the others are still checked
            return bug_in("it could not be checked", error)

    return [asking.JudgedLine(line, why(line)) for line in lines]


def verify_lines(
    judged: Sequence[list[asking.JudgedLine]],
    sources: Sequence[LineSources],
    models: Models,
    *,
    are_insights: bool = False,
) -> list[list[asking.JudgedLine]] | asking.Unanswered:
    """Have the model verify the lines that the rules believe, in one call, once it has passed its trial.

    Takes lines and their sources, by piece; gives all lines, each with the reason if it is not believed. A model that fails its
    trial believes none.
    """
    asked = [one.line for of_piece in judged for one in of_piece if one.reason is None and not one.line.is_said_again]
    verdicts: dict[asking.DistilledLine, str | None] = dict.fromkeys(asked, _UNSEEN)
    if asked := [*verdicts][:_MOST_LINES]:
        prompt = verifying_prompt(asked, sources, are_insights=are_insights)
        trial = verify_trial(is_korean=has_hangul(prompt.text))
        (tried,) = models.answer([trial.prompt])
        is_passed = not isinstance(tried, asking.Unanswered) and trial.is_passed(tried.value)
        (answer,) = models.answer([prompt]) if is_passed else (tried,)
        if isinstance(answer, asking.Unanswered):
            return answer
        said = problems_in(answer.value, len(asked))
        verdicts |= {line: problem if is_passed else FAILED for line, problem in zip(asked, said, strict=True)}
    return [[one._replace(reason=one.reason or verdicts.get(one.line)) for one in of_piece] for of_piece in judged]


def verifying_prompt(
    asked: Sequence[asking.DistilledLine], sources: Sequence[LineSources], *, are_insights: bool = False
) -> asking.Prompt:
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
    return asking.Prompt(version, system, "\n".join([key, *known]), SCHEMA, most, key)


def problems_in(answer: object, count: int) -> list[str | None]:
    """For each of `count` lines the reason why it is not believed; a line that the answer leaves out is not believed."""
    said = {str(one.get("number")): one for one in asking.objects_in(answer, "lines")}
    return [_problem(said.get(str(number), {})) for number in range(1, count + 1)]


def _problem(said: Mapping[str, object]) -> str | None:
    if said.get("supported") is True:
        return None
    problem = asking.text_in(said, "problem") or "it says more than its source lines"
    return f"the model, asked again: {problem}" if said else _UNSEEN


@cache
def verify_trial(*, is_korean: bool) -> asking.Trial:
    """What a model must know to verify lines in Korean, or in any other language.

    A false statement has the words, names and values of its log line, so that no rule finds it: two people swapped,
    a wish told as done, a denial left out.
    """
    rows = asking.trial_rows("verify", is_korean=is_korean)
    log = dict(enumerate((text for what, text in rows if what == "log"), start=1))
    lines = [(asking.DistilledLine("W", (), text, (int(what[0]),)), what) for what, text in rows if what != "log"]
    are_so = [what.endswith("is so") for _, what in lines]
    prompt = verifying_prompt([line for line, _ in lines], [LineSources("2026-05-01", log, None)])
    return asking.Trial(prompt, lambda answer: [one is None for one in problems_in(answer, len(lines))] == are_so)
