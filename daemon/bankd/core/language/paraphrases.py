"""Words that say the same where all else of two statements agrees, beside those of the thesaurus, which search uses too.

Mostly verbs and adjectives: what people exchange when they say a thing again. They are looser than synonyms, and count only
where everything else was compared. A group stands between semicolons, of words of one language or of both; an underline joins
an English verb to its particle, which makes one word of them (gave up, went down). Written for bankd, by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType

from bankd.core.language.english.stemming import stem_word
from bankd.core.language.thesaurus import concept_of, is_in_a_group

_GROUPS = """
일 근무 재직 종사 ; 거주 살 지내 | reside live ; 관리 돌보 유지 보살피 | manage maintain administer look_after take_care_of ; 진행 개최 실시 주최 | hold conduct organize organise
참석 참가 참여 출석 | attend participate take_part ; 정하 결정 확정 선정 | decide determine settle settle_on decide_on ; 알리 공지 통보 전달 안내 | notify inform announce tell
모으 수집 | collect gather ; 나누 분할 쪼개 | divide split split_up ; 합치 통합 결합 | combine unify join ; 업로드 게시 등록 | upload post publish
내려받 다운로드 다운받 | download pull_down ; 듣 청취 | listen hear ; 보 시청 관람 감상 | watch view ; 탑승 승차 | board ride get_on ; 키우 기르 사육 양육 | raise rear bring_up
고르 선택 택하 뽑 | choose pick select pick_out ; 빌리 임차 | rent lease ; 갚 상환 | repay pay_back pay_off ; 잃어버리 분실
켜 가동 작동 구동 실행 돌 돌아가 | operate execute run turn_on switch_on ; 끄 정지 | shut turn_off switch_off shut_down shut_off
막 차단 방지 금지 | block prevent forbid ban prohibit ; 허용 허락 | allow permit let ; 지키 준수 따르 | follow obey stick_to comply_with adhere_to ; 어기 위반 | violate breach
피하 삼가 멀리하 | avoid skip refrain_from stay_away_from ; 도착 이르 다다르 | arrive reach ; 출발 나서 떠나 | depart leave set_off set_out head_out
들르 방문 찾아가 | visit drop_by call_on stop_by ; 기다리 대기 | wait wait_for ; 조사 살피 알아보 조회 | investigate examine look_into
확인 점검 체크 검사 | check verify confirm inspect look_over ; 연결 접속 | connect link hook_up ; 작성 기입 써넣 | write compose draft fill_in fill_out write_up ; 기록 남 남기
메모 적어두 | note write_down jot_down note_down ; 암기 외우 기억 | remember memorize memorise ; 가르치 지도 교육 | teach instruct ; 연습 훈련 | practise practice
가져오 챙기 지참 | bring carry bring_along ; 씻 세척 닦 | wash rinse wash_up ; 입 착용 | wear put_on ; 버리 폐기 | discard throw_away throw_out ; 채우 충전 | fill charge fill_up
싫증 질리 | tire_of fed_up ; 무섭 두렵 겁나 무서워하 두려워하 | scared afraid frightened fear terrified ; 걱정 염려 근심 | worry worried concerned anxious
화나 화내 분노 | angry mad annoyed ; 재미있 재밌 흥미롭 | interesting fun entertaining ; 지루 따분 | boring dull ; 외롭 쓸쓸 ; 훌륭 뛰어나 우수 탁월 | excellent great outstanding superb
예쁘 아름답 곱 | beautiful pretty lovely ; delicious tasty ; 맵 매콤 얼큰 | spicy hot ; 달 달콤 달달 ; 똑똑 영리 현명 | smart clever intelligent
편리 편하 | convenient handy comfortable ; 귀찮 번거롭 성가시 | bothersome tedious ; 필요 필수 필수적 의무 | must mandatory obligatory compulsory have_to has_to need_to needs_to
무료 공짜 ; latest newest ; 유명 이름나 | famous well-known renowned ; 충분 넉넉 | enough sufficient adequate
부족 모자라 | insufficient short_of run_short ; accurate exact precise ; 완전 온전 | entire total full ; 동일 똑같 같 | same identical ; 다르 상이 | different distinct
비슷 유사 | similar alike ; rare uncommon ; common widespread ; late tardy ; 급하 긴급 시급 | urgent pressing ; 증가 늘 늘어나 불어나 오르 | increase grow rise go_up
감소 줄 줄어들 떨어지 | decrease drop fall decline shrink go_down ; 높이 인상 올리 | raise lift put_up ; 낮추 인하 내리 | lower reduce cut bring_down cut_down cut_back
포함 들어가 들어있 | include contain ; 제외 빼 | exclude omit leave_out ; 구성 이루어지 | consist comprise ; 담당 책임지 맡 | responsible handle in_charge
지원 보조 도와주 | support assist aid help_out ; 추천 권하 권장 | recommend suggest advise ; 부탁 신청 | request ask_for apply_for ; 축하 기념 | celebrate mark
기대 고대 | expect anticipate look_forward_to ; 포기 단념 | abandon give_up_on ; 끊 그만두 관두 중단 | quit stop cease give_up ; 성공 해내 | succeed manage ; 이기 승리 | win beat
미루 연기 늦추 | postpone delay put_off push_back ; 당기 앞당기 | advance bring_forward move_up ; 복구 복원 되돌리 | restore recover revert roll_back
발생 생기 나타나 | occur happen arise come_up ; 발견 찾아내 | discover find_out ; 이해 알아듣 | understand grasp ; 표시 보이 나타내 | show display ; 숨기 감추 | hide conceal
전화 통화 | call phone call_up ; bake roast ; 끓이 삶 | boil simmer ; 자르 썰 베 | cut slice chop cut_up ; 고장 망가지 고장나 | broken broke_down break_down
다치 부상 | injured wounded ; 낫 회복 쾌유 | heal get_better get_over ; 앓 걸리 ; 사망 죽 돌아가 별세 | die dead pass_away ; 출산 낳 | deliver give_birth ; 취직 취업 입사 | hired join
퇴사 사직 사임 ; 은퇴 퇴직 정년퇴직 ; fired lay_off dismiss let_go ; 창업 차리 세우 설립 | found set_up start_up establish ; 벌 벌어들이 ; 쓰 소비 지출 ; 아끼 절약
기부 후원 | donate sponsor ; 배송 배달 | deliver ship ; 가게 상점 매장 점포 ; 마트 슈퍼 슈퍼마켓 | supermarket grocery ; 화장실 욕실 | bathroom toilet restroom ; 승강기 엘리베이터 | lift elevator
본사 본점 | headquarters hq ; factory plant ; warehouse depot ; department division ; 사장 대표이사 대표 | ceo chief ; 신입 신입사원 | newcomer rookie
직원 사원 종업원 | employee staff ; 보고서 리포트 ; 발표 프레젠테이션 ; 손실 손해 ; 빚 부채 채무 | debt loan ; 송금 이체 | transfer remit wire ; 일과 루틴 ; 산책 도보 걷 | walk stroll ; 야근 잔업 초과근무
아침밥 조식 ; 저녁밥 석식 만찬 | dinner supper ; 간식 군것질 ; 채소 야채 | vegetable greens veggie ; 계란 달걀 ; 소고기 쇠고기 ; 닭고기 치킨 ; 생선 물고기 ; 국수 면 ; 후식 디저트 | dessert sweet
음료 음료수 | drink beverage ; 탄산 탄산음료 | soda pop ; 숙소 숙박 | accommodation lodging ; 비자 사증 ; 항공권 비행기표 ; 짐 수하물 | luggage baggage ; 해외 외국 국외 | abroad overseas foreign
일본어 일어 ; 유창 능숙 잘하 | fluent proficient ; 서툴 서투르 못하 ; 만기 만료 | expire lapse expiry run_out ; 재계약 연장 | renew extend ; 할당 배정 배당 | assign allocate
submit hand_in turn_in send_in ; 승인 통과 | sign_off pass ; 완성 마무리 | complete finish wrap_up finish_up ; 개시 착수 돌입 | commence kick_off start_off ; resume restart
구현 개발 | implement develop ; 설계 디자인 ; 수리 정비 고치 | repair mend ; 개선 향상 나아지 | improve enhance ; optimize optimise ; 자동 자동적 | automatic automated
인증 로그인 | login sign_in log_in authenticate ; logout sign_out log_out ; 권한 접근권한 | permission access ; 사용자 유저 이용자 ; 관리자 어드민 | admin administrator
출시 발매 릴리스 릴리즈 런칭 | release launch roll_out ; 모듈 패키지 | module package ; 응답 반응 ; 지연 레이턴시 ; 메모리 램 | memory ram ; 용량 크기 사이즈 | size capacity ; speed pace
경고 알람 알림 | alert alarm notification ; 모니터링 감시 | monitor keep_an_eye ; statistics stats ; 그래프 차트 도표 | chart graph ; 그림 이미지 | image picture
글꼴 폰트 서체 | font typeface ; 기본값 디폴트 기본 ; shortcut hotkey ; 즐겨찾기 북마크 ; 능력 실력 | ability skill ; 경험 경력 ; 관심 흥미 | interest interested keen into
의존 의지 | rely depend count_on rely_on depend_on ; influence affect impact ; 몰두 열중 | absorbed hooked ; 견디 버티 참 | bear endure put_up_with
튼튼 견고 | sturdy robust solid ; 소심 내성적 내향적 | shy introverted introvert ; 외향적 활발 | outgoing extroverted extrovert ; 부지런 근면 | diligent hardworking
게으르 나태 | lazy idle ; 꼼꼼 세심 | meticulous thorough careful ; strict stern ; 여러 여럿 다수 | several multiple various ; 오직 유일 | only sole
바로 즉시 곧바로 당장 | immediately instantly promptly right_away at_once straight_away ; 미리 사전 | beforehand in_advance ; 나중 추후 | later later_on
최근 요새 근래 | recently lately ; 요즘 지금 | now nowadays currently these_days ; 처음 최초 | first initially originally ; 마지막 최종 | last final ; alternate take_turns
열리 열 ; 닫히 닫 ; 막히 막 ; 쌓이 쌓 ; 놓이 놓 ; 쓰이 쓰 ; 적히 적 ; 담기 담 ; 팔리 팔 ; 잡히 잡 ; 걸리 걸 ; 섞이 섞 ; 나뉘 나누 ; 묶이 묶 ; 끊기 끊 ; 잠기 잠그 ; 실리 싣 ; 뽑히 뽑 ; 불리 부르 ; 옮겨지 옮기 ; 정해지 정하
만들어지 만들 ; 이루어지 이루 ; 보내지 보내 ; 지워지 지우 ; 고쳐지 고치 ; 바뀌 바꾸 ; 밀리 미루 ; 켜지 켜 ; 꺼지 끄 ; 나눠지 나누 ; 합쳐지 합치 ; 줄어들 줄이 줄 ; 늘어나 늘리 늘 ; 비번 비밀번호 ; 알바 아르바이트 ; 인강 온라인강의 ; 자소서 자기소개서
톡 카톡 카카오톡 ; 단톡방 단체방 ; 메세지 메시지 문자 | message text ; 더럽 지저분 | dirty messy ; 이별 헤어지 | break_up separate ; 문제점 문제 ; 업무 일 ; 과제 숙제 | homework assignment
취소 철회 | cancel call_off ; 초반 초기 ; 후반 말기 ; 해변 바닷가 ; 변호사 법률가 ; taxi cab ; 휘발유 기름 | petrol gas gasoline ; 서명 사인 | signature sign
이용료 사용료 수수료 | fee charge ; 회비 가입비 | dues membership_fee ; 등록금 학비 수업료 ; allowance pocket_money ; 잔액 잔고 ; 상여금 보너스 성과급 ; 예금 저금 ; 공과금 관리비 ; 교체 바꿔끼우 ; 수리비 정비비
세입자 임차인 | tenant renter ; 인터폰 초인종 | doorbell buzzer ; 소파 쇼파 | sofa couch ; 식탁 테이블 ; curtain drapes ; 전등 조명 | lamp light ; 리모컨 리모콘 ; 진공청소기 청소기 | vacuum hoover
전자레인지 전자렌지 ; 휴지 화장지 ; 쓰레기통 휴지통 | bin trash ; 콘센트 전원 | outlet socket ; trousers pants ; 외투 코트 겉옷 ; 운동화 스니커즈 | sneakers trainers ; bag backpack
시계 손목시계 | watch wristwatch ; 소화불량 체하 ; 당뇨 당뇨병 | diabetes diabetic ; 허리디스크 디스크 ; motion_sickness carsick ; 예방접종 백신 접종 | vaccine vaccination shot jab ; 채식주의 채식
해물 해산물 ; shrimp prawn ; 초밥 스시 ; cilantro coriander ; eggplant aubergine ; zucchini courgette ; lunchbox packed_lunch ; eat_out dine_out
과자 스낵 | cookie biscuit ; fries chips ; 사탕 캔디 | candy sweets ; 생수 물 ; 와인 포도주 ; decaf decaffeinated ; get_off_work clock_out ; 학과 전공
학점 성적 점수 | grade score mark ; paper thesis ; phd doctorate ; 주중 평일 ; 휴일 공휴일 ; 새해 신년 ; 성탄절 크리스마스 | christmas xmas ; 추석 한가위 ; 설 설날 구정 ; 인턴 수습 | intern trainee
비정규직 계약직 | temporary temp ; 프리랜서 자유직 | freelance freelancer self-employed ; 면접 인터뷰 ; resume cv ; 거래처 협력사 | vendor supplier ; 고객센터 콜센터 | helpdesk support_desk
회의실 미팅룸 ; 안건 의제 ; 일정표 시간표 | timetable schedule ; 할일 투두 | todo to-do ; 합의 동의 | agree agreement consensus ; 반려 거절 | turn_down reject decline
보류 유보 | hold_off put_on_hold ; certificate cert ; 함수 메서드 | function method ; indentation indent ; 장애 다운 | outage downtime ; 재시작 재부팅 | reboot restart ; 큐 대기열
쿼리 질의 ; 인덱스 색인 ; 마이그레이션 이관 | migration migrate ; 시크릿 비밀키 ; env_var environment_variable ; 접근 액세스 ; 버튼 단추 ; 알림창 팝업 ; dark_mode dark_theme ; 글자 텍스트
attachment attached_file ; 즐겁 기쁘 행복 신나 | cheerful joyful ; 불안 초조 | anxious nervous uneasy ; 지겹 질리 | sick_of tired_of ; 민감 예민 ; 낯가리 수줍
솔직 정직 | frank candid honest ; 상냥 친절 다정 | kind friendly nice ; 느긋 여유롭 | relaxed laid-back easygoing ; 애용 자주쓰 ; 질색 혐오 | detest loathe can't_stand
insist stubborn ; 감사 고맙 | thank grateful ; apologize apologise sorry ; criticize criticise ; 격려 응원 | encourage cheer_on ; joke kid ; 자라 성장 ; aged elderly
미혼 독신 싱글 | single unmarried ; eldest oldest ; 근처 인근 주변 | near nearby close_to next_to ; 옆 곁 | beside next_to ; 맞은편 건너편 | opposite across
basement underground ; floor storey ; exit way_out ; front_door hallway ; 빠뜨리 빼먹 | forget miss ; oversleep sleep_in ; stay_up all-nighter ; wake_up get_up
쉬 휴식 | rest take_a_break ; 사귀 교제 | date go_out
반환 돌려주 반납 | return give_back ; 지나 경과 | elapse pass_by ; 넣 추가 더하 | add append ; 꺼내 빼내 | take_out ; 맡기 위임 위탁 | entrust delegate ; 빌려주 대여 | lend loan_out
참조 참고 | refer consult ; 바라보 쳐다보 응시 ; 잠그 잠기 | lock lock_up ; 풀리 해제 | unlock ; 얻 획득 취득 따 | obtain acquire earn ; 제출 내놓 ; 접수 받아들이 ; 고용 채용 | recruit take_on
가입 등록 | sign_up register enroll enrol ; 출력 인쇄 프린트 | print print_out ; 복사 복제 카피 | copy duplicate ; 백엔드 서버단 ; 프론트엔드 프론트 프런트 프런트엔드
variable var ; environment env ; 매개변수 파라미터 인자 | parameter param argument arg ; 의존성 디펜던시 ; 운영체제 os | operating_system ; address addr ; 식별자 id | identifier ; directory dir
개인정보 신상 | personal_data personal_information pii ; compress zip ; infrastructure infra ; production prod ; development dev ; information info ; specification spec ; message msg
administrator sysadmin ; postgresql postgres pg 포스트그레스 ; mongodb mongo 몽고디비 ; elasticsearch elastic ; pull_request merge_request pr mr ; 최댓값 최대치 상한선 ; 최솟값 최소치 하한
구토 토 | vomit throw_up ; 처방 처방전 | prescribe prescription ; 불편 거북 | inconvenient uncomfortable ; 청각 청력 ; sleep go_to_bed go_to_sleep ; 산책 산보 ; foot on_foot
left-handed lefty ; nearsighted short-sighted shortsighted myopic ; flu influenza ; covid coronavirus ; diarrhea diarrhoea ; business_trip work_trip ; 환승 갈아타기 ; 고속버스 시외버스
대출 융자 ; 용돈 쌈짓돈 ; 계좌 통장 ; 할부 분할납부 | installment instalment ; 할인 세일 | discount sale ; 교환 맞바꾸 | exchange swap ; 주문 오더 ; 택배 소포 | parcel package
vacation pto paid_time_off annual_leave ; 연차 휴가 ; overtime work_late ; 참가자 참석자 참여자 | attendee participant ; 진행자 사회자 | host moderator ; 담당자 책임자 | person_in_charge
작성자 저자 글쓴이 | author writer ; 소유자 주인 소유주 | owner proprietor ; 후임 후임자 | successor ; 전임 전임자 | predecessor ; 공유 나눠쓰 ; 외부 바깥쪽 | external ; 내부 안쪽 | internal
위쪽 상단 | top upper ; 아래쪽 하단 | bottom ; 가운데 중앙 | middle center centre ; 구석 모퉁이 ; 부서지 깨지 | break shatter ; 새롭 신규 ; 유효 | valid ; 활성화 켜 | activate enable
비활성화 | deactivate disable ; 정기 정기적 주기적 | regular periodic ; 영구 영구적 ; 초대 초청 | invite invitation ; 장례 장례식 ; 맏이 장녀 ; 처음 첫 첫째 ; 옷장 장롱 | wardrobe closet
책장 책꽂이 | bookcase bookshelf ; 베란다 발코니 ; 마당 뜰 ; 출입문 현관문 현관 | entrance ; 난방 히터 | heating heater ; stairs staircase ; 작성 짜
erase wipe purge ; kill terminate ; fetch retrieve ; sick ill unwell ; tiny small ; rich wealthy ; roommate flatmate housemate ; highway motorway freeway ; sidewalk pavement
truck lorry ; baby infant newborn ; plane airplane aircraft ; grandmother granny ; grandfather granddad ; colleague co-worker ; everybody everyone ; movie_theater cinema
search look_for seek ; show_up turn_up ; figure_out work_out ; carry_out perform ; shut_down power_off ; backup back_up ; setup set_up ; checkup check_up ; signup sign_up
length long ; height tall ; wide width ; deep depth ; strong strength ; grow growth ; lose loss ; choose choice ; die death ; live life ; marry marriage ; arrive arrival ; sell sale
see seen ; weigh weight ; speak speech ; think thought ; sit seat ; fly flight ; able ability ; likely likelihood ; sign signature ; fail failure ; press pressure ; behave behaviour behavior
"""

_LATINATE = tuple(
    (re.compile(f"(?<=.){noun}s?$"), verb)
    for noun, verb in (
        ("tention", "tain"), ("ception", "ceive"), ("scription", "scribe"), ("cision", "cide"), ("sponse", "spond"),
        ("pansion", "pand"), ("tension", "tend"), ("pension", "pend"), ("mission", "mit"), ("clusion", "clude"),
        ("sumption", "sume"), ("solution", "solve"), ("lication", "ly"), ("fication", "fy"), ("version", "vert"),
        ("duction", "duce"), ("vasion", "vade"), ("ceipt", "ceive"), ("iption", "ibe"), ("pulsion", "pel"),
    )
)  # fmt: skip
_FIRST, _LAST, _FINALS, _M = 0xAC00, 0xD7A3, 28, 16
"""Where the syllables of Hangul begin and end, how many finals each may have, and which of them is ㅁ."""


def paraphrase_groups() -> Iterator[Sequence[str]]:
    """The words of each group, as they are written."""
    groups = (group.replace("|", " ").split() for group in _GROUPS.replace("\n", ";").split(";"))
    return (words for words in groups if words)


@cache
def _by_word() -> Mapping[str, str]:
    """Each word, by its stem, with what stands for its group."""
    found: dict[str, str] = {}
    for words in paraphrase_groups():
        own = [word for word in words if not word.isascii()] or words[:1]
        stands = concept_of(next(filter(is_in_a_group, own), words[0]))
        for word in words:
            found.setdefault(stem_phrase(word), stands)
    return MappingProxyType(found)


@cache
def _phrases() -> frozenset[tuple[str, ...]]:
    """The verbs with their particles, each by its words, the first by its stem."""
    return frozenset(tuple(word.split("_")) for word in _by_word() if "_" in word)


def stem_phrase(word: str) -> str:
    """The stem of a word; of a verb with its particle the stem of the verb, and the particle as it is."""
    head, *rest = word.casefold().split("_")
    return "_".join([stem_word(head), *rest])


def stands_in_a_group(word: str) -> bool:
    """Whether a word stands in a group, in the thesaurus or here."""
    return is_in_a_group(word) or stem_phrase(word) in _by_word()


def phrase_at(words: list[str]) -> int:
    """How many of these lower-case words are one verb with its particles, the longest there is; 0 when they begin with none."""
    head = stem_word(words[0]) if words else ""
    return max((most for most in (2, 3, 4) if (head, *words[1:most]) in _phrases()), default=0)


@lru_cache(maxsize=100_000)
def meaning_of(word: str) -> str:
    """What stands for a word, in any of its forms, in a statement: its group in the thesaurus, else here; its stem when in none."""
    if "_" not in word and is_in_a_group(word):
        return concept_of(word)
    stem = stem_phrase(word)
    if stem in _by_word():
        return _by_word()[stem]
    made = next((verb for verb in _verbs_in(word.casefold()) if stands_in_a_group(verb)), "")
    return meaning_of(made) if made else stem


def _verbs_in(noun: str) -> Iterator[str]:
    """The verbs that a noun may be made of by how it ends, as they would be written: retain of retention, 잠그 of 잠금; most are none."""
    if noun.isascii():
        yield from (ending.sub(verb, noun) for ending, verb in _LATINATE if ending.search(noun))
    elif len(noun) > 1 and noun[-1] in "기음":
        yield noun[:-1]
    elif len(noun) > 1 and _FIRST <= ord(noun[-1]) <= _LAST and (ord(noun[-1]) - _FIRST) % _FINALS == _M:
        yield noun[:-1] + chr(ord(noun[-1]) - _M)
