"""The arguments of `bankctl fleet`. Light: the database is imported when an action runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.base import add_json, add_limit, whole_number
from bankd.errors import UserError

_ACTIONS = {
    "init": "make the tables in a database, and remember its address",
    "add": "add workspaces, with their nights at the hour and in the zone of their settings",
    "remove": "remove banks; their files do not change",
    "list": "show the banks and their next nights",
    "schedule": "change the hour or the time zone of nights",
    "worker": "do nights until Ctrl-C or SIGTERM; the current night is finished",
    "status": "show what is due, waits, runs, and failed and why",
    "retry": "try failed nights again now, of all banks or some",
    "index": "put banks into the shared search, now and after each night",
    "search": "search many banks at once: all that this role of the database may read, or some",
    "allow": "let a role of the database search banks",
    "deny": "do not let a role search banks any more",
}


def fleet_arguments(parser: ArgumentParser) -> None:
    """Add the actions and their arguments to the parser."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    parsers = {name: actions.add_parser(name, help=help_) for name, help_ in _ACTIONS.items()}
    parsers["init"].add_argument("dsn", metavar="DSN", help="address of the database, such as postgresql://host/fleet")
    help_ = "keep the terms of the shared search in an OpenSearch cluster, such as https://search:9200"
    parsers["init"].add_argument("--opensearch", metavar="URL", help=help_)
    parsers["add"].add_argument("folders", nargs="+", metavar="DIR", help="workspaces")
    parsers["add"].add_argument("--name", metavar="NAME", help="name of the bank (default: the name of its folder)")
    help_ = "name of the storage it is on; a worker may take only the banks of some storages (default: default)"
    parsers["add"].add_argument("--storage", metavar="NAME", default="default", help=help_)
    for name in ("remove", "schedule"):
        parsers[name].add_argument("banks", nargs="+", metavar="NAME", help="banks of the fleet")
    parsers["schedule"].add_argument("--at", metavar="TIME", help="such as 03:00")
    parsers["schedule"].add_argument("--timezone", metavar="NAME", help="such as Asia/Seoul")
    parsers["retry"].add_argument("banks", nargs="*", metavar="NAME", help="banks of the fleet (default: all)")
    parsers["index"].add_argument("banks", nargs="*", metavar="NAME", help="banks of the fleet (default: all)")
    parsers["search"].add_argument("query", nargs="+", metavar="QUERY", help="words or a question")
    help_ = "only this bank; can be repeated (default: all that may be read)"
    parsers["search"].add_argument("--bank", action="append", default=[], metavar="NAME", help=help_)
    add_limit(parsers["search"], 10, most=100)
    for name in ("allow", "deny"):
        parsers[name].add_argument("role", metavar="NAME", help="a role of the database")
        parsers[name].add_argument("banks", nargs="+", metavar="NAME", help="banks of the fleet")
    worker = parsers["worker"]
    help_ = "do N nights at a time, each in its own process (default: 1)"
    worker.add_argument("--concurrency", type=whole_number, default=1, metavar="N", help=help_)
    help_ = "only banks of this storage; can be repeated (default: all)"
    worker.add_argument("--storage", action="append", default=[], metavar="NAME", help=help_)
    help_ = "seconds until a failed night is tried again; each next wait is four times as long (default: 60)"
    worker.add_argument("--first-wait", type=whole_number, default=60, metavar="N", help=help_)
    worker.add_argument(
        "--socket", metavar="FILE", help="answer searches at this socket, as `bankctl fleet search` does"
    )
    worker.add_argument("--until-idle", action="store_true", help="end when no night waits")
    parsers["status"].add_argument("--metrics", action="store_true", help="in the text format of Prometheus")
    add_limit(parsers["status"], 20)
    for name, one in parsers.items():
        if name != "init":
            help_ = "the database (default: $BANKD_FLEET, then the one that init was given)"
            one.add_argument("--dsn", metavar="DSN", help=help_)
        add_json(one)


def fleet_command(arguments: Namespace) -> int:
    """Do one action. UserError if the extra is not installed."""
    try:
        from bankd.fleet.actions import run_action
    except ImportError as error:
        raise UserError(f"a fleet needs {error.name}; install it with: pip install 'bankd[fleet]'") from error
    return run_action(arguments)
