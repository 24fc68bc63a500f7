"""Pairs of words that say opposite things of the same subject, Korean (lemmas) and English (words).

Owned by the guard against duplicates: an exchanged pair is a changed value (`update`), never a rewording.
Source: the antonyms that people use of tastes, habits, states and quantities; collected for bankd.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_KOREAN = """
좋아하 싫어하|좋 싫|좋 나쁘|사랑하 미워하|선호 기피|찬성 반대|긍정 부정|가능 불가능|필요 불필요|알 모르|맞 틀리|옳 그르|크 작|많 적|높 낮
길 짧|넓 좁|깊 얕|두껍 얇|굵 가늘|무겁 가볍|빠르 느리|이르 늦|일찍 늦게|강하 약하|세 약하|밝 어둡|뜨겁 차갑|덥 춥|따뜻 서늘|쉽 어렵|싸 비싸|저렴 비싸
가깝 멀|새롭 낡|젊 늙|깨끗 더럽|조용 시끄럽|안전 위험|편하 불편하|편리 불편|건강 병약|행복 불행|기쁘 슬프|만족 불만족|친절 불친절|성실 불성실|정직 부정직
시작 끝|시작 종료|시작 그만두|시작하 끝내|켜 끄|열 닫|사 팔|주 받|오 가|들어가 나가|들어오 나가|오르 내리|올리 내리|올리 낮추|높이 낮추|높이 내리|인상 인하|늘 줄|늘리 줄이|증가 감소|상승 하락|성공 실패|합격 불합격
이기 지|얻 잃|찾 잃|기억하 잊|믿 의심하|만나 헤어지|결혼 이혼|입사 퇴사|입학 졸업|출근 퇴근|가입 탈퇴|구독 해지|설치 삭제|추가 제거|추가 삭제|허용 금지|허락 금지
다르 같|다르 동일|늦 빠르|편하 불편|멀 가까이|위쪽 아래쪽|앞쪽 뒤쪽|윗층 아래층|유지 교체|유지 변경|유지 제거|유지 폐기|유지 바꾸|빠지 포함|누락 포함|제외 포함|찬성 거절|활성 비활성|공개 비공개|유료 무료|정상 비정상|합법 불법|성인 미성년|전 후|이전 이후|앞 뒤|위 아래|안 밖|왼쪽 오른쪽|오른 왼|내부 외부|실내 실외|이상 이하|초과 미만
최대 최소|최고 최저|항상 가끔|항상 절대|자주 가끔|자주 별로|모두 일부|모든 일부|처음 마지막|오전 오후|아침 저녁|낮 밤|남자 여자|아들 딸|형 동생|언니 동생|부모 자식
동의 거부|승인 거절|수락 거절|낙관 비관|적극 소극|능동 수동|직접 간접|수동 자동|아침형 저녁형|아침형 올빼미형|짠 싱거운|맵 싱겁|붙이 떼|넣 빼|모으 흩|밀 당기
수월 힘들|쉽 힘들|똑똑 멍청|부지런 게으르|맑 흐리|배부르 배고프|늘어나 줄어들|커지 작아지|좋아지 나빠지|빨라지 느려지|높아지 낮아지|올라가 내려가|오르 떨어지|켜지 꺼지|열리 닫히
붙 떨어지|합격 탈락|통과 탈락|통과 실패|승인 반려|승인 거부|허가 불허|참석 불참|출석 결석|확대 축소|개선 악화|호전 악화|회복 악화|신형 구형|흑자 적자|이익 손해|수입 지출|수입 수출|입금 출금
도착 출발|개점 폐점|입장 퇴장|입원 퇴원|승차 하차|연결 해제|잠그 열|로그인 로그아웃|온라인 오프라인|전체 일부|국내 해외|걱정 안심|웃 울|만족 실망|칭찬 비난|재미있 지루|재밌 지루|신선 식상|아름답 추하
마르 젖|급증 급감|앞당기 미루|연장 단축|보관 폐기|보존 삭제|저장 삭제|복구 삭제|생성 삭제|만들 없애|채우 비우|입 벗|묶 풀|얼 녹|데우 식히|진하 연하|일어나 자|이해 오해|숨기 드러내|인정 부인|동의 반대
수락 거부|받아들이 거절|허락 거절|승리 패배|공격 수비|저축 소비|아끼 낭비|절약 낭비|가입 해지|신청 취소|예약 취소|계약 해지|갱신 해지|합치 나누|미혼 기혼|전반 후반|상반기 하반기|위층 아래층|동쪽 서쪽|남쪽 북쪽
"""

_ENGLISH = """
like dislike|likes dislikes|liked disliked|like hate|likes hates|love hate|loves hates|loved hated|enjoy dislike|enjoys dislikes|enjoys hates|prefers avoids
prefer avoid|agree disagree|agrees disagrees|agreed disagreed|trust distrust|trusts distrusts|approve reject|accept reject|accepts rejects|accepted rejected
accept refuse|accepted refused|allow forbid|allows forbids|allowed forbidden|allow block|enable disable|enables disables|enabled disabled|include exclude
includes excludes|included excluded|include omit|included omitted|start stop|starts stops|started stopped|starting stopping|begin end|begins ends|began ended|open close|opens closes|opened closed
agree refuse|agreed refused|agrees refuses|keep remove|kept removed|keep drop|kept dropped|keep replace|kept replaced|stay change|stays changes|end extend|ended extended|end renew|ended renewed|open closed|open shut|opens shuts|opened shut|buy sell|buys sells|bought sold|win lose|wins loses|won lost|find lose|found lost|remember forget|remembers forgets|remembered forgot|join leave
joins leaves|joined left|arrive leave|arrived left|arrives leaves|increase decrease|increases decreases|increased decreased|rise fall|rises falls|rose fell
raise lower|raised lowered|gain lose|gained lost|pass fail|passes fails|passed failed|succeed fail|succeeded failed|success failure|works fails|worked failed|add remove|adds removes
added removed|install uninstall|installed uninstalled|married divorced|hired fired|push pull|pushed pulled|up down|in out|on off|before after|above below
over under|inside outside|left right|top bottom|front back|first last|early late|earlier later|always never|often rarely|usually rarely|always sometimes
frequently rarely|all none|all some|every no|everyone nobody|everything nothing|more less|most least|more fewer|many few|maximum minimum|max min|high low
higher lower|highest lowest|big small|bigger smaller|large small|larger smaller|long short|longer shorter|tall short|wide narrow|deep shallow|thick thin
heavy light|fast slow|faster slower|quick slow|strong weak|hot cold|warm cool|bright dark|easy hard|easy difficult|simple complex|cheap expensive|near far
new old|young old|younger older|clean dirty|quiet loud|quiet noisy|safe dangerous|safe unsafe|healthy unhealthy|happy sad|happy unhappy|good bad|better worse
best worst|right wrong|correct incorrect|true false|positive negative|optimistic pessimistic|possible impossible|able unable|legal illegal|public private|free paid
active inactive|formal informal|concise verbose|concise detailed|brief detailed|polite rude|kind unkind|satisfied dissatisfied|comfortable uncomfortable|likely unlikely
hire fire|accept decline|accepted declined|approve decline|approved rejected|approved declined|agree decline|agreed declined|attend miss|attended missed|attend skip|attended skipped|arrive depart|arrived departed
expand shrink|expanded shrank|expand reduce|extend shorten|extended shortened|grow shrink|grew shrank|improve worsen|improved worsened|recover worsen|gain drop|climb drop|climbed dropped|postpone advance
lock unlock|locked unlocked|connect disconnect|attach detach|import export|upload download|encrypt decrypt|create delete|created deleted|save delete|saved deleted|restore delete|store discard|fill empty
admit deny|admitted denied|confirm deny|confirmed denied|praise criticize|praised criticized|encourage discourage|succeed flop|profit loss|borrow lend|deposit withdraw|deposited withdrew|enter exit|entered left
wet dry|sweet bitter|sharp blunt|tight loose|smooth rough|thick thin|rich poor|alive dead|awake asleep|asleep awake|calm nervous|brave afraid|lazy hardworking|fresh stale|raw cooked|odd even|same different|alike different
online offline|upstairs downstairs|north south|east west|upper lower|inner outer|major minor|internal external|automatic manual|temporary permanent|mandatory optional|required optional|visible hidden|stable unstable|ahead behind
book cancel|booked cancelled|order cancel|ordered cancelled|renew cancel|renewed cancelled|continue stop|continued stopped|continues stops|proceed stop|resume pause|resumed paused|merge revert|merged reverted|deploy revert
helpful unhelpful|employed unemployed|full empty|indoors outdoors|indoor outdoor|male female|man woman|boy girl|son daughter|brother sister|father mother|husband wife
"""

_ENGLISH_PREFIXES, _KOREAN_PREFIXES = ("un", "dis", "non"), ("불", "비", "미")
"""What denies the word that it stands before: unpaid, disliked, 불포함, 비공개, 미완료; in- and 무 say other things as well."""
_LETTERS, _SYLLABLES = 4, 2
"""So long is a word at least before which it is a prefix: not in "until", 비용, 미술."""


def _pairs(*tables: str) -> Mapping[str, frozenset[str]]:
    """Read rows of `word word` into word -> its opposites."""
    opposites: dict[str, set[str]] = {}
    for pair in "|".join(line for table in tables for line in table.strip().splitlines()).split("|"):
        one, other = pair.split()
        opposites.setdefault(one, set()).add(other)
        opposites.setdefault(other, set()).add(one)
    return MappingProxyType({word: frozenset(others) for word, others in opposites.items()})


OPPOSITES = _pairs(_KOREAN, _ENGLISH)


def are_opposites(one: str, other: str) -> bool:
    """Say whether two words, as `statement` writes them, are known opposites, or one is the other with a prefix that denies it."""
    return other in OPPOSITES.get(one, ()) or _is_denied_by_prefix(one, other) or _is_denied_by_prefix(other, one)


def _is_denied_by_prefix(one: str, other: str) -> bool:
    prefixes, least = (_ENGLISH_PREFIXES, _LETTERS) if other.isascii() else (_KOREAN_PREFIXES, _SYLLABLES)
    return len(other) >= least and one.endswith(other) and one.removesuffix(other) in prefixes
