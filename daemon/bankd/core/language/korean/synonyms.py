"""Korean words that say the same, say when, turn a statement, or say nothing: closed lists of lemmas.

Sources: honorific and humble pairs of the standard grammar; the rest collected for bankd and chosen on one half of
the calibration pairs.
"""

from __future__ import annotations

from bankd.core.language.word_lists import by_form, split_words

HONORIFICS = by_form(
    ("먹", "드시 드세 잡수 잡수시 자시"),
    ("자", "주무시"),
    ("있", "계시"),
    ("주", "드리"),
    ("묻", "여쭈 여쭙"),
    ("만나", "뵙 뵈"),
    ("데리", "모시"),
    ("아프", "편찮"),
    ("죽", "돌아가시"),
    ("말", "말씀"),
    ("집", "댁"),
    ("밥", "진지"),
    ("생일", "생신"),
    ("나이", "연세 춘추"),
    ("이름", "성함 존함"),
    ("나", "저 제 내"),
    ("우리", "저희"),
    ("너", "당신 자네 네 니"),
    ("어머니", "엄마 어머님 엄니"),
    ("아버지", "아빠 아버님"),
    ("할머니", "할머님"),
    ("할아버지", "할아버님"),
    ("선생", "선생님"),
    ("이것", "이거"),
    ("그것", "그거"),
    ("것", "거 꺼 건"),
)
"""Honorific, humble and familiar words by their plain one."""

PRONOUNS = split_words("나 너 우리")
"""Of which other forms are verbs too: 돈을 내."""

SYNONYMS = by_form(
    ("휴대폰", "핸드폰 휴대전화 폰"),
    ("텔레비전", "티비 TV tv"),
    ("여자", "여성 여인"),
    ("남자", "남성"),
    ("회의", "미팅"),
    ("무엇", "뭐 무어 머 뭣"),
    ("어떻게", "어찌"),
    ("이유", "까닭"),
    ("매일", "날마다"),
    ("매주", "주마다"),
    ("항상", "언제나 늘"),
    ("가장", "제일"),
    ("모두", "다 전부"),
    ("지금", "현재"),
    ("함께", "같이"),
    ("아주", "매우 굉장히 무척 몹시"),
    ("정말", "정말로 진짜 진짜로 참"),
)
"""Words that say the same in every sentence; a pair belongs here only when no sentence tells them apart."""

TIMES = split_words(
    "어제 오늘 내일 모레 그제 글피 작년 올해 내년 재작년 금년 지난해 지난주 이번주 다음주 지난달 이번달 다음달 매일 매주 매월 매달 매년 날마다 봄 여름 가을 겨울",
    "오전 오후 아침 점심 저녁 밤 새벽 낮 정오 자정 주말 평일 휴일 월요일 화요일 수요일 목요일 금요일 토요일 일요일 격주 격월 분기 상반기 하반기 초순 중순 하순 지난",
    "이번 다음 요즘 최근 예전 현재 지금",
)
"""Words that say when; which one it is is a value, as a number is."""

TURNING_WORDS = split_words(
    "싫 싫어하 그만두 그만 끊 포기 취소 금지 반대 거부 중단 실패 중지 제외 빼 거의 만약 혹시 아직 별로 전혀 절대 절대로 결코 가끔 예정 계획 약 이상 이하 미만",
    "초과 전 후 이전 이후 외 대신 가짜 예전 옛날 원래 반 가능 불가능 필요 말 척 듯 뻔 아마 아마도 일부 대부분 모두 모든 제일 가장 더 덜 새 헌 다른 누구 무엇",
    "어디 언제 왜 또는 혹은",
)
"""Words that turn, weaken, compare or ask: a shorter wording without them says another thing."""

OPTIONAL = split_words("너무 정말 아주 너무너무 엄청 참 꽤 진짜 상당히 도대체 이제 아무래도 역시 일단")
"""Words of degree and emphasis: they may be there or not."""

EMPTY_NOUNS = split_words("것 씨 님 분")
EMPTY_ADVERBS = split_words("좀 그냥 막 딱 및 또한 그리고 즉")
