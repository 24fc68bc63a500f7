"""What belongs to a memory, a page or a person, as people and programs ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.conftest import Run, learn, write_log

PAGE = """# Ann

- W @Ann: Plays the cello in a quartet. ^m-aaaaaaaaaaaa
- W @Ann: Was born in Basel. ^m-bbbbbbbbbbbb
- W @Ann: Keeps two cats. ^m-cccccccccccc
"""
OTHERS = {
    "bank/entities/Ann.md": PAGE,
    "bank/world/music.md": (
        "# Music\n\n- W: The quartet meets at [[Ann#^m-aaaaaaaaaaaa|hers]]. ^m-dddddddddddd\n"
        "- W: Rosin of Mirecourt in the Vosges is best. ^m-eeeeeeeeeeee\n"
        "- W: A bow from Mirecourt, Vosges, hangs here. <!-- also m-zzzzzzzzzzzz --> ^m-ffffffffffff\n"
    ),
    "bank/world/music/strings.md": "# Strings\n\n- W: Steel strings are in the drawer. ^m-gggggggggggg\n",
}
ME, SIBLING, OTHER = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb", "m-cccccccccccc"
NOW = "2026-06-10T03:00"


@pytest.fixture
def bank(root: Path, bankctl: Run) -> Path:
    for path, text in OTHERS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    bankctl("cycle", "micro", "--now", NOW)
    return root


def ties(bankctl: Run, *words: str) -> list[tuple[str, str, str]]:
    """Of each that is related: what it is, the tie of the last step to it, and its source."""
    related = bankctl("related", *words, "--json").json["related"]
    return [(one["id"] or one["path"], one["steps"][-1]["tie"], one["steps"][-1]["source"]) for one in related]


def neighbours(bankctl: Run, *words: str) -> list[str]:
    return [name for name, _, _ in ties(bankctl, *words)]


def test_each_tie_of_a_memory_is_named_with_its_source_the_strongest_first(bank: Path, bankctl: Run) -> None:
    assert ties(bankctl, ME) == [
        ("m-dddddddddddd", "link", "bank/world/music.md:3"),
        ("bank/entities/Ann.md", "contained", "bank/entities/Ann.md:3"),
        (SIBLING, "entity", "@Ann"),
        (OTHER, "entity", "@Ann"),
    ]
    assert ties(bankctl, "^m-dddddddddddd")[0] == (ME, "link", "bank/world/music.md:3")
    assert ("m-ffffffffffff", "rare words", "both say mirecourt, vosg") in ties(bankctl, "m-eeeeeeeeeeee")


def test_a_page_and_a_person_have_ties_too(bank: Path, bankctl: Run) -> None:
    assert ties(bankctl, "bank/world/music.md")[0] == (ME, "link", "bank/world/music.md:3")
    assert ("m-dddddddddddd", "link", "bank/world/music.md:3") in ties(bankctl, "entities/Ann")
    part = ("bank/world/music/strings.md", "contained", "bank/world/music/strings.md is a part of bank/world/music.md")
    assert part in ties(bankctl, "world/music.md")
    assert ties(bankctl, "world/music/strings.md")[-1][0] == "bank/world/music.md"
    assert neighbours(bankctl, "@Ann") == ["bank/entities/Ann.md", ME, SIBLING, OTHER]


def test_what_stands_on_the_page_of_a_person_is_about_that_person(bank: Path, bankctl: Run) -> None:
    (bank / "bank/entities/Ann.md").write_text(
        f"{PAGE}- W: The dentist is on 2026-06-12. ^m-hhhhhhhhhhhh\n- Is tall.\n"
    )
    bankctl("cycle", "micro", "--now", NOW)
    hers = [ME, SIBLING, OTHER, "m-hhhhhhhhhhhh", None]

    assert "m-hhhhhhhhhhhh" in neighbours(bankctl, "@Ann")
    assert (OTHER, "entity", "@Ann") in ties(bankctl, "m-hhhhhhhhhhhh")
    assert "The dentist is on 2026-06-12." in bankctl("timeline", "Ann").out
    for filters in (["--entity", "Ann"], ["--node", "bank/entities/Ann.md"]):  # without words: all that pass
        answer = bankctl("search", *filters, "--json").json
        assert sorted(map(str, (hit["id"] for hit in answer["hits"]))) == sorted(map(str, hers))
        assert answer["nearest"] == []
    listed = bankctl("search", "--entity", "Ann", "-n", "2", "--json").json
    assert (len(listed["hits"]), listed["left_off"]) == (2, 3)


def test_two_steps_are_told_one_by_one(bank: Path, bankctl: Run) -> None:
    told = bankctl("related", "m-eeeeeeeeeeee", "--depth", "2").out

    assert (
        "    contained 0.90, bank/world/music.md:4 → bank/world/music.md\n    link 1.00, bank/world/music.md:3 → " + ME
        in told
    )
    assert ME not in bankctl("related", "m-eeeeeeeeeeee").out
    assert len(bankctl("related", "m-eeeeeeeeeeee", "--depth", "2", "-n", "2", "--json").json["related"]) == 2


def test_what_changes_on_a_page_changes_its_ties_at_once(bank: Path, bankctl: Run) -> None:
    page = bank / "bank/world/music.md"
    page.write_text(page.read_text("utf-8").replace("Ann#^m-aaaaaaaaaaaa", "Ann#^m-bbbbbbbbbbbb"), "utf-8")

    assert "m-dddddddddddd" not in neighbours(bankctl, ME)
    assert ties(bankctl, SIBLING)[0] == ("m-dddddddddddd", "link", "bank/world/music.md:3")


def test_what_was_merged_leads_to_what_it_became(bank: Path, bankctl: Run) -> None:
    page = bank / "bank/world/music.md"
    page.write_text(page.read_text("utf-8") + "- W: Mirecourt is in France. ^m-zzzzzzzzzzzz\n", "utf-8")

    assert ("m-ffffffffffff", "derived", "bank/world/music.md:5") in ties(bankctl, "m-zzzzzzzzzzzz")
    assert ("m-zzzzzzzzzzzz", "derived", "bank/world/music.md:5") in ties(bankctl, "m-ffffffffffff")


def test_what_runs_found_ties_the_newer_and_what_contradicts(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-01.md", "W: The production deploy runs at 10:00 on Tuesdays.", now="2026-05-02T03:00")
    learn(root, bankctl, "2026-05-11.md", "W: The production deploy runs at 11:00 on Tuesdays.", now="2026-05-12T03:00")
    old, new = (str(bankctl("show", f"memory/2026-05-{day}.md:4", "--json").json["memory"]) for day in ("01", "11"))

    assert (new, "superseded", f"{new} is newer") in ties(bankctl, old)
    assert (old, "superseded", f"{new} is newer") in ties(bankctl, new)
    assert f"[older; newer is {new}]" in bankctl("related", new).out

    times = {"one": "09:00", "two": "09:30"}
    ids = {"one": "m-2222222aaaaa", "two": "m-3333333aaaaa"}
    lines = [f"- W: The hall opens at {times[one]} on Mondays. ^{ids[one]}\n" for one in times]
    (root / "bank/world/hall.md").write_text("# Hall\n\n" + "".join(lines), "utf-8")
    assert not any(tie == "contradicts" for _, tie, _ in ties(bankctl, ids["one"]))
    bankctl("review", "list", "contradictions")
    found = [(name, tie) for name, tie, _ in ties(bankctl, ids["one"])]

    assert (ids["two"], "contradicts") in found
    (root / "bank/world/hall.md").write_text("# Hall\n\n" + lines[0] + lines[1].replace("Mondays", "holidays"), "utf-8")
    bankctl("cycle", "micro", "--now", "2026-05-13T03:00")
    assert (ids["two"], "contradicts") not in [(name, tie) for name, tie, _ in ties(bankctl, ids["one"])]


def test_what_responses_use_together_comes_nearer(bank: Path, bankctl: Run) -> None:
    far = "m-gggggggggggg"
    assert far not in neighbours(bankctl, ME)

    bankctl("feedback", "used", ME, far, "--now", "2026-06-11T09:00")
    assert (far, "used together", "of use in one response") in ties(bankctl, ME)
    first = bankctl("related", far, "--json").json["related"][-1]["score"]
    bankctl("feedback", "used", far, ME, "--now", "2026-06-12T09:00")
    bankctl("feedback", "used", far, "--now", "2026-06-13T09:00")

    assert (ME, "used together", "of use in 2 responses") in ties(bankctl, far)
    assert bankctl("related", far, "--json").json["related"][-1]["score"] > first


def test_what_cannot_be_found_is_told_in_two_lines(bank: Path, bankctl: Run) -> None:
    lost = (["m-zzzzzzzzzzz9"], ["@Nobody"], ["bank/nowhere.md"], ["   "], [ME, "--depth", "3"], [ME, "-n", "x"], [])
    for words in lost:
        said = bankctl("related", *words)

        assert (said.code, said.out) == (2, ""), words
        assert len(said.err.splitlines()) <= 2, said.err


def test_a_page_that_nothing_is_related_to_leaves_with_one(bank: Path, bankctl: Run) -> None:
    (bank / "bank/world/alone.md").write_text("# Alone\n", "utf-8")

    said = bankctl("related", "world/alone.md")
    assert (said.code, said.out) == (1, "nothing related\n")


CELLO = "who plays the cello in a quartet"


def beside(bankctl: Run, *words: str) -> list[str]:
    answer = bankctl("search", *words, "--json").json
    return [one["id"] or one["path"] for one in answer["see_also"]]


def test_an_answer_says_what_to_see_besides(bank: Path, bankctl: Run) -> None:
    said = bankctl("search", CELLO, "-n", "1", "--ids").out

    assert beside(bankctl, CELLO, "-n", "1") == ["m-dddddddddddd"]
    (beside_it,) = (line for line in said.splitlines() if line.startswith("  see also  "))
    assert beside_it.endswith("^m-dddddddddddd  (link, bank/world/music.md:3)")


def test_nothing_beside_an_answer_is_a_hit_or_displaces_one(bank: Path, bankctl: Run) -> None:
    page = bank / "bank/world/links.md"
    ids = [f"m-{letter * 12}" for letter in "hijkl"]
    lines = "".join(f"- W: Number {n} of [[Ann#^m-aaaaaaaaaaaa]]. ^{id_}\n" for n, id_ in enumerate(ids))
    page.write_text(
        f"# Links\n\n{lines}- W: A quartet with cello plays [[Ann#^m-aaaaaaaaaaaa]]. ^m-nnnnnnnnnnnn\n", "utf-8"
    )
    answer = bankctl("search", CELLO, "--json").json
    hits, more = [hit["id"] for hit in answer["hits"]], [one["id"] for one in answer["see_also"]]

    assert "m-nnnnnnnnnnnn" in hits
    assert len(more) == 3
    assert not {*hits} & {*more}
    alone = bankctl("search", CELLO, "--json", "--in", "bank").json["hits"]
    assert [hit["id"] for hit in alone] == [hit for hit in hits if hit in {one["id"] for one in alone}]


def test_a_page_that_an_answer_links_to_is_named_unless_a_hit_stands_on_it(bank: Path, bankctl: Run) -> None:
    page = bank / "bank/world/zither.md"
    page.write_text("# Zither\n\n- W: The zither is with [[strings]] and [[zither]]. ^m-pppppppppppp\n", "utf-8")

    assert beside(bankctl, "zither") == ["bank/world/music/strings.md"]


def test_what_was_superseded_or_came_later_stands_beside_nothing(bank: Path, bankctl: Run) -> None:
    write_log(bank, "2026-06-11.md", "W: The zither lesson costs 20 francs, says [[Ann#^m-aaaaaaaaaaaa]].")
    bankctl("cycle", "micro", "--now", "2026-06-12T03:00")
    older = str(bankctl("show", "memory/2026-06-11.md:4", "--json").json["memory"])
    assert older in beside(bankctl, CELLO, "-n", "1")

    assert older not in beside(bankctl, CELLO, "-n", "1", "--now", "2026-06-10")
    write_log(bank, "2026-06-13.md", "W: The zither lesson costs 25 francs, says [[Ann#^m-aaaaaaaaaaaa]].")
    bankctl("cycle", "micro", "--now", "2026-06-14T03:00")
    newer = str(bankctl("show", "memory/2026-06-13.md:4", "--json").json["memory"])

    found = beside(bankctl, CELLO, "-n", "1")
    assert newer in found
    assert older not in found


def test_nothing_stands_beside_an_answer_of_one_kind_or_beside_none(bank: Path, bankctl: Run) -> None:
    assert beside(bankctl, CELLO, "--tag", "W", "-n", "1") == []
    assert beside(bankctl, "quantum chromodynamics lattice") == []
    assert bankctl("timeline", "@Ann", "--json").json["see_also"] == []


def test_the_daemon_tells_what_is_related_as_the_command_does(bank: Path, bankctl: Run) -> None:
    from datetime import UTC, datetime

    from bankd.errors import UsageError
    from bankd.wiring.search import make_search

    searching = make_search(bank, is_daemon=True)
    now = datetime(2026, 6, 12, 9, tzinfo=UTC)
    try:
        searching.refresh(now, None)
        answered = searching.answer({"op": "related", "of": ME, "depth": 1, "limit": 10}, now, pending=0)
        for bad in ({"of": 5}, {"of": ME, "depth": True}, {"of": ME, "depth": "2"}, {"of": ME, "limit": -1}, {}):
            with pytest.raises(UsageError, match="\n"):
                searching.answer({"op": "related", **bad}, now, pending=0)
    finally:
        searching.close()

    assert answered["related"] == bankctl("related", ME, "--json").json["related"]
