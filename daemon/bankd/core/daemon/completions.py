"""Completion scripts for bash, zsh and fish: static text, so that a TAB starts no Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """An option; `kind` is `file`, `folder` or empty for what it takes."""

    name: str
    help: str
    takes: bool
    kind: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Completable:
    """A command with its options and the words that may follow it."""

    name: str
    summary: str
    options: tuple[Option, ...]
    words: tuple[str, ...]


def render_completions(shell: str, commands: Sequence[Completable]) -> str:
    """The script for a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def _bash(commands: Sequence[Completable]) -> str:
    lines = ["# bankctl, for bash: source this file, or save it in ~/.local/share/bash-completion/completions/bankctl"]
    lines += ["_bankctl() {", '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" name="" i']
    lines += [
        "  for ((i = 1; i < COMP_CWORD; i++)); do",
        '    case "${COMP_WORDS[i]}" in -*) ;; *) name="${COMP_WORDS[i]}"; break ;; esac',
    ]
    lines += ["  done", '  case "$before" in']
    lines += _bash_values(commands)
    lines += ["  esac", '  case "$name" in']
    for command in commands:
        words = " ".join([*command.words, *(option.name for option in command.options)])
        lines.append(f'    {command.name}) COMPREPLY=($(compgen -W "{words}" -- "$word")) ;;')
    names = " ".join(command.name for command in commands)
    lines += [f'    *) COMPREPLY=($(compgen -W "{names} --help --version" -- "$word")) ;;', "  esac", "}"]
    return "\n".join([*lines, "complete -o default -F _bankctl bankctl"]) + "\n"


def _bash_values(commands: Sequence[Completable]) -> list[str]:
    values: dict[str, str] = {}
    for option in (option for command in commands for option in command.options if option.takes):
        if option.choices:
            values[option.name] = f'compgen -W "{" ".join(option.choices)}" -- "$word"'
        elif option.kind:
            values[option.name] = f'compgen -{"d" if option.kind == "folder" else "f"} -- "$word"'
    return [f"    {name}) COMPREPLY=($({value})); return ;;" for name, value in sorted(values.items())]


def _zsh(commands: Sequence[Completable]) -> str:
    lines = ["#compdef bankctl", "# bankctl, for zsh: save this file as _bankctl in a folder of $fpath", "_bankctl() {"]
    lines += ["  local -a commands", "  commands=("]
    lines += [f"    {_quoted(f'{command.name}:{command.summary}')}" for command in commands]
    lines += ["  )", "  if (( CURRENT == 2 )); then _describe command commands; return; fi", '  case "$words[2]" in']
    for command in commands:
        arguments = [_zsh_option(option) for option in command.options]
        words = f"*:argument:({' '.join(command.words)})" if command.words else "*:argument:_files"
        lines.append(f"    {command.name}) _arguments {' '.join([*arguments, _quoted(words)])} ;;")
    return "\n".join([*lines, "  esac", "}", '_bankctl "$@"']) + "\n"


def _zsh_option(option: Option) -> str:
    text = option.help.replace("[", "(").replace("]", ")").replace(":", "\\:")
    tail = ""
    if option.takes:
        action = (
            f"({' '.join(option.choices)})"
            if option.choices
            else {"file": "_files", "folder": "_files -/"}.get(option.kind, "")
        )
        tail = f":value:{action}"
    return _quoted(f"{option.name}[{text}]{tail}")


def _fish(commands: Sequence[Completable]) -> str:
    lines = ["# bankctl, for fish: save this file as ~/.config/fish/completions/bankctl.fish", "complete -c bankctl -f"]
    for command in commands:
        lines.append(f"complete -c bankctl -n __fish_use_subcommand -a {command.name} -d {_quoted(command.summary)}")
        inside = f"complete -c bankctl -n '__fish_seen_subcommand_from {command.name}'"
        lines += [f"{inside} -a {word}" for word in command.words]
        lines += [f"{inside} {_fish_option(option)}" for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    name = (
        f"-l {option.name.removeprefix('--')}"
        if option.name.startswith("--")
        else f"-s {option.name.removeprefix('-')}"
    )
    takes = (
        f" -x -a '{' '.join(option.choices)}'"
        if option.choices
        else (" -r -F" if option.kind else " -x" if option.takes else "")
    )
    return f"{name}{takes} -d {_quoted(option.help)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
