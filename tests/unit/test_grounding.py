"""A line is believed when, laid over the sentences of a log, nothing of it is another value, name, day or denial."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from bankd.core.grounding.attributing import find_misattributed
from bankd.core.grounding.passages import Passage, clauses_of
from bankd.core.grounding.rewriting import as_read
from bankd.core.grounding.said_in_log import SaidInLog
from bankd.core.grounding.ungrounded import find_ungrounded
from bankd.core.language.reading import read_statement
from bankd.core.language.wording import Wording

Analyse = Callable[[str], Wording]


def why_not(line: str, source: str, analyse: Analyse) -> str | None:
    texts = [line, *clauses_of(source)]
    ours, *theirs = [Passage(text, read_statement(analyse(as_read(text)))) for text in texts]
    return find_ungrounded(ours, theirs, date(2026, 5, 4))


@pytest.mark.parametrize(
    ("line", "source", "reason"),
    [
        ("Three shelves are new.", "The pump runs 3.10 of the firmware", "the value 3"),
        (
            "The well is 30 m deep.",
            "The well is 40 m deep. The rope is 30 m long.",
            "30 m stands where its lines have 40 m",
        ),
        ("The lamp costs 12 euros.", "The lamp costs 15 euros, and postage is 12 euros.", "12 euros stands"),
        ("The well was dug on May 6.", "The well was dug on May 5. The rope came on May 6.", "6 stands"),
        ("Greta waters the figs.", "Nora waters the figs, then Greta.", "greta stands where its lines have nora"),
        ("The fig is late, says Piet.", "Piet dug the well. Nora says the fig is late.", "piet stands"),
        (
            "Ines mends the tent.",
            "Ines waits for the bus, Olga mends the tent",
            "ines does what olga does",
        ),
        ("우물은 하늘이 팠다.", "우물은 이슬이 팠다. 밧줄은 길다.", "하늘 stands where its lines have 이슬"),
        ("보람 씨는 늦게 온다.", "이슬 씨는 늦게 온다.", "보람"),
        ("Mina packed the lamp.", "Mina packed the tent.", "lamp stands where its lines have tent"),
        (
            "The lamp moved from the shed to the attic.",
            "Moved the lamp from the shed to the well house.",
            "attic stands",
        ),
        ("오후 7시에 만난다.", "오전 7시에 만난다", "the value 19시"),
        ("자물쇠는 서랍에 있다.", "열쇠는 서랍에 있다.", "자물쇠 stands where its lines have 열쇠"),
        ("The price is settled.", "The price is not settled.", "settled is not denied"),
        ("The well has a lid.", "A rope is needed because the well has no lid.", "lid is not denied"),
        ("청소가 필요했다.", "청소는 필요 없었다", "필요 is not denied"),
        ("전기가 중단되었다.", "전기 중단은 없었다", "중단 is not denied"),
        ("The rope is not 30 m long.", "The rope is 30 m long.", "30m is denied"),
        ("The lamp is off.", "Nora left the lamp on", "off is not denied"),
        ("Nora does not use rope.", "Nora bought rope. The fig is not dead.", "it denies use"),
        ("The rope is 9.5 m long.", "The rope is 9.6 m long", "9.5 m"),
        ("버스는 아침 8시에 뜬다.", "버스는 오후 8시에 뜬다", "8시"),
        ("이번 주에 심는다.", "다음 주에 심는다", "이번 주"),
        ("수확을 이번 두레로 당겼다.", "수확을 다음 두레로 미뤘다", "이번"),
        ("물은 화요일에 준다.", "물은 월·수에 준다", "화요일"),
        ("사진은 Notion에 올린다.", "사진은 슬랙에 올린다", "notion"),
        ("The well opens on 7 July 2027.", "The well opens on 7 July", "7 July 2027"),
        ("The lease ends in February 2027.", "The lease ends Feb 2028", "February 2027"),
        ("Call her Greta instead of Nora.", "Call her Nora, not Greta.", "nora is denied"),
        ("약은 5mg이다.", "약은 6밀리다", "5mg"),
        ("약은 5mg이다.", "약은 15밀리다", "5mg"),
        ("약은 25mg이다.", "약은 2.5밀리다", "25mg"),
        ("물은 매달 갈아 준다.", "물은 목요일마다 갈아 준다", "매달"),
        ("물은 매일 갈아 준다.", "물은 목요일마다 갈아 준다", "매일"),
        ("물은 매주 갈아 준다.", "물은 2주마다 갈아 준다", "매주"),
        ("물은 매달 갈아 준다.", "물은 두 달마다 갈아 준다", "매달"),
        ("It leaks weekly.", "It leaks for 90 days", "weekly"),
        ("It leaks weekly.", "It leaks every weekday", "weekly"),
        ("The rope costs 3812.40 euros.", "The rope costs 3,812.50 euros", "3812.40"),
        ("The figs are published.", "The figs are unpublished", "published is not denied"),
        (
            "Ines rode the cargo boat home from the mill.",
            "Bought the old cargo boat from Tamm at the mill. Rufus rode it home, Ines followed in the car.",
            "ines does what rufus does",
        ),
        ("약은 3일분 받았다.", "약은 나흘 치 받았다", "3일분"),
        ("밧줄은 2억 7,000만 원이다.", "밧줄은 2억 6천만 원이다", "270000000원"),
        ("The choir sings on May 7.", "The choir sings on Wednesday, the fair is on Thursday", "May 7 stands where"),
        ("합창 모임은 5월 9일에 한다.", "합창 모임은 목요일, 장기 시합은 토요일에 한다", "5월 9일 stands where its"),
        ("밧줄은 내일 쓰지 못해 우물은 닫는다.", "밧줄은 내일 쓰고 우물은 닫는다", "쓰 is denied"),
        ("The bus leaves at noon.", "The bus leaves at 3", "the value 12:00"),
        ("견학 장소는 국립중앙과학관이다.", "견학 장소는 국립과천과학관", "국립중앙과학관 stands"),
        ("우물 계획에는 찬호만 반대했다.", "우물 계획은 통과. 반대는 찬우만", "찬호 stands"),
        ("The tent had grown mouldy.", "The tent had not gone mouldy", "mouldy is not denied"),
        ("The old pump was kept in the mill.", "Removed the old pump from the mill", "kept is not denied"),
        ("우물이 방앗간보다 안전하다.", "방앗간이 우물보다 안전하다", "it compares the other way round"),
        ("Omar lent Greta his saw.", "Omar lent Greta his drill", "saw stands where its lines have drill"),
        ("The sacks go to the NAS in the attic.", "The sacks go to the NAS in the basement", "attic stands"),
        ("Jonas dislikes window seats.", "Jonas hates surprises. He likes window seats", "dislikes is not denied"),
        ("장이 걸어갈 곳에 없어 불편하다.", "장이 걸어갈 곳에 있어 편리하다", "denied, other than"),
        (
            "Tomas is setting up the store.",
            "Evaluated two stores. Tomas argued for a rope instead but we dropped that. Leila sets up the instance.",
            "tomas does what leila does",
        ),
        ("우물 펌프를 재시작했다.", "재시작은 하지 않고 밧줄만 늘려 둠", "재시작 is not denied"),
        ("유료 램프를 결제했다.", "유료 램프를 결제할까 하다가 그냥 두었다", "결제 is not denied"),
        ("북 녹음을 이미 끝마쳤다.", "북 녹음은 아직 시작도 못 함", "its lines deny it"),
        ("Bea is called Beatrice.", "She is called Bea instead of Beatrice", "bea is not denied"),
        ("Mina has 14 kg left.", "Mina used 12 of 30 kg", "the value 14 kg"),
        ("Mina has 7 kg left.", "Mina used 12 of 19 kg", "the value 7 kg"),
        ("Piet approved the rope.", "Piet approved nothing, asked for a rope instead", "approved is not denied"),
    ],
)
def test_what_stands_otherwise_in_its_lines_is_named(line: str, source: str, reason: str, analyse: Analyse) -> None:
    assert reason in (why_not(line, source, analyse) or "")


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("The rope is 30 m long.", "The well is 40 m deep. The rope is 30 m long."),
        ("The south pump runs at 30 Hz.", "The north pump runs at 40 Hz. The south pump runs at 30 Hz."),
        ("The well was dug on 2026-05-03.", "The well was dug yesterday."),
        ("The bus leaves on 2026-05-06.", "The bus left on Wednesday."),
        ("천적 다섯 병을 풀었다.", "천적을 풀었다. 다섯 병."),
        ("마을 회의는 저녁 일곱 시에 열린다.", "마을 회의는 매달 첫 토요일 저녁 일곱 시, 회관에서"),
        ("한 명이 늦는다.", "한 분이 늦으신다"),
        ("방에서 2년째 산다.", "이 방에서 24개월 살았다"),
        ("The pump has firmware 3.1.2.", "We put firmware v3.1.2 on the pump."),
        ("The bus leaves at 14:00.", "The bus leaves at 2 p.m. from the shed."),
        ("The temp directory is new.", "The temp dir is new"),
        ("The reason is the lamp.", "Mina packed the lamp."),
        ("It leaked once.", "It leaked last week"),
        ("접수 기한은 5월 9일이다.", "접수는 5월 9일까지"),
        ("불빛을 낮추었다.", "거실 불빛이 낮았다"),
        ("Noor no longer eats meat.", "Noor stopped eating meat"),
        (
            "우물 참가비 3만 원은 5월 8일까지 미나에게 낸다.",
            "우물 체험은 5월 19일 간다. 참가비 3만 원은 금요일까지 미나에게 낸다",
        ),
        (
            "Roughly ten minutes were needed to put the lamp on the mill.",
            "Flashed a lamp off the mill, which took maybe ten minutes",
        ),
        ("이슈 #271로 등록됨.", "이슈 #271만 만들어 둠"),
        ("The crescents burnt when Juri forgot the timer.", "The crescents burnt because Juri forgot the timer"),
        ("램프 2.6은 샌다.", "램프는 2.5.1에 고정(2.6은 샌다)"),
        ("Imogen moves to the mill on 1 June 2026.", "Imogen wrote: she moves to the mill on the 1st"),
        (
            "Nils arrives on 9 May 2026 for a stay over Christmas.",
            "Nils is coming on the ninth of May and stays over Christmas",
        ),
        ("배달 연동은 5월 11일 월요일에 다시 할 예정이다.", "배달 연동은 오늘 안 됐다. 다음 주 월요일에 다시 한다"),
        ("The old press stays out of use.", "We are not using the old press"),
        ("A sore wrist kept Piet from signing the books.", "Piet did not sign the books because of his wrist"),
        ("펌프 일로 30분을 예정보다 더 썼다.", "펌프로 30분 더 썼다. 설정 탓이다"),
        ("교재값은 강습료와 별개로 내야 한다.", "강습료에 교재비는 포함되지 않는다고 함. 교재비는 따로 낸다"),
        (
            "Redis를 7.2로 올리자는 의견은 세은의 반대로 보류되었다.",
            "redis 7.0에서 샌다. 7.2로 올리자는 제안은 세은이 반대해서 일단 보류",
        ),
        ("숙소는 애월의 '바람채'로 확정되었으며 조식 포함 2박이다.", "숙소를 확정했다. 애월 '바람채' 2박, 조식 포함"),
        (
            "The UART pins were swapped on revision B of the board.",
            "Board revision C arrived; revision B had the swapped UART pins.",
        ),
        ("Redis 클러스터가 2026-05-04 새벽에 교체됨.", "새벽 2시부터 Redis 클러스터를 교체하는 작업을 했다"),
        (
            "pandas 2.2.3에서 groupby 실행 시 빈 그룹 3개가 누락되는 현상이 재현되었다.",
            "사용자가 pandas 2.2.3에서 groupby가 이상하다고 해서 재현해 봄. 2.2.3에서만 빈 그룹이 3개 빠짐.",
        ),
        ("The walk took 1 hour and 35 minutes.", "The walk took 95 minutes"),
        ("산책은 한 시간 삼십오 분 걸렸다.", "산책은 95분 걸렸다"),
        ("Ran to the mill in 112 minutes.", "Ran to the mill in 1:52"),
        ("The rebuild of the mill took 340 minutes.", "The rebuild of the mill took 5 h 40"),
        ("Of the 640 euros 430 are left.", "The rope costs 640 euros, of which the club pays 210"),
        ("Mending it cut the sack by 65 kg.", "After mending it the sack shrank from 212 to 147 kg"),
        ("No digging until 31 May 2026.", "No digging until the end of the month"),
        ("2026-04-24에 배를 예약했다.", "배는 24일 아침에 뜨는 것으로 예약했다"),
        ("The ferry is booked for 12 July and returns on 26 July.", "Booked the ferry on 12 July, back on the 26th"),
        ("The pump would not start.", "The pump refused to start"),
        ("The well has yet to be inspected.", "The well is not inspected yet"),
        ("The price is not known.", "Price: unknown"),
        ("The mill does not open on Sundays.", "The mill is shut on Sundays"),
        ("The board does not meet until 12 May.", "The board meets only on 12 May"),
        ("승인이 나지 않았다.", "승인이 안 나서 못 했습니다"),
        ("열리지 않던 우물 문제는 삽 없이 해결되었다.", "램프를 켜면 우물이 안 열린다. 삽 없이 해결했다"),
        ("에이전트는 램프를 켰다.", "램프를 켰다"),
        ("밧줄은 5월 9일까지 전달하기로 했다.", "밧줄은 5월 9일까지 넘겨주기로 했다"),
        ("밧줄 구입을 포기했다.", "밧줄은 안 사기로 했다"),
        ("Piet advised against buying the rope.", "Piet told me not to buy the rope"),
        ("They are blight-free figs.", "The figs have no blight"),
        ("펌프에 쓰이는 Lamp가 2.1로 교체되었다.", "펌프 쪽 Lamp를 2.1로 교체했다"),
        ("보고서가 완료되지 않았다.", "보고서 미완료"),
        ("He ate at the mill with a friend named Piet.", "He ate at the mill with a friend called Piet"),
        ("독서 모임에 갔지만 책을 읽지 못했다.", "독서 모임에 갔다. 끝까지 못 읽고 갔지만 괜찮았다"),
        (
            "옛 Lamp 노드의 사본은 5월 28일까지 보관한다.",
            "Lamp 클러스터를 교체했다. 구 노드의 사본은 28일까지 보관하며, 모니터링 대시보드 개편은 다음 주에 시작한다.",
        ),
        ("The rope is no longer in the shed.", "The rope was moved from the shed to the well."),
        ("It is not settled yet.", "The price is not settled."),
        ("모니터는 경비가 아니라 카드로 샀다.", "경비로 처리하지 않고 카드로 샀다"),
        ("Never dig at night.", "We only dig by day, never at night."),
        ("왼쪽 문이 잠겨 오른쪽 문으로 다닌다.", "왼쪽 문이 잠겼다. 사람들은 오른쪽 문으로 다닌다."),
        ("Subletting is allowed with a letter.", "We may sublet with a letter."),
        ("Once the lamp was lit, Mina left.", "The lamp was lit and Mina left"),
        ("Seventeen figs broke.", "17 figs broke"),
        ("The lamp costs 12 euros.", "The lamp costs 12"),
        ("The rope is 9.5 m long.", "The rope is 9.5 long"),
        ("The lamp costs $12.", "The lamp costs 12 dollars"),
        ("It leaks twice weekly.", "It leaks twice a week"),
        ("It copes with every one of version 6.1.", "It copes with all of version 6.1"),
        ("물은 2주간 끓인다.", "물은 2주 끓인다"),
        ("버스는 아침 8시에 뜬다.", "버스는 오전 8시에 뜬다"),
        ("이번 수확은 좋다.", "수확은 좋다"),
        ("안드로이드에서 등불이 켜진다.", "등불이 켜진다, Android"),
        ("등불은 Tavia용이다.", "등불은 Tavia 것이다"),
        ("약은 3개월간 먹는다.", "약은 3개월 먹는다"),
        ("While the lamp burned, Mina left.", "The lamp burned and Mina left"),
        ("물은 화요일과 목요일에 준다.", "물은 화·목에 준다"),
        ("물은 월요일, 수요일, 금요일에 준다.", "물은 월수금에 준다"),
        ("사진은 Notion에 올린다.", "사진은 노션에 올린다"),
        ("등불은 슬랙으로 켠다.", "등불은 Slack으로 켠다"),
        ("등불은 문제가 없다.", "등불은 문제없다"),
        ("The well opens on 7 July 2026.", "The well opens on 7 July"),
        ("The lease ends in February 2027.", "The lease ends Feb 2027"),
        ("Call her Nora instead of Greta.", "Call her Nora, not Greta."),
        ("밧줄이 아니라 사슬을 쓴다.", "밧줄 대신 사슬을 쓴다"),
        ("약은 5mg이다.", "약은 5밀리다"),
        ("물은 매주 목요일에 갈아 준다.", "물은 목요일마다 갈아 준다"),
        ("물은 매달 갈아 준다.", "물은 달마다 갈아 준다"),
        ("It leaks weekly.", "It leaks every Thursday"),
        ("It leaks weekly.", "It leaks on Thursdays"),
        ("밧줄은 3일에 21만 원이다.", "밧줄은 사흘에 21만 원"),
        ("밧줄은 23만 원 정도다.", "밧줄은 23만 원쯤"),
        ("The rope costs 3812.40 euros.", "The rope costs 3,812.40 euros"),
        ("Mina keeps the rest of the 2024 figs.", "Mina keeps the rest, all 2024 figs"),
        ("우유는 5월 5일까지 먹는다.", "김치는 8월 말까지, 우유는 내일까지"),
        (
            "약정은 2026년 5월 30일에 끝나며 우유는 5월 8일까지 먹는다.",
            "약정은 5월 30일에 끝난다. 우유는 5월 8일까지 먹는다.",
        ),
        ("2026년 5월부터 금주하기로 했다.", "술은 이번 달부터 금주하기로 했다"),
        ("The bus leaves at 2 p.m. from the shed.", "The bus leaves at 14:00 from the shed"),
        ("The figs are unpublished.", "The figs are not published"),
        ("The pump is unable to read figs.", "The pump cannot read figs"),
        ("밧줄은 업그레이드하지 않는다.", "밧줄은 upgrade 안 한다"),
        ("판을 9.2에서 9.4로 업그레이드하기로 했다.", "판을 9.2에서 9.4로 올리기로 했다"),
        ("밧줄은 1인당 3m다.", "밧줄은 1인 3m다"),
        ("약은 3일분 받았다.", "약은 사흘 치 받았다"),
        ("밧줄은 2억 7,000만 원이다.", "밧줄은 2억 7천만 원이다"),
        ("밧줄은 2억 7,000만 원이다.", "밧줄은 2억 7천"),
        ("밧줄값은 1인당 3만 원이다.", "밧줄값은 각자 3만 원이다"),
        ("The choir sings on 6 May.", "The choir sings on Wednesday, the fair is on Thursday"),
        (
            "합창 모임은 2026-05-11까지 합창 선생님께 알린다.",
            "5월 8일은 합창 연습이고 합창 모임은 다음 주 월요일까지 합창 선생님께 알린다",
        ),
        ("합창 연습 발표는 5월 9일에 한다.", "어제 말한 합창 연습 발표, 언제였지? 5월 9일입니다."),
        ("우물 청소는 5월 8일, 장기 시합은 5월 9일이다.", "장기 시합은 5월 9일, 우물 청소는 그 전날이다"),
        ("계약은 5월 31일에 끝난다.", "계약은 이달 말일에 끝난다"),
        ("Nora is staying overnight on 5 May.", "Nora stays the night on 5 May"),
        ("The old pump spots the leak, yet it wants a fuse.", "The pump finds the leak but asks for a fuse"),
        ("Piet is not going to haul those lamps anywhere before June.", "Piet keeps the lamps in the shed until June"),
        ("펌프를 고친 뒤 새던 증상이 사라졌다.", "펌프를 고쳤더니 새던 증상이 없어졌다"),
        ("한도 때문에 카드를 쓰지 못해 밥값은 노라가 냈다.", "카드는 한도 때문에 못 썼다. 밥값은 노라가 냈다"),
        ("Before the lamp was moved, the well had to be dug.", "The well had to be dug before moving the lamp"),
        ("The bus leaves at noon.", "The bus leaves at 12"),
        (
            "Rather than being sold, the old checkout pump was given a belt.",
            "Debugged the old checkout pump with Piet: it fails on Mondays. We did not sell the pump; we gave it a belt.",
        ),
        ("물값은 매달 3만 원이다.", "물값은 월 3만 원이다"),
    ],
)
def test_the_same_in_other_words_is_believed(line: str, source: str, analyse: Analyse) -> None:
    assert why_not(line, source, analyse) is None


def test_what_hangs_on_a_name_leaves_more_of_it_than_a_syllable(analyse: Analyse) -> None:
    text = "보리와 유진이가 온다"
    said = SaidInLog([Passage(text, read_statement(analyse(text)))], None)

    assert said.names("유진이네")
    assert not said.names("보네")


@pytest.mark.parametrize(
    ("line", "source", "doers"),
    [
        ("Ines rode the boat home.", "We got the boat. Rufus rode it home, Ines followed by bus.", ("ines", "rufus")),
        ("The east pump was counted by Kirsty.", "Osman counted the east pump, Kirsty saw it.", ("kirsty", "osman")),
        (
            "영문 증명서는 마영호 교수가 떼 주었다.",
            "추천서는 마영호 교수가 썼고 증명서는 반지수 조교가 떼 줬다.",
            ("마영호", "반지수"),
        ),
        (
            "정태우는 비용을 들어 교체에 반대했다.",
            "정태우가 먼저 올리자고 했고 한보미는 비용 때문에 반대했다.",
            ("정태우", "한보미"),
        ),
        (
            "수도 이전 신청은 언니 혜림이 전화로 하기로 했다.",
            "수도 이전 신청은 남편이 내일 전화로 하기로 했고 피아노는 언니 혜림이가 가져간다.",
            ("혜림", "남편"),
        ),
        ("Rufus rode the boat home.", "We got the boat. Rufus rode it home, Ines followed by bus.", None),
        ("The boat was ridden home by Rufus.", "We got the boat. Rufus rode it home, Ines followed by bus.", None),
        ("Osman and Kirsty counted the pumps.", "Osman counted the east pump, Kirsty the west pump.", None),
        ("Osman counted the east pump.", "Bela said Osman counted the east pump. Kirsty saw it.", None),
        ("Wrote to Ines about the east pump.", "Rufus saw the east pump, Ines was away.", None),
        ("The old east pump is loud, says Ines.", "The old east pump is loud, Rufus thinks. Ines was away.", None),
    ],
)
def test_who_does_it_is_who_does_it_in_the_part_that_tells_it(
    line: str, source: str, doers: tuple[str, str] | None, analyse: Analyse
) -> None:
    ours, *theirs = [Passage(text, read_statement(analyse(as_read(text)))) for text in [line, *clauses_of(source)]]

    assert find_misattributed(ours, theirs) == (doers and f"{doers[0]} does what {doers[1]} does in its lines")
