"""The process that asks a language model: one JSON request per line, one answer per line, until its master goes.

    {"system": …, "text": …, "schema": …, "most_tokens": 2000}  →  {"value": …, "tokens": [812, 90]}
                                                                →  {"invalid": "why", "text": "…", "tokens": …}
                                                                →  {"problem": "why", "kind": "busy", "after": 3}

The wires are OpenAI's chat completions, Anthropic's messages, and a command. Each is asked once: whether to ask again is
decided in `models`. Only this process loads the clients and the validator.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bankd.settings import DistilPolicy
from bankd.system.child import serve_master
from bankd.system.command import CommandStoppedError, end_commands, run_command
from bankd.workers.programs import PROGRAMS, open_program
from bankd.workers.wire import LONGEST_ANSWER, Ask, Question, Said, WireError

INSTALL = {
    "openai": "its client is not installed; pip install 'bankd[model]'",
    "anthropic": "its client is not installed; pip install 'bankd[anthropic]'",
    "command": "jsonschema is not installed; pip install 'bankd[model]'",
}
_FENCED = re.compile(r"\s*```(?:json)?\s*(.*?)```\s*", re.DOTALL)


def main() -> None:
    """Answer until the master is gone."""
    process = ModelProcess(DistilPolicy(**json.loads(sys.argv[1])))
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
            return answer_question(self._wire, Question(**request | {"again": tuple(again) if again else None}))
        except ImportError:
            return {"problem": INSTALL.get(self._settings.provider, INSTALL["command"]), "kind": "closed"}
        except WireError as error:
            return {"problem": str(error), "kind": error.kind}
        except Exception as problem:
            return {"problem": f"{type(problem).__name__}: {problem}", "kind": "failing"}


def answer_question(ask: Ask, question: Question) -> dict[str, Any]:
    """The answer of a model as JSON that fits the schema, or why there is none."""
    try:
        said = ask(question)
    except WireError as error:
        return {"problem": str(error), "kind": error.kind, "after": error.after}
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
        try:
            ran = run_command(words, json.dumps(request).encode(), settings.seconds, LONGEST_ANSWER)
        except CommandStoppedError as error:
            raise WireError("declined" if error.is_too_long else "silent", f"{words[0]}: {error}") from error
        except OSError as error:
            raise WireError("closed", f"{words[0]} cannot be started: {error.strerror}") from error
        if ran.code:
            said = ran.said.decode(errors="replace").strip().splitlines()
            raise WireError("failing", f"{words[0]} ended with {ran.code}: {said[-1][:200] if said else ''}")
        return Said(ran.output.decode(errors="replace"))

    return ask


if __name__ == "__main__":
    main()
