"""The commands of `bankctl`: the module of each, and the line that `bankctl` prints for it."""

from __future__ import annotations


class Command:
    """A module below `bankd.cli`, with `configure(parser)` and `run(arguments) -> exit code`.

    A plain class: `typing` and `dataclasses` cost a search more than all of its own work.
    """

    __slots__ = ("module", "summary")

    def __init__(self, module: str, summary: str) -> None:
        """Take the name of the module and the line that is printed for it."""
        self.module = module
        self.summary = summary


COMMANDS = {
    "init": Command("init", "make a workspace from the template"),
    "adopt": Command("adopt", "make a workspace for a vault, or the logs of an agent, that are there already"),
    "demo": Command("demo", "show the whole of it on sample logs, and leave nothing behind"),
    "add": Command("add", "append a Retain line to today's log"),
    "import": Command("import_", "take in what agents and chat services kept: transcripts, exports, notes"),
    "distil": Command("distil", "have the language model that you named read the prose of the logs"),
    "propose": Command("propose", "what asks to be remembered in prose, found by rules, for the inbox"),
    "search": Command("search", "find memories, in Korean and English"),
    "related": Command("related", "what belongs to a memory, a page or somebody: linked, used together, alike"),
    "ui": Command("ui", "a page to look at, and to decide on, in the browser of this machine"),
    "banks": Command("banks", "the banks that search --all asks"),
    "fleet": Command("fleet", "thousands of banks on many machines, over PostgreSQL"),
    "timeline": Command("timeline", "the memories of some days, day by day"),
    "cycle": Command("cycle", "run a cycle now: micro or reflect"),
    "log": Command("log", "the runs so far, and what each did"),
    "undo": Command("undo", "take a run back"),
    "forget": Command("forget", "delete a memory, for good"),
    "purge": Command("purge", "take a text out of everything that remembers it"),
    "verify": Command("verify", "check the promises of the bank from the outside"),
    "show": Command("show", "a memory and its source, what became of a log line, or what a run changed"),
    "inbox": Command("inbox", "the lines that no rule could place"),
    "route": Command("route", "test where a text would go, and by which rule"),
    "duplicates": Command("duplicates", "lines that were blocked because they said nothing new, and how to let one in"),
    "consolidate": Command("consolidate", "merge near-copies in the bank, none of which loses a word"),
    "conflicts": Command("conflicts", "memories that say different values of the same thing"),
    "decay": Command("decay", "which opinions will have faded when"),
    "archive": Command("archive", "what left the bank, what may, and the way back"),
    "feedback": Command("feedback", "which memories were of use, and which were not"),
    "importance": Command("importance", "how important a memory is, 1 to 10"),
    "clock": Command("clock", "whether the clock is believed, and your word that it may be"),
    "split": Command("split", "divide a page into parts, and let every link follow"),
    "merge": Command("merge", "put the parts of a page back into it"),
    "move": Command("move", "give a page or folder another path, and let every link follow"),
    "links": Command("links", "links that lead nowhere, and who links to a page"),
    "config": Command("config", "check settings and rules"),
    "index": Command("index", "how the search index stands, made anew, or checked"),
    "eval": Command("eval", "judge search by a test set"),
    "status": Command("status", "how bankd is doing, and what needs you"),
    "doctor": Command("doctor", "look for trouble in the workspace and its surroundings, with the fix for each"),
    "connect": Command("connect", "give an agent the memory of this workspace: Claude Code, Codex, OpenClaw, Hermes"),
    "disconnect": Command("disconnect", "take that back"),
    "brief": Command("brief", "what is worth saying unasked: at a session's start, in the morning, before a meeting"),
    "mcp": Command("mcp", "serve the bank to an agent, over standard input and output"),
    "hook": Command("hook", "what the hooks of an agent's session call; says nothing when anything is wrong"),
    "service": Command("service", "run bankd under systemd"),
    "completions": Command("completions", "completion for bash, zsh or fish"),
}
