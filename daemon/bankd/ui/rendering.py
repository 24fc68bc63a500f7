"""Templates and what they need: escaped always, in the language of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bankd.core.markdown.display import make_visible
from bankd.ui.asked import Asked, Shown
from bankd.ui.words import translate


def render(shown: Shown, asked: Asked, around: Mapping[str, Any]) -> str:
    """A page as HTML; what a terminal would not show is shown as what it is here too."""
    template = _environment().get_template(shown.template)
    return template.render({**around, **shown.facts, "t": partial(translate, language=asked.language)})


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"part": partial(quote, safe=""), "moment": _moment, "seen": make_visible}
    return environment


def _moment(text: str) -> str:
    """A moment as a clock shows it where it was written."""
    return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M}"
