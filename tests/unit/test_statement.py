"""What wording leaves no trace in a statement, and what does."""

from __future__ import annotations

import pytest

from bankd.pages.memory import Memory
from bankd.same.reading import compared_text, read_statement
from bankd.words.statement import Morpheme, Wording, plain_wording


def korean(text: str, tagged: str) -> Wording:
    """A wording from `form/TAG` pairs, as an analyser gives them."""
    return Wording(text, tuple(Morpheme(*pair.rsplit("/", 1)) for pair in tagged.split()))


def keys(text: str, tagged: str | None = None) -> tuple[str, ...]:
    return read_statement(korean(text, tagged) if tagged else plain_wording(text)).keys


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't like the coffee.", ("i", "¬not like", "coffee")),
        ("He never smokes", ("he", "¬never smokes")),
        ("No sugar in coffee", ("¬not sugar", "in", "coffee")),
        ("a few friends", ("a", "few", "friends")),
        ("the friends", ("friends",)),
        ("twenty five cats", ("25", "cats")),
        ("10 km, 10km and 10 kilometres", ("10km", "10km", "and", "10km")),
        ("twenty-five cats, thirty-forty", ("25", "cats", "30", "40")),
        ("40 in stock, put 7.2.4 in its place", ("40", "in", "stock", "put", "7.2.4", "in", "its", "place")),
        ("a 27 in monitor, 27 in", ("27in", "monitor", "27in")),
        ("5 gigabytes, 5 GB", ("5gb", "5gb")),
        ("$20", ("20달러",)),
        ("May 3rd, 2026", ("2026년", "5월", "3일")),
        ("3 May 2026", ("2026년", "5월", "3일")),
        ("may go", ("may", "go")),
        ("at 3pm", ("at", "15:00")),
        ("at 3:30 pm", ("at", "15:30")),
        ("last week", ("last week",)),
        ("No, we keep it", ("we", "keep", "it")),
        ("smoking no, dogs ok", ("¬not smoking", "dogs", "ok")),
        ("coffee: no, tea: yes", ("¬not coffee", "tea", "yes")),
        ("Never, ever call", ("¬never ever", "call")),
        ("before 10 a.m., I work nights", ("before", "10:00", "i", "work", "nights")),
        ("10 pm at night", ("22:00", "at", "night")),
        ("10 apples, in crates", ("10", "apples", "in", "crates")),
        ("RUSTSEC-2026-0031, in `tar`", ("rustsec", "2026-0031", "in", "tar")),
        ("stopped Jan '24", ("stopped|past", "2024년", "1월")),
        ("until 03/2027", ("until", "2027년", "3월")),
        ("9/26 Nora", ("9월", "26일", "nora")),
        ("on 26/9, cold", ("on", "9월", "26일", "cold")),
        ("open 24/7", ("open", "24/7")),
        ("9/26 tests passed", ("9/26", "tests", "passed|past")),
        ("-2 degrees", ("-2", "degrees")),
        ("US office, us", ("US", "office", "us")),
        ("WE MET US", ("we", "met|past", "us")),
        ("v1.2.3 of https://a.example/x", ("v1", "2.3", "of", "https://a.example/x")),
    ],
)
def test_english_is_read_word_by_word(text: str, expected: tuple[str, ...]) -> None:
    assert keys(text) == expected


@pytest.mark.parametrize(
    ("text", "tagged", "expected"),
    [
        ("안 간다", "안/MAG 가/VV ᆫ다/EF", ("¬not 가",)),
        ("가지 않는다", "가/VV 지/EC 않/VX 는다/EF", ("¬not 가",)),
        ("가지 마라", "가/VV 지/EC 말/VX 라/EF", ("¬stop 가",)),
        ("가면 안 된다", "가/VV 면/EC 안/MAG 되/VV ᆫ다/EF", ("가|if", "¬not 되")),
        ("못 간다", "못/MAG 가/VV ᆫ다/EF", ("¬cannot 가",)),
        ("돈이 없다", "돈/NNG 이/JKS 없/VA 다/EF", ("돈", "¬not 있")),
        ("친구가 아니다", "친구/NNG 가/JKC 아니/VCN 다/EF", ("¬not 친구",)),
        ("불가능하다", "불/XPN 가능/NNG 하/XSA 다/EF", ("불가능",)),
        ("갈 수 있다", "가/VV ᆯ/ETM 수/NNB 있/VV 다/EF", ("가|can",)),
        ("갈 수 없다", "가/VV ᆯ/ETM 수/NNB 없/VA 다/EF", ("¬not 가|can",)),
        ("커피만", "커피/NNG 만/JX", ("커피|only",)),
        ("커피는", "커피/NNG 는/JX", ("커피",)),
        ("서울에서", "서울/NNP 에서/JKB", ("서울|from",)),
        ("갔다", "가/VV 었/EP 다/EF", ("가|past",)),
        ("가셨습니다", "가/VV 시/EP 었/EP 습니다/EF", ("가|past",)),
        ("주무신다", "주무시/VV ᆫ다/EF", ("자",)),
        ("운동을 한다", "운동/NNG 을/JKO 하/VV ᆫ다/EF", ("운동",)),
        ("운동한다", "운동/NNG 하/XSV ᆫ다/EF", ("운동",)),
        ("큰 집", "크/VA ᆫ/ETM 집/NNG", ("크", "집")),
        ("먹은 밥", "먹/VV 은/ETM 밥/NNG", ("먹|past", "밥")),
        ("한 남자", "한/MM 남자/NNG", ("남자",)),
        ("한 번", "한/MM 번/NNB", ("1번",)),
        ("열두 시 반", "열/NR 두/MM 시/NNB 반/NNG", ("12시", "30분")),
        ("오후 3시", "오후/NNG 3/SN 시/NNB", ("15시",)),
        ("밤 11시, 낮 2시", "밤/NNG 11/SN 시/NNB ,/SP 낮/NNG 2/SN 시/NNB", ("밤", "23시", "낮", "14시")),
        ("86만 원 반포장", "86/SN 만/NR 원/NNB 반/NNG 포장/NNG", ("860000원", "반", "포장")),
        ("29만 원", "29/SN 만/NR 원/NNB", ("290000원",)),
        ("290,000원", "290,000/SN 원/NNB", ("290000원",)),
        ("10~20명", "10/SN ~/SO 20/SN 명/NNB", ("10-20명",)),
        ("8080을", "8080/SN 을/NNG", ("8080",)),
    ],
)
def test_korean_is_read_by_what_its_morphemes_do(text: str, tagged: str, expected: tuple[str, ...]) -> None:
    assert keys(text, tagged) == expected


def test_without_an_analyser_a_hangul_word_stays_whole() -> None:
    assert keys("밥을 3번 먹었다") == ("밥을", "3번", "먹었다")


@pytest.mark.parametrize(("text", "mood"), [("간다", "."), ("가?", "?"), ("가라", "!"), ("가", "")])
def test_the_mood_is_that_of_the_last_ending(text: str, mood: str) -> None:
    endings = {"간다": "가/VV ᆫ다/EF", "가?": "가/VV 어/EF ?/SF", "가라": "가/VV 어라/EF", "가": "가/VV 어/EF"}

    assert read_statement(korean(text, endings[text])).mood == mood


def test_an_entity_that_the_text_begins_with_is_said_once() -> None:
    with_name = read_statement(plain_wording("Peter prefers tea"), ["Peter"])
    without = read_statement(plain_wording("prefers tea"), ["Peter"])

    assert with_name.keys == without.keys
    assert with_name.about == frozenset({"peter"})


def test_a_pin_is_not_part_of_what_is_said() -> None:
    assert compared_text(Memory("prefers tea #pinned")) == "prefers tea"
    assert compared_text(Memory("likes #pinnedcats")) == "likes #pinnedcats"
