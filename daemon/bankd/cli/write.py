"""`bankctl add`: one Retain line at the end of today's log.

`bankctl init`: a workspace from the template; nothing that is there already is touched.

`bankctl adopt`: a vault, or the logs of an agent, become a workspace's; what is read and never touched is said first.

`bankctl importance`: how important a memory is, by your word.

`bankctl feedback`: which memories were of use.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from bankd.cli.base import add_dry_run, add_json, add_now
from bankd.cli.location import find_workspace, open_named
from bankd.cli.printing import say, say_answer, styled
from bankd.errors import UsageError, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bankd.app.init import Adoption
    from bankd.app.show import Feedback


def add_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "text", nargs="+", metavar="TEXT", help='what to remember, such as "O(c=0.9) @Peter: Prefers concise replies."'
    )
    parser.add_argument("--tag", choices=["W", "B", "O", "S"], help="the tag, when the text has none (default: W)")
    add_json(parser)


def add_command(arguments: Namespace) -> int:
    """Append the line."""
    from bankd.memory.retain import retain_line
    from bankd.wiring.workspace import add_line

    line = retain_line(" ".join(arguments.text), arguments.tag)
    place = add_line(find_workspace(arguments.workspace), line)
    said = f"{place}: remembered at the next run (or now: bankctl cycle micro)"
    return say_answer({"log": place.log, "line": place.line, "text": line}, said, as_json=arguments.json)


def init_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("folder", nargs="?", default=".", metavar="DIR", help="the workspace to make (default: here)")
    add_json(parser)


def init_command(arguments: Namespace) -> int:
    """Make the workspace."""
    from shlex import quote

    from bankd.app.init import machine_zone, make_workspace
    from bankd.wiring.probing import find_installation

    root = Path(arguments.workspace or arguments.folder).expanduser().absolute()
    made = make_workspace(root, zone=machine_zone())
    return say_answer(
        {"workspace": str(root), "made": made},
        f"{styled(str(root), 'bold')}: {len(made)} files made" if made else f"{root}: everything is there already",
        "Next: put daily logs into memory/, or say something yourself:",
        styled(f'  cd {quote(str(root))} && bankctl add "S: 가치관: 정직을 최우선으로 한다." && bankctl cycle micro'),
        "Then have what is new taken in by itself:",
        styled(f"  {find_installation(root).how_to_start()}"),
        as_json=arguments.json,
    )


_SHOWN = 20
"""Names that are printed of what is left out: a vault may have hundreds of pictures."""


def adopt_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("folder", metavar="DIR", help="a folder of Markdown: a vault, or what has logs in memory/")
    parser.add_argument("workspace_folder", metavar="NEW", help="the workspace to make for it")
    parser.add_argument("--copy", action="store_true", help="copy its Markdown; without, it is used where it is")
    add_dry_run(parser)
    add_json(parser)


def adopt_command(arguments: Namespace) -> int:
    """Say what will be read and written, then make the workspace."""
    from pathlib import Path

    from bankd.app.init import Adopted, adopt_folder, plan_adoption

    folder, root = (Path(given).expanduser().resolve() for given in (arguments.folder, arguments.workspace_folder))
    adoption = plan_adoption(folder, root, is_copy=arguments.copy)
    if not arguments.json:
        _say_plan(adoption)
    adopted = Adopted([], ()) if arguments.dry_run else adopt_folder(adoption)
    counts = {"pages": len(adoption.parts.get("bank", ())), "logs": len(adoption.parts.get("memory", ()))}
    left_out = [{"why": why, "files": names} for why, names in adoption.left_out.items()]
    whole = {"workspace": str(root), "folder": str(folder), **counts, "left_out": left_out}
    return say_answer(
        {**whole, "made": adopted.made, "kept": adopted.kept},
        f"{styled('kept', 'bold')}    {_counted(adopted.kept, 'copies that were there and differ from their source')}"
        if adopted.kept
        else "",
        "Nothing was written." if arguments.dry_run else f"Made {root}. Next: cd there, and bankctl cycle micro",
        as_json=arguments.json,
    )


def _say_plan(adoption: Adoption) -> None:
    how = "copied to {}" if adoption.is_copy else "used where they are"
    label = styled("reads", "bold")
    for becomes, files in adoption.parts.items():
        what = "logs" if becomes == "memory" else "pages"
        place = styled(str(adoption.source(becomes)))
        say(f"{label}   {len(files)} Markdown files below {place}, {how.format(adoption.root / becomes)}: {what}")
        label = "     "
    if "bank" in adoption.parts and not adoption.is_copy:
        say(f"{styled('writes', 'bold')}  new memories on the pages that routing.yaml names, and _meta/ beside them;")
        say("        links in pages follow when a page is moved or split with bankctl")
    else:
        say(
            f"{styled('writes', 'bold')}  nothing there: what the logs say goes to pages in {styled(str(adoption.root))}"
        )
    for why, names in adoption.left_out.items():
        say(f"{styled('leaves', 'bold')}  {_counted(names, why)}")
    if adoption.left_out and not adoption.is_copy and "bank" not in adoption.parts:
        say(
            f"        to have all Markdown: bankctl adopt {quote(str(adoption.folder))} {quote(str(adoption.root))} --copy"
        )
    whole = f"; {adoption.large} large pages stay whole (split.pages: own)" if adoption.large else ""
    say(f"{styled('never', 'bold')}   hidden folders, or a line that you wrote{whole}")


def _counted(names: Sequence[str], what: str) -> str:
    """How many files, what they are, and their names: the first of many, since `--json` has all."""
    more = f", and {len(names) - _SHOWN} more (--json names them)" if len(names) > _SHOWN else ""
    return f"{len(names)} {what}: {', '.join(map(styled, names[:_SHOWN]))}{more}"


def importance_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("id", metavar="ID", help="the memory, such as m-k3fba2xqb7te")
    parser.add_argument(
        "value", metavar="1-10", type=int, choices=range(1, 11), help="10 never grows weak; the last word holds"
    )
    add_dry_run(parser)
    add_now(parser)
    add_json(parser)


def importance_command(arguments: Namespace) -> int:
    """Note it."""
    from bankd.app.show import set_importance

    id_ = arguments.id.removeprefix("^")
    tried = arguments.dry_run
    with open_named(arguments, write=not tried) as workspace:
        set_importance(workspace, id_, arguments.value, dry_run=tried)
    said = f"{styled(id_, 'bold')} {'would have' if tried else 'has'} importance {arguments.value}"
    whole = {"id": id_, "importance": arguments.value, "noted": not tried}
    return say_answer(whole, said, "nothing was written" if tried else "", as_json=arguments.json)


def feedback_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("what", nargs="?", choices=["used", "ignored"], help="what the memories were")
    parser.add_argument("ids", nargs="*", metavar="ID", help="the memories, such as m-k3fba2xqb7te")
    parser.add_argument(
        "--from-response",
        metavar="FILE",
        help="a response (- is standard input): of the last answers, what it says something of was used, the rest ignored",
    )
    add_dry_run(parser)
    add_now(parser)
    add_json(parser)


def feedback_command(arguments: Namespace) -> int:
    """Note it, or say what would be noted; exit code 1 when some ids are known and others not."""
    from bankd.app.show import give_feedback, judge_answers

    response = arguments.from_response
    if bool(response) == bool(arguments.ids):
        raise UsageError("usage: bankctl feedback used|ignored ID..., or bankctl feedback --from-response FILE")
    text = _read(response) if response else ""
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        ids = tuple(id_.removeprefix("^") for id_ in arguments.ids)
        if response:
            judged = judge_answers(workspace, text)
            used, ignored = judged.used, judged.ignored
        else:
            used, ignored = (ids, ()) if arguments.what == "used" else ((), ids)
        said = give_feedback(workspace, used, ignored, dry_run=arguments.dry_run)
    _tell(said, is_noted=not arguments.dry_run, as_json=arguments.json)
    return 1 if said.unknown else 0


def _read(file: str) -> str:
    import sys
    from pathlib import Path

    try:
        return (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode("utf-8", "replace")
    except OSError as problem:
        raise UserError(f"{file}: {problem.strerror or problem}") from problem


def _tell(said: Feedback, *, is_noted: bool, as_json: bool) -> None:
    kinds = ("used", said.used), ("ignored", said.ignored), ("no page holds", said.unknown)
    lines = [f"{what}  {styled(id_, 'bold')}" for what, ids in kinds for id_ in ids]
    last = "" if is_noted else "nothing was written"
    if not (said.used or said.ignored):
        last = "no answer of the last hour names a memory; bankctl feedback used ID... names them"
    say_answer({**asdict(said), "noted": is_noted}, *lines, last, as_json=as_json)
