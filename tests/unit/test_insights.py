"""What several memories say together: found by clusters, grounded in them, gone when one of them goes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bankd.night.asking import Prompt, Reply, Unanswered
from bankd.night.believe import OF_INSIGHTS
from bankd.night.insights import Remembered, find_unsupported, insight_in, memory_clusters, sources_of
from bankd.pages.memory import Memory
from tests.odd_values import with_one_odd
from tests.unit.test_distilling import NOW, Night, supported, verified

PEOPLE = "bank/people.md"
SAID = ("drinks tea in the morning", "cycles to the office", "reads before bed", "cooks on Sunday", "swims in the lake",
        "plays chess with Ana")  # fmt: skip


def ids(count: int) -> list[str]:
    return [f"m-{letter * 12}" for letter in "abcdefghijklmnop"[:count]]


def page(count: int = 6, derived: str = "") -> str:
    lines = [f"- W @Peter: Peter {said}. ^{id_}" for said, id_ in zip(SAID, ids(count), strict=False)]
    return "# People\n\n" + "\n".join([*lines, *([derived] if derived else [])]) + "\n"


def insight(text: str = "Peter keeps quiet habits.", sources: tuple[int, ...] = (1, 2, 3, 4, 5)) -> Reply:
    return Reply({"insights": [{"tag": "W", "text": text, "sources": list(sources)}]}, 1, 1, is_kept=False)


def night(answer: Reply | Unanswered, count: int = 6) -> Night:
    made = Night({}, lambda prompt: answer)
    made.world.disk.pages[PEOPLE] = page(count)
    return made


def test_five_memories_that_belong_together_give_one_insight_that_names_them() -> None:
    one = night(insight())

    one.run()

    text = one.world.disk.logs[f"distilled/{NOW:%Y-%m-%d}.md"]
    assert f"- W @Peter: Peter keeps quiet habits. (derived from {', '.join(ids(5))})\n" in text
    assert "(derived from m-aaaaaaaaaaaa" in one.learned()
    asked: list[Prompt] = one.models.asked
    assert "About @Peter" in asked[0].text
    assert "2| Peter cycles to the office." in asked[0].text
    one.run(NOW + timedelta(days=1))
    assert len(one.models.asked) == 1, "it is not asked for again"


@pytest.mark.parametrize("count", [0, 4])
def test_fewer_than_five_give_none(count: int) -> None:
    one = night(insight(), count)
    one.run()
    assert one.models.asked == []


def test_what_the_memories_do_not_say_waits_for_a_person() -> None:
    one = night(insight("Peter moved to Oslo in 2019."))

    report = one.run()

    assert "Oslo" not in one.learned()
    assert any("not believed" in bad.reason for bad in report.plan.bad)


def test_an_insight_goes_to_the_archive_with_the_first_of_its_memories() -> None:
    one = night(insight())
    one.run()
    people = one.world.disk.pages[PEOPLE]
    one.world.disk.pages[PEOPLE] = "".join(line for line in people.splitlines(True) if "cycles" not in line)

    report = one.run(NOW + timedelta(days=1))

    assert [item.reason for item in report.plan.archived] == [f"it was derived from {ids(2)[1]} too"]
    assert "(derived from" not in one.learned()


def test_an_insight_supports_no_other_and_its_cluster_is_not_asked_about_again() -> None:
    own = f"- W @Peter: Peter keeps quiet habits. (derived from {', '.join(ids(5))}) ^m-zzzzzzzzzzzz"
    one = Night({}, lambda prompt: insight())
    one.world.disk.pages[PEOPLE] = page(6, own)

    one.run()

    assert one.models.asked == []
    assert sources_of(own) == tuple(ids(5))


def test_what_is_not_answered_waits_and_is_named() -> None:
    one = night(Unanswered("no answer in time"))

    report = one.run()

    assert [item.reason for item in report.plan.deferred] == ["an insight waits to be derived: no answer in time"]
    one.models.by = lambda _: insight()
    one.run(NOW + timedelta(days=1))
    assert "Peter keeps quiet habits." in one.learned()


def test_an_insight_rests_on_five_different_memories_that_were_shown() -> None:
    remembered = [Remembered(id_, ("people.md",), Memory(said, "W")) for id_, said in zip(ids(6), SAID, strict=True)]
    (cluster,) = memory_clusters(remembered)

    assert insight_in(insight().value, cluster) is not None
    for sources in ((1, 1, 1, 1, 1), (1, 2, 3, 4), (1, 2, 3, 4, 99), ()):
        assert insight_in(insight(sources=sources).value, cluster) is None
    assert insight_in({"insights": [{"tag": "X", "text": "x", "sources": [1, 2, 3, 4, 5]}]}, cluster) is None
    for odd in with_one_odd(insight().value):
        insight_in(odd, cluster)


def test_an_insight_is_unsupported_when_any_of_its_memories_is_not_there() -> None:
    assert find_unsupported({"m-i": ["m-a", "m-b"], "m-j": ["m-a"]}, {"m-a"}) == {"m-i": "m-b"}


def test_a_cluster_that_says_nothing_more_is_asked_about_once() -> None:
    one = night(Reply({"insights": []}, 1, 1, is_kept=False))

    one.run()
    one.run(NOW + timedelta(days=1))

    assert len(one.models.asked) == 1
    one.world.disk.pages[PEOPLE] = page(6).replace("in the lake", "in the sea")
    one.run(NOW + timedelta(days=2))
    assert len(one.models.asked) == 2, "with other words it is another question"


def test_an_insight_that_the_model_does_not_stand_by_waits_for_a_person() -> None:
    one = night(insight())
    one.models.verify = lambda _: verified("two of them say nothing of quiet")

    report = one.run()

    assert "quiet habits" not in one.learned()
    assert ["the model, asked again: two of them say nothing of quiet" in bad.reason for bad in report.plan.bad] == [
        True
    ]
    assert [one.version for one in one.models.verified] == [OF_INSIGHTS]
    assert "1. Peter keeps quiet habits. (1, 2, 3, 4, 5)" in one.models.verified[0].text


def test_an_insight_that_is_not_verified_waits_for_another_night() -> None:
    one = night(insight())
    one.models.verify = lambda _: Unanswered("no answer in time")

    report = one.run()

    assert [item.reason for item in report.plan.deferred] == ["an insight waits to be derived: no answer in time"]
    one.models.verify = supported
    one.run(NOW + timedelta(days=1))
    assert "Peter keeps quiet habits." in one.learned()


def test_a_model_that_fails_its_trial_gives_no_insight() -> None:
    one = night(insight())
    one.models.on_trial = supported

    report = one.run()

    assert "quiet habits" not in one.learned()
    assert any("failed its trial" in bad.reason for bad in report.plan.bad)
