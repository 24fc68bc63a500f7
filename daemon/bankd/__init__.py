"""bankd turns an agent's daily logs into a bank of Markdown memories, and finds them again.

Where things are, from what people type down to Markdown:
    __main__          the program bankd: a command of cli, or without one the service
    cli, service      entry points: arguments, printing, exit codes; start, ready, loop, stop
    agents            entry points too: the MCP server and the hooks of agents' sessions
    ui, finder        and two more: the page in a browser, and what `bankctl` alone opens on a terminal
    fleet             and one: the nights of thousands of banks on many machines, over PostgreSQL
    wiring            assembly: which adapter stands for which port
    app               use cases: what the user asks for, one module a verb, over ports
    adapters          the outside world: storage, workspace, watching, index, korean, meaning, models, fleet, system
    config, shipped   settings; the template, rules and units that come with the package
    cycle, answering  the two stories a reader comes for; look_alikes, rearranging, retention, relinking, comparing, matching, distilling, deriving and enriching are chapters of the first, the room search of both
    ports             what the use cases need from the outside, a protocol each
    core              rules: pure, no I/O, no clock, no logging
    errors            who must act
"""

from __future__ import annotations

__version__ = "0.1.0"
