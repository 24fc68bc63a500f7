"""The process that asks a language model: one JSON request per line, one answer per line, until its master goes.

    {"system": …, "text": …, "schema": …, "most_tokens": 2000}  →  {"value": …, "tokens": [812, 90]}
                                                                →  {"invalid": "why", "text": "…", "tokens": …}
                                                                →  {"problem": "why", "kind": "busy", "after": 3}

The wires are OpenAI's chat completions, Anthropic's messages, a command, and agents' own programs: Claude Code, Codex and
Gemini CLI, run once for a prompt in an empty folder. Those run with their tools, hooks, plugins and servers off, as far as they
have a switch for them, so that ours cannot call themselves; who is signed in stays the user's. How Claude Code and Codex behave
was seen by running them; Gemini CLI is run as its documentation says. Each is asked once: whether to ask again is decided in
`models`. Only this process loads the clients and the validator.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.settings import DistilPolicy
from bankd.system.child import CommandStoppedError, Ran, end_commands, run_command, serve_master

LONGEST_ANSWER = 1 << 20
"""Bytes of an answer at most; real answers are some thousands, and a command that prints more gives none."""


class Question(NamedTuple):
    """A prompt as it is sent: with `again`, the answer that could not be used and why."""

    system: str
    text: str
    schema: Mapping[str, object]
    most_tokens: int
    again: tuple[str, str] | None = None

    def turns(self) -> list[dict[str, str]]:
        """The text, and with `again` the last answer and what is wrong with it."""
        turns = [{"role": "user", "content": self.text}]
        if self.again:
            turns.append({"role": "assistant", "content": self.again[0] or "{}"})
            turns.append({"role": "user", "content": f"That cannot be used: {self.again[1]}. Answer again, as JSON."})
        return turns


class Said(NamedTuple):
    """An answer: the text, its tokens if the server reports them, and whether it was cut off or refused."""

    text: str
    tokens: tuple[int, int] | None = None
    is_cut: bool = False
    is_refused: bool = False
    cost: float = 0.0
    """The cost in US dollars, if reported."""


class WireError(Exception):
    """Why no answer came: `kind` is busy, failing, silent, declined or closed (do not retry); `after` is seconds to wait."""

    def __init__(self, kind: str, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.kind, self.after = kind, after


Ask = Callable[[Question], Said]


INSTALL = {
    "openai": "its client is not installed; pip install 'bankd[model]'",
    "anthropic": "its client is not installed; pip install 'bankd[anthropic]'",
    "command": "jsonschema is not installed; pip install 'bankd[model]'",
}
_FENCED = re.compile(r"\s*```(?:json)?\s*(.*?)```\s*", re.DOTALL)


def main() -> None:
    """Answer until the master is gone."""
    process = ModelProcess(DistilPolicy(*json.loads(sys.argv[1])))
    serve_master(lambda request, _: process.answer(request), end_commands)


class ModelProcess:
    """Answers requests; the client is loaded by the first."""

    def __init__(self, settings: DistilPolicy) -> None:
        """Take the settings, which name the model."""
        self._settings = settings
        self._wire: Ask | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request; an error is an answer too."""
        try:
            self._wire = self._wire or open_wire(self._settings)
            again = request.get("again")
            question = Question(**request | {"again": tuple(again) if again else None})
            return _judge(self._wire(question), question)
        except ImportError:
            return {"problem": INSTALL.get(self._settings.provider, INSTALL["command"]), "kind": "closed"}
        except WireError as error:
            return {"problem": str(error), "kind": error.kind, "after": error.after}
        except Exception as problem:
            return {"problem": f"{type(problem).__name__}: {problem}", "kind": "failing"}


def _judge(said: Said, question: Question) -> dict[str, Any]:
    """The answer of a model as JSON that fits the schema, or why there is none."""
    answer: dict[str, Any] = {"tokens": said.tokens, "cost": said.cost}
    if said.is_refused:
        return answer | {"problem": "the model refuses to answer", "kind": "declined"}
    if said.is_cut:
        return answer | {"problem": "the answer was cut off at its longest", "kind": "declined"}
    return answer | _read(said, question)


def _read(said: Said, question: Question) -> dict[str, Any]:
    import jsonschema  # noqa: PLC0415 -- an extra

    fenced = _FENCED.fullmatch(said.text)
    try:
        value = json.loads(fenced[1] if fenced else said.text)
        jsonschema.validate(value, dict(question.schema))
    except (ValueError, RecursionError) as error:
        return {"invalid": f"no JSON ({str(error)[:100]})", "text": said.text[:8_000]}
    except jsonschema.ValidationError as error:
        return {"invalid": f"not by the schema: {error.json_path}: {error.message[:100]}", "text": said.text[:8_000]}
    return {"value": value}


def open_wire(settings: DistilPolicy) -> Ask:
    """The wire that the settings name; ImportError when its extra is not installed, WireError without its key."""
    key = os.environ.get(settings.key_variable, "") if settings.key_variable else ""
    if settings.key_variable and not key:
        raise WireError("closed", f"the environment variable {settings.key_variable} has no key in it")
    wires = {"openai": _openai, "anthropic": _anthropic, "command": _command, **dict.fromkeys(PROGRAMS, open_program)}
    return wires[settings.provider](settings, key)


def _openai(settings: DistilPolicy, key: str) -> Ask:
    import openai  # noqa: PLC0415 -- an extra

    base = {"base_url": settings.url} if settings.url else {}
    client = openai.OpenAI(api_key=key or "none", timeout=settings.seconds, max_retries=0, **base)  # type: ignore[arg-type]
    limit = "max_tokens" if settings.url else "max_completion_tokens"
    refused = 0  # the number of answer formats that the server refused (strictest first); they are not tried again

    def ask(question: Question) -> Said:
        nonlocal refused
        schema = {"name": "answer", "strict": True, "schema": question.schema}
        forms: list[dict[str, Any]] = [{"type": "json_schema", "json_schema": schema}, {"type": "json_object"}, {}]
        messages = [{"role": "system", "content": question.system}, *question.turns()]
        with _told(openai):
            while True:
                form = {"response_format": forms[refused]} if forms[refused] else {}
                try:
                    found = client.chat.completions.create(
                        model=settings.model, messages=messages, **{limit: question.most_tokens}, **form
                    )  # type: ignore[call-overload]
                    return _said_by_openai(found)
                except (openai.BadRequestError, openai.UnprocessableEntityError):
                    if refused == len(forms) - 1:
                        raise
                    refused += 1

    return ask


def _said_by_openai(found: Any) -> Said:
    if not found.choices:
        raise WireError("failing", "the server answered without an answer")
    choice, usage = found.choices[0], found.usage
    tokens = (int(usage.prompt_tokens), int(usage.completion_tokens)) if usage else None
    is_refused = bool(choice.message.refusal) or choice.finish_reason == "content_filter"
    return Said(choice.message.content or "", tokens, choice.finish_reason == "length", is_refused)


def _anthropic(settings: DistilPolicy, key: str) -> Ask:
    import anthropic  # noqa: PLC0415 -- an extra

    base = {"base_url": settings.url} if settings.url else {}
    client = anthropic.Anthropic(api_key=key or "none", timeout=settings.seconds, max_retries=0, **base)  # type: ignore[arg-type]

    def ask(question: Question) -> Said:
        form: Any = {"format": {"type": "json_schema", "schema": dict(question.schema)}}
        with _told(anthropic):
            found = client.messages.create(
                model=settings.model,
                max_tokens=question.most_tokens,
                system=question.system,
                messages=question.turns(),  # type: ignore[arg-type]
                output_config=form,
            )
        text = "".join(part.text for part in found.content if part.type == "text")
        tokens = (found.usage.input_tokens, found.usage.output_tokens)
        return Said(text, tokens, found.stop_reason == "max_tokens", found.stop_reason == "refusal")

    return ask


@contextmanager
def _told(client: Any) -> Iterator[None]:
    """Raise a WireError for an error of a client; both clients have the same errors."""
    try:
        yield
    except client.APITimeoutError as error:
        raise WireError("silent", "no answer in time") from error
    except client.APIConnectionError as error:
        raise WireError("failing", "the connection was cut or could not be made", 1.0) from error
    except client.APIStatusError as error:
        raise _status_error(error.status_code, error.response.headers) from error
    except (client.APIError, ValueError) as error:
        raise WireError("failing", f"the answer cannot be read ({type(error).__name__})") from error


def _status_error(status: int, headers: Mapping[str, str]) -> WireError:
    if status == 429:
        after = headers.get("retry-after", "")
        return WireError("busy", "the server has too much to do (429)", float(after) if after.isdecimal() else 1.0)
    if status >= 500:
        return WireError("failing", f"the server failed ({status})", 1.0)
    return WireError("closed", f"the server refused the request ({status}); look at distil.model, url and key_variable")


def _command(settings: DistilPolicy, _: str) -> Ask:
    words = shlex.split(settings.command)

    def ask(question: Question) -> Said:
        request = {"system": question.system, "messages": question.turns(), "schema": question.schema}
        ran = _run(words[0], words, json.dumps(request), settings.seconds)
        if ran.code:
            said = ran.said.decode(errors="replace").strip().splitlines()
            raise WireError("failing", f"{words[0]} ended with {ran.code}: {said[-1][:200] if said else ''}")
        return Said(ran.output.decode(errors="replace"))

    return ask


def _run(name: str, words: list[str], given: str, seconds: float, *where: Any) -> Ran:
    """Run a command as `run_command` does; WireError if it gives no answer."""
    try:
        return run_command(words, given.encode(), seconds, LONGEST_ANSWER, *where)
    except CommandStoppedError as error:
        raise WireError("declined" if error.is_too_long else "silent", f"{name}: {error}") from error
    except OSError as error:
        raise WireError("closed", f"{words[0]} cannot be started: {error.strerror}") from error


_MODELS = {"claude": "haiku"}
"""The model where the settings name none; the other programs choose one themselves."""
PROGRAMS = ("claude", "codex", "gemini")
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
    found = shutil.which(settings.command or settings.provider)
    return found and os.path.abspath(found)  # noqa: PTH100 -- a link may be followed only by who is run by that name


def why_unusable(settings: DistilPolicy) -> str:
    """Why the program of the settings cannot be used; empty if it is there, or if they name none."""
    is_there = settings.provider not in PROGRAMS or find_agent(settings) is not None
    return "" if is_there else f"the program {settings.command or settings.provider} is not there"


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
            ran = _run(settings.provider, [program, *own.words], own.given, settings.seconds, folder, variables)
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


if __name__ == "__main__":
    main()
