"""`bankctl mcp`: the bank for an agent that speaks the Model Context Protocol over standard input and output."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bankd.wiring.bank_reader import BankReader


def configure(_parser: ArgumentParser) -> None:
    """The command takes nothing."""


def run(arguments: Namespace) -> int:
    """Serve until the agent ends; a bank that is not there is said by each call, and may come later."""
    from bankd.agents.frames import take_standard_streams
    from bankd.agents.mcp_server import McpServer
    from bankd.agents.memory_tools import BankMethods

    def find_bank() -> BankReader:
        from bankd.cli.workspace import locate_workspace
        from bankd.wiring.bank_reader import BankReader

        return BankReader(locate_workspace(arguments.workspace))

    McpServer(take_standard_streams(), BankMethods(find_bank).by_name()).serve()
    return 0
