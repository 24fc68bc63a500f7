"""What is asked of a language model, and how its answers are read: one way for distilling, insights and comparing.

A prompt carries its JSON schema. The answer is checked against it by who asks (`workers.models`) and is still read with
care here, since it may come from the stored replies, which anybody may have edited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from bankd.memory.retain import clean_text

if TYPE_CHECKING:
    from bankd.app.index import RunIndex
    from bankd.ports import Models, ProseLogs
    from bankd.secrets.screening import Finder
    from bankd.workspace.catalog import PageMemoryCatalog

Schema: TypeAlias = Mapping[str, object]


class Prompt(NamedTuple):
    """One question to a model whose answer has a JSON schema.

    Args:
        version: names the wording of `system` and the schema; when either
            changes it does, and replies to the old wording are not used.
        system: what the model has to do; never holds anybody's text.
        text: what it is to be done with, quoted as data.
        schema: JSON schema (draft 2020-12) of the answer.
        most_tokens: tokens that the answer may take.
        key: what a kept reply is found by instead of `text`, where a part
            of the text may be another one when the same is asked again.
    """

    version: str
    system: str
    text: str
    schema: Schema
    most_tokens: int
    key: str = ""

    @property
    def digest(self) -> str:
        """A digest of the question, by which its reply is kept."""
        return sha256((self.key or self.text).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Reply(NamedTuple):
    """What a model answered: JSON that was checked against the schema."""

    value: object
    input_tokens: int
    output_tokens: int
    is_kept: bool


class Unanswered(NamedTuple):
    """Why there is no answer; what was asked about waits for the next night."""

    reason: str


@dataclass(frozen=True, slots=True)
class NightParts:
    """What a night with a model needs: logs, what credentials look like, the model, and what the bank holds."""

    logs: ProseLogs
    finders: Sequence[Finder]
    models: Models
    catalog: PageMemoryCatalog
    index: RunIndex


class DistilledLine(NamedTuple):
    """A line that a model or a rule proposes to remember, and the numbers of its source lines.

    `replaces` is the id of a memory that it replaces. With `is_said_again` it repeats a memory word for word.
    """

    tag: str
    entities: tuple[str, ...]
    text: str
    sources: tuple[int, ...]
    questions: tuple[str, ...] = ()
    replaces: str = ""
    is_said_again: bool = False


class JudgedLine(NamedTuple):
    """A line of a model, and why it is not believed; None if it is believed."""

    line: DistilledLine
    reason: str | None = None


def prompt_text(name: str) -> str:
    """The instructions of a prompt, `prompts/NAME.txt`. The loader of this module reads them, wherever the package lies."""
    loader: Any = __spec__.loader
    data: bytes = loader.get_data(f"{__file__.rpartition('/')[0]}/prompts/{name}")
    return data.decode("utf-8").rstrip("\n")


class Trial(NamedTuple):
    """A question whose right answer is known: a model that does not give it is not believed."""

    prompt: Prompt
    is_passed: Callable[[object], bool]
    """Whether an answer is right about every statement."""


def trial_rows(name: str, *, is_korean: bool) -> list[list[str]]:
    """Of a trial by which a model is tried, what is known of each statement, and the statement."""
    language = "korean" if is_korean else "english"
    rows = (line.split("\t") for line in prompt_text("trials.tsv").splitlines())
    return [rest for of, *rest in rows if of == f"{name} {language}"]


TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
TAG: Schema = {"type": "string", "enum": ["W", "B", "O", "S"]}
LONGEST_LINE = 400
"""The most characters in a line to remember: one statement."""
_MARKUP = re.compile(r"<!--|-->|\n")


def object_schema(**properties: Schema) -> Schema:
    """The JSON schema of an object that has all of these properties and no other."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def list_schema(items: Schema, most: int | None = None) -> Schema:
    """The JSON schema of a list of such items, with at most `most`."""
    return {"type": "array", **({} if most is None else {"maxItems": most}), "items": items}


def text_in(one: Mapping[str, object], name: str = "text") -> str:
    """A text of an answer as one line, without control characters; empty if it is not a text or too long for a line."""
    return text_as_line(one.get(name, ""))


def text_as_line(value: object) -> str:
    """A value as one line of text without bankd's own marks; empty if it is too long for a line."""
    text = " ".join(clean_text(_MARKUP.sub(" ", str(value))).split())
    return text if len(text) <= LONGEST_LINE else ""


def texts_in(value: object, most: int) -> tuple[str, ...]:
    """The texts of a list in an answer, each once and on one line, at most `most`."""
    given = [text_as_line(one) for one in value if isinstance(one, str)] if isinstance(value, list) else []
    return tuple(dict.fromkeys(filter(None, given)))[:most]


def numbers_in(value: object) -> list[int]:
    """The whole numbers of a list in an answer."""
    return [one for one in value if type(one) is int] if isinstance(value, list) else []


def objects_in(answer: object, name: str) -> list[Mapping[str, object]]:
    """The objects in the list under this name in an answer."""
    found = answer.get(name) if isinstance(answer, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
