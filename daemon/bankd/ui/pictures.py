"""What the page says, in Korean; the English is the key.

Pictures that say more than words, as SVG made here: curves, strips of runs, the map of the bank, what is around a memory.

Colours are those of the style sheet, by class, so that they follow light and dark; every picture says in words what it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup, escape

KOREAN: Mapping[str, str] = {
    "Search": "검색", "Night": "밤사이", "Desk": "책상", "Memory": "기억", "Timeline": "시간순", "Map": "지도", "Fading": "흐려짐", "Health": "상태",
    "Pages": "화면", "Banks": "기억 은행", "Skip to the content": "본문으로 건너뛰기", "Back to the search": "검색으로 돌아가기",
    "What do you want to know?": "무엇이 궁금한가요?", "all banks": "모든 은행에서", "weak answers too": "약한 답도 보기",
    "answers": "개의 답", "Nothing relevant": "관련된 것이 없습니다", "nearest, maybe about something else": "가장 가까운 것, 다른 이야기일 수 있습니다",
    "In the bank": "은행에서", "In the logs": "로그에서", "In the archive": "보관소에서",
    "Why": "이유", "See also": "함께 보기", "changed pages are not in the index yet": "개의 바뀐 쪽이 아직 색인에 없습니다",
    "Meaning": "의미 검색", "answered by the daemon": "데몬이 답함", "no daemon runs": "실행 중인 데몬 없음",
    "Done": "완료", "Undo": "되돌리기", "What it did": "무엇을 했나",
    "placed": "옮김", "accepted": "받아들임", "dismissed": "치움", "kept": "그대로 둠", "merged": "합침", "both hold": "둘 다 맞음",
    "archived": "보관함", "restored": "되살림", "pinned": "고정함", "promoted": "오래 남김", "let in": "들여보냄", "noted": "적어 둠",
    "imported": "가져옴", "taken back": "되돌림",
    "new": "새로 생김", "gone": "없어짐", "It changed no page, or what it changed is not kept.": "바꾼 쪽이 없거나, 바꾼 내용이 남아 있지 않습니다.",
    "Runs": "실행 기록", "No run yet.": "아직 실행된 적이 없습니다.", "When": "언제", "Kind": "종류", "Outcome": "결과", "What": "내용",
    "Learned": "배운 것", "Updated": "고친 것", "Said again": "다시 말한 것", "Not kept, for they say nothing new": "새로운 말이 없어 두지 않음",
    "Not kept, for they look like credentials": "비밀번호나 열쇠처럼 보여 두지 않음", "Merged": "합친 것", "Went to the archive": "보관소로 간 것",
    "Fades within days": "며칠 안에 흐려질 것", "Split": "나눈 것", "In the inbox": "자리를 기다리는 것",
    "Offered, and waiting for your word": "받아들일지 묻는 것", "Noticed": "알아둘 것",
    "Could not be read": "읽지 못한 것", "Needs you": "손길이 필요한 것", "Waits for the next run": "다음 실행을 기다리는 것",
    "Keys: j and k move, the letter on a button decides, u takes the last decision back.": "키: j와 k로 움직이고, 단추의 글자로 정하며, u로 마지막 결정을 되돌립니다.",
    "Page, or page#Heading": "쪽 또는 쪽#제목", "Nothing waits for you.": "기다리는 것이 없습니다.",
    "lines of prose were read and not taken in, as nobody tagged them: bankctl propose finds what asks to be remembered.": "줄의 글은 표시가 없어 읽기만 했습니다. bankctl propose가 기억할 만한 것을 찾습니다.",
    "Lines that no rule places": "규칙에 맞는 자리가 없는 줄", "Proposed by a model or a rule": "모델이나 규칙이 제안한 줄", "Contradictions": "서로 어긋나는 기억",
    "Nearly the same": "거의 같은 기억", "Lived, and used again and again": "겪은 뒤 거듭 쓰인 기억", "Lines that were not taken in": "받아들이지 않은 줄",
    "Imports to confirm": "확인할 가져오기",
    "Place": "옮기기", "Archive": "보관", "Accept": "받아들이기", "Dismiss": "치우기", "Archive the older": "옛것 보관", "Archive the newer": "새것 보관",
    "Both hold": "둘 다 맞음", "Keep all": "모두 두기", "Merge": "합치기", "Make it lasting": "오래 남기기", "Leave it": "그대로 두기", "Pin": "고정",
    "Import": "가져오기", "Restore": "되살리기", "Note": "적기",
    "Archive 1": "1번 보관", "Archive 2": "2번 보관", "Archive 3": "3번 보관", "Archive 4": "4번 보관", "Archive 5": "5번 보관",
    "Archive 6": "6번 보관", "Archive 7": "7번 보관", "Archive 8": "8번 보관", "Archive 9": "9번 보관",
    "Search finds a memory; its text leads here.": "검색으로 기억을 찾아 그 글을 누르면 여기로 옵니다.", "No page holds it now.": "지금은 어느 쪽에도 없습니다.",
    "strength": "세기", "importance": "중요도", "confidence": "확신", "Something newer says otherwise": "더 새로운 기억이 다르게 말합니다",
    "It is newer than": "다음보다 새롭습니다:", "What is around it": "둘레 보기", "Where it stands": "있는 곳", "nowhere": "없음", "Where it came from": "온 곳",
    "a person: no log line has this id": "사람이 적음: 이 번호의 로그 줄이 없습니다", "What happened to it": "지나온 일", "a model wrote, to find it by": "찾기 위해 모델이 적음",
    "Near it": "가까운 것", "About": "누구에 대해", "Since": "부터", "Until": "까지", "As the bank stood on": "그날의 은행", "Show": "보기", "no day": "날짜 없음",
    "Nothing of these days.": "이 기간의 기억이 없습니다.", "Around a memory, a page or somebody": "기억, 쪽, 사람의 둘레", "The whole bank": "은행 전체",
    "Nothing is tied to it.": "이어진 것이 없습니다.", "As large as they hold memories; the paler, the longer nobody saved them.": "기억이 많을수록 크고, 오래 손대지 않을수록 옅습니다.",
    "The bank is empty.": "은행이 비어 있습니다.", "opinions fall below": "개의 의견이 이 값 아래로 떨어집니다:", "pinned ones do not fade": "개는 고정되어 흐려지지 않습니다",
    "days": "일", "Nothing fades soon.": "곧 흐려질 것이 없습니다.", "May go to the archive": "보관해도 될 것", "Archived last": "최근에 보관한 것",
    "All is well.": "모두 잘 되고 있습니다.", "Bank": "은행", "memories": "개의 기억", "pages": "개의 쪽", "in the inbox": "개가 자리를 기다림", "Index": "색인",
    "up to date": "최신", "not made yet": "아직 만들지 않음", "Daemon": "데몬", "running now": "실행 중", "never ran": "실행된 적 없음", "next": "다음", "Missed": "놓친 실행",
    "made up for": "나중에 채움", "not made up for": "채우지 못함", "That did not work": "그렇게 하지 못했습니다", "there is nothing at this address": "이 주소에는 아무것도 없습니다",
    "Strength and confidence over the days": "날에 따른 세기와 확신", "Runs of the last weeks, a column a day": "지난 몇 주의 실행, 하루에 한 칸",
    "The pages of the bank by size and age": "크기와 나이로 본 은행의 쪽들", "What is around it, the nearer the closer": "둘레에 있는 것, 가까울수록 가깝게",
}  # fmt: skip


def translate(text: str, language: str) -> str:
    """A text of the page in a language; one without a translation, such as a name, stays as it is."""
    return KOREAN.get(text, text) if language == "ko" else text


_WIDTH, _HEIGHT = 640, 180
_TREE = 720, 420
_OLD_DAYS = (7, 30, 90, 365)
"""Days from which on a page is drawn in the next older colour."""
_LABEL_ROOM = 60, 26
"""A rectangle of the map that is smaller has no label."""


class CurvePoint(NamedTuple):
    """A day, a value from 0 to 1, and what happened; empty for nothing."""

    day: date
    value: float
    what: str


class Leaf(NamedTuple):
    """A page of the bank: its path, how many memories it holds, and how many days ago it was saved."""

    path: str
    memories: int
    age: int


class NearNode(NamedTuple):
    """What is one step away: its id or path, its text, the tie, and how near it is, 0 to 1."""

    id: str
    text: str
    tie: str
    score: float


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float


def _svg(size: tuple[float, float], label: str, parts: Iterator[Markup], *, has_links: bool = False) -> Markup:
    role = "group" if has_links else "img"
    head = Markup('<svg viewBox="0 0 {} {}" role="{}" aria-label="{}">').format(*size, role, label)
    return head + Markup("").join(parts) + Markup("</svg>")


def draw_curve(strength: Sequence[CurvePoint], value: Sequence[CurvePoint], today: date, language: str) -> Markup:
    """How strong a memory was and what an opinion is worth over the days; empty where nothing is known of either."""
    points = [*strength, *value]
    if not points:
        return Markup("")
    first, last = min(point.day for point in points), max(today, *(point.day for point in points))
    days = max(1, (last - first).days)

    def place(point: CurvePoint) -> tuple[float, float]:
        return 34 + (_WIDTH - 44) * (point.day - first).days / days, 12 + (_HEIGHT - 40) * (1 - point.value)

    def parts() -> Iterator[Markup]:
        yield from _axes(first, last)
        now = place(CurvePoint(today, 0, ""))[0]
        yield Markup('<line class="now" x1="{0:.1f}" x2="{0:.1f}" y1="12" y2="{1}"/>').format(now, _HEIGHT - 28)
        for name, line in (("value", value), ("strength", strength)):
            path = " ".join("{:.1f},{:.1f}".format(*place(point)) for point in line)
            yield Markup('<polyline class="line {}" points="{}"/>').format(name, path)
        for point in strength:
            if point.what:
                title = f"{point.day}: {point.what}, {point.value:.2f}"
                spot = Markup('<circle class="spot" cx="{:.1f}" cy="{:.1f}" r="3.5"><title>{}</title></circle>')
                yield spot.format(*place(point), title)

    return _svg((_WIDTH, _HEIGHT), translate("Strength and confidence over the days", language), parts())


def _axes(first: date, last: date) -> Iterator[Markup]:
    for share in (0, 0.5, 1):
        y = 12 + (_HEIGHT - 40) * (1 - share)
        yield Markup('<line class="axis" x1="34" x2="{}" y1="{}" y2="{}"/>').format(_WIDTH - 10, y, y)
        yield Markup('<text x="4" y="{}">{}</text>').format(y + 4, f"{share:.1f}")
    for x, anchor, day in ((34, "start", first), (_WIDTH - 10, "end", last)):
        yield Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, _HEIGHT - 8, anchor, day)


def draw_runs(days: Sequence[tuple[date, Sequence[Mapping[str, Any]]]], language: str) -> Markup:
    """The runs of some weeks: a column a day, as high as there were runs, red where one went wrong, hollow where none ran."""
    most = max((len(runs) for _, runs in days), default=1) or 1
    width = 640 / max(1, len(days))

    def parts() -> Iterator[Markup]:
        for number, (day, runs) in enumerate(days):
            bad = sum(run.get("status") in {"failed", "refused"} for run in runs)
            kind = "failed" if bad else "changed" if any(run.get("status") == "changed" for run in runs) else "idle"
            height = 8 + 52 * len(runs) / most if runs else 3
            box = Markup(
                '<rect class="run {}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2"><title>{}</title></rect>'
            )
            title = f"{day}: {len(runs)}" + (f" ({bad} failed)" if bad else "")
            yield box.format(kind if runs else "none", number * width + 1, 64 - height, width - 2, height, title)

    return _svg((640, 66), translate("Runs of the last weeks, a column a day", language), parts())


def draw_tree(leaves: Sequence[Leaf], bank: str, language: str) -> Markup:
    """The pages of the bank as rectangles, as large as they hold memories, the paler the longer nobody saved them."""

    def parts() -> Iterator[Markup]:
        for leaf, box in divide(leaves, Box(0, 0, *_TREE)):
            yield _rectangle(leaf, box, bank)

    return _svg(_TREE, translate("The pages of the bank by size and age", language), parts(), has_links=True)


def _rectangle(leaf: Leaf, box: Box, bank: str) -> Markup:
    age = sum(leaf.age >= days for days in _OLD_DAYS)
    title = f"{leaf.path}: {leaf.memories}, {leaf.age} d"
    head = Markup('<a href="/{}/file?path={}" aria-label="{}">').format(quote(bank, safe=""), quote(leaf.path), title)
    rect = Markup('<rect class="page age-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
    shape = rect.format(age, box.x + 1, box.y + 1, max(0.0, box.width - 2), max(0.0, box.height - 2))
    return head + shape + Markup("<title>{}</title>").format(title) + _label(leaf, box) + Markup("</a>")


def _label(leaf: Leaf, box: Box) -> Markup:
    if box.width < _LABEL_ROOM[0] or box.height < _LABEL_ROOM[1]:
        return Markup("")
    room = int((box.width - 10) / 8)
    name = leaf.path.removeprefix("bank/").removesuffix(".md")
    text = name if len(name) <= room else "…" + name[len(name) - room + 1 :]
    return Markup('<text x="{:.1f}" y="{:.1f}">{}</text>').format(box.x + 6, box.y + 18, text)


def divide(leaves: Sequence[Leaf], box: Box) -> Iterator[tuple[Leaf, Box]]:
    """Divide a rectangle among pages by their memories: halves of about the same sum, along the longer side."""
    if len(leaves) == 1:
        yield leaves[0], box
    if len(leaves) <= 1:
        return
    whole, at, sum_ = sum(leaf.memories for leaf in leaves), 0, 0
    while at < len(leaves) - 1 and (sum_ == 0 or sum_ + leaves[at].memories <= whole / 2):
        sum_ += leaves[at].memories
        at += 1
    share = sum_ / whole
    if box.width >= box.height:
        cut = box.width * share
        halves = box._replace(width=cut), box._replace(x=box.x + cut, width=box.width - cut)
    else:
        cut = box.height * share
        halves = box._replace(height=cut), box._replace(y=box.y + cut, height=box.height - cut)
    yield from divide(leaves[:at], halves[0])
    yield from divide(leaves[at:], halves[1])


def draw_graph(center: str, around: Sequence[NearNode], bank: str, language: str) -> Markup:
    """What is one step away from something, the nearer the closer, in the order of the list beside it."""
    middle_x, middle_y = _TREE[0] / 2, _TREE[1] / 2

    def parts() -> Iterator[Markup]:
        spots = [_spot(number, len(around), one.score) for number, one in enumerate(around)]
        for x, y in spots:
            yield Markup('<line class="tie" x1="{}" y1="{}" x2="{:.1f}" y2="{:.1f}"/>').format(middle_x, middle_y, x, y)
        for number, (one, (x, y)) in enumerate(zip(around, spots, strict=True), 1):
            title = f"{one.tie}: {one.text[:160]}"
            link = Markup('<a href="/{}/map?around={}" aria-label="{}">').format(
                quote(bank, safe=""), quote(one.id), title
            )
            node = Markup(
                '<circle class="node" cx="{0:.1f}" cy="{1:.1f}" r="15"/><text x="{0:.1f}" y="{2:.1f}" text-anchor="middle">{3}</text>'
            )
            yield link + Markup("<title>{}</title>").format(title) + node.format(x, y, y + 5, number) + Markup("</a>")
        yield Markup('<circle class="center" cx="{}" cy="{}" r="9"><title>{}</title></circle>').format(
            middle_x, middle_y, escape(center)
        )

    return _svg(_TREE, translate("What is around it, the nearer the closer", language), parts(), has_links=True)


def _spot(number: int, of: int, score: float) -> tuple[float, float]:
    angle, far = 2 * math.pi * number / max(1, of) - math.pi / 2, 0.45 + 0.5 * (1 - min(1.0, max(0.0, score)))
    return _TREE[0] / 2 + math.cos(angle) * far * 320, _TREE[1] / 2 + math.sin(angle) * far * 190
