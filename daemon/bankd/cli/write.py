"""`bankctl add`, `edit`, `init`, `adopt`, `feedback`, `export`, `backup` and `restore`: what a person puts in and takes out."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from bankd.cli import find_workspace, open_named
from bankd.cli.base import bare_id
from bankd.cli.printing import Outcome, padded, say, say_json, styled
from bankd.errors import UsageError, UserError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bankd.app.init import Adoption


def add_command(arguments: Namespace) -> Outcome:
    """Append a Retain line to today's log; several texts in quotes are a line each."""
    from bankd.memory.retain import retain_line
    from bankd.wiring.workspace import add_line

    are_lines = len(arguments.text) > 1 and all(" " in text for text in arguments.text)  # each in quotes
    if are_lines and arguments.replaces:
        raise UsageError("--replaces goes with one line")
    texts = arguments.text if are_lines else [" ".join(arguments.text)]
    lines = [retain_line(text, arguments.tag, replaces=arguments.replaces) for text in texts]
    root = find_workspace(arguments.workspace)
    places = [add_line(root, line)[0] for line in lines]
    whole = [{"log": place.log, "line": place.line, "text": text} for place, text in zip(places, lines, strict=True)]
    said = [_(f"{place}: remembered at the next run (or now: bankctl cycle micro)") for place in places]
    return Outcome({**whole[0], **({"added": whole} if are_lines else {})}, *said)


def edit_command(arguments: Namespace) -> Outcome:
    """Open $VISUAL or $EDITOR at the line; the next run reads what was saved."""
    from bankd.app.show import editor_command, locate

    with open_named(arguments, write=False) as workspace:
        path, line = locate(workspace, bare_id(arguments.what))
        root = workspace.root
    place = f"{path}:{line}"
    if arguments.prints or arguments.json:
        return Outcome({"path": path, "line": line}, styled(place))
    words = editor_command(os.environ, str(root / path), line)
    try:
        code = subprocess.run(words, check=False).returncode  # noqa: S603 -- the user's own editor
    except OSError as error:
        raise UserError(f"{words[0]}: {error.strerror}; $EDITOR names the editor, and the line is {place}") from error
    return Outcome({}, _(f"{styled(place, 'bold')}: the next run reads what was saved"), code=code)


def init_command(arguments: Namespace) -> Outcome:
    """Make a workspace from the template; existing files are not touched."""
    from bankd.app.init import machine_zone, make_workspace
    from bankd.wiring.probing import find_installation

    root = Path(arguments.workspace or arguments.folder).expanduser().absolute()
    zone = machine_zone()
    made = make_workspace(root, zone=zone)
    files = counted(len(made), "file")
    return Outcome(
        {"workspace": str(root), "made": made},
        _(f"{styled(str(root), 'bold')}: {files} made" if made else f"{root}: is a workspace already"),
        _(f"Its time zone is {zone}, that of this computer; it stands in bankd.yaml.") if "bankd.yaml" in made else "",
        _("Next: put daily logs into memory/, or add a line yourself:"),
        styled(f'  cd {quote(str(root))} && bankctl add "S: 가치관: 정직을 최우선으로 한다." && bankctl cycle micro'),
        _("To have new lines taken in automatically:"),
        styled(f"  {_(find_installation(root).how_to_start())}"),
    )


def adopt_command(arguments: Namespace) -> Outcome:
    """Say what will be read and written, then make the workspace."""
    from bankd.app.init import Adopted, adopt_folder, machine_zone, plan_adoption

    folder, root = (Path(given).expanduser().resolve() for given in (arguments.folder, arguments.workspace_folder))
    adoption = plan_adoption(folder, root, is_copy=arguments.copy)
    if not arguments.json:
        say("\n".join(_plan_lines(adoption)))
    adopted = Adopted([], ()) if arguments.dry_run else adopt_folder(adoption)
    counts = {"pages": len(adoption.parts.get("bank", ())), "logs": len(adoption.parts.get("memory", ()))}
    left_out = [{"why": why, "files": names} for why, names in adoption.left_out.items()]
    whole = {"workspace": str(root), "folder": str(folder), **counts, "left_out": left_out}
    differs = "existing copies that differ from their source"
    if len(adopted.kept) == 1:
        differs = "existing copy that differs from its source"
    return Outcome(
        {**whole, "made": adopted.made, "kept": adopted.kept},
        _labelled("kept", _files(adopted.kept, differs)) if adopted.kept else "",
        _("Nothing was written.")
        if arguments.dry_run
        else _(f"Made {root}, in time zone {machine_zone()}. Next: cd there, and bankctl cycle micro"),
    )


def _plan_lines(adoption: Adoption) -> Iterator[str]:
    root, is_bank_here = str(adoption.root), "bank" in adoption.parts
    for becomes, files in adoption.parts.items():
        source, target = styled(str(adoption.source(becomes))), styled(str(adoption.root / becomes))
        below = _(f"{counted(len(files), 'Markdown file')} below {source}")
        how = _(f"copied to {target}") if adoption.is_copy else _("used where they are")
        yield _labelled("reads", f"{below}, {how}: {_('logs' if becomes == 'memory' else 'pages')}")
    if is_bank_here and not adoption.is_copy:
        yield _labelled("writes", _("new memories on the pages that routing.yaml names, and _meta/ beside them;"))
        yield _labelled("", _("links in pages follow when a page is moved or split with bankctl"))
    else:
        yield _labelled("writes", _(f"nothing there: memories from the logs go to pages in {styled(root)}"))
    for why, names in adoption.left_out.items():
        yield _labelled("leaves", _files(names, why))
    if adoption.left_out and not adoption.is_copy and not is_bank_here:
        command = f"bankctl adopt {quote(str(adoption.folder))} {quote(root)} --copy"
        yield _labelled("", _(f"to have all Markdown: {command}"))
    pages = counted(adoption.large, "large page stays", "large pages stay")
    whole = "; " + _(f"{pages} whole (split.pages: own)") if adoption.large else ""
    yield _labelled("never", _("hidden folders, or a line that you wrote") + whole)


def _labelled(label: str, text: str) -> str:
    return f"{styled(padded(_(label) if label else '', 7), 'bold')} {text}"


def _files(names: Sequence[str], what: str) -> str:
    """How many files, what they are, and the first twenty names: a vault may have hundreds of pictures."""
    more = ", " + _(f"and {len(names) - 20} more (--json names them)") if len(names) > 20 else ""
    return f"{len(names)} {_(what)}: {', '.join(map(styled, names[:20]))}{more}"


def feedback_command(arguments: Namespace) -> Outcome:
    """Note which memories were useful, or say what would be noted; exit code 1 when an id is unknown."""
    from bankd.app.show import give_feedback, judge_answers

    response, ids = arguments.from_response, tuple(arguments.ids)
    if arguments.what == "importance":
        return _importance(arguments)
    if bool(response) == bool(ids):
        raise UsageError("usage: bankctl feedback used|ignored ID..., or bankctl feedback --from-response FILE")
    text = _read(response) if response else ""
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        if response:
            judged = judge_answers(workspace, text)
            used, ignored = judged.used, judged.ignored
        else:
            used, ignored = (ids, ()) if arguments.what == "used" else ((), ids)
        said = give_feedback(workspace, used, ignored)
    kinds = ("used", said.used), ("ignored", said.ignored), ("unknown", said.unknown)
    lines = [f"{_(what)}  {styled(id_, 'bold')}" for what, ids in kinds for id_ in ids]
    last = _("nothing was written") if arguments.dry_run else ""
    if not (said.used or said.ignored):
        last = _("no answer of the last hour has such a memory; to name memories: bankctl feedback used ID...")
    return Outcome({**asdict(said), "noted": not arguments.dry_run}, *lines, last, code=1 if said.unknown else 0)


def _importance(arguments: Namespace) -> Outcome:
    from bankd.app.show import set_importance

    is_dry, words = arguments.dry_run, arguments.ids
    if len(words) != 2 or words[1] not in {str(value) for value in range(1, 11)}:
        raise UsageError("usage: bankctl feedback importance ID 1-10")
    id_, value = words[0], int(words[1])
    with open_named(arguments, write=not is_dry) as workspace:
        set_importance(workspace, id_, value)
    name = styled(id_, "bold")
    said = _(f"{name} would have importance {value}" if is_dry else f"{name} has importance {value}")
    whole = {"id": id_, "importance": value, "noted": not is_dry}
    return Outcome(whole, said, _("nothing was written") if is_dry else "")


def _read(file: str) -> str:
    try:
        return (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode("utf-8", "replace")
    except OSError as problem:
        raise UserError(f"{file}: {problem.strerror or problem}") from problem


def export_command(arguments: Namespace) -> Outcome | int:
    """Print or write all memories."""
    from bankd.app.copies import export_markdown, export_memories
    from bankd.pages.text import to_json

    with open_named(arguments, write=False) as workspace:
        if arguments.markdown:
            text = export_markdown(workspace)
        else:
            rows = export_memories(workspace)
            if not arguments.file:
                for row in rows:
                    say_json(row)
                return 0
            text = "".join(f"{to_json(row)}\n" for row in rows)
    if not arguments.file:
        sys.stdout.write(text)
        return 0
    try:
        with Path(arguments.file).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"{arguments.file}: is there already; name a new file") from None
    say(_(f"written: {styled(arguments.file, 'bold')}"))
    return 0


def backup_command(arguments: Namespace) -> Outcome:
    """Save pages, logs, archive, events and settings in one file; 3 when a file could not be read."""
    from bankd.app.copies import write_backup

    with open_named(arguments, write=True) as workspace:  # so that no run changes it meanwhile
        name = arguments.file or f"{workspace.root.name}-{workspace.now:%Y-%m-%d}.tar.gz"
        done = write_backup(workspace.root, Path(name).expanduser().absolute())
    size = f"{done.bytes / 1_000_000:,.2f} MB"
    return Outcome(
        done._asdict(),
        *(styled(_(f"! {one}; not in the backup"), "red") for one in done.unread),
        _(f"{styled(done.path, 'bold')}: {counted(done.files, 'file')}, {size} before packing"),
        _(f"to have it back: bankctl restore {quote(done.path)} DIR"),
        code=3 if done.unread else 0,
    )


def restore_command(arguments: Namespace) -> Outcome:
    """Unpack a backup, then check that the bank is complete; 3 when it is not."""
    from bankd.app.copies import restore_backup, verify_workspace
    from bankd.wiring.workspace import open_workspace

    root = Path(arguments.folder).expanduser().absolute()
    done = restore_backup(Path(arguments.file).expanduser().absolute(), root)
    with open_workspace(find_workspace(str(root)), None, write=False) as workspace:
        verdict = verify_workspace(workspace)
    found = counted(len(verdict.findings), "finding") if verdict.findings else _("all promises hold")
    elsewhere = _(f"{', '.join(done.folders)} stood elsewhere and is now in the workspace: folders in bankd.yaml")
    return Outcome(
        {"workspace": str(root), "files": done.files, "ok": not verdict.findings, "moved_in": done.folders},
        _(f"{styled(str(root), 'bold')}: {counted(done.files, 'file')} restored")
        + f"; {counted(verdict.memories, 'memory', 'memories')}: {found}",
        styled(elsewhere, "yellow") if done.folders else "",
        _(f"Next: cd {quote(str(root))} && bankctl doctor"),
        code=3 if verdict.findings else 0,
    )
