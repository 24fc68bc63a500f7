"""`bankctl search`, `related` and `timeline`: ask the daemon, or without one the index; both answer the same."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from contextlib import closing
from itertools import groupby
from typing import Any

from bankd.cli.answers import marked_text, print_answer, printed_place, tell_left_off
from bankd.cli.base import days_asked
from bankd.cli.location import locate_workspace
from bankd.cli.printing import paged, say, say_json, shortened, styled
from bankd.errors import UsageError, UserError
from bankd.translate import reads_korean
from bankd.translate import translate as _

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def _groups(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


_LOG_SHOWN = 160
"""Characters of a passage of a log in a timeline."""


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


def related_command(arguments: Namespace) -> int:
    """Ask and print; exit code 1 when nothing is related."""
    request = {"op": "related", "of": arguments.of, "depth": arguments.depth, "limit": arguments.limit}
    is_name = arguments.of.isidentifier()  # Peter, for who does not know of @
    try:
        answer = _ask(arguments, request)
    except UsageError:
        if not is_name:
            raise
        answer = _ask(arguments, {**request, "of": f"@{arguments.of}"})
    if arguments.json:
        say_json(answer)
    elif not answer["related"]:
        say(_("nothing related"))
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
        older = styled(_(f"[older; newer is {one['superseded_by']}]") + " ", "yellow") if one["superseded_by"] else ""
        tag = f"{one['tag']}: " if one["tag"] else ""
        say(f"    {older}{tag}{styled(one['text'].replace(chr(10), ' '))}")
    for step in one["steps"]:
        say("    " + styled(f"{_(step['tie'])} {step['weight']:.2f}, {step['source']} → {step['to']}", "dim"))


def timeline_command(arguments: Namespace) -> int:
    """List by day; exit code 1 when there is nothing."""
    subject, days = " ".join(arguments.subject), days_asked(arguments)
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
        say(_("nothing of these days"))
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
