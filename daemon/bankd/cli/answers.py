"""How answers of search look on paper and on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from bankd.cli.printing import say, styled
from bankd.core.agents.recalled import relation_of

Hit = Mapping[str, Any]
NEAREST = "nearest, maybe about something else"


def print_answer(answer: Mapping[str, Any], roots: Mapping[str, str], *, by_page: bool, explain: bool) -> None:
    """Print the hits of an answer; each begins with `page:line`, which editors and terminals open.

    `roots` is what stands before the paths of each bank by its name, that of an answer of one bank by "".
    """
    if not answer["hits"]:
        say(f"nothing relevant; {NEAREST}:" if answer["nearest"] else "nothing relevant")
    hits = [_located(hit, roots) for hit in answer["hits"] or answer["nearest"]]
    if by_page:
        _print_by_page(hits)
    else:
        for hit in hits:
            _print_hit(hit)
            if explain:
                say("    " + styled("  ".join(f"{name} {part:.3f}" for name, part in hit["parts"].items()), "dim"))
    say_left_off(answer)
    for one in answer["see_also"]:
        _print_beside(_located(one, roots))
    for line in (*_remarks(answer["fresh"]), *(f"{bank}: {why}" for bank, why in answer.get("problems", {}).items())):
        say(styled(line, "yellow"))


def say_left_off(answer: Mapping[str, Any]) -> None:
    """Say how much more there is of the days that were asked about."""
    if more := answer["left_off"]:
        say(styled(f"{more} more of these days; -n 0 shows up to a hundred", "dim"))


def _located(hit: Hit, roots: Mapping[str, str]) -> Hit:
    """A hit with its path as an editor started here opens it."""
    return {**hit, "path": f"{roots[hit.get('bank', '')]}{hit['path']}"}


def _print_hit(hit: Hit) -> None:
    heading = " > ".join(hit["heading"])
    place, score = f"{hit['path']}:{hit['line']}", f"{hit['score']:.2f}"
    parts = [
        styled(place, "cyan"),
        styled(hit.get("bank", ""), "bold"),
        styled(score, "dim"),
        styled(heading),
        styled(hit["when"], "dim"),
        _id_of(hit),
    ]
    said = f"said {hit['said']}" if hit["said"] else ""
    parts += [styled(said, "dim"), styled(hit["folded"], "dim")]
    say("  ".join(part for part in parts if part))
    say(f"    {marked_text(hit)}")
    if hit["became"]:
        say(f"    {styled(hit['became'], 'dim')}")


def _print_by_page(hits: Sequence[Hit]) -> None:
    order = {path: place for place, path in reversed(list(enumerate(hit["path"] for hit in hits)))}
    for path, group in groupby(sorted(hits, key=lambda hit: order[hit["path"]]), key=lambda hit: str(hit["path"])):
        say(styled(path, "cyan", "bold"))
        for hit in group:
            became = f"({hit['became']})" if hit["became"] else ""
            after = [styled(hit["when"], "dim"), _id_of(hit), styled(became, "dim")]
            say("  ".join(["", styled(str(hit["line"]), "dim"), marked_text(hit), *after]).rstrip())


def _print_beside(one: Hit) -> None:
    """What belongs to the answer, on one line, with the tie."""
    place = one["path"] if one["line"] is None else f"{one['path']}:{one['line']}"
    step = one["steps"][-1]
    told = styled(f"({step['tie']}, {step['source']})", "dim")
    text = styled(str(one["text"]).replace("\n", " "))
    say("  ".join(part for part in (styled("see also", "dim"), styled(place, "cyan"), text, _id_of(one), told) if part))


def _id_of(hit: Hit) -> str:
    """What `bankctl show` and Obsidian know the memory by; nothing for a line that has no id yet."""
    return styled(f"^{hit['id']}", "dim") if hit["id"] else ""


def marked_text(hit: Hit) -> str:
    """The text on one line, made safe, with the words of the query in bold on a terminal."""
    text, pieces, at = str(hit["text"]), [], 0
    for start, end in hit["marks"]:
        pieces += [styled(text[at:start].replace("\n", " ")), styled(text[start:end], "bold")]
        at = end
    tag = f"{hit['tag']}: " if hit.get("tag") else ""
    if told := relation_of(hit):
        tag = styled(f"[{told}] ", "yellow") + tag
    return tag + "".join(pieces) + styled(text[at:].replace("\n", " "))


def _remarks(fresh: Mapping[str, Any]) -> list[str]:
    remarks = [str(fresh["note"])] if fresh["note"] else []
    if fresh["meaning"] not in {"off", "on"}:
        remarks.append(f"by words; meaning: {fresh['meaning']}")
    if fresh["pending"]:
        remarks.append(f"{fresh['pending']} changed pages are not in the index yet (it is of {fresh['updated']})")
    return remarks
