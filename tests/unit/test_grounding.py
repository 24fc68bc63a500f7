"""A line is attested when each day, number, time, code and name of it stands in the sentences that it rests on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from bankd.night.attest import Passage, find_unattested, sentences_of
from bankd.same.reading import read_statement
from bankd.words.statement import TokenKind, Wording

Analyse = Callable[[str], Wording]


def why_not(line: str, source: str, analyse: Analyse) -> str | None:
    """What `find_unattested` says of a line and a source, the lines of which have bars between them."""
    texts = [line, *(sentence for one in source.split(" / ") for sentence in sentences_of(one))]
    ours, *theirs = [Passage(text, read_statement(analyse(text))) for text in texts]
    return find_unattested(ours, theirs, date(2026, 5, 4))


@pytest.mark.parametrize(
    ("line", "source", "reason"),
    [
        ("Three shelves are new.", "The pump runs 3.10 of the firmware", "the value 3"),
        ("보람 씨는 늦게 온다.", "이슬 씨는 늦게 온다.", "the name 보람"),
        ("오후 7시에 만난다.", "오전 7시에 만난다", "the value 19시"),
        ("The rope is 9.5 m long.", "The rope is 9.6 m long", "the value 9.5 m"),
        ("버스는 아침 8시에 뜬다.", "버스는 오후 8시에 뜬다", "the value 8시"),
        ("이번 주에 심는다.", "다음 주에 심는다", "the day '이번 주'"),
        ("수확을 이번 두레로 당겼다.", "수확을 다음 두레로 미뤘다", "the value 이번"),
        ("물은 화요일에 준다.", "물은 월·수에 준다", "the day '화요일'"),
        ("사진은 Notion에 올린다.", "사진은 슬랙에 올린다", "the name notion"),
        ("The well opens on 7 July 2027.", "The well opens on 7 July", "the day '7 July 2027'"),
        ("The lease ends in February 2027.", "The lease ends Feb 2028", "the day 'February 2027'"),
        ("약은 5mg이다.", "약은 6밀리다", "the value 5mg"),
        ("약은 5mg이다.", "약은 15밀리다", "the value 5mg"),
        ("약은 25mg이다.", "약은 2.5밀리다", "the value 25mg"),
        ("물은 매달 갈아 준다.", "물은 목요일마다 갈아 준다", "the value 매달"),
        ("물은 매일 갈아 준다.", "물은 목요일마다 갈아 준다", "the value 매일"),
        ("물은 매주 갈아 준다.", "물은 2주마다 갈아 준다", "the value 매주"),
        ("물은 매달 갈아 준다.", "물은 두 달마다 갈아 준다", "the value 매달"),
        ("It leaks weekly.", "It leaks for 90 days", "the value weekly"),
        ("It leaks weekly.", "It leaks every weekday", "the value weekly"),
        ("The rope costs 3812.40 euros.", "The rope costs 3,812.50 euros", "the value 3812.40 euros"),
        ("약은 3일분 받았다.", "약은 나흘 치 받았다", "the value 3일분"),
        ("밧줄은 2억 7,000만 원이다.", "밧줄은 2억 6천만 원이다", "the value 270000000원"),
        ("The bus leaves at noon.", "The bus leaves at 3", "the value 12:00"),
        ("Mina has 14 kg left.", "Mina used 12 of 30 kg", "the value 14 kg"),
        ("Mina has 7 kg left.", "Mina used 12 of 19 kg", "the value 7 kg"),
        ("The boat leaves on Wednesday.", "boat leaves Tue", "the day 'Wednesday'"),
        ("The rope is due again on 2026-05-24.", "rope due again in two weeks", "the day '2026-05-24'"),
        ("The rent is due again on 2026-06-01.", "rent paid, due again in a month", "the day '2026-06-01'"),
        ("The rope is due again on 2026-05-20.", "rope due again in two weeks", "the day '2026-05-20'"),
        ("저녁에 우물이 막혔다.", "02:40 우물 막힘", "the value 저녁"),
        ("The idea was turned down by 5 to 3.", "idea turned down 5:2", "the value 3"),
        ("밧줄 마감은 2026년 5월 27일이다.", "밧줄 마감 5/26.", "the day '2026년 5월 27일'"),
        ("밧줄은 38만 원이다.", "밧줄 28만", "the value 380000원"),
        ("예산을 120만 원에서 90만 원으로 줄였다.", "예산 120 → 80만원으로 줄임", "the value 900000원"),
        ("The timeout of the pump was raised from 30s to 60s.", "pump: timeout 30s → 90s", "the value 60s"),
        ("Ines waits at 13:25.", "Ines waits 13:20-14:05", "the value 13:25"),
        ("The port of the pump is 8081.", "pump port 8080", "the value 8081"),
        ("The pump has firmware 3.1.2.", "pump: firmware v3.1.21", "the value 3.1.2"),
        ("Call pump_off first.", "Call pump_on first.", "pump_off"),
        ("The job is in ops/pump.yaml.", "The job is in ops/well.yaml", "ops/pump.yaml"),
        ("Greta waters the figs.", "Nora waters the figs.", "the name Greta"),
        ("회의는 수요일에 한다.", "회의는 화, 목 저녁", "the day '수요일'"),
        ("The board meets in March.", "board: Tue, and in Jan", "the day 'March'"),
        ("우물은 21시부터 판다.", "우물 22:00~23:35", "the value 21시"),
    ],
)  # fmt: skip
def test_what_its_lines_do_not_have_is_named(line: str, source: str, reason: str, analyse: Analyse) -> None:
    assert why_not(line, source, analyse) == f"{reason} is not in its lines"


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("The rope is 30 m long.", "The well is 40 m deep. The rope is 30 m long."),
        ("The south pump runs at 30 Hz.", "The north pump runs at 40 Hz. The south pump runs at 30 Hz."),
        ("The well was dug on 2026-05-03.", "The well was dug yesterday."),
        ("The bus leaves on 2026-05-06.", "The bus left on Wednesday."),
        ("한 명이 늦는다.", "한 분이 늦으신다"),
        ("방에서 2년째 산다.", "이 방에서 24개월 살았다"),
        ("The pump has firmware 3.1.2.", "We put firmware v3.1.2 on the pump."),
        ("The bus leaves at 14:00.", "The bus leaves at 2 p.m. from the shed."),
        ("접수 기한은 5월 9일이다.", "접수는 5월 9일까지"),
        ("우물 참가비 3만 원은 5월 8일까지 미나에게 낸다.", "우물 체험은 5월 19일 간다. 참가비 3만 원은 금요일까지 미나에게 낸다"),
        ("이슈 #271로 등록됨.", "이슈 #271만 만들어 둠"),
        ("램프 2.6은 샌다.", "램프는 2.5.1에 고정(2.6은 샌다)"),
        ("Imogen moves to the mill on 1 June 2026.", "Imogen wrote: she moves to the mill on the 1st"),
        ("Nils arrives on 9 May 2026 for a stay over Christmas.", "Nils is coming on the ninth of May and stays over Christmas"),
        ("배달 연동은 5월 11일 월요일에 다시 할 예정이다.", "배달 연동은 오늘 안 됐다. 다음 주 월요일에 다시 한다"),
        ("A sore wrist kept Piet from signing the books.", "Piet did not sign the books because of his wrist"),
        ("펌프 일로 30분을 예정보다 더 썼다.", "펌프로 30분 더 썼다. 설정 탓이다"),
        ("교재값은 강습료와 별개로 내야 한다.", "강습료에 교재비는 포함되지 않는다고 함. 교재비는 따로 낸다"),
        ("Redis를 7.2로 올리자는 의견은 세은의 반대로 보류되었다.", "redis 7.0에서 샌다. 7.2로 올리자는 제안은 세은이 반대해서 일단 보류"),
        ("숙소는 애월의 '바람채'로 확정되었으며 조식 포함 2박이다.", "숙소를 확정했다. 애월 '바람채' 2박, 조식 포함"),
        ("Redis 클러스터가 2026-05-04 새벽에 교체됨.", "새벽 2시부터 Redis 클러스터를 교체하는 작업을 했다"),
        ("pandas 2.2.3에서 groupby 실행 시 빈 그룹 3개가 누락되는 현상이 재현되었다.", "사용자가 pandas 2.2.3에서 groupby가 이상하다고 해서 재현해 봄. 2.2.3에서만 빈 그룹이 3개 빠짐."),
        ("The walk took 1 hour and 35 minutes.", "The walk took 95 minutes"),
        ("산책은 한 시간 삼십오 분 걸렸다.", "산책은 95분 걸렸다"),
        ("2026-04-24에 배를 예약했다.", "배는 24일 아침에 뜨는 것으로 예약했다"),
        ("The mill does not open on Sundays.", "The mill is shut on Sundays"),
        ("The board does not meet until 12 May.", "The board meets only on 12 May"),
        ("밧줄은 5월 9일까지 전달하기로 했다.", "밧줄은 5월 9일까지 넘겨주기로 했다"),
        ("Piet advised against buying the rope.", "Piet told me not to buy the rope"),
        ("펌프에 쓰이는 Lamp가 2.1로 교체되었다.", "펌프 쪽 Lamp를 2.1로 교체했다"),
        ("He ate at the mill with a friend named Piet.", "He ate at the mill with a friend called Piet"),
        ("옛 Lamp 노드의 사본은 5월 28일까지 보관한다.", "Lamp 클러스터를 교체했다. 구 노드의 사본은 28일까지 보관하며, 모니터링 대시보드 개편은 다음 주에 시작한다."),
        ("Once the lamp was lit, Mina left.", "The lamp was lit and Mina left"),
        ("Seventeen figs broke.", "17 figs broke"),
        ("The lamp costs 12 euros.", "The lamp costs 12"),
        ("The rope is 9.5 m long.", "The rope is 9.5 long"),
        ("The lamp costs $12.", "The lamp costs 12 dollars"),
        ("It copes with every one of version 6.1.", "It copes with all of version 6.1"),
        ("물은 2주간 끓인다.", "물은 2주 끓인다"),
        ("버스는 아침 8시에 뜬다.", "버스는 오전 8시에 뜬다"),
        ("안드로이드에서 등불이 켜진다.", "등불이 켜진다, Android"),
        ("약은 3개월간 먹는다.", "약은 3개월 먹는다"),
        ("While the lamp burned, Mina left.", "The lamp burned and Mina left"),
        ("등불은 슬랙으로 켠다.", "등불은 Slack으로 켠다"),
        ("The well opens on 7 July 2026.", "The well opens on 7 July"),
        ("The lease ends in February 2027.", "The lease ends Feb 2027"),
        ("Call her Nora instead of Greta.", "Call her Nora, not Greta."),
        ("밧줄은 23만 원 정도다.", "밧줄은 23만 원쯤"),
        ("The rope costs 3812.40 euros.", "The rope costs 3,812.40 euros"),
        ("우유는 5월 5일까지 먹는다.", "김치는 8월 말까지, 우유는 내일까지"),
        ("약정은 2026년 5월 30일에 끝나며 우유는 5월 8일까지 먹는다.", "약정은 5월 30일에 끝난다. 우유는 5월 8일까지 먹는다."),
        ("2026년 5월부터 금주하기로 했다.", "술은 이번 달부터 금주하기로 했다"),
        ("The bus leaves at 2 p.m. from the shed.", "The bus leaves at 14:00 from the shed"),
        ("판을 9.2에서 9.4로 업그레이드하기로 했다.", "판을 9.2에서 9.4로 올리기로 했다"),
        ("밧줄은 1인당 3m다.", "밧줄은 1인 3m다"),
        ("약은 3일분 받았다.", "약은 사흘 치 받았다"),
        ("밧줄은 2억 7,000만 원이다.", "밧줄은 2억 7천만 원이다"),
        ("밧줄은 2억 7,000만 원이다.", "밧줄은 2억 7천"),
        ("The choir sings on 6 May.", "The choir sings on Wednesday, the fair is on Thursday"),
        ("합창 모임은 2026-05-11까지 합창 선생님께 알린다.", "5월 8일은 합창 연습이고 합창 모임은 다음 주 월요일까지 합창 선생님께 알린다"),
        ("합창 연습 발표는 5월 9일에 한다.", "어제 말한 합창 연습 발표, 언제였지? 5월 9일입니다."),
        ("계약은 5월 31일에 끝난다.", "계약은 이달 말일에 끝난다"),
        ("Piet is not going to haul those lamps anywhere before June.", "Piet keeps the lamps in the shed until June"),
        ("한도 때문에 카드를 쓰지 못해 밥값은 노라가 냈다.", "카드는 한도 때문에 못 썼다. 밥값은 노라가 냈다"),
        ("The bus leaves at noon.", "The bus leaves at 12"),
        ("Pump 1.9.2 with a corrected lid is planned for Friday.", "- pump 1.9.0 was released today, tag by Kofi / - 1.9.2 with a corrected lid on Friday"),
        ("The flag stays off because Nora found holes.", "flag stays OFF, Nora found holes"),
        ("DSM 7.2.2 was installed on the NAS and Plex came back.", "NAS: DSM 7.2.2 installed, Plex came back"),
        ("메인 게임은 테라포밍 마스이고 진행은 경민이 한다.", "메인 게임 '테라포밍 마스', 진행은 경민"),
        ("The bill for April 1 to 18 is 2,940.", "bill Apr 1-18 is 2,940"),
        ("Ruth is on leave until 24 May.", "Ruth on leave till 24th"),
        ("Nora runs 9:40 per mile.", "Nora runs 9:40/mi"),
        ("The last order date for Christmas is 15 December.", "last order date for Xmas is Dec 15"),
        ("It was trained on two A100s.", "trained on 2x A100"),
        ("낮에는 금지하고 밤 11시에 하라고 했다.", "오늘 밤 11시에. 낮에는 금지"),
        ("해든은 반포장 86만원이다.", "해든 86만원 반포장"),
        ("합주는 2026-05-07 목요일 저녁 8시에 한다.", "합주 목 저녁 8시"),
        ("예식은 13시 30분으로 옮겼다.", "예식 12:30 → 13:30으로 옮김"),
        ("The permit for the well is valid until 2026-06-03.", "permit for the well valid till 03.06.2026"),
        ("The audit found RUSTSEC-2026-0031, in the pump.", "audit of the pump: 1 hit (RUSTSEC-2026-0031, high)"),
        ("The mill is closed on 7 and 8 May.", "mill closed Thu/Fri"),
        ("토요일에 상자 8개를 완성했다.", "상자 8개 완성(토)"),
        ("외할머니 잔치는 제주이며 항공권은 이번 주말에 예매한다.", "외할머니 잔치는 제주, 항공권은 여권이랑 상관없이 이번 주말 예매"),
        ("하루에 20페이지씩 맡는다.", "하루 20페이지 맡음"),
        ("The boat needs an answer by Wednesday, 2026-05-06.", "boat: say yes or no by Wednesday"),
        ("There are 61 GB of previews in the S3 bucket.", "asked to clean up the S3 bucket, found 61 GB of previews"),
        ("The choir meets Mrs Roux on Thursdays in May.", "In May choir meets Mrs Roux, on Thursdays"),
        ("Nora will not push the boat before May.", "said I'd not push Nora's boat before May"),
        ("연금저축은 그대로 두었다.", "연금저축은 손대지 않음"),
        ("The well is dug on Sunday, 10 May 2026.", "Digging the well Sunday 10 May, early"),
        ("The lid comes on Thursday, 2026-05-07.", "lid comes Thu"),
        ("Nora borrows the saw until September.", "saw: Nora borrows it till Sept"),
        ("The rope is due again on 2026-05-18.", "rope due again in two weeks"),
        ("The rent is due again on 2026-06-04.", "rent paid, due again in a month"),
        ("Nora paints the shed with Ines.", "Nora paints the shed w/Ines"),
        ("쓰기가 약하고 듣기는 문제가 없다고 한다.", "듣기는 문제없는데 쓰기가 약하대"),
        ("The boat leaves at 2 pm.", "boat leaves at 2 p.m. from the mill"),
        ("Berth number 58 is for the boat.", "boat: berth no 58"),
        ("The pump was down from 17:08 to 17:44.", "pump down 17:08-17:44"),
        ("The idea was turned down by 5 to 2.", "idea turned down 5:2"),
        ("The well does not open before 17 May.", "well opens not before 17 May"),
        ("Yuki bumped the replicas of auth to 4 after the PDB blocked two nodes.", "PDB blocked two nodes, Yuki bumped replicas of auth to 4"),
        ("Mum's phone was updated to Android 15, but her radio app v2.8 needs Android 14.", "Updated Mum's phone to Android 15, her radio app broke, v2.8 needs Android 14"),
        ("우물 API 호출 한도는 분당 60회이다.", "호출 한도 분당 60회, 초과하면 429. 우물 API 회의"),
        ("Piet thought the pump was to blame.", "Piet thinks it's the pump, maybe"),
        ("우물 등록비는 6만 원이고 8월 1일부터 시작한다.", "등록비 6만원, 8월 1일부터 시작, 밧줄은 있는 거 쓰면 됨 / 우물 청소"),
        ("시험은 사용자가 아니라 소연이 제출한다.", "나 말고 소연 언니가 시험 제출하기로 함"),
        ("Nora stays on land and not on the boat.", "Nora stayed off the boat, stays on land"),
        ("밧줄 마감은 2026년 5월 26일이다.", "밧줄 마감 5/26."),
        ("밧줄은 28만 원이다.", "밧줄 28만"),
        ("예산을 120만 원에서 80만 원으로 줄였다.", "예산 120 → 80만원으로 줄임"),
        ("밧줄은 10만 원, 등은 50만 원이다.", "밧줄 10만원, 등은 50"),
        ("초등학교 입학식은 10시다.", "초등 입학식 10시"),
        ("Berth 58 is the boat's, and no crane is included.", "boat has berth no 58, no crane incl."),
        ("Greta and Nora mend the boat.", "Greta mends the boat w/ Nora"),
        ("간병은 사용자가 3일 맡는다.", "간병은 내가 3일"),
        ("Mina buys the tent if it rains.", "If it rains, Mina buys the tent."),
        ("Piet called Nora in the evening.", "In the evening Piet called Nora."),
        ("Ines waits at 13:20.", "Ines waits 13:20-14:05"),
        ("Because the pump leaks, Nora left.", "pump leaks, Nora left"),
        ("The board meets on Tuesday and in January.", "board: Tue, and in Jan"),
        ("은별이 우물을 팠다.", "우물은 은별이가 팠다"),
        ("빌드 도구를 바꾼 뒤 서버가 빨리 뜬다.", "Vite로 옮긴 뒤 서버가 빨리 뜬다"),
        ("3D 램프를 켰다.", "3D 램프 켬"),
        ("우물은 22시부터 판다.", "우물 22:00~23:35"),
        ("회의는 목요일에 한다.", "회의 화, 목 3시"),
    ],
)  # fmt: skip
def test_the_same_written_in_another_way_is_attested(line: str, source: str, analyse: Analyse) -> None:
    assert why_not(line, source, analyse) is None


def test_a_line_that_names_no_line_is_not_attested(analyse: Analyse) -> None:
    line = "everything is permitted"
    assert find_unattested(Passage(line, read_statement(analyse(line))), [], None) == "it names no line of the log"


@pytest.mark.parametrize("item", ["- 37 pumps.", "* [x] 37 pumps", "2. 37 pumps"])
def test_the_mark_of_a_list_is_no_sign_of_a_number(item: str) -> None:
    assert sentences_of(item) == ["37 pumps"]


def test_a_verb_that_cannot_be_done_is_denied_itself(analyse: Analyse) -> None:
    tokens = read_statement(analyse("밧줄은 내일 쓰지 못해 우물은 닫는다.")).tokens
    assert [token.base for token in tokens if token.negation] == ["쓰"]


def test_a_clock_has_no_unit(analyse: Analyse) -> None:
    tokens = read_statement(analyse("Nora runs 9:40/mi")).tokens
    assert [token.base for token in tokens if token.kind is TokenKind.VALUE] == ["9:40"]
