"""What a language model is asked and what it answers, whoever runs it."""

from collections.abc import Mapping
from typing import NamedTuple


class Prompt(NamedTuple):
    """One question to a model whose answer has a JSON schema.

    Args:
        version: names the wording of `system` and the schema; when either
            changes it does, and replies to the old wording are not used.
        system: what the model has to do; never holds anybody's text.
        text: what it is to be done with, quoted as data.
        schema: JSON schema (draft 2020-12) of the answer.
        most_tokens: tokens that the answer may take.
    """

    version: str
    system: str
    text: str
    schema: Mapping[str, object]
    most_tokens: int


class Reply(NamedTuple):
    """What a model answered: JSON that was checked against the schema."""

    value: object
    input_tokens: int
    output_tokens: int
    is_kept: bool


class Unanswered(NamedTuple):
    """Why there is no answer; what was asked about waits for the next night."""

    reason: str
