"""Agents' own programs as a language model: Claude Code, Codex and Gemini CLI, run once for a prompt in an empty folder.

Each runs with its tools, hooks, plugins and servers off, as far as it has a switch for them, so that ours cannot call
themselves; who is signed in stays the user's. How Claude Code and Codex behave was seen by running them; Gemini CLI is run
as its documentation says.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.settings import DistilPolicy
from bankd.system.command import CommandStoppedError, Ran, run_command
from bankd.workers.wire import LONGEST_ANSWER, Ask, Question, Said, WireError

_MODELS = {"claude": "haiku"}
"""The model where the settings name none; the other programs choose one themselves."""
_PLACES = (".local/bin", ".claude/local", ".npm-global/bin", "bin", ".bun/bin", ".volta/bin")
"""Folders below the home of the user where programs are put, which the path of a service does not have."""
_SIGNED_IN: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "claude": (
        (".claude/.credentials.json",),
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"),
    ),
    "codex": ((".codex/auth.json",), ("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME")),
    "gemini": ((".gemini/oauth_creds.json",), ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT")),
}  # fmt: skip
"""For each program: files below the user's home and environment variables; one of them exists if somebody is signed in."""
PROGRAMS = tuple(_SIGNED_IN)
_CODEX_OFF = (
    *(f"features.{name}=false" for name in (
        "shell_tool", "unified_exec", "multi_agent", "goals", "hooks", "plugins", "apps", "view_image", "image_generation",
        "sleep_tool",
    )),
    'web_search="disabled"', "skills.bundled.enabled=false", "include_permissions_instructions=false",
    "include_environment_context=false", "include_apps_instructions=false",
)  # fmt: skip
"""Settings that stop Codex from sending tools, skills and instructions with our text: some 9,000 tokens a call."""
_GEMINI_OFF = {
    "tools": {"core": []},
    "mcp": {"allowed": []},
    "hooksConfig": {"enabled": False},
    "context": {"fileName": "none"},
}


class Arguments(NamedTuple):
    """How a program is run: its arguments, what it reads from standard input, and environment variables of ours."""

    words: list[str]
    given: str
    variables: Mapping[str, str] = {}


def find_agent(settings: DistilPolicy) -> str | None:
    """The path of the program that the settings name; None if it is not installed."""
    named = settings.command or settings.provider
    if found := shutil.which(named):
        return os.path.abspath(found)  # noqa: PTH100 -- a link may be followed only by who is run by that name
    versions = sorted(Path.home().glob(".nvm/versions/node/*/bin"), reverse=True)
    places = os.pathsep.join(map(str, (*(Path.home() / place for place in _PLACES), *versions, "/opt/homebrew/bin")))
    return shutil.which(named, path=places)


def why_unusable(settings: DistilPolicy) -> str:
    """Why the program of the settings cannot be used, as far as known without running it; empty if it can."""
    if settings.provider not in PROGRAMS:
        return ""
    if find_agent(settings) is None:
        return f"the program {settings.command or settings.provider} is not there"
    files, variables = _SIGNED_IN[settings.provider]
    if any((Path.home() / file).exists() for file in files) or any(map(os.environ.get, variables)):
        return ""
    return f"nobody seems to be signed in to {settings.provider}: there is no ~/{files[0]} and no {variables[0]}"


def open_program(settings: DistilPolicy, _key: str) -> Ask:
    """The wire to the program that the settings name; WireError if it is not there."""
    program = find_agent(settings)
    if program is None:
        raise WireError("closed", why_unusable(settings))
    prepare, read = _WIRES[settings.provider]

    def ask(question: Question) -> Said:
        with TemporaryDirectory(prefix="bankd-asks-") as folder:
            own = prepare(question, settings.model or _MODELS.get(settings.provider, ""), Path(folder))
            # A program of Node finds it beside itself; TERM, colours and a debugger of the user have no place here.
            path = os.pathsep.join((str(Path(program).parent), os.environ.get("PATH", "")))
            variables = {**os.environ, "PATH": path, "NO_COLOR": "1", **own.variables}
            try:
                ran = run_command(
                    [program, *own.words], own.given.encode(), settings.seconds, LONGEST_ANSWER, folder, variables
                )
            except CommandStoppedError as error:
                kind = "declined" if error.is_too_long else "silent"
                raise WireError(kind, f"{settings.provider}: {error}") from error
            except OSError as error:
                raise WireError("closed", f"{program} cannot be started: {error.strerror}") from error
            return read(ran, Path(folder))

    return ask


def _text_of(question: Question) -> str:
    """The text of a question; if an answer could not be used, that and why behind it."""
    first, *again = question.turns()
    return "\n\n".join([first["content"], *(f"[{turn['role']}]\n{turn['content']}" for turn in again)])


def _for_claude(question: Question, model: str, _folder: Path) -> Arguments:
    words = ["-p", "--safe-mode", "--tools", "", "--no-session-persistence", "--output-format", "json"]
    words += ["--model", model, "--system-prompt", question.system, "--json-schema", json.dumps(question.schema)]
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    return Arguments(words, _text_of(question), quiet)


def _from_claude(ran: Ran, _folder: Path) -> Said:
    told = _object_in(ran.output) or {}
    if ran.code or told.get("is_error") or not told:
        _fail("claude", ran, str(told.get("result") or ""))
    usage = told.get("usage") or {}
    sent = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    tokens = sum(int(usage.get(name) or 0) for name in sent), int(usage.get("output_tokens") or 0)
    structured = told.get("structured_output")
    text = json.dumps(structured) if structured is not None else str(told.get("result") or "")
    return Said(text, tokens, cost=float(told.get("total_cost_usd") or 0))


def _for_codex(question: Question, model: str, folder: Path) -> Arguments:
    (folder / "schema.json").write_text(json.dumps(question.schema), "utf-8")
    (folder / "system.md").write_text(question.system, "utf-8")
    (folder / "empty").mkdir()
    words = ["exec", "--ephemeral", "--ignore-user-config", "--skip-git-repo-check", "-s", "read-only", "--json"]
    words += ["-C", str(folder / "empty"), "--output-schema", str(folder / "schema.json"), "-o", str(folder / "answer")]
    own = (f"model_instructions_file={json.dumps(str(folder / 'system.md'))}", *_CODEX_OFF)
    words += [word for setting in own for word in ("-c", setting)]
    return Arguments([*words, *(("-m", model) if model else ()), "-"], _text_of(question))


def _from_codex(ran: Ran, folder: Path) -> Said:
    answer = folder / "answer"
    events = [event for line in ran.output.splitlines() if (event := _object_in(line))]
    if ran.code or not answer.exists():
        failures = (event.get("error") or event for event in events if event.get("type") in {"turn.failed", "error"})
        _fail("codex", ran, next((str(one.get("message", "")) for one in failures if isinstance(one, dict)), ""))
    ends = [event["usage"] for event in events if isinstance(event.get("usage"), dict)]
    tokens = (_sum(ends, "input_tokens"), _sum(ends, "output_tokens")) if ends else None
    return Said(answer.read_text("utf-8", "replace"), tokens)


def _for_gemini(question: Question, model: str, folder: Path) -> Arguments:
    (folder / "settings.json").write_text(json.dumps(_GEMINI_OFF), "utf-8")
    (folder / "system.md").write_text(question.system, "utf-8")
    form = f"Answer with one JSON object by this JSON schema, and with nothing else:\n{json.dumps(question.schema)}"
    words = ["--output-format", "json", "-e", "none", *(("-m", model) if model else ()), "-p", form]
    own = {
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(folder / "settings.json"),
        "GEMINI_SYSTEM_MD": str(folder / "system.md"),
    }
    return Arguments(words, _text_of(question), own)


def _from_gemini(ran: Ran, _folder: Path) -> Said:
    told = _object_in(ran.output) or {}
    error = told.get("error")
    if ran.code or error or "response" not in told:
        _fail("gemini", ran, str(error.get("message", "")) if isinstance(error, dict) else "")
    stats = told.get("stats")
    models = stats.get("models") if isinstance(stats, dict) else None
    counted = [one["tokens"] for one in models.values() if isinstance(one, dict) and isinstance(one.get("tokens"), dict)] if isinstance(models, dict) else []  # fmt: skip
    tokens = (_sum(counted, "prompt"), _sum(counted, "total") - _sum(counted, "prompt")) if counted else None
    return Said(str(told["response"]), tokens)


_WIRES: Mapping[
    str, tuple[Callable[[Question, str, Path], Arguments], Callable[[Ran, Path], Said]]
] = {
    "claude": (_for_claude, _from_claude),
    "codex": (_for_codex, _from_codex),
    "gemini": (_for_gemini, _from_gemini),
}  # fmt: skip


def _sum(rows: Iterable[Mapping[str, Any]], name: str) -> int:
    return sum(int(row.get(name) or 0) for row in rows)


def _object_in(output: bytes) -> dict[str, Any] | None:
    """The JSON object of an output, which may have lines of a program before it; None if there is none."""
    try:
        found = json.loads(output[max(0, output.find(b"{")) :])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _fail(name: str, ran: Ran, told: str) -> None:
    """Raise a WireError with the program's message; no retry if somebody has to sign in or pay."""
    said = told.strip() or ran.said.decode(errors="replace").strip()
    last = (said.splitlines() or [f"it ended with {ran.code}"])[-1][:200]
    is_closed = any(word in said.casefold() for word in ("log in", "login", "api key", "sign in", "auth", "credit"))
    is_busy = any(word in said.casefold() for word in ("rate limit", "usage limit", "overloaded", "429"))
    raise WireError("busy" if is_busy else "closed" if is_closed else "failing", f"{name}: {last}", 1.0)
