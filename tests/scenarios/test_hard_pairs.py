"""Pairs of memories that a tool must not confuse, and pairs that it must recognise, in Korean and English."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bankd.core.dedup.duplicates import Relation, Verdict, compare_statements
from bankd.core.language.reading import read_statement
from bankd.core.language.wording import Wording

SAME = [
    ("작업 서버로는 레디스를 쓰고 있다", "작업 서버로는 Redis를 쓰는 중이다"),
    ("이미지는 도커로 만든다", "이미지는 Docker로 만든다"),
    ("영수증은 14일 보관한다", "영수증은 2주간 보관한다"),
    ("제주에서 일주일간 쉬었다", "제주에서 7일 쉬었다"),
    ("보일러는 2023년 11월에 새로 샀다", "보일러는 23년 11월에 새로 구입했다"),
    ("보일러는 1998년 3월에 샀다", "보일러는 98년 3월에 구입했다"),
    ("점검은 매일 새벽 3시에 돌아간다", "날마다 03:00에 점검이 실행된다"),
    ("검증 서버 포트는 8080번이다", "검증 서버는 8080 포트를 쓴다"),
    ("할머니는 아침마다 관절약을 드신다", "할머니는 매일 아침 관절약을 드세요"),
    ("주차비는 한 달에 9만 원이다", "주차비는 매달 9만원 나온다"),
    ("동생에게 책을 줬다", "동생한테 책을 줬어요"),
    ("친구와 동생이 갔다", "동생과 친구가 갔다"),
    ("언니랑 내 친구랑 연락한다", "언니가 내 친구랑 연락한다"),
    ("전 커피를 마신다", "저는 커피를 마신다"),
    ("Open from 9-17", "open from 9-17."),
    ("철수가 영희를 좋아한다", "영희를 철수가 좋아한다"),
    ("관리비는 29만원이다", "관리비는 290,000원이다"),
    ("오후 3시에 만나기로 했다", "15시에 만나기로 했어요"),
    ("세 번 만났다", "3번 만났다"),
    ("I don't like coffee", "I do not like coffee"),
    ("I'm allergic to peanuts.", "I am allergic to peanuts"),
    ("Uses MongoDB for logs", "uses mongodb for logs."),
    ("Meeting on May 3rd", "Meeting on 3 May"),
    ("Meeting at 3pm", "Meeting at 3 pm"),
    ("담배를 안 피운다", "담배를 피우지 않는다"),
    ("Prefers concise replies", "Prefers very concise replies"),
    ("아침마다 로그를 먼저 읽는 루틴을 지킨다.", "아침마다 로그를 먼저 읽는 루틴을 지킵니다"),
    ("가치관: 정직을 최우선으로 한다.", "가치관: 정직을 최우선으로 합니다"),
    ("어머니가 부산에 계신다", "엄마가 부산에 있어"),
]

UPDATES = [
    ("Server listens on port 8080.", "Server listens on port 8081."),
    ("나는 학교에 안 간다", "나는 학교에 간다"),
    ("회의는 9월 3일이다", "회의는 9월 4일이다"),
    ("Peter prefers concise replies.", "Peter doesn't prefer concise replies."),
    ("The trail is 10 km long.", "The trail is 10 mi long."),
    ("매운 음식을 좋아한다", "매운 음식을 싫어한다"),
    ("오전 9시에 회의", "오후 9시에 회의"),
    ("월요일마다 청소한다", "화요일마다 청소한다"),
    ("세 번 만났다", "네 번 만났다"),
    ("Meeting at 3pm", "Meeting at 4pm"),
    ("갈 수 있다", "갈 수 없다"),
    ("Peter moved to Busan in 2023", "Peter moved to Busan in 2024"),
    ("Peter visited Paris", "Peter visited Rome"),
    ("버전은 1.7.96이다", "버전은 1.7.97이다"),
    ("버전은 v2다", "버전은 v3다"),
    ("10만원을 냈다", "10만 달러를 냈다"),
    ("매일 8시간 잔다", "매일 6시간 잔다"),
    ("우유를 하루 2잔 마신다", "우유를 하루 3잔 마신다"),
    ("나는 금요일 배포를 맡는다", "나는 월요일 배포를 맡는다"),
    ("에디터는 vim을 쓴다", "에디터는 emacs를 쓴다"),
    ("Pushes directly to main are allowed", "Pushes directly to main are forbidden"),
]

OTHERS = [
    ("이미지는 도커로 만든다", "이미지는 Podman으로 만든다"),
    ("Peter lives in Seoul.", "Paul lives in Seoul."),
    ("Peter lives in Seoul", "Peter lives in Seoul with his wife and two sons"),
    ("Peter lives in Seoul with his wife", "Peter lives in Seoul"),
    ("민수 생일은 5월 3일", "지영 생일은 5월 3일"),
    ("내 생일은 5월 3일", "지영 생일은 5월 3일"),
    ("5월 월세를 냈다", "6월 월세를 냈다"),
    ("3장을 읽었다", "4장을 읽었다"),
    ("고객 A는 환불을 요청했다", "고객 B는 환불을 요청했다"),
    ("운영 서버 2번을 껐다", "운영 서버 3번을 껐다"),
]

OTHER_WORDS = [
    ("The dog sleeps every day", "The dog sleeps daily"),
    ("Anna works for Google", "Anna works at Google"),
    ("The report is due on Friday", "The report is due by Friday"),
    ("통로 쪽 좌석을 선호한다", "통로 쪽 좌석을 더 좋아한다"),
    ("아침마다 커피를 마신다", "나는 아침마다 커피를 마신다"),
    ("회의는 매주 월요일 10시에 한다", "우리는 매주 월요일 10시에 미팅이 있다"),
    ("휴대폰은 책상 위에 있다", "핸드폰은 책상 위에 있다"),
    ("We deploy every Tuesday at 10:00", "On Tuesdays at 10:00 we deploy"),
    ("My brother purchased a red bicycle", "My brother bought a red bike"),
    ("The bakery is closed on Mondays", "On Mondays the bakery is not open"),
]

OTHER_VALUES = [
    ("미나의 염소 이름은 보리다", "미나의 염소 이름은 마루다"),
    ("합창단 단장은 강문수 님이다", "박지영 씨가 합창단 단장이다"),
    ("축구부 주장은 강문수 님이다", "임하영 씨가 축구부 주장이다"),
    ("보조 서버는 도쿄 리전에 있다", "보조 서버 리전은 서울입니다"),
    ("우산은 신발장에 있다", "우산은 베란다에 걸려 있다"),
    ("안방 커튼은 남색이다", "안방 커튼은 회색임"),
    ("채팅 API 문서는 위키에 있다", "채팅 API 문서는 컨플루언스에서 관리한다"),
    ("정산 로그 레벨은 INFO로 둔다", "정산 쪽 로그 레벨은 ERROR다"),
    ("동창회 장소는 별관 강당이다", "동창회는 본관 식당에서 열린다"),
]

NO_OTHER_VALUES = [
    ("미나의 염소 먹이는 보리다", "미나의 염소 먹이는 마루다"),
    ("저녁은 카레다", "저녁 회식은 강남역이다"),
    ("우리 집 앵무새는 코뉴어다", "우리 집 앵무새는 암컷이다"),
    ("보조 서버는 도쿄에 있다", "보조 서버 백업은 서울에 있다"),
    ("수진은 새우 알레르기가 있다", "수현은 새우 알레르기가 있다"),
    ("동창회 장소는 강남이다", "동창회 시간은 3시다"),
    ("열차는 서울역에 있다", "열차는 서울역에서 일한다"),
    ("민수가 합창단 단원이다", "하영이 합창단 단원이다"),
    ("수집기는 파이썬으로 짜여 있다", "화면은 타입스크립트로 짜여 있다"),
]

CHANGES = [
    ("담배를 피운다", "담배를 끊었다"),
    ("우리 팀은 메신저로 슬랙을 쓴다", "우리 팀이 메신저를 팀즈로 바꿨다"),
    ("동생은 대전에 산다", "동생이 대전에서 이사했다"),
    ("I use the gym near the office every morning", "I no longer go to the gym near the office"),
    ("휴대폰은 갤럭시 S21을 쓴다", "휴대폰을 아이폰으로 바꿨다"),
    ("The nightly backup runs on a NAS", "The nightly backup was moved to the cloud"),
    ("I go to the gym near the office", "I no longer go to the gym near the office"),
]

NO_CHANGES = [
    ("동생은 대전에 산다", "언니가 대전에서 이사했다"),
    ("딸은 피아노를 배운다", "딸이 이제 수영도 배운다"),
    ("The Berlin shop has ten people", "The Madrid shop has grown to ten people"),
    ("동생이 대전으로 이사했다", "동생이 대전으로 이사했다고 좋아한다"),
    ("이 노트북은 SSD를 하나 더 꽂을 수 있음", "이 노트북은 램을 교체할 수 있다"),
    ("Ida's train to Oslo was three hours late", "Ida's flight to Oslo was delayed by three hours"),
    ("The ferry is open on Sundays", "The ferry's kitchen stays closed on Sundays"),
    ("Ida's maiden name is Kowalski", "Ida's mother's maiden name is Nowak"),
    ("The test script should be run after lunch", "The migration script should be run before lunch"),
    ("Admins can delete a whole boat", "A boat can be renamed by admins"),
    ("Ida said not to commit directly to main", "Ida said not to force-push to main branches"),
]

LOOK_ALIKES = [
    ("Sent by Anna", "Sent to Anna"),
    ("The gift from Anna is red", "The gift for Anna is red"),
    ("The bug is in the parser", "The bug is by the parser"),
    ("Bought with Anna", "Bought for Anna"),
    ("The talk about Anna is at 5", "The talk with Anna is at 5"),
    ("The order was placed as Kim", "The order was placed by Kim"),
    ("Ask Peter or Anna", "Ask Peter and Anna"),
    ("The live server is down", "The server is down"),
    ("The last train is at 11", "The train is at 11"),
    ("The tool is used to deploy", "The tool used to deploy"),
    ("We write C", "We write C#"),
    ("Read .env first", "Read env first"),
    ("We use A/B tests", "We use B tests"),
    ("Floor -1 is closed", "Floor 1 is closed"),
    ("Temperature is -5", "Temperature is 5"),
    ("Phase I is done", "Phase is done"),
    ("A few people came", "Few people came"),
    ("Ship in 3 days", "Ship for 3 days"),
    ("Not tea but milk", "Tea but not milk"),
    ("아이가 담배를 끊게 했다", "아이가 담배를 끊었다"),
    ("담배를 끊을까 한다", "담배를 끊는다"),
    ("A가 쓴 보고서다", "A에 대한 보고서다"),
    ("A를 위한 보고서다", "A에 대한 보고서다"),
    ("A를 통해 접속한다", "A를 위해 접속한다"),
    ("민수하고 갔다", "민수가 갔다"),
    ("A 또는 B를 쓴다", "A 그리고 B를 쓴다"),
    ("전 남편은 의사다", "남편은 의사다"),
    ("더 큰 화면이다", "큰 화면이다"),
    ("한 시간 더 잔다", "한 시간 잔다"),
    ("10일부터 낸다", "10일에 낸다"),
    ("동생한테 빌렸다", "동생한테 빌려줬다"),
    ("Maya lent Luis her bike", "Luis lent Maya her bicycle"),
    ("Today Maya has Luis's bicycle", "Today Luis has Maya's bike"),
    ("The customer hired the lawyer", "The attorney hired the customer"),
    ("화요일에 회의가 있다", "화요일마다 미팅이 있다"),
    ("사무실은 이제 조용하다", "오피스는 조용하지 않다"),
    ("I will buy a car before May", "In May I will purchase a car"),
    ("파이썬 3.1을 쓴다", "파이썬 3.10을 쓴다"),
    ("항목 1, 2번을 뺀다", "항목 12번을 뺀다"),
    ("응답은 < 10ms", "응답은 > 10ms"),
    ("응답은 ~10초 걸린다", "응답은 10초 걸린다"),
    ("팀 A B", "팀 AB"),
    ("저 집은 크다", "내 집은 크다"),
    ("세금은 10²원", "세금은 102원"),
    ("민수는 서울에서 부산으로 이사했다", "민수는 부산에서 서울로 이사했다"),
    ("철수가 영희를 좋아한다", "영희가 철수를 좋아한다"),
    ("철수는 사과를 먹고 영희는 배를 먹는다", "철수는 배를 먹고 영희는 사과를 먹는다"),
    ("John loves Mary", "Mary loves John"),
    ("빨간 모자와 파란 신발을 샀다", "파란 모자와 빨간 신발을 샀다"),
    ("Bought 3 apples and 2 pears", "Bought 2 apples and 3 pears"),
    ("커피만 마신다", "커피도 마신다"),
    ("커피를 마신다", "커피만 마신다"),
    ("Works for US office", "Works for us office"),
    ("비가 오면 집에 있는다", "비가 와서 집에 있는다"),
    ("커피를 좋아한다고 한다", "커피를 좋아한다"),
    ("커피를 좋아하는 것 같다", "커피를 좋아한다"),
    ("거의 매일 운동한다", "매일 운동한다"),
    ("아마 금요일에 배포한다", "금요일에 배포한다"),
    ("금요일에 배포할 예정이다", "금요일에 배포한다"),
    ("금요일에 배포했다", "금요일에 배포한다"),
    ("모든 테스트가 통과한다", "일부 테스트가 통과한다"),
    ("서버가 가능하다", "서버가 불가능하다"),
    ("공식 문서가 있다", "비공식 문서가 있다"),
    ("He usually works late", "He works late"),
    ("She has a son", "She has sons"),
    ("온도는 -2도다", "온도는 2도다"),
    ("10~20명", "10~30명"),
    ("가격은 $20", "가격은 €20"),
    ("The API key is in vault A", "The API key is in vault B"),
    ("Never deploy on Friday", "Deploy on Friday"),
    ("Deploy without tests", "Deploy with tests"),
    ("Peter is taller than Paul", "Paul is taller than Peter"),
    ("철수가 영희보다 크다", "영희가 철수보다 크다"),
    ("밥을 먹기 전에 약을 먹는다", "밥을 먹은 후에 약을 먹는다"),
    ("python으로 개발한다", "java로 개발한다"),
    ("Editor is vim", "Editor is emacs"),
    ("삼성전자에 다닌다", "엘지전자에 다닌다"),
    ("수빈이는 나의 언니다", "하진이는 나의 언니다"),
    ("A나 B를 쓴다", "A와 B를 쓴다"),
    ("주은이는 미국 출장 중이다", "주은이 미국에서 돌아왔음"),
    ("작년에 허리 수술을 권유받았음", "작년에 허리 수술을 받았다"),
    ("남편은 내가 추울까 봐 먼저 불을 켰다", "남편이 추울까 봐 내가 먼저 불을 켰음"),
    ("수아는 발표가 늦게 끝날 것 같다고 했음", "수아는 발표에 늦을 것 같다고 했다"),
    ("할머니가 다리 다친 분을 간병하신다", "할머니가 다리를 다치셨다"),
    ("백엔드는 Go로 쓰고 프론트는 TS로 쓴다", "백엔드는 TS로 쓰고 프론트는 Go로 쓴다"),
    ("Team A beat team B", "Team B beat team A"),
    ("팀장은 민수고 부팀장은 지영이다", "팀장은 지영이고 부팀장은 민수다"),
    ("민수는 빠르고 지영이는 느리다", "지영이는 빠르고 민수는 느리다"),
    ("커피보다 차를 좋아한다", "차보다 커피를 좋아한다"),
    ("C++을 쓴다", "C를 쓴다"),
    ("C#을 쓴다", "C를 쓴다"),
    ("port 8080/tcp", "port 8080/udp"),
    ("1.5배", "15배"),
    ("3 a.m.", "3 p.m."),
    ("첫 번째 선택", "두 번째 선택"),
    ("이틀 동안 쉬었다", "사흘 동안 쉬었다"),
    ("반장이다", "반장이 아니다"),
    ("맥주를 잘 마신다", "맥주를 못 마신다"),
    ("회의를 미뤘다", "회의를 당겼다"),
    ("He can swim", "He can't swim"),
    ("He can swim", "He cannot swim"),
    ("Peter's cat is black", "Peter's dog is black"),
    ("@a uses x", "@b uses x"),
    ("5/3에 시작", "3/5에 시작"),
    ("see https://a.com/x", "see https://a.com/y"),
    ("파일은 a.txt", "파일은 b.txt"),
    ('"Yes"라고 답했다', '"No"라고 답했다'),
    ("no sugar in coffee", "sugar in coffee"),
    ("한국어로 답한다", "영어로 답한다"),
    ("민수 형은 부산에 산다", "민수는 부산에 산다"),
    ("엄마 친구가 의사다", "엄마가 의사다"),
    ("엄마 친구가 의사다", "친구가 의사다"),
    ("언니 부산에 살아", "부산에 살아"),
    ("지난 주에 커피를 끊었다", "지난 주에 커피를 마셨다"),
]


@pytest.fixture(scope="module")
def judge(analyse: Callable[[str], Wording]) -> Callable[[str, str], Verdict]:
    return lambda old, new: compare_statements(read_statement(analyse(old)), read_statement(analyse(new)))


@pytest.mark.parametrize(("old", "new"), SAME + OTHER_WORDS)
def test_a_rewording_is_the_same_both_ways(judge: Callable[[str, str], Verdict], old: str, new: str) -> None:
    outcomes = judge(old, new).outcome, judge(new, old).outcome

    assert outcomes == (Relation.SAME, Relation.SAME)


@pytest.mark.parametrize(("old", "new"), UPDATES)
def test_a_changed_value_of_the_same_subject_is_an_update(
    judge: Callable[[str, str], Verdict], old: str, new: str
) -> None:
    outcomes = judge(old, new).outcome, judge(new, old).outcome

    assert outcomes == (Relation.UPDATE, Relation.UPDATE)


@pytest.mark.parametrize(("old", "new"), OTHERS)
def test_another_subject_or_more_said_is_different(judge: Callable[[str, str], Verdict], old: str, new: str) -> None:
    assert judge(old, new).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(("old", "new"), LOOK_ALIKES)
def test_a_look_alike_is_never_the_same(judge: Callable[[str, str], Verdict], old: str, new: str) -> None:
    assert Relation.SAME not in (judge(old, new).outcome, judge(new, old).outcome)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("큰 병원에 다닌다. 서울에 있는 곳이다", "큰 병원에 다닌다"),
        ("나는 자주 도서관에서 책을 읽는다", "나는 도서관에서 책을 읽었다"),
        ("나는 도서관에서 책을 읽는다", "나는 자주 도서관에서 책을 읽는다"),
    ],
)
def test_what_only_one_says_keeps_them_apart(judge: Callable[[str, str], Verdict], old: str, new: str) -> None:
    assert judge(old, new).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_told_in_other_words_is_an_update(judge: Callable[[str, str], Verdict], old: str, new: str) -> None:
    assert judge(old, new).outcome is Relation.UPDATE


@pytest.mark.parametrize(("old", "new"), OTHER_VALUES)
def test_another_value_in_another_form_is_an_update(judge: Callable[[str, str], Verdict], old: str, new: str) -> None:
    assert judge(old, new).outcome is Relation.UPDATE


@pytest.mark.parametrize(("old", "new"), NO_OTHER_VALUES)
def test_another_value_of_something_else_is_none(judge: Callable[[str, str], Verdict], old: str, new: str) -> None:
    assert judge(old, new).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(("old", "new"), NO_CHANGES)
def test_a_change_of_something_else_is_none(judge: Callable[[str, str], Verdict], old: str, new: str) -> None:
    assert judge(old, new).outcome is Relation.DIFFERENT


def test_saying_less_is_saying_nothing_new(judge: Callable[[str, str], Verdict]) -> None:
    long, short = "나는 주말마다 조용히 도서관에서 책을 읽는다", "나는 주말마다 도서관에서 책을 읽는다"

    assert judge(long, short).outcome is Relation.SAME
    assert judge(short, long).outcome is Relation.DIFFERENT
