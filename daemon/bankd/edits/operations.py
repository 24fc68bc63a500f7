"""What a transaction does to one file: operations from bytes to bytes (None: no such file). Pure; each can be repeated.

An operation names pieces, never byte positions, so that it means the same on a page that the user has changed
meanwhile: f(f(x)) = f(x), and f commutes with edits of other lines. `carry_lines` merges what an editor wrote to a file
that was replaced under it; it never deletes a line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import takewhile
from typing import Any, ClassVar, TypeAlias, get_args

from bankd.edits import inserting
from bankd.pages.memory import normalise_text, split_id
from bankd.pages.scanner import encode_text

Rewrite: TypeAlias = Callable[[str, str, Mapping[str, str]], str]
"""(path of the page, its text, {old reference: new reference}) -> the text with its links rewritten."""


@dataclass(frozen=True, slots=True)
class Piece:
    """An item with all that is nested in it, or another block: its key and its exact lines, without final line feed."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Move:
    """The change of one reference; it is made only if `target` has the piece `key` then (for key "": if the file exists).

    `was` is the piece that the reference named before, if it was a different one.
    """

    old: str
    new: str
    target: str
    key: str = ""
    was: str = ""


@dataclass(frozen=True, slots=True)
class Append:
    """Add the pieces that a page lacks, under a heading; a missing heading or page is made.

    They go right after the first of the keys `after` that the page has, else right before the first of `before`, else to
    the end of the section. `is_apart`: whether a blank line belongs above and below them there.
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
        title = self.title or self.path.rsplit("/", 1)[-1].removesuffix(".md")
        bom, text = ("", f"# {title}\n") if data is None else inserting.split_bom(data)
        there = _counts(text, self.pieces)
        lacking = []
        for piece in self.pieces:
            there[piece.key] -= 1
            if there[piece.key] < 0:
                lacking.append(piece.text)
        if not lacking:
            return data
        longer = inserting.insert_beside(text, self.after, self.before, lacking, self.is_apart)
        longer = longer or inserting.insert_pieces(text, self.heading, lacking)
        return data if longer is None else encode_text(bom + longer)


def append_all(operations: Sequence[Append], data: bytes | None) -> bytes | None:
    """The result of several appends to one page, one after another; the page is read as seldom as possible."""
    if data is None and operations:
        first, *operations = operations
        data = first.apply(data)
    longer = _appended_at_once(operations, data) if data is not None and len(operations) > 1 else None
    if longer is not None:
        return longer
    for operation in operations:
        data = operation.apply(data)
    return data


def _appended_at_once(operations: Sequence[Append], data: bytes) -> bytes | None:
    keys = Counter(piece.key for operation in operations for piece in operation.pieces)
    headings = {normalise_text(operation.heading) for operation in operations}
    is_plain = not any(operation.after or operation.before for operation in operations)
    if not is_plain or keys.total() > len(keys) or len(headings) < len(operations):
        return None
    bom, text = inserting.split_bom(data)
    there = _counts(text, (piece for operation in operations for piece in operation.pieces))
    lacking = [(op.heading, [piece.text for piece in op.pieces if not there[piece.key]]) for op in operations]
    longer = inserting.insert_at_once(text, [(heading, pieces) for heading, pieces in lacking if pieces])
    return None if longer is None else encode_text(bom + longer)


@dataclass(frozen=True, slots=True)
class Replace:
    """Give a piece other lines, as long as it still reads `old`."""

    phase: ClassVar[int] = 1
    path: str
    key: str
    old: str
    new: str

    def apply(self, data: bytes | None) -> bytes | None:
        if data is None or self.old == self.new:
            return data
        bom, text = inserting.split_bom(data)
        page = inserting.page_of(text)
        for span in inserting.find_all(page, [self.key])[self.key]:
            if inserting.text_of(page.document, span) == inserting.unix_text(self.old):
                return encode_text(bom + inserting.replace_span(text, span, inserting.unix_text(self.new)))
        return data


@dataclass(frozen=True, slots=True)
class Remove:
    """Take pieces out of a page, each only if it is as planned; `elsewhere` is the file with the copy ("": none).

    A piece that the user has changed stays, and its copy is withdrawn. Equal blocks without id go only all together.
    """

    phase: ClassVar[int] = 2
    path: str
    pieces: tuple[Piece, ...]
    elsewhere: str = ""

    def apply(self, data: bytes | None) -> bytes | None:
        if data is None or not self.pieces:
            return data
        bom, text = inserting.split_bom(data)
        page = inserting.page_of(text)
        wanted = Counter(piece.key for piece in self.pieces)
        texts = {(piece.key, inserting.unix_text(piece.text)) for piece in self.pieces}
        spans = []
        for key, found in inserting.find_all(page, wanted).items():
            unchanged = [span for span in found if (key, inserting.text_of(page.document, span)) in texts]
            if not key.startswith("sha:") or len(unchanged) <= wanted[key]:
                spans += unchanged
        outer = [s for s in spans if not any(o.start <= s.start < s.end <= o.end and o != s for o in spans)]
        return encode_text(bom + inserting.cut_spans(text, outer)[0]) if outer else data


def move_piece(key: str, text: str, page: str, to: str, heading: str, title: str) -> tuple[Append, Remove]:
    """Move a piece to the end of a section of another page, outside of the list that it is nested in: it is added first."""
    here = Piece(key, inserting.unix_text(text))
    there = Piece(key, inserting.outdent_lines(here.text))
    return Append(to, heading, (there,), title), Remove(page, (here,), to)


@dataclass(frozen=True, slots=True)
class Moved:
    """Lines of a page (0-based, half open) that the file `to` has too; its digest must be one of `digests`."""

    to: str
    start: int
    end: int
    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """Give a whole file the text `after` while it has exactly the text `before` (None: there is no such file).

    `take_step` moves its pieces one by one if it reads otherwise.
    """

    path: str
    before: str | None
    after: str | None
    moved: tuple[Moved, ...] = ()
    phase: int = 2
    needs: tuple[str, ...] = ()
    """Files that must exist, since its links lead to them; otherwise it stays as it is."""
    is_layout: bool = False
    """It moves lines between pages, together with others of its transaction: all are taken back, or none."""

    def apply(self, data: bytes | None) -> bytes | None:
        return file_bytes(self.after) if data == file_bytes(self.before) else data


def file_bytes(text: str | None) -> bytes | None:
    """The bytes of a file with this text; None for no file."""
    return None if text is None else encode_text(text)


@dataclass(frozen=True, slots=True)
class Carry:
    """Bring in the lines that an editor wrote to the replaced file, without those whose id is on another page now."""

    phase: ClassVar[int] = 1
    path: str
    pristine: str
    late: str
    elsewhere_ids: tuple[str, ...] = ()

    def apply(self, data: bytes | None) -> bytes | None:
        bom, live = inserting.split_bom(data or b"")
        return encode_text(bom + carry_lines(live, self.pristine, self.late, self.elsewhere_ids))


@dataclass(frozen=True, slots=True)
class Relink:
    """Let references of a page lead to where their pieces are at that moment."""

    phase: ClassVar[int] = 3
    path: str
    moves: tuple[Move, ...]

    def apply(self, data: bytes | None, rewrite: Rewrite | None = None) -> bytes | None:
        if data is None or rewrite is None or not self.moves:
            return data
        bom, text = inserting.split_bom(data)
        return encode_text(bom + rewrite(self.path, text, {move.old: move.new for move in self.moves}))


Operation: TypeAlias = Append | Replace | Carry | Remove | Write | Relink
_KINDS: dict[str, type[Operation]] = {kind.__name__.lower(): kind for kind in get_args(Operation)}


DIGEST_DIGITS = 32
"""Hexadecimal digits kept of SHA-256: 128 bits."""


def digest_of(data: bytes | None) -> str:
    """The name of the bytes of a file in journals; `-` for a file that does not exist."""
    return "-" if data is None else sha256(data).hexdigest()[:DIGEST_DIGITS]


def _counts(text: str, pieces: Iterable[Piece]) -> Counter[str]:
    found = inserting.find_all(inserting.page_of(text), {piece.key for piece in pieces})
    return Counter({key: len(spans) for key, spans in found.items()})


def pieces_of(operation: Operation) -> tuple[Piece, ...]:
    """The pieces that an operation adds or removes; `transaction.removals_of` has those that a page loses as a whole."""
    return operation.pieces if isinstance(operation, Append | Remove) else ()


def operation_json(operation: Operation) -> dict[str, Any]:
    """An operation as a JSON object; `op` is its kind."""
    return {"op": type(operation).__name__.lower(), **asdict(operation)}


def from_json(fields: Mapping[str, Any]) -> Operation:
    """Read what `operation_json` gave; raises ValueError, KeyError or TypeError for anything else."""
    values = {name: _as_tuple(value) for name, value in fields.items() if name != "op"}
    for name, kind in {"pieces": Piece, "moved": Moved, "moves": Move}.items():
        if name in values:
            values[name] = tuple(
                kind(**{key: _as_tuple(part) for key, part in dict(item).items()}) for item in values[name]
            )
    return _KINDS[fields["op"]](**values)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_OURS = re.compile(r"\]\([^()]*\)|\[\[[^\[\]|]*|\(c=[^()]*\)")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that became other lines, and the line above them ("" at the start)."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    after: str


def find_hunks(pristine: str, late: str) -> Iterator[Hunk]:
    """What the editor changed or added; mere deletions are left out, because an unfinished save looks like one."""
    old, new = _bare_lines(pristine), _bare_lines(late)
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))))
    matcher = SequenceMatcher(lambda line: not line.strip(), old[same:], new[same:], autojunk=False)
    for kind, *ends in matcher.get_opcodes():
        i, j, k, m = (end + same for end in ends)
        if kind in {"insert", "replace"} and any(line.strip() for line in new[k:m]):
            yield Hunk(tuple(old[i:j]), tuple(new[k:m]), new[k - 1] if k else "")


def is_carried(live: str, pristine: str, late: str) -> bool:
    """Whether the page has every line that the editor wrote already: one comparison instead of a merge."""
    return set(_bare_lines(late)) - set(_bare_lines(pristine)) <= set(_bare_lines(live)) | {""}


def _bare_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def carry_lines(live: str, pristine: str, late: str, elsewhere: Collection[str] = ()) -> str:
    """Bring an editor's late lines into a page; lines whose id is in `elsewhere` belong to another page by now.

    `pristine` is the text that was replaced, `late` what the editor made of it, `live` the page as it is now.
    """
    page = _Lines(live, late)
    for hunk in find_hunks(pristine, late):
        page.merge(hunk, elsewhere)
    return page.text


class _Lines:
    """The lines of a page, compared without their carriage returns and kept with them."""

    def __init__(self, text: str, late: str) -> None:
        self._return = "\r" if inserting.majority_ending(text) == "\r\n" else ""
        self._raw = text.split("\n")
        self._bare = [line.removesuffix("\r") for line in self._raw]
        self._kept = frozenset(
            _bare_lines(late)
        )  # a line that he still has is not one that he reworded, even with the same id

    @property
    def text(self) -> str:
        return "\n".join(self._raw)

    def merge(self, hunk: Hunk, elsewhere: Collection[str]) -> None:
        """Put the new lines where the editor wrote them, in place of the lines that they finish or reword."""
        new = [line for line in hunk.new if split_id(line)[1] not in elsewhere]
        if all(self._place_of(line, hunk.old) is not None for line in new if line.strip()):
            return
        at = self._bare.index(hunk.after) + 1 if hunk.after in self._bare else self._end()
        for line in new:
            there = self._place_of(line, hunk.old) if line.strip() else None
            at = self._put(line, at, hunk.old) if there is None else there + 1

    def _place_of(self, line: str, old: tuple[str, ...]) -> int | None:
        """The place where the page has this line already: as it is, without its id, or with links that bankd changed since."""
        words, key = split_id(line)
        for form in (line, words):
            if form in self._bare and (form == line or self._line_of(key) is not None):
                return self._bare.index(form)
        if not set(_OURS.findall(line)) <= set(_OURS.findall("\n".join(old))):
            return None  # the editor wrote this link or confidence himself
        same = (n for n, had in enumerate(self._bare) if _OURS.search(had) and _essence(had) == _essence(line))
        return next(same, None)

    def _put(self, line: str, at: int, old: tuple[str, ...]) -> int:
        former = self._former(line, old)
        if former is not None:
            at = former
            del self._bare[at], self._raw[at]
        elif self._line_of(split_id(line)[1]) is not None:
            line = split_id(line)[0]  # this memory was reworded on the page meanwhile: keep both
        is_last = at == len(self._raw)
        if is_last and at:
            self._raw[-1] += self._return
        self._bare.insert(at, line)
        self._raw.insert(at, line if is_last else line + self._return)
        return at + 1

    def _former(self, line: str, old: tuple[str, ...]) -> int | None:
        """The line of the page that this one finishes or rewords; what bankd changed in it meanwhile does not count."""
        there = self._line_of(split_id(line)[1])
        if there is not None and self._bare[there] in self._kept:
            there = None
        for had in old:
            if there is not None and _is_same(had, line) and _essence(had) == _essence(self._bare[there]):
                return there
            if had in self._bare and had not in self._kept and _is_same(had, line):
                return self._bare.index(had)
        return None

    def _line_of(self, key: str | None) -> int | None:
        return next((n for n, line in enumerate(self._bare) if key and split_id(line)[1] == key), None)

    def _end(self) -> int:
        end = len(self._bare)
        while end and not self._bare[end - 1].strip():
            end -= 1
        return end


def _essence(line: str) -> str:
    """A line without what bankd itself changes in it: targets of links, and the confidence."""
    return _OURS.sub("", line)


def _is_same(old: str, new: str) -> bool:
    """Whether a line is the other one reworded or finished: it has the same id, or begins with it."""
    key = split_id(new)[1]
    return (key is not None and split_id(old)[1] == key) or (bool(old.strip()) and new.startswith(old))
