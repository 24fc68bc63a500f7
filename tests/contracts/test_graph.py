"""The graph of references: what it costs to keep and to ask, and what it notices."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bankd.app.init import make_workspace
from bankd.app.rearrange import Rearranger
from bankd.memory.report import counts_of, rows_of
from bankd.storage.disk import DerivedDatabase
from bankd.storage.tree import FileTree
from bankd.wiring.workspace import open_workspace
from bankd.workspace.graph import LinkGraph
from tests.settings import change_setting

NOW = datetime(2026, 7, 1, 3, tzinfo=UTC)


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def graph_of(root: Path) -> LinkGraph:
    (root / ".bankd").mkdir(exist_ok=True)
    graph = LinkGraph(FileTree(root), ["agent"], "routing.yaml")
    graph.refresh()
    return graph


def bank_of(root: Path, pages: int, references: int = 30) -> Path:
    """A workspace with many pages, some of which refer to one."""
    make_workspace(root)
    for n in range(pages):
        link = "[target](../target.md#place)" if n < references else f"[next](page-{n - 1}.md)"
        write(
            root,
            f"bank/world/{n // 500}/page-{n}.md",
            f"# Page {n}\n\n- W: text {n}, see {link}\n".replace("../t", "../../t"),
        )
    write(root, "bank/target.md", "# Target\n\n## Place\n\n- W: here it is ^m-1\n")
    return root


def opened_by_a_move(root: Path) -> int:
    """How many files a move opens once the graph is up to date."""
    with open_workspace(root) as workspace:
        rearranger = Rearranger(workspace)
        graph = rearranger.graph
        before = graph.opened
        done = rearranger.move("target.md", "knowledge/target.md")
        assert len(done.edits) == 30
        return graph.opened - before


@pytest.mark.parametrize("most", [1_000, pytest.param(10_000, marks=pytest.mark.full)])
def test_a_move_opens_what_refers_to_it_and_no_more(tmp_path: Path, most: int) -> None:
    small, large = (opened_by_a_move(bank_of(tmp_path / str(pages), pages)) for pages in (100, most))

    assert small == large
    assert large <= 2 * 32 + 1  # each referrer and the page: read for the plan, and again after it was written


def test_many_links_of_a_page_to_one_target_are_marked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked: list[int] = []
    execute = DerivedDatabase.execute_many

    def counted(self: DerivedDatabase, statement: str, rows: Any) -> None:
        listed = list(rows)
        marked.extend([len(listed)] * statement.startswith("UPDATE links"))
        execute(self, statement, listed)

    monkeypatch.setattr(DerivedDatabase, "execute_many", counted)
    write(tmp_path, "bank/b.md", "# B\n")
    write(tmp_path, "bank/a.md", "# A\n\n" + "see [b](b.md)\n" * 500)
    graph = graph_of(tmp_path)

    assert sum(marked) == 1
    assert len(graph._links_with("reach", "reach > 0")) == 500


def test_a_refresh_reads_what_changed(tmp_path: Path) -> None:
    root = bank_of(tmp_path / "ws", 50)
    graph_of(root).database.close()
    write(root, "bank/world/0/page-7.md", "# changed\n\n[t](../../target.md)\n")

    graph = graph_of(root)

    assert graph.opened == 1
    assert "bank/world/0/page-7.md" in {link.source for link in graph.links_named(["bank/target.md"])}


def test_a_page_and_a_folder_that_a_hand_moves_are_recognised(tmp_path: Path) -> None:
    write(tmp_path, "bank/a/one.md", "# One\n\n- x ^m-1\n- y ^m-2\n- z ^m-3\n")
    write(tmp_path, "bank/a/two.md", "# Two\n")
    write(tmp_path, "bank/log.md", "[two](a/two.md)\n")
    graph_of(tmp_path).database.close()
    (tmp_path / "bank/a").rename(tmp_path / "bank/b")
    write(tmp_path, "bank/b/one.md", "# One\n\n- x ^m-1\n- y ^m-2\n- new\n")

    assert graph_of(tmp_path).moved() == {"bank/a/one.md": "bank/b/one.md", "bank/a/two.md": "bank/b/two.md"}


def test_a_move_that_is_taken_back_or_that_no_link_waits_for_is_none(tmp_path: Path) -> None:
    write(tmp_path, "bank/a.md", "# One\n")
    write(tmp_path, "bank/c.md", "# Two\n")
    write(tmp_path, "bank/log.md", "[a](a.md)\n")
    graph_of(tmp_path).database.close()
    (tmp_path / "bank/a.md").rename(tmp_path / "bank/b.md")
    (tmp_path / "bank/c.md").rename(tmp_path / "bank/d.md")
    graph_of(tmp_path).database.close()
    (tmp_path / "bank/b.md").rename(tmp_path / "bank/a.md")

    assert graph_of(tmp_path).moved() == {}


def test_only_what_led_somewhere_counts_as_broken(tmp_path: Path) -> None:
    write(tmp_path, "bank/a.md", "[b](b.md) [never](never.md) [[nor this]] [out](https://x.y) [own](#x)\n")
    write(tmp_path, "bank/b.md", "# B\n")
    graph_of(tmp_path).database.close()
    (tmp_path / "bank/b.md").unlink()

    broken = [(link.reference.target, once) for link, once in graph_of(tmp_path).broken()]

    assert broken == [("b.md", True), ("never.md", False), ("nor this", False), ("#x", False)]


def test_headings_and_blocks_count_like_pages(tmp_path: Path) -> None:
    links = "[[b#^m-1]] [h](b.md#tools) [h](<b.md#tools>) `bank/b.md#^m-1` [[b#Never]] [top](b.md#top) [own](#a)"
    write(tmp_path, "bank/a.md", f"# A\n\n{links} ![[p.png#x]]\n")
    write(tmp_path, "bank/p.png", "picture")
    write(tmp_path, "bank/b.md", "# B\n\n## Tools\n\n- W: here ^m-1\n")
    graph_of(tmp_path).database.close()
    write(tmp_path, "bank/b.md", "# B\n\n## Instruments\n\n- W: here\n")

    broken = [(link.reference.target, once) for link, once in graph_of(tmp_path).broken()]

    worked = ["b#^m-1", "b.md#tools", "b.md#tools", "bank/b.md#^m-1"]
    assert broken == [*((target, True) for target in worked), ("b#Never", False)]


def test_a_link_that_found_its_block_late_led_to_it_all_the_same(tmp_path: Path) -> None:
    write(tmp_path, "bank/a.md", "[[b#^m-1]]\n")
    write(tmp_path, "bank/b.md", "# B\n")
    for text in ("# B\n", "# B\n\n- W: here ^m-1\n", "# B again\n"):
        write(tmp_path, "bank/b.md", text)
        graph = graph_of(tmp_path)
        broken = [(link.reference.target, once) for link, once in graph.broken()]
        graph.database.close()

    assert broken == [("b#^m-1", True)]


def test_files_outside_the_workspace_follow_too(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    make_workspace(root)
    change_setting(root, "roots: []", "roots: [../agent, scripts]")
    write(root, "bank/knowledge/full.md", "# Full\n\n## Tools\n")
    write(root, "scripts/run.sh", f"cat {root}/bank/knowledge/full.md\n")
    write(tmp_path, "agent/a.md", "[t](../ws/bank/knowledge/full.md#tools) `bank/knowledge/full.md`\n")
    write(tmp_path, "agent/run.sh", f'cat "$WS/bank/knowledge/full.md#tools" {root}/bank/knowledge/full.md\n')
    (tmp_path / "agent/run.sh").chmod(0o755)
    write(tmp_path, "agent/twice.md", "[t](../ws/bank/knowledge/full.md)\n")
    (tmp_path / "agent/twice.txt").hardlink_to(tmp_path / "agent/twice.md")

    with open_workspace(root) as workspace:
        rearranger = Rearranger(workspace)
        done = rearranger.move("knowledge/full.md", "world/all.md")

    twice = tmp_path / "agent/twice.md"  # an exchange would cut its second name off
    assert (
        f"{twice}: links could not follow (twice.md: has a second hard link, which swapping would cut; left alone)"
        in done.conflicts
    )
    assert twice.read_text() == "[t](../ws/bank/knowledge/full.md)\n"
    assert twice.samefile(tmp_path / "agent/twice.txt")
    assert (root / "scripts/run.sh").read_text() == f"cat {root}/bank/world/all.md\n"
    assert (tmp_path / "agent/a.md").read_text() == "[t](../ws/bank/world/all.md#tools) `bank/world/all.md`\n"
    assert (tmp_path / "agent/run.sh").read_text() == f'cat "$WS/bank/world/all.md#tools" {root}/bank/world/all.md\n'
    assert (tmp_path / "agent/run.sh").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in (tmp_path / "agent").iterdir()) == ["a.md", "run.sh", "twice.md", "twice.txt"]


def test_archiving_reads_what_refers_to_the_memory_and_no_more(tmp_path: Path) -> None:
    opened = []
    for pages in (60, 200):
        root = bank_of(tmp_path / str(pages), pages)
        write(root, "bank/target.md", "# T\n\n## Place\n\n- O(c=0.10@2026-05-02): one ^m-aaaaaaaaaaaa\n")
        write(root, "bank/log.md", "[[target#^m-aaaaaaaaaaaa]]\n")
        with open_workspace(root, NOW) as workspace:
            workspace.graph.refresh()
            before = workspace.graph.opened
            counts = counts_of(rows_of(workspace.run_cycle("reflect").plan))
            opened.append(workspace.graph.opened - before)
        assert counts == {"archived": 1, "followed": 1}

    assert opened[0] == opened[1]


def test_only_the_workspace_s_own_events_and_recall_are_passed_over(tmp_path: Path) -> None:
    for folder in ("events", "recall", "bank/world/events", "bank/recall"):
        write(tmp_path, f"{folder}/page.md", "# Page\n\nSee [it](it.md).\n")
    (tmp_path / ".bankd").mkdir()
    graph = LinkGraph(FileTree(tmp_path), ["."], "routing.yaml")
    graph.refresh()

    sources = ["bank/recall/page.md", "bank/world/events/page.md"]
    assert [link.source for link in graph.links_named(["bank/world/events/it.md"])] == sources
    assert all(path in graph.names for path in sources)
    assert "events/page.md" not in graph.names
