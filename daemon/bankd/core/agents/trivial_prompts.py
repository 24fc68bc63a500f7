"""Prompts that ask nothing of a memory: assent, thanks, "go on", commands and signs, in Korean and English."""

from __future__ import annotations

import re
import unicodedata

from bankd.core.language.word_lists import split_words

_LONGEST = 6
"""Words of a prompt that may be nothing but assent."""
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_ENGLISH = split_words(
    "ok okay k yes yeah yep yup y no nope n sure fine good great nice perfect cool awesome thanks thank you thx ty lgtm "
    "continue go on ahead proceed next more again retry stop wait please do it that this so right correct exactly agreed "
    "done hi hello hey hmm well let's run keep going sounds looks"
)
_KOREAN = re.compile(
    r"(?:네|넵|넹|예|응|웅|음|어|엉|그래|좋|맞|알겠|알았|계속|진행|고마|고맙|감사|오케이|오키|확인|됐|아니|부탁|안녕|해|하|이제|다시|다음|그만|잠깐|멈|굿|완료|수고|그럼|그렇게|그대로)"
    r"(?:네|예|응|아|어|요|용|해|줘|주|세요|하|자|워|습니다|니다|합|입|셔|십|시|오|봐|볼까|게|고|지|죠|었|았|했|다|까|드려|려|로|써|쓰|춰|으로)*"
)


def is_trivial(prompt: str) -> bool:
    """Whether to leave a prompt alone; one that only may be trivial is not, for the floor of search judges it too."""
    text = unicodedata.normalize("NFC", prompt).strip().casefold()
    if not text or text[0] in "/!#":
        return True
    words = _WORD.findall(text)
    return len(words) <= _LONGEST and all(_says_nothing(word) for word in words)


def _says_nothing(word: str) -> bool:
    is_laughter = all("ㄱ" <= letter <= "ㅣ" for letter in word)
    return word in _ENGLISH or is_laughter or _KOREAN.fullmatch(word) is not None
