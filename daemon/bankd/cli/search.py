"""`bankctl search`, `related` and `timeline`: ask the daemon, or without one the index; both answer the same.

How answers look: for people the text first, place and day dim below it; into a pipe one line per hit, with tabs.
A changed value is told in one line: the newer memory, and under it what it was. Ids and scores are shown on request.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from contextlib import closing
from itertools import groupby
from typing import Any

from bankd.briefing.recalled import DOUBT, fold_older, marked_pieces, place_of, relation_of, whom_unsaid
from bankd.cli import locate_workspace
from bankd.cli.base import Outcome, keep_numbers, named_hit, paged, read_input, say, say_json, shortened, styled
from bankd.errors import UsageError, UserError
from bankd.pages.text import other_part
from bankd.translate import counted, reads_korean
from bankd.translate import translate as _

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    Hit: TypeAlias = Mapping[str, Any]

_GLYPHS = {"W": "●", "B": "↻", "O": "◐", "S": "◦", "logs": "≡", "archive": "▫"}
_LETTERS = {"logs": "L", "archive": "A"}
_TITLES = {"logs": "Only in the logs", "archive": "In the archive"}
_LOG_SHOWN = 160
"""Characters of a passage of a log in a timeline."""


def search_command(arguments: Namespace) -> int:
    """Ask and print; exit code 1 when nothing relevant was found, as grep has it."""
    queries = [" ".join(arguments.query)]
    if arguments.queries:
        queries = [line.strip() for line in read_input(arguments.queries).split("\n") if line.strip()]
    if arguments.all:
        from bankd.wiring.banks import Banks, read_banks

        if not (banks := read_banks()):
            raise UserError("no bank is on the list; add one with: bankctl banks add DIR")
        pool = Banks(lambda: banks)
        ask, close = pool.ask_all, pool.close
    else:
        from bankd.wiring.asking import Asked

        banks = {"": locate_workspace(arguments.workspace)}
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
                if not (answer["hits"] or arguments.all):
                    names = [f"@{name.lstrip('@')}" for name in arguments.entity or ()]
                    answer["unknown"] = unknown_of(arguments, [*names, *(arguments.node or ())])
                found = found or bool(answer["hits"])
                if arguments.json:
                    say_json(answer)
                    continue
                shown = print_answer(answer, roots, **how)
                for root in banks.values():  # where several banks answer, a number would mean a hit of another one
                    keep_numbers(root, [] if arguments.all else map(_key, shown))
    finally:
        close()
    return 0 if found else 1


def _key(hit: Hit) -> str:
    """What a number of this hit means: its id or its place in the workspace."""
    return hit["id"] or place_of({**hit, "path": hit.get("short", hit["path"])})


def _request(arguments: Namespace, query: str) -> dict[str, Any]:
    return {
        "op": "search", "query": query, "limit": arguments.limit, "tags": arguments.tag, "nodes": arguments.node,
        "entities": arguments.entity, **_days_asked(arguments), "as_of": arguments.as_of,
        "min_confidence": arguments.min_confidence, "everything": arguments.weak, "by_page": arguments.files,
        "in": arguments.groups, "is_korean": reads_korean(),
    }  # fmt: skip


def _days_asked(arguments: Namespace) -> dict[str, str | None]:
    """The days that a command was given, as typed."""
    return {name: getattr(arguments, name) for name in ("since", "until", "on", "now")}


def _shown_root(root: str) -> str:
    """What to write before a path so that an editor that is started here opens it; empty at the root itself."""
    shown = os.path.relpath(root)
    if shown == ".":
        return ""
    return f"{root}/" if shown.startswith("..") else f"{shown}/"


def print_answer(
    answer: Mapping[str, Any], roots: Mapping[str, str], *, is_plain: bool, by_page: bool, ids: bool, explain: bool
) -> list[Hit]:
    """Print the hits of an answer, or what is nearest; gives the hits in the order in which they stand.

    `roots` has for each bank what to write before its paths. An answer of one bank has the name "".
    """
    hits: list[Hit] = [
        {**hit, "path": f"{roots[hit.get('bank', '')]}{hit['path']}", "short": hit["path"], "whom": whom_unsaid(hit)}
        for hit in answer["hits"] or answer["nearest"]
    ]
    remarks = [*_remarks(answer)]
    if not answer["hits"]:
        nearest = "nothing relevant; nearest, maybe about something else:"
        nothing = _(nearest if answer["nearest"] else "nothing relevant")
        say(styled(nothing, "dim")) if not is_plain else remarks.insert(0, nothing.rstrip(":"))
    if is_plain:
        for hit in hits:
            say(_plain_row(hit))
        sys.stdout.flush()
    elif by_page:
        order = {path: place for place, path in reversed(list(enumerate(hit["path"] for hit in hits)))}
        hits.sort(key=lambda hit: order[hit["path"]])
        _print_by_page(hits, ids=ids)
    else:
        _print_groups(hits, ids=ids, explain=explain)
        for one in answer["see_also"]:
            tie, path = one["steps"][-1], f"{roots[one.get('bank', '')]}{one['path']}"
            place, why = place_of({**one, "path": path}), f"({_(tie['tie'])}, {tie['source']})"
            after = styled(_joined([place, _id(one, ids=ids), why]), "dim")
            say(f"  {styled(_('see also'), 'dim')}  {styled(one['text'])}  {after}")
        hits = [hit for hit, _older in fold_older(hits)]
        if answer["hits"]:
            counts, way = _counts(hits), _("open the first: bankctl edit 1")
            say(f"\n  {styled(f'{counts} · {way}', 'dim')}")
    for line in remarks:
        sys.stderr.write(f"! {line}\n") if is_plain else say(styled(line, "yellow"))
    return hits


def _remarks(answer: Mapping[str, Any]) -> Iterator[str]:
    if left_off := _left_off(answer):
        yield left_off
    yield from answer.get("unknown", ())
    fresh = answer["fresh"]
    if fresh["note"]:
        yield _(str(fresh["note"]))
    if fresh["meaning"] not in {"off", "on"}:
        states = "; ".join(map(_, str(fresh["meaning"]).split("; ")))
        yield _(f"search by meaning: {states}")
    if pending := fresh["pending"]:
        pages = counted(pending, "changed page")
        yield _(f"not in the index yet: {pages} (last updated {fresh['updated']})")
    yield from (f"{bank}: {_(why)}" for bank, why in answer.get("problems", {}).items())


def _counts(hits: Sequence[Hit]) -> str:
    kinds = ("bank", "memory", "memories"), ("logs", "log line", ""), ("archive", "archived", "archived")
    numbers = ((sum(hit["group"] == group for hit in hits), one, many) for group, one, many in kinds)
    return ", ".join(counted(number, one, many) for number, one, many in numbers if number)


def _plain_row(hit: Hit) -> str:
    """What scripts read: place, id, kind, day, score, text and remarks, with a tab between them; older ones name the newer."""
    kind = hit.get("tag") or _LETTERS.get(hit["group"], "")
    said = [place_of(hit), hit["id"] or "", kind, hit["learned"] or "", f"{hit['score']:.2f}", str(hit["text"])]
    more = [hit["whom"], relation_of(hit), hit["became"], f"said {hit['said']}" if hit["said"] else "", hit["folded"]]
    return "\t".join([*(styled(" ".join(part.split())) for part in said), styled(_joined(more, "; "))]).rstrip()


def _print_groups(hits: Sequence[Hit], *, ids: bool, explain: bool) -> None:
    """The hits, each older one folded into the newer that stands among them."""
    by_id = {hit["id"]: hit for hit in hits if hit["id"]}
    for group, found in groupby(fold_older(hits), key=lambda folded: str(folded[0]["group"])):
        say(f"\n  {styled(_(_TITLES[group]), 'bold')}" if group in _TITLES else "")
        for hit, older in found:
            glyph = _GLYPHS.get(hit.get("tag") or group if group == "bank" else group, "·")
            say(f"  {glyph} {_marked_text(hit)}")
            was = [_was(old, hit) for old in older]
            if not was and hit["superseded_by"]:
                was = [_("older: a newer memory replaces it")]
            against = [_quoted(by_id.get(other), other) for other in hit["contradicts"]]
            said = _(f"said {hit['said']}") if hit["said"] and not was else ""
            when = hit["when"].partition(", ")[2] or hit["when"]
            contradicted = [_(f"contradicts {one}") for one in against]
            doubt = _(DOUBT) if hit["is_doubted"] else ""
            told = _joined([*was, *contradicted, doubt, said, hit["folded"], _(hit["became"] or "")], "; ")
            path = str(hit["short"]).removeprefix("bank/").removesuffix(".md")
            place = (f"{hit['bank']}: " if hit.get("bank") else "") + place_of({**hit, "path": path})
            where = _joined([place, when, _id(hit, ids=ids)], " · ")
            say(f"    {styled(_joined([told, where], '   '), 'dim')}")
            if explain:
                parts = "  ".join(f"{_(name)} {part:.3f}" for name, part in hit["parts"].items())
                say(f"    {styled(_('score'), 'dim')} {hit['score']:.2f}  {styled(parts, 'dim')}")


def _joined(parts: Iterable[str | None], between: str = "  ") -> str:
    return between.join(filter(None, parts))


def _id(hit: Hit, *, ids: bool = True) -> str:
    return f"^{hit['id']}" if ids and hit["id"] else ""


def _was(old: Hit, new: Hit) -> str:
    """What the older memory said, in short: the words that differ, and the day until which it held."""
    value = other_part(str(old["text"]), str(new["text"]))
    return _(f"was {value} until {new['learned']}" if new["learned"] else f"was {value}")


def _quoted(hit: Hit | None, id_: str) -> str:
    return f"“{shortened(str(hit['text']), 50)}”" if hit else id_


def _print_by_page(hits: Sequence[Hit], *, ids: bool) -> None:
    for path, group in groupby(hits, key=lambda hit: str(hit["path"])):
        say(styled(path, "cyan", "bold"))
        for hit in group:
            facts = [hit["when"], _id(hit, ids=ids), _(relation_of(hit)), _(hit["became"] or "")]
            after = styled(_joined(facts), "dim")
            say("  ".join(["", styled(str(hit["line"]), "dim"), _marked_text(hit), after]).rstrip())


def _left_off(answer: Mapping[str, Any]) -> str:
    """How many more memories there are of the days or the filters that were asked about; empty for none."""
    return _(f"{more} more; -n 0 shows up to a hundred") if (more := answer["left_off"]) else ""


def _marked_text(hit: Hit) -> str:
    """Whom it is about, and the text on one line, made safe, with the words of the query in bold on a terminal."""
    pieces = marked_pieces(hit)
    whom = hit["whom"] if "whom" in hit else whom_unsaid(hit)
    said = (styled(text, "bold") if is_marked else styled(text.replace("\n", " ")) for text, is_marked in pieces)
    return (styled(f"{whom} · ", "dim") if whom else "") + "".join(said)


def related_command(arguments: Namespace) -> Outcome:
    """What is related; exit code 1 when nothing is."""
    arguments.of = named_hit(locate_workspace(arguments.workspace), arguments.of)
    request = {"op": "related", "of": arguments.of, "depth": arguments.depth, "limit": arguments.limit}
    try:
        answer = _ask(arguments, request)
    except UsageError:
        if not arguments.of.isidentifier():
            raise
        answer = _ask(arguments, {**request, "of": f"@{arguments.of}"})  # Peter, for who does not know of @
    lines = [line for one in answer["related"] for line in _related_lines(one)]
    listed = [*map(_key, answer["related"])]
    return Outcome(answer, *(lines or [_("nothing related")]), code=0 if lines else 1, listed=listed)


def _ask(arguments: Namespace, request: dict[str, Any]) -> dict[str, Any]:
    from bankd.wiring.asking import Asked

    with closing(Asked(locate_workspace(arguments.workspace))) as asked:
        return asked.ask(request)


def unknown_of(arguments: Namespace, names: Iterable[str]) -> list[str]:
    """For each name of nobody and of no page or folder, what `bankctl related` says of it, with the name that is most like it."""
    root, unknown = locate_workspace(arguments.workspace), list[str]()
    for name in names:
        if any(os.path.exists(f"{root}/{folder}{name}{end}") for folder in ("", "bank/") for end in ("", ".md")):  # noqa: PTH110
            continue
        try:
            _ask(arguments, {"op": "related", "of": name, "limit": 1})
        except UsageError as problem:
            unknown.append("; ".join(map(_, str(problem).split("\n"))))
    return unknown


def _related_lines(one: Hit) -> Iterator[str]:
    """The place and the text, and below them each step that leads there, with its kind and source."""
    place, score = styled(place_of(one), "cyan"), styled(f"{one['score']:.2f}", "dim")
    yield _joined([place, score, styled(_id(one), "dim")])
    if one["text"]:
        older = styled(_(f"[older; newer is {one['superseded_by']}]") + " ", "yellow") if one["superseded_by"] else ""
        tag = f"{one['tag']}: " if one["tag"] else ""
        yield f"    {older}{tag}{styled(one['text'].replace(chr(10), ' '))}"
    for step in one["steps"]:
        yield "    " + styled(f"{_(step['tie'])} {step['weight']:.2f}, {_(step['source'])} → {step['to']}", "dim")


def timeline_command(arguments: Namespace) -> Outcome:
    """Memories and logs by day; exit code 1 when there is nothing."""
    subject, days = " ".join(arguments.subject), _days_asked(arguments)
    is_somebody = subject.isidentifier() and not unknown_of(arguments, [f"@{subject}"])  # Jun is a month too
    if not days["on"] and not is_somebody and _is_day(subject):
        subject, days = "", {**days, "on": subject}
    elif len(arguments.subject) == 2 and all(map(_is_day, arguments.subject)):  # from the one to the other
        subject, days = "", {**days, **dict(zip(("since", "until"), arguments.subject, strict=True))}
    request = {
        "op": "search", "timeline": True, "in": ["bank", "logs"], "limit": arguments.limit,
        "is_korean": reads_korean(), "keep": False, **days,
    }  # fmt: skip
    lines, nothing = [], _("nothing of these days")
    answer = _ask(arguments, {**request, "entities": [subject] if subject else []})
    if subject[:1] not in {"", "@"} and not answer["hits"]:  # no name of a person or thing: that of a page
        answer = _ask(arguments, {**request, "nodes": [subject]})
    asked = sorted({subject, f"@{subject.lstrip('@')}"}) if subject and not answer["hits"] else []
    if asked and len(unknown := unknown_of(arguments, asked)) == len(asked):
        nothing = unknown[-1]
    for when, of_day in groupby(answer["hits"], key=lambda hit: hit["when"]):
        lines.append(styled(when, "bold"))
        for hit in of_day:
            said = _marked_text(hit) if hit["group"] == "bank" else styled(shortened(hit["text"], _LOG_SHOWN))
            after = _joined([_id(hit) or place_of(hit), _(relation_of(hit) or hit["became"] or "")])
            lines.append(f"  {said}  {styled(after, 'dim')}")
    last = styled(_left_off(answer), "dim") if lines else nothing
    return Outcome(answer, *lines, last, code=0 if lines else 1, listed=[*map(_key, answer["hits"])])


def _is_day(subject: str) -> bool:
    """Whether the subject is meant as a day, such as `yesterday` or 2026-11-31, and not as a page or a person."""
    from datetime import date

    from bankd.words.days import read_days

    is_number = subject.replace("-", "").isdigit()
    return not subject.startswith("@") and (is_number or read_days(subject, date.max.replace(year=2000)) is not None)
