"""Changes of one value in a real memory: a number, date, unit, negation, name or word of polarity.

Each is made on the text itself, so that it is what a hand would have written; chance is the seeded `Random` given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from kiwipiepy import Kiwi

from bench.rewordings import last_ending, morphemes_of

Change = Callable[[str, Random], str | None]

_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?")
_COUNTED = re.compile(r"(?:(?<=\s)|^)(두|세|네|다섯|여섯|일곱|여덟|아홉|열)(?= ?(?:번|명|개|시|마리|가지|살|달|권|대))")
_COUNTS = ["두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"]
_ENGLISH_COUNTS = [["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"]]
_KOREAN_TIMES = [
    [day + "요일" for day in "월화수목금토일"],
    ["어제", "오늘", "내일", "모레"],
    ["작년", "올해", "내년"],
    ["매일", "매주", "매월", "매년"],
    ["오전", "오후"],
    ["봄", "여름", "가을", "겨울"],
]
_ENGLISH_TIMES = [
    ["January", "February", "March", "April", "June", "July", "August", "September", "October", "November", "December"],
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    ["yesterday", "today", "tomorrow"],
    ["last week", "next week", "this week"],
    ["last year", "next year", "this year"],
    ["last month", "next month", "this month"],
    ["morning", "evening", "afternoon"],
    ["summer", "winter", "spring"],
]
_UNITS = [
    ["km", "m", "miles", "마일"],
    ["원", "달러", "엔", "유로"],
    ["명", "마리", "개", "대"],
    ["시간", "분", "초"],
    ["cm", "mm"],
    ["kg", "g"],
    ["hours", "minutes", "days", "weeks", "months", "years"],
    ["dollars", "euros"],
]
_KOREAN_NAMES = [
    "서울",
    "부산",
    "대구",
    "도쿄",
    "파리",
    "베를린",
    "뉴욕",
    "삼성",
    "구글",
    "애플",
    "카카오",
    "네이버",
    "일본",
    "중국",
    "미국",
    "독일",
]
_ENGLISH_NAMES = [
    "Seattle",
    "Boston",
    "Paris",
    "London",
    "Rome",
    "Tokyo",
    "Google",
    "Apple",
    "Microsoft",
    "Toyota",
    "Berlin",
    "Madrid",
]
_POLAR = [
    ("좋아", "싫어"), ("늘었", "줄었"), ("증가", "감소"), ("찬성", "반대"), ("성공", "실패"), ("이전", "이후"), ("이상", "이하"),
    ("최대", "최소"), ("상승", "하락"), ("처음", "마지막"), ("큰", "작은"), ("긴", "짧은"), ("모든", "일부"), ("자주", "가끔"),
    ("likes", "dislikes"), ("loves", "hates"), ("before", "after"), ("first", "last"), ("more", "less"), ("good", "bad"),
    ("always", "never"), ("often", "rarely"), ("happy", "sad"), ("big", "small"), ("easy", "difficult"),
    ("positive", "negative"), ("started", "stopped"), ("bought", "sold"), ("won", "lost"), ("agrees", "disagrees"),
]  # fmt: skip


def english() -> Mapping[str, Change]:
    """The ways of changing one value in English."""
    return {
        "number": lambda text, chance: _digit(text, chance) or _exchange(text, _ENGLISH_COUNTS, chance),
        "date": lambda text, chance: _exchange(text, _ENGLISH_TIMES, chance),
        "unit": _unit,
        "negation": _negate_english,
        "name": lambda text, chance: _name(text, r"(?<=[a-z,] )[A-Z][a-z]{2,}\b(?!')", _ENGLISH_NAMES, chance),
        "polarity": lambda text, chance: _exchange(text, _POLAR, chance),
    }


def korean(kiwi: Kiwi) -> Mapping[str, Change]:
    """The ways of changing one value in Korean."""
    return {
        "number": lambda text, chance: _digit(text, chance) or _count(text, chance),
        "date": _korean_date,
        "unit": _unit,
        "negation": lambda text, _: _negate_korean(kiwi, text),
        "name": lambda text, chance: _korean_name(kiwi, text, chance),
        "polarity": lambda text, chance: _exchange(text, _POLAR, chance),
    }


def _digit(text: str, chance: Random) -> str | None:
    """Another digit in one number."""
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return None
    found = chance.choice(numbers)
    at = chance.choice([i for i in range(found.start(), found.end()) if text[i].isdigit()])
    return text[:at] + chance.choice([digit for digit in "123456789" if digit != text[at]]) + text[at + 1 :]


def _count(text: str, chance: Random) -> str | None:
    found = _COUNTED.search(text)
    if found is None:
        return None
    other = chance.choice([count for count in _COUNTS if count != found[1]])
    return text[: found.start()] + other + text[found.end() :]


def _exchange(
    text: str, groups: Sequence[Sequence[str]], chance: Random, pattern: str = r"(?<!\w){}(?!\w)"
) -> str | None:
    """One word of a group for another of it; Korean words may have particles or endings behind them."""
    options = []
    for group in groups:
        for word in group:
            edges = pattern if word.isascii() else r"(?<!\S){}"
            others = [other for other in group if other != word]
            options += [(found, others) for found in re.finditer(edges.format(re.escape(word)), text)]
    if not options:
        return None
    found, others = chance.choice(options)
    return text[: found.start()] + chance.choice(others) + text[found.end() :]


def _unit(text: str, chance: Random) -> str | None:
    options = [
        (found, [other for other in group if other != word and other.isascii() == word.isascii()])
        for group in _UNITS
        for word in group
        for found in re.finditer(rf"(?<=\d) ?{re.escape(word)}(?![A-Za-z간])", text)
    ]
    options = [(found, others) for found, others in options if others]
    if not options:
        return None
    found, others = chance.choice(options)
    gap = " " if found[0].startswith(" ") else ""
    return text[: found.start()] + gap + chance.choice(others) + text[found.end() :]


def _korean_date(text: str, chance: Random) -> str | None:
    numbers = list(re.finditer(r"\d+(?=[년월일시분](?!간|대))", text))
    if not numbers:
        return _exchange(text, _KOREAN_TIMES, chance)
    found = chance.choice(numbers)
    other = int(found[0]) + chance.choice([1, 2, 3])
    return text[: found.start()] + str(other) + text[found.end() :]


def _name(text: str, pattern: str, names: Sequence[str], chance: Random) -> str | None:
    found = list(re.finditer(pattern, text))
    if not found:
        return None
    one = chance.choice(found)
    return text[: one.start()] + chance.choice([name for name in names if name != one[0]]) + text[one.end() :]


def _korean_name(kiwi: Kiwi, text: str, chance: Random) -> str | None:
    """Another name for one that is not the subject: whose memory it is, is no value of it."""
    tokens = kiwi.tokenize(text)
    after = {token.start: tokens[at + 1] if at + 1 < len(tokens) else None for at, token in enumerate(tokens)}
    names = [
        token
        for token in tokens
        if token.tag == "NNP"
        and token.len > 1
        and (follower := after[token.start])
        and follower.tag in ("JKB", "JKO", "VCP")
    ]
    if not names:
        return None
    one = chance.choice(names)
    other = chance.choice([name for name in _KOREAN_NAMES if name != one.form])
    return text[: one.start] + other + text[one.start + one.len :]


def _negate_english(text: str, chance: Random) -> str | None:
    if found := re.search(r" not\b|n't\b", text):
        return text[: found.start()] + text[found.end() :]
    if found := re.search(r"\b(?:is|are|was|were|has|have|can|will|does|did|could|would)\b", text):
        return text[: found.end()] + chance.choice([" not", " never"]) + text[found.end() :]
    return None


def _negate_korean(kiwi: Kiwi, text: str) -> str | None:
    morphemes = morphemes_of(kiwi, text)
    for at, pair in enumerate(morphemes):
        if pair in {("안", "MAG"), ("못", "MAG")}:
            return str(kiwi.join(morphemes[:at] + morphemes[at + 1 :]))
    at = last_ending(morphemes) or 0
    while at and morphemes[at - 1][1] == "EP":
        at -= 1
    if not at:
        return None
    stem, tag = morphemes[at - 1]
    if stem in {"있", "없"}:
        other = ("없", "VA") if stem == "있" else ("있", "VV")
        return str(kiwi.join([*morphemes[: at - 1], other, *morphemes[at:]])) if tag[0] == "V" and tag != "VX" else None
    if tag.split("-")[0] in ("VV", "VA", "XSV", "XSA"):
        return str(kiwi.join([*morphemes[:at], ("지", "EC"), ("않", "VX"), *morphemes[at:]]))
    return (
        str(kiwi.join([*morphemes[: at - 1], ("이", "JKC"), ("아니", "VCN"), *morphemes[at:]]))
        if tag == "VCP"
        else None
    )
