"""What bankd keeps besides the pages is damaged, file by file: everything goes on, and what happened is said once."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

from bankd.cli import main
from bankd.errors import IndexDamaged, StorageError
from bankd.index.search_index import damage_told
from tests.examples import texts
from tests.odd_values import with_one_odd
from tests.settings import change_setting, make_quick_workspace
from tests.stories.conftest import Result, Run, write_log

LATER = "2026-06-12T03:00"
COMMANDS = tuple(tuple(words.split()) for words in texts("commands", "of damage"))
QUICK = COMMANDS[:3] + COMMANDS[4:5]
Harm = Callable[[Path], object]


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def fill_with_zeros(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def garble(file: Path) -> None:
    data, random = bytearray(file.read_bytes()), Random(1)
    for place in range(len(data) // 4, len(data) * 3 // 4):
        data[place] = random.randrange(256) if random.random() < 0.3 else data[place]
    file.write_bytes(data)


def make_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def lose(file: Path) -> None:
    file.unlink()


HARMS: tuple[Harm, ...] = (empty, cut, fill_with_zeros, garble, make_a_folder, lose)


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace after a split, an archived opinion, an update, a duplicate, a search and runs by hand."""
    root = tmp_path_factory.mktemp("damage") / "ws"
    make_quick_workspace(root)
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BANKD_WORKSPACE", str(root))
        deploy, honest = "W: The production deploy runs at 10:00 on Tuesdays.", "S: 가치관: 정직을 최우선으로 한다"
        others = "O(c=0.40) @Peter: Prefers concise replies.", "X: nobody knows this tag"
        write_log(root, "2026-05-04.md", f"{honest}.", deploy, *others)
        main(["cycle", "micro", "--now", "2026-05-05T03:00"])
        flows = (f"W: Workflow {n * n} asks team {n} to look at {'many ' * (n % 7)}things." for n in range(12))
        write_log(root, "2026-05-11.md", deploy.replace("10:00", "11:00"), honest, *flows)
        main(["cycle", "micro", "--now", "2026-05-12T03:00"])
        main(["page", "split", "bank/patterns/workflows.md"])
        main(["cycle", "reflect", "--now", "2026-06-10T03:00"])
        main(["search", "production deploy"])
        main(["cycle", "micro"])
    return root


def files_of(root: Path) -> list[str]:
    """Every file that bankd keeps besides the pages; those of the terms by what they are, since their names are random."""
    found = [path for path in sorted((root / ".bankd").rglob("*")) if path.is_file() and path.name != ".gitignore"]
    return [path.relative_to(root).as_posix() for path in (*found, root / "bank/_meta/tree-index.json")]


@pytest.fixture
def harmed(lived_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it with a new line in its logs."""
    root = tmp_path / "ws"
    shutil.copytree(lived_in, root)
    write_log(root, "2026-06-11.md", "W: The production deploy needs two people.")
    monkeypatch.setenv("BANKD_WORKSPACE", str(root))
    monkeypatch.setenv("NO_COLOR", "1")
    return root


def pages(root: Path) -> dict[str, bytes]:
    found = (path for folder in ("bank", "archive", "memory") for path in (root / folder).rglob("*.md"))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def nodes_of_tree(root: Path) -> set[str]:
    return set(json.loads((root / "bank/_meta/tree-index.json").read_bytes())["nodes"])


def places(answer: Result) -> list[str]:
    return [f"{hit['path']}:{hit['line']}" for hit in answer.json["hits"]]


class Life:
    """What commands say in one workspace, and what they leave."""

    def __init__(self, root: Path, commands: Sequence[Sequence[str]] = COMMANDS) -> None:
        self.said = {tuple(words): spoken(*words) for words in commands}
        self.codes = {words: said.code for words, said in self.said.items()}
        self.pages, self.nodes = pages(root), nodes_of_tree(root)
        self.found = places(self.said[COMMANDS[1]])


def live_without_damage(lived_in: Path, folder: Path, commands: Sequence[Sequence[str]]) -> Life:
    with pytest.MonkeyPatch.context() as patch:
        shutil.copytree(lived_in, folder / "ws")
        write_log(folder / "ws", "2026-06-11.md", "W: The production deploy needs two people.")
        patch.setenv("BANKD_WORKSPACE", str(folder / "ws"))
        return Life(folder / "ws", commands)


@pytest.fixture(scope="module")
def sound(lived_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Life:
    """The same life without damage."""
    return live_without_damage(lived_in, tmp_path_factory.mktemp("sound"), QUICK)


@pytest.fixture(scope="module", params=[0, 1, 4], ids=["cycle first", "search first", "verify first"])
def sound_in_all(request: pytest.FixtureRequest, lived_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Life:
    """The same with every command, in an order: what is searched for before a cycle stands in a log still."""
    commands = COMMANDS[request.param :] + COMMANDS[: request.param]
    return live_without_damage(lived_in, tmp_path_factory.mktemp("sound"), commands)


def spoken(*words: str) -> Result:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(words))
    return Result(code, out.getvalue(), err.getvalue())


def live_on(root: Path, sound: Life, harms: Mapping[str, Harm], commands: Sequence[Sequence[str]] = COMMANDS) -> Life:
    """Damage files and see that all goes on as without it."""
    for file, harm in harms.items():
        harm(root / file)
    life = Life(root, commands)
    told = f"{harms}: { {words[0]: said.err for words, said in life.said.items() if said.err} }"

    assert life.codes == {words: code for words, code in sound.codes.items() if words in life.codes}, told
    assert life.nodes == sound.nodes, told
    if not any("/trash/" in file for file in harms):
        assert life.pages == sound.pages, told
        assert sorted(life.found) == sorted(sound.found), told
        return life
    # who writes to a displaced page is a late editor, whose lines count
    assert not [path for path, data in sound.pages.items() if _lines(data) - _lines(life.pages[path])], told
    assert not [path for path, data in life.pages.items() if b"\0" in data], told
    assert {one.split(":")[0] for one in life.found} == {one.split(":")[0] for one in sound.found}, told
    return life


def _lines(page: bytes) -> set[bytes]:
    return set(page.split(b"\n"))


SAMPLE: tuple[dict[str, Harm], ...] = (
    {"index/current": empty, "catalogue.sqlite3": garble, ".bankd/lock": make_a_folder, "runs/": garble},
    {"rows.sqlite3": cut, "links.sqlite3": make_a_folder, "clock.json": make_a_folder, "trash/": make_a_folder},
    {".idx": empty, "links.sqlite3": cut, "runs.jsonl": make_a_folder},
    {".managed.json": cut, "settings.json": make_a_folder, "runs.jsonl": garble, "done/": make_a_folder},
    {"index/1/terms/meta.json": lose, "trash/": fill_with_zeros},
    {"meta.json": fill_with_zeros, "index/lock": make_a_folder, "tree-index.json": make_a_folder},
)


@pytest.mark.parametrize("harms", SAMPLE, ids=", ".join)
def test_damaged_files_beside_the_pages_stop_nothing(harmed: Path, sound: Life, harms: dict[str, Harm]) -> None:
    names = files_of(harmed)

    live_on(harmed, sound, {next(name for name in names if part in name): harm for part, harm in harms.items()}, QUICK)


@pytest.mark.full
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_every_file_damaged_in_every_way_stops_nothing(
    lived_in: Path, sound_in_all: Life, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: Harm
) -> None:
    for number, file in enumerate(files_of(lived_in)):
        root = tmp_path / str(number)
        shutil.copytree(lived_in, root)
        write_log(root, "2026-06-11.md", "W: The production deploy needs two people.")
        monkeypatch.setenv("BANKD_WORKSPACE", str(root))
        live_on(root, sound_in_all, {file: harm}, tuple(sound_in_all.said))
        shutil.rmtree(root, ignore_errors=True)  # a thread of the index may still write its lock


def test_what_was_made_anew_is_said_once_with_its_place(harmed: Path, sound: Life) -> None:
    own = harmed / ".bankd"
    parts = (own / "catalogue.sqlite3", own / "links.sqlite3", own / "index/current")

    life = live_on(harmed, sound, {path.relative_to(harmed).as_posix(): fill_with_zeros for path in parts}, QUICK)

    (notes, *others) = (one.json["notes"] if words[0] == "cycle" else one for words, one in life.said.items())
    assert {note.split(": could not be used")[0] for note in notes} == {*map(str, parts[:2]), str(own / "index")}
    assert sum("was made anew" in note for note in notes) == 3
    assert not any("was made anew" in one.out + one.err for one in others)


def test_a_displaced_page_that_a_disk_filled_with_zeros_is_kept_and_named_once(harmed: Path) -> None:
    file = min((harmed / ".bankd/trash").iterdir())
    fill_with_zeros(file)

    young = spoken("cycle", "micro", "--json")  # it may be half written yet
    first, second = (spoken("cycle", "micro", "--now", LATER, "--json") for _ in range(2))

    assert not [note for note in young.json["notes"] if "not with text" in note]
    (note,) = [note for note in first.json["notes"] if "not with text" in note]
    kept = note.split("kept as ")[1].split(" for ")[0]
    assert set((harmed / kept).read_bytes()) == {0}
    assert not [note for note in second.json["notes"] if "not with text" in note]


def test_a_search_mends_an_index_that_only_a_search_finds_damaged(harmed: Path) -> None:
    spoken("cycle", "micro", "--now", LATER)
    for file in harmed.glob(".bankd/index/*/terms/*.term"):
        garble(file)

    first, second = spoken("search", "production deploy", "--json"), spoken("search", "production deploy", "--json")

    assert (first.code, second.code) == (0, 0)
    assert "was made anew" in first.json["fresh"]["note"]
    assert second.json["fresh"]["note"] == ""
    assert places(first) == places(second) != []


@pytest.mark.parametrize("error", ["os error 24", "Os { code: 24, kind: TooManyOpenFiles }"])
def test_what_the_system_refuses_is_no_damage_of_the_index(error: str) -> None:
    with pytest.raises(StorageError, match="24"), damage_told():
        raise ValueError(f"Failed to open file for read: {error}")
    with pytest.raises(IndexDamaged), damage_told():
        raise ValueError("Failed to read file: Os { code: 2 }")


def test_a_damage_is_told_in_a_line_however_much_of_the_file_a_library_quotes() -> None:
    with pytest.raises(IndexDamaged) as told, damage_told():
        raise ValueError("Meta file cannot be deserialized. Content: " + r"\0" * 5000)

    assert len(str(told.value)) < 250


def test_a_journal_that_cannot_be_read_is_set_aside_and_named(harmed: Path) -> None:
    (journal,) = (harmed / ".bankd/runs").glob("000001.json")
    garble(journal)

    spoken("cycle", "micro", "--now", LATER)

    assert not journal.exists()
    assert ".bankd/runs/000001.json.bad: a torn journal, set aside: this run cannot be undone" in spoken("status").out
    assert ".bankd/runs/000001.json.bad" in spoken("doctor").out


def test_bad_lines_of_events_are_named_and_the_others_count(harmed: Path) -> None:
    file = min((harmed / "events").glob("*.jsonl"))
    lines = file.read_bytes().split(b"\n")
    lines[1] = lines[1][: len(lines[1]) // 2]
    lines[3] = b'{"type": "kept"}'
    file.write_bytes(b"\n".join(lines))
    name = f"events/{file.name}"

    report = spoken("cycle", "micro", "--now", LATER, "--json")

    assert report.code == 0
    assert report.json["counts"]["learned"] == 1
    looks = [spoken(*words) for words in (["status"], ["doctor"], ["doctor", "verify"])]
    for said in ("\n".join(report.json["notes"]), *(look.out for look in looks)):
        assert f"{name}:2" in said
        assert f"{name}:4" in said
    assert [look.code for look in looks] == [3, 3, 3]
    assert file.read_bytes().split(b"\n")[:4] == lines[:4]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
@pytest.mark.parametrize("part", ["index/current", "rows.sqlite3", "meta.json", "links.sqlite3", "clock.json", "runs/"])
def test_a_file_that_may_not_be_read_is_made_anew(harmed: Path, sound: Life, part: str) -> None:
    file = next(name for name in files_of(harmed) if part in name)

    live_on(harmed, sound, {file: lambda path: path.chmod(0)}, QUICK)


@pytest.mark.parametrize("kind", ["kept", "duplicate", "superseded", "recalled", "deleted", "archived", "renamed"])
def test_an_event_of_any_shape_stops_nothing(root: Path, bankctl: Run, kind: str) -> None:
    event = {"type": kind, "at": "2026-05-02T03:00:00+09:00", "memory": "m-aaaaaaaaaaaa", "log": "2026-05-02.md"}
    other = "m-bbbbbbbbbbbb"
    event |= {"line": 4, "page": "world/facts.md", "of": other, "by": other, "was": "2026-05-01.md"}
    odd = [{"id": f"odd-{number}", **one} for number, one in enumerate(with_one_odd(event)) if isinstance(one, dict)]
    (root / "events").mkdir(exist_ok=True)
    (root / "events/other-0001.jsonl").write_text("".join(json.dumps(one) + "\n" for one in odd))
    write_log(root, "2026-05-02.md", "W: The sea is wide.")

    for words in ("cycle micro", "search sea", "brief day", "log", "doctor verify", "cycle reflect"):
        said = bankctl(*words.split())
        assert said.code in {0, 1, 3}, said
        assert "bug" not in said.err
    assert any("The sea is wide." in page.read_text() for page in (root / "bank").rglob("*.md"))


@pytest.mark.parametrize("is_there", [False, True])
def test_a_bank_that_is_gone_is_never_taken_for_deleted_by_hand(root: Path, bankctl: Run, is_there: bool) -> None:
    """Two memories, one of them noted minutes ago: no run, and no pages of the template, make their loss a decision."""
    write_log(root, "2026-05-02.md", "W: one", "S: 가치관: 정직")
    bankctl("cycle", "micro")
    saved = root.parent / "saved"
    (root / "bank").rename(saved)
    if is_there:
        (root / "bank").mkdir()

    for words in (("cycle", "micro"), ("undo",), ("init", str(root))):
        said = bankctl(*words)
        assert (said.code, "bankctl restore FILE" in said.err) == (3, True)
    assert "bank       0 memories, 0 pages" in (status := bankctl("status").out)
    assert "! bank/" in status
    assert "restore FILE" in status
    assert "restore FILE" in bankctl("doctor").out
    assert "archived" not in bankctl("search", "one").out

    shutil.rmtree(root / "bank", ignore_errors=True)
    saved.rename(root / "bank")
    assert bankctl("cycle", "micro", "--json").json["counts"] == {}
    shutil.rmtree(root / "bank")
    (root / "bank").mkdir()
    assert bankctl("cycle", "micro", "--force", "--json").json["counts"] == {"deleted": 2}
    assert bankctl("cycle", "micro").code == 0
