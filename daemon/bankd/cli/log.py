"""`bankctl log`: the runs of a workspace, with what each did; empty, failed and missed ones too."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bankd.cli.options import add_json, add_limit
from bankd.cli.printing import padded, say, say_answer, say_json, styled
from bankd.cli.workspace import open_named

if TYPE_CHECKING:
    from bankd.app.recording import RunRows


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_limit(parser, 20)
    parser.add_argument(
        "-f", "--follow", action="store_true", help="list them oldest first, then each new one as it ends"
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List the runs, newest first."""
    from bankd.app.show import list_runs

    with open_named(arguments, write=False) as workspace:
        rows, ledger = list_runs(workspace), workspace.recorder.open_ledger()
    shown = rows[: arguments.limit] if arguments.limit else rows
    if arguments.follow:
        _follow(ledger, shown[::-1], as_json=arguments.json)
        return 0
    said = "bankctl show RUN shows what a run changed; bankctl undo RUN takes it back" if rows else "no runs yet"
    return say_answer({"runs": shown}, *map(_line, shown), said, as_json=arguments.json)


def _follow(ledger: RunRows, rows: Iterable[dict[str, Any]], *, as_json: bool) -> None:
    """Print rows, then each new one, until interrupted."""
    import sys
    from itertools import chain

    from bankd.app.show import follow_runs

    for row in chain(rows, follow_runs(ledger)):
        say_json(row) if as_json else say(_line(row))
        sys.stdout.flush()


def _line(row: dict[str, Any]) -> str:
    colour = {"changed": "green", "failed": "red", "refused": "red", "missed": "yellow"}.get(str(row["status"]), "dim")
    counts = row.get("counts") or {}
    words = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
    words = words or str(row.get("note", "")).split("\n")[0]
    when = str(row["at"])[:16].replace("T", " ")
    name = str(row["run"]) or f"{row['cycle']} of {row.get('slot', '')}"
    head = f"{when}  {styled(padded(name, 26), 'bold')}  {styled(padded(str(row['status']), 8), colour)}"
    return f"{head}  {styled(words)}".rstrip()
