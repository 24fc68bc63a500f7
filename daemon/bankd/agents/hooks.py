"""What each hook of an agent's session does: recall memories for a prompt, ask for notes, hand over a transcript.

Also which prompts need no memory: assent, thanks, "go on", commands and signs, in Korean and English. Errors
are raised; the caller (`cli.hook`) swallows them, because a session must never break because of the bank.
"""

from __future__ import annotations

from contextlib import suppress

from bankd.errors import BankError
from bankd.words.tables import split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Any

    from bankd.wiring.reader import BankReader

RECALL_TOKENS = 600
START_TOKENS = 500
_TAKING_IN = "(What was said since the last run is being taken in now, and is found in a while.)"
_MARGIN = 1.1
"""A memory must reach this many times the floor before a model sees it unasked.

Chosen on three sets of `bench.lives` and its preferences, as the rule that speaks most and is silent at .9 of the prompts that no note is
about. On the other three sets it is silent at .95 and speaks at .89 of the questions (195 prompts and 36 questions).
"""
_LOGS_SHARE = 0.24
"""Where the bank has nothing, passages of sessions are told that have this share of the prompt's words, or with vectors what a memory must have."""


def answer_hook(event: str, said: Mapping[str, Any], bank: BankReader) -> str:
    """The context that an event adds to a session; empty if there is nothing to say, or the settings cannot be used.

    A transcript is handed over in any case: the next run that can reads it.
    """
    handler = _EVENTS.get(event)
    return handler(said, bank) if handler else ""


def _recall(said: Mapping[str, Any], bank: BankReader) -> str:
    """What a prompt is clearly about and this session has not seen, and the line that asks for notes, if it is due."""
    from bankd.briefing.recalled import strip_memories

    prompt = strip_memories(str(said.get("prompt") or ""))[:500]  # what is longer is mostly pasted
    if is_trivial(prompt) or bank.is_broken():
        return ""
    session, told = str(said.get("session_id") or ""), ""
    # A bank that no run has read has nothing to tell; notes are asked for all the same.
    with suppress(BankError, OSError):
        hits = _find(prompt, session, bank.project_of(str(said.get("cwd") or "")), bank)
        told = _tell_new(hits, session, bank, bank.now()) if hits else ""
    return told + ("" if said.get("unattended") or not session else _count_turn(prompt, session, bank))


def _find(prompt: str, session: str, project: str, bank: BankReader) -> list[Mapping[str, Any]]:
    """The memories that a prompt is clearly about, else what was said in other sessions of the project and not noted."""
    asked = {"query": prompt, "limit": 3, "margin": _MARGIN, "project": project}
    found = bank.recall(asked)["hits"]
    starts = (f"^{hit['id']}" if hit.get("id") else str(hit["text"]).partition("\n")[0] for hit in found)
    # The index may be older than a deletion.
    if hits := [hit for hit, start in zip(found, starts, strict=True) if bank.holds(str(hit["path"]), start)]:
        return hits
    import re

    own = "-" + re.sub(r"\W|_", "", session)[-8:] + ".md"
    found = (hit for hit in bank.recall({**asked, "limit": 4}, "logs")["hits"] if _is_clear(hit))
    others = ((hit, str(hit["path"])) for hit in found if not str(hit["path"]).endswith(own))
    return [hit for hit, path in others if not project or bank.project_of_log(path) in {"", project}][:2]


def _count_turn(prompt: str, session: str, bank: BankReader) -> str:
    """Count a turn that tells something; the line that asks for notes, if it is due."""
    from bankd.agents.asking import line_due, mark_of_turn, reader_of, tells_something
    from bankd.briefing.shown import add_shown

    if not tells_something(prompt):
        return ""
    now, reader = bank.now(), reader_of(session)
    shown = add_shown(bank.shown(), reader, [mark_of_turn(prompt)], now)
    due = line_due(shown, session, bank.last_noted(now))
    if due and not bank.settings().agents.ask_for_notes:
        due = None
    bank.remember_shown(add_shown(shown, reader, [due.mark], now) if due else shown)
    return f"{due.words}\n" if due else ""


def _stop(said: Mapping[str, Any], bank: BankReader) -> str:
    """What an agent is asked for instead of stopping; empty if it may stop."""
    from bankd.agents.asking import block_due, reader_of
    from bankd.briefing.shown import add_shown

    session, shown = str(said.get("session_id") or ""), bank.shown()
    if said.get("unattended") or said.get("stop_hook_active") or reader_of(session) not in shown or bank.is_broken():
        return ""
    now = bank.now()
    due = block_due(shown, session, bank.last_noted(now))
    if due is None or not bank.settings().agents.ask_for_notes:
        return ""
    bank.remember_shown(add_shown(shown, reader_of(session), [due.mark], now))
    return due.words


def _is_clear(hit: Mapping[str, Any]) -> bool:
    """Whether a prompt is clearly about a passage of a log that is not a kept line; a kept line is told as its memory."""
    is_near = "meaning" in hit["parts"] or hit["parts"].get("asked", 0.0) >= _LOGS_SHARE
    return hit.get("became") in {None, "", "not taken in"} and is_near


def _tell_new(hits: list[Mapping[str, Any]], session: str, bank: BankReader, now: datetime) -> str:
    """The hits that this session was not told within a day, as many as fit; they are noted as shown."""
    from bankd.briefing.recalled import tell_hits, wrap_memories
    from bankd.briefing.shown import add_shown, is_shown, lines_within, mark_of

    shown = bank.shown()
    told = tell_hits(hits, lambda: bank.brief_facts(now), bank.read_file, unasked=True)
    fresh = [(mark, line) for key, line in told if not is_shown(shown, session, mark := mark_of(key, line), now)]
    lines = lines_within([f"- {line}" for _, line in fresh], RECALL_TOKENS)
    if not lines:
        return ""
    bank.remember_shown(add_shown(shown, session, [mark for mark, _ in fresh[: len(lines)]], now))
    return wrap_memories("\n".join(lines))


def _begin(said: Mapping[str, Any], bank: BankReader) -> str:
    """The briefings at a session's start."""
    from bankd.agents.briefs import USER_SESSIONS, brief_reader, modes_for_start
    from bankd.briefing.recalled import wrap_memories
    from bankd.briefing.shown import count_tokens, lines_within

    if bank.is_broken():
        return ""
    project = bank.project_of(str(said.get("cwd") or ""))
    folder, now = (project or str(said.get("cwd") or "")).rstrip("/").rpartition("/")[2], bank.now()
    modes = modes_for_start(str(said.get("source") or ""), bank.shown(), now, has_subject=bool(folder))
    readers = (str(said.get("session_id") or ""), USER_SESSIONS)
    made = brief_reader(modes, bank, now, readers, (folder,) if folder else (), project)
    lines = [line for one in made if one.items for line in (f"{one.mode}:", *one.text.splitlines())]
    lines = lines_within(lines, START_TOKENS - count_tokens(wrap_memories(_TAKING_IN)))
    has_begun = 0
    with suppress(BankError, OSError):  # the briefing is worth more
        has_begun = bank.begin_run()
    if has_begun:
        lines.append(_TAKING_IN)
    return wrap_memories("\n".join(lines)) if lines else ""


def _hand_over(said: Mapping[str, Any], bank: BankReader) -> str:
    """Hand the transcript over to the next run."""
    if transcript := said.get("transcript_path"):
        bank.hand_over(str(transcript))
    return ""


_EVENTS: Mapping[str, Callable[[Mapping[str, Any], BankReader], str]] = {
    "SessionStart": _begin,
    "UserPromptSubmit": _recall,
    "Stop": _stop,
    "PreCompact": _hand_over,
    "SessionEnd": _hand_over,
}


_WORD = r"[^\W\d_]+(?:'[a-z]+)?"
_ENGLISH = split_words(
    "ok okay k yes yeah yep yup y no nope n sure fine good great nice perfect cool awesome thanks thank you thx ty lgtm "
    "continue go on ahead proceed next more again retry stop wait please do it that this so right correct exactly agreed "
    "done hi hello hey hmm well let's run keep going sounds looks"
)
_KOREAN = (
    r"(?:네|넵|넹|예|응|웅|음|어|엉|그래|좋|맞|알겠|알았|계속|진행|고마|고맙|감사|오케이|오키|확인|됐|아니|부탁|안녕|해|하|이제|다시|다음|그만|잠깐|멈|굿|완료|수고|그럼|그렇게|그대로)"
    r"(?:네|예|응|아|어|요|용|해|줘|주|세요|하|자|워|습니다|니다|합|입|셔|십|시|오|봐|볼까|게|고|지|죠|었|았|했|다|까|드려|려|로|써|쓰|춰|으로)*"
)


def is_trivial(prompt: str) -> bool:
    """Whether a prompt asks nothing: at most six words, all of assent and the like. The floor of search judges the rest."""
    import re
    import unicodedata

    text = unicodedata.normalize("NFC", prompt).strip().casefold()
    if not text or text[0] in "/!#":
        return True
    words = re.findall(_WORD, text)
    return len(words) <= 6 and all(
        word in _ENGLISH
        or re.fullmatch(_KOREAN, word)
        or all("ㄱ" <= letter <= "ㅣ" for letter in word)  # ㅋㅋㅋ is laughter
        for word in words
    )
