"""`bankctl connect`, `disconnect`, `brief`, `mcp`, `import` and `distil`: agents read the bank, and what they wrote is read."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bankd.cli import find_workspace, locate_workspace, open_named
from bankd.cli.base import Outcome, plain, say, show_progress, styled, suggest_word
from bankd.errors import UsageError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bankd.agents.connect import FileChange
    from bankd.app.distil import DistilPlan
    from bankd.app.imports import Imported
    from bankd.wiring.reader import BankReader


def connect_command(arguments: Namespace) -> Outcome:
    """Install the plugin and settings of an agent, or show what would be installed."""
    from bankd.agents import connect
    from bankd.config import shipped_folder

    root = find_workspace(arguments.workspace).resolve()
    if arguments.agent == "mcp":
        entry = {"mcpServers": {"bankd": connect.server_entry(root)}}
        text = (shipped_folder("integrations") / "AGENTS.md").read_text("utf-8")
        return Outcome(
            {**entry, "agents_md": text},
            _("# for the settings of an agent that speaks MCP"),
            plain(json.dumps(entry, ensure_ascii=False, indent=2)),
            "\n" + _("# for AGENTS.md, or another file that the agent reads when it starts"),
            plain(text.strip()),
        )
    homes = connect.Homes(os.environ)
    connection = connect.plan_connection(arguments.agent, root, homes)
    changes = connect.plan_changes(connection) if arguments.dry_run else connect.connect_agent(connection, homes)
    nothing = f"{arguments.agent} is connected to {root} already"
    noted = f"what was there before is noted for disconnect: {homes.state}" if changes else ""
    return _told(arguments, changes, connection.advice if changes else nothing, noted, is_dry=arguments.dry_run)


def disconnect_command(arguments: Namespace) -> Outcome:
    """Undo `connect`: give every file its bytes back."""
    from bankd.agents import connect

    homes = connect.Homes(os.environ)
    # What is undone is the same for all workspaces.
    connection = connect.plan_connection(arguments.agent, Path(), homes)
    changes = connect.disconnect_agent(connection, homes)
    done = "; ".join(filter(None, (f"{arguments.agent} is disconnected", connection.left)))
    return _told(arguments, changes, done if changes else f"{arguments.agent} is not connected", is_dry=False)


def _told(arguments: Namespace, changes: Sequence[FileChange], last: str, noted: str = "", *, is_dry: bool) -> Outcome:
    """What was, or would be, changed: files of ours and removed ones by name, settings by their difference."""
    rows = [{"path": str(one.path), "new": one.before is None, "gone": one.after is None} for one in changes]
    whole = {"agent": arguments.agent, "applied": not is_dry, "changes": rows, "advice": last}
    return Outcome(whole, *_differences(changes), _(noted), _("nothing was written" if is_dry and changes else last))


def _differences(changes: Sequence[FileChange]) -> Iterator[str]:
    from difflib import unified_diff

    colours = {"+": "green", "-": "red"}
    for one in changes:
        path = str(one.path)
        if one.after is None or (one.before is None and not one.is_of_agent):
            yield f"{'-' if one.after is None else '+'} {styled(path)}"
            continue
        before, after = ((data or b"").decode("utf-8", "replace").splitlines() for data in (one.before, one.after))
        for line in unified_diff(before, after, path, path, lineterm="", n=1):
            yield styled(line, colours.get(line[:1], "dim"))


def brief_command(arguments: Namespace) -> Outcome | int:
    """Print a briefing, or why there is nothing to say."""
    from bankd.agents.briefs import brief_asked
    from bankd.briefing.choose import MODES
    from bankd.cli.search import unknown_of
    from bankd.wiring.reader import BankReader

    mode, subjects, now = arguments.mode or "orient", tuple(arguments.subject), arguments.now
    if arguments.lists:
        for name, one in MODES.items():
            row = {"mode": name, "fires": one.fires, "tokens": one.tokens}
            Outcome(row, f"{name:12} {one.tokens:>4}  {_(one.fires)}").show(as_json=arguments.json)
        return 0
    bank = BankReader(locate_workspace(arguments.workspace))
    if mode not in MODES:
        raise UsageError(f"no briefing {mode}", f"{suggest_word(mode, MODES)}bankctl brief --list names them")
    if mode in {"person", "meeting", "project"} and not subjects:
        raise UsageError(f"brief {mode}: about whom or what? For example: bankctl brief {mode} @Peter")
    today = bank.now()
    now = now.replace(tzinfo=now.tzinfo or today.tzinfo).astimezone(today.tzinfo) if now else today
    briefing = brief_asked(mode, bank, subjects, now)
    rows = [{"key": i.key, "date": i.day and str(i.day), "text": i.text, "place": i.place} for i in briefing.items]
    empty = f"{mode}: {_(MODES[mode].empty.format(' '.join(subjects)))}"
    people = [f"@{one.lstrip('@')}" for one in subjects if mode in {"person", "meeting"}]
    said = plain(briefing.text_in(_).rstrip("\n")) if rows else empty
    return Outcome({"mode": mode, "items": rows}, said, *unknown_of(arguments, people), listed=())


def mcp_command(arguments: Namespace) -> Outcome | int:
    """Serve until the agent ends. A call without a bank is answered with an error; the bank may come later."""
    if arguments.action:
        return _tokens(arguments)
    if arguments.http or arguments.listen:
        return _serve_http(arguments)
    from bankd.agents.mcp import McpServer, take_standard_streams
    from bankd.agents.tools import BankMethods

    folder = ""
    with suppress(OSError):  # the folder that the agent works in may be gone
        folder = str(Path.cwd())

    def find_bank() -> BankReader:
        from bankd.wiring.reader import BankReader

        return BankReader(locate_workspace(arguments.workspace), folder=folder)

    # Claude Code tells its servers the same session as its hooks; for other agents this is not known.
    methods = BankMethods(find_bank, session=os.environ.get("CLAUDE_CODE_SESSION_ID", ""))
    McpServer(take_standard_streams(), methods.by_name()).serve()
    return 0


def _serve_http(arguments: Namespace) -> int:
    import logging

    from bankd.agents.remote import PORT, Tokens, serve_http

    root = find_workspace(arguments.workspace).resolve()
    if bool(arguments.cert) != bool(arguments.key):
        raise UsageError("--cert and --key go together")
    port = PORT if arguments.port is None else arguments.port

    def announce(url: str) -> None:
        none = "" if Tokens(root).names() else _("no agent has a token yet: bankctl mcp token add NAME")
        say("; ".join(filter(None, [_(f"{url} serves {root}"), none])))
        sys.stdout.flush()

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    tls_files = (arguments.cert, arguments.key) if arguments.cert else None
    serve_http(str(root), arguments.listen or "127.0.0.1", port, arguments.host, tls_files, announce)
    return 0


def _tokens(arguments: Namespace) -> Outcome:
    """List, make or take away tokens."""
    from bankd.agents.remote import Tokens

    tokens = Tokens(find_workspace(arguments.workspace).resolve())
    if (arguments.what == "list") == bool(arguments.name):
        raise UsageError(f"usage: bankctl mcp token {arguments.what}{' NAME' if arguments.what != 'list' else ''}")
    if arguments.what == "add":
        token = tokens.add(arguments.name)
        shown_once = styled(_("shown only now; keep it where only the agent can read it"), "dim")
        return Outcome({"name": arguments.name, "token": token}, token, shown_once)
    if arguments.what == "revoke":
        tokens.revoke(arguments.name)
        return Outcome({"revoked": arguments.name}, styled(_(f"{arguments.name} is refused from now on")))
    names = tokens.names()
    rows = [{"name": name, "problem": problem} for name, problem in names.items()]
    shown = ((styled(name, "bold"), styled(_(problem), "red")) for name, problem in names.items())
    lines = ("  ".join(filter(None, parts)) for parts in shown)
    none = "" if names else _("no agent has a token; make one with: bankctl mcp token add NAME")
    return Outcome({"tokens": rows}, *lines, none)


def import_command(arguments: Namespace) -> Outcome:
    """Import the sources that are named, or those of the settings; 3 when a named one cannot be read."""
    from bankd.wiring.runner import import_sources, left_out_at, sources_at

    is_dry, done = arguments.dry_run, []
    with open_named(arguments, write=not is_dry) as workspace:
        sources = sources_at(workspace, arguments.source)
        for imported in import_sources(workspace, sources, is_by_hand=True, again=bool(arguments.source)):
            done.append(imported)
            show_progress(f"{_('import')} {len(done)}/{len(sources)} {imported.source.rpartition('/')[2]}")
        show_progress("")
        left = left_out_at(workspace, arguments.source)
    lines = list(_import_lines(done, is_dry=is_dry))
    if left:
        lines.append(_(f"! {counted(len(left), 'file')} left out, no transcript, export or Markdown: {left[0]}"))
    code = 3 if any(one.problem for one in done) and arguments.source else 0
    return Outcome({"imported": [asdict(one) for one in done], "left_out": left}, *lines, code=code)


def _import_lines(done: list[Imported], *, is_dry: bool) -> Iterator[str]:
    for one in done:
        for log, turns in sorted(one.added.items()):
            yield f"{styled('+', 'green')} memory/imports/{styled(log)}  {styled(counted(turns, 'turn'), 'dim')}"
        for torn in one.torn:
            yield styled(f"! {one.source}:{torn.line}: {_(torn.reason)}", "red")
        if one.problem:
            yield styled(f"! {one.source}: {_(one.problem)}", "red")
    if passed := sum((Counter(one.passed) for one in done), Counter[str]()):
        kinds = ", ".join(f"{_(kind)} {number}" for kind, number in passed.most_common())
        yield styled(_(f"{counted(passed.total(), 'row')} hold nothing that was said: {kinds}"), "dim")
    if undated := [one.source for one in done if one.is_dated_by_stamp]:
        files = counted(len(undated), "file")
        yield _(f"! {files} without a day in name or front matter, dated by time stamp: {undated[0]}")
    turns, known = sum(sum(one.added.values()) for one in done), sum(one.known for one in done)
    left = sum(bool(one.problem) for one in done)
    counts, sources = counted(turns, "turn"), counted(len(done) - left, "source")
    said = f"{counts} imported, {known} known or empty, from {sources}"
    if is_dry:
        said = f"{counts} would be imported, {known} known or empty, from {sources}"
    yield _(said) + (_(f"; {left} not read") if left else "")


def distil_command(arguments: Namespace) -> Outcome:
    """Distil, or print what would be sent, how many tokens that takes, and what it costs."""
    from bankd.app.distil import ask_models, distil_now, model_of, plan_distilling
    from bankd.wiring.workspace import open_workspace

    if arguments.rules:
        return _propose(arguments)
    if arguments.name:
        return _choose_model(arguments)
    root = find_workspace(arguments.workspace)
    with open_workspace(root, arguments.now, write=False) as workspace:  # a model may take minutes: others write
        model_of(workspace)
        if not arguments.now:
            workspace.wait_until_settled()
        if arguments.dry_run:
            return _told_plan(plan_distilling(workspace), has_text=arguments.text)
        unanswered = ask_models(workspace, only_prose=True)
    with open_workspace(root, arguments.now) as workspace:
        done = distil_now(workspace, unanswered)
    whole = done._asdict() | {"waiting": [{"what": one.what, "reason": one.reason} for one in done.waiting]}
    notes = done.notes or ("nothing was distilled" if done.waiting else "no new prose",)
    return Outcome(whole, *map(_, notes), *(f"{one.what}: {_(one.reason)}" for one in done.waiting))


def _choose_model(arguments: Namespace) -> Outcome:
    """Try a model, write the settings that name it, and say what a week of logs would take."""
    from bankd.config.workspace import SETTINGS, load_settings
    from bankd.wiring.models import plan_week, settings_for, try_model, write_model

    root = find_workspace(arguments.workspace)
    settings = settings_for(arguments.name, arguments.model, load_settings(root / SETTINGS).distil)
    tried = try_model(settings) if settings.is_on else None
    said = write_model(root, settings)
    lines = [
        _(f"bankd.yaml: distil.provider is {settings.provider} now"),
        _(f"the daemon says: {said}") if said else "",
    ]
    whole: dict[str, object] = {"provider": settings.provider, "model": settings.model, "command": settings.command}
    if tried is not None:
        plan = plan_week(root)
        took = _(f"{tried.tokens:,} tokens") if tried.tokens else _("it does not say how many tokens")
        fails = "it fails its trial, so its lines will wait for you: bankctl review"
        trial = _("it passes its trial" if tried.is_passed else fails)
        rate = tried.cost / tried.tokens if tried.tokens else 0.0
        money = rate * (plan.input_tokens + plan.output_tokens)
        lines.append(_(f"tried once on a sample: {tried.seconds:.1f} s, {took}; {trial}"))
        lines.append(_(f"the logs of the last week: {tell_plan(plan, money)}"))
        week = plan._asdict() | {"pieces": len(plan.pieces), "cost": money or plan.cost}
        whole |= {"tried": tried._asdict(), "week": week}
    return Outcome(whole, *lines)


def _told_plan(plan: DistilPlan, *, has_text: bool) -> Outcome:
    lines: list[str] = []
    for one in plan.pieces:
        lines += one.places[:-1]
        lines.append(f"{one.places[-1]}  {styled(_(f'{one.tokens:,} tokens'), 'dim')}")
        if has_text:
            lines.append(one.text)
    lines.append(_(f"would send {tell_plan(plan)}; nothing was sent"))
    return Outcome(plan._asdict() | {"pieces": [one._asdict() for one in plan.pieces]}, *lines)


def tell_plan(plan: DistilPlan, money: float = 0.0) -> str:
    """What a night sends, in words; `money` is in US dollars, for a model that reports its own cost."""
    sent = [counted(sum(len(one.places) for one in plan.pieces), "piece of the logs", "pieces of the logs")]
    if plan.insights:
        sent.append(counted(plan.insights, "cluster of memories", "clusters of memories"))
    if plan.comparisons:
        sent.append(counted(plan.comparisons, "memory with similar ones", "memories with similar ones"))
    calls, asked, answered = counted(plan.calls, "call"), plan.input_tokens, plan.output_tokens
    most = _(f"at most {calls}, {asked:,} tokens of questions and {answered:,} of answers")
    cost = _("; for the cost, set distil.input_price and output_price")
    if money:
        cost = _(f", about ${money:.2f} if each call is paid for")
    elif plan.cost:
        cost = _(f", at most {plan.cost:.4f}")
    return f"{', '.join(sent)}: {most}{cost}"


def _propose(arguments: Namespace) -> Outcome:
    """Put lines that rules find in prose into the review, or only print them."""
    from bankd.app.distil import propose_now

    with open_named(arguments, write=not arguments.dry_run) as workspace:
        if not arguments.now:
            workspace.wait_until_settled()
        found = propose_now(workspace, arguments.days)
    rows = [
        {"place": f"memory/{one.piece.log}:{line.sources[0]}", "tag": line.tag, "text": line.text, "rule": rule or ""}
        for one in found
        for line, rule in one.lines
    ]
    lines = [f"{styled(r['place'], 'bold')}  {r['tag']}: {r['text']}  {styled(_(r['rule']), 'dim')}" for r in rows]
    way = _("after a run (bankctl cycle micro) bankctl review lists them; to take one in: bankctl review accept LINE")
    then = _("nothing was written") if arguments.dry_run else way
    said = _(f"proposed: {counted(len(rows), 'line')}") + f"; {then}"
    read = sum(len(section.lines) for one in found for section in one.piece.sections)
    nothing = f"no new prose in the logs of the last {arguments.days} days; --days N reads older ones"
    if read:
        nothing = f"{counted(read, 'line')} of new prose read, no rule fits any; to take one in: bankctl add TEXT"
    whole = {"proposed": rows, "read": read, "applied": not arguments.dry_run}
    return Outcome(whole, *lines, said if rows else _(nothing))
