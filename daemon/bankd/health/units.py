"""The text of systemd units: filling in the shipped ones, and quoting as systemd.syntax(7) and systemd.service(5) want."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

_PLAIN = re.compile(r"[A-Za-z0-9_@.,:+=/-]+")
_INSTANCE = re.compile(r"[a-z_][a-z0-9_-]{0,30}")


@dataclass(frozen=True, slots=True)
class UnitState:
    """What systemd says of a unit; all empty if there is no systemd."""

    load: str = ""
    active: str = ""
    sub: str = ""
    enabled: str = ""
    restarts: str = ""
    result: str = ""
    text: str = ""


def fill_unit(text: str, *, bankd: str, workspace: str, written: str) -> str:
    """A shipped unit with the program, the workspace and the folder it may write in the place of `@bankd@` and so on."""
    lines = []
    for line in text.splitlines():
        quote = quote_word if line.startswith("ExecStart=") else quote_path
        for name, value in (("@bankd@", bankd), ("@workspace@", workspace), ("@written@", written)):
            line = line.replace(name, quote(value))  # noqa: PLW2901 -- three of them in turn
        lines.append(line)
    return "\n".join(lines) + "\n"


_NETWORK = {
    "PrivateNetwork=yes": "PrivateNetwork=no",
    "RestrictAddressFamilies=AF_UNIX": "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "IPAddressDeny=any": "IPAddressDeny=",
    "MemoryDenyWriteExecute=yes": "MemoryDenyWriteExecute=no",
}
"""What shuts the network out of a unit, and what lets it in; AF_NETLINK is how names of hosts are looked up. The programs of
agents that may stand for a model compile as they run."""
_AGENTS = {
    "ProtectSystem=strict": "ProtectSystem=strict\nReadWritePaths=-%h/.claude -%h/.claude.json -%h/.codex -%h/.gemini"
}
"""What the programs of agents write, each for itself; a dash: where it is there."""
_SHUT = re.compile(r"^# (?:No network|Network: none).*", re.MULTILINE)


def with_network(unit: str) -> str:
    """A unit whose service may use the network, which only a model of somebody else's process needs."""
    lines = [(_NETWORK | _AGENTS).get(line, line) for line in unit.splitlines()]
    return _SHUT.sub("# The network, for the model that bankd.yaml names.", "\n".join(lines)) + "\n"


def written_folder(workspace: str, elsewhere: Sequence[str]) -> str:
    """The one folder that a unit may write: the workspace, or the nearest that also holds its linked folders.

    One, since each that systemd lets be written is a mount of its own, and no file can be swapped between two mounts.
    """
    return posixpath.commonpath([workspace, *elsewhere])


def instance_drop_in(*, workspace: str, written: str, binds: tuple[str, ...], is_online: bool = False) -> str:
    """What an instance of the template needs for a workspace elsewhere; `binds` are program folders below homes."""
    environment = quote_path(f"BANKD_WORKSPACE={workspace}")
    lines = ["# Written by `bankctl service install --system`.", "[Service]", f"Environment={environment}"]
    # Homes are hidden in the unit, so what is needed from them is mounted back, and only that.
    lines += [f"BindReadOnlyPaths={quote_path(path)}" for path in binds]
    lines += ["ReadWritePaths="]  # the template's own would be a mount inside of this one
    lines += _NETWORK.values() if is_online else ()
    kind = "BindPaths" if is_below_homes(written) else "ReadWritePaths"
    return "\n".join([*lines, f"{kind}={quote_path(written)}"]) + "\n"


def start_by_hand(*, programs: str, workspace: str, has_cron: bool) -> str:
    """How to have the work done where no service manager does it; `programs` is the folder of bankd and bankctl."""
    place = shlex.quote(workspace)
    foreground = f"{shlex.quote(f'{programs}/bankd')} --workspace {place}   # and leave it running"
    # In a crontab a percent sign ends the command.
    line = f"{shlex.quote(f'{programs}/bankctl')} --workspace {place} cycle reflect".replace("%", r"\%")
    return f"{foreground}; or by cron: 0 3 * * * {line}" if has_cron else foreground


def is_below_homes(path: str) -> bool:
    """Whether `ProtectHome=` hides the path."""
    return path.startswith(("/home/", "/root/", "/run/user/"))


def is_instance_name(name: str) -> bool:
    """Whether a name can be a user and the instance of a unit without any escaping."""
    return _INSTANCE.fullmatch(name) is not None


def quote_path(path: str) -> str:
    """A path or assignment as a list setting wants it: specifiers doubled, quoted when it is not plain."""
    escaped = path.replace("%", "%%")
    if _PLAIN.fullmatch(escaped):
        return escaped
    return '"' + escaped.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def quote_word(word: str) -> str:
    """A word of a command line: there `$` would begin a variable as well."""
    return quote_path(word.replace("$", "$$"))
