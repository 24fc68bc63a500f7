"""What a model says of notes as people and agents really write them: cut short, without verbs, with denials in few words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from bankd.core.grounding.passages import Passage, clauses_of
from bankd.core.grounding.rewriting import as_read
from bankd.core.grounding.ungrounded import find_ungrounded
from bankd.core.language.reading import read_statement
from bankd.core.language.wording import Wording, plain_wording

Analyse = Callable[[str], Wording]


def why_not(line: str, source: str, analyse: Analyse) -> str | None:
    texts = [line, *(clause for one in source.split(" / ") for clause in clauses_of(one))]
    ours, *theirs = [Passage(text, read_statement(analyse(as_read(text)))) for text in texts]
    return find_ungrounded(ours, theirs, date(2026, 5, 4))


@pytest.mark.parametrize(
    ("line", "source"),
    [
        (
            "Pump 1.9.2 with a corrected lid is planned for Friday.",
            "- pump 1.9.0 was released today, tag by Kofi / - 1.9.2 with a corrected lid on Friday",
        ),
        ("The flag stays off because Nora found holes.", "flag stays OFF, Nora found holes"),
        ("The user leaves garlic out of the dal.", "dal, NO garlic bc Lukas hates it"),
        ("DSM 7.2.2 was installed on the NAS and Plex came back.", "NAS: DSM 7.2.2 installed, Plex came back"),
        ("메인 게임은 테라포밍 마스이고 진행은 경민이 한다.", "메인 게임 '테라포밍 마스', 진행은 경민"),
        ("펌웨어를 올린 뒤 녹화가 끊기지 않는다.", "펌웨어 올림, 녹화 끊김 없어짐"),
        ("편마모가 있어 정비소를 예약했다.", "타이어 편마모 있음, 정비소 예약은 토요일 (정 사장님)"),
        ("The bill for April 1 to 18 is 2,940.", "bill Apr 1-18 is 2,940"),
        ("Ruth is on leave until 24 May.", "Ruth on leave till 24th"),
        ("Nora runs 9:40 per mile.", "Nora runs 9:40/mi"),
        ("Keith comes back on the morning of Friday, 2026-05-08.", "no part in stock, Keith back Friday am"),
        ("Joel in Year 5 was absent.", "Yr 5: Joel absent"),
        ("The last order date for Christmas is 15 December.", "last order date for Xmas is Dec 15"),
        ("The job finished with no failed partitions.", "job finished, 0 failed partitions"),
        ("The report has one high and no critical findings.", "report: 1 high, 0 critical"),
        ("It was trained on two A100s.", "trained on 2x A100"),
        ("Noor checked the Stripe logs.", "Stripe logs checked by Noor"),
        ("The user wants the book delivered to the office.", "get the book, deliver to office"),
        ("낮에는 금지하고 밤 11시에 하라고 했다.", "오늘 밤 11시에. 낮에는 금지"),
        ("해든은 반포장 86만원이다.", "해든 86만원 반포장"),
        ("회의에서 B안이 채택되고 A안은 탈락했다.", "B안 채택, A안 탈락"),
        ("합주는 2026-05-07 목요일 저녁 8시에 한다.", "합주 목 저녁 8시"),
        ("예약은 수요일에서 2026-05-07 목요일 11시로 변경되었다.", "예약 수→목 11시로 변경"),
        ("썸네일은 아직 하지 않았다.", "썸네일 아직 X"),
        ("예식은 13시 30분으로 옮겼다.", "예식 12:30 → 13:30으로 옮김"),
        ("사용자는 이제 등산은 하지 않는다.", "등산은 이제 그만하고"),
        ("현대카드로 샀다.", "쌀 샀고 카드는 현대"),
        ("The lease of the mill ended on 2026-03-15.", "mill: lease ended 03/15, keys back"),
        ("The grant for the mill came on 4 October.", "grant for the mill came 4/10"),
        ("The permit for the well is valid until 2026-06-03.", "permit for the well valid till 03.06.2026"),
        (
            "The price of the rope is looked at again at the end of August.",
            "rope: price now 79, look again end of August",
        ),
        (
            "The knee bends to 118 degrees, up from 105 two weeks ago.",
            "knee bends to 118 degrees, up from 105 two wks ago",
        ),
        ("Nora plants no beans this year.", "no beans this yr, Nora plants leeks"),
        ("The pump came back after about 6 minutes.", "pump came back after ~6 min"),
        ("The audit found RUSTSEC-2026-0031, in the pump.", "audit of the pump: 1 hit (RUSTSEC-2026-0031, high)"),
        ("The mill is closed on 7 and 8 May.", "mill closed Thu/Fri"),
        ("제분소는 목요일과 금요일(5월 7~8일)에 문을 닫는다.", "제분소 목~금 닫음"),
        ("토요일에 상자 8개를 완성했다.", "상자 8개 완성(토)"),
        ("발표자료 v2는 42장이다.", "발표자료 v2: 42장"),
        ("점검에서 불량은 없었다.", "점검 끝, 불량 0"),
        (
            "외할머니 잔치는 제주이며 항공권은 이번 주말에 예매한다.",
            "외할머니 잔치는 제주, 항공권은 여권이랑 상관없이 이번 주말 예매",
        ),
        ("하루에 20페이지씩 맡는다.", "하루 20페이지 맡음"),
        ("The mill said no to hosting because the barn is gone.", "mill said no, barn gone"),
        ("The boat needs an answer by Wednesday, 2026-05-06.", "boat: say yes or no by Wednesday"),
        ("Porto is where the boat is.", "boat is in Lisbon... no, Porto is where the boat is"),
        ("The lock on the mill is to be replaced.", "- [ ] replace lock on the mill"),
        ("The lock on the mill is not replaced yet.", "- [ ] replace lock on the mill"),
        ("지붕은 아직 수리하지 않았다.", "- [ ] 지붕 수리"),
        (
            "The pumps are deleted only when Mr. Sato from Legal agrees.",
            "pumps are deleted only when Legal (Mr. Sato) agrees",
        ),
        ("There are 61 GB of previews in the S3 bucket.", "asked to clean up the S3 bucket, found 61 GB of previews"),
        ("The choir meets Mrs Roux on Thursdays in May.", "In May choir meets Mrs Roux, on Thursdays"),
        ("Nora will not push the boat before May.", "said I'd not push Nora's boat before May"),
        ("뉴스레터를 스티비에서 옮겼다.", "스티비 → 새 도구로 뉴스레터 옮김"),
        ("트레이너는 강민호쌤이다.", "체중 변화 없음, 트레이너 강민호쌤"),
        ("사용자는 큰애에게 용돈을 주었다.", "큰애에게 용돈을 줬다"),
        ("주말에도 일곱 시에 일어난다.", "주말에도 기상은 7시 그대로"),
        ("There is no bell for the pump because the rope was cut.", "rope cut, so the pump has no bell"),
        ("연금저축은 그대로 두었다.", "연금저축은 손대지 않음"),
        ("The well is dug on Sunday, 10 May 2026.", "Digging the well Sunday 10 May, early"),
        ("The well is dug on Sunday, 2026-05-10.", "well is dug on the 10th"),
        ("The lid comes on Thursday, 2026-05-07.", "lid comes Thu"),
        ("Nora borrows the saw until September.", "saw: Nora borrows it till Sept"),
        ("Bills for August and October are missing.", "missing bills: Aug, Oct"),
        ("The rope is due again on 2026-05-18.", "rope due again in two weeks"),
        ("The rent is due again on 2026-06-04.", "rent paid, due again in a month"),
        ("The boat leaves without extra cost.", "boat leaves w/o extra cost"),
        ("Nora paints the shed with Ines.", "Nora paints the shed w/Ines"),
        ("Hue is left out this time, Hanoi comes first.", "not Hue this time, Hanoi first"),
        ("쓰기가 약하고 듣기는 문제가 없다고 한다.", "듣기는 문제없는데 쓰기가 약하대"),
        ("The boat leaves at 2 pm.", "boat leaves at 2 p.m. from the mill"),
        ("Berth number 58 is for the boat.", "boat: berth no 58"),
        ("The pump was down from 17:08 to 17:44.", "pump down 17:08-17:44"),
        ("The idea was turned down by 5 to 2.", "idea turned down 5:2"),
        ("The score rose to 0.437.", "score rose to .437"),
        ("The build takes 4 minutes and 20 seconds.", "build takes 4m20s"),
        ("The build went from 11 minutes to 7.", "build went 11m -> 7"),
        ("The boat is fetched between 4 and 6 pm.", "boat fetched 4-6pm"),
        ("The sweep removed 18k lines.", "sweep removed files, -18k lines"),
        ("The pump failed 37 times in one hour.", "pump failed 37 times in the last hour"),
        ("Firmware 0.9.3 is on all boards.", "fw 0.9.3 on all boards"),
        ("The well does not open before 17 May.", "well opens not before 17 May"),
        (
            "Yuki bumped the replicas of auth to 4 after the PDB blocked two nodes.",
            "PDB blocked two nodes, Yuki bumped replicas of auth to 4",
        ),
        (
            "Mum's phone was updated to Android 15, but her radio app v2.8 needs Android 14.",
            "Updated Mum's phone to Android 15, her radio app broke, v2.8 needs Android 14",
        ),
        ("우물 API 호출 한도는 분당 60회이다.", "호출 한도 분당 60회, 초과하면 429. 우물 API 회의"),
        ("새벽에 우물이 막혔다.", "02:40 우물 막힘"),
        ("수리를 박 선생님에게 신청했다.", "박쌤한테 수리 신청"),
        ("Piet thought the pump was to blame.", "Piet thinks it's the pump, maybe"),
        (
            "우물 등록비는 6만 원이고 8월 1일부터 시작한다.",
            "등록비 6만원, 8월 1일부터 시작, 밧줄은 있는 거 쓰면 됨 / 우물 청소",
        ),
        ("시험은 사용자가 아니라 소연이 제출한다.", "나 말고 소연 언니가 시험 제출하기로 함"),
        ("Nora stays on land and not on the boat.", "Nora stayed off the boat, stays on land"),
        ("The mill moves to St. Anna.", "mill moves to St. Anna"),
        ("밧줄 마감은 2026년 5월 26일이다.", "밧줄 마감 5/26."),
        ("밧줄은 28만 원이다.", "밧줄 28만"),
        ("예산을 120만 원에서 80만 원으로 줄였다.", "예산 120 → 80만원으로 줄임"),
        ("밧줄은 10만 원, 등은 50만 원이다.", "밧줄 10만원, 등은 50"),
        ("우물은 14시부터 18시까지 판다.", "우물 14시~18시 파기"),
        ("동생 승호가 우물을 판다.", "나 말고 동생 승호가 우물 파기"),
        ("서우가 우물을 판다.", "서우 우물 파기"),
        ("초등학교 입학식은 10시다.", "초등 입학식 10시"),
        ("The dog is not fed at night.", "Nora feeds the dog, not at night"),
        ("Berth 58 is the boat's, and no crane is included.", "boat has berth no 58, no crane incl."),
        ("The log mentions the rope.", "log mentions the rope, does not mention the well"),
        ("The well was left as it is.", "did not touch the well"),
        ("Greta and Nora mend the boat.", "Greta mends the boat w/ Nora"),
        ("간병은 사용자가 3일 맡는다.", "간병은 내가 3일"),
    ],
)
def test_what_notes_say_in_short_is_believed(line: str, source: str, analyse: Analyse) -> None:
    assert why_not(line, source, analyse) is None


@pytest.mark.parametrize(
    ("line", "source", "reason"),
    [
        ("The well is dug on Sunday 17 May.", "Digging the well Sunday 10 May, early", "the day '17 May'"),
        ("The boat leaves on Wednesday.", "boat leaves Tue", "the day 'Wednesday'"),
        ("The rope is due again on 2026-05-24.", "rope due again in two weeks", "the day '2026-05-24'"),
        ("The rent is due again on 2026-06-01.", "rent paid, due again in a month", "the day '2026-06-01'"),
        ("The rope is due again on 2026-05-20.", "rope due again in two weeks", "the day '2026-05-20'"),
        ("저녁에 우물이 막혔다.", "02:40 우물 막힘", "the value 저녁"),
        ("The idea was turned down by 5 to 3.", "idea turned down 5:2", "3"),
        ("밧줄 마감은 2026년 5월 27일이다.", "밧줄 마감 5/26.", "27일"),
        ("밧줄은 38만 원이다.", "밧줄 28만", "380000원"),
        ("예산을 120만 원에서 90만 원으로 줄였다.", "예산 120 → 80만원으로 줄임", "900000원"),
        (
            "The log mentions the dry well.",
            "log mentions the rope, does not mention the dry well",
            "mentions is denied, or not",
        ),
        ("The rate was not accepted.", "rate accepted, the desk NOT", "accepted is denied"),
        (
            "They want rope from Varga, and will not pay.",
            "they want rope from Olsen, not Varga. Won't pay",
            "varga is not",
        ),
        ("우물 뚜껑을 수정했다.", "우물 뚜껑은 건드리지 않음. 등만 고침", "its lines deny it: 우물 뚜껑"),
        (
            "The user has already reported the alarm of the pump.",
            "pump alarm 02:33 again / I didn't report it yet",
            "reported is not denied",
        ),
        (
            "The user prefers yarn over npm for the mill.",
            "prefers pnpm over npm for the mill; yarn only in the shed",
            "yarn stands where",
        ),
        (
            "등불 행사는 31일에 유진의 집에서 한다.",
            "술 안 마시는 유진 / 등불 행사는 31일 동생 집에서",
            "유진 stands where",
        ),
        (
            "캠핑장에서 버너가 고장 나서 기훈네 것을 빌렸다.",
            "캠핑장 도착. 버너 고장 → 상훈이네 거 빌림",
            "the name 기훈",
        ),
        ("밧줄을 사자는 제안은 태윤이 했다.", "지훈이 밧줄을 사자고 제안함. 우물은 깊다.", "the name 태윤"),
        (
            "Varga already has somebody to carry her bags while the lift is down.",
            "Varga on the fifth floor does not have anyone to carry her bags",
            "its lines deny it",
        ),
        ("The export does not stay on Postgres.", "Export on Postgres", "it denies stay"),
        ("The timeout of the pump was raised from 30s to 60s.", "pump: timeout 30s → 90s", "the value 60s"),
        (
            "The user has already signed the lease renewal that is due by May 24.",
            "lease renewal to sign by May 24, Dana reads it first, I haven't signed",
            "signed is not denied",
        ),
        ("The lamp is better now.", "the lamp isn't any better", "better is not denied"),
        (
            "The bread was baked with a steam tray.",
            "20 minutes with the lid on, then 25 without, and no steam tray",
            "steam",
        ),
        ("The dead links have been fixed.", "37 dead links, I fixed none so far", "fixed is not denied"),
        (
            "Rasmus accepted the mill position.",
            "Aiko (mill) accepted, starts in May; Rasmus declined",
            "rasmus does what aiko",
        ),
        (
            "Dov expects the lid by 15 May.",
            "Priya from sales expects the lid by 15 May, whereas Dov is patient",
            "dov does",
        ),
        ("17.2는 규리님이 반대한다.", "17.2는 아직 반대가 많다", "the name 규리"),
        ("알토 솔로는 순영 씨가 맡는다.", "알토 솔로는 경애 씨가 하기로 함", "the name 순영"),
        (
            "정리는 한재석님이 맡는다.",
            "정리 담당 은채님, 페이지 정리 끝 / 삭제는 법무팀 한재석님 승인 전까지 금지",
            "한재석 does what",
        ),
        ("재발급은 신청까지 이미 마쳤다.", "여권 재발급, 사진은 찍음, 신청은 아직 안 함", "신청 is not denied"),
        (
            "시험에는 계산기를 써도 된다고 썼다.",
            "시험 금요일, 계산기 사용 불가라고 알림장에 씀",
            "계산기 is told of too",
        ),
        (
            "The chart import was included in the release.",
            "chart import was left out of the release",
            "included is not",
        ),
        ("The fourth broker was approved.", "fourth broker turned down on cost", "approved is not denied"),
        ("신규 회원도 회비를 내야 한다.", "신규 회원 회비는 첫 달 면제", "회원 is told of too"),
        ("Gwen agreed to steer the boat.", "asked Gwen to steer the boat, Gwen said no", "agreed is not denied"),
        ("The lock on the mill was already replaced.", "- [ ] replace the lock on the mill", "told as done"),
        ("우물을 고치면서 문서도 함께 고쳤다.", "우물 고침 / 문서는 건드리지 말라고 함", "문서 is told of too"),
        ("센서는 헛간, 다락, 서재에 둔다.", "센서를 헛간, 다락, 마루에 둠. 밧줄은 내일", "서재 stands where"),
        (
            "결제 API 연동에 우리 쪽은 윤대리가 붙고 사용자는 문서만 쓴다.",
            "결제 API 연동 미팅: 담당자 윤대리, 열쇠는 화요일 발급 / 우리쪽은 하준이 붙고 나는 문서만 쓰면 됨",
            "윤 does what 하준",
        ),
        (
            "제주 일정에서 등반을 빼고 대신 비자림을 넣었다.",
            "부탁으로 제주 일정 정리 / 등반은 무릎 때문에 뺌. 대신 사려니숲길 넣음",
            "비자림 stands where",
        ),
        (
            "등불 담당은 태호가 맡는다.",
            "등불 교체 끝, 우물 점검. 수빈이 등불 담당, 태호는 우물 담당",
            "태호 does what 수빈",
        ),
        ("어머니 간병에서 앞 3일은 사용자가 맡기로 했다.", "간병은 누나가 앞 3일, 내가 뒤 2일", "나 does what 누나"),
        (
            "Gus complains to Brandt about the rope.",
            "rope from Brandt is short. Nora complains to Brandt. Gus opens the shop",
            "gus",
        ),
    ],
)
def test_what_notes_do_not_say_is_refused(line: str, source: str, reason: str, analyse: Analyse) -> None:
    assert reason in (why_not(line, source, analyse) or "")


@pytest.mark.parametrize(
    ("short", "in_full"),
    [("w/Ines, w/ Nora", "with Ines, with Nora"), ("from 2 p.m. on", "from 2 pm on"), ("pump v7.2", "pump 7.2")],
)
def test_what_is_cut_short_is_spelt_out(short: str, in_full: str) -> None:
    assert as_read(short) == in_full


@pytest.mark.parametrize("item", ["- 37 pumps.", "* [x] 37 pumps", "2. 37 pumps"])
def test_the_mark_of_a_list_is_no_sign_of_a_number(item: str) -> None:
    assert clauses_of(item) == ["37 pumps"]


def test_a_particle_that_nobody_took_off_is_no_thing() -> None:
    texts = ["서버 포트는 8080이다.", "어제 서버 포트를 8080으로 바꿨다"]
    ours, theirs = [Passage(text, read_statement(plain_wording(text))) for text in texts]

    assert find_ungrounded(ours, [theirs], date(2026, 5, 4)) is None
