"""How answers of search look: for people the text first, place and day dim below it; into a pipe one line per hit, with tabs.

A changed value is told in one line: the newer memory, and under it what it was. Ids and scores are shown on request.
"""

from __future__ import annotations

import sys
from itertools import groupby

from bankd.briefing.recalled import relation_of
from bankd.cli.printing import say, shortened, styled
from bankd.translate import counted
from bankd.translate import translate as _

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    Hit: TypeAlias = Mapping[str, Any]

_GLYPHS = {"W": "●", "B": "↻", "O": "◐", "S": "◦", "logs": "≡", "archive": "▫"}
_LETTERS = {"logs": "L", "archive": "A"}
_TITLES = {"logs": "Only in the logs", "archive": "In the archive"}


def print_answer(
    answer: Mapping[str, Any], roots: Mapping[str, str], *, is_plain: bool, by_page: bool, ids: bool, explain: bool
) -> None:
    """Print the hits of an answer, or what is nearest. `roots` has for each bank what to write before its paths.

    An answer of one bank has the name "".
    """
    found = answer["hits"] or answer["nearest"]
    hits = [{**hit, "path": f"{roots[hit.get('bank', '')]}{hit['path']}", "short": hit["path"]} for hit in found]
    remarks = [*_remarks(answer)]
    if not answer["hits"]:
        nothing = _(
            "nothing relevant; nearest, maybe about something else:" if answer["nearest"] else "nothing relevant"
        )
        say(styled(nothing, "dim")) if not is_plain else remarks.insert(0, nothing.rstrip(":"))
    if is_plain:
        for hit in hits:
            say(_plain_row(hit))
        sys.stdout.flush()
    elif by_page:
        _print_by_page(hits, ids=ids)
    else:
        _print_groups(hits, ids=ids, explain=explain)
        for one in answer["see_also"]:
            tie = one["steps"][-1]
            where = {**one, "path": f"{roots[one.get('bank', '')]}{one['path']}"}
            facts = [
                printed_place(where),
                f"^{one['id']}" if ids and one["id"] else "",
                f"({_(tie['tie'])}, {tie['source']})",
            ]
            say(
                f"  {styled(_('see also'), 'dim')}  {styled(one['text'])}  {styled('  '.join(filter(None, facts)), 'dim')}"
            )
        if answer["hits"]:
            way = _("open the first: bankctl edit 1")
            say(f"\n  {styled(f'{_counts(found)} · {way}', 'dim')}")
    for line in remarks:
        sys.stderr.write(f"! {line}\n") if is_plain else say(styled(line, "yellow"))


def _remarks(answer: Mapping[str, Any]) -> Iterator[str]:
    if left_off := tell_left_off(answer):
        yield left_off
    fresh = answer["fresh"]
    if fresh["note"]:
        yield _(str(fresh["note"]))
    if fresh["meaning"] not in {"off", "on"}:
        states = "; ".join(map(_, str(fresh["meaning"]).split("; ")))
        yield _(f"found by words only; meaning: {states}")
    if pending := fresh["pending"]:
        pages = counted(pending, "changed page")
        yield _(f"not in the index yet: {pages} (last updated {fresh['updated']})")
    yield from (f"{bank}: {_(why)}" for bank, why in answer.get("problems", {}).items())


def _counts(hits: Sequence[Hit]) -> str:
    kinds = ("bank", "memory", "memories"), ("logs", "log line", ""), ("archive", "archived", "archived")
    numbers = ((sum(hit["group"] == group for hit in hits), one, many) for group, one, many in kinds)
    return ", ".join(counted(number, one, many) for number, one, many in numbers if number)


def _plain_row(hit: Hit) -> str:
    """What scripts read: place, id, kind, day, score and text, with a tab between them; older ones name the newer."""
    kind = hit.get("tag") or _LETTERS.get(hit["group"], "")
    said = [printed_place(hit), hit["id"] or "", kind, hit["learned"] or "", f"{hit['score']:.2f}", str(hit["text"])]
    more = filter(None, [relation_of(hit), hit["became"], f"said {hit['said']}" if hit["said"] else "", hit["folded"]])
    return "\t".join([*(styled(" ".join(part.split())) for part in said), *([styled("; ".join(more))])]).rstrip()


def _print_groups(hits: Sequence[Hit], *, ids: bool, explain: bool) -> None:
    """The hits, each older one folded into the newer that stands among them."""
    by_id = {hit["id"]: hit for hit in hits if hit["id"]}
    older = {hit["id"]: hit["superseded_by"] for hit in hits if hit["id"] and hit["superseded_by"] in by_id}
    shown = [hit for hit in hits if hit["id"] not in older]
    for group, found in groupby(shown, key=lambda hit: str(hit["group"])):
        say(f"\n  {styled(_(_TITLES[group]), 'bold')}" if group in _TITLES else "")
        for hit in found:
            glyph = _GLYPHS.get(hit.get("tag") or group if group == "bank" else group, "·")
            say(f"  {glyph} {marked_text(hit)}")
            was = [_was(by_id[old], hit) for old, new in older.items() if new == hit["id"]]
            if not was and hit["superseded_by"]:
                was = [_("older: a newer memory replaces it")]
            against = [_quoted(by_id.get(other), other) for other in hit["contradicts"]]
            said = _(f"said {hit['said']}") if hit["said"] and not was else ""
            where = [
                _short_place(hit),
                hit["when"].partition(", ")[2] or hit["when"],
                f"^{hit['id']}" if ids and hit["id"] else "",
            ]
            told = [
                *was,
                *(_(f"contradicts {one}") for one in against),
                said,
                hit["folded"],
                _(hit["became"] or ""),
            ]
            line = "   ".join(filter(None, ["; ".join(filter(None, told)), " · ".join(filter(None, where))]))
            say(f"    {styled(line, 'dim')}")
            if explain:
                parts = "  ".join(f"{_(name)} {part:.3f}" for name, part in hit["parts"].items())
                say(f"    {styled(_('score'), 'dim')} {hit['score']:.2f}  {styled(parts, 'dim')}")


def _was(old: Hit, new: Hit) -> str:
    """What the older memory said, in short: the words that differ, and the day until which it held."""
    before, after = str(old["text"]).split(), str(new["text"]).split()
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    value = " ".join(before).rstrip(".,;") if 0 < len(before) <= 5 else f"“{' '.join(str(old['text']).split())}”"
    return _(f"was {value} until {new['learned']}" if new["learned"] else f"was {value}")


def _quoted(hit: Hit | None, id_: str) -> str:
    return f"“{shortened(str(hit['text']), 50)}”" if hit else id_


def _short_place(hit: Hit) -> str:
    """The place of a hit in short, `patterns/workflows:8`; the bank goes before it if several were asked."""
    path = str(hit["short"]).removeprefix("bank/").removesuffix(".md")
    bank = f"{hit['bank']}: " if hit.get("bank") else ""
    return f"{bank}{path}" + ("" if hit["line"] is None else f":{hit['line']}")


def _print_by_page(hits: Sequence[Hit], *, ids: bool) -> None:
    order = {path: place for place, path in reversed(list(enumerate(hit["path"] for hit in hits)))}
    for path, group in groupby(sorted(hits, key=lambda hit: order[hit["path"]]), key=lambda hit: str(hit["path"])):
        say(styled(path, "cyan", "bold"))
        for hit in group:
            facts = [
                hit["when"],
                f"^{hit['id']}" if ids and hit["id"] else "",
                _(relation_of(hit)),
                _(hit["became"] or ""),
            ]
            after = styled("  ".join(filter(None, facts)), "dim")
            say("  ".join(["", styled(str(hit["line"]), "dim"), marked_text(hit), after]).rstrip())


def tell_left_off(answer: Mapping[str, Any]) -> str:
    """How many more memories there are of the days that were asked about; empty for none."""
    return _(f"{more} more of these days; -n 0 shows up to a hundred") if (more := answer["left_off"]) else ""


def printed_place(hit: Hit) -> str:
    """Where it stands: `path:line`, or the path alone."""
    return str(hit["path"]) if hit["line"] is None else f"{hit['path']}:{hit['line']}"


def marked_text(hit: Hit) -> str:
    """The text on one line, made safe, with the words of the query in bold on a terminal."""
    text, pieces, at = str(hit["text"]), [], 0
    for start, end in hit["marks"]:
        pieces += [styled(text[at:start].replace("\n", " ")), styled(text[start:end], "bold")]
        at = end
    return "".join(pieces) + styled(text[at:].replace("\n", " "))
