"""`bankctl demo`: two weeks of sample logs become a bank, day by day, and five questions find their answers."""

from __future__ import annotations

import shutil
import tempfile
from argparse import Namespace
from contextlib import closing
from datetime import datetime, time, timedelta
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from bankd.cli.printing import Progress, padded, say, shortened, styled
from bankd.errors import UserError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from bankd.memory.plan import Plan


def demo_command(arguments: Namespace) -> int:
    """Run the demo in a temporary workspace, or in the folder of `--keep`."""
    if arguments.keep is None:
        with tempfile.TemporaryDirectory(prefix="bankd-demo-") as folder:
            _demo(Path(folder))
        say(styled(_("Nothing was left behind. Next:"), "bold"))
        say("  bankctl demo --keep ~/bank-demo     " + _("the same, and keep it to explore"))
        say("  bankctl init ~/notes                " + _("a workspace of your own"))
        return 0
    root = Path(arguments.keep).expanduser().absolute()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root}: is not an empty folder; name a new one")
    _demo(root)
    say(styled(_("The demo bank is kept. To explore it:"), "bold"))
    say(f"  cd {quote(str(root))} && bankctl search 가치관 && ls bank/*")
    return 0


def _demo(root: Path) -> None:
    from bankd.app.init import make_workspace
    from bankd.shipped import shipped_folder
    from bankd.wiring.asking import Asked

    make_workspace(root)
    shipped = shipped_folder("config") / "demo"
    say(styled(_("Two weeks of raw logs, one run a night."), "bold") + "\n")
    _print_tree(root, _run_nights(root, sorted((shipped / "memory").glob("*.md"))))
    say("\n" + styled(_("Five questions:"), "bold"))
    with closing(Asked(str(root))) as asked:
        for query in filter(None, (shipped / "queries.txt").read_text(encoding="utf-8").splitlines()):
            say(f"  {styled('? ' + query, 'cyan')}")
            hits = asked.ask({"query": query, "limit": 2})["hits"]
            for hit in hits:
                place, score = styled(f"{hit['path']}:{hit['line']}", "green"), styled(f"{hit['score']:.2f}", "dim")
                say(f"    {place}  {styled(shortened(hit['text'], 70))}  {score}")
            if not hits:
                say(f"    {styled(_('nothing relevant'), 'dim')}")
    say()


def _run_nights(root: Path, logs: list[Path]) -> list[Plan]:
    """Copy each day's log, as an agent would write it, run the night after it, and print what the nights did."""
    from bankd.memory.report import counts_of, rows_of
    from bankd.wiring.workspace import open_workspace

    plans, progress = [], Progress(_("nights"), len(logs))
    with open_workspace(root) as workspace:
        for log in logs:
            shutil.copyfile(log, root / "memory" / log.name)
            night = datetime.combine(datetime.fromisoformat(log.stem) + timedelta(days=1), time(3))
            workspace.now = night.replace(tzinfo=workspace.now.tzinfo)
            plans.append(workspace.run_cycle("reflect").plan)
            progress.step(log.stem)
    progress.close()
    for plan in plans:
        rows = tuple(rows_of(plan))
        counts = ", ".join(_(f"{number} {kind}") for kind, number in counts_of(rows).items()) or _("nothing new")
        say(f"{styled(f'{plan.now:%Y-%m-%d %H:%M}', 'cyan')}  {counts}")
        for row in rows:
            if row.kind not in {"learned", "waiting"}:
                colour = {"=": "dim", "!": "red", "+": "yellow"}.get(row.sign, "blue")
                said = styled(shortened(" ".join(filter(None, [row.text, f"({_(row.reason)})"])), 96), "dim")
                say(f"  {styled(row.sign, colour)} {styled(_(row.kind))} {styled(row.place)}  {said}")
    return plans


def _print_tree(root: Path, plans: list[Plan]) -> None:
    from bankd.pages.page import read_page

    learned = {p.line.id: plan.now for plan in plans for p in plan.placements}
    say("\n" + styled(_("The bank after two weeks:"), "bold"))
    for page in sorted((root / "bank").rglob("*.md")):
        path = page.relative_to(root / "bank").as_posix()
        entries = [e for e in read_page(path, page.read_bytes()).entries if e.memory.id in learned]
        if entries:
            nights = sorted({learned[str(entry.memory.id)] for entry in entries})
            since = f"{nights[0]:%m-%d}" + (f"–{nights[-1]:%m-%d}" if len(nights) > 1 else "")
            number, newest = counted(len(entries), "memory", "memories"), shortened(entries[-1].memory.text, 56)
            head = f"{styled(padded(path, 30), 'green')} {padded(number, 12)} {styled(padded(since, 15), 'dim')}"
            say(f"  {head} {styled(newest, 'dim')}")
