"""`bankctl search`: ask the daemon, or without one the index itself; the two answer the same.

`bankctl related`: what belongs to a memory, a page or somebody, and why.

`bankctl timeline`: the memories of some days, day by day.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from typing import Any

from bankd.cli.base import add_days, add_json, add_limit, days_asked, share
from bankd.cli.location import locate_workspace
from bankd.cli.printing import reads_korean, say, styled
from bankd.errors import UsageError, UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def search_arguments(parser: ArgumentParser) -> None:
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


def search_command(arguments: Namespace) -> int:
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
        from bankd.cli.base import write_json

        write_json(answer)
        return
    from bankd.cli.printing import print_answer

    roots = {name: _shown_root(root) for name, root in banks.items()}
    print_answer(answer, roots, by_page=arguments.files, explain=arguments.explain)


def _shown_root(root: str) -> str:
    """What to write before a path so that an editor started here opens it; nothing at the root itself."""
    shown = os.path.relpath(root)
    if shown == ".":
        return ""
    return f"{root}/" if shown.startswith("..") else f"{shown}/"


def related_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("of", metavar="ID|PAGE|SLUG", help="such as m-k3fba2xqb7te, bank/knowledge/tools.md, @Peter")
    parser.add_argument(
        "--depth", type=int, choices=[1, 2], default=1, help="how many steps away it may be (default: 1)"
    )
    add_limit(parser, 10, most=100)
    add_json(parser)


def related_command(arguments: Namespace) -> int:
    """Ask and print; exit code 1 when nothing is related, as search has it."""
    from bankd.cli.base import write_json
    from bankd.wiring.asking import Asked

    with closing(Asked(locate_workspace(arguments.workspace))) as asked:
        request = {"op": "related", "of": arguments.of, "depth": arguments.depth, "limit": arguments.limit}
        answer = asked.ask(request)
    if arguments.json:
        write_json(answer)
    elif not answer["related"]:
        say("nothing related")
    else:
        for one in answer["related"]:
            _print_related(one)
    return 0 if answer["related"] else 1


def _print_related(one: Mapping[str, Any]) -> None:
    """What is related with its place and text, and below it the steps that lead there, each with why and since where."""
    place = one["path"] if one["line"] is None else f"{one['path']}:{one['line']}"
    id_ = styled(f"^{one['id']}", "dim") if one["id"] else ""
    say("  ".join(filter(None, [styled(place, "cyan"), styled(f"{one['score']:.2f}", "dim"), id_])))
    if one["text"]:
        older = styled(f"[older; newer is {one['superseded_by']}] ", "yellow") if one["superseded_by"] else ""
        tag = f"{one['tag']}: " if one["tag"] else ""
        say(f"    {older}{tag}{styled(one['text'].replace(chr(10), ' '))}")
    for step in one["steps"]:
        say("    " + styled(f"{step['tie']} {step['weight']:.2f}, {step['source']} → {step['to']}", "dim"))


def timeline_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "subject", nargs="?", metavar="SLUG|PAGE|DAY", help="only about somebody, on a page, in a folder, or of a day"
    )
    add_limit(parser, 30, most=100)
    add_days(parser)
    add_json(parser)


def timeline_command(arguments: Namespace) -> int:
    """List; exit code 1 when there is nothing, as search has it."""
    from bankd.cli.base import write_json
    from bankd.wiring.asking import Asked

    with closing(Asked(locate_workspace(arguments.workspace))) as asked:
        answer = asked.ask(_request_timeline(arguments))
    hits = answer["hits"]
    if arguments.json:
        write_json(answer)
    elif hits:
        from bankd.cli.printing import say_left_off

        _print_days(hits)
        say_left_off(answer)
    else:
        say("nothing of these days")
    return 0 if hits else 1


def _request_timeline(arguments: Namespace) -> dict[str, Any]:
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

    from bankd.words.day_questions import read_days

    return not subject.startswith("@") and read_days(subject, date.max.replace(year=2000)) is not None


def _print_days(hits: Sequence[Mapping[str, Any]]) -> None:
    from bankd.cli.printing import marked_text

    for when, of_day in groupby(hits, key=lambda hit: hit["when"]):
        say(styled(when, "bold"))
        for hit in of_day:
            place = f"^{hit['id']}" if hit["id"] else f"{hit['path']}:{hit['line']}"
            say(f"  {marked_text(hit)}  {styled(place, 'dim')}")
