"""What in the prose of a log asks to be remembered, as tagged lines that a person may let in: rules, and no model.

A proposed line stands in `memory/proposed/DAY.md` with its source and the reason; it is taken in when that note at its end
is taken off, and until then the inbox names it. What was proposed once is not proposed again, whatever became of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from hashlib import sha256
from typing import NamedTuple

from bankd.core.distil.sections import ProseSection
from bankd.core.distil.speech_acts import SpeechAct, read_act
from bankd.core.language.analysis import has_hangul
from bankd.core.language.wording import Wording

FOLDER = "proposed"
"""Below `memory/`: the lines that were proposed. Nothing is proposed or distilled from them."""
_KEYS = re.compile(r"^<!-- offered ([0-9a-f]{12}) -->$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?\u3002])\s+")
_FRAME = re.compile(
    r"^(?:[>\s]|[-*+] |\[[ xX]\] |\d{1,3}[.)] )*(?:\*\*[^*]{1,30}\*\*:? |(?:User|Assistant|Human|나|사용자|유저): )?"
)
"""What stands before what was said: quotation, the mark of an item, who says it."""
_ASKING = re.compile(
    r"^(?:please )?(?:remember|keep in mind|note|don['’]t forget)(?: that|:|,)? (?!to )", re.IGNORECASE
)
_SHORTEST, _LONGEST = 3, 300
"""Words at least, or as many Hangul words less one, and characters at most, of what can be understood by itself."""
_TAGS = {SpeechAct.PREFERENCE: "O", SpeechAct.COMMITMENT: "B", SpeechAct.RULE: "B"}
_OF_MACHINES = frozenset({SpeechAct.COMMITMENT})
"""What an assistant says may bind it; what it advises, likes or decides about its work is no memory of anybody."""
_SPEAKER = re.compile(r"\d\d:\d\d (?P<speaker>\w+)")


class SaidSentence(NamedTuple):
    """A sentence of a log, where it stands, and who says it, where the log tells: user, assistant, tool."""

    text: str
    log: str
    line: int
    speaker: str
    beside: str
    """The sentence after it on its line, else the one before it; empty where it stands alone."""


class Proposal(NamedTuple):
    """A line that somebody may want remembered: its tag and text, its source, and what it does."""

    tag: str
    text: str
    log: str
    line: int
    act: SpeechAct

    @property
    def key(self) -> str:
        """What it is known by once it was proposed, wherever it was said."""
        return sha256(" ".join(self.text.casefold().split()).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def sentences_said(sections: Iterable[ProseSection]) -> Iterator[SaidSentence]:
    """The sentences of prose, without those of tools and what is too long to be one."""
    for section in sections:
        found = _SPEAKER.fullmatch(section.heading)
        speaker = found["speaker"] if found else ""
        for number, line in section.lines if speaker != "tool" else ():
            parts = [part.strip() for part in _SENTENCE.split(line[_FRAME.match(line).end() :])]  # type: ignore[union-attr]  # it matches nothing too
            for at, text in enumerate(parts):
                beside = parts[at + 1] if at + 1 < len(parts) else parts[at - 1] if at else ""
                if text and len(text) <= _LONGEST:
                    yield SaidSentence(text, section.log, number, speaker, beside)


def propose(said: Sequence[SaidSentence], wordings: Mapping[str, Wording], known: Set[str]) -> list[Proposal]:
    """What of this asks to be remembered, each once and none whose key is known; `wordings` has each text."""
    found = {one.key: one for sentence in said for one in _proposals(sentence, wordings[sentence.text])}
    return [one for key, one in found.items() if key not in known]


def _proposals(said: SaidSentence, wording: Wording) -> Iterator[Proposal]:
    is_korean = has_hangul(said.text)
    act = read_act(wording, is_korean=is_korean)
    if act is None or (said.speaker == "assistant" and act not in _OF_MACHINES):
        return
    text = said.text
    if act is SpeechAct.REMEMBER:
        text = _ASKING.sub("", text)
        text = said.beside if _is_short(text) else text
    if text and not _is_short(text) and len(text) <= _LONGEST:
        yield Proposal(_TAGS.get(act, "W"), text.strip(), said.log, said.line, act)


def _is_short(text: str) -> bool:
    return len(text.split()) < _SHORTEST - has_hangul(text)


def proposed_keys(text: str) -> set[str]:
    """The keys of what a log of proposals has, or had, the lines of."""
    return set(_KEYS.findall(text))


def compose_proposals(proposals: Sequence[Proposal], day: str, *, is_new: bool) -> str:
    """The text that is put at the end of the log of proposals of a day."""
    opening = f"# {day}, proposed\n\n## Retain\n" if is_new else ""
    return "\n".join(
        [opening, *map(_as_line, proposals), "", *(f"<!-- offered {one.key} -->" for one in proposals), ""]
    )


def _as_line(one: Proposal) -> str:
    source = f"memory/{one.log}:{one.line}".replace("--", "- -")
    text = one.text.replace("<!--", "").replace("-->", "")
    return f"- {one.tag}: {text} <!-- source: {source} --> <!-- proposed: it {one.act} -->"
