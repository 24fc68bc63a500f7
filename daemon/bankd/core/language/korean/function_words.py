"""What Korean particles, endings and auxiliaries do to the meaning of a statement: closed lists, by form.

Everything not listed here counts as a difference, so a missing row makes comparison more careful, never bolder.
Sources: the Sejong tag set (parts of speech); the particles and endings of the standard grammar of the National
Institute of Korean Language, those that occur at least twice in 20,000 sentences of everyday Korean.
"""

from __future__ import annotations

from bankd.core.language.word_lists import by_form, split_words

SUBJECT = split_words("이 가 께서 이서")
TOPIC = split_words("은 는 ᆫ")
OBJECT = split_words("을 를 ᆯ")
RECEIVER = split_words("에게 한테 께 더러 보고")

PARTICLES = by_form(
    (
        "",
        "이 가 께서 은 는 ᆫ 을 를 ᆯ 의 에 에게 한테 께 더러 보고 요 라고 이라고 이란 란 야 아 이여 여 에다 에다가 서 이서",
    ),
    ("with", "과 와 랑 이랑 하고 하구"),
    ("from", "에서 에게서 한테서 부터 로부터 으로부터 에서부터 서부터"),
    ("by", "로 으로 ᆯ로 으로써 로써"),
    ("as", "로서 으로서"),
    ("than", "보다"),
    ("like", "처럼 같이 만큼 대로"),
    ("also", "도"),
    ("only", "만 뿐"),
    ("but", "밖에"),
    ("until", "까지"),
    ("each", "마다"),
    ("or", "이나 나 이든 든 이든지 든지"),
    ("even", "조차 마저 이라도 라도 나마 이나마"),
    ("instead", "말고"),
)

ENDINGS = by_form(
    (
        ".",
        "다 ᆫ다 는다 습니다 ᆸ니다 네 네요 네여 군 군요 구나 는구나 더라 더라구 더군 ᆸ니다만 습니다만 랍니다 답니다 다네 라네",
    ),
    (
        "",
        "어 어요 아요 야 에요 예요 지 지요 죠 거든 거든요 잖아 잖아요 ᆷ 음 기 고 며 으며 면서 으면서 어서 ᆫ데 는데 은데 지만",
    ),
    ("", "지만요 으나 오 애 구 구요 고요 ᆫ걸 아 여 어여 게"),
    (
        "?",
        "ᆯ까 을까 나요 ᆫ가 ᆸ니까 습니까 ᆫ가요 니 냐 ᆯ까요 을까요 는가 은가 던가 던가요 ᆫ지요 는지요 느냐 나 려나 ᆫ지 는지 은지 ᆯ지 을지",
    ),
    ("!", "라 어라 거라 으라 아라 ᆸ시오 십시오 렴 으렴 시오 자 ᆸ시다 읍시다"),
    ("", "세요 으세요 셔요"),
    ("will", "ᆯ게 ᆯ게요 ᆯ께 을게 을게요 ᆯ래 을래 ᆯ래요 을래요 려고 으려고 려 으려 고자 러 으러 려구"),
    ("must", "어야 어야지 어야죠 어야지요 어야만"),
    ("if", "면 으면 ᆫ다면 다면 는다면 라면 려면 으려면"),
    ("though", "어도 더라도 라도"),
    ("because", "니까 으니까 으므로 므로 느라 기에 으니 라서 니깐"),
    ("or", "거나 든지 든"),
    ("so", "도록"),
    ("then", "다가 자마자 고서"),
    ("said", "다고 라고 ᆫ다고 는다고 자고 대 ᆫ대 대요 ᆫ대요 래 냐고"),
)
"""What an ending says beyond its politeness; ".", "?" and "!" are moods of the whole statement."""

MOODS = split_words(". ? !")
"""It states, it asks, it orders or proposes; most polite endings leave open whether they state or order."""

SOFT_MARKS = split_words("will by with because whether then so stays laid")
"""Meanings that people exchange freely in rewordings: of 30 calibration pairs that differ in them alone, 30 are equal."""

ADNOMINAL = by_form(("", "는"), ("past", "던 ᆫ 은"), ("will", "ᆯ 을"))
"""Endings before a noun; ᆫ and 은 are past after a verb only (먹은, but 큰)."""

TENSES = by_form(("", "시 으시 셔"), ("past", "었 았 였 엇 었었 았었"), ("will", "겠 겟 리"))

NEGATIONS = by_form(("not", "안 않 아니 아니하 없 없이"), ("cannot", "못 못하"), ("stop", "말"))
"""Words that turn a statement around. "못" is kept apart from "안": being unable is not being unwilling."""

TAKING_TURNED = split_words("빌리 꾸")
"""Verbs of taking that are verbs of giving with 주: 빌리다 borrows, 빌려주다 lends."""

PLAIN_AUXILIARIES = split_words("있 주 보 놓 두 오 가 나가 버리 드리 계시 내 나 하 되 달")
"""Auxiliary verbs that add an aspect or a courtesy; 하 and 되 after 어야 are carried by the ending."""

AUXILIARIES = by_form(("want", "싶"), ("seem", "듯하 듯싶 보이"), ("almost", "뻔하"), ("pretend", "척하 체하 양하"))

STATES = by_form(("stays", "있"), ("laid", "두 놓"))
AFTER_WHICH = frozenset({("어", "EC"), ("아", "EC"), ("여", "EC")})
"""저장되어 있다, 저장해 뒀다: what was done stays so, and is told as what is or as what was done."""

LIMITS = split_words("past must can want only if from or than said seem almost pretend but though until")
"""Marks that place or limit a statement: a word that carries one is not left out of a shorter wording."""

LIGHT_VERBS = split_words("하")
EMPTY_SUFFIXES = split_words("들 님 씨 이")
HONOURING = frozenset({"님", "씨"})
"""What may honour the name before it, whatever an analyser calls it."""
