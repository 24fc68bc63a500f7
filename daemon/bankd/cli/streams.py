"""The standard streams of a process: those that the shell closed, and those of a locale that is not UTF-8."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` would cost a search more than this module
if TYPE_CHECKING:
    from typing import NoReturn


def take_streams() -> None:
    """Make the streams safe to write to, and start again in UTF-8 where file names would be read as something else."""
    for name, errors in (("stdin", "replace"), ("stdout", "backslashreplace"), ("stderr", "backslashreplace")):
        stream = getattr(sys, name)
        if stream is None:  # closed by who called us: nobody listens
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115, PTH123  lives as long as we do
        else:
            stream.reconfigure(errors=errors)
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        _start_again_in_utf8()


def write_json(value: object) -> None:
    """Print a value as JSON on one line, in escapes where the encoding of the terminal has no letters for it."""
    from bankd.core.markdown.utf8 import to_json

    line = to_json(value)
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        import json

        line = json.dumps(json.loads(line))
    sys.stdout.write(line + "\n")


def leave(code: int) -> NoReturn:
    """End the process once all is printed; taking the interpreter apart costs a search a twelfth of its time, a long run more."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _start_again_in_utf8() -> None:
    """What is printed keeps the encoding of the terminal; names and words from the outside are UTF-8 from here on."""
    spoken = os.environ.get("PYTHONIOENCODING") or f"{sys.stdout.encoding}:backslashreplace"
    words = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    in_utf8 = [word.encode("utf-8", "surrogateescape") for word in words]
    os.execve(sys.executable, in_utf8, {**os.environ, "PYTHONIOENCODING": spoken})  # noqa: S606  ourselves, no shell
