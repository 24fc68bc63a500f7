"""What each method and tool of the MCP server does, over the bank. `offered.json` has the tools and prompts that agents are offered.

A model reads that list in every session: it is kept under 1,200 tokens, its order never changes, and each tool does one thing.
Tools with `alwaysLoad` are there for the agent without a search for tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any

from bankd.agents.mcp import INVALID_PARAMS, Json, ProtocolError
from bankd.briefing.recalled import DATA_NOTICE, related_lines, tell_hits, who_of, wrap_memories
from bankd.briefing.shown import LAST_SEEN
from bankd.errors import BankError, UserError
from bankd.pages.text import readable_value, to_json

if TYPE_CHECKING:
    from bankd.pages.memory import Memory
    from bankd.wiring.reader import BankReader

_OFFERED: Json = json.loads(Path(__file__).with_name("offered.json").read_text("utf-8"))
TOOLS: Sequence[Json] = _OFFERED["tools"]
FORGET = "memory_forget"
_SCHEME = "bank://"
_PAGES_A_LIST = 100
_DEFAULT_HITS = 5
_DAY = "YYYY-MM-DD"
"""The description of a property that is a day."""


HERE = frozenset({"here", "logs", "archive"})
"""What an agent of this machine and user may do besides searching the bank and noting; `forget` needs a setting."""
_NEEDS = {"memory_feedback": "here", "memory_brief": "logs", FORGET: "forget"}
"""The permission that each tool needs. A brief needs the logs, because it has their open lines."""


def offered_tools(may: Collection[str]) -> Sequence[Json]:
    """The tools for these permissions, always in the same order."""
    return [tool for tool in TOOLS if _NEEDS.get(tool["name"], "") in {"", *may}]


class BankMethods:
    """The methods of MCP that need the bank. `find_bank` is called each time, because the bank may not be there yet."""

    def __init__(
        self, find_bank: Callable[[], BankReader], *, session: str | None = None, is_elsewhere: bool = False
    ) -> None:
        """Take the function that finds the bank, the session of hooks that the agent is in, and whether it is on another machine.

        `session` is empty if the agent does not name it, and None for a caller without a session, who may judge everything.
        """
        self._find_bank, self._session, self._is_elsewhere = find_bank, session, is_elsewhere
        self._shown: set[str] = set()
        """The ids in the answers to this agent."""
        self._tools: Mapping[str, Callable[[BankReader, Json], Json]] = {
            "memory_search": _search,
            "memory_get": _get,
            "memory_note": _note,
            "memory_brief": _brief,
            "memory_feedback": lambda bank, given: _feedback(bank, given, self._seen(bank)),
            FORGET: _forget,
        }

    def by_name(self) -> Mapping[str, Callable[[Json], Json]]:
        """The function that answers each method, by the method's name."""
        return {
            "tools/list": lambda _: {"tools": offered_tools(self._may())},
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": lambda _: {"resourceTemplates": _OFFERED["resourceTemplates"]},
            "resources/read": self._read_resource,
            "prompts/list": lambda _: {
                "prompts": [one for one in _OFFERED["prompts"] if one["name"] != "brief" or "logs" in self._may()]
            },
            "prompts/get": self._get_prompt,
        }

    def _may(self) -> Collection[str]:
        """The permissions; without a bank those that need no setting."""
        own = frozenset[str]() if self._is_elsewhere else HERE
        try:
            agents = self._find_bank().settings().agents
        except (BankError, OSError):
            return own
        return frozenset(agents.over_http) if self._is_elsewhere else own | ({"forget"} if agents.may_forget else set())

    def _seen(self, bank: BankReader) -> Collection[str] | None:
        """The ids that this session was shown, by its tools and its hooks (those of all sessions if it has no name).

        None for a caller who may judge everything.
        """
        if self._session is None:
            return None
        shown = bank.shown()
        readers = [self._session] if self._session else [who for who in shown if who != LAST_SEEN]
        return self._shown.union(*(_ids_in(shown.get(who, ())) for who in readers))

    def _call_tool(self, params: Json) -> Json:
        name, arguments = params.get("name"), as_json(readable_value(params.get("arguments")), dict) or {}
        tool = next((one for one in offered_tools(self._may()) if one["name"] == name), None)
        if tool is None or not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, f"no tool {str(name)[:60]!r}" if tool is None else "no arguments")
        try:
            said = self._tools[tool["name"]](self._find_bank(), meant_arguments(tool, arguments))
        except (BankError, OSError, ProtocolError) as error:
            return _result(str(error), {"error": str(error)}, is_error=True)
        if name != "memory_feedback":  # it answers with the ids that it was sent
            self._shown |= _ids_in([to_json({key: value for key, value in said.items() if key != "note"})])
        return _result(to_json(said), said)

    def _list_resources(self, params: Json) -> Json:
        """The pages, a hundred at a time. The cursor is the last page of the answer before."""
        from urllib.parse import quote

        paths = [path for path in self._find_bank().page_paths() if path > str(params.get("cursor", ""))]
        given = paths[:_PAGES_A_LIST]
        resources = [{"uri": _SCHEME + quote(path), "name": path, "mimeType": "text/markdown"} for path in given]
        return {"resources": resources, **({"nextCursor": given[-1]} if len(paths) > len(given) else {})}

    def _read_resource(self, params: Json) -> Json:
        from urllib.parse import unquote

        uri = readable_value(params.get("uri"))
        if not isinstance(uri, str) or not uri.startswith(_SCHEME):
            raise ProtocolError(INVALID_PARAMS, "resource not found", {"uri": uri})
        text = self._find_bank().read_file(f"bank/{unquote(uri.removeprefix(_SCHEME))}")
        self._shown |= _ids_in([text])
        return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}

    def _get_prompt(self, params: Json) -> Json:
        """What is known, marked as data, with the question below it if there is one."""
        from bankd.briefing.choose import NAMES_MODES

        name, given = params.get("name"), params.get("arguments")
        said = given if isinstance(given, dict) else {}
        question, mode, bank = said.get("question"), said.get("mode"), self._find_bank()
        if name == "recall" and isinstance(question, str):
            known = _told(bank.search({"query": question, "limit": _DEFAULT_HITS, "trim": True})["hits"], bank)
        elif name == "brief" and mode in NAMES_MODES and "logs" in self._may():
            about = [str(said["about"])] if said.get("about") else []
            known, question = _brief(bank, {"mode": mode, "about": about})["items"], ""
        else:
            raise ProtocolError(INVALID_PARAMS, "the prompts are recall (needs a question) and brief (needs a mode)")
        self._shown |= _ids_in(known)
        text = wrap_memories("\n".join(known) or "Nothing relevant.") + (f"\n{question}" if question else "")
        return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


_ID = re.compile(r"m-[a-z2-7]{12}")


def _ids_in(texts: Iterable[str]) -> set[str]:
    return {id_ for text in texts for id_ in _ID.findall(text)}


def as_json(value: Any, kind: type | UnionType) -> Any:
    """The value of a text of JSON, if it is of this kind; anything else as it is."""
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            parsed = json.loads(value)
            return parsed if isinstance(parsed, kind) else value
    return value


def meant_arguments(tool: Json, arguments: Json) -> Json:
    """The arguments with obvious slips mended: models write numbers and lists as text, and null for what they leave out.

    ProtocolError for what is no slip, in words that the model can act on.
    """
    properties = tool["inputSchema"]["properties"]
    given = {name: value for name, value in arguments.items() if value is not None and value != ""}
    if missing := [name for name in tool["inputSchema"]["required"] if name not in given]:
        raise ProtocolError(INVALID_PARAMS, f"{tool['name']} needs {', '.join(missing)}")
    if unknown := [name for name in given if name not in properties]:
        raise ProtocolError(INVALID_PARAMS, f"{tool['name']} takes no {unknown[0]!r}; it takes {', '.join(properties)}")
    for name, value in given.items():
        given[name] = _meant(value, properties[name], is_list_of_names=name != "questions")
        if not _fits(given[name], properties[name]):
            raise ProtocolError(INVALID_PARAMS, f"{name} must be {_shape(properties[name])}")
    return given


def _meant(value: Any, kind: Json, *, is_list_of_names: bool = False) -> Any:
    if kind["type"] == "array":
        listed = as_json(value, list)
        if isinstance(listed, str):
            listed = listed.split(",") if is_list_of_names else [listed]
        items = listed if isinstance(listed, list) else [listed]
        return [_meant(one, kind["items"]) for one in items if one is not None and one != ""]
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if kind["type"] == "string":
        text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else value
        if kind.get("description") == _DAY and isinstance(text, str) and len(text) > len(_DAY):
            from bankd.words.days import read_iso_moment

            return text[: len(_DAY)] if read_iso_moment(text) else text
        return next((one for one in kind.get("enum", ()) if one.casefold() == str(text).casefold()), text)
    number = as_json(value.strip(), int | float) if isinstance(value, str) else value
    is_whole = kind["type"] == "integer" and isinstance(number, float) and number.is_integer()
    return int(number) if is_whole else number


_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float), "array": (list,)}


def _fits(value: object, kind: Json) -> bool:
    if "enum" in kind and value not in kind["enum"]:
        return False
    if isinstance(value, bool) or not isinstance(value, _TYPES[kind["type"]]):
        return False
    if isinstance(value, list):
        return all(_fits(one, kind["items"]) for one in value)
    return not isinstance(value, int | float) or kind.get("minimum", value) <= value <= kind.get("maximum", value)


def _shape(kind: Json) -> str:
    if "enum" in kind:
        return f"one of {', '.join(map(str, kind['enum']))}"
    if kind["type"] == "array":
        return f"a list; each item is {_shape(kind['items'])}"
    span = f" from {kind['minimum']} to {kind['maximum']}" if "minimum" in kind else ""
    return f"{'an' if kind['type'] == 'integer' else 'a'} {kind['type']}{span}"


def _result(text: str, said: Json, *, is_error: bool = False) -> Json:
    """A result, as text too for clients older than 2025-06-18."""
    return {"content": [{"type": "text", "text": text}], "structuredContent": said, "isError": is_error}


def _search(bank: BankReader, arguments: Json) -> Json:
    answer = bank.search({"limit": _DEFAULT_HITS, "trim": "limit" not in arguments, **arguments})
    none = "Nothing relevant is known: what is nearest may be about something else." if answer["nearest"] else ""
    notes = [DATA_NOTICE, str(answer["fresh"].get("note") or ""), none]
    beside = {"see_also": related_lines(answer.get("see_also", ())), "nearest": _told(answer["nearest"], bank)}
    more = {name: found for name, found in beside.items() if found}
    return {"hits": _told(answer["hits"], bank), **more, "note": " ".join(filter(None, notes))}


def _told(hits: Sequence[Mapping[str, Any]], bank: BankReader) -> list[str]:
    """Hits as lines: whom each is about, what holds now, when it was said, and its id."""
    return [one.line for one in tell_hits(hits, lambda: bank.brief_facts(bank.now()), bank.read_file, bank.project)]


def _get(bank: BankReader, arguments: Json) -> Json:
    what = str(arguments["what"]).removeprefix("^").removeprefix(_SCHEME)
    if "related" in arguments:
        try:
            answer = bank.search({"op": "related", "of": what, "depth": arguments["related"]})
        except UserError as nothing:  # that nothing is known is an answer
            return {"related": [], "note": str(nothing)}
        return {"related": related_lines(answer["related"]), "note": DATA_NOTICE}
    if what.endswith(".md"):
        path = what if what.startswith(("bank/", "memory/", "archive/")) else f"bank/{what}"
        return {"path": path, "text": bank.read_file(path), "note": DATA_NOTICE}
    from bankd.app.show import describe_memory, find_memory
    from bankd.wiring.workspace import open_workspace

    with open_workspace(bank.root, write=False) as workspace:
        found = find_memory(workspace, what)
    for place in found.places:
        bank.check_offered(place)
    return {**describe_memory(found), "note": DATA_NOTICE}


def _brief(bank: BankReader, arguments: Json) -> Json:
    """A briefing. An agent that asks gets everything, also what it was shown before."""
    from bankd.agents.briefs import brief_asked

    made = brief_asked(arguments["mode"], bank, tuple(arguments.get("about", ())))
    return {"items": made.text.splitlines(), "note": DATA_NOTICE}


_LIKE, _LIKE_BY_WORDS = 4.0, 0.22
"""From so many floors on, and without vectors from this share of its words on, a note may replace a memory: chosen on three sets of `bench.lives`."""
_SAME_SUBJECT = 0.1
"""What it counts, without vectors, that both are about the same."""
_MOST_LIKE = 3


def _note(bank: BankReader, arguments: Json) -> Json:
    """Write a note down, and say what the bank holds that is the same, near, or may be replaced by it."""
    from bankd.memory.retain import read_log, retain_line
    from bankd.wiring.workspace import add_line

    questions, replaces = arguments.get("questions", [])[:5], arguments.get("replaces", "").removeprefix("^")
    text, tag, confidence = arguments["text"], arguments.get("tag"), arguments.get("confidence")
    line = retain_line(text, tag, confidence, questions, replaces)
    said = read_log("", f"## Retain\n{line}\n", anywhere=True).lines[0]
    if bank.project and arguments.get("holds") != "everywhere" and not _is_about_person(said.memory, bank):
        line = retain_line(text, tag, confidence, questions, replaces, bank.project)
    beside = _replaced(bank, said.replaces) if said.replaces else _like_note(bank, said.memory)
    place, is_new = add_line(bank.root, line, once=True)
    soon = "becomes a memory at the next run: soon, if the daemon runs"
    ask = "if it takes the place of one of may_replace, send the same text again with replaces: its id"
    return {
        "place": str(place), "written": is_new, **beside,
        "note": f"{soon}; {ask}. {DATA_NOTICE}" if "may_replace" in beside else soon,
    }  # fmt: skip


def _is_about_person(memory: Memory, bank: BankReader) -> bool:
    from bankd.memory.retain import people_in
    from bankd.pages.memory import Memory

    if not memory.entities:
        return False
    known = bank.brief_facts(bank.now()).memories
    return not people_in(Memory("", one.tag, entities=one.entities) for one in known).isdisjoint(memory.entities)


def _replaced(bank: BankReader, id_: str) -> Json:
    """What a note says that it replaces; UserError when the bank has no such memory."""
    if (memory := bank.brief_facts(bank.now()).of(id_)) is None:
        raise UserError(f"{id_}: the bank has no such memory, so nothing was written; memory_search shows ids")
    return {"replaces": f"{memory.text} · {id_}"}


def _like_note(bank: BankReader, memory: Memory) -> Json:
    """What the bank holds that says the same as a note (`known`), may be what it replaces, or is near to it; lines with ids."""
    from dataclasses import replace

    from bankd.pages.memory import Memory, text_key

    request = {"query": memory.text, "limit": 8, "in": ["bank"], "everything": True, "keep": False, "see_also": False}
    try:
        hits = [hit for hit in bank.search(request)["hits"] if hit["id"] and not hit["superseded_by"]]
    except (BankError, OSError):  # a note is taken where nothing can be found yet
        return {}
    key = text_key(replace(memory, entities=()))
    known = [hit for hit in hits if text_key(Memory(hit["text"], memory.tag)) == key]
    hits = [hit for hit in hits if not (bank.project and hit["projects"]) or bank.project in hit["projects"]]
    slugs = {f"@{slug}" for slug in memory.entities}
    scored = [(_likeness(hit, is_same=not slugs.isdisjoint(who_of(hit).split())), hit) for hit in hits]
    ranked = sorted((one for one in scored if one[0] >= 1), key=lambda one: one[0], reverse=True)
    likest = [hit for _, hit in ranked if hit not in known]
    found = {"known": known, "may_replace": likest[:1], "near": likest[1:_MOST_LIKE]} if not known else {"known": known}
    return {name: lines for name, some in found.items() if (lines := _told(some, bank))}


def _likeness(hit: Json, *, is_same: bool) -> float:
    """How much a memory is like a note; from 1 on the note may replace it.

    With vectors it is the evidence of search: how far the cosine is above that of strangers, and the words that both share.
    """
    parts = hit["parts"]
    if "meaning" in parts:
        return float(parts["floors"]) / _LIKE
    return (float(parts.get("asked", 0.0)) + (_SAME_SUBJECT if is_same else 0.0)) / _LIKE_BY_WORDS


def _feedback(bank: BankReader, arguments: Json, seen: Collection[str] | None) -> Json:
    """Note which memories were useful, among those that this session was shown; UserError names others, and nothing is noted."""
    from bankd.app.show import give_feedback, set_importance
    from bankd.wiring.workspace import open_workspace

    used, ignored = ([str(id_).removeprefix("^") for id_ in arguments.get(name, [])] for name in ("used", "ignored"))
    if not (used or ignored):
        raise UserError("memory_feedback needs ids, used or ignored")
    never = [id_ for id_ in dict.fromkeys((*used, *ignored)) if seen is not None and id_ not in seen]
    if never:
        raise UserError(
            f"{', '.join(never)}: this session was not shown it, so nothing was noted; name only what a tool, a recall or "
            "a brief showed here"
        )
    with open_workspace(bank.root) as workspace:
        said: Json = give_feedback(workspace, used, ignored)._asdict()
        for id_ in said.get("used", ()) if "importance" in arguments else ():
            set_importance(workspace, id_, str(arguments["importance"]))
    return said


def _forget(bank: BankReader, arguments: Json) -> Json:
    from bankd.app.archive import forget_memory
    from bankd.wiring.workspace import open_workspace

    with open_workspace(bank.root) as workspace:
        gone = forget_memory(workspace, str(arguments["id"]).removeprefix("^"))
    return {"id": gone.id, "text": gone.text, "pages": list(gone.pages)}
