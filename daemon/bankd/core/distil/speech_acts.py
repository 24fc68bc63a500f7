"""What somebody does by saying a sentence: asks to remember, decides, rules, prefers, corrects, promises.

Korean is read by its morphemes, since its endings say it (하기로, -지 마, -ㄹ게, 아니라); English, which nothing takes apart,
by where in its clause a verb stands: "Never push to main" is a rule, "it never returns" is none.
"""

from __future__ import annotations

import re
from enum import StrEnum

from bankd.core.language.wording import Wording


class SpeechAct(StrEnum):
    """What a sentence does, in words for people."""

    REMEMBER = "asks to be remembered"
    RULE = "says what is always or from now on to be done"
    DECISION = "says what was decided"
    CORRECTION = "corrects something"
    PREFERENCE = "says what somebody prefers"
    COMMITMENT = "promises something by a day"


_SAY = r"(?:기억|메모|명심|유념|기록)/NNG (?:을/JKO |를/JKO )?하/\S+ "
_DO = r"(?:(?:어|아|여)야/EC (?:하|되)/\S+|지/EC 말/\S+|(?:으|)면/EC (?:안/MAG 되|안되)/\S+|도록/E[CF]"
_TOLD = r"(?:어라|아라|라|자|으?세요|으?시어요|(?:ᆸ|읍)시다|(?:으|)십시오)/E[CF]|(?:어|아|여)/EC (?:주|두|놓)/\S+|(?:ᆯ|을)/ETM (?:것|거)/NNB(?: (?:\.|!)/SF)? ?$|기/ETN ?$"
_BARE = r"(?:어|아|여)(?:요)?/EF"
_PRESENT = r"(?:ᆫ다|는다|ᆸ니다|습니다|어|아|어요|아요)/EF"
_DIRECTIVE = rf"{_DO}|{_TOLD})"
_NOW_ON = (
    r"(?:(?:앞/NNG 으로/JKB|앞으로/MAG)|(?:이제|다음|지금|오늘|내일)/\S+ (?:번/\S+ )?(?:부터|부터는)/JX|이제부터/MAG)"
)
_EVER = r"(?:항상|늘|언제나|절대|절대로|반드시|무조건|꼭|매번)/MAG"
_ME = r"(?:^| )(?:나|저|내|제|우리|저희)/N\S+ "
_LIKING = r"(?:좋|싫|편하|낫)/VA\S*|(?:좋아하|싫어하|꺼리)/VV\S*|낫/VV\S*"
_PROMISE = r"(?:(?:ᆯ|을)게(?:요)?/EF|겠/EP (?:습니다|어요|다|어)/EF|(?:ᆯ|을)/ETM (?:것|거)/NNB)"

_KOREAN: tuple[tuple[SpeechAct, re.Pattern[str]], ...] = tuple(
    (act, re.compile(pattern))
    for act, pattern in (
        (SpeechAct.REMEMBER, rf"{_SAY}(?!었/|았/|지/|고/EC (?:있|싶)|ᆫ|는|ᆯ|면|기/)|(?:잊|까먹)/VV\S* (?:어/EC 버리/\S+ )?지/EC 말/"),
        (SpeechAct.REMEMBER, r"(?:외우|적|새기)/VV\S* (?:어|아)/EC (?:두|놓)/VX (?:어|아|자|시|라)"),
        (SpeechAct.DECISION, r"기/ETN 로/JKB (?:하|정하|결정|합의|약속|확정)"),
        (SpeechAct.DECISION, r"(?:결정|확정|합의|채택|선정)/NNG (?:을/JKO |를/JKO )?(?:하|되|나|보)/\S+ (?:었|았)/EP|(?:^| )정하/VV\S* (?:었|았)/EP"),
        (SpeechAct.DECISION, r"로/JKB 가/VV\S* (?:자|기로|ᆸ시다)/E"),
        (SpeechAct.RULE, rf"{_NOW_ON} .*(?:{_DIRECTIVE}|{_PRESENT})"),
        (SpeechAct.RULE, rf"{_EVER} .*(?:{_DIRECTIVE})"),
        (SpeechAct.RULE, rf"^ ?(?!.*(?:은|는)/JX|.*(?:이|가)/JKS){_EVER} .*{_BARE}"),
        (SpeechAct.RULE, rf"{_ME}.*{_EVER} .*{_PRESENT}"),
        (SpeechAct.CORRECTION, r"(?:이|가)/J\S+ 아니/VCN (?:라|고|라서|구)/EC .*(?:이/VCP|/VV|/XSV|/VA)"),
        (SpeechAct.CORRECTION, r"(?:정정|오타|착오)/NNG .*(?:이/VCP|로/JKB|하/XSV)|(?:잘못|틀리게)/MAG (?:말|알|적|쓰|알리)\S* .*(?:이/VCP|로/JKB)"),
        (SpeechAct.CORRECTION, r"^ ?(?:아니|아뇨|아니요|아냐)/IC .*(?:이/VCP)"),
        (SpeechAct.CORRECTION, rf"말/VV\S* 고/EC .*(?:{_DIRECTIVE}|{_BARE})"),
        (SpeechAct.PREFERENCE, r"선호/NNG (?:를/JKO )?하/XSV"),
        (SpeechAct.PREFERENCE, rf"(?:보다/JKB |쪽/NNB 이/JKS |더/MAG |편/NNB 이/JKS ).*(?:{_LIKING})"),
        (SpeechAct.PREFERENCE, rf"{_ME}.*(?:{_LIKING}|싫/VA 어/EC 하)"),
        (SpeechAct.COMMITMENT, rf"까지/JX .*{_PROMISE}"),
    )
)  # fmt: skip
_ASKS_KOREAN = re.compile(r"\?/SF|(?:까|나요|니|ᆫ가|는가|ᆫ가요|는가요|을까|ᆯ까요?|냐)/EF[^/]*$")
_SUPPOSES = re.compile(r"(?:었|았)/EP (?:다면|으면|더라면)/EC|(?:는지|ᆫ지|은지|을지|ᆯ지)/EC")

_LEAD = r"^(?:(?:please|also|and|but|so|ok(?:ay)?|then|well|oh|btw|hey|no|yes|note),?[ :]+|\w+[,:] )?"
_SOMEBODY = r"(?:i|we|you|he|she|they|the (?:team|user)|[A-Z]\w+)"
_BASE_VERB = r"(?!(?:is|was|are|were|been|be able|had|has|the|a|an|in|on|at|mind|again|ever|before|\w+ed|kn[eo]w|th(?:ink|ought)|forg[eo]t|wonder|remember)\b)[a-z]+\b"
_ENGLISH: tuple[tuple[SpeechAct, re.Pattern[str]], ...] = tuple(
    (act, re.compile(pattern, re.IGNORECASE))
    for act, pattern in (
        (SpeechAct.REMEMBER, rf"{_LEAD}(?:(?:can|could) you )?(?:remember|memori[sz]e|keep in mind|bear in mind|(?:take|make a) note|do(?:n['’]t| not) forget|note that|for the record)\b"),
        (SpeechAct.DECISION, rf"\b{_SOMEBODY}(?:['’]ve| have| has|['’]re)? (?:finally |just |all )?(?:decided|agreed|settled on|opted|chose|picked|(?:are )?going with)\b(?! (?:not sure|if|whether))"),
        (SpeechAct.DECISION, r"^(?:decision|decided|agreed)\b ?[:\-–]|\b(?:was|were|is|it's) (?:decided|agreed|settled)\b|\blet['’]s (?:go with|stick (?:with|to)|settle on|switch to|standardi[sz]e on)\b|\bwe(?:['’]ll| will) (?:go with|stick with|use|switch to)\b"),
        (SpeechAct.RULE, r"\b(?:from now on|going forward|from here on|from today|henceforth|starting (?:today|now|next week|tomorrow)|in future|as of (?:today|now))\b"),
        (SpeechAct.RULE, rf"{_LEAD}(?:you (?:should|must|need to) |we (?:should|must) |make sure (?:to|you) )?(?:always|never|do(?:n['’]t| not) ever) {_BASE_VERB}"),
        (SpeechAct.RULE, rf"\b(?:i|we|you) (?:(?:should|must) )?(?:always|never) {_BASE_VERB}"),
        (SpeechAct.CORRECTION, r"^(?:(?:oh|sorry|no),? )*(?:correction|actually|i meant|my mistake|scratch that|that['’]s wrong|that is wrong|no, (?:it|the|that|we|i|my))\b"),
        (SpeechAct.CORRECTION, r"\b(?:is|was|are|uses?|runs?)(?:n['’]t| not) [^,;.]{1,40}[,;] (?:but |it['’]s |it (?:is|was) |they['’]re )|\b(?:is|are|it's) [^,;.]{1,40}, not (?!only|just|sure)\b"),
        (SpeechAct.PREFERENCE, rf"\b{_SOMEBODY}(?:['’]d| would)? (?:\w+ly )?(?:prefers?|favou?rs?|rather|likes? [^,.]{{1,40}} (?:better|more)|(?:hates?|loves?|dislikes?|can['’]t stand|likes?|enjoys?) (?!to know|to see|it\b|this\b|that\b|these\b|those\b|how\b))\b"),
        (SpeechAct.PREFERENCE, r"\bmy (?:preference|favou?rite)\b"),
        (SpeechAct.COMMITMENT, rf"\b(?:i|we|{_SOMEBODY})(?:['’]ll| will| promised? to| am going to|['’]m going to| committed to) .*\b(?:by|before|until|on) (?:\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|tomorrow|tonight|noon|next|the end|end of)"),
    )
)  # fmt: skip
_ASKS_ENGLISH = re.compile(r"\?\W*$")
_SUPPOSES_ENGLISH = re.compile(
    r"^(?:if|when|unless|maybe|perhaps)\b|\b(?:i|we) (?:would have|could have)\b|\b(?:nothing|nobody|no one)\b",
    re.IGNORECASE,
)

_TODAY = re.compile(r"\b(?:today|tonight)\b|오늘/", re.IGNORECASE)
"""What is done by tonight is no memory."""


def read_act(wording: Wording, *, is_korean: bool) -> SpeechAct | None:
    """What a sentence does; None where it only says something, asks or supposes."""
    if is_korean:
        said = " ".join(f"{form}/{tag}" for form, tag in wording.morphemes)
        asks, frames, supposes = _ASKS_KOREAN, _KOREAN, _SUPPOSES
    else:
        said, asks, frames, supposes = wording.text.strip(), _ASKS_ENGLISH, _ENGLISH, _SUPPOSES_ENGLISH
    found = next((act for act, pattern in frames if pattern.search(said)), None)
    if found is SpeechAct.COMMITMENT and _TODAY.search(said):
        return None
    if (
        found is None
        or (found is not SpeechAct.RULE and supposes.search(said))
        or (asks.search(said) and found is not SpeechAct.REMEMBER)
    ):
        return None
    return found if found is not SpeechAct.REMEMBER or not is_korean or not asks.search(said) else None
