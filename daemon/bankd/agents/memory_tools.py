"""What each method and tool of the MCP server does, over the bank."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from bankd.core.agents.mcp_protocol import INVALID_PARAMS, ProtocolError
from bankd.core.agents.mcp_tools import FORGET, find_problem, offered_tools
from bankd.core.agents.recalled import DATA_NOTICE, found_memories, recalled_lines, related_memories, wrap_memories
from bankd.core.briefing.names import MODES
from bankd.core.markdown.utf8 import readable_value, to_json
from bankd.errors import BankError, UserError

if TYPE_CHECKING:
    from bankd.wiring.bank_reader import BankReader

Json: TypeAlias = dict[str, Any]

_SCHEME = "bank://"
_PAGES_A_LIST = 100
_DEFAULT_HITS = 5
_OFFERED = 20
"""Memories that may be archived, the weakest of them: what an agent is shown at a time."""
_QUESTIONS = 5
_NO_ANSWER = "Nothing relevant is known: what is nearest may be about something else."
_PROMPTS: Mapping[str, Json] = {
    "recall": {
        "name": "recall",
        "description": "What the bank knows about a question",
        "arguments": [{"name": "question", "description": "what to look for", "required": True}],
    },
    "brief": {
        "name": "brief",
        "description": "What is worth knowing unasked",
        "arguments": [
            {"name": "mode", "description": ", ".join(MODES), "required": True},
            {"name": "about", "description": "whom or what", "required": False},
        ],
    },
}


class BankMethods:
    """The methods of MCP that need the bank; `find_bank` is asked at every call, for the bank may not be there yet."""

    def __init__(self, find_bank: Callable[[], BankReader]) -> None:
        """Take how the bank is found."""
        self._find_bank = find_bank
        self._tools: Mapping[str, Callable[[BankReader, Json], Json]] = {
            "memory_search": _search,
            "memory_get": _get,
            "memory_note": _note,
            "memory_brief": _brief,
            "memory_feedback": _feedback,
            FORGET: _forget,
        }

    def by_name(self) -> Mapping[str, Callable[[Json], Json]]:
        """What answers each method."""
        return {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": _list_templates,
            "resources/read": self._read_resource,
            "prompts/list": lambda _: {"prompts": list(_PROMPTS.values())},
            "prompts/get": self._get_prompt,
        }

    def _offered(self) -> Mapping[str, Json]:
        """The tools by name; without a bank all but what its settings would have to allow."""
        try:
            may_forget = self._find_bank().settings().agents.may_forget
        except (BankError, OSError):
            may_forget = False
        return {tool["name"]: tool for tool in offered_tools(may_forget=may_forget)}

    def _list_tools(self, _params: Json) -> Json:
        return {"tools": list(self._offered().values())}

    def _call_tool(self, params: Json) -> Json:
        name, arguments = params.get("name"), readable_value(params.get("arguments")) or {}
        tool = self._offered().get(name) if isinstance(name, str) else None
        if tool is None or not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, f"no tool {str(name)[:60]!r}" if tool is None else "no arguments")
        if problem := find_problem(tool, arguments):
            return _failed(problem)
        try:
            return _succeeded(self._tools[tool["name"]](self._find_bank(), arguments))
        except (BankError, OSError) as error:
            return _failed(str(error))

    def _list_resources(self, params: Json) -> Json:
        """Pages, a hundred at a time; the cursor is the last page that was given."""
        from urllib.parse import quote

        paths = self._guarded(lambda bank: [path for path in bank.page_paths() if path > str(params.get("cursor", ""))])
        given = paths[:_PAGES_A_LIST]
        resources = [{"uri": _SCHEME + quote(path), "name": path, "mimeType": "text/markdown"} for path in given]
        return {"resources": resources, **({"nextCursor": given[-1]} if len(paths) > len(given) else {})}

    def _read_resource(self, params: Json) -> Json:
        from urllib.parse import unquote

        uri = params.get("uri")
        if not isinstance(uri, str) or not uri.startswith(_SCHEME):
            raise ProtocolError(INVALID_PARAMS, "resource not found", {"uri": uri})
        path = unquote(uri.removeprefix(_SCHEME))
        try:
            text = self._find_bank().read_file(f"bank/{path}")
        except (BankError, OSError, ValueError) as error:
            raise ProtocolError(INVALID_PARAMS, "resource not found", {"uri": uri, "reason": str(error)}) from error
        return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}

    def _get_prompt(self, params: Json) -> Json:
        """What is known, as data, with the question below it where there is one."""
        name, given = params.get("name"), params.get("arguments")
        said = given if isinstance(given, dict) else {}
        question, mode = said.get("question"), said.get("mode")
        if name == "recall" and isinstance(question, str):
            known = self._guarded(
                lambda bank: recalled_lines(bank.search({"query": question, "limit": _DEFAULT_HITS})["hits"])
            )
        elif name == "brief" and mode in MODES:
            about = [str(said["about"])] if said.get("about") else []
            known, question = self._guarded(lambda bank: _brief(bank, {"mode": mode, "about": about})["items"]), ""
        else:
            raise ProtocolError(INVALID_PARAMS, "there are recall, with a question, and brief, with a mode")
        text = wrap_memories("\n".join(known) or "Nothing relevant.") + (f"\n{question}" if question else "")
        return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}

    def _guarded(self, ask: Callable[[BankReader], Any]) -> Any:
        """What the bank says; that it cannot is an error of the request, which names why."""
        try:
            return ask(self._find_bank())
        except (BankError, OSError) as error:
            raise ProtocolError(INVALID_PARAMS, str(error)) from error


def _succeeded(said: Json) -> Json:
    """A result; as text too, for clients of before 2025-06-18, while the others take the one or the other."""
    return {"content": [{"type": "text", "text": to_json(said)}], "structuredContent": said, "isError": False}


def _failed(reason: str) -> Json:
    return {"content": [{"type": "text", "text": reason}], "structuredContent": {"error": reason}, "isError": True}


def _search(bank: BankReader, arguments: Json) -> Json:
    answer = bank.search({"limit": _DEFAULT_HITS, **arguments})
    notes = [DATA_NOTICE, str(answer["fresh"].get("note") or ""), _NO_ANSWER if answer["nearest"] else ""]
    beside = related_memories(answer.get("see_also", ()))
    nearest = found_memories(answer["nearest"])
    more = {name: found for name, found in (("see_also", beside), ("nearest", nearest)) if found}
    return {"hits": found_memories(answer["hits"]), **more, "note": " ".join(filter(None, notes))}


def _get(bank: BankReader, arguments: Json) -> Json:
    what = str(arguments["what"]).removeprefix("^").removeprefix(_SCHEME)
    if "related" in arguments:
        answer = bank.search({"op": "related", "of": what, "depth": arguments["related"]})
        return {"of": what, "related": related_memories(answer["related"]), "note": DATA_NOTICE}
    if what == "offered":
        return {**_offered(bank), "note": DATA_NOTICE}
    if what.endswith(".md"):
        path = what if what.startswith(("bank/", "memory/", "archive/")) else f"bank/{what}"
        return {"path": path, "text": bank.read_file(path), "note": DATA_NOTICE}
    return {**_show(bank, what), "note": DATA_NOTICE}


def _brief(bank: BankReader, arguments: Json) -> Json:
    """Nothing is held back: an agent that asks gets an answer, whatever was shown before."""
    from bankd.agents.briefings import brief_asked

    made = brief_asked(arguments["mode"], bank, tuple(arguments.get("about", ())))
    return {"items": made.text.splitlines(), "note": DATA_NOTICE}


def _show(bank: BankReader, id_: str) -> Json:
    from bankd.app.show import describe_memory, find_memory
    from bankd.wiring.workspace import open_workspace

    with open_workspace(bank.root, write=False) as workspace:
        return describe_memory(find_memory(workspace, id_))


def _note(bank: BankReader, arguments: Json) -> Json:
    from bankd.core.lifecycle.adding import retain_line
    from bankd.wiring.workspace import add_line_once

    questions = arguments.get("questions", [])[:_QUESTIONS]
    line = retain_line(arguments["text"], arguments.get("tag"), arguments.get("confidence"), questions)
    place, is_new = add_line_once(bank.root, line)
    return {"place": str(place), "written": is_new, "note": "becomes a memory at the next run; where bankd runs, soon"}


def _feedback(bank: BankReader, arguments: Json) -> Json:
    from dataclasses import asdict

    from bankd.app.feedback import give_feedback, judge_answers, set_importance
    from bankd.app.promotion import promote_memory
    from bankd.wiring.workspace import open_workspace

    used, ignored, promoted = (
        [str(id_).removeprefix("^") for id_ in arguments.get(name, [])] for name in ("used", "ignored", "promote")
    )
    if not (used or ignored or promoted or arguments.get("response")):
        raise UserError("memory_feedback needs ids, used, ignored or promote, or a response")
    with open_workspace(bank.root) as workspace:
        if arguments.get("response") and not (used or ignored):
            judged = judge_answers(workspace, arguments["response"])
            used, ignored = [*judged.used], [*judged.ignored]
        said: Json = asdict(give_feedback(workspace, used, ignored)) if used or ignored else {}
        for id_ in said.get("used", ()) if "importance" in arguments else ():
            set_importance(workspace, id_, arguments["importance"])
        moved = [place for id_ in promoted for place in promote_memory(workspace, id_, None, dry_run=False)]
    return {**said, **({"promoted": [{"id": id_, "page": page} for id_, page in moved]} if promoted else {})}


def _offered(bank: BankReader) -> Json:
    from dataclasses import asdict

    from bankd.app.archive import offer_candidates
    from bankd.app.promotion import list_promotable
    from bankd.wiring.workspace import open_workspace

    with open_workspace(bank.root, write=False) as workspace:
        lived = [{"id": one.id, "place": one.place, "text": one.text} for one in list_promotable(workspace)]
        weak = [asdict(one) for one in offer_candidates(workspace)[:_OFFERED]]
    return {"promotable": lived, "archivable": weak}


def _forget(bank: BankReader, arguments: Json) -> Json:
    from bankd.app.forget import forget_memory
    from bankd.wiring.workspace import open_workspace

    with open_workspace(bank.root) as workspace:
        gone = forget_memory(workspace, str(arguments["id"]).removeprefix("^"), apply=True)
    return {"id": gone.id, "text": gone.text, "pages": list(gone.pages)}


def _list_templates(_params: Json) -> Json:
    template = {"uriTemplate": "bank://{+path}", "name": "page", "mimeType": "text/markdown"}
    return {"resourceTemplates": [{**template, "description": "a page of the bank, such as knowledge/tools.md"}]}
