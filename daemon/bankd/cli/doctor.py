"""`bankctl doctor`: looks for trouble and says how to mend each; exit code 3 while something needs a person."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Examine and print; nothing is changed."""
    from dataclasses import asdict

    from bankd.app.doctor import examine_workspace
    from bankd.wiring.probing import find_installation, open_probe

    root = find_workspace(arguments.workspace)
    with open_probe(root) as probe:
        areas = examine_workspace(probe, find_installation(root))
    if arguments.json:
        say_json({area: [asdict(finding) for finding in findings] for area, findings in areas.items()})
    else:
        for area, findings in areas.items():
            say(f"{styled('ok', 'green')}  {area}" if not findings else f"    {styled(area, 'bold')}")
            for finding in findings:
                sign = styled("!!", "red") if finding.needs_person else styled("--", "yellow")
                say(f"{sign}  {styled(finding.text)}")
                if finding.fix:
                    say(f"      {styled(finding.fix, 'cyan')}")
    return 3 if any(finding.needs_person for findings in areas.values() for finding in findings) else 0
