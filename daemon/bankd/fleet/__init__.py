"""Many banks on many machines, over PostgreSQL and optionally OpenSearch (the extras `fleet` and `opensearch`).

actions     a fleet put together; a night; the shared search asked; what each action of `bankctl fleet` does and prints
opensearch  the postings in an OpenSearch cluster
registry    the database: its tables (tables.sql), who may read what; the banks, their nights and the queue; metrics
shared      many banks as one index: postings, index, vectors
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
