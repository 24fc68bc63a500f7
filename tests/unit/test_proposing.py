"""Which sentences ask to be remembered: by what is done in saying them, not by their words."""

from __future__ import annotations

import pytest

from bankd.core.distil.proposing import (
    Proposal,
    SaidSentence,
    compose_proposals,
    propose,
    proposed_keys,
    sentences_said,
)
from bankd.core.distil.sections import ProseSection
from bankd.core.distil.speech_acts import SpeechAct, read_act
from bankd.core.language.wording import Morpheme, Wording, plain_wording


def korean(text: str, *morphemes: str) -> Wording:
    """A text as the analyser takes it apart, each piece as form/TAG."""
    return Wording(text, tuple(Morpheme(*one.rsplit("/", 1)) for one in " ".join(morphemes).split()))


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Remember that Dana signs off.", SpeechAct.REMEMBER),
        ("We agreed to meet on Mondays.", SpeechAct.DECISION),
        ("From now on use tabs.", SpeechAct.RULE),
        ("Never push to main.", SpeechAct.RULE),
        ("The port is 8081, not 8080.", SpeechAct.CORRECTION),
        ("I'd rather read code.", SpeechAct.PREFERENCE),
        ("I'll send it by Friday.", SpeechAct.COMMITMENT),
        ("The loop never ends.", None),
        ("I remember that bug.", None),
        ("Do you prefer tabs?", None),
        ("If we decided that now, it would be early.", None),
        ("I'll send it by tonight.", None),
        ("The team agreed on nothing.", None),
        ("I love this one.", None),
    ],
)
def test_english_is_read_by_where_its_verbs_stand(text: str, act: SpeechAct | None) -> None:
    assert read_act(plain_wording(text), is_korean=False) is act


@pytest.mark.parametrize(
    ("morphemes", "act"),
    [
        ("생일/NNG 이/VCP 니까/EC 기억/NNG 하/XSV 어/EC 주/VX 어/EF", SpeechAct.REMEMBER),
        ("기억/NNG 하/XSV 고/EC 있/VX 다/EF", None),
        ("목요일/NNG 로/JKB 옮기/VV 기/ETN 로/JKB 하/VV 었/EP 다/EF", SpeechAct.DECISION),
        ("누/NP 가/JKS 결정/NNG 하/XSV 었/EP 는지/EC 모르/VV 어/EF", None),
        ("절대/MAG 푸시/NNG 하/XSV 지/EC 말/VX 어/EF", SpeechAct.RULE),
        ("코드/NNG 는/JX 항상/MAG 반환/NNG 하/XSV ᆫ다/EF", None),
        ("화요일/NNG 이/JKC 아니/VCN 라/EC 수요일/NNG 이/VCP 야/EF", SpeechAct.CORRECTION),
        ("스페이스/NNG 를/JKO 선호/NNG 하/XSV 어/EF", SpeechAct.PREFERENCE),
        ("금요일/NNG 까지/JX 보내/VV ᆯ게/EF", SpeechAct.COMMITMENT),
        ("옮기/VV 기/ETN 로/JKB 하/VV 었/EP 나요/EF ?/SF", None),
    ],
)
def test_korean_is_read_by_its_endings(morphemes: str, act: SpeechAct | None) -> None:
    assert read_act(korean("", morphemes), is_korean=True) is act


def said(text: str, speaker: str = "user", beside: str = "") -> list[Proposal]:
    return propose([SaidSentence(text, "2026-05-02.md", 3, speaker, beside)], {text: plain_wording(text)}, set())


def test_what_is_proposed_is_what_was_said_without_the_request() -> None:
    (one,) = said("Remember that Dana signs every release.")
    assert (one.tag, one.text, one.line) == ("W", "Dana signs every release.", 3)
    assert said("Remember that.", beside="The vault is in rack 4.")[0].text == "The vault is in rack 4."
    assert said("Remember that.") == []
    assert said("I prefer short answers.")[0].tag == "O"


def test_what_an_assistant_advises_is_no_memory_but_what_it_promises_is() -> None:
    assert said("Never boil the lentils with salt.", "assistant") == []
    assert len(said("Never boil the lentils with salt.")) == 1
    assert len(said("I'll send the draft by Friday.", "assistant")) == 1


def test_sentences_are_found_below_quotes_and_marks_and_those_of_tools_are_not() -> None:
    lines = ((3, "> - **Mina**: First one. Second one!"), (4, "x" * 400))
    found = [*sentences_said([ProseSection("a.md", "09:30 user", lines), ProseSection("a.md", "09:31 tool", lines)])]
    assert [(one.text, one.beside, one.speaker) for one in found] == [
        ("First one.", "Second one!", "user"),
        ("Second one!", "First one.", "user"),
    ]


def test_what_was_proposed_once_is_known_by_its_words_whatever_became_of_its_line() -> None:
    (one,) = said("We agreed to meet on Mondays.")
    text = compose_proposals([one], "2026-05-02", is_new=True)
    assert proposed_keys(text) == {one.key}
    assert (
        propose(
            [SaidSentence(one.text.upper(), "b.md", 1, "", "")], {one.text.upper(): plain_wording(one.text)}, {one.key}
        )
        == []
    )


def test_a_line_cannot_end_its_note() -> None:
    one = Proposal("W", "a --> b <!-- proposed: c", "x--y.md", 3, SpeechAct.RULE)
    (line,) = [line for line in compose_proposals([one], "d", is_new=False).split("\n") if line.startswith("- ")]
    assert line.count("-->") == line.count("<!--") == 2
