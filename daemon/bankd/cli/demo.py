"""`bankctl demo`: two weeks of sample logs become a bank, day by day, and five questions find their answers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.printing import Progress, padded, say, shortened, styled
from bankd.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.memory.plan import Plan


def demo_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--keep", metavar="DIR", help="leave the workspace there (a folder that is new or empty)")


def demo_command(arguments: Namespace) -> int:
    """Show all of it in a workspace that is gone afterwards."""
    import tempfile
    from pathlib import Path

    if arguments.keep is None:
        with tempfile.TemporaryDirectory(prefix="bankd-demo-") as folder:
            return _demo(Path(folder), kept=False)
    root = Path(arguments.keep).expanduser().absolute()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root}: is not an empty folder; name a new one")
    return _demo(root, kept=True)


def _demo(root: Path, *, kept: bool) -> int:
    from bankd.app.init import make_workspace
    from bankd.shipped import shipped_folder

    make_workspace(root)
    logs = sorted((shipped_folder("config") / "demo" / "memory").glob("*.md"))
    say(styled("Two weeks of raw logs, one run a night.", "bold"))
    say()
    plans = _run_days(root, logs)
    _print_tree(root, plans)
    _ask(root, (shipped_folder("config") / "demo" / "queries.txt").read_text(encoding="utf-8").splitlines())
    _say_next(root, kept=kept)
    return 0


def _run_days(root: Path, logs: list[Path]) -> list[Plan]:
    """Copy each day's log, as an agent would write it, and run the night after it."""
    import shutil
    from datetime import datetime, time, timedelta

    from bankd.wiring.workspace import open_workspace

    plans = []
    progress = Progress("nights", len(logs))
    with open_workspace(root) as workspace:
        for log in logs:
            shutil.copyfile(log, root / "memory" / log.name)
            night = datetime.combine(datetime.fromisoformat(log.stem) + timedelta(days=1), time(3))
            workspace.now = night.replace(tzinfo=workspace.now.tzinfo)
            plans.append(workspace.run_cycle("reflect").plan)
            progress.step(log.stem)
    progress.close()
    for plan in plans:
        _print_night(plan)
    return plans


def _print_night(plan: Plan) -> None:
    from bankd.memory.report import counts_of, rows_of

    rows = tuple(rows_of(plan))
    counts = ", ".join(f"{number} {kind}" for kind, number in counts_of(rows).items()) or "nothing new"
    say(f"{styled(f'{plan.now:%Y-%m-%d %H:%M}', 'cyan')}  {counts}")
    for row in rows:
        if row.kind not in {"learned", "waiting"}:
            colour = {"=": "dim", "!": "red", "+": "yellow"}.get(row.sign, "blue")
            said = shortened(" ".join(part for part in (row.text, f"({row.reason})") if part), 96)
            say(f"  {styled(row.sign, colour)} {styled(row.kind)} {styled(row.place)}  {styled(said, 'dim')}")


def _print_tree(root: Path, plans: list[Plan]) -> None:
    from bankd.pages.page import read_page

    learned = {p.line.id: plan.now for plan in plans for p in plan.placements}
    say()
    say(styled("The bank that they left:", "bold"))
    for page in sorted((root / "bank").rglob("*.md")):
        path = page.relative_to(root / "bank").as_posix()
        entries = [e for e in read_page(path, page.read_bytes()).entries if e.memory.id in learned]
        if not entries:
            continue
        nights = sorted({learned[str(entry.memory.id)] for entry in entries})
        since = f"{nights[0]:%m-%d}" + (f" to {nights[-1]:%m-%d}" if len(nights) > 1 else "")
        number = f"{len(entries)} {'memory' if len(entries) == 1 else 'memories'}"
        newest = shortened(entries[-1].memory.text, 56)
        say(
            f"  {styled(padded(path, 30), 'green')} {padded(number, 12)} {styled(padded(since, 15), 'dim')} {styled(newest, 'dim')}"
        )


def _ask(root: Path, queries: list[str]) -> None:
    from contextlib import closing

    from bankd.wiring.asking import Asked

    say()
    say(styled("Five questions:", "bold"))
    with closing(Asked(str(root))) as asked:
        for query in filter(None, queries):
            answer = asked.ask({"query": query, "limit": 2})
            say(f"  {styled('? ' + query, 'cyan')}")
            for hit in answer["hits"]:
                place = f"{hit['path']}:{hit['line']}"
                say(
                    f"    {styled(place, 'green')}  {styled(shortened(hit['text'], 70))}  {styled(format(hit['score'], '.2f'), 'dim')}"
                )
            if not answer["hits"]:
                say(f"    {styled('nothing relevant', 'dim')}")


def _say_next(root: Path, *, kept: bool) -> None:
    from shlex import quote

    say()
    if kept:
        say(styled("It is yours to look at:", "bold"))
        say(f"  cd {quote(str(root))} && bankctl search 가치관 && ls bank/*")
    else:
        say(styled("Nothing was left behind. Next:", "bold"))
        say("  bankctl demo --keep ~/bank-demo     the same, to look at and to play with")
        say("  bankctl init ~/notes                a workspace of your own")
