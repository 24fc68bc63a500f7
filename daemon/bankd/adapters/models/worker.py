"""The process that asks a language model: one JSON request a line, one answer a line, until its master goes.

    {"system": …, "text": …, "schema": …, "most_tokens": 2000}  →  {"value": …, "tokens": [812, 90]}
                                                                →  {"invalid": "why", "text": "…", "tokens": …}
                                                                →  {"problem": "why", "kind": "busy", "after": 3}

The only modules that import the clients and the validator are loaded here.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from bankd.adapters.models.wire import Ask, Question, Said, WireError, open_wire
from bankd.adapters.system.child import serve_master
from bankd.adapters.system.command import end_commands
from bankd.core.markdown.policy import DistilPolicy

INSTALL = {
    "openai": "its client is not installed; pip install 'bankd[model]'",
    "anthropic": "its client is not installed; pip install 'bankd[anthropic]'",
    "command": "jsonschema is not installed; pip install 'bankd[model]'",
}
_FENCED = re.compile(r"\s*```(?:json)?\s*(.*?)```\s*", re.DOTALL)


def answer_question(ask: Ask, question: Question) -> dict[str, Any]:
    """What a model says, as JSON that fits the schema, or why there is none."""
    try:
        said = ask(question)
    except WireError as error:
        return {"problem": str(error), "kind": error.kind, "after": error.after}
    answer: dict[str, Any] = {"tokens": said.tokens}
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


class ModelProcess:
    """Answers requests; the client is loaded by the first."""

    def __init__(self, settings: DistilPolicy) -> None:
        """Take which model."""
        self._settings = settings
        self._wire: Ask | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask what is to be asked; what goes wrong is an answer too."""
        try:
            self._wire = self._wire or open_wire(self._settings)
            again = request.get("again")
            return answer_question(self._wire, Question(**request | {"again": tuple(again) if again else None}))
        except ImportError:
            return {"problem": INSTALL[self._settings.provider], "kind": "closed"}
        except WireError as error:
            return {"problem": str(error), "kind": error.kind}
        except Exception as problem:
            return {"problem": f"{type(problem).__name__}: {problem}", "kind": "failing"}


def main() -> None:
    """Answer until the master is gone."""
    process = ModelProcess(DistilPolicy(**json.loads(sys.argv[1])))
    serve_master(lambda request, _: process.answer(request), end_commands)


if __name__ == "__main__":
    main()
