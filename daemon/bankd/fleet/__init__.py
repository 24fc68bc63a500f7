"""Many banks on many machines, over PostgreSQL and optionally OpenSearch (the extras `fleet` and `opensearch`).

actions     what each action of `bankctl fleet` does and prints; joining a fleet; the processes that do nights
database    the connection, the tables (tables.sql), who may read what
opensearch  the postings in an OpenSearch cluster
registry    the banks and their nights in the database; the queue of nights; status and metrics
shared      many banks as one index: postings, index, vectors
together    a fleet put together; a night; the shared search asked and brought up to date
writer      reads the index of a bank, and writes what changed into the tables of the shared search
"""

from __future__ import annotations

from bankd.errors import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


def fleet_command(arguments: Namespace) -> int:
    """Do one action of `bankctl fleet`. UserError if the extra is not installed."""
    try:
        from bankd.fleet.actions import run_action
    except ImportError as error:
        raise UserError(f"a fleet needs {error.name}; install it with: pip install 'bankd[fleet]'") from error
    return run_action(arguments)
