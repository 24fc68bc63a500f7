"""What a transaction can do to one file: pure and idempotent, bytes to bytes, None for a file that is not there.

An operation says what it wants, never where a byte goes, so that it means the same on a page that the user has changed
meanwhile. f(f(x)) = f(x), and f commutes with edits of other lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar, TypeAlias

from bankd.core.edits.inserting import insert_at_once, insert_pieces, new_page
from bankd.core.edits.inserting_beside import insert_beside
from bankd.core.edits.merge3 import carry_lines
from bankd.core.edits.spans import cut_spans, find_all, page_of, replace_span, split_bom, text_of, unix_text
from bankd.core.markdown.memory import normalise_text
from bankd.core.markdown.scanner import encode_text

Rewrite: TypeAlias = Callable[[str, str, Mapping[str, str]], str]
"""(path of the page, its text, {old reference: new reference}) -> the text with its links rewritten."""


@dataclass(frozen=True, slots=True)
class Piece:
    """An item with all that is nested in it, or another block: its key and its exact lines, no final line feed."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Move:
    """A reference that becomes another one if, when it is rewritten, `target` holds the piece `key` ("" for any).

    `was` is the piece that it named before, where that is another one.
    """

    old: str
    new: str
    target: str
    key: str = ""
    was: str = ""


@dataclass(frozen=True, slots=True)
class Create:
    """A new file; one that the user made meanwhile stays as it is."""

    phase: ClassVar[int] = 0
    path: str
    text: str

    def apply(self, data: bytes | None) -> bytes | None:
        return encode_text(self.text) if data is None else data


@dataclass(frozen=True, slots=True)
class Append:
    """Pieces that the page lacks, under a heading that is made when missing; a missing page is made with its title.

    They stand right after, else right before, the first of these keys that the page has, else at the end of the section;
    `is_apart` says whether a blank line belongs above and below them there.
    """

    phase: ClassVar[int] = 0
    path: str
    heading: str
    pieces: tuple[Piece, ...]
    title: str = ""
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    is_apart: tuple[bool, bool] | None = None

    def apply(self, data: bytes | None) -> bytes | None:
        if data is None:
            title = self.title or self.path.rsplit("/", 1)[-1].removesuffix(".md")
            return encode_text(new_page(title, self.heading, [piece.text for piece in self.pieces]))
        bom, text = split_bom(data)
        there = _counts(text, self.pieces)
        lacking = []
        for piece in self.pieces:
            there[piece.key] -= 1
            if there[piece.key] < 0:
                lacking.append(piece.text)
        if not lacking:
            return data
        longer = insert_beside(text, self.after, self.before, lacking, self.is_apart) or insert_pieces(
            text, self.heading, lacking
        )
        return data if longer is None else encode_text(bom + longer)


def append_all(operations: Sequence[Append], data: bytes | None) -> bytes | None:
    """What several appends to one page do one after another, the page read as seldom as that allows."""
    first = 0 if data is not None else 1
    for operation in operations[:first]:
        data = operation.apply(data)
    if data is not None and len(operations[first:]) > 1:
        longer = _appended_at_once(operations[first:], data)
        if longer is not None:
            return longer
    for operation in operations[first:]:
        data = operation.apply(data)
    return data


def _appended_at_once(operations: Sequence[Append], data: bytes) -> bytes | None:
    keys = Counter(piece.key for operation in operations for piece in operation.pieces)
    headings = {normalise_text(operation.heading) for operation in operations}
    is_plain = not any(operation.after or operation.before for operation in operations)
    if not is_plain or keys.total() > len(keys) or len(headings) < len(operations):
        return None
    bom, text = split_bom(data)
    there = _counts(text, (piece for operation in operations for piece in operation.pieces))
    lacking = [(op.heading, [piece.text for piece in op.pieces if not there[piece.key]]) for op in operations]
    additions = [(heading, pieces) for heading, pieces in lacking if pieces]
    longer = insert_at_once(text, additions)
    return None if longer is None else encode_text(bom + longer)


@dataclass(frozen=True, slots=True)
class Replace:
    """Other lines for a piece, as long as it still reads `old`."""

    phase: ClassVar[int] = 1
    path: str
    key: str
    old: str
    new: str

    def apply(self, data: bytes | None) -> bytes | None:
        if data is None or self.old == self.new:
            return data
        bom, text = split_bom(data)
        page = page_of(text)
        for span in find_all(page, [self.key])[self.key]:
            if text_of(page.document, span) == unix_text(self.old):
                return encode_text(bom + replace_span(text, span, unix_text(self.new)))
        return data


@dataclass(frozen=True, slots=True)
class Remove:
    """Pieces out of a page, each only while it reads as planned; `elsewhere` is the file that has the copy ("" for none).

    A piece that the user has changed stays, and the copy is withdrawn. Equal blocks without id go only when all of them do.
    """

    phase: ClassVar[int] = 2
    path: str
    pieces: tuple[Piece, ...]
    elsewhere: str = ""

    def apply(self, data: bytes | None) -> bytes | None:
        if data is None or not self.pieces:
            return data
        bom, text = split_bom(data)
        page = page_of(text)
        wanted = Counter(piece.key for piece in self.pieces)
        texts = {(piece.key, unix_text(piece.text)) for piece in self.pieces}
        spans = []
        for key, found in find_all(page, wanted).items():
            unchanged = [span for span in found if (key, text_of(page.document, span)) in texts]
            if not key.startswith("sha:") or len(unchanged) <= wanted[key]:
                spans += unchanged
        spans = [
            span for span in spans if not any(o.start <= span.start < span.end <= o.end and o != span for o in spans)
        ]
        return encode_text(bom + cut_spans(text, spans)[0]) if spans else data


@dataclass(frozen=True, slots=True)
class Drop:
    """A whole file away while it has exactly this text; else only the pieces in it that still read as planned."""

    phase: ClassVar[int] = 2
    path: str
    text: str
    pieces: tuple[Piece, ...] = ()
    elsewhere: str = ""

    def apply(self, data: bytes | None) -> bytes | None:
        if data is None or data == encode_text(self.text):
            return None
        return Remove(self.path, self.pieces, self.elsewhere).apply(data)


@dataclass(frozen=True, slots=True)
class Moved:
    """Lines of a page (0-based, half open) that the file `to` has as well; `digests` are of the forms that it may have."""

    to: str
    start: int
    end: int
    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recast:
    """A whole page in another form (None: away) while it reads as planned; `recasting` has what else becomes of it."""

    path: str
    before: str
    after: str | None
    moved: tuple[Moved, ...] = ()
    phase: int = 2
    needs: tuple[str, ...] = ()
    """Files without which it stays as it is: its links would lead to them."""

    def apply(self, data: bytes | None) -> bytes | None:
        if data is None or data != encode_text(self.before):
            return data
        return None if self.after is None else encode_text(self.after)


@dataclass(frozen=True, slots=True)
class Restore:
    """The bytes from before a run, as long as the file is as that run left it: what undo does where nobody has been.

    `is_whole` says that it goes with all the others of its transaction: it takes another layout of pages back.
    """

    phase: ClassVar[int] = 0
    path: str
    after: str
    before: str
    is_whole: bool = False

    def apply(self, data: bytes | None) -> bytes | None:
        return encode_text(self.before) if digest_of(data) == self.after else data


@dataclass(frozen=True, slots=True)
class Carry:
    """What an editor wrote to the replaced file: its late lines brought in, but for ids that live `elsewhere` now."""

    phase: ClassVar[int] = 1
    path: str
    pristine: str
    late: str
    elsewhere_ids: tuple[str, ...] = ()

    def apply(self, data: bytes | None) -> bytes | None:
        bom, live = split_bom(data or b"")
        return encode_text(bom + carry_lines(live, self.pristine, self.late, self.elsewhere_ids))


@dataclass(frozen=True, slots=True)
class Relink:
    """References in a page to where the thing referred to really is when this runs."""

    phase: ClassVar[int] = 3
    path: str
    moves: tuple[Move, ...]

    def apply(self, data: bytes | None, rewrite: Rewrite | None = None) -> bytes | None:
        if data is None or rewrite is None or not self.moves:
            return data
        bom, text = split_bom(data)
        return encode_text(bom + rewrite(self.path, text, {move.old: move.new for move in self.moves}))


Operation: TypeAlias = Create | Append | Replace | Carry | Remove | Drop | Recast | Restore | Relink
_KINDS: dict[str, type[Operation]] = {
    kind.__name__.lower(): kind for kind in (Create, Append, Replace, Carry, Remove, Drop, Recast, Restore, Relink)
}


DIGEST_DIGITS = 32
"""Of SHA-256 in hexadecimal: 128 bits."""


def digest_of(data: bytes | None) -> str:
    """How a file's bytes are named in journals, `-` for a file that is not there."""
    return "-" if data is None else sha256(data).hexdigest()[:DIGEST_DIGITS]


def _counts(text: str, pieces: Iterable[Piece]) -> Counter[str]:
    page = page_of(text)
    return Counter({key: len(spans) for key, spans in find_all(page, {piece.key for piece in pieces}).items()})


def pieces_of(operation: Operation) -> tuple[Piece, ...]:
    """The pieces that an operation puts in or takes out; for those of a recast page see `recasting`."""
    return operation.pieces if isinstance(operation, Append | Remove | Drop) else ()


def operation_json(operation: Operation) -> dict[str, Any]:
    """An operation as a JSON object; `op` names its kind."""
    return {"op": type(operation).__name__.lower(), **asdict(operation)}


def from_json(fields: Mapping[str, Any]) -> Operation:
    """Read what `operation_json` gave; KeyError and TypeError when it is something else."""
    values = dict(fields)
    kind = _KINDS[values.pop("op")]
    if "pieces" in values:
        values["pieces"] = tuple(Piece(**piece) for piece in values["pieces"])
    for name in ("after", "before", "is_apart", "elsewhere_ids", "needs"):
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])
    if "moved" in values:
        values["moved"] = tuple(Moved(**{**moved, "digests": tuple(moved["digests"])}) for moved in values["moved"])
    if "moves" in values:
        values["moves"] = tuple(Move(**move) for move in values["moves"])
    return kind(**values)


def narrow_operation(operation: Remove | Drop, keys: set[str]) -> Remove | Drop:
    """The same operation for fewer pieces."""
    return replace(operation, pieces=tuple(piece for piece in operation.pieces if piece.key in keys))
