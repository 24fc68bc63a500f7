"""`bankctl timeline`: the memories of some days, day by day."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import closing
from itertools import groupby
from typing import TYPE_CHECKING, Any

from bankd.cli.options import add_days, add_json, add_limit, days_asked
from bankd.cli.printing import reads_korean, say, styled
from bankd.cli.workspace import locate_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "subject", nargs="?", metavar="SLUG|PAGE|DAY", help="only about somebody, on a page, in a folder, or of a day"
    )
    add_limit(parser, 30, most=100)
    add_days(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List; exit code 1 when there is nothing, as search has it."""
    from bankd.cli.streams import write_json
    from bankd.wiring.asking import Asked

    with closing(Asked(locate_workspace(arguments.workspace))) as asked:
        answer = asked.ask(_request(arguments))
    hits = answer["hits"]
    if arguments.json:
        write_json(answer)
    elif hits:
        from bankd.cli.answers import say_left_off

        _print_days(hits)
        say_left_off(answer)
    else:
        say("nothing of these days")
    return 0 if hits else 1


def _request(arguments: Namespace) -> dict[str, Any]:
    subject, days = arguments.subject or "", days_asked(arguments)
    if not days["on"] and _is_day(subject):
        subject, days = "", {**days, "on": subject}
    entities, nodes = ([subject], []) if subject.startswith("@") else ([], [subject] if subject else [])
    return {
        "op": "search", "timeline": True, "in": ["bank"], "limit": arguments.limit, "entities": entities, "nodes": nodes,
        "is_korean": reads_korean(), "keep": False, **days,
    }  # fmt: skip


def _is_day(subject: str) -> bool:
    """Whether what is asked for is a day and no page: `timeline yesterday` is what people type."""
    from datetime import date

    from bankd.core.language.dates.question_days import read_days

    return not subject.startswith("@") and read_days(subject, date.max.replace(year=2000)) is not None


def _print_days(hits: Sequence[Mapping[str, Any]]) -> None:
    from bankd.cli.answers import marked_text

    for when, of_day in groupby(hits, key=lambda hit: hit["when"]):
        say(styled(when, "bold"))
        for hit in of_day:
            place = f"^{hit['id']}" if hit["id"] else f"{hit['path']}:{hit['line']}"
            say(f"  {marked_text(hit)}  {styled(place, 'dim')}")
