"""What a heading says, and the forms in which GitHub and Obsidian compare it with a link."""

from __future__ import annotations

import html
import re
import unicodedata

EXPLICIT_ID = re.compile(r"[ \t]*\{#([^\s{}]+)\}[ \t]*$")
_OBSIDIAN_MARKS = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")  # what Obsidian's heading links leave out
_INLINE = re.compile(
    r"(?P<tick>`+)(?P<code>.+?)(?<!`)(?P=tick)(?!`)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])"
    r"|<(?P<autolink>[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*)>"
    r"|</?[A-Za-z][^<>]*>"
    r"|\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\](?:\((?:<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
    r"|\[[^\[\]]*\])"
    r"|(?<!\w)_(?P<emphasis>\S(?:.*?\S)?)_(?!\w)"
)


def plain_text(title: str) -> str:
    """What a heading says when it is rendered: no marks, no link targets, no tags, no pictures."""
    return html.unescape(_INLINE.sub(_plain, title))


def without_explicit_id(title: str) -> str:
    """A heading's title without the `{#id}` that some sites let stand behind it."""
    return EXPLICIT_ID.sub("", title)


def github_anchor(title: str) -> str:
    """GitHub's anchor of a heading, before duplicates are numbered."""
    kept = (c for c in plain_text(title).strip().lower() if c in "- " or _is_word(c))
    return "".join(kept).replace(" ", "-")


def obsidian_words(title: str) -> str:
    """The form in which Obsidian compares a heading with a link to it."""
    return _OBSIDIAN_MARKS.sub(" ", unicodedata.normalize("NFC", title)).strip().casefold()


def _plain(found: re.Match[str]) -> str:
    if found["code"] is not None:
        return found["code"].strip() if found["code"].strip() else found["code"]
    for name in ("escaped", "autolink"):
        if found[name] is not None:
            return str(found[name])
    for name in ("text", "emphasis"):
        if found[name] is not None:
            return _INLINE.sub(_plain, found[name])
    return ""


def _is_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category in {"Nd", "Nl", "Pc"}
