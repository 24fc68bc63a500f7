"""`bankctl fleet`: thousands of banks on many machines, over PostgreSQL."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.base import add_json, add_limit, whole_number
from bankd.errors import UserError

_ACTIONS = {
    "init": "make the tables in a database, and remember where it is",
    "add": "put workspaces in, their nights at the hour and in the zone of their own settings",
    "remove": "take banks out, and touch nothing in them",
    "list": "the banks, and when their next night is",
    "schedule": "have the nights of banks at another hour, or in another zone",
    "worker": "do nights until Ctrl-C or SIGTERM, which let it finish what it holds",
    "status": "what is due, waits, runs, failed and why",
    "retry": "try failed nights again at once, all or those of some banks",
    "index": "let the shared search know banks, now and after each night",
    "search": "ask many banks in one answer, all that this role of the database may read or some",
    "allow": "let a role of the database search banks",
    "deny": "let a role search banks no more",
}


def fleet_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    parsers = {name: actions.add_parser(name, help=help_) for name, help_ in _ACTIONS.items()}
    parsers["init"].add_argument("dsn", metavar="DSN", help="where the database is, such as postgresql://host/fleet")
    help_ = "keep the terms of the shared search in an OpenSearch cluster, such as https://search:9200"
    parsers["init"].add_argument("--opensearch", metavar="URL", help=help_)
    _configure_banks(parsers)
    _configure_worker(parsers["worker"])
    _configure_search(parsers)
    parsers["status"].add_argument("--metrics", action="store_true", help="as Prometheus reads them")
    add_limit(parsers["status"], 20)
    for name, one in parsers.items():
        if name != "init":
            help_ = "the database (default: $BANKD_FLEET, then the one that init was given)"
            one.add_argument("--dsn", metavar="DSN", help=help_)
        add_json(one)


def _configure_banks(parsers: dict[str, ArgumentParser]) -> None:
    parsers["add"].add_argument("folders", nargs="+", metavar="DIR", help="workspaces")
    parsers["add"].add_argument("--name", metavar="NAME", help="what to call it (default: the name of its folder)")
    help_ = "where it lies: a worker may take the banks of some storages alone (default: default)"
    parsers["add"].add_argument("--storage", metavar="NAME", default="default", help=help_)
    for name in ("remove", "schedule"):
        parsers[name].add_argument("banks", nargs="+", metavar="NAME", help="banks of the fleet")
    parsers["schedule"].add_argument("--at", metavar="TIME", help="such as 03:00")
    parsers["schedule"].add_argument("--timezone", metavar="NAME", help="such as Asia/Seoul")
    parsers["retry"].add_argument("banks", nargs="*", metavar="NAME", help="banks of the fleet (default: all)")


def _configure_search(parsers: dict[str, ArgumentParser]) -> None:
    parsers["index"].add_argument("banks", nargs="*", metavar="NAME", help="banks of the fleet (default: all)")
    parsers["search"].add_argument("query", nargs="+", metavar="QUERY", help="words or a question")
    help_ = "only this bank; may be said again (default: all that may be read)"
    parsers["search"].add_argument("--bank", action="append", default=[], metavar="NAME", help=help_)
    add_limit(parsers["search"], 10, most=100)
    for name in ("allow", "deny"):
        parsers[name].add_argument("role", metavar="NAME", help="a role of the database")
        parsers[name].add_argument("banks", nargs="+", metavar="NAME", help="banks of the fleet")


def _configure_worker(parser: ArgumentParser) -> None:
    help_ = "run N nights at a time, each in a process of its own (default: 1)"
    parser.add_argument("--concurrency", type=whole_number, default=1, metavar="N", help=help_)
    help_ = "only the banks there; may be said again (default: all)"
    parser.add_argument("--storage", action="append", default=[], metavar="NAME", help=help_)
    help_ = "seconds until a failed night is tried again, then four times as many (default: 60)"
    parser.add_argument("--first-wait", type=whole_number, default=60, metavar="N", help=help_)
    parser.add_argument("--socket", metavar="FILE", help="answer searches there, as `bankctl fleet search` does")
    parser.add_argument("--until-idle", action="store_true", help="end when no night waits")


def fleet_command(arguments: Namespace) -> int:
    """Do one action; what it needs is an extra."""
    try:
        from bankd.fleet.actions import run_action
    except ImportError as error:
        raise UserError(f"a fleet needs {error.name}; install it with: pip install 'bankd[fleet]'") from error
    return run_action(arguments)
