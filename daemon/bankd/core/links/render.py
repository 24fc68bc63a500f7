"""How a target is written in the way in which another was: as relative, as short, as encoded."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote, unquote

from bankd.core.links.references import Reference, references_of
from bankd.core.links.resolve import INDEX_PAGES, WIKI_KINDS, Base, Style, Target, resolve_reference
from bankd.core.markdown.inline import LinkKind, is_bare_path
from bankd.core.markdown.names import BANK, Names, folder_of, relative_path
from bankd.core.markdown.scanner import Document

_ENDS_YAML = frozenset("[]{},:#'")
_ENCODED_WORD = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


def render_path(reference: Reference, target: Target, source: str, names: Names) -> str | None:
    """Write the path of a target in its style, changed only as far as it must be to lead there; None if nothing does.

    The fragment is the caller's.
    """
    for style in _styles(reference, target, source):
        if style.base is Base.SELF:
            return ""
        written = _written(reference, names.seen_from(source, target.path), target.path, style, source)
        if reference.kind is LinkKind.BARE and not is_bare_path(written, is_angled=reference.is_angled):
            continue
        found = resolve_reference(replace(reference, target=written), source, names)
        if found and found.path == target.path and found.is_folder == target.is_folder:
            return _in_yaml(written) if reference.kind is LinkKind.ROUTE and not reference.is_angled else written
    return None


def _in_yaml(path: str) -> str:
    """A path where YAML takes it without quotes: in quotes, if it has a character that would end it there."""
    return f'"{path}"' if _ENDS_YAML.intersection(path) else path


def encode_fragment(reference: Reference, fragment: str) -> str:
    """Write a fragment as the reference writes its own."""
    if reference.kind in WIKI_KINDS or reference.kind is LinkKind.BARE:
        return fragment
    return _encoded(reference, fragment, safe="#^&=+,;:@!$'*~/?")


def _styles(reference: Reference, target: Target, source: str) -> list[Style]:
    """The style itself, then ever plainer ones."""
    kind, style = reference.kind, target.style
    if style.base is Base.SELF and target.path != source:
        style = Style(Base.NAME, ending="") if kind in WIKI_KINDS else Style(Base.RELATIVE)
    depth = target.path.count("/") + 1
    if style.base is Base.NAME:
        is_below_bank = target.path.startswith(BANK) and not reference.target.startswith(
            BANK
        )  # as seen from a vault there
        first = min(style.segments, depth - is_below_bank)
        return [replace(style, segments=n) for n in range(first, depth + 1)]
    endings = [style.ending, ".md"] if style.ending != "folder" else ["folder", "/", ".md"]
    plain = [Style(Base.WORKSPACE)] if kind is LinkKind.BARE else []  # `v.md` alone would not pass for a path
    return [*(replace(style, ending=ending) for ending in endings), *plain]


def _written(reference: Reference, seen: str, path: str, style: Style, source: str) -> str:
    if style.base is Base.NAME:
        return _with_ending("/".join(path.split("/")[-style.segments :]), style.ending)
    if style.base is Base.RELATIVE:
        plain = style.prefix + relative_path(seen, folder_of(source), style.climb)
    elif style.base is Base.ROOT:
        plain = ("" if style.prefix == "bare" else "/") + path.removeprefix(BANK)
    else:
        plain = style.prefix + path
    plain = _with_ending(plain, style.ending)
    bare = reference.kind in {LinkKind.BARE, LinkKind.ROUTE} or reference.kind in WIKI_KINDS
    return plain if bare else _encoded(reference, plain, safe="/!$&'*+,;=:@~")


def _with_ending(path: str, ending: str) -> str:
    """Leave out of a path what its style leaves out."""
    if ending in {"/", "folder"}:
        for page in INDEX_PAGES:
            if path == page or path.endswith("/" + page):
                folder = path[: -len(page)] or "./"
                return folder if ending == "/" else folder.rstrip("/")
        return path if path.endswith("/") else path + ("" if path.endswith(".md") else "/")
    if ending in {"", ".html"}:
        return path.removesuffix(".md") + ending
    return path


def _encoded(reference: Reference, text: str, safe: str) -> str:
    """Percent-encode what the place asks for; words beyond ASCII and signs as the target did.

    Parentheses stand bare only where the target had them so: to many readers the first one ends a link.
    """
    encodes_words = _ENCODED_WORD.search(reference.target) is not None and reference.target.isascii()
    if reference.is_angled and "%" not in reference.target:
        return text.replace("\\", "\\\\").replace("<", "\\<").replace(">", "\\>")
    bare = safe + "()" if "(" in reference.target else safe
    kept = (sign for sign in bare if sign == "/" or quote(sign, safe="") not in reference.target.upper())
    quoted = quote(text, safe="".join(kept), errors="surrogateescape")
    if text.count("(") != text.count(")"):
        quoted = quoted.replace("(", "%28").replace(")", "%29")
    return quoted if encodes_words else _decode_words(quoted)


def _decode_words(quoted: str) -> str:
    """Take the encoding off characters beyond ASCII; what only unquoting could confuse stays encoded."""
    return re.sub(r"(?:%[89A-F][0-9A-F])+", lambda found: unquote(found.group(), errors="surrogateescape"), quoted)


def sense_of(path: str, document: Document, start: int, end: int, names: Names) -> str:
    """What some lines say, with their targets replaced by what these lead to: the same from wherever they are said."""
    lines = list(document.lines[start:end])
    for reference in sorted(references_of(document), key=lambda reference: -reference.start):
        if start <= reference.line < end and (target := resolve_reference(reference, path, names)):
            line = lines[reference.line - start]
            meant = f"{target.path}#{target.fragment or ''}"
            lines[reference.line - start] = line[: reference.start] + meant + line[reference.end :]
    return "".join(lines).rstrip("\r\n")
