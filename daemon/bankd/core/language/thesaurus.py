"""Words that say the same, Korean and English, a group a line: Korean lemmas, a bar, English words without their endings.

Everyday life, work and technology: what people exchange when they say a thing again, or in the other language. A word may
stand in one group only. Written for bankd; a group holds no two words that a fact could tell apart (coffee and latte).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType

from bankd.core.language.english.stemming import stem_word

_GROUPS = """
에디터 편집기 | editor
사용 쓰 이용 활용 | use utilize
운영 프로덕션 | production
개발자 프로그래머 | developer programmer
데이터베이스 디비 DB | database db
서버 | server
저장소 레포지토리 리포지토리 레포 | repository repo
배포 디플로이 | deploy deployment
머지 병합 | merge
리뷰 검토 | review
회의 미팅 모임 | meeting
설정 환경설정 컨피그 | configuration config settings setting
오류 에러 버그 | error bug
장애 | outage incident
수정 고치 | fix
테스트 시험 | test
마감 마감일 데드라인 기한 | deadline due
일정 스케줄 | schedule
프로젝트 | project
보관 저장 보존 | store keep save retain
삭제 제거 지우 없애 | delete remove erase
설치 | install
업데이트 갱신 | update
업그레이드 판올림 | upgrade
백업 | backup
비밀번호 패스워드 암호 | password
계정 아이디 | account
이메일 메일 전자우편 | email mail
전화번호 연락처 | phone number
휴대폰 핸드폰 휴대전화 폰 스마트폰 | phone cellphone mobile smartphone
컴퓨터 피시 | computer pc
노트북 랩톱 | laptop notebook
모니터 화면 디스플레이 | monitor screen display
키보드 자판 | keyboard
이어폰 헤드폰 | headphone earphone
인터넷 네트워크 와이파이 | internet network wifi
웹사이트 홈페이지 사이트 | website site homepage
앱 어플 애플리케이션 어플리케이션 | app application
파일 | file
폴더 디렉터리 디렉토리 | folder directory
문서 도큐먼트 | document documentation doc
코드 | code
라이브러리 | library
쿠버네티스 | kubernetes k8s
도커 | docker
파이썬 | python
자바스크립트 | javascript js
타입스크립트 | typescript ts
깃허브 | github
깃 | git
리눅스 | linux
윈도우 윈도 | windows
터미널 셸 | terminal shell
클라우드 | cloud
캐시 | cache
로그 기록 | log record
회사 직장 일터 | company firm workplace
직업 일 | job work occupation profession employ
사무실 오피스 | office
동료 직장동료 | colleague coworker teammate
상사 매니저 관리자 | boss manager supervisor
팀장 리더 | lead leader
고객 클라이언트 손님 | client customer
월급 급여 봉급 연봉 | salary wage
퇴사 | resign
입사 취직 취업 | join hired
승진 | promotion promoted
재택근무 원격근무 재택 원격 | remote
출장 | trip
출근 통근 | commute
휴가 | vacation holiday leave
교사 선생 선생님 쌤 교원 | teacher
의사 | doctor physician
간호사 | nurse
변호사 | lawyer attorney
학생 | student
대학교 대학 | university college
학교 | school
공부 학습 | study
배우 익히 | learn
수업 강의 강좌 | class lesson course lecture
시험 고사 | exam examination
졸업 | graduate graduation
전공 | major
자격증 면허 면허증 | licence license certificate
책 도서 서적 | book
소설 | novel
읽 독서 | read
영화 | film movie
음악 노래 | music song
악기 | instrument
연주 치 | play
취미 여가 | hobby
운동 | exercise workout training
헬스장 체육관 | gym
달리 뛰 달리기 조깅 러닝 | run running jog jogging
수영 헤엄치 | swim swimming
자전거 | bicycle bike cycling
등산 산행 하이킹 | hike hiking
여행 | travel travelling traveling journey
비행기 항공편 | plane flight fly
기차 열차 | train
지하철 전철 | subway metro underground
자동차 차 승용차 | car automobile vehicle
운전 몰 | drive driving
주차 | parking park
집 주택 댁 | house home
아파트 | apartment flat
이사 이주 옮기 | move moved relocate relocated
살 거주 | live reside residing
방 | room
부엌 주방 | kitchen
냉장고 | fridge refrigerator
에어컨 | aircon
세탁기 | washer
월세 임대료 집세 | rent
집주인 건물주 임대인 | landlord
고양이 | cat
강아지 개 | dog puppy
반려동물 애완동물 | pet
가족 식구 | family
부모 부모님 | parent
어머니 엄마 | mother mom mum
아버지 아빠 | father dad
할머니 외할머니 | grandmother grandma
할아버지 외할아버지 | grandfather grandpa
아내 와이프 집사람 부인 | wife
남편 신랑 | husband
배우자 | spouse
아들 | son
딸 | daughter
자녀 아이 자식 애 | child kid children
형제 형 오빠 남동생 | brother
자매 누나 언니 여동생 | sister
조카 | nephew niece
사촌 | cousin
친구 벗 | friend
이웃 옆집 | neighbour neighbor
애인 연인 | partner
결혼 혼인 | marry married marriage wedding
이혼 | divorce divorced
생일 생신 탄생일 | birthday
태어나 출생 | born birth
고향 출신지 | hometown
나이 연세 살 | age old
이름 성함 성명 | name
별명 닉네임 | nickname
음식 먹거리 | food meal
먹 식사 섭취 드시 | eat eating
마시 | drink drinking
요리 조리 | cook cooking
아침식사 조식 | breakfast
점심 점심식사 중식 | lunch
저녁식사 석식 | dinner supper
물 | water
커피 | coffee
녹차 | tea
술 알코올 | alcohol
맥주 | beer
담배 흡연 | smoke smoking cigarette tobacco
금연 | nonsmoking
채식 채식주의자 비건 | vegetarian vegan
고기 육류 | meat
해산물 어패류 | seafood
갑각류 조개류 | shellfish
땅콩 | peanut
견과류 | nut
알레르기 알러지 알레지 | allergy allergic
약 의약품 | medicine medication drug pill
복용 | taking
병원 의원 | hospital clinic
치과 | dentist dental
진료 진찰 | appointment
수술 | surgery operation operated
건강 | health
건강검진 검진 | checkup
혈압 | bloodpressure
아프 통증 아픔 | hurt hurting pain ache sore
두통 머리아프 | headache
잠 수면 자 취침 | sleep sleeping bedtime asleep
기상 일어나 깨 | wake waking
불면증 불면 | insomnia
스트레스 | stress
체중 몸무게 | weight weigh
안경 | glasses
돈 금전 | money cash
값 가격 비용 요금 | price cost fee charge
사 구입 구매 | buy bought purchase purchased
팔 판매 매각 | sell sold
지불 결제 납부 내 | pay paid payment
저축 적금 | saving savings
은행 | bank
세금 | tax
보험 | insurance
구독 | subscription subscribe subscribed
해지 취소 해약 | cancel cancelled canceled terminate
예약 | reservation booking book reserved booked
계약 | contract
선호 좋아하 즐기 좋 | prefer preferred like love enjoy fond favour favor
싫어하 싫 혐오 꺼리 | dislike hate loathe detest
최애 | favourite favorite
믿 신뢰 | believe trust
생각 의견 견해 | think opinion view
중요 중시 소중 | important matter essential
목표 | goal aim target objective
계획 | plan planning
희망 바라 원하 | want hope wish
필요 요구 | need require required necessary
시작 개시 착수 | start begin started began beginning launch
끝나 끝내 종료 완료 마치 마무리 | end finish finished complete completed done over
그만두 중단 멈추 관두 끊 | stop stopped quit
바꾸 교체 변경 전환 갈아타 | change changed switch switched replace replaced
만들 제작 생성 | make made create created build built
보내 전송 발송 송부 | send sent
받 수신 수령 | receive received get
묻 질문 문의 | ask question
답 답변 대답 회신 | answer reply response
설명 | explain explanation
말 이야기 얘기 | talk say tell
만나 | meet met
돕 도움 거들 | help assist
찾 검색 탐색 | search find
열 오픈 개장 | open opening
닫 휴업 문닫 휴무 쉬 | close closed shut
빠르 신속 | fast quick rapid
느리 더디 | slow
크 커다랗 | big large
작 조그맣 | small little
많 | many much lot
적 | few
짧 간결 간단 | short concise brief succinct
길 | long lengthy
쉽 간편 수월 | easy simple
어렵 힘들 | difficult hard tough
새롭 새 | new
오래 낡 | old
비싸 고가 | expensive pricey costly
저렴 | cheap inexpensive
조용 고요 | quiet silent calm
시끄럽 소란 | noisy loud
깨끗 청결 | clean tidy
위험 | dangerous risky
안전 | safe secure
행복 기쁘 | happy glad
슬프 | sad
피곤 지치 | tired exhausted
바쁘 | busy
한가 | free
매일 날마다 하루하루 | daily everyday
매주 주마다 | weekly
매달 매월 달마다 | monthly
매년 해마다 | yearly annually
최소 적어도 이상 | least minimum
최대 많아야 이하 | most maximum max
약 정도 쯤 가량 대략 | about around approximately roughly
모두 전부 모든 다 전체 | all every whole entire
항상 언제나 | always
보통 주로 대개 대체로 | usually mostly mainly usual normally main primary primarily
자주 종종 | often frequently
가끔 때때로 이따금 | sometimes occasionally
함께 같이 | together
혼자 홀로 | alone
지금 현재 요즘 | now currently current nowadays
이후 뒤 후 다음 | after afterwards
이전 전 | before
오전 | am
주말 | weekend weekends
동네 지역 마을 | neighbourhood neighborhood area
도시 | city town
나라 국가 | country
거리 길거리 | street road
식당 음식점 레스토랑 | restaurant
카페 커피숍 찻집 | cafe coffeehouse
가게 상점 점포 매장 | shop store
공원 | park
도서관 | library
위치 자리 소재 | located location
복도 통로 | aisle
창가 창문 | window
좌석 자리 석 | seat
왼쪽 좌측 | left
오른쪽 우측 | right
담당 맡 책임 | responsible charge owner
승인 허가 결재 | approve approval approved
거절 거부 | reject refuse decline
시간 | time hour
날짜 일자 | date
장소 곳 | place venue
방법 방식 | way method
이유 까닭 원인 | reason cause
결과 | result outcome
문제 이슈 | problem issue trouble
해결 | solve resolve solved resolved
정리 요약 | summary summarize summarise
목록 리스트 명단 | list
번호 숫자 | number
사진 | photo picture photograph
선물 | gift present
옷 의류 의복 | clothes clothing
신발 구두 | shoe shoes
색 색깔 색상 빛깔 | colour color
날씨 기상상태 | weather
비 | rain
눈 | snow
여름 | summer
겨울 | winter
봄 | spring
가을 | autumn fall
바다 해변 바닷가 | sea beach ocean
산 | mountain
꽃 | flower
나무 | tree
정원 화단 텃밭 | garden
청소 | cleaning
빨래 세탁 | laundry
쓰레기 | trash rubbish garbage
열쇠 키 | key
문 | door
우산 | umbrella
안 실내 | indoors
밖 바깥 실외 | outdoors outside
양성 플러스 | positive
음성 마이너스 | negative
분기 | quarter
한도 제한 상한 | limit cap capped
초과 넘 | exceed
호출 요청 | call request
화상 영상 비디오 | video
소음 | noise
집중 | focus concentration concentrate
생산성 | productivity
정직 솔직 | honest honesty
자유 | freedom liberty
성격 기질 | personality character
습관 버릇 | habit
"""


def synonym_groups() -> Iterator[Sequence[str]]:
    """The words of each group, as they are written."""
    return (line.replace("|", " ").split() for line in _GROUPS.strip().splitlines())


@cache
def _by_word() -> Mapping[str, str]:
    """Each word with the group that it stands for: its first word."""
    found: dict[str, str] = {}
    for words in synonym_groups():
        for word in words:
            found.setdefault(stem_word(word.casefold()), words[0])
    return MappingProxyType(found)


@lru_cache(maxsize=100_000)
def concept_of(word: str) -> str:
    """The word that stands for a word, in any of its forms, and its synonyms in both languages; its stem when none does."""
    stem = stem_word(word.casefold())
    return _by_word().get(stem, stem)


def is_in_a_group(word: str) -> bool:
    """Whether a word, in any of its forms, stands in a group."""
    return stem_word(word.casefold()) in _by_word()


@cache
def _by_group() -> Mapping[str, tuple[str, ...]]:
    """By the first word of a group its words, as terms."""
    found: dict[str, tuple[str, ...]] = {}
    for word, group in _by_word().items():
        found[group] = (*found.get(group, ()), word)
    return MappingProxyType(found)


def synonyms_of(term: str) -> tuple[str, ...]:
    """The other terms of its group, in both languages; none where it has no group."""
    group = _by_word().get(term)
    return tuple(other for other in _by_group()[group] if other != term) if group else ()
