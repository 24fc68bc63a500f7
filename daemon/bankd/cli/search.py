"""`bankctl search`, `related` and `timeline`: ask the daemon, or without one the index; both answer the same."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from contextlib import closing
from itertools import groupby
from typing import Any

from bankd.cli.answers import marked_text, print_answer, printed_place, tell_left_off
from bankd.cli.base import add_days, add_json, add_limit, days_asked, share
from bankd.cli.location import locate_workspace
from bankd.cli.printing import paged, reads_korean, say, say_json, shortened, styled
from bankd.errors import UsageError, UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def search_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command to the parser."""
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words or a question, in Korean or English")
    parser.add_argument("--all", action="store_true", help="ask every bank that `bankctl banks` lists")
    parser.add_argument("--queries", metavar="FILE", help="one query per line; - is standard input")
    add_limit(parser, 10, most=100)
    parser.set_defaults(limit=None)  # up to ten good answers; with a number, exactly that many
    help_ = "bank, logs, archive, with commas (default: bank first)"
    parser.add_argument("--in", dest="groups", type=_groups, default=[], metavar="GROUPS", help=help_)
    parser.add_argument("--tag", action="append", default=[], choices=["W", "B", "O", "S"], help="may be repeated")
    parser.add_argument("--node", action="append", default=[], metavar="PAGE", help="only in a page, folder or heading")
    parser.add_argument("--entity", action="append", default=[], metavar="SLUG", help="only about this person or thing")
    add_days(parser)
    parser.add_argument("--as-of", metavar="DAY", help="answer as the bank was on that day")
    parser.add_argument("--min-confidence", type=share, metavar="X", help="only with at least this confidence, 0 to 1")
    parser.add_argument("--files", action="store_true", help="group by page, at most N pages")
    parser.add_argument("--explain", action="store_true", help="show each score and its parts")
    parser.add_argument("--ids", action="store_true", help="show the id of each memory")
    help_ = "one line per hit, with tabs (default in a pipe)"
    parser.add_argument("--plain", action=BooleanOptionalAction, help=help_)
    parser.add_argument("--weak", action="store_true", help="show weak hits too, and near-copies one by one")
    add_json(parser)


def _groups(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def search_command(arguments: Namespace) -> int:
    """Ask and print; exit code 1 when nothing relevant was found, as grep has it."""
    queries = list(_queries(arguments))
    banks = {"": locate_workspace(arguments.workspace)} if not arguments.all else _listed_banks()
    if arguments.all:
        from bankd.wiring.banks import Banks

        pool = Banks(lambda: banks)
        ask, close = pool.ask_all, pool.close
    else:
        from bankd.wiring.asking import Asked

        asked = Asked(banks[""])
        ask, close = asked.ask, asked.close
    found, is_plain = False, arguments.plain
    if is_plain is None:
        is_plain = not (arguments.files or arguments.explain or arguments.ids or sys.stdout.isatty())
    roots = {name: _shown_root(root) for name, root in banks.items()}
    how = {"is_plain": is_plain, "by_page": arguments.files, "ids": arguments.ids, "explain": arguments.explain}
    try:
        with paged():
            for query in queries:
                answer = ask(_request(arguments, query))
                found = found or bool(answer["hits"])
                say_json(answer) if arguments.json else print_answer(answer, roots, **how)
    finally:
        close()
    return 0 if found else 1


def _queries(arguments: Namespace) -> Iterator[str]:
    if arguments.queries:
        source = sys.stdin if arguments.queries == "-" else open(arguments.queries, encoding="utf-8", errors="replace")  # noqa: SIM115, PTH123
        with source as lines:
            yield from (line.strip() for line in lines if line.strip())
    elif arguments.query:
        yield " ".join(arguments.query)
    else:
        raise UsageError("say what to search for, or name a file with --queries")


def _listed_banks() -> dict[str, str]:
    from bankd.wiring.banks import read_banks

    banks = read_banks()
    if not banks:
        raise UserError("no bank is on the list; add one with: bankctl banks add DIR")
    return banks


def _request(arguments: Namespace, query: str) -> dict[str, Any]:
    return {
        "op": "search", "query": query, "limit": arguments.limit, "tags": arguments.tag, "nodes": arguments.node,
        "entities": arguments.entity, **days_asked(arguments), "as_of": arguments.as_of,
        "min_confidence": arguments.min_confidence, "everything": arguments.weak, "by_page": arguments.files,
        "in": arguments.groups, "is_korean": reads_korean() or None,
    }  # fmt: skip


def _shown_root(root: str) -> str:
    """What to write before a path so that an editor that is started here opens it; empty at the root itself."""
    shown = os.path.relpath(root)
    if shown == ".":
        return ""
    return f"{root}/" if shown.startswith("..") else f"{shown}/"


def related_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command to the parser."""
    parser.add_argument("of", metavar="ID|PAGE|SLUG", help="such as m-k3fba2xqb7te, bank/knowledge/tools.md, @Peter")
    parser.add_argument("--depth", type=int, choices=[1, 2], default=1, help="steps away, at most (default: 1)")
    add_limit(parser, 10, most=100)
    add_json(parser)


def related_command(arguments: Namespace) -> int:
    """Ask and print; exit code 1 when nothing is related."""
    request = {"op": "related", "of": arguments.of, "depth": arguments.depth, "limit": arguments.limit}
    answer = _ask(arguments, request)
    if arguments.json:
        say_json(answer)
    elif not answer["related"]:
        say("nothing related")
    else:
        for one in answer["related"]:
            _print_related(one)
    return 0 if answer["related"] else 1


def _ask(arguments: Namespace, request: dict[str, Any]) -> dict[str, Any]:
    from bankd.wiring.asking import Asked

    with closing(Asked(locate_workspace(arguments.workspace))) as asked:
        return asked.ask(request)


def _print_related(one: Mapping[str, Any]) -> None:
    """Print the place and the text, and below them each step that leads there, with its kind and source."""
    id_ = styled(f"^{one['id']}", "dim") if one["id"] else ""
    say("  ".join(filter(None, [styled(printed_place(one), "cyan"), styled(f"{one['score']:.2f}", "dim"), id_])))
    if one["text"]:
        older = styled(f"[older; newer is {one['superseded_by']}] ", "yellow") if one["superseded_by"] else ""
        tag = f"{one['tag']}: " if one["tag"] else ""
        say(f"    {older}{tag}{styled(one['text'].replace(chr(10), ' '))}")
    for step in one["steps"]:
        say("    " + styled(f"{step['tie']} {step['weight']:.2f}, {step['source']} → {step['to']}", "dim"))


_LOG_SHOWN = 160
"""Characters of a passage of a log in a timeline."""


def timeline_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command to the parser."""
    help_ = "only about a person or thing, in a page or folder, or of a day"
    parser.add_argument("subject", nargs="?", metavar="SLUG|PAGE|DAY", help=help_)
    add_limit(parser, 30, most=100)
    add_days(parser)
    add_json(parser)


def timeline_command(arguments: Namespace) -> int:
    """List by day; exit code 1 when there is nothing."""
    subject, days = arguments.subject or "", days_asked(arguments)
    if not days["on"] and _is_day(subject):
        subject, days = "", {**days, "on": subject}
    entities, nodes = ([subject], []) if subject.startswith("@") else ([], [subject] if subject else [])
    request = {
        "op": "search", "timeline": True, "in": ["bank", "logs"], "limit": arguments.limit, "entities": entities, "nodes": nodes,
        "is_korean": reads_korean(), "keep": False, **days,
    }  # fmt: skip
    answer = _ask(arguments, request)
    if arguments.json:
        say_json(answer)
    elif not answer["hits"]:
        say("nothing of these days")
    else:
        for when, of_day in groupby(answer["hits"], key=lambda hit: hit["when"]):
            say(styled(when, "bold"))
            for hit in of_day:
                place = f"^{hit['id']}" if hit["id"] else printed_place(hit)
                said = marked_text(hit) if hit["group"] == "bank" else styled(shortened(hit["text"], _LOG_SHOWN))
                say(f"  {said}  {styled(place, 'dim')}")
        if left_off := tell_left_off(answer):
            say(styled(left_off, "dim"))
    return 0 if answer["hits"] else 1


def _is_day(subject: str) -> bool:
    """Whether the subject is a day, such as `yesterday`, and not a page or a person."""
    from datetime import date

    from bankd.words.day_questions import read_days

    return not subject.startswith("@") and read_days(subject, date.max.replace(year=2000)) is not None
