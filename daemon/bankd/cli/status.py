"""`bankctl status`, `doctor`, `config` and `service`: the state of the workspace, what is wrong, its settings, its unit.

Exit code 3 means that something needs a person.
"""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bankd.cli import find_workspace, open_named
from bankd.cli.base import Outcome, padded, plain, say, styled, suggest_word
from bankd.errors import UsageError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bankd.app.units import Installation


def status_command(arguments: Namespace) -> Outcome | int:
    """Print the state of bank, logs, index, daemon and jobs, and the findings."""
    from bankd.wiring.probing import metrics_of, open_probe, read_status

    with open_probe(find_workspace(arguments.workspace)) as probe:
        if arguments.metrics:
            say(metrics_of(probe).rstrip("\n"))
            return 0
        status = read_status(probe)
    code = 3 if any(finding["needs_person"] for finding in status["findings"]) else 0
    return Outcome(status, *_lines(status), code=code)


def _lines(status: dict[str, Any]) -> Iterator[str]:
    from bankd.memory.report import tell_prose

    bank, jobs = status["bank"], status["jobs"]
    is_counted = bank["memories"] is not None
    held = counted(bank["memories"], "memory", "memories") if is_counted else _("memories not counted yet")
    yield f"{_label('workspace')} {styled(status['workspace'], 'bold')}"
    yield f"{_label('bank')} {held}, {counted(bank['pages'], 'page')}, " + _(f"{bank['inbox']} unfiled")
    if bank["prose"]:
        yield f"{_label('logs')} {_(tell_prose(bank['prose']))}"
    last = next((job["last"] for job in jobs if job["job"] == "reflect"), None) or {}
    if count := last.get("counts", {}).get("fading", 0):
        fading = counted(count, "opinion fades", "opinions fade")
        yield f"{_label('opinions')} " + _(f"{fading} within 7 days; to list them: bankctl archive forecast")
    yield f"{_label('index')} {styled(_index_line(status))}"
    yield f"{_label('daemon')} {styled(_daemon_line(status))}"
    for job in jobs:
        yield f"{_label(job['job'])} {styled(_job_line(job, status))}"
    for finding in status["findings"]:
        sign, colour = ("!", "red") if finding["needs_person"] else ("-", "yellow")
        fix = f"  → {_(finding['fix'])}" if finding["fix"] else ""
        yield f"{styled(sign, colour)} {styled(_(finding['text']))}{styled(fix, 'dim')}"


def _label(name: str) -> str:
    return styled(padded(_(name), 10), "dim")


def _index_line(status: dict[str, Any]) -> str:
    index = status["index"]
    if not index["updated"] and not index["problem"]:
        return _("not built yet: the first search or run builds it")
    parts = [
        _(f"{counted(index['pending'], 'changed file')} pending") if index["pending"] else _("up to date"),
        _(f"last updated {_at(index['updated'], status)}") if index["updated"] else "",
        _(f"{index['provisional']} pages wait for the analyser") if index["provisional"] else "",
    ]
    return ", ".join(filter(None, parts)) + "; " + _(f"worker {index['worker']}")


def _daemon_line(status: dict[str, Any]) -> str:
    daemon = status["daemon"]
    if daemon is None:
        return _("none")
    watcher = daemon["watcher"]
    files, lost = counted(watcher["files"], "file"), watcher["losses"]
    said = _(f"process {daemon['pid']} since {_at(daemon['since'], status)}, watching {files} by {watcher['mode']}")
    return said + (", " + _(f"missed events {lost} times and recovered") if lost else "")


def _job_line(job: dict[str, Any], status: dict[str, Any]) -> str:
    if job["running"]:
        return _("running now")
    following = _(f"next {_at(job['next'], status)}") if job["next"] else _("not planned while no daemon runs")
    last = job["last"]
    if last is None:
        return _(f"never ran; {following}")
    outcome = _(f"{last['outcome']} by hand" if last.get("by_hand") else last["outcome"])
    counts = (last.get("note") or "").partition("\n")[0]
    note = f" ({', '.join(map(_, counts.split(', ')))})" if counts else ""
    return f"{outcome} {_at(last['at'], status)}{note}; {following}"


def _at(moment: str, status: dict[str, Any]) -> str:
    """A moment in the time zone of the workspace; in that of this computer if the settings name none that there is."""
    zone = status.get("timezone", "UTC")
    return f"{datetime.fromisoformat(moment).astimezone(ZoneInfo(zone) if zone else None):%Y-%m-%d %H:%M}"


def doctor_command(arguments: Namespace) -> Outcome:
    """Examine the workspace, or one area of it; exit code 3 when something needs a person."""
    area, way = arguments.area, arguments.way
    if way and way not in {"clock": {"accept"}, "index": {"refresh", "rebuild"}}.get(area, set()):
        raise UsageError(f"bankctl doctor {area} takes no {way}", "see: bankctl doctor --help")
    act = {"verify": _verify, "clock": _clock, "index": _index}.get(area)
    if act:
        return act(arguments)
    from bankd.wiring.probing import examine_workspace, find_installation, open_probe

    root = find_workspace(arguments.workspace)
    mended = list(_mend(arguments)) if arguments.fix else []
    with open_probe(root) as probe:
        areas = examine_workspace(probe, find_installation(root))
    lines = [f"{styled(_('mended'), 'green')}  {plain(_(one))}" for one in mended]
    for name, findings in areas.items():
        lines.append(f"    {styled(_(name), 'bold')}" if findings else f"{styled('ok', 'green')}  {_(name)}")
        for finding in findings:
            sign = styled("!!", "red") if finding.needs_person else styled("--", "yellow")
            fix = f"      {styled(_(finding.fix), 'cyan')}" if finding.fix else ""
            lines += [f"{sign}  {styled(_(finding.text))}", fix]
    whole: dict[str, Any] = {name: [asdict(finding) for finding in findings] for name, findings in areas.items()}
    code = 3 if any(finding.needs_person for findings in areas.values() for finding in findings) else 0
    return Outcome(whole | ({"mended": mended} if arguments.fix else {}), *lines, code=code)


def _mend(arguments: Namespace) -> Iterator[str]:
    """Mend what needs no decision; gives what was done."""
    from bankd.app.index import index_state, refresh_index
    from bankd.app.rearrange import Rearranger
    from bankd.app.review import compare_all
    from bankd.wiring.search import make_search

    root = find_workspace(arguments.workspace)
    with open_named(arguments, write=True) as workspace:  # opening it finishes what a run left half done
        yield from workspace.healed
        healed = Rearranger(workspace).heal()
        if healed.edits:
            yield f"{len(healed.edits)} links follow what was moved: bankctl undo {healed.run}"
        with closing(make_search(root)) as searching:
            anew = not index_state(searching.indexes)["usable"]
            yield refresh_index(searching, workspace.now, workspace.transactions.publish, anew=anew)
        compare_all(workspace, workspace.read_anew())
        workspace.tell_search()


def _index(arguments: Namespace) -> Outcome:
    """Print the state of the index, after refreshing or rebuilding it; 3 when it cannot be used."""
    from bankd.app.index import index_state, refresh_index
    from bankd.wiring.search import make_search

    root, done = find_workspace(arguments.workspace), ""
    with closing(make_search(root)) as searching:
        if arguments.way:
            with open_named(arguments, write=True) as workspace:
                publish = workspace.transactions.publish
                done = refresh_index(searching, workspace.now, publish, anew=arguments.way == "rebuild")
        state = index_state(searching.indexes)
    lines = [f"{padded(_(name), 12)} {styled(_(str(value)))}" for name, value in state.items()]
    return Outcome({"done": done, **state}, styled(_(done)), *lines, code=0 if state["usable"] else 3)


def _clock(arguments: Namespace) -> Outcome:
    """Show whether bankd trusts the system clock, or confirm it. Until it does, nothing is archived for its age."""
    accepts = arguments.way == "accept"
    with open_named(arguments, write=accepts) as workspace:
        clock = workspace.clock_trust
        trust, now = clock.accept() if accepts else clock.judge(), workspace.now
    off = None if trust.off is None else round(trust.off.total_seconds())
    whole = {"now": now.isoformat(timespec="seconds"), "believed": not trust.is_frozen, "off_seconds": off}
    said, fix = _(f"it is {now:%Y-%m-%d %H:%M}; the clock is trusted"), ""
    if trust.off is not None:
        jump = _(f"{abs(trust.off)} ahead" if trust.off.total_seconds() > 0 else f"{abs(trust.off)} back")
        said = _(f"it is {now:%Y-%m-%d %H:%M}; the clock jumped {jump}; archiving is paused")
        fix = _("set the clock right, or confirm it: bankctl doctor clock accept")
    return Outcome(whole, said, fix, code=3 if trust.is_frozen else 0)


def _verify(arguments: Namespace) -> Outcome:
    """Check the promises of the bank from the outside; exit code 3 when one does not hold."""
    from bankd.app.copies import verify_workspace

    with open_named(arguments, write=False) as workspace:
        verdict = verify_workspace(workspace)
    rows = [(styled(_(one.kind), "red"), one.place, one.words) for one in verdict.findings]
    rows += [(styled(_(one.kind), "yellow"), one.place, one.words) for one in verdict.emptied]
    waiting = ", " + _(f"{verdict.waiting} waiting for the next run") if verdict.waiting else ""
    found = counted(len(verdict.findings), "finding") if verdict.findings else _("all promises hold")
    read = f"{counted(verdict.lines, 'Retain line')}, {counted(verdict.memories, 'memory', 'memories')}"
    return Outcome(
        {"ok": not verdict.findings, **asdict(verdict)},
        *(f"{kind}  {styled(place, 'bold')}  {styled(_(words))}" for kind, place, words in rows),
        f"{read}{waiting}: {found}",
        code=3 if verdict.findings else 0,
    )


def config_command(arguments: Namespace) -> Outcome:
    """Check settings and rules, read or change one, or test where a line would go."""
    from bankd.config import workspace as config

    root, words = find_workspace(arguments.workspace), arguments.words
    if arguments.action == "route":
        return _route(arguments)
    if arguments.action == "set":
        if len(words) < 2:
            raise UsageError("usage: bankctl config set NAME VALUE")
        config.change_settings(root / config.SETTINGS, {words[0]: " ".join(words[1:])})
        said = _(f"{styled(words[0], 'bold')} is set; a running bankd reads it after: bankctl service reload")
        return Outcome({"set": words[0], "value": " ".join(words[1:])}, said)
    if arguments.action == "get":
        settings = config.settings_by_name(config.load_usable_settings(root / config.SETTINGS)[0])
        wanted = {name: value for name, value in settings.items() if not words or f"{name}.".startswith(f"{words[0]}.")}
        if not wanted:
            meant = suggest_word(words[0], settings)
            raise UsageError(f"unknown setting {words[0]}", f"{meant}bankctl config get lists them")
        is_one = words and words[0] in wanted
        lines = [value_words(value) if is_one else f"{name}: {value_words(value)}" for name, value in wanted.items()]
        return Outcome(wanted, *map(styled, lines))
    problems, rules = config.check_configuration(root)
    none = "settings are fine; there are no rules: every line goes to the default page of its tag or to the inbox"
    said = _(f"settings and {counted(rules, 'rule')} are fine") if rules else _(none)
    whole = {"problems": list(problems), "rules": rules}
    return Outcome(whole, plain(_("\n".join(problems))) or said, code=3 if problems else 0)


def value_words(value: object) -> str:
    """The value of a setting as its file writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _route(arguments: Namespace) -> Outcome:
    """Print the pages where a text would go, each with the rule that names it."""
    from bankd.app.review import places_for
    from bankd.memory.retain import read_log, retain_line

    if not arguments.words:
        raise UsageError('usage: bankctl config route "W: some text"')
    line = retain_line(" ".join(arguments.words), None)
    memory = read_log("", f"{line}\n", anywhere=True).lines[0].memory
    with open_named(arguments, write=False) as workspace:
        (found,) = places_for(workspace, [memory])
    rows = [{"page": item.page, "heading": item.heading, "reason": item.reason} for item in found]
    lines: list[str] = []
    for item in found:
        place = item.page + (f"#{item.heading}" if item.heading else "")
        lines.append(f"{'  ' if lines else '->'} {styled(place, 'dim' if lines else 'bold')}  {styled(_(item.reason))}")
    return Outcome({"text": memory.text, "tag": memory.tag, "candidates": rows}, *lines)


def service_command(arguments: Namespace) -> Outcome | int:
    """Install, remove, reload or show the systemd unit; exit code 3 when it does not run or reload."""
    from bankd.wiring.probing import find_installation, installation_of_all

    if arguments.all:
        installation = installation_of_all()
    else:
        root = find_workspace(arguments.workspace)
        installation = find_installation(root, is_user=not arguments.system, name=arguments.name)
    if arguments.action == "reload":
        return _reload(installation)
    if arguments.action == "status":
        return _service_status(installation)
    is_install = arguments.action == "install"
    for line in installation.install(start=not arguments.no_start) if is_install else installation.uninstall():
        say(plain(_(line)))
    return 0


def _reload(installation: Installation) -> int:
    from bankd.wiring.probing import reload_daemon

    if installation.is_all:
        installation.manager.run("reload", installation.unit)
        say(_(f"all read their settings again; for problems: journalctl --user -u {installation.unit}"))
        return 0
    problem = reload_daemon(installation.root)
    say(plain(_(problem or "settings reloaded")))
    return 3 if problem else 0


def _service_status(installation: Installation) -> Outcome:
    state, unit = installation.state(), installation.unit
    active = styled(state.active or "unknown", "bold")
    lines = [_(f"{unit}: {active} ({state.sub}), {state.enabled}, restarts {state.restarts}"), styled(state.text)]
    if not installation.path.exists():
        lines = [_(f"{unit} is not installed; to have bankd work automatically: {installation.how_to_start()}")]
    whole = {"unit": unit, "path": str(installation.path), **asdict(state)}
    return Outcome(whole, *lines, code=0 if state.active in {"active", "reloading", "activating"} else 3)
