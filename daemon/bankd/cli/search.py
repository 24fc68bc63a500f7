"""`bankctl search`: ask the daemon, or without one the index itself; the two answer the same."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from bankd.cli.options import add_days, add_json, add_limit, days_asked, share
from bankd.cli.workspace import locate_workspace
from bankd.errors import UsageError, UserError

TYPE_CHECKING = False  # `typing` and `pathlib` would cost a search with a daemon more than its own work
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words or a question, in Korean or English")
    parser.add_argument("--all", action="store_true", help="ask every bank that `bankctl banks` lists, in one answer")
    parser.add_argument("--queries", metavar="FILE", help="one query a line; - is standard input")
    add_limit(parser, 10, most=100)
    parser.add_argument(
        "--in", dest="groups", type=_groups, default=[], metavar="GROUPS",
        help="bank, logs, archive, or some with commas between; else the bank, and the others for what it does not say",
    )  # fmt: skip
    parser.add_argument("--tag", action="append", default=[], choices=["W", "B", "O", "S"], help="may be repeated")
    parser.add_argument(
        "--node", action="append", default=[], metavar="PAGE", help="only in a page, a folder, or page#Heading"
    )
    parser.add_argument("--entity", action="append", default=[], metavar="SLUG", help="only about somebody")
    add_days(parser)
    parser.add_argument("--as-of", metavar="DAY", help="answer as the bank stood on that day")
    parser.add_argument("--min-confidence", type=share, metavar="X", help="only what is worth as much today, 0 to 1")
    parser.add_argument(
        "--files", action="store_true", help="answer with pages, at most N, each by what its memories say together"
    )
    parser.add_argument("--explain", action="store_true", help="show the parts of each score")
    parser.add_argument(
        "--weak", action="store_true", help="show what is below the floor too, and each of what says nearly the same"
    )
    add_json(parser)


def _groups(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def run(arguments: Namespace) -> int:
    """Ask and print; exit code 1 when nothing relevant was found, as grep has it."""
    queries = list(_queries(arguments))
    banks = _banks(arguments)
    ask, close = _open(banks)
    found = False
    try:
        for query in queries:
            answer = ask(_request(arguments, query))
            _print(answer, arguments, banks)
            found = found or bool(answer["hits"])
    finally:
        close()
    return 0 if found else 1


def _banks(arguments: Namespace) -> dict[str, str]:
    """The folders that are asked: that of this workspace, which has no name, or with `--all` those on the list."""
    if not arguments.all:
        return {"": locate_workspace(arguments.workspace)}
    from bankd.wiring.banks import read_banks

    banks = read_banks()
    if not banks:
        raise UserError("no bank is on the list; bankctl banks add DIR puts one there")
    return banks


def _open(banks: dict[str, str]) -> tuple[Callable[[dict[str, Any]], dict[str, Any]], Callable[[], None]]:
    """What answers a request, and what is to be called at the end."""
    if "" in banks:
        from bankd.wiring.asking import Asked

        asked = Asked(banks[""])
        return asked.ask, asked.close
    from bankd.wiring.banks import Banks

    pool = Banks(lambda: banks)
    return pool.ask_all, pool.close


def _queries(arguments: Namespace) -> Iterator[str]:
    if arguments.queries:
        source = sys.stdin if arguments.queries == "-" else open(arguments.queries, encoding="utf-8", errors="replace")  # noqa: SIM115, PTH123
        with source as lines:
            yield from (line.strip() for line in lines if line.strip())
    elif arguments.query:
        yield " ".join(arguments.query)
    else:
        raise UsageError("say what to search for, or name a file with --queries")


def _request(arguments: Namespace, query: str) -> dict[str, Any]:
    return {
        "op": "search",
        "query": query,
        "limit": arguments.limit,
        "tags": arguments.tag,
        "nodes": arguments.node,
        "entities": arguments.entity,
        **days_asked(arguments),
        "as_of": arguments.as_of,
        "min_confidence": arguments.min_confidence,
        "everything": arguments.weak,
        "by_page": arguments.files,
        "in": arguments.groups,
    }


def _print(answer: dict[str, Any], arguments: Namespace, banks: dict[str, str]) -> None:
    if arguments.json:
        from bankd.cli.streams import write_json

        write_json(answer)
        return
    from bankd.cli.answers import print_answer

    roots = {name: _shown_root(root) for name, root in banks.items()}
    print_answer(answer, roots, by_page=arguments.files, explain=arguments.explain)


def _shown_root(root: str) -> str:
    """What to write before a path so that an editor started here opens it; nothing at the root itself."""
    shown = os.path.relpath(root)
    if shown == ".":
        return ""
    return f"{root}/" if shown.startswith("..") else f"{shown}/"
