"""The files that a link can lead to, found by path or by name, whatever their case or Unicode form; days in names.

Paths are relative to the workspace; those of files outside it are absolute. `bank/_meta/` holds bankd's own pages; of
these only the inbox holds memories.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from datetime import date

BANK = "bank/"
ARCHIVE = "archive/"
META = "_meta/"
INBOX = f"{META}inbox.md"
_MAX_LEVELS = 8
MAX_NAME_BYTES = 200
"""File systems allow 255; staging names and suffixes need room."""
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')


def is_own(page: str) -> bool:
    """Whether a page, relative to `bank/`, is one of bankd's own."""
    return page.casefold().startswith(META)


def whom_page_is_about(path: str) -> tuple[str, ...]:
    """The slug of the one whose page or part of a page this is, as `Peter` of `entities/Peter.md`; empty for other pages.

    `entities/people.md` is for those who have no page of their own.
    """
    folder, _, name = path.removeprefix(BANK).partition("/")
    whom = name.partition("/")[0].removesuffix(".md")
    return (whom,) if folder == "entities" and whom.casefold() != "people" else ()


def problem_of_target(target: str) -> str | None:
    """What is wrong with a page that a rule or a person names, or None: it must be in the bank, relative to `bank/`."""
    parts = target.split("/")
    is_long = len(parts) > _MAX_LEVELS or max(map(len, target.encode().split(b"/"))) > MAX_NAME_BYTES
    faults = (
        (target[:1] in {"/", "~"} or {"..", ".", ""} & {*parts}, "must be a path relative to bank/, without `..`"),
        (_FORBIDDEN.search(target), "has a character that file systems or Obsidian refuse"),
        (not target.endswith(".md"), "must be a page that ends in .md"),
        (is_long, f"is deeper than {_MAX_LEVELS} levels or has a name over {MAX_NAME_BYTES} bytes"),
        (target.startswith(".") or "/." in target, "names a hidden file"),
        (is_own(target), "is in bank/_meta/, where bankd keeps its own pages; name a page elsewhere"),
    )
    return next((f"target {target!r} {words}" for is_wrong, words in faults if is_wrong), None)


def is_within(path: str, pages: Iterable[str]) -> bool:
    """Whether a page is one of these pages or a part of one, whatever the case of letters."""
    key = path_key(path)
    return any(key == path_key(page) or key.startswith(path_key(page).removesuffix(".md") + "/") for page in pages)


def path_key(path: str) -> str:
    """A path in NFC and case folded: equal for all paths that are the same to a link."""
    return path.casefold() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def join_path(folder: str, path: str) -> str | None:
    """Follow a relative path from a folder; None when it names nothing."""
    parts = [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return ("/" if folder.startswith("/") else "") + "/".join(parts) or None


def is_outside(path: str) -> bool:
    """Whether a file lies outside the workspace."""
    return path.startswith("/")


def relative_path(path: str, folder: str) -> str:
    """The shortest relative path from a folder to a file."""
    there, here = ([part for part in where.split("/") if part] for where in (path, folder))
    shared = 0
    while shared < min(len(there) - 1, len(here)) and there[shared] == here[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def folder_of(path: str) -> str:
    """The folder that a file is in, without a slash at the end."""
    return path.rpartition("/")[0]


class Names:
    """The files of a workspace, by path and by name."""

    def __init__(self, paths: Iterable[str], home: str = "") -> None:
        """`paths` are all files that a link may lead to, `home` is the absolute path of the workspace."""
        self.home = home
        self._files: dict[str, tuple[str, ...]] = {}
        self._named: dict[str, tuple[str, ...]] = {}
        self._folders: dict[str, int] = {}
        for path in paths:
            self._add(path)

    def changed(self, gone: Iterable[str], new: Iterable[str]) -> Names:
        """The names without the files that are gone and with the new ones; the old names stay unchanged."""
        after = Names((), self.home)
        after._files, after._named, after._folders = self._files.copy(), self._named.copy(), self._folders.copy()
        for path in gone:
            if path in after:
                after._remove(path)
        for path in new:
            if path not in after:
                after._add(path)
        return after

    def paths(self) -> Iterable[str]:
        """All files."""
        return (path for same in self._files.values() for path in same)

    def __contains__(self, path: str) -> bool:
        return path in self._files.get(path_key(path), ())

    def file(self, path: str) -> str | None:
        """Find the file at a path: exactly there, else the only one whose path has the same key."""
        path = self.inside(path)
        found = self._files.get(path_key(path), ())
        if path in found:
            return path
        return found[0] if len(found) == 1 else None

    def has_folder(self, path: str) -> bool:
        """Whether any file is below this folder."""
        return path_key(self.inside(path.rstrip("/"))) in self._folders

    def inside(self, path: str) -> str:
        """A path relative to the workspace, if it lies in the workspace."""
        return path.removeprefix(self.home + "/") if self.home and path.startswith("/") else path

    def named(self, name: str) -> tuple[str, ...]:
        """The files with this name, in the bank if there are any there; `.md` may be left out."""
        keys = (path_key(name), path_key(name + ".md"))
        found = tuple(dict.fromkeys(path for key in keys for path in self._named.get(key, ())))
        return tuple(path for path in found if path.startswith(BANK)) or found

    def page(self, given: str) -> str | None:
        """The page of the bank that a person names: by its path below `bank/`, or by its name if only one has it."""
        given = given.removeprefix(BANK)
        for path in (BANK + given, f"{BANK}{given}.md"):
            if (found := self.file(path)) and found.endswith(".md"):
                return found
        named = self.pages_named(given)
        return named[0] if len(named) == 1 else None

    def pages_named(self, name: str) -> list[str]:
        """The pages of the bank with this name."""
        return [path for path in self.named(name) if path.startswith(BANK) and path.endswith(".md")]

    def similar_page(self, given: str) -> str | None:
        """The page of the bank whose path or name is most like this one, if one is; to share a folder is not enough."""
        from difflib import get_close_matches as alike  # noqa: PLC0415 -- only where somebody has mistyped

        pages: dict[str, str] = {}
        for path in self.paths():
            if path.startswith(BANK) and path.endswith(".md"):
                key = path_key(path.removeprefix(BANK).removesuffix(".md"))
                pages[key] = pages[key.rpartition("/")[2]] = path
        key = path_key(given.removeprefix(BANK).removesuffix(".md"))
        name = key.rpartition("/")[2]
        near = (one for one in alike(key, pages, 9, 0.7) if alike(name, [one.rpartition("/")[2]]))
        return next((pages[one] for one in near), None)

    def _add(self, path: str) -> None:
        key = path_key(path)
        self._files[key] = (*self._files.get(key, ()), path)
        name = key.rpartition("/")[2]
        self._named[name] = (*self._named.get(name, ()), path)
        for folder in folders_above(key):
            self._folders[folder] = self._folders.get(folder, 0) + 1

    def _remove(self, path: str) -> None:
        key = path_key(path)
        self._files[key] = tuple(other for other in self._files[key] if other != path)
        name = key.rpartition("/")[2]
        self._named[name] = tuple(other for other in self._named[name] if other != path)
        for folder in folders_above(key):
            self._folders[folder] -= 1
            if not self._folders[folder]:
                del self._folders[folder]


def folders_above(path: str) -> Iterable[str]:
    """Every folder that a path is in, the innermost first."""
    while path := folder_of(path):
        yield path


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_YEAR = r"(?<!\d)(?P<year>(?:19|20)\d\d)"
_DAY_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}(?P<sign>[-_])(?P<month>\d{{1,2}})(?P=sign)(?P<day>\d{{1,2}})(?!\d)",  # 2024-03-12, 2024_3_12 of Logseq
        rf"{_YEAR}(?P<sign>[. ]?)(?P<month>\d\d)(?P=sign)(?P<day>\d\d)(?:\d{{4}}|\d{{6}})?(?!\d)",  # 2024.03.12, 20240312
        rf"{_YEAR}년 ?(?P<month>\d{{1,2}})월 ?(?P<day>\d{{1,2}})일",
        rf"{_YEAR}/(?:(?P=year)[-_.]?)?(?P<month>\d\d)[^/\d]*/(?P<day>\d\d)(?!\d)",  # 2024/03-March/12.md
        rf"{_YEAR}-W(?P<week>\d\d)(?!\d)",
        r"(?<!\d)(?<!\d[-_.])(?P<one>\d\d?)(?P<sign>[-_.])(?P<other>\d\d?)(?P=sign)(?P<year>(?:19|20)\d\d)(?!\d)",
        rf"(?<![a-z]){_MONTH}[ _-]?(?P<day>\d\d?)(?:st|nd|rd|th)?[,_ -]{{1,2}}(?P<year>(?:19|20)\d\d)(?!\d)",
        rf"(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th)?[ _-]{_MONTH}[,_ -]{{1,2}}(?P<year>(?:19|20)\d\d)(?!\d)",
        rf"{_YEAR}[ _-]{_MONTH}[ _-](?P<day>\d\d?)(?!\d)",
    )
)


def day_in(path: str) -> date | None:
    """The last day in the name of a file or its folders, in the formats of many journal programs; None if there is none.

    A week counts as its Monday. `05-09-2024` is ambiguous and gives None; `05.09.2024` is in September.
    """
    found = ((match.end(), _day_of(match)) for form in _DAY_FORMS for match in form.finditer(path))
    return max(((end, day) for end, day in found if day), default=(0, None))[1]


def why_no_day(path: str) -> str:
    """Why a name has no day; empty where it has one."""
    if day_in(path):
        return ""
    return (
        "the day in its name may be two days" if any(form.search(path) for form in _DAY_FORMS) else "no day in its name"
    )


def without_days(name: str) -> str:
    """A name without the days in it."""
    for form in _DAY_FORMS:
        name = form.sub("", name)
    return name


def _day_of(found: re.Match[str]) -> date | None:
    said = found.groupdict()
    year, day = int(said["year"]), int(said.get("day") or 0)
    with suppress(ValueError):
        if said.get("week"):
            return date.fromisocalendar(year, int(said["week"]), 1)
        if said.get("name"):
            return date(year, _MONTHS.index(said["name"].lower()) + 1, day)
        if said.get("month"):
            return date(year, int(said["month"]), day)
        one, other = int(said["one"]), int(said["other"])
        if said["sign"] == "." or one == other or one > 12:
            return date(year, other, one)
        return date(year, one, other) if other > 12 else None
    return None
