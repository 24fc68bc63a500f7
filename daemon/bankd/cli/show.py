"""`bankctl show`: a memory and its source, or what became of a log line."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_json, add_now
from bankd.cli.printing import plain, reads_korean, say_answer, styled
from bankd.cli.workspace import find_workspace

if TYPE_CHECKING:
    from bankd.app.show import FoundMemory
    from bankd.core.lifecycle.provenance import Trace

_RUN = re.compile(r"\d{8}T\d{6}-|\d{1,6}$")
LINE = re.compile(r"(?:\./)?memory/(?P<log>.+):(?P<line>\d{1,9})")


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "what",
        metavar="ID|LINE|RUN",
        help="a memory id such as m-k3fba2xqb7te, a log line such as memory/2026-05-02.md:7, or a run",
    )
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Show it."""
    from bankd.app.log import show_run
    from bankd.app.show import find_memory, trace_log_line
    from bankd.cli.run_diff import print_run
    from bankd.wiring.workspace import open_workspace

    with open_workspace(find_workspace(arguments.workspace), arguments.now, write=False) as workspace:
        if found := LINE.fullmatch(arguments.what):
            return _show_line(trace_log_line(workspace, found["log"], int(found["line"])), as_json=arguments.json)
        if _RUN.match(arguments.what):
            return print_run(show_run(workspace, arguments.what), as_json=arguments.json)
        return _show_memory(
            find_memory(workspace, arguments.what.removeprefix("^"), is_korean=reads_korean()), as_json=arguments.json
        )


def _show_line(trace: Trace, *, as_json: bool) -> int:
    fields = {"outcome": trace.outcome, "memory": trace.memory, "text": trace.text, "sentence": trace.sentence}
    return say_answer(
        {"place": str(trace.place), **fields},
        f"{styled(str(trace.place), 'bold')}  {styled(trace.outcome, 'cyan')}",
        f"  {styled(trace.text)}" if trace.text else "",
        f"  {styled(trace.sentence)}" + (f"  {styled('^' + trace.memory, 'dim')}" if trace.memory else ""),
        as_json=as_json,
    )


def _show_memory(found: FoundMemory, *, as_json: bool) -> int:
    from bankd.app.show import describe_memory

    asked = (f"? {question}" for question in found.questions)
    written = (f"a model wrote, to find it by: {text}" for text in found.written)
    strength = () if found.strength is None else (f"strength {found.strength:.2f}, where 1 is fresh",)
    return say_answer(
        describe_memory(found),
        *(styled(place, "bold") for place in found.places),
        f"  {plain(found.text)}" if found.text else "  no page holds it now",
        f"  {styled(f'tagged as {found.meaning}', 'dim')}" if found.meaning else "",
        f"  from {styled(found.source or 'the user: no log line has this id')}",
        f"  {styled(found.when, 'dim')}" if found.when else "",
        *(f"  {styled(line, 'dim')}" for line in (*asked, *written, *found.history, *strength)),
        as_json=as_json,
    )
