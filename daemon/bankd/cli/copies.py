"""`bankctl export`, `backup` and `restore`: a bank as one file, and back."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from shlex import quote

from bankd.cli.location import find_workspace, open_named
from bankd.cli.printing import say_answer, say_json, styled
from bankd.errors import UserError
from bankd.translate import counted
from bankd.translate import translate as _


def export_command(arguments: Namespace) -> int:
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
    return say_answer({}, _(f"written: {styled(arguments.file, 'bold')}"), as_json=False)


def backup_command(arguments: Namespace) -> int:
    """Save pages, logs, archive, events and settings in one file; 3 when a file could not be read."""
    from bankd.app.copies import write_backup

    with open_named(arguments, write=True) as workspace:  # so that no run changes it meanwhile
        name = arguments.file or f"{workspace.root.name}-{workspace.now:%Y-%m-%d}.tar.gz"
        done = write_backup(workspace.root, Path(name).expanduser().absolute())
    size = f"{done.bytes / 1_000_000:,.2f} MB"
    say_answer(
        done._asdict(),
        *(styled(_(f"! {one}; not in the backup"), "red") for one in done.unread),
        _(f"{styled(done.path, 'bold')}: {counted(done.files, 'file')}, {size} before packing"),
        _(f"to have it back: bankctl restore {quote(done.path)} DIR"),
        as_json=arguments.json,
    )
    return 3 if done.unread else 0


def restore_command(arguments: Namespace) -> int:
    """Unpack a backup, then check that the bank is complete; 3 when it is not."""
    from bankd.app.copies import restore_backup
    from bankd.app.verify import verify_workspace
    from bankd.wiring.workspace import open_workspace

    root = Path(arguments.folder).expanduser().absolute()
    done = restore_backup(Path(arguments.file).expanduser().absolute(), root)
    with open_workspace(find_workspace(str(root)), None, write=False) as workspace:
        verdict = verify_workspace(workspace)
    found = counted(len(verdict.findings), "finding") if verdict.findings else _("all promises hold")
    elsewhere = _(f"{', '.join(done.folders)} stood elsewhere and is now in the workspace: folders in bankd.yaml")
    say_answer(
        {"workspace": str(root), "files": done.files, "ok": not verdict.findings, "moved_in": done.folders},
        _(f"{styled(str(root), 'bold')}: {counted(done.files, 'file')} restored")
        + f"; {counted(verdict.memories, 'memory', 'memories')}: {found}",
        styled(elsewhere, "yellow") if done.folders else "",
        _(f"Next: cd {quote(str(root))} && bankctl doctor"),
        as_json=arguments.json,
    )
    return 3 if verdict.findings else 0
