"""`bankctl import` and `distil`: what others wrote becomes logs, and prose becomes lines."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.location import find_workspace, open_named
from bankd.cli.printing import Progress, say, say_answer, say_json, styled
from bankd.errors import UsageError
from bankd.translate import counted
from bankd.translate import translate as _

_MODELS = ("claude", "codex", "gemini", "ollama", "off")

if TYPE_CHECKING:
    from bankd.app.distil import DistilPlan
    from bankd.app.imports import Imported


def import_command(arguments: Namespace) -> int:
    """Import once, or with `--watch` again and again until interrupted."""
    from threading import Event

    pause = Event()
    while True:
        code = _import_once(arguments)
        if not arguments.watch:
            return code
        pause.wait(5.0)


def _import_once(arguments: Namespace) -> int:
    from bankd.wiring.runner import forget_handed_over, import_sources, left_out_at, sources_at

    is_dry, done = arguments.dry_run, []
    with open_named(arguments, write=not is_dry) as workspace:
        sources = sources_at(workspace, arguments.source)
        bar = Progress(_("import"), len(sources))
        for imported in import_sources(workspace, sources, is_by_hand=not arguments.watch, dry_run=is_dry):
            done.append(imported)
            bar.step(imported.source.rpartition("/")[2])
        bar.close()
        left = left_out_at(workspace, arguments.source)
        if not (arguments.source or is_dry):
            forget_handed_over(workspace)
    if arguments.json:
        say_json({"imported": [asdict(one) for one in done], "left_out": left})
    elif done or not arguments.watch:
        _print(done, is_dry=is_dry)
        if left:
            say(_(f"! {counted(len(left), 'file')} left out, no transcript, export or Markdown: {left[0]}"))
    return 3 if any(one.problem for one in done) and arguments.source else 0


def _print(done: list[Imported], *, is_dry: bool) -> None:
    for one in done:
        for log, turns in sorted(one.added.items()):
            say(f"{styled('+', 'green')} memory/imports/{styled(log)}  {styled(counted(turns, 'turn'), 'dim')}")
        for torn in one.torn:
            say(styled(f"! {one.source}:{torn.line}: {_(torn.reason)}", "red"))
        if one.problem:
            say(styled(f"! {one.source}: {_(one.problem)}", "red"))
    if passed := sum((Counter(one.passed) for one in done), Counter[str]()):
        kinds = ", ".join(f"{_(kind)} {number}" for kind, number in passed.most_common())
        say(styled(_(f"{counted(passed.total(), 'row')} hold nothing that was said: {kinds}"), "dim"))
    if undated := [one.source for one in done if one.is_dated_by_stamp]:
        say(
            _(
                f"! {counted(len(undated), 'file')} without a day in name or front matter, dated by time stamp: {undated[0]}"
            )
        )
    turns, known = sum(sum(one.added.values()) for one in done), sum(one.known for one in done)
    left = sum(bool(one.problem) for one in done)
    counts, sources = counted(turns, "turn"), counted(len(done), "changed source")
    verb = "would be imported" if is_dry else "imported"
    say(_(f"{counts} {verb}, {known} known or empty, from {sources}") + (_(f"; {left} not read") if left else ""))


def distil_command(arguments: Namespace) -> int:
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
            return _tell_plan(plan_distilling(workspace), arguments)
        unanswered = ask_models(workspace, only_prose=True)
    with open_workspace(root, arguments.now) as workspace:
        done = distil_now(workspace, unanswered)
    whole = done._asdict() | {"waiting": [{"what": one.what, "reason": one.reason} for one in done.waiting]}
    notes = done.notes or ("nothing was distilled" if done.waiting else "no new prose",)
    waiting = (f"{one.what}: {_(one.reason)}" for one in done.waiting)
    return say_answer(whole, *map(_, notes), *waiting, as_json=arguments.json)


def _choose_model(arguments: Namespace) -> int:
    """Try a model, write the settings that name it, and say what a week of logs would take."""
    from bankd.config.workspace import SETTINGS, load_settings
    from bankd.wiring.models import plan_week, settings_for, try_model, write_model

    root = find_workspace(arguments.workspace)
    settings = settings_for(arguments.name, arguments.model, load_settings(root / SETTINGS).distil)
    tried = try_model(settings) if settings.is_on else None
    said = write_model(root, settings)
    lines = [
        _(f"bankd.yaml: distil.provider is {settings.provider} now"),
        *([_(f"the daemon says: {said}")] if said else ()),
    ]
    whole: dict[str, object] = {"provider": settings.provider, "model": settings.model, "command": settings.command}
    if tried is not None:
        plan = plan_week(root)
        took = _(f"{tried.tokens:,} tokens") if tried.tokens else _("it does not say how many tokens")
        trial = (
            _("it passes its trial")
            if tried.is_passed
            else _("it fails its trial, so its lines will wait for you: bankctl review")
        )
        rate = tried.cost / tried.tokens if tried.tokens else 0.0
        money = rate * (plan.input_tokens + plan.output_tokens)
        lines.append(_(f"tried once on a sample: {tried.seconds:.1f} s, {took}; {trial}"))
        lines.append(_(f"the logs of the last week: {tell_plan(plan, money)}"))
        whole |= {
            "tried": tried._asdict(),
            "week": plan._asdict() | {"pieces": len(plan.pieces), "cost": money or plan.cost},
        }
    return say_answer(whole, *lines, as_json=arguments.json)


def _tell_plan(plan: DistilPlan, arguments: Namespace) -> int:
    lines: list[str] = []
    for one in plan.pieces:
        lines += one.places[:-1]
        lines.append(f"{one.places[-1]}  {styled(_(f'{one.tokens:,} tokens'), 'dim')}")
        if arguments.text:
            lines.append(one.text)
    lines.append(_(f"would send {tell_plan(plan)}; nothing was sent"))
    whole = plan._asdict() | {"pieces": [one._asdict() for one in plan.pieces]}
    return say_answer(whole, *lines, as_json=arguments.json)


def tell_plan(plan: DistilPlan, money: float = 0.0) -> str:
    """What a night sends, in words; `money` is in US dollars, for a model that reports its own cost."""
    sent = [
        counted(sum(len(one.places) for one in plan.pieces), "piece of the logs", "pieces of the logs"),
        *([counted(plan.insights, "cluster of memories", "clusters of memories")] if plan.insights else ()),
        *(
            [counted(plan.comparisons, "memory with similar ones", "memories with similar ones")]
            if plan.comparisons
            else ()
        ),
    ]
    asked = _(
        f"at most {counted(plan.calls, 'call')}, {plan.input_tokens:,} tokens of questions and {plan.output_tokens:,} of answers"
    )
    cost = (
        _(f", at most {plan.cost:.4f}") if plan.cost else _("; for the cost, set distil.input_price and output_price")
    )
    cost = _(f", about ${money:.2f} if each call is paid for") if money else cost
    return f"{', '.join(sent)}: {asked}{cost}"


def _propose(arguments: Namespace) -> int:
    """Put lines that rules find in prose into the review, or only print them."""
    from bankd.app.distil import propose_now

    if not 0 <= arguments.days <= 36_500:
        raise UsageError("--days must be from 0 to 36500")
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        if not arguments.now:
            workspace.wait_until_settled()
        found = propose_now(workspace, arguments.days, dry_run=arguments.dry_run)
    rows = [
        {"place": f"memory/{one.piece.log}:{line.sources[0]}", "tag": line.tag, "text": line.text, "rule": rule}
        for one in found
        for line, rule in one.lines
    ]
    lines = [f"{styled(r['place'], 'bold')}  {r['tag']}: {r['text']}  {styled(_(r['rule']), 'dim')}" for r in rows]
    way = _("after the next run: bankctl review lists them, bankctl review accept takes one in")
    said = _(f"{counted(len(rows), 'line')} proposed") + "; " + (_("nothing was written") if arguments.dry_run else way)
    whole = {"proposed": rows, "applied": not arguments.dry_run}
    return say_answer(whole, *lines, said if rows else _("nothing new is worth remembering"), as_json=arguments.json)
